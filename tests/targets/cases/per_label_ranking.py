"""Minimal cases, one per cause label: which documents are ranked, in what order, and what is relevant.

Each shows its cause and, on its data, no other can explain the numbers; where that cannot be (a reciprocal
rank cannot tell a cutoff of its own from a cut of the ranking) the description says so.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from tests.targets import formulas, labels
from tests.targets.cases.spec import CaseSpec, Expect, Recorded, rows
from tests.targets.plain import Qrels, Row, Run
from tests.targets.rules import Metric, Table, average_precision, table


def case_of(
    label: str,
    description: str,
    qrels: Qrels,
    run: Run,
    measures: tuple[str, ...],
    compute: Callable[[Qrels, Run], Table],
    reason: str,
    under: str = "",
    *,
    also: tuple[Expect, ...] = (),
    tolerance: float | None = None,
    reference: str | None = None,
) -> CaseSpec:
    """A case whose recorded file differs on every measure, for this one reason.

    Args:
        compute: values of the recorded file; under: their axis and value.
        also: mismatches of backends that follow the same convention.
    """
    name = "recorded.tool.json"
    declared = tuple(Expect(f"recorded:{name}", measure, (label,), reason) for measure in measures)
    return CaseSpec(
        f"label-{label}",
        description,
        qrels,
        {"run.txt": run},
        measures,
        reference=reference,
        tolerance=tolerance,
        recorded={name: Recorded(compute, under=under)},
        expect=(*declared, *also),
    )


def one_topic(
    label: str,
    description: str,
    judged: Mapping[str, int],
    lines: list[Row],
    measure: str,
    metric: Metric,
    reason: str,
    under: str = "",
    *,
    also: tuple[Expect, ...] = (),
    tolerance: float | None = None,
) -> CaseSpec:
    """A case of one topic and one measure."""
    compute = table(**{measure.replace("@", "_"): metric})
    return case_of(
        label,
        description,
        {"1": judged},
        {"1": lines},
        (measure,),
        compute,
        reason,
        under,
        also=also,
        tolerance=tolerance,
    )


ELEVEN = [f"d{i:02d}" for i in range(1, 12)]

ORDER = (
    one_topic(
        "tie-breaking",
        "four documents with one score, the relevant one second in ascending order of docno",
        {"d1": 0, "d2": 1, "d3": 0, "d4": 0},
        [Row(doc, rank, "1.0") for rank, doc in enumerate(["d4", "d3", "d2", "d1"], start=1)],
        "RR",
        labels.rr_ties_ascending,
        "ties by ascending docno",
        "ties=docid-asc",
    ),
    one_topic(
        "score-precision",
        "three scores that single precision cannot tell apart",
        {"a": 1, "b": 2, "c": 0},
        [Row("c", 1, "1.00000001"), Row("b", 2, "1.00000002"), Row("a", 3, "1.0")],
        "nDCG@5",
        labels.ndcg_double_precision,
        "scores compared in double precision",
        "score_precision=float64",
    ),
    case_of(
        "rank-order",
        "the rank column and the order of the lines contradict the scores",
        {"1": {"d1": 1, "d2": 0}},
        {"1": [Row("d2", 1, "1.0"), Row("d1", 2, "2.0")]},
        ("RR", "nDCG@5"),
        table(RR=labels.rr_by_rank_column, nDCG_5=labels.ndcg_in_input_order),
        "ordered by the rank column",
        "order=rank-column",
        also=(
            Expect(
                "hf-evaluate", "nDCG@5", ("rank-order",), "HF evaluate takes nDCG from the order of the rows"
            ),
        ),
    ),
    one_topic(
        "depth",
        "relevant documents at ranks 10 and 11, rankings cut at 10",
        dict.fromkeys(ELEVEN, 0) | {"d10": 1, "d11": 1},
        rows(ELEVEN),
        "AP",
        labels.ap_of_first_10,
        "rankings are cut at 10 documents",
        "depth=10",
    ),
)

JUDGEMENTS = (
    one_topic(
        "unjudged-documents",
        "an unjudged document above the relevant one",
        {"d1": 1, "d2": 0},
        rows("x d1 d2"),
        "RR",
        labels.rr_judged_only,
        "unjudged documents are removed from the ranking",
        "unjudged=removed",
    ),
    one_topic(
        "negative-relevance",
        "a document pooled but not judged (-1) that was not retrieved",
        {"n1": 0, "n2": -1, "r1": 1, "r2": 1},
        rows("n1 r1 r2"),
        "bpref",
        labels.bpref_negatives_nonrelevant,
        "a negative grade counts as judged nonrelevant",
        "negatives=nonrelevant",
        also=(
            Expect(
                "hf-evaluate",
                "bpref",
                ("negative-relevance",),
                "trectools counts a negative grade as nonrelevant",
            ),
        ),
    ),
    one_topic(
        "judged-depth",
        "six relevant documents after an unjudged one; only the first five judged ones are read",
        dict.fromkeys(("d1", "d2", "d3", "d4", "d5", "d6"), 1) | {"d7": 0},
        rows("x d1 d2 d3 d4 d5 d6"),
        "bpref",
        labels.bpref_of_first_5_judged,
        "the first five judged documents are looked at",
        "judged_depth=5",
    ),
    one_topic(
        "relevance-level",
        "grade 1 above grade 2, relevant from grade 2 on",
        {"d1": 1, "d2": 2},
        rows("d1 d2"),
        "RR",
        labels.rr_level_2,
        "relevant from grade 2 on",
        "relevance_level=2",
    ),
)

CASES = (
    one_topic(
        "first-result",
        "the first document is left out, and the others move up",
        {"d1": 1, "d2": 1, "d3": 0, "d4": 1, "d5": 1},
        rows("d1 d2 x1 d3 d4 x2"),
        "AP",
        formulas.without_first(average_precision),
        "the first result of every query is skipped",
        "first_result=skipped",
    ),
    *ORDER,
    *JUDGEMENTS,
)
