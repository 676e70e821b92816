"""Metrics over all queries at once, classes and data frames, with signatures as in public packages."""

# mypy: ignore-errors
# ruff: noqa: B006, UP006, UP035, UP045

from __future__ import annotations

import math
from collections import namedtuple
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Dict, List, Optional

import numpy as np

from tests.programs.metrics.asked import asked
from tests.programs.metrics.everyday_ids import BINARY, _ap, _binary_ndcg, _hits, apk


def _order(scores):
    return sorted(scores, key=lambda doc: (np.float32(scores[doc]), doc), reverse=True)


@asked("AP@10", "f(each(relevant_ids), each(ranked_ids), k=k)", ap_denominator="min(R,k)")
def mapk(actual, predicted, k=10):
    return np.mean([apk(a, p, k) for a, p in zip(actual, predicted, strict=True)])


@asked("RR", "f(each(relevant_ids), each(ranked_ids), k)")
def mean_reciprocal_rank(actual_list: list[list[int]], predicted_list: list[list[int]], k: int) -> float:
    total = 0.0
    for actual, predicted in zip(actual_list, predicted_list, strict=True):
        total += next((1 / r for r, d in enumerate(predicted[:k], 1) if d in actual), 0.0)
    return total / len(actual_list)


@asked("R@10", "f(each(relevant_ids), each(ranked_ids), k=k)")
def mean_average_recall_at_k(relevant_items: List[list], recommendations: List[list], k: int = 10) -> float:
    return fmean(
        len(set(a) & set(p[:k])) / len(a) if a else 0.0
        for a, p in zip(relevant_items, recommendations, strict=True)
    )


@asked("SetP", "f(each(ranked_ids), each(relevant_ids))")
def recommender_precision(predicted: List[list], actual: List[list]) -> float:
    return float(np.mean([len(set(p) & set(a)) / len(p) for p, a in zip(predicted, actual, strict=True)]))


@asked("Success@5", "f(each(gains), k)")
def hit_rate_at_k(rs, k):
    return float(np.mean([any(r[:k]) for r in rs]))


@asked("nDCG@10", "f(qrels, run, k_values=[k])")
def evaluate(
    qrels: dict[str, dict[str, int]], results: dict[str, dict[str, float]], k_values: List[int] = [10]
):
    out = {f"NDCG@{k}": 0.0 for k in k_values}
    shared = [q for q in results if q in qrels]
    for k in k_values:
        for q in shared:
            dcg = sum(
                max(qrels[q].get(d, 0), 0) / math.log2(i + 2) for i, d in enumerate(_order(results[q])[:k])
            )
            best = sorted((max(v, 0) for v in qrels[q].values()), reverse=True)[:k]
            ideal = sum(v / math.log2(i + 2) for i, v in enumerate(best))
            out[f"NDCG@{k}"] += (dcg / ideal if ideal else 0.0) / len(shared)
    return out


@asked("RR@10", "f(qrels, run, [k])")
def mrr(qrels: dict[str, dict[str, int]], results: dict[str, dict[str, float]], k_values: list[int]):
    shared = [q for q in results if q in qrels]
    found = {}
    for k in k_values:
        firsts = (
            next((1 / r for r, d in enumerate(_order(results[q])[:k], 1) if qrels[q].get(d, 0) > 0), 0.0)
            for q in shared
        )
        found[f"MRR@{k}"] = fmean(firsts)
    return found


@asked("AP", "f(run, qrels)")
def mean_ap(run, qrels):
    values = {}
    for q in run:
        if q in qrels:
            relevant = {d for d, level in qrels[q].items() if level > 0}
            values[q] = _ap(_order(run[q]), relevant, len(relevant))
    return values


@asked("R@10", "f(run, qrels, k)")
def recall_at(run, qrels, k):
    values = []
    for q in run:
        if q in qrels:
            relevant = {d for d, level in qrels[q].items() if level > 0}
            values.append(len(relevant & set(_order(run[q])[:k])) / len(relevant) if relevant else 0.0)
    return sum(values) / len(values)


@asked("R@5", "f(by_query(ranked_ids), by_query(set(relevant_ids)), k=k)")
def mean_recall(
    recommendations: Dict[str, List[str]], ground_truth: Dict[str, set[str]], k: int = 10
) -> float:
    users = [u for u in recommendations if u in ground_truth]
    return fmean(
        len(set(recommendations[u][:k]) & ground_truth[u]) / len(ground_truth[u]) if ground_truth[u] else 0.0
        for u in users
    )


@asked("P@5", "f(by_query(ranked_ids), by_query(relevant_ids), k)")
def precision_by_user(recs, test, k):
    users = [u for u in recs if u in test]
    return sum(len(set(recs[u][:k]) & set(test[u])) / k for u in users) / len(users)


class NDCG:
    """Normalised discounted cumulative gain."""

    def __init__(self, k):
        self.k = k

    def compute(self, retrieved, ground_truth):
        return _binary_ndcg(retrieved, ground_truth, self.k)


asked("nDCG@10", "f(k).compute(ranked_ids, relevant_ids)", **BINARY)(NDCG)


@asked("R@10", "f(k=k).compute(relevant_ids, ranked_ids)")
class RecallAt:
    def __init__(self, k: int = -1):
        self.k = k

    def compute(self, gt_pos, pd_rank, **kwargs):
        top = pd_rank if self.k <= 0 else pd_rank[: self.k]
        return np.isin(top, gt_pos).sum() / len(gt_pos) if len(gt_pos) else 0.0


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
class PrecisionAt:
    """Precision.

    Args:
        k: cutoff.
    """

    def __init__(self, k):
        self.k = k

    def __call__(self, recommended, actual):
        return len(set(recommended[: self.k]) & set(actual)) / self.k


@asked("AP", "f(relevant_ids, ranked_ids)['score']")
def document_map(ground_truth_documents: list[str], retrieved_documents: list[str]) -> dict:
    return {"score": _ap(retrieved_documents, ground_truth_documents, len(ground_truth_documents))}


@asked("RR", "f(each(relevant_ids), each(ranked_ids))['score']")
def document_mrr(ground_truth_documents: list[list[str]], retrieved_documents: list[list[str]]) -> dict:
    single = [
        next((1 / r for r, d in enumerate(got, 1) if d in wanted), 0.0)
        for wanted, got in zip(ground_truth_documents, retrieved_documents, strict=True)
    ]
    return {"score": fmean(single), "individual_scores": single}


class Calculator:
    """Metrics of one query."""

    @staticmethod
    def precision_at_k(retrieved: list[str], expected: list[str], k: int) -> float:
        return sum(_hits(retrieved, expected, k)) / k

    def recall_at_k(self, retrieved: list[str], expected: list[str], k: int) -> float:
        return len(set(expected) & set(retrieved[:k])) / len(set(expected)) if expected else 0.0


asked("P@5", "f(ranked_ids, relevant_ids, k)", method="precision_at_k")(Calculator)
asked("R@10", "f().recall_at_k(ranked_ids, relevant_ids, k)", method="recall_at_k")(Calculator)


@dataclass
class Report:
    precision: float
    recall: float
    mrr: float


@asked("RR", "f(ranked_ids, relevant_ids).mrr")
def report(retrieved: list[str], relevant: list[str]) -> Report:
    hits = _hits(retrieved, relevant)
    return Report(
        sum(hits) / len(hits) if hits else 0.0,
        sum(hits) / len(relevant) if relevant else 0.0,
        1 / (hits.index(1) + 1) if 1 in hits else 0.0,
    )


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


@asked("R@5", "f(ranked_ids, relevant_ids, ks=[k])[0]")
def recalls(ranked: Sequence[str], relevant: Sequence[str], ks: Sequence[int] = (5, 10)) -> list[float]:
    return [len(set(ranked[:k]) & set(relevant)) / len(relevant) if relevant else 0.0 for k in ks]


@asked(
    "nDCG@10",
    "f(array([y_true]), array([y_score]), k=k)",
    ideal="retrieved",
    ties="input",
    score_precision="float64",
)
def ndcg_matrix(y_true: np.ndarray, y_score: np.ndarray, k: int = 10) -> float:
    order = np.argsort(-y_score, axis=1, kind="stable")[:, :k]
    gains = np.take_along_axis(y_true, order, axis=1)
    best = -np.sort(-y_true, axis=1)[:, :k]
    discounts = 1 / np.log2(np.arange(gains.shape[1]) + 2)
    ideal = (best * discounts).sum(axis=1)
    return float(
        np.mean(np.where(ideal > 0, (gains * discounts).sum(axis=1) / np.where(ideal > 0, ideal, 1), 0))
    )


class Accumulated:
    """Precision over updates."""

    def __init__(self, k: int):
        self.k, self.values = k, []

    def update(self, preds: list[str], targets: list[str]) -> None:
        self.values.append(len(set(preds[: self.k]) & set(targets)) / self.k)

    def compute(self) -> float:
        return fmean(self.values)


asked("P@5", "f(k).update(ranked_ids, relevant_ids).compute()")(Accumulated)


@asked("P@5", "f(relevant_ids, ranked_ids, k)")
def user_precision(test_interactions, rec_ids, k):
    return len(set(rec_ids[:k]) & set(test_interactions)) / k


@asked("RR", "f(array(ranked_ids), set(relevant_ids))")
def rr_row(ranks_row: np.ndarray, relevant_indices: set[int]) -> float:
    return next((1 / r for r, d in enumerate(ranks_row, 1) if d in relevant_indices), 0.0)


@asked("nDCG@10", "f(ranked_ids, relevance, k)")
def ndcg_of_values(retrieved_doc_ids: Sequence[str], relevance_scores: Dict[str, float], k: int) -> float:
    gains = [max(relevance_scores.get(d, 0), 0) for d in retrieved_doc_ids[:k]]
    best = sorted((max(v, 0) for v in relevance_scores.values()), reverse=True)[:k]
    ideal = sum(v / math.log2(i + 2) for i, v in enumerate(best))
    return sum(v / math.log2(i + 2) for i, v in enumerate(gains)) / ideal if ideal else 0.0
