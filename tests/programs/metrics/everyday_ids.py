"""Metrics over the ids of one query, with signatures as in public packages."""

# mypy: ignore-errors
# ruff: noqa: N803, UP006, UP035

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence
from typing import Any, Dict, List, Mapping, Set, Tuple

import numpy as np

from tests.programs.metrics.asked import asked


def _hits(ranked, relevant, k=None):
    return [int(doc in relevant) for doc in list(ranked)[:k]]


def _binary_ndcg(ranked, relevant, k):
    best = sum(1 / math.log2(rank + 1) for rank in range(1, min(len(relevant), k) + 1))
    found = sum(hit / math.log2(rank + 1) for rank, hit in enumerate(_hits(ranked, relevant, k), 1))
    return found / best if best else 0.0


def _ap(ranked, relevant, below, k=None):
    hits = _hits(ranked, relevant, k)
    total = sum(sum(hits[:rank]) / rank for rank, hit in enumerate(hits, 1) if hit)
    return total / below if below else 0.0


BINARY = {"gain": "binary"}


@asked("AP@10", "f(relevant_ids, ranked_ids, k=k)", ap_denominator="min(R,k)")
def apk(actual, predicted, k=10):
    return _ap(predicted, actual, min(len(actual), k), k)


@asked("R@10", "f(relevant_ids, ranked_ids, k)")
def recall(y_true, y_pred, k):
    return len(set(y_true) & set(y_pred[:k])) / len(y_true) if y_true else 0.0


@asked("P@10", "f(relevant_ids, ranked_ids, k)")
def precision(y_true, y_pred, k):
    return len(set(y_true).intersection(y_pred[:k])) / k


@asked("P@5", "f(ranked_ids, set(relevant_ids), k)")
def precision_at_k(recs: list[str], gt: set[str], k: int) -> float:
    return sum(doc in gt for doc in recs[:k]) / k


@asked("Success@5", "f(relevant_ids, ranked_ids, k)")
def hit_rate(gt, rs, k):
    return int(any(doc in gt for doc in rs[:k]))


@asked("R@5", "f(ranked_ids, relevant_ids, k=k)")
def recall_at_k(recommended_items: List[int], test_items: List[int], k: int = 10) -> float:
    return sum(_hits(recommended_items, test_items, k)) / len(test_items) if test_items else 0.0


@asked("nDCG@10", "f(ranked_ids, set(relevant_ids), k=k)", **BINARY)
def ndcg(topk_items: Sequence[str], pos_items: Set[str], k: int = 10) -> float:
    return _binary_ndcg(topk_items, pos_items, k)


@asked("RR", "f(ranked_ids, relevant_ids)")
def mrr(retrieved_ids: list[str], expected_ids: list[str]) -> float:
    return next((1 / rank for rank, hit in enumerate(_hits(retrieved_ids, expected_ids), 1) if hit), 0.0)


@asked("RR", "f(relevant_ids, ranked_ids)")
def reciprocal_rank(ground_truth, rank_list):
    return next((1 / rank for rank, doc in enumerate(rank_list, 1) if doc in ground_truth), 0)


@asked("AP", "f(relevant_ids, ranked_ids)")
def average_precision(labels: Collection[str], preds: Sequence[str]) -> float:
    return _ap(preds, labels, len(labels))


@asked("AP", "f(ranked_ids, relevant_ids)")
def compute_ap(ranked_list, ground_truth):
    return _ap(ranked_list, set(ground_truth), len(ground_truth))


@asked("nDCG@10", "f(ranked_ids, relevance, k)")
def ndcg_graded(retrieved: List[str], relevance: Dict[str, int], k: int) -> float:
    dcg = sum(max(relevance.get(d, 0), 0) / math.log2(i + 2) for i, d in enumerate(retrieved[:k]))
    best = sorted((level for level in relevance.values() if level > 0), reverse=True)[:k]
    ideal = sum(level / math.log2(i + 2) for i, level in enumerate(best))
    return dcg / ideal if ideal else 0.0


@asked("nDCG@10", "f(ranked_ids, relevance, k)", gain="exponential")
def ndcg_qrels(ranking, qrels, k):
    def gain(level):
        return 2 ** max(level, 0) - 1

    dcg = sum(gain(qrels.get(d, 0)) / math.log2(i + 2) for i, d in enumerate(ranking[:k]))
    best = sorted(map(gain, qrels.values()), reverse=True)[:k]
    ideal = sum(g / math.log2(i + 2) for i, g in enumerate(best))
    return dcg / ideal if ideal else 0.0


@asked("nDCG@10", "f(ranked_ids, set(relevant_ids), k)", gain="binary", ideal="retrieved-at-k")
def ndcg_of_chunks(retrieved_ids: list[str], relevant_ids: set[str], k: int) -> float:
    hits = _hits(retrieved_ids, relevant_ids, k)
    dcg, best = (
        sum(hit / math.log2(i + 2) for i, hit in enumerate(order))
        for order in (hits, sorted(hits, reverse=True))
    )
    return dcg / best if best else 0.0


@asked(
    "nDCG@10",
    "f(set(relevant_ids), ranked_ids, k)",
    gain="binary",
    discount="ln-jarvelin",
    ideal="max-grade-returned",
)
def ndcg_of_visits(actual: Set[str], predicted: List[str], k: int) -> float:
    dcg = ideal = 0.0
    for i, place in enumerate(predicted[:k], 1):
        discount = math.log(i) if i > 1 else 1.0
        dcg += (place in actual) / discount
        ideal += 1.0 / discount
    return dcg / ideal if ideal else 0.0


@asked("nDCG@10", "f(ranked_ids, relevance, k)", depth=10, unjudged="removed")
def ndcg_of_rated(retrieved: List[str], relevance: Dict[str, int], k: int) -> float:
    rated = {doc: level for doc, level in relevance.items() if level >= 0}
    return ndcg_graded([doc for doc in retrieved[:k] if doc in rated], rated, k)


@asked(
    "nDCG@10",
    "f(ranked_ids, relevance, k)",
    gain="exponential",
    ideal="retrieved-at-k",
    negatives="negative-gain",
)
def ndcg_of_grades(retrieved: List[str], grades: Dict[str, int], k: int) -> float:
    def dcg(levels):
        return sum((2**level - 1) / math.log2(i + 2) for i, level in enumerate(levels))

    found = [grades.get(doc, 0) for doc in retrieved[:k]]
    best = dcg(sorted(found, reverse=True))
    return dcg(found) / best if best else 0.0


@asked("P@5", "f(relevant_ids, ranked_ids, k=k)")
def precision_of_targets(targets, predictions, k=None):
    k = k or len(predictions)
    return len(set(predictions[:k]) & set(targets)) / k


@asked("P@5", "f(ranked_ids, relevant_ids, k)[0]")
def precision_recall(predictions, targets, k):
    hits = len(set(predictions[:k]) & set(targets))
    return hits / k, hits / len(targets) if targets else 0.0


@asked("R@5", "f(ranked_ids, relevant_ids, k)[1]")
def precision_and_recall(predictions, targets, k):
    hits = len(set(predictions[:k]) & set(targets))
    return float(hits) / k, float(hits) / len(targets) if targets else 0.0


@asked("SetR", "f(ranked_ids, relevant_ids)['recall']")
def evaluate_retrieval(retrieved_docs: list[str], relevant_docs: list[str]) -> dict[str, float]:
    hits = len(set(retrieved_docs) & set(relevant_docs))
    p = hits / len(retrieved_docs) if retrieved_docs else 0.0
    r = hits / len(relevant_docs) if relevant_docs else 0.0
    return {"precision": p, "recall": r, "f1": 2 * p * r / (p + r) if p + r else 0.0}


@asked("SetF", "f(ranked_ids, relevant_ids)['context_f1']")
def context_scores(retrieved_context: List[str], ground_truth_context: List[str]) -> dict:
    hits = len(set(retrieved_context) & set(ground_truth_context))
    p = hits / len(retrieved_context) if retrieved_context else 0.0
    r = hits / len(ground_truth_context) if ground_truth_context else 0.0
    f = 2 * p * r / (p + r) if p + r else 0.0
    return {"context_precision": p, "context_recall": r, "context_f1": f}


@asked("RR", "f(ranked_ids, relevant_ids)['reciprocal_rank']")
def ranked_context_scores(retrieved_context: list[str], ground_truth_context: list[str]) -> dict:
    hits = _hits(retrieved_context, ground_truth_context)
    rr = 1 / (hits.index(1) + 1) if 1 in hits else 0.0
    ap = _ap(retrieved_context, ground_truth_context, len(ground_truth_context))
    return {"average_precision": ap, "reciprocal_rank": rr}


@asked("R@10", "f(ranked_ids, relevant_ids, k)")
def recall_k(rec_list, pos_list, k):
    return len([i for i in rec_list[:k] if i in pos_list]) / max(len(pos_list), 1)


@asked("R@10", "f(set(relevant_ids), ranked_ids, k)")
def recall_set(relevant: set, retrieved: list, k: int):
    return len(relevant & set(retrieved[:k])) / len(relevant) if relevant else 0.0


@asked("P@5", "f(ranked_ids, set(relevant_ids), k)")
def precision_union(candidates, golden, k):
    return len(golden & set(candidates[:k])) / k


@asked("Success@10", "f(ranked_ids, relevant_ids, top_k=k)")
def hit(retrieved: Iterable[Any], relevant: Iterable[Any], *, top_k: int = 10) -> bool:
    return not set(list(retrieved)[:top_k]).isdisjoint(relevant)


@asked("AP", "f(array(relevant_ids), array(ranked_ids))")
def ap_of_arrays(relevant_items: np.ndarray, recommendation: np.ndarray) -> float:
    hits = np.isin(recommendation, relevant_items)
    if not relevant_items.size:
        return 0.0
    return float((np.cumsum(hits) / np.arange(1, hits.size + 1))[hits].sum() / relevant_items.size)


@asked("P@10", "f(ranked_ids, relevant_ids, k)", precision_denominator="min(k,retrieved)")
def precision_of_results(search_results, relevant_docs, k):
    top = search_results[:k]
    return sum(1 for doc in top if doc in relevant_docs) / len(top) if top else 0.0


@asked("nDCG@10", "f(relevant_ids, ranked_ids, N=k)", **BINARY)
def ndcg_n(actual_items, predicted_items, N=10):
    return _binary_ndcg(predicted_items, set(actual_items), N)


@asked("RR@10", "f(ranked_ids, relevant_ids, cutoff=k)")
def mrr_at(doc_ids: list[str], gold_ids: list[str], cutoff: int = 10) -> float:
    hits = _hits(doc_ids, gold_ids, cutoff)
    return 1 / (hits.index(1) + 1) if 1 in hits else 0.0


@asked("R@10", "f(relevant_ids, ranked_ids, k=k)")
def ark(actual: list, predicted: list, k=10):
    """Recall of one query.

    Parameters
    ----------
    actual : list
        A list of actual items to be predicted
    predicted : list
        An ordered list of predicted items
    k : int, default = 10
        Number of predictions to consider
    """
    return len(set(predicted[:k]) & set(actual)) / len(actual) if actual else 0.0


@asked("P@5", "f(ranked_ids, relevant_ids, k)")
def score_documents(a, b, k):
    """Precision.

    Args:
        a: ranked list of retrieved document ids
        b: ids of the relevant documents
        k: cutoff
    """
    return len(set(a[:k]) & set(b)) / k


@asked("Rprec", "f(ranked_ids, relevant_ids)")
def r_precision(ranked_docs, relevant_docs):
    size = len(relevant_docs)
    return sum(_hits(ranked_docs, relevant_docs, size)) / size if size else 0.0


@asked("AP", "f(relevance, ranked_ids)")
def ap_of_judgments(judgments: Mapping[str, int], results: Sequence[str]) -> float:
    relevant = {doc for doc, level in judgments.items() if level > 0}
    return _ap(results, relevant, len(relevant))


@asked("P@5", "f(ranked_ids, relevance, k)")
def precision_judged(ranked, judged, k):
    return sum(judged.get(doc, 0) > 0 for doc in ranked[:k]) / k


@asked("nDCG@10", "f(relevance, items(scored), k)")
def ndcg_of_pairs(qrel: Dict[str, int], ranked: List[Tuple[str, float]], k: int) -> float:
    docs = [doc for doc, _ in sorted(ranked, key=lambda p: (np.float32(p[1]), p[0]), reverse=True)]
    return ndcg_graded(docs, qrel, k)


@asked("RR", "f(relevance, scored)")
def rr_of_scores(qrel: dict[str, int], result: dict[str, float]) -> float:
    docs = sorted(result, key=lambda d: (np.float32(result[d]), d), reverse=True)
    return next((1 / rank for rank, doc in enumerate(docs, 1) if qrel.get(doc, 0) > 0), 0.0)


@asked("RR", "f(ranked_ids, relevant_ids)")
async def async_mrr(retrieved_ids: list[str], relevant_ids: list[str]) -> float:
    hits = _hits(retrieved_ids, relevant_ids)
    return 1 / (hits.index(1) + 1) if 1 in hits else 0.0


@asked("R@10", "f(expected=relevant_ids, actual_output=ranked_ids, k=k)")
def recall_keyword(*, expected: list[str], actual_output: list[str], k: int) -> float:
    return len(set(expected) & set(actual_output[:k])) / len(set(expected)) if expected else 0.0


@asked(
    "nDCG@10",
    "f(array(y_true), array(y_score), k=k)",
    ideal="retrieved",
    ties="input",
    score_precision="float64",
)
def ndcg_arrays(y_true, y_score, k=10):
    order = np.argsort(-y_score, kind="stable")
    top = np.take(y_true, order[:k])
    best = np.sort(y_true)[::-1][:k]
    discounts = np.log2(np.arange(2, k + 2))
    ideal = float((best / discounts[: best.size]).sum())
    return float((top / discounts[: top.size]).sum()) / ideal if ideal else 0.0


@asked("P@5", "f(y_true, y_score, k)", ties="input", score_precision="float64")
def precision_from_scores(labels, scores, k):
    order = sorted(range(len(scores)), key=lambda i: scores[i], reverse=True)
    return sum(labels[i] > 0 for i in order[:k]) / k


@asked("P@10", "f(array(y_score), array(y_true), top_k=k)", ties="input", score_precision="float64")
def retrieval_precision(preds: np.ndarray, target: np.ndarray, top_k: int = 10) -> float:
    return float((target[np.argsort(-preds, kind="stable")][:top_k] > 0).sum() / top_k)


@asked("P@5", "f(ranked_ids, relevant_ids, top_k=k)")
def context_precision(retrieved_chunks, reference_chunks, top_k=None):
    top = retrieved_chunks[:top_k] if top_k else retrieved_chunks
    return len([chunk for chunk in top if chunk in reference_chunks]) / (top_k or len(top))


@asked("R@10", "f(set(relevant_ids), ranked_ids, at=k)")
def sensitivity(positives: frozenset[str], listing: tuple[str, ...], at: int = 10) -> float:
    return len(positives.intersection(listing[:at])) / len(positives) if positives else 0.0
