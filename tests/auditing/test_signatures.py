"""The calls that names of parameters suggest, and what a call settles."""

from __future__ import annotations

import pytest

from crosscheck.auditing.calls import parse_call
from crosscheck.auditing.signatures import candidates
from tests.auditing import metrics
from tests.targets import s1, s2, s4, s5


def _of_immutables(ranked: tuple[str, ...], relevant: frozenset[str], k: int) -> float:
    return 0.0


def _of_dicts(results: dict[str, list[dict[str, str]]], expected: dict[str, list[str]], k: int) -> float:
    return 0.0


class _Fitted:
    """It gets the judgements first."""

    def fit(self, qrels: dict[str, dict[str, int]]) -> None:
        """Keep them."""

    def score(self, run: dict[str, dict[str, float]], k: int) -> float:
        return 0.0


def _gain(found, item):
    return found in item["expected"]


def _of_records(items, k=5):
    """A helper of the module reads the other key."""
    return [_gain(item["retrieved"][0], item) for item in items[:k]]


def _of_objects(samples: list):
    return [sample.relevant == sample.predictions for sample in samples]


@pytest.mark.parametrize(
    ("function", "call"),
    [
        (_of_records, "f(each({'retrieved': ranked_ids, 'expected': relevant_ids}), k=k)"),
        (_of_records, "f(frame(each({'retrieved': ranked_ids, 'expected': relevant_ids})), k=k)"),
        (_of_records, "f(by_query({'retrieved': ranked_ids, 'expected': relevant_ids}), k=k)"),
        (_of_records, "f({'retrieved': ranked_ids, 'expected': relevant_ids}, k=k)"),
        (_of_objects, "f(each(record({'relevant': relevant_ids, 'predictions': ranked_ids})))"),
        (lambda df, hits="found", gold="liked_items": df[hits] + df[gold],
         "f(frame(each({'found': ranked_ids, 'liked_items': relevant_ids})))"),
    ],
)  # fmt: skip
def test_what_a_function_reads_are_parts_of_records(function, call):
    """The keys and attributes in its code, and in that of functions which it calls, are named like
    parameters."""
    assert call in [str(named) for _, named in candidates(function, None, has_cutoff="k=" in call)]


@pytest.mark.parametrize(
    ("function", "cutoff", "call"),
    [
        (s1.precision_at_k, True, "f(gains, k)"),
        (s1.recall_at_k, True, "f(gains, num_rel, k)"),
        (s1.average_precision, False, "f(gains)"),
        (s2.dcg, True, "f(ranked_ids, relevance, k=k)"),
        (s2.precisao_recall, True, "f(ranked_ids, relevant_ids, k=k)"),
        (s2.ndcg, True, "f(ranked_df, judged_df, 'docid', 'docid', 'rel', k=k)"),
        (s2.metricas, True, f"f({metrics.RENAMED}, k=[k])"),
        (s4.MetricsCalculator.precision_at_k, True, "f(ranked_ids, relevant_ids, k)"),
        (s4.MetricsCalculator.mrr, False, "f(ranked_ids, relevant_ids)"),
        (s5.ndcg, False, "f(ranked_ids, relevance)"),
        (lambda qrels, run: 0, False, "f(qrels, run)"),
        (lambda gains, ideal_gains, k: 0, True, "f(gains, ideal_gains, k)"),
        (lambda gains, all_gains, k: 0, True, "f(gains, judged_gains, k)"),
        (_of_immutables, True, "f(tuple(ranked_ids), frozenset(relevant_ids), k)"),
        (_of_dicts, True, "f(by_query(dicts(ranked_rows)), by_query(relevant_ids), k)"),
        (_Fitted, True, "f().fit(qrels).score(run, k)"),
        (lambda y_true, y_score, *, k=None: 0, True, "f([y_true], [y_score], k=k)"),
        (lambda preds, target, indexes: 0, True, "f(all_y_score, all_y_true, query_index)"),
        (lambda y_true, y_score, group, k=5: 0, True, "f(all_y_true, all_y_score, group_sizes, k=k)"),
    ],
)
def test_parameter_names_say_how_to_call(function, cutoff, call):
    """The call meant is among those that the names say."""
    costs = {str(named): cost for cost, named in candidates(function, None, has_cutoff=cutoff)}
    assert costs[call] == 0


@pytest.mark.parametrize(
    ("call", "fixed"),
    [
        ("f(gains, k)", {"order", "ties", "duplicates", "ids", "identical_ids", "missing_queries"}),
        ("f(ranked_ids, relevant_ids)", {"order", "ties", "identical_ids", "missing_queries"}),
        ("f([y_true], [y_score])", {"duplicates", "ids", "identical_ids", "missing_queries"}),
        ("f(qrels, run)", {"duplicates"}),
        ("f(qrels, run, max_grade)", {"duplicates", "max_grade"}),
        ("f(results_df, qrels_df)", set()),
        ("f(qrels_rows, results_rows)", set()),
        ("f(each(gains), k)", {"order", "ties", "duplicates", "ids", "identical_ids", "missing_queries"}),
        ("f(by_query(ranked_ids), by_query(relevant_ids))", {"order", "ties"}),
        ("f(run, qrels, each(query))", {"duplicates", "missing_queries"}),
        ("f(scored, relevance)", {"duplicates", "identical_ids", "missing_queries"}),
        (
            "f(all_y_true, all_y_score, query_index)",
            {"duplicates", "ids", "identical_ids", "missing_queries"},
        ),
    ],
)
def test_a_call_settles_what_its_arguments_cannot_show(call, fixed):
    """Lists of levels carry no ids, a dict no document twice, lists in rank order no scores."""
    asked = {"order", "ties", "duplicates", "ids", "identical_ids", "missing_queries", "max_grade"}
    assert parse_call(call).fixed_axes & asked == fixed


@pytest.mark.parametrize("name", ["retrieved_files", "predicted_paths", "relevant_file_ids", "fn"])
def test_names_of_files_are_ids(name):
    """A list of files that were found, as in code search, is no path."""
    called = eval(f"lambda {name}, gold, k: 0.0")
    assert all("file(" not in str(call) for _, call in candidates(called, None, has_cutoff=True))
