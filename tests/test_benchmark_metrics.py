"""Claims about crosscheck.benchmark_metrics: every rule and example of its specification."""

from __future__ import annotations

import doctest
import math
import subprocess
import sys
import time
from dataclasses import fields, is_dataclass
from string import ascii_uppercase
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crosscheck import benchmark_metrics, vectors
from crosscheck.benchmark_metrics import IRMetrics, MetricsCalculator, ReportAggregator
from crosscheck.errors import ArgumentError

RETRIEVED = list("ABCDEFGHIJ")
EXPECTED = ["A", "C", "F", "K"]

ids = st.sampled_from(ascii_uppercase)


def metrics(precision_at_3: float = 0.0, precision_at_5: float = 0.0, mrr: float = 0.0) -> IRMetrics:
    return IRMetrics(precision_at_3, precision_at_5, recall_at_10=0.5, mrr=mrr)


def test_record_has_the_specified_fields_and_defaults() -> None:
    """Four required floats, then nDCG None, hits 0 and 0, first position None."""
    assert is_dataclass(IRMetrics)
    assert [field.name for field in fields(IRMetrics)] == [
        "precision_at_3",
        "precision_at_5",
        "recall_at_10",
        "mrr",
        "ndcg_at_10",
        "hits_in_top_3",
        "hits_in_top_5",
        "first_relevant_position",
    ]
    record = IRMetrics(precision_at_3=0.1, precision_at_5=0.2, recall_at_10=0.3, mrr=0.4)
    assert (record.ndcg_at_10, record.hits_in_top_3, record.hits_in_top_5) == (None, 0, 0)
    assert record.first_relevant_position is None


def test_the_worked_example() -> None:
    """A..J retrieved with A, C, F, K expected gives the specified eight values."""
    assert MetricsCalculator.calculate_all(RETRIEVED, EXPECTED) == IRMetrics(
        precision_at_3=2 / 3,
        precision_at_5=2 / 5,
        recall_at_10=3 / 4,
        mrr=1.0,
        ndcg_at_10=None,
        hits_in_top_3=2,
        hits_in_top_5=2,
        first_relevant_position=1,
    )


def test_precision_always_divides_by_k() -> None:
    """Two retrieved ids at k = 5 with one hit give 0.2, not 0.5."""
    assert MetricsCalculator.precision_at_k(["A", "B"], ["A"], 5) == 0.2


def test_a_retrieved_duplicate_counts_each_time() -> None:
    """["A", "A", "B"] with A expected has P@3 = 2/3 and two hits."""
    assert MetricsCalculator.precision_at_k(["A", "A", "B"], ["A"], 3) == 2 / 3
    assert MetricsCalculator.count_hits(["A", "A", "B"], ["A"]) == 2


def test_a_retrieved_duplicate_never_lifts_recall_or_ndcg_above_one() -> None:
    """Recall and nDCG count expected ids, so a repeated one counts once."""
    assert MetricsCalculator.recall_at_k(["A", "A", "B"], ["A"], 3) == 1.0
    assert MetricsCalculator.ndcg_at_k(["A", "A", "B"], ["A"], 3) == 1.0


def test_an_expected_duplicate_counts_once() -> None:
    """Expecting A twice is expecting A."""
    assert MetricsCalculator.recall_at_k(["A"], ["A", "A"], 10) == 1.0
    assert MetricsCalculator.precision_at_k(["A"], ["A", "A"], 1) == 1.0


def test_ids_are_case_sensitive() -> None:
    """a is not A, and a trailing blank makes another id."""
    assert MetricsCalculator.count_hits(["a", "A "], ["A"]) == 0
    assert MetricsCalculator.mrr(["a"], ["A"]) == 0.0


@pytest.mark.parametrize(("retrieved", "expected"), [([], ["A"]), (["A"], []), ([], [])])
def test_empty_lists_give_zero(retrieved: list[str], expected: list[str]) -> None:
    """Nothing retrieved or nothing expected is 0.0 everywhere, with no first position."""
    found = MetricsCalculator.calculate_all(retrieved, expected, include_ndcg=True)
    assert found == IRMetrics(0.0, 0.0, 0.0, 0.0, ndcg_at_10=0.0)
    assert MetricsCalculator.precision_at_k(retrieved, expected, 3) == 0.0
    assert MetricsCalculator.recall_at_k(retrieved, expected, 3) == 0.0
    assert MetricsCalculator.mrr(retrieved, expected) == 0.0


def test_recall_is_cut_at_k() -> None:
    """F at rank 6 is outside R@5 and inside R@6."""
    assert MetricsCalculator.recall_at_k(RETRIEVED, EXPECTED, 5) == 2 / 4
    assert MetricsCalculator.recall_at_k(RETRIEVED, EXPECTED, 6) == 3 / 4


def test_recall_at_10_ignores_rank_11() -> None:
    """An expected id at rank 11 is found by mrr, not by recall_at_10."""
    found = MetricsCalculator.calculate_all([*RETRIEVED, "K"], ["K"])
    assert (found.recall_at_10, found.mrr, found.first_relevant_position) == (0.0, 1 / 11, 11)


def test_mrr_uses_the_first_expected_id() -> None:
    """Hits at ranks 3 and 6 give 1/3."""
    assert MetricsCalculator.mrr(RETRIEVED, ["F", "C"]) == 1 / 3


def test_mrr_is_zero_without_a_hit() -> None:
    """No expected id retrieved: 0.0, position None."""
    assert MetricsCalculator.mrr(RETRIEVED, ["Z"]) == 0.0
    assert MetricsCalculator.first_relevant_position(RETRIEVED, ["Z"]) is None


def test_first_position_is_one_based() -> None:
    """The first place is 1."""
    assert MetricsCalculator.first_relevant_position(RETRIEVED, ["A"]) == 1
    assert MetricsCalculator.first_relevant_position(RETRIEVED, ["J", "D"]) == 4


def test_hits_in_top_3_and_5_differ() -> None:
    """A hit at rank 5 counts in the top 5 only."""
    found = MetricsCalculator.calculate_all(RETRIEVED, ["B", "E"])
    assert (found.hits_in_top_3, found.hits_in_top_5) == (1, 2)
    assert (found.precision_at_3, found.precision_at_5) == (1 / 3, 2 / 5)


def test_hits_are_counted_over_the_whole_list() -> None:
    """count_hits has no cutoff."""
    assert MetricsCalculator.count_hits(RETRIEVED, EXPECTED) == 3


def test_ndcg_is_filled_only_when_asked_for() -> None:
    """None without include_ndcg, the binary nDCG at 10 with it."""
    assert MetricsCalculator.calculate_all(RETRIEVED, EXPECTED).ndcg_at_10 is None
    gain = 1 / math.log2(2) + 1 / math.log2(4) + 1 / math.log2(7)
    best = 1 / math.log2(2) + 1 / math.log2(3) + 1 / math.log2(4) + 1 / math.log2(5)
    found = MetricsCalculator.calculate_all(RETRIEVED, EXPECTED, include_ndcg=True)
    assert found.ndcg_at_10 == gain / best


def test_ndcg_ideal_is_cut_at_k() -> None:
    """Twelve expected ids, ten retrieved at the top: nDCG@10 is 1."""
    assert MetricsCalculator.ndcg_at_k(RETRIEVED, [*RETRIEVED, "K", "L"], 10) == 1.0


@pytest.mark.parametrize("k", [0, -3])
def test_a_cutoff_below_one_is_an_error(k: int) -> None:
    """There is no P@0: a ValueError says so, for every function with a cutoff."""
    for function in (
        MetricsCalculator.precision_at_k,
        MetricsCalculator.recall_at_k,
        MetricsCalculator.ndcg_at_k,
    ):
        with pytest.raises(ValueError, match="at least 1"):
            function(["A"], ["A"], k)


def test_expected_may_be_any_iterable() -> None:
    """A set, a tuple or a generator of expected ids gives the same numbers as a list."""
    reference = MetricsCalculator.calculate_all(RETRIEVED, EXPECTED, include_ndcg=True)
    for expected in (set(EXPECTED), tuple(EXPECTED), (docno for docno in EXPECTED)):
        assert MetricsCalculator.calculate_all(RETRIEVED, expected, include_ndcg=True) == reference


@given(st.lists(ids, unique=True), st.lists(ids, unique=True))
def test_agrees_with_the_list_functions(retrieved: list[str], expected: list[str]) -> None:
    """Every metric equals the list function of crosscheck.vectors under trec_eval's conventions."""
    rel = vectors.relevance_vector(retrieved, dict.fromkeys(expected, 1))
    found = MetricsCalculator.calculate_all(retrieved, expected, include_ndcg=True)
    assert found.precision_at_3 == vectors.precision_at_k(rel, 3)
    assert found.precision_at_5 == vectors.precision_at_k(rel, 5)
    assert found.recall_at_10 == vectors.recall_at_k(rel, len(expected), 10)
    assert found.mrr == vectors.reciprocal_rank(rel)
    assert found.ndcg_at_10 == vectors.ndcg(rel, 10, judged=[1] * len(expected))


@given(st.lists(ids), st.lists(ids))
def test_every_metric_stays_between_zero_and_one(retrieved: list[str], expected: list[str]) -> None:
    """Duplicates on either side never push a metric out of [0, 1]."""
    found = MetricsCalculator.calculate_all(retrieved, expected, include_ndcg=True)
    assert found.ndcg_at_10 is not None
    for value in (found.precision_at_3, found.precision_at_5, found.recall_at_10, found.mrr):
        assert 0.0 <= value <= 1.0
    assert 0.0 <= found.ndcg_at_10 <= 1.0 + 2**-52


def test_aggregate_has_the_specified_keys_and_means() -> None:
    """Means of four metrics and medians of two, under exactly the specified keys."""
    found = ReportAggregator.aggregate_metrics(
        [metrics(1.0, 0.4, 1.0), metrics(0.0, 0.2, 0.5), metrics(1 / 3, 0.0, 0.0)]
    )
    assert found == {
        "precision@3": (1.0 + 0.0 + 1 / 3) / 3,
        "precision@5": 0.2,
        "recall@10": 0.5,
        "mrr": 0.5,
        "median_precision@3": 1 / 3,
        "median_mrr": 0.5,
    }


def test_results_may_come_from_a_generator_and_by_their_name() -> None:
    """Every number counts every result, and a mean is the correctly rounded one."""
    found = ReportAggregator.aggregate_metrics(results=(metrics(mrr=value) for value in (0.1, 0.1, 0.1)))
    assert (found["mrr"], found["median_mrr"]) == (0.1, 0.1)
    assert sum([0.1] * 3) / 3 != 0.1


def test_metrics_can_be_changed() -> None:
    """As those of the specification, which are no frozen records."""
    found = metrics(mrr=0.5)
    found.ndcg_at_10 = 0.25
    assert found.ndcg_at_10 == 0.25


def test_examples_of_docstrings() -> None:
    """Each public method has one, and each is right."""
    assert doctest.testmod(benchmark_metrics).failed == 0
    for of in (MetricsCalculator, ReportAggregator):
        assert all(">>>" in (method.__doc__ or "") for name, method in vars(of).items() if name[0] != "_")


def test_median_of_an_even_number_is_the_middle_mean() -> None:
    """Four values: the mean of the second and the third, whatever their order."""
    found = ReportAggregator.aggregate_metrics([metrics(mrr=v) for v in (1.0, 0.0, 0.5, 0.25)])
    assert found["median_mrr"] == 0.375


def test_aggregating_nothing_gives_zeros() -> None:
    """No queries: every key, every value 0.0."""
    found = ReportAggregator.aggregate_metrics([])
    assert set(found.values()) == {0.0}
    assert len(found) == 6


def test_group_by_category_averages_one_field() -> None:
    """Mean per category, in order of first appearance, under either spelling of the field."""
    results: list[dict[str, Any]] = [
        {"category": "law", "metrics": {"precision_at_3": 1.0}},
        {"category": "art", "metrics": {"precision_at_3": 0.25}},
        {"category": "law", "metrics": {"precision_at_3": 0.5}},
    ]
    assert ReportAggregator.group_by_category(results, "precision_at_3") == {"law": 0.75, "art": 0.25}
    assert ReportAggregator.group_by_category(results, "precision@3") == {"law": 0.75, "art": 0.25}
    assert list(ReportAggregator.group_by_category(results, "precision_at_3")) == ["law", "art"]


def test_group_by_difficulty_counts_and_averages() -> None:
    """Count, P@3, P@5 and RR per difficulty, from mappings or IRMetrics records."""
    results: list[dict[str, Any]] = [
        {"difficulty": "easy", "metrics": {"precision@3": 1.0, "precision@5": 0.6, "mrr": 1.0}},
        {"difficulty": "hard", "metrics": metrics(1 / 3, 0.2, 0.25)},
        {"difficulty": "easy", "metrics": metrics(0.0, 0.2, 0.5)},
    ]
    assert ReportAggregator.group_by_difficulty(results) == {
        "easy": {"count": 2, "precision@3": 0.5, "precision@5": 0.4, "mrr": 0.75},
        "hard": {"count": 1, "precision@3": 1 / 3, "precision@5": 0.2, "mrr": 0.25},
    }


def test_grouping_nothing_gives_no_groups() -> None:
    """Without results there are no groups, not groups of zeros."""
    assert ReportAggregator.group_by_category([], "mrr") == {}
    assert ReportAggregator.group_by_difficulty([]) == {}


def test_a_missing_group_or_metric_is_an_error() -> None:
    """An absent metric is not 0.0: the message names the field and those that there are."""
    with pytest.raises(ArgumentError, match="detailed result 1 has no 'category'"):
        ReportAggregator.group_by_category([{"metrics": {"mrr": 1.0}}], "mrr")
    with pytest.raises(ArgumentError, match=r"(?s)'ndcg_at_10'.*'mrr'"):
        ReportAggregator.group_by_category([{"category": "x", "metrics": {"mrr": 1.0}}], "ndcg_at_10")
    with pytest.raises(ArgumentError, match="ndcg_at_10"):
        ReportAggregator.group_by_category([{"category": "x", "metrics": metrics()}], "ndcg_at_10")
    with pytest.raises(ArgumentError, match="precision@5"):
        ReportAggregator.group_by_difficulty([{"difficulty": "x", "metrics": {"precision@3": 1.0}}])


def test_importing_it_imports_nothing_heavy() -> None:
    """Only the standard library and crosscheck itself are loaded."""
    code = (
        "import sys, crosscheck.benchmark_metrics as _;"
        "heavy = ('numpy', 'pandas', 'scipy', 'ir_measures', 'click', 'rich');"
        "sys.exit(any(name in sys.modules for name in heavy))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_one_query_takes_less_than_a_millisecond() -> None:
    """A thousand retrieved and a hundred expected ids: under 1 ms per query, best of five rounds."""
    retrieved = [f"d{number}" for number in range(1000)]
    expected = [f"d{number}" for number in range(0, 5000, 50)]

    def seconds_per_query() -> float:
        start = time.perf_counter()
        for _ in range(100):
            MetricsCalculator.calculate_all(retrieved, expected, include_ndcg=True)
        return (time.perf_counter() - start) / 100

    assert min(seconds_per_query() for _ in range(5)) < 1e-3


def test_cost_grows_with_the_input_not_with_its_square() -> None:
    """Thirty-two times the input takes far less than 32 squared times the time."""

    def seconds(size: int) -> float:
        retrieved, expected = list(range(size)), list(range(size, 2 * size))
        start = time.perf_counter()
        MetricsCalculator.calculate_all(retrieved, expected, include_ndcg=True)
        return time.perf_counter() - start

    small = min(seconds(2_000) for _ in range(5))
    large = min(seconds(64_000) for _ in range(5))
    assert large < 200 * small
