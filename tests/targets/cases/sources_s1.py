"""Cases from S1, the notebook over relevance vectors."""

from __future__ import annotations

from collections.abc import Sequence

from tests.targets import s1
from tests.targets.cases.spec import CaseSpec, Expect, Published, Recorded, from_grades
from tests.targets.plain import Row, Run
from tests.targets.rules import Judged, table

LAST_ONLY = [0, 0, 0, 1]
GRADED = [4, 4, 3, 0, 0, 1, 3, 3, 3, 0]
OWN = "recorded:recorded.s1.json"


def _grades(judged: Judged, lines: Sequence[Row]) -> list[int]:
    return [judged.get(row.docno, 0) for row in lines]


def _binary(judged: Judged, lines: Sequence[Row]) -> list[int]:
    return [int(grade > 0) for grade in _grades(judged, lines)]


def _case(
    name: str,
    description: str,
    grades: list[int],
    measure: str,
    printed: float,
    *,
    unretrieved: tuple[int, ...] = (),
    causes: tuple[str, ...] = (),
    reason: str = "",
    reference: str | None = None,
) -> CaseSpec:
    judged, lines = from_grades(grades, unretrieved)
    run: Run = {"1": lines}
    return CaseSpec(
        name,
        description,
        {"1": judged},
        {"run.txt": run},
        (measure,),
        reference=reference,
        published=Published({measure: printed}, "S1, notebook over relevance vectors"),
        expect=(Expect("published", measure, causes, reason),) if causes else (),
    )


def _short_list() -> CaseSpec:
    judged, lines = from_grades(LAST_ONLY)
    reason = "S1 divides by the length of a list that is shorter than k"
    return CaseSpec(
        "s1-precision-short-list",
        "S1's precision_at_k on four documents, asked for 5 and 10: it divides by 4",
        {"1": judged},
        {"run.txt": {"1": lines}},
        ("P@5", "P@10"),
        recorded={
            "recorded.s1.json": Recorded(
                table(
                    P_5=lambda judged, lines: s1.precision_at_k(_binary(judged, lines), 5),
                    P_10=lambda judged, lines: s1.precision_at_k(_binary(judged, lines), 10),
                )
            )
        },
        expect=tuple(Expect(OWN, measure, ("precision-denominator",), reason) for measure in ("P@5", "P@10")),
    )


def _unretrieved() -> CaseSpec:
    first, second = from_grades([1, 0, 2], [3], prefix="a"), from_grades([0, 2, 0, 1, 3], [2, 1], prefix="b")
    return CaseSpec(
        "s1-unretrieved-relevant",
        "S1's average_precision and ndcg_at_k know only the list: relevant documents outside it vanish",
        {"1": first[0], "2": second[0]},
        {"run.txt": {"1": first[1], "2": second[1]}},
        ("AP", "nDCG@5"),
        recorded={
            "recorded.s1.json": Recorded(
                table(
                    AP=lambda judged, lines: s1.average_precision(_binary(judged, lines)),
                    nDCG_5=lambda judged, lines: s1.ndcg_at_k(_grades(judged, lines), 5),
                )
            )
        },
        expect=(
            Expect(OWN, "AP", ("ap-denominator",), "S1 divides by the relevant documents in the list"),
            Expect(
                OWN,
                "nDCG@5",
                ("discount", "ideal-ranking"),
                "S1 divides by log2(max(i, 2)), and its ideal list is the retrieved list, sorted",
            ),
        ),
    )


CASES = (
    _case("s1-precision", "precision of [0, 0, 0, 1]", LAST_ONLY, "SetP", 0.25),
    _case("s1-precision-at-k", "precision at 1 of [0, 0, 0, 1]", LAST_ONLY, "P@1", 0.0),
    _short_list(),
    _case(
        "s1-recall-at-k",
        "recall at 1 of [0, 0, 0, 1] with four relevant documents",
        LAST_ONLY,
        "R@1",
        0.0,
        unretrieved=(1, 1, 1),
    ),
    _case(
        "s1-average-precision",
        "average precision of [0, 1, 0, 1, 1, 1, 1]: everything relevant is in the list",
        [0, 1, 0, 1, 1, 1, 1],
        "AP",
        0.5961904761904762,
    ),
    _case(
        "s1-dcg-at-k",
        "DCG at 6 of [4, 4, 3, 0, 0, 1, 3, 3, 3, 0] with ranks 1 and 2 undiscounted",
        GRADED,
        "DCG@6",
        10.279642067948915,
        causes=("discount",),
        reason="S1 divides by log2(max(i, 2)) where trec_eval divides by log2(i + 1)",
        reference="native:trec_eval-10",
    ),
    _case(
        "s1-ndcg-at-k",
        "nDCG at 6 of the same list: it holds everything judged, so its own ideal list is trec_eval's",
        GRADED,
        "nDCG@6",
        0.7424602308163405,
        causes=("discount",),
        reason="S1 divides by log2(max(i, 2)) where trec_eval divides by log2(i + 1)",
    ),
    _unretrieved(),
)
