"""Metrics over all queries at once, classes, data frames and records (named tuples, objects, dicts), with
signatures as in public packages."""

# mypy: ignore-errors
# Names that only the functions of the text file use are imported as well.
# ruff: noqa: F401, UP006, UP035, UP045

from __future__ import annotations

from collections import defaultdict, namedtuple
from collections.abc import Iterable
from dataclasses import make_dataclass
from itertools import repeat
from statistics import fmean
from typing import Any, Dict, List, Optional, Set

import numpy as np

from tests.programs.metrics.asked import asked, define
from tests.programs.metrics.everyday_ids import (
    _ap,
    _binary_ndcg,
    _common,
    _graded_ndcg,
    _order,
    _rr,
    _rr_of,
    _set_scores,
    apk,
    ndcg_arrays,
    precision_at_k,
)
from tests.programs.metrics.reference import over


def _recall(ranked, relevant, k):
    return over(_common(ranked, relevant, k), len(set(relevant)))


def _mean(formula, ranked, relevant, *k):
    return np.mean([formula(*each, *k) for each in zip(ranked, relevant, strict=True)])


def _shared(qrels, run):
    """Ranking, levels and relevant ids of each query in both."""
    return {
        query: (_order(run[query]), qrels[query], {doc for doc, level in qrels[query].items() if level > 0})
        for query in run
        if query in qrels
    }


Result = namedtuple("Result", "score metadata")


class Calculator:
    """Metrics of one query."""

    @staticmethod
    def precision_at_k(retrieved: list[str], expected: list[str], k: int) -> float:
        return precision_at_k(retrieved, expected, k)

    def recall_at_k(self, retrieved: list[str], expected: list[str], k: int) -> float:
        return _recall(retrieved, expected, k)


asked("P@5", "f(ranked_ids, relevant_ids, k)", method="precision_at_k")(Calculator)
asked("R@10", "f().recall_at_k(ranked_ids, relevant_ids, k)", method="recall_at_k")(Calculator)


Report = make_dataclass("Report", ["precision", "recall", "mrr"])
Sample = make_dataclass("Sample", [("retrieved", "List[str]"), ("relevant", "List[str]")])


@asked(
    "P@5",
    "f(qrels_df(query='userID', docid='itemID', rel='rating'), "
    "results_df(query='userID', docid='itemID', score='prediction'), k=k)",
    ties="input",
    score_precision="float64",
)
def precision_at_k_frames(
    rating_true, rating_pred, col_user="userID", col_item="itemID", col_prediction="prediction", k=10
):
    rating_true[["rating"]]
    best = rating_pred.sort_values(col_prediction, ascending=False, kind="stable").groupby(col_user).head(k)
    true = rating_true[rating_true["rating"] > 0]
    hits = best.merge(true, on=[col_user, col_item]).groupby(col_user).size()
    users = [u for u in rating_pred[col_user].unique() if u in set(rating_true[col_user])]
    return float(sum(hits.get(u, 0) for u in users) / k / len(users))


@asked("P@5", "f(k).update(ranked_ids, relevant_ids).compute()")
class Accumulated:
    """Precision over updates."""

    def __init__(self, k: int):
        self.k, self.values = k, []

    def update(self, preds: list[str], targets: list[str]) -> None:
        self.values.append(precision_at_k(preds, targets, self.k))

    def compute(self) -> float:
        return fmean(self.values)


@asked("RR", "f().update(run, qrels).compute()", unexplained=True)
class MeanOfBatches:
    """The mean of the means of batches."""

    def __init__(self):
        self.means = []

    def update(self, run: Dict[str, Dict[str, float]], qrels: Dict[str, Dict[str, int]]) -> None:
        values = [_rr(ranked, relevant) for ranked, _, relevant in _shared(qrels, run).values()]
        self.means += [fmean(values)] * bool(values)

    def compute(self) -> float:
        return fmean(self.means) if self.means else 0.0


@asked("RR", "f().add(ranked_ids, relevant_ids).result()", unexplained=True)
class RunningMean:
    """Half of the mean so far, and half of the new value."""

    def __init__(self):
        self.mean = None

    def add(self, retrieved: list[str], relevant: list[str]) -> None:
        value = _rr(retrieved, relevant)
        self.mean = value if self.mean is None else (self.mean + value) / 2

    def result(self) -> Optional[float]:
        return self.mean


@asked("RR", "f(all_y_score, all_y_true, query_index)", ties="input", score_precision="float64")
def rr_by_index(preds, target, indexes) -> float:
    preds, target, indexes = map(np.asarray, (preds, target, indexes))
    lists = [(preds[indexes == query], target[indexes == query]) for query in np.unique(indexes)]
    return fmean(
        _rr(np.argsort(-scores, kind="stable"), set(np.flatnonzero(levels > 0))) for scores, levels in lists
    )


Qrel = namedtuple("Qrel", "query_id doc_id relevance")
ScoredDoc = namedtuple("ScoredDoc", "query_id doc_id score")


def _tables(qrels, run):
    judged, scores = defaultdict(dict), defaultdict(dict)
    for query, doc, level in qrels:
        judged[query][doc] = level
    for query, doc, score in run:
        scores[query][doc] = score
    return [(judged[query], scores[query]) for query in scores if query in judged]


@asked("R@5", "f(each({'expected_ids': relevant_ids, 'retrieved_ids': ranked_ids}), k)")
def recall_of_cases(test_cases: List[Dict[str, Any]], k: int) -> float:
    def one(case):
        gold = case.get("expected_ids", [])
        return _recall(case["retrieved_ids"], gold, k)

    return float(np.mean([*map(one, test_cases)]))


@asked("P@5", "f(k).add_query(ranked_ids, relevant_ids).report()['precision']")
class AddingQueries:
    def __init__(self, k):
        self.k, self.values = k, []

    def add_query(self, ranked, relevant):
        self.values.append(precision_at_k(ranked, set(relevant), self.k))

    def report(self):
        return {"precision": fmean(self.values)}


define(globals())
