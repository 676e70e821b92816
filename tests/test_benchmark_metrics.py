"""Claims about crosscheck.benchmark_metrics: every rule and example of its specification."""

import math
from dataclasses import astuple, fields
from typing import Any

import pytest

from crosscheck.benchmark_metrics import IRMetrics, MetricsCalculator, ReportAggregator
from crosscheck.errors import ArgumentError
from tests.support.rows import claims, is_true

RETRIEVED = list("ABCDEFGHIJ")
EXPECTED = ["A", "C", "F", "K"]


def metrics(precision_at_3=0.0, precision_at_5=0.0, mrr=0.0):
    return IRMetrics(precision_at_3, precision_at_5, recall_at_10=0.5, mrr=mrr)


def test_record_has_the_specified_fields_and_defaults():
    """Four required floats, then nDCG None, hits 0 and 0, first position None."""
    names = "precision_at_3 precision_at_5 recall_at_10 mrr ndcg_at_10 hits_in_top_3 hits_in_top_5"
    assert [field.name for field in fields(IRMetrics)] == [*names.split(), "first_relevant_position"]
    record = IRMetrics(precision_at_3=0.1, precision_at_5=0.2, recall_at_10=0.3, mrr=0.4)
    assert astuple(record) == (0.1, 0.2, 0.3, 0.4, None, 0, 0, None)
    record.ndcg_at_10 = 0.25  # no frozen record


NAMES: dict[str, Any] = {
    name: getattr(MetricsCalculator, name) for name in dir(MetricsCalculator) if name[0] != "_"
} | {
    **{name: getattr(ReportAggregator, name) for name in vars(ReportAggregator) if name[0] != "_"},
    "metrics": metrics,
    "THREE": [metrics(1.0, 0.4, 1.0), metrics(0.0, 0.2, 0.5), metrics(1 / 3)],
    "LAW": [
        {"category": category, "metrics": {"precision_at_3": value}}
        for category, value in (("law", 1.0), ("art", 0.25), ("law", 0.5))
    ],
    "HARD": [
        {"difficulty": "easy", "metrics": {"precision@3": 1.0, "precision@5": 0.6, "mrr": 1.0}},
        {"difficulty": "hard", "metrics": metrics(1 / 3, 0.2, 0.25)},
        {"difficulty": "easy", "metrics": metrics(0.0, 0.2, 0.5)},
    ],
    "RETRIEVED": RETRIEVED,
    "EXPECTED": EXPECTED,
    "IRMetrics": IRMetrics,
    "log2": math.log2,
    "GAIN": 1 + 1 / math.log2(4) + 1 / math.log2(7),
}


@claims("""
# The worked example of the specification.
calculate_all(RETRIEVED, EXPECTED) == IRMetrics(2 / 3, 2 / 5, 3 / 4, 1.0, None, 2, 2, 1)
# A retrieved duplicate counts each time, but lifts nothing above 1; an expected one counts once.
precision_at_k(["A", "A", "B"], ["A"], 3) == 2 / 3
count_hits(["A", "A", "B"], ["A"]) == 2
recall_at_k(["A", "A", "B"], ["A"], 3) == ndcg_at_k(["A", "A", "B"], ["A"], 3) == 1.0
# Ids are compared as they are.
count_hits(["a", "A "], ["A"]) == 0
mrr(["a"], ["A"]) == 0.0
# Nothing retrieved or nothing expected is 0 everywhere, with no first position.
calculate_all([], ["A"], include_ndcg=True) == IRMetrics(0.0, 0.0, 0.0, 0.0, ndcg_at_10=0.0)
calculate_all(["A"], [], include_ndcg=True) == IRMetrics(0.0, 0.0, 0.0, 0.0, ndcg_at_10=0.0)
precision_at_k([], ["A"], 3) == recall_at_k(["A"], [], 3) == mrr([], []) == 0.0
# Rank 11 is found by mrr and not by recall_at_10.
calculate_all([*RETRIEVED, "K"], ["K"]).mrr == 1 / 11
# The first expected id counts, from 1.
mrr(RETRIEVED, ["Z"]) == 0.0
first_relevant_position(RETRIEVED, ["Z"]) is None
# nDCG is filled only when asked for, and its ideal list is cut at k.
ndcg_at_k(RETRIEVED, EXPECTED, 10) == GAIN / (1 + 1 / log2(3) + 1 / log2(4) + 1 / log2(5))
ndcg_at_k(RETRIEVED, [*RETRIEVED, "K", "L"], 10) == 1.0
# Expected ids may be any iterable.
calculate_all(RETRIEVED, iter(EXPECTED)) == calculate_all(RETRIEVED, EXPECTED)
# Means are correctly rounded; the median of an even number is that of the middle two; no query is 0.
aggregate_metrics(THREE)["precision@3"] == (1 + 1 / 3) / 3
aggregate_metrics(THREE)["precision@5"] == 0.2
aggregate_metrics(THREE)["median_precision@3"] == 1 / 3
aggregate_metrics(results=(metrics(mrr=value) for value in [0.1] * 3))["mrr"] == 0.1 != sum([0.1] * 3) / 3
aggregate_metrics([metrics(mrr=v) for v in (1.0, 0.0, 0.5, 0.25)])["median_mrr"] == 0.375
[*aggregate_metrics([])] == "precision@3 precision@5 recall@10 mrr median_precision@3 median_mrr".split()
{*aggregate_metrics([]).values()} == {0.0}
# Groups are in order of first appearance, from mappings or records, under either spelling of the field.
[*group_by_category(LAW, "precision_at_3").items()] == [("law", 0.75), ("art", 0.25)]
group_by_category(LAW, "precision@3") == {"law": 0.75, "art": 0.25}
group_by_difficulty(HARD)["easy"] == {"count": 2, "precision@3": 0.5, "precision@5": 0.4, "mrr": 0.75}
group_by_difficulty(HARD)["hard"] == {"count": 1, "precision@3": 1 / 3, "precision@5": 0.2, "mrr": 0.25}
group_by_category([], "mrr") == group_by_difficulty([]) == {}
""")
def test_rules(claim):
    assert is_true(claim, NAMES)


@pytest.mark.parametrize("k", [0, -3])
@pytest.mark.parametrize("name", ["precision_at_k", "recall_at_k", "ndcg_at_k"])
def test_a_cutoff_below_one_is_an_error(name, k):
    """There is no P@0: a ValueError says so, for every function with a cutoff."""
    with pytest.raises(ValueError, match="at least 1"):
        NAMES[name](["A"], ["A"], k)


@pytest.mark.parametrize(
    ("results", "field", "message"),
    [
        ([{"metrics": {"mrr": 1.0}}], "mrr", "detailed result 1 has no 'category'"),
        ([{"category": "x", "metrics": {"mrr": 1.0}}], "ndcg_at_10", r"(?s)'ndcg_at_10'.*'mrr'"),
        ([{"category": "x", "metrics": metrics()}], "ndcg_at_10", "ndcg_at_10"),
        ([{"difficulty": "x", "metrics": {"precision@3": 1.0}}], None, "precision@5"),
    ],
)
def test_a_missing_group_or_metric_is_an_error(results, field, message):
    """An absent metric is not 0.0: the message names the field and those that there are."""
    by_category, by_difficulty = ReportAggregator.group_by_category, ReportAggregator.group_by_difficulty
    with pytest.raises(ArgumentError, match=message):
        by_difficulty(results) if field is None else by_category(results, field)
