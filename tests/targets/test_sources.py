"""The five systems print what their documents print, so that they can be trusted as oracles."""

from __future__ import annotations

import math

import pytest

from tests.targets import s1, s2, s3, s4, s5

GRADED = [4, 4, 3, 0, 0, 1, 3, 3, 3, 0]
THREE = {"doc_1": 3, "doc_2": 2, "doc_3": 1}
SIX = {f"doc_{i}": grade for i, grade in enumerate([3, 2, 1, 3, 2, 1], start=1)}
CASE_1 = ["doc_2", "doc_1", "doc_10", "doc_11", "doc_12"]


def printed(value: float) -> object:
    """A number that a document prints in full."""
    return pytest.approx(value, rel=0, abs=1e-12)


class TestS1:
    def test_printed_numbers(self) -> None:
        """Every number of the notebook comes out."""
        assert s1.precision([0, 0, 0, 1]) == 0.25
        assert s1.precision_at_k([0, 0, 0, 1], 1) == 0.0
        assert s1.recall_at_k([0, 0, 0, 1], 4, 1) == 0.0
        assert s1.average_precision([0, 1, 0, 1, 1, 1, 1]) == printed(0.5961904761904762)
        assert s1.dcg_at_k(GRADED, 6) == printed(10.279642067948915)
        assert s1.ndcg_at_k(GRADED, 6) == printed(0.7424602308163405)

    def test_precision_at_k_divides_by_what_is_there(self) -> None:
        """A list shorter than k is divided by its length."""
        assert s1.precision_at_k([0, 0, 0, 1], 10) == 0.25

    def test_precision_at_k_refuses_k_below_one(self) -> None:
        """k = 0 raises ValueError."""
        with pytest.raises(ValueError, match="positive"):
            s1.precision_at_k([1], 0)

    def test_empty_inputs_give_zero(self) -> None:
        """Empty lists, no relevant documents and no lists at all give 0.0."""
        assert s1.precision([]) == s1.precision_at_k([], 5) == s1.average_precision([]) == 0.0
        assert s1.recall_at_k([1], 0, 5) == s1.mean_average_precision([]) == s1.ndcg_at_k([0, 0], 5) == 0.0

    def test_mean_average_precision(self) -> None:
        """Every list has the same weight."""
        assert s1.mean_average_precision([[1], [0, 1], [0]]) == printed((1 + 0.5 + 0) / 3)


class TestS2:
    """All numbers to the last bit: it takes ``math.log(x, 2)``, as the notebook does."""

    @staticmethod
    def ndcg(
        ranking: list[str], grades: dict[str, int], k: int | None = None, *, linear: bool = False
    ) -> float:
        ideal = s2.idcg(ranking, grades, k, False, linear)
        return s2.dcg(ranking, grades, k, False, linear) / ideal

    def test_exponential_gain_is_the_default(self) -> None:
        """The three printed numbers with gain 2^grade - 1 come out without saying so."""
        assert self.ndcg(list("ABCDE"), {"A": 2, "B": 3, "D": 1, "E": 2}) == 0.8322420383257692
        assert self.ndcg(CASE_1, THREE) == 0.7895959410076381
        assert self.ndcg(["doc_3"], THREE) == 0.10646464774659968

    def test_linear_gain(self) -> None:
        """The printed numbers with the grade itself as gain come out."""
        assert self.ndcg(CASE_1, THREE, linear=True) == 0.8174935137996168
        assert self.ndcg(["doc_3"], THREE, linear=True) == 0.2100019957539641

    def test_six_relevant_documents(self) -> None:
        """The numbers that the notebook prints beside HF evaluate's."""
        ranking = ["doc_1", "A", "B", "C", "D"]
        assert self.ndcg(ranking, SIX, 5, linear=True) == 0.4201095117220563
        assert self.ndcg(ranking, SIX, 10, linear=True) == 0.40014926254662797
        ranking[4] = "doc_3"
        assert self.ndcg(ranking, SIX, 5, linear=True) == 0.47428302637392633
        assert self.ndcg(ranking, SIX, 10, linear=True) == 0.45174888438962624

    def test_debug_prints_a_line_per_document(self, capsys: pytest.CaptureFixture[str]) -> None:
        """Document, rank and term; nothing without it."""
        s2.dcg(["A", "x"], {"A": 2})
        s2.idcg(["A", "x"], {"A": 2}, debug=False)
        assert capsys.readouterr().out == "A 1 3.0\nx 2 0.0\n"

    def test_a_document_twice(self) -> None:
        """Precision and recall count it once, DCG twice."""
        assert s2.precisao_recall(["a", "a"], ["a", "b"]) == (0.5, 0.5)
        assert s2.dcg(["a", "a"], {"a": 1}, debug=False) == 1 + 1 / math.log(3, 2)

    def test_table_of_the_data_frame_interface(self) -> None:
        """The 48 printed numbers come out with their six decimals."""
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
        names = [f"{name}@{k}" for name in ("P", "R", "MRR", "nDCG") for k in (5, 10, 50)]
        assert list(table.columns) == ["QUERY_KEY", *names]
        for k, precision in ((5, 0.4), (10, 0.2), (50, 0.04)):
            assert table[f"P@{k}"].tolist() == [precision] * 3 + [precision / 2]
            assert table[f"R@{k}"].tolist() == [0.666667] * 3 + [0.333333]
            assert table[f"MRR@{k}"].tolist() == [1.0] * 4
            assert table[f"nDCG@{k}"].tolist() == [0.817494, 0.777976, 0.817494, 0.210002]

    def test_data_frame_interface_with_other_names_and_gaps(self) -> None:
        """Columns can be renamed; a judged query without results counts as 0, one without a grade above 0
        has no row, and a query that only the results have is ignored."""
        pd = pytest.importorskip("pandas")
        results = pd.DataFrame({"topic": [2, 1, 1, 9], "doc": ["x", "b", "a", "a"], "place": [1, 2, 1, 1]})
        qrels = pd.DataFrame({"t": [1, 1, 2, 3, 4], "d": ["b", "c", "y", "z", "a"], "grade": [1, 2, 1, 1, 0]})
        table = s2.metricas(results, qrels, "topic", "doc", "place", "t", "d", "grade", [1, 2])
        assert table["QUERY_KEY"].tolist() == [1, 2, 3]
        assert table["P@2"].tolist() == [0.5, 0.0, 0.0]
        assert table["P@1"].tolist() == [0.0, 0.0, 0.0]
        assert table.describe()["MRR@2"]["mean"] == 0.5 / 3


class TestS3:
    def test_printed_numbers(self) -> None:
        """Every number of the notebook comes out."""
        assert s3.average_precision([1, 1, 0, 0, 0, 0, 0, 0, 0, 0], 5) == printed(0.4)
        assert s3.average_precision([0, 1, 0, 0, 1, 0, 0, 0, 0, 1], 5) == printed(0.24)
        assert s3.dcg([3, 2, 1, 1, 3, 1, 1, 2, 1]) == printed(11.869906908688476)
        assert s3.ndcg([3, 2, 1, 1, 3, 1, 1, 2, 1]) == printed(0.5902216528493285)

    def test_set_measures(self) -> None:
        """Precision, recall and F of a set; a larger beta pulls F towards recall."""
        retrieved, relevant = {"a", "b"}, {"b", "c", "d", "e"}
        assert s3.precision(retrieved, relevant) == 0.5
        assert s3.recall(retrieved, relevant) == 0.25
        assert s3.f_beta(0.5, 0.25) == printed(1 / 3)
        assert s3.f_beta(0.5, 0.25, beta=2.0) == printed(5 * 0.125 / 2.25)


class TestS4:
    def test_example_of_the_specification(self) -> None:
        """A to J retrieved, A, C, F and K expected."""
        found = s4.MetricsCalculator.calculate_all(list("ABCDEFGHIJ"), list("ACFK"))
        assert (found.precision_at_3, found.precision_at_5) == (2 / 3, 2 / 5)
        assert (found.recall_at_10, found.mrr, found.first_relevant_position) == (3 / 4, 1.0, 1)
        assert (found.hits_in_top_3, found.hits_in_top_5) == (2, 2)

    def test_rules(self) -> None:
        """k divides always, duplicates in the ranking count each time, ids are case-sensitive."""
        calculator = s4.MetricsCalculator
        assert calculator.precision_at_k(["A", "B"], ["A"], 5) == 0.2
        assert calculator.precision_at_k(["A", "A", "B"], ["A"], 3) == 2 / 3
        assert calculator.recall_at_k(["A"], ["A", "A", "B"], 10) == 0.5
        assert calculator.mrr(["a"], ["A"]) == 0.0
        assert calculator.calculate_all([], []) == s4.IRMetrics(0.0, 0.0, 0.0, 0.0)

    def test_ndcg_is_binary(self) -> None:
        """Gains are 1, discounted by log2(i + 1), against as many relevant documents as fit."""
        found = s4.MetricsCalculator.ndcg_at_k(["x", "A"], ["A", "B"], 10)
        assert found == printed(0.38685280723454163)

    def test_aggregates(self) -> None:
        """Means, medians and the two groupings."""
        metrics = [
            s4.IRMetrics(1.0, 0.6, 0.5, 1.0),
            s4.IRMetrics(0.0, 0.2, 0.1, 0.0),
            s4.IRMetrics(0.5, 0.1, 0.0, 0.2),
        ]
        total = s4.ReportAggregator.aggregate_metrics(metrics)
        assert (total["precision@3"], total["median_precision@3"], total["median_mrr"]) == (0.5, 0.5, 0.2)
        detailed = [
            {
                "category": "a",
                "difficulty": "easy",
                "metrics": {"precision_at_3": 1.0, "precision_at_5": 0.6, "mrr": 1.0},
            },
            {
                "category": "a",
                "difficulty": "hard",
                "metrics": {"precision_at_3": 0.0, "precision_at_5": 0.2, "mrr": 0.5},
            },
        ]
        assert s4.ReportAggregator.group_by_category(detailed, "mrr") == {"a": 0.75}
        assert s4.ReportAggregator.group_by_difficulty(detailed)["hard"] == {
            "count": 1,
            "precision@3": 0.0,
            "precision@5": 0.2,
            "mrr": 0.5,
        }


class TestS5:
    def test_ranked_measures(self) -> None:
        """An unretrieved relevant document counts 0 in AP and is missing from recall."""
        ranking, relevant = list("xaybz"), {"a", "b", "c"}
        assert s5.precision_at_k(ranking, relevant, 5) == 0.4
        assert s5.recall_at_k(ranking, relevant, 5) == printed(2 / 3)
        assert s5.average_precision(ranking, relevant) == printed((1 / 2 + 2 / 4) / 3)
        assert s5.reciprocal_rank(ranking, relevant) == 0.5

    def test_dcg_is_jarvelins(self) -> None:
        """Ranks 1 and 2 are undiscounted, rank 4 is halved."""
        assert s5.dcg([3, 2, 0, 1]) == 3 + 2 + 0.5
        assert s5.ndcg(["b", "a"], {"a": 3, "b": 2}) == 1.0

    def test_sign_test(self) -> None:
        """Eight of nine in favour: p = 2 (1 + 9) / 512; equal queries do not count."""
        first, second = [1.0] * 8 + [0.0, 0.5], [0.0] * 8 + [1.0, 0.5]
        assert s5.sign_test(first, second) == printed(20 / 512)
        assert s5.sign_test([0.5], [0.5]) == 1.0

    def test_wilcoxon_signed_rank_test(self) -> None:
        """Differences 1, 2, 3, -4, 5: 7 of the 32 sign patterns have a rank sum of at most 4 on one side."""
        assert s5.wilcoxon_signed_rank_test([1, 2, 3, 0, 5], [0, 0, 0, 4, 0]) == printed(2 * 7 / 32)

    def test_wilcoxon_shares_ranks(self) -> None:
        """Equal sizes share their mean rank: with sizes 1, 1, one against the other is no evidence."""
        assert s5.wilcoxon_signed_rank_test([1, 0], [0, 1]) == 1.0

    @pytest.mark.parametrize(
        ("n", "t"), [(2, 12.706204736), (5, 2.776445105), (10, 2.262157163), (31, 2.042272456)]
    )
    def test_paired_t_test_at_the_table_values(self, n: int, t: float) -> None:
        """At the tabulated critical t the p-value is 0.05."""
        spread = [1.0 if i % 2 else -1.0 for i in range(n - n % 2)] + [0.0] * (n % 2)
        deviation = (sum(x * x for x in spread) / (n - 1)) ** 0.5
        centre = t * deviation / n**0.5
        found, p = s5.paired_t_test([x + centre for x in spread], [0.0] * n)
        assert found == pytest.approx(t, rel=1e-12)
        assert p == pytest.approx(0.05, abs=1e-9)

    def test_paired_t_test_without_spread(self) -> None:
        """Equal systems give t = 0, p = 1; the same difference everywhere an infinite t, p = 0."""
        assert s5.paired_t_test([0.5, 0.25], [0.5, 0.25]) == (0.0, 1.0)
        assert s5.paired_t_test([1.0, 0.75], [0.5, 0.25]) == (float("inf"), 0.0)

    def test_cohens_kappa(self) -> None:
        """The worked example of 50 grants: P(A) = 0.7, P(E) = 0.5, so kappa = 0.4."""
        first = [1] * 20 + [1] * 5 + [0] * 10 + [0] * 15
        second = [1] * 20 + [0] * 5 + [1] * 10 + [0] * 15
        assert s5.cohens_kappa(first, second) == printed(0.4)

    def test_kappa_reading(self) -> None:
        """1 is total agreement, 0 chance, below 0 worse than chance."""
        assert s5.kappa_reading(s5.cohens_kappa([0, 1], [0, 1])) == "total agreement"
        assert s5.kappa_reading(s5.cohens_kappa([0, 0, 1, 1], [0, 1, 0, 1])) == "chance agreement"
        assert s5.kappa_reading(s5.cohens_kappa([0, 1], [1, 0])) == "worse than chance"

    def test_pool(self) -> None:
        """The first k of every system, each document once."""
        assert s5.pool([list("abc"), list("bd")], 2) == {"a", "b", "d"}
