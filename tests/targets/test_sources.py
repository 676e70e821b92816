"""The five systems print what their documents print, so that they can be trusted as oracles."""

from __future__ import annotations

import pytest

from tests.targets import s1, s2, s3, s4, s5

GRADED = [4, 4, 3, 0, 0, 1, 3, 3, 3, 0]
THREE = {"doc_1": 3, "doc_2": 2, "doc_3": 1}
SIX = {f"doc_{i}": grade for i, grade in enumerate([3, 2, 1, 3, 2, 1], start=1)}
CASE_1 = ["doc_2", "doc_1", "doc_10", "doc_11", "doc_12"]
LETTERS = {"A": 2, "B": 3, "D": 1, "E": 2}
CALCULATOR = s4.MetricsCalculator


def ndcg_of_s2(
    ranking: list[str], grades: dict[str, int], k: int | None = None, *, linear: bool = False
) -> float:
    return s2.dcg(ranking, grades, k, False, linear) / s2.idcg(ranking, grades, k, False, linear)


#: What is computed, and what the document prints.
PRINTED: list[tuple[float, float]] = [
    (s1.precision([0, 0, 0, 1]), 0.25),
    (s1.precision_at_k([0, 0, 0, 1], 1), 0.0),
    (s1.precision_at_k([0, 0, 0, 1], 10), 0.25),  # a list shorter than k is divided by its length
    (s1.recall_at_k([0, 0, 0, 1], 4, 1), 0.0),
    (s1.average_precision([0, 1, 0, 1, 1, 1, 1]), 0.5961904761904762),
    (s1.mean_average_precision([[1], [0, 1], [0]]), (1 + 0.5 + 0) / 3),
    (s1.dcg_at_k(GRADED, 6), 10.279642067948915),
    (s1.ndcg_at_k(GRADED, 6), 0.7424602308163405),
    (s3.average_precision([1, 1, 0, 0, 0, 0, 0, 0, 0, 0], 5), 0.4),
    (s3.average_precision([0, 1, 0, 0, 1, 0, 0, 0, 0, 1], 5), 0.24),
    (s3.dcg([3, 2, 1, 1, 3, 1, 1, 2, 1]), 11.869906908688476),
    (s3.ndcg([3, 2, 1, 1, 3, 1, 1, 2, 1]), 0.5902216528493285),
    (s3.precision({"a", "b"}, {"b", "c", "d", "e"}), 0.5),
    (s3.recall({"a", "b"}, {"b", "c", "d", "e"}), 0.25),
    (s3.f_beta(0.5, 0.25), 1 / 3),
    (s3.f_beta(0.5, 0.25, beta=2.0), 5 * 0.125 / 2.25),
    (CALCULATOR.precision_at_k(list("ABCDEFGHIJ"), list("ACFK"), 3), 2 / 3),
    (CALCULATOR.recall_at_k(list("ABCDEFGHIJ"), list("ACFK"), 10), 3 / 4),
    (CALCULATOR.mrr(list("ABCDEFGHIJ"), list("ACFK")), 1.0),
    (CALCULATOR.precision_at_k(["A", "B"], ["A"], 5), 0.2),
    (CALCULATOR.precision_at_k(["A", "A", "B"], ["A"], 3), 2 / 3),  # each time it stands there
    (CALCULATOR.recall_at_k(["A"], ["A", "A", "B"], 10), 0.5),
    (CALCULATOR.mrr(["a"], ["A"]), 0.0),
    (CALCULATOR.ndcg_at_k(["x", "A"], ["A", "B"], 10) or 0.0, 0.38685280723454163),
    (s5.precision_at_k(list("xaybz"), {"a", "b", "c"}, 5), 0.4),
    (s5.recall_at_k(list("xaybz"), {"a", "b", "c"}, 5), 2 / 3),
    (s5.average_precision(list("xaybz"), {"a", "b", "c"}), (1 / 2 + 2 / 4) / 3),
    (s5.reciprocal_rank(list("xaybz"), {"a", "b", "c"}), 0.5),
    (s5.dcg([3, 2, 0, 1]), 3 + 2 + 0.5),  # ranks 1 and 2 are undiscounted, rank 4 is halved
    (s5.ndcg(["b", "a"], {"a": 3, "b": 2}), 1.0),
]
#: The same of S2, which prints every bit: it takes ``math.log(x, 2)``.
TO_THE_BIT: list[tuple[float, float]] = [
    (ndcg_of_s2(list("ABCDE"), LETTERS), 0.8322420383257692),
    (ndcg_of_s2(CASE_1, THREE), 0.7895959410076381),
    (ndcg_of_s2(["doc_3"], THREE), 0.10646464774659968),
    (ndcg_of_s2(CASE_1, THREE, linear=True), 0.8174935137996168),
    (ndcg_of_s2(["doc_3"], THREE, linear=True), 0.2100019957539641),
    (ndcg_of_s2(["doc_1", *"ABCD"], SIX, 5, linear=True), 0.4201095117220563),
    (ndcg_of_s2(["doc_1", *"ABCD"], SIX, 10, linear=True), 0.40014926254662797),
    (ndcg_of_s2(["doc_1", *"ABC", "doc_3"], SIX, 5, linear=True), 0.47428302637392633),
    (ndcg_of_s2(["doc_1", *"ABC", "doc_3"], SIX, 10, linear=True), 0.45174888438962624),
]


def test_every_printed_number_comes_out() -> None:
    assert [value for value, _ in PRINTED] == pytest.approx(
        [number for _, number in PRINTED], rel=0, abs=1e-12
    )
    assert [value for value, _ in TO_THE_BIT] == [number for _, number in TO_THE_BIT]


def test_table_of_the_data_frame_interface() -> None:
    """The 48 numbers that S2 prints come out with their six decimals; a judged query without results counts
    as 0, one without a grade above 0 has no row, and a query that only the results have is ignored."""
    pd = pytest.importorskip("pandas")
    runs = [CASE_1, ["doc_2", "doc_1"], ["doc_2", "doc_1"], ["doc_3"]]
    grades = [(3, 2, 1), (10, 9, 8), (3, 2, 1), (3, 2, 1)]
    results = pd.DataFrame(
        [(query, doc, rank) for query, run in enumerate(runs) for rank, doc in enumerate(run, start=1)],
        columns=["QUERY_KEY", "DOC_KEY", "RANK"],
    )
    qrels = pd.DataFrame(
        [
            (query, doc, rel)
            for query, rels in enumerate(grades)
            for doc, rel in zip(THREE, rels, strict=True)
        ],
        columns=["QUERY_KEY", "DOC_KEY", "SCORE"],
    )
    table = s2.metricas(results, qrels, aproximacao_trec_eval=True).round(6)
    for k, precision in ((5, 0.4), (10, 0.2), (50, 0.04)):
        assert table[f"P@{k}"].tolist() == [precision] * 3 + [precision / 2]
        assert table[f"R@{k}"].tolist() == [0.666667] * 3 + [0.333333]
        assert table[f"MRR@{k}"].tolist() == [1.0] * 4
        assert table[f"nDCG@{k}"].tolist() == [0.817494, 0.777976, 0.817494, 0.210002]
    results = pd.DataFrame({"topic": [2, 1, 1, 9], "doc": ["x", "b", "a", "a"], "place": [1, 2, 1, 1]})
    qrels = pd.DataFrame({"t": [1, 1, 2, 3, 4], "d": ["b", "c", "y", "z", "a"], "grade": [1, 2, 1, 1, 0]})
    table = s2.metricas(results, qrels, "topic", "doc", "place", "t", "d", "grade", [1, 2])
    assert table["QUERY_KEY"].tolist() == [1, 2, 3]
    assert table["P@2"].tolist() == [0.5, 0.0, 0.0]
