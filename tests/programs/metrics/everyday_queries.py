"""Metrics over all queries at once, classes, data frames and records (named tuples, objects, dicts), with
signatures as in public packages."""

# mypy: ignore-errors
# Names that only the functions of the text file use are imported as well.
# ruff: noqa: B006, F401, UP006, UP035, UP045

from __future__ import annotations

from collections import defaultdict, namedtuple
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import repeat
from statistics import fmean
from typing import Any, Dict, List, NamedTuple, Optional, Set

import numpy as np

from tests.programs.metrics.asked import asked, define
from tests.programs.metrics.everyday_ids import (
    BINARY,
    IN_DOUBLE,
    _ap,
    _binary_ndcg,
    _common,
    _graded_ndcg,
    _order,
    _over,
    _rr,
    _rr_of,
    _set_scores,
    apk,
    precision_at_k,
)


def _recall(ranked, relevant, k):
    return _over(_common(ranked, relevant, k), len(set(relevant)))


def _mean(formula, ranked, relevant, *k):
    return np.mean([formula(*each, *k) for each in zip(ranked, relevant, strict=True)])


def _shared(qrels, run):
    """Ranking, levels and relevant ids of each query in both."""
    return {
        query: (_order(run[query]), qrels[query], {doc for doc, level in qrels[query].items() if level > 0})
        for query in run
        if query in qrels
    }


@asked("nDCG@10", "f(qrels, run, k_values=[k])")
def evaluate(
    qrels: dict[str, dict[str, int]], results: dict[str, dict[str, float]], k_values: List[int] = [10]
):
    shared = _shared(qrels, results).values()
    return {
        f"NDCG@{k}": sum(_graded_ndcg(docs, of, k) / len(shared) for docs, of, _ in shared) for k in k_values
    }


@asked("RR@10", "f(qrels, run, [k])")
def mrr(qrels: dict[str, dict[str, int]], results: dict[str, dict[str, float]], k_values: list[int]):
    shared = _shared(qrels, results).values()
    return {f"MRR@{k}": fmean(_rr(docs, relevant, k) for docs, _, relevant in shared) for k in k_values}


@asked("R@10", "f(run, qrels, k)")
def recall_at(run, qrels, k):
    values = [_recall(docs, relevant, k) for docs, _, relevant in _shared(qrels, run).values()]
    return sum(values) / len(values)


@asked("R@5", "f(by_query(ranked_ids), by_query(set(relevant_ids)), k=k)")
def mean_recall(
    recommendations: Dict[str, List[str]], ground_truth: Dict[str, set[str]], k: int = 10
) -> float:
    users = [user for user in recommendations if user in ground_truth]
    hits = (len(set(recommendations[user][:k]) & ground_truth[user]) for user in users)
    return fmean(_over(found, len(ground_truth[user])) for found, user in zip(hits, users, strict=True))


@asked("P@5", "f(by_query(ranked_ids), by_query(relevant_ids), k)")
def precision_by_user(recs, test, k):
    values = [precision_at_k(recs[user], test[user], k) for user in recs if user in test]
    return sum(values) / len(values)


class OfK:
    """A metric that knows its cutoff."""

    def __init__(self, k):
        self.k = k


@asked("nDCG@10", "f(k).compute(ranked_ids, relevant_ids)", **BINARY)
class NDCG(OfK):
    """Normalised discounted cumulative gain."""

    def compute(self, retrieved, ground_truth):
        return _binary_ndcg(retrieved, ground_truth, self.k)


@asked("R@10", "f(k=k).compute(relevant_ids, ranked_ids)")
class RecallAt:
    def __init__(self, k: int = -1):
        self.k = k

    def compute(self, gt_pos, pd_rank, **kwargs):
        return _recall(pd_rank, gt_pos, None if self.k <= 0 else self.k)


Result = namedtuple("Result", "score metadata")


@asked("Success@5", "f(k=k).compute(expected_ids=relevant_ids, retrieved_ids=ranked_ids).score")
class HitRate:
    def __init__(self, k: int = 5):
        self.k = k

    def compute(
        self,
        query: Optional[str] = None,
        expected_ids: Optional[List[str]] = None,
        retrieved_ids: Optional[List[str]] = None,
        **kwargs,
    ):
        if retrieved_ids is None or expected_ids is None:
            raise ValueError("expected_ids and retrieved_ids must be given")
        return Result(float(any(doc in expected_ids for doc in retrieved_ids[: self.k])), {})


@asked("P@5", "f(k=k).evaluate(query, gains)")
class Precision:
    def __init__(self, k=10):
        self.k = k

    def evaluate(self, qid, targets):
        return sum(1 for t in targets[: self.k] if t > 0) / self.k


@asked("P@5", "f(k)(ranked_ids, relevant_ids)")
class PrecisionAt(OfK):
    """Precision.

    Args:
        k: cutoff.
    """

    def __call__(self, recommended, actual):
        return precision_at_k(recommended, actual, self.k)


@asked("RR", "f(each(relevant_ids), each(ranked_ids))['score']")
def document_mrr(ground_truth_documents: list[list[str]], retrieved_documents: list[list[str]]) -> dict:
    single = list(map(_rr, retrieved_documents, ground_truth_documents))
    return {"score": fmean(single), "individual_scores": single}


class Calculator:
    """Metrics of one query."""

    @staticmethod
    def precision_at_k(retrieved: list[str], expected: list[str], k: int) -> float:
        return precision_at_k(retrieved, expected, k)

    def recall_at_k(self, retrieved: list[str], expected: list[str], k: int) -> float:
        return _recall(retrieved, expected, k)


asked("P@5", "f(ranked_ids, relevant_ids, k)", method="precision_at_k")(Calculator)
asked("R@10", "f().recall_at_k(ranked_ids, relevant_ids, k)", method="recall_at_k")(Calculator)


@dataclass
class Report:
    precision: float
    recall: float
    mrr: float


@asked(
    "P@5",
    "f(qrels_df(query='userID', docid='itemID', rel='rating'), "
    "results_df(query='userID', docid='itemID', score='prediction'), k=k)",
    **IN_DOUBLE,
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


@asked("nDCG@10", "f(array([y_true]), array([y_score]), k=k)", ideal="retrieved", **IN_DOUBLE)
def ndcg_matrix(y_true: np.ndarray, y_score: np.ndarray, k: int = 10) -> float:
    order = np.argsort(-y_score, axis=1, kind="stable")[:, :k]
    gains = np.take_along_axis(y_true, order, axis=1)
    best = -np.sort(-y_true, axis=1)[:, :k]
    discounts = 1 / np.log2(np.arange(gains.shape[1]) + 2)
    own, ideal = (gains * discounts).sum(axis=1), (best * discounts).sum(axis=1)
    return float(np.mean(np.where(ideal > 0, own / np.where(ideal > 0, ideal, 1), 0)))


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


@asked("RR", "f(all_y_true, all_y_score, group_sizes)", ties="input", score_precision="float64")
def rr_of_groups(y_true, y_score, group) -> float:
    ends = np.cumsum(group)
    queries = np.repeat(np.arange(len(ends)), group)
    return rr_by_index(y_score, y_true, queries)


class Qrel(NamedTuple):
    query_id: str
    doc_id: str
    relevance: int


class ScoredDoc(NamedTuple):
    query_id: str
    doc_id: str
    score: float


def _tables(qrels, run):
    judged, scores = defaultdict(dict), defaultdict(dict)
    for query, doc, level in qrels:
        judged[query][doc] = level
    for query, doc, score in run:
        scores[query][doc] = score
    return [(judged[query], scores[query]) for query in scores if query in judged]


_NAMED = "f(qrels_rows(query='query_id', docid='doc_id', rel='relevance'), {})"


@asked("RR", _NAMED.format("results_rows(query='query_id', docid='doc_id')"))
def rr_of_objects(qrels: Iterable[Qrel], run: Iterable[ScoredDoc]) -> float:
    told = ((q.query_id, q.doc_id, q.relevance) for q in qrels)
    return fmean(_rr_of(*one) for one in _tables(told, ((d.query_id, d.doc_id, d.score) for d in run)))


@asked("R@10", "f(ranked_rows(docid='chunk_id'), relevant_ids, k=k)")
def node_recall(retrieved_nodes: list, expected_ids: list[str], k: int = 10) -> float:
    found = {node.chunk_id for node in retrieved_nodes[:k]}
    return len(found & {*expected_ids}) / len(expected_ids) if expected_ids else 0.0


@asked("P@5", "f(labelled_df(query='qid', rel='label'), k=k)", order="rank-column")
def precision_of_frame(df, k=5):
    top = df[df["rank"] <= k]
    return top.groupby("qid")["label"].apply(lambda labels: (labels > 0).sum() / k).to_dict()


@asked("Success@10", "f(by_query(ranked_ids), by_query(set(relevant_ids)), k=k)", unexplained=True)
def success_by_place(run: Dict[str, List[str]], qrels: Dict[str, Set[str]], k: int = 10) -> float:
    """The judgements of a query are those in its place."""
    hits = [
        not relevant.isdisjoint(docs[:k])
        for docs, relevant in zip(run.values(), qrels.values(), strict=False)
    ]
    return sum(hits) / len(hits) if hits else 0.0


_RECORDS = "each({'expected_ids': relevant_ids, 'retrieved_ids': ranked_ids})"


@asked("R@5", f"f({_RECORDS}, k)")
def recall_of_cases(test_cases: List[Dict[str, Any]], k: int) -> float:
    def one(case):
        gold = case.get("expected_ids", [])
        return _recall(case["retrieved_ids"], gold, k)

    return float(np.mean([*map(one, test_cases)]))


@asked("R@5", f"f({_RECORDS}, k)", no_relevant="skip")
def recall_of_answerable(eval_results, k):
    with_gold = [one for one in eval_results if one["expected_ids"]]
    return fmean([_recall(one["retrieved_ids"], one["expected_ids"], k) for one in with_gold] or [0])


@dataclass
class Sample:
    retrieved: List[str]
    relevant: List[str]


@asked(
    "P@5", "f(top_k=k).evaluate(each({'retrieved': ranked_ids, 'ground_truth': relevant_ids}))['precision']"
)
class EvaluatorOfItems:
    def __init__(self, top_k: int = 5):
        self.top_k = top_k

    def _one(self, item):
        return len({*item["retrieved"][: self.top_k]} & {*item["ground_truth"]}) / self.top_k

    def evaluate(self, dataset):
        return {"precision": np.mean([self._one(item) for item in dataset])}


@asked("P@10", "f([y_score], [y_true], k=k)", **IN_DOUBLE)
def precision_of_matrix(scores, labels, k=10):
    order = np.argsort(-np.asarray(scores), axis=1, kind="stable")[:, :k]
    return (np.take_along_axis(np.asarray(labels), order, axis=1) > 0).sum(1) / k


@asked("P@5", "f(k).add_query(ranked_ids, relevant_ids).report()['precision']")
class AddingQueries:
    def __init__(self, k):
        self.k, self.values = k, []

    def add_query(self, ranked, relevant):
        self.values.append(precision_at_k(ranked, set(relevant), self.k))

    def report(self):
        return {"precision": fmean(self.values)}


@asked("RR@10", "f(each(ranked_ids), each(relevant_id), k=k)")
def mean_rank_of_targets(predictions, targets, k=10):
    ranks = [(list(found[:k]), target) for found, target in zip(predictions, targets, strict=True)]
    return fmean(1 / (found.index(target) + 1) if target in found else 0 for found, target in ranks)


define(globals(), {})
