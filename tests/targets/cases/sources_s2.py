"""Cases from S2, the notebook that sets its own measures beside those of HF evaluate's ``trec_eval``."""

from __future__ import annotations

from collections.abc import Sequence

from tests.targets import s2
from tests.targets.cases.spec import CaseSpec, Expect, Published, Recorded
from tests.targets.plain import Qrels, Row, Run
from tests.targets.rules import Judged, Table, table

THREE = {"doc_1": 3, "doc_2": 2, "doc_3": 1}
TENS = {"doc_1": 10, "doc_2": 9, "doc_3": 8}
THIRTIES = {"doc_1": 30, "doc_2": 20, "doc_3": 10}
SIX = {f"doc_{i}": grade for i, grade in enumerate([3, 2, 1, 3, 2, 1], start=1)}
ROW_1 = [
    Row("doc_2", 1, "2"),
    Row("doc_1", 2, "3"),
    Row("doc_10", 3, "0"),
    Row("doc_11", 3, "0"),
    Row("doc_12", 4, "0"),
]
ROW_2 = [Row("doc_2", 0, "1.5"), Row("doc_1", 1, "1.2")]
ROW_5 = [Row("doc_2", 0, "0"), Row("doc_1", 1, "1000")]
ROW_6 = [Row("doc_2", 0, "2", "s1"), Row("doc_1", 1, "1", "s1"), Row("doc_3", 0, "2", "s2")]
ROW_7 = [Row("doc_3", 0, "2", "s2")]
SIX_RUN = [Row(doc, i, f"{6 - i}") for i, doc in enumerate(["doc_1", "A", "B", "C", "D"])]
INPUT_ORDER = "HF evaluate takes nDCG from the order of the rows and never looks at the scores"
RANK_COLUMN = "the notebook orders by its rank column, which contradicts the scores here"
EXPONENTIAL = "the notebook's own nDCG takes gain 2^grade - 1"
OWN = "recorded:recorded.notebook.json"


def by_rank(lines: Sequence[Row]) -> list[str]:
    """The notebook's order: the rank column, equal ranks in input order."""
    return [row.docno for row in sorted(lines, key=lambda row: row.rank)]


def own_ndcg(judged: Judged, lines: Sequence[Row], k: int, *, linear: bool = False) -> float:
    """The notebook's nDCG of one query, without the documents that it leaves out of the qrels."""
    docs, grades = by_rank(lines), {docno: grade for docno, grade in judged.items() if grade > 0}
    return s2.dcg(docs, grades, k, False, linear) / s2.idcg(docs, grades, k, False, linear)


def _row(
    number: int,
    description: str,
    judged: Judged,
    lines: list[Row],
    p: float,
    ndcg: float,
    rank_order: bool = False,
) -> CaseSpec:
    known = tuple(Expect(who, "nDCG@5", ("rank-order",), INPUT_ORDER) for who in ("published", "hf-evaluate"))
    return CaseSpec(
        f"s2-row-{number}",
        description,
        {"0": judged},
        {"run.txt": {"0": lines}},
        ("P@5", "nDCG@5"),
        published=Published({"P@5": p, "nDCG@5": ndcg}, f"S2 part 1, row {number}, by HF evaluate"),
        expect=known if rank_order else (),
    )


ROWS = (
    _row(1, "scores contradict the order of the rows", THREE, ROW_1, 0.4, 0.8174935137996165, True),
    _row(2, "scores fall with the rank", THREE, ROW_2, 0.4, 0.8174935137996165),
    _row(3, "the same with grades 10, 9, 8", TENS, ROW_2, 0.4, 0.777975983841851),
    _row(4, "the same with grades 30, 20, 10", THIRTIES, ROW_2, 0.4, 0.8174935137996167),
    _row(5, "scores 0 and 1000 against ranks 0 and 1", THREE, ROW_5, 0.4, 0.8174935137996165, True),
    _row(6, "two systems in one run", THREE, ROW_6, 0.6, 0.9224945116765986, True),
    _row(7, "the second of these systems alone", THREE, ROW_7, 0.2, 0.21000199575396408),
)

# three queries, the last one without results

THREE_QUERIES: Qrels = {"0": THREE, "1": {"doc_1": 3, "doc_5": 2, "doc_6": 1}, "2": {"doc_3": 3}}
TWO_ANSWERED: Run = {"0": [Row("doc_2", 0, "2"), Row("doc_1", 1, "1")], "1": [Row("doc_5", 0, "2")]}
DROPPED = Published({"P@5": 0.30000000000000004, "nDCG@5": 0.6187487526537724}, "S2 part 1, without query 2")
COUNTED = Published(
    {"P@5": 0.20000000000000004, "nDCG@5": 0.4124991684358483}, "S2 part 1, with a line for query 2"
)


def _with_2(docno: str, rank: int) -> Run:
    return {**TWO_ANSWERED, "2": [Row(docno, rank, "0")]}


def _missing(*candidates: str) -> tuple[Expect, ...]:
    reason = "query 2 has no results: counted as 0 here, dropped by trec_eval"
    return tuple(
        Expect(who, measure, ("missing-queries",), reason)
        for who in candidates
        for measure in ("P@5", "nDCG@5")
    )


QUERIES = (
    CaseSpec(
        "s2-query-2-missing",
        "one of three judged queries has no results: HF evaluate drops it from the mean, as trec_eval does",
        THREE_QUERIES,
        {"run.txt": TWO_ANSWERED},
        ("P@5", "nDCG@5"),
        published=DROPPED,
        expect=_missing("ir-measures"),
    ),
    CaseSpec(
        "s2-query-2-unknown-document",
        "a line with an unknown or empty docno keeps query 2 in the mean, whether its rank is -1 or 0",
        THREE_QUERIES,
        {
            "run.unknown-rank-minus-1.txt": _with_2("unknown", -1),
            "run.unknown-rank-0.txt": _with_2("unknown", 0),
            "run.empty-rank-minus-1.json": _with_2("", -1),
            "run.empty-rank-0.json": _with_2("", 0),
        },
        ("P@5", "nDCG@5"),
        published=COUNTED,
    ),
    CaseSpec(
        "s2-query-2-counted",
        "the means with query 2 against the run without it: they differ by a third",
        THREE_QUERIES,
        {"run.txt": TWO_ANSWERED},
        ("P@5", "nDCG@5"),
        published=COUNTED,
        expect=_missing("published", "ir-measures"),
    ),
)

# six relevant documents


def _six(name: str, description: str, lines: list[Row], at_5: float, at_10: float) -> CaseSpec:
    return CaseSpec(
        name,
        description,
        {"0": SIX},
        {"run.txt": {"0": lines}},
        ("nDCG@5", "nDCG@10"),
        published=Published({"nDCG@5": at_5, "nDCG@10": at_10}, "S2 part 1, six relevant documents"),
    )


def _linear_at_5(judged: Judged, lines: Sequence[Row]) -> float:
    return own_ndcg(judged, lines, 5, linear=True)


SIX_RELEVANT = (
    _six(
        "s2-six-relevant",
        "one of six relevant documents in five retrieved",
        SIX_RUN,
        0.42010951172205624,
        0.40014926254662797,
    ),
    _six(
        "s2-six-relevant-doc-3",
        "the same with doc_3 in the last place",
        [*SIX_RUN[:4], Row("doc_3", 4, "2")],
        0.4742830263739263,
        0.4517488843896262,
    ),
    CaseSpec(
        "s2-six-relevant-float-noise",
        "the notebook prints 0.4201095117220563, HF evaluate 0.42010951172205624: compared to the last bit",
        {"0": SIX},
        {"run.txt": {"0": SIX_RUN}},
        ("nDCG@5",),
        tolerance=0.0,
        recorded={
            "recorded.notebook.json": Recorded(table(nDCG_5=_linear_at_5)),
            "recorded.printed.json": Recorded(table(nDCG_5=lambda judged, lines: 0.42010951172205624)),
        },
        expect=tuple(
            Expect(who, "nDCG@5", ("float-noise",), "the same terms, added or divided in another order")
            for who in ("recorded:recorded.printed.json", "hf-evaluate")
        ),
    ),
)

# part 2: the notebook's own nDCG


def _own(
    name: str,
    description: str,
    judged: Judged,
    lines: list[Row],
    printed: float,
    *causes: str,
    reason: str = "",
) -> CaseSpec:
    return CaseSpec(
        name,
        description,
        {"0": judged},
        {"run.txt": {"0": lines}},
        ("nDCG",),
        published=Published({"nDCG": printed}, "S2 part 2, the notebook's own nDCG"),
        expect=(Expect("published", "nDCG", causes, reason),) if causes else (),
    )


LETTERS = [Row(doc, i, f"{6 - i}") for i, doc in enumerate("ABCDE", start=1)]
PART_2 = (
    _own(
        "s2-exponential-letters",
        "ranking A, B, C, D, E with exponential gain",
        {"A": 2, "B": 3, "D": 1, "E": 2},
        LETTERS,
        0.8322420383257692,
        "gain",
        reason=EXPONENTIAL,
    ),
    _own(
        "s2-exponential-row-1",
        "row 1 with exponential gain",
        THREE,
        ROW_1,
        0.7895959410076381,
        "gain",
        "rank-order",
        reason=f"{EXPONENTIAL}; {RANK_COLUMN}",
    ),
    _own(
        "s2-linear-row-1",
        "row 1 with linear gain",
        THREE,
        ROW_1,
        0.8174935137996168,
        "rank-order",
        reason=RANK_COLUMN,
    ),
    _own(
        "s2-exponential-system-2",
        "row 7 with exponential gain",
        THREE,
        ROW_7,
        0.10646464774659968,
        "gain",
        reason=EXPONENTIAL,
    ),
    _own("s2-linear-system-2", "row 7 with linear gain", THREE, ROW_7, 0.2100019957539641),
)

# part 3: the data-frame interface

FRAME_QRELS: Qrels = {"0": THREE, "1": TENS, "2": THREE, "3": THREE}
FRAME_RUN: Run = {"0": ROW_1, "1": ROW_2, "2": ROW_2, "3": ROW_7}
PRINTED_NDCG = {"0": 0.817494, "1": 0.777976, "2": 0.817494, "3": 0.210002}


def _printed(qrels: Qrels, run: Run) -> Table:
    """The table as printed, with its six decimals."""
    found = {"0": 2, "1": 2, "2": 2, "3": 1}
    return {
        topic: {f"P@{k}": found[topic] / k for k in (5, 10, 50)}
        | {f"R@{k}": (0.333333, 0.666667)[found[topic] - 1] for k in (5, 10, 50)}
        | {"RR": 1.0}
        | {f"nDCG@{k}": PRINTED_NDCG[topic] for k in (5, 10, 50)}
        for topic in qrels
    }


NDCGS = ("nDCG@5", "nDCG@10", "nDCG@50")
HF_NDCGS = tuple(Expect("hf-evaluate", measure, ("rank-order",), INPUT_ORDER) for measure in NDCGS[:2])
PART_3 = (
    CaseSpec(
        "s2-data-frame-table",
        "the table that the data-frame interface prints, with linear gain",
        FRAME_QRELS,
        {"run.txt": FRAME_RUN},
        ("P@5", "P@10", "P@50", "R@5", "R@10", "R@50", "RR", *NDCGS),
        recorded={"recorded.printed.txt": Recorded(_printed, decimals=6)},
        expect=(
            *(
                Expect("recorded:recorded.printed.txt", measure, ("rank-order",), RANK_COLUMN)
                for measure in NDCGS
            ),
            *HF_NDCGS,
        ),
    ),
    CaseSpec(
        "s2-data-frame-exponential",
        "the same four queries with the interface's own gain, computed by the notebook's functions",
        FRAME_QRELS,
        {"run.txt": FRAME_RUN},
        NDCGS,
        recorded={
            "recorded.notebook.json": Recorded(
                table(
                    nDCG_5=lambda judged, lines: own_ndcg(judged, lines, 5),
                    nDCG_10=lambda judged, lines: own_ndcg(judged, lines, 10),
                    nDCG_50=lambda judged, lines: own_ndcg(judged, lines, 50),
                )
            )
        },
        expect=(
            *(
                Expect(OWN, measure, ("gain", "rank-order"), f"{EXPONENTIAL}; {RANK_COLUMN}")
                for measure in NDCGS
            ),
            *HF_NDCGS,
        ),
    ),
)

CASES = (*ROWS, *QUERIES, *SIX_RELEVANT, *PART_2, *PART_3)
