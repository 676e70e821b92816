"""Cases from S3 (short formulas), S4 (a metrics calculator) and S5 (course notes)."""

from __future__ import annotations

from collections.abc import Sequence

from tests.targets import s3, s5
from tests.targets.cases.spec import CaseSpec, Expect, Published, Recorded, from_grades, rows
from tests.targets.plain import Row
from tests.targets.rules import Judged, ranking, table

S3 = "S3, notebook of short formulas"
S4 = "S4, specification of a metrics calculator"
GRADED = [3, 2, 1, 1, 3, 1, 1, 2, 1]


def _list(
    name: str,
    description: str,
    grades: list[int],
    measure: str,
    printed: float,
    *,
    unretrieved: tuple[int, ...] = (),
    expect: tuple[Expect, ...] = (),
    reference: str | None = None,
) -> CaseSpec:
    judged, lines = from_grades(grades, unretrieved)
    return CaseSpec(
        name,
        description,
        {"1": judged},
        {"run.txt": {"1": lines}},
        (measure,),
        reference=reference,
        published=Published({measure: printed}, S3),
        expect=expect,
    )


def _relevant(judged: Judged) -> set[str]:
    return {doc for doc, grade in judged.items() if grade > 0}


def _retrieved(lines: Sequence[Row]) -> set[str]:
    return {row.docno for row in lines}


def _set_f(judged: Judged, lines: Sequence[Row]) -> float:
    retrieved, relevant = _retrieved(lines), _relevant(judged)
    return s3.f_beta(s3.precision(retrieved, relevant), s3.recall(retrieved, relevant))


SHORT_FORMULAS = (
    _list(
        "s3-average-precision-top",
        "average precision of two relevant documents at the top, five relevant in all",
        [1, 1, 0, 0, 0, 0, 0, 0, 0, 0],
        "AP",
        0.4,
        unretrieved=(1, 1, 1),
    ),
    _list(
        "s3-average-precision-spread",
        "average precision of relevant documents at ranks 2, 5 and 10, five relevant in all",
        [0, 1, 0, 0, 1, 0, 0, 0, 0, 1],
        "AP",
        0.24,
        unretrieved=(1, 1),
    ),
    _list(
        "s3-dcg",
        "DCG with the first rank undiscounted and the natural logarithm of the rank from rank 2 on",
        GRADED,
        "DCG",
        11.869906908688476,
        expect=(Expect("published", "DCG", ("discount",), "S3 divides by ln(i) from rank 2 on"),),
        reference="native:trec_eval-10",
    ),
    _list(
        "s3-ndcg",
        "nDCG of the same list against a list that holds grade 3 everywhere",
        GRADED,
        "nDCG",
        0.5902216528493285,
        expect=(
            Expect(
                "published",
                "nDCG",
                ("discount", "ideal-ranking"),
                "S3 divides by ln(i) from rank 2 on, and its ideal list holds the highest grade everywhere",
            ),
        ),
    ),
    CaseSpec(
        "s3-set-measures",
        "precision, recall and F of a retrieved set",
        {"1": {"d1": 1, "d2": 0, "d3": 1, "d4": 0, "d5": 1, "d6": 1, "d7": 1}},
        {"run.txt": {"1": rows("d1 d2 d3 d4 x5")}},
        ("SetP", "SetR", "SetF"),
        recorded={
            "recorded.s3.json": Recorded(
                table(
                    SetP=lambda judged, lines: s3.precision(_retrieved(lines), _relevant(judged)),
                    SetR=lambda judged, lines: s3.recall(_retrieved(lines), _relevant(judged)),
                    SetF=_set_f,
                )
            )
        },
    ),
)

CALCULATOR = (
    CaseSpec(
        "s4-calculator-example",
        "the specification's example: A to J retrieved, A, C, F and K expected",
        {"1": {"A": 1, "C": 1, "F": 1, "K": 1}},
        {"run.txt": {"1": rows("A B C D E F G H I J")}},
        ("P@3", "P@5", "R@10", "RR"),
        published=Published({"P@3": 2 / 3, "P@5": 0.4, "R@10": 0.75, "RR": 1.0}, S4),
    ),
    CaseSpec(
        "s4-short-list",
        "precision at 5 of two retrieved documents is divided by 5",
        {"1": {"A": 1}},
        {"run.txt": {"1": rows("A B")}},
        ("P@5",),
        published=Published({"P@5": 0.2}, S4),
    ),
)

_FIRST = from_grades([0, 1, 0, 0, 1, 0, 0, 1], [1], prefix="a")
_SECOND = from_grades([1, 0, 0, 0, 0, 1], [], prefix="b")
_GAINS = from_grades([0, 2, 3, 0, 1], [3])

COURSE_NOTES = (
    CaseSpec(
        "s5-ranked-measures",
        "P@5, R@5, AP and RR of two queries; a relevant document that was not retrieved counts 0",
        {"1": _FIRST[0], "2": _SECOND[0]},
        {"run.txt": {"1": _FIRST[1], "2": _SECOND[1]}},
        ("P@5", "R@5", "AP", "RR"),
        recorded={
            "recorded.s5.json": Recorded(
                table(
                    P_5=lambda judged, lines: s5.precision_at_k(ranking(lines), _relevant(judged), 5),
                    R_5=lambda judged, lines: s5.recall_at_k(ranking(lines), _relevant(judged), 5),
                    AP=lambda judged, lines: s5.average_precision(ranking(lines), _relevant(judged)),
                    RR=lambda judged, lines: s5.reciprocal_rank(ranking(lines), _relevant(judged)),
                )
            )
        },
    ),
    CaseSpec(
        "s5-dcg",
        "DCG in Järvelin's form",
        {"1": _GAINS[0]},
        {"run.txt": {"1": _GAINS[1]}},
        ("DCG",),
        reference="native:trec_eval-10",
        recorded={
            "recorded.s5.json": Recorded(
                table(DCG=lambda judged, lines: s5.dcg([judged.get(doc, 0) for doc in ranking(lines)]))
            )
        },
        expect=(
            Expect("recorded:recorded.s5.json", "DCG", ("discount",), "S5 divides by log2(i) from rank 2 on"),
        ),
    ),
    CaseSpec(
        "s5-ndcg",
        "nDCG in Järvelin's form, against the best order of all judged documents",
        {"1": _GAINS[0]},
        {"run.txt": {"1": _GAINS[1]}},
        ("nDCG",),
        recorded={
            "recorded.s5.json": Recorded(table(nDCG=lambda judged, lines: s5.ndcg(ranking(lines), judged)))
        },
        expect=(
            Expect(
                "recorded:recorded.s5.json", "nDCG", ("discount",), "S5 divides by log2(i) from rank 2 on"
            ),
        ),
    ),
)

CASES = (*SHORT_FORMULAS, *CALCULATOR, *COURSE_NOTES)
