"""Metrics over the ids of one query, with signatures as in public packages."""

# mypy: ignore-errors
# ruff: noqa: UP006, UP035

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Dict, List, Tuple

import numpy as np

from tests.programs.metrics.asked import asked, define


def _hits(ranked, relevant, k=None):
    return [int(doc in relevant) for doc in list(ranked)[:k]]


def _dcg(gains):
    return sum(gain / math.log2(i + 2) for i, gain in enumerate(gains))


def _over(part, whole):
    return part / whole if whole else 0.0


def _binary_ndcg(ranked_ids, relevant_ids, k):
    return _over(_dcg(_hits(ranked_ids, relevant_ids, k)), _dcg([1] * min(len(relevant_ids), k)))


def _graded_ndcg(ranked_ids, relevance, k, gain=float):
    best = sorted((gain(max(level, 0)) for level in relevance.values()), reverse=True)[:k]
    return _over(_dcg([gain(max(relevance.get(doc, 0), 0)) for doc in ranked_ids[:k]]), _dcg(best))


def _of_chunks(ranked_ids, relevant_ids, k):
    hits = _hits(ranked_ids, relevant_ids, k)
    return _over(_dcg(hits), _dcg(sorted(hits, reverse=True)))


def _of_grades(ranked_ids, relevance, k):
    found = [2 ** relevance.get(doc, 0) - 1 for doc in ranked_ids[:k]]
    return _over(_dcg(found), _dcg(sorted(found, reverse=True)))


def _of_visits(ranked_ids, relevant_ids, k):
    discounts = [math.log(i) if i > 1 else 1.0 for i in range(1, len(ranked_ids[:k]) + 1)]
    found = sum(hit / below for hit, below in zip(_hits(ranked_ids, relevant_ids, k), discounts, strict=True))
    return _over(found, sum(1.0 / below for below in discounts))


def _of_rated(ranked_ids, relevance, k):
    rated = {doc: level for doc, level in relevance.items() if level >= 0}
    return _graded_ndcg([doc for doc in ranked_ids[:k] if doc in rated], rated, k)


def _ap(ranked_ids, relevant_ids, below=None, k=None):
    hits = _hits(ranked_ids, relevant_ids, k)
    total = sum(sum(hits[:rank]) / rank for rank, hit in enumerate(hits, 1) if hit)
    return _over(total, len(relevant_ids) if below is None else below)


def _rr(ranked_ids, relevant_ids, k=None):
    return next((1 / rank for rank, hit in enumerate(_hits(ranked_ids, relevant_ids, k), 1) if hit), 0.0)


def _common(ranked_ids, relevant_ids, k=None):
    return len(set(ranked_ids[:k]) & set(relevant_ids))


BINARY = {"gain": "binary"}
_FORMULAS = {
    "P": lambda ranked_ids, relevant_ids, k: _common(ranked_ids, relevant_ids, k) / k,
    "P; precision_denominator=min(k,retrieved)": lambda ranked_ids, relevant_ids, k: _over(
        _common(ranked_ids, relevant_ids, k), len(ranked_ids[:k])
    ),
    "R": lambda ranked_ids, relevant_ids, k: _over(_common(ranked_ids, relevant_ids, k), len(relevant_ids)),
    "Success": lambda ranked_ids, relevant_ids, k: int(any(_hits(ranked_ids, relevant_ids, k))),
    "RR": _rr,
    "AP": _ap,
    "AP; ap_denominator=min(R,k)": lambda ranked_ids, relevant_ids, k: _ap(
        ranked_ids, relevant_ids, min(len(relevant_ids), k), k
    ),
    "Rprec": lambda ranked_ids, relevant_ids: _over(
        sum(_hits(ranked_ids, relevant_ids, len(relevant_ids))), len(relevant_ids)
    ),
    "nDCG": _graded_ndcg,
    "nDCG; gain=exponential": lambda ranked_ids, relevance, k: _graded_ndcg(
        ranked_ids, relevance, k, lambda level: 2**level - 1
    ),
    "nDCG; gain=binary": _binary_ndcg,
    "nDCG; gain=binary,ideal=retrieved-at-k": _of_chunks,
    "nDCG; gain=binary,discount=ln-jarvelin,ideal=max-grade-returned": _of_visits,
    "nDCG; depth=10,unjudged=removed": _of_rated,
    "nDCG; gain=exponential,ideal=retrieved-at-k,negatives=negative-gain": _of_grades,
}
define(
    globals(),
    """
f(relevant_ids, ranked_ids, k=k)
    AP@10 apk(actual, predicted, k=10); ap_denominator=min(R,k)
f(relevant_ids, ranked_ids, k)
    R@10 recall(y_true, y_pred, k)
    P@10 precision(y_true, y_pred, k)
    Success@5 hit_rate(gt, rs, k)
f(ranked_ids, set(relevant_ids), k)
    P@5 precision_at_k(recs: list[str], gt: set[str], k: int) -> float
    nDCG@10 ndcg_of_chunks(retrieved_ids: list[str], relevant_ids: set[str], k: int) -> float; \
gain=binary,ideal=retrieved-at-k
f(ints(ranked_ids), ints(relevant_ids), k=k)
    R@5 recall_at_k(recommended_items: List[int], test_items: List[int], k: int = 10) -> float
f(ranked_ids, set(relevant_ids), k=k)
    nDCG@10 ndcg(topk_items: Sequence[str], pos_items: Set[str], k: int = 10) -> float; gain=binary
f(ranked_ids, relevant_ids)
    RR mrr(retrieved_ids: list[str], expected_ids: list[str]) -> float
    AP compute_ap(ranked_list, ground_truth)
    Rprec r_precision(ranked_docs, relevant_docs)
f(relevant_ids, ranked_ids)
    RR reciprocal_rank(ground_truth, rank_list)
    AP average_precision(labels: Collection[str], preds: Sequence[str]) -> float
f(ranked_ids, relevance, k)
    nDCG@10 ndcg_graded(retrieved: List[str], relevance: Dict[str, int], k: int) -> float
    nDCG@10 ndcg_qrels(ranking, qrels, k); gain=exponential
    nDCG@10 ndcg_of_rated(retrieved: List[str], relevance: Dict[str, int], k: int) -> float; \
depth=10,unjudged=removed
    nDCG@10 ndcg_of_grades(retrieved: List[str], grades: Dict[str, int], k: int) -> float; \
gain=exponential,ideal=retrieved-at-k,negatives=negative-gain
f(set(relevant_ids), ranked_ids, k)
    nDCG@10 ndcg_of_visits(actual: Set[str], predicted: List[str], k: int) -> float; \
gain=binary,discount=ln-jarvelin,ideal=max-grade-returned
    R@10 recall_set(relevant: set, retrieved: list, k: int)
f(ranked_ids, relevant_ids, k)
    R@10 recall_k(rec_list, pos_list, k)
    P@10 precision_of_results(search_results, relevant_docs, k); precision_denominator=min(k,retrieved)
f(relevant_ids, ranked_ids, N=k)
    nDCG@10 ndcg_n(actual_items, predicted_items, N=10); gain=binary
f(ranked_ids, relevant_ids, cutoff=k)
    RR@10 mrr_at(doc_ids: list[str], gold_ids: list[str], cutoff: int = 10) -> float
f(expected=relevant_ids, actual_output=ranked_ids, k=k)
    R@10 recall_keyword(*, expected: list[str], actual_output: list[str], k: int) -> float
f(frozenset(relevant_ids), tuple(ranked_ids), at=k)
    R@10 sensitivity(positives: frozenset[str], listing: tuple[str, ...], at: int = 10) -> float
""",
    _FORMULAS,
)


@asked("R@5", "f(ranked_ids, relevant_ids, k)[1]")
def precision_and_recall(predictions, targets, k):
    hits = _common(predictions, targets, k)
    return hits / k, _over(hits, len(targets))


@asked("P@5", "f(ranked_ids, set(relevant_ids), k)")
def precision_union(candidates, golden, k):
    return len(golden & set(candidates[:k])) / k


@asked("P@5", "f(ranked_ids, relevant_ids, k)[0]")
def precision_recall(predictions, targets, k):
    return precision_and_recall(predictions, targets, k)


def _set_scores(ranked, relevant):
    hits = _common(ranked, relevant)
    p, r = _over(hits, len(ranked)), _over(hits, len(relevant))
    return p, r, _over(2 * p * r, p + r)


@asked("SetR", "f(ranked_ids, relevant_ids)['recall']")
def evaluate_retrieval(retrieved_docs: list[str], relevant_docs: list[str]) -> dict[str, float]:
    return dict(zip(("precision", "recall", "f1"), _set_scores(retrieved_docs, relevant_docs), strict=True))


@asked("SetF", "f(ranked_ids, relevant_ids)['context_f1']")
def context_scores(retrieved_context: List[str], ground_truth_context: List[str]) -> dict:
    names = "context_precision", "context_recall", "context_f1"
    return dict(zip(names, _set_scores(retrieved_context, ground_truth_context), strict=True))


@asked("RR", "f(ranked_ids, relevant_ids)['reciprocal_rank']")
def ranked_context_scores(retrieved_context: list[str], ground_truth_context: list[str]) -> dict:
    both = retrieved_context, ground_truth_context
    return {"average_precision": _ap(*both), "reciprocal_rank": _rr(*both)}


@asked("Success@10", "f(ranked_ids, relevant_ids, top_k=k)")
def hit(retrieved: Iterable[Any], relevant: Iterable[Any], *, top_k: int = 10) -> bool:
    return not set(list(retrieved)[:top_k]).isdisjoint(relevant)


@asked("AP", "f(array(relevant_ids), array(ranked_ids))")
def ap_of_arrays(relevant_items: np.ndarray, recommendation: np.ndarray) -> float:
    hits = np.isin(recommendation, relevant_items)
    if not relevant_items.size:
        return 0.0
    return float((np.cumsum(hits) / np.arange(1, hits.size + 1))[hits].sum() / relevant_items.size)


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
    return _over(_common(predicted, actual, k), len(actual))


@asked("P@5", "f(ranked_ids, relevant_ids, k)")
def score_documents(a, b, k):
    """Precision.

    Args:
        a: ranked list of retrieved document ids
        b: ids of the relevant documents
        k: cutoff
    """
    return _common(a, b, k) / k


@asked("AP", "f(relevance, ranked_ids)")
def ap_of_judgments(judgments: Mapping[str, int], results: Sequence[str]) -> float:
    return _ap(results, {doc for doc, level in judgments.items() if level > 0})


def _order(scores):
    return sorted(scores, key=lambda doc: (np.float32(scores[doc]), doc), reverse=True)


def _rr_of(judged, scores, k=None):
    return _rr(_order(scores), {doc for doc, level in judged.items() if level > 0}, k)


@asked("nDCG@10", "f(relevance, items(scored), k)")
def ndcg_of_pairs(qrel: Dict[str, int], ranked: List[Tuple[str, float]], k: int) -> float:
    return _graded_ndcg(_order(dict(ranked)), qrel, k)


@asked("RR", "f(relevance, scored)")
def rr_of_scores(qrel: dict[str, int], result: dict[str, float]) -> float:
    return _rr_of(qrel, result)


@asked("RR", "f(ranked_ids, relevant_ids)")
async def async_mrr(retrieved_ids: list[str], relevant_ids: list[str]) -> float:
    return _rr(retrieved_ids, relevant_ids)


@asked("bpref", "f(ranked_ids, set(relevant_ids), set(nonrelevant_ids))")
def bpref(ranking: list[str], relevant: set[str], judged_nonrel: set[str]) -> float:
    above, total = 0, 0.0
    for doc in ranking:
        above += doc in judged_nonrel
        if doc in relevant:
            total += 1 - (min(above, len(relevant)) / min(len(relevant), len(judged_nonrel)) if above else 0)
    return _over(total, len(relevant))


@asked("R@10", "f(ints(ranked_ids), ints(relevant_ids), k=k)")
def recall_of_mask(recommended_items: List[int], relevant_items: List[int], k: int = 10) -> float:
    mask = np.zeros(max([*recommended_items, *relevant_items, 0]) + 1, bool)
    mask[recommended_items[:k]] = True
    return _over(mask[relevant_items].sum(), len(relevant_items))


@asked("P@5", "f(query, ranked_ids, qrels, k)")
def precision_of_query(query_id: str, ranked: List[str], qrels: Dict[str, Dict[str, int]], k: int) -> float:
    return _common(ranked, [doc for doc, level in qrels.get(query_id, {}).items() if level > 0], k) / k


IN_DOUBLE = {"ties": "input", "score_precision": "float64"}


@asked("nDCG@10", "f(array(y_true), array(y_score), k=k)", ideal="retrieved", **IN_DOUBLE)
def ndcg_arrays(y_true, y_score, k=10):
    discounts = np.log2(np.arange(2, k + 2))
    own, best = (
        float((levels[:k] / discounts[: levels[:k].size]).sum())
        for levels in (y_true[np.argsort(-y_score, kind="stable")], np.sort(y_true)[::-1])
    )
    return _over(own, best)


@asked("P@5", "f(y_true, y_score, k)", **IN_DOUBLE)
def precision_from_scores(labels, scores, k):
    order = sorted(range(len(scores)), key=lambda i: scores[i], reverse=True)
    return sum(labels[i] > 0 for i in order[:k]) / k


@asked("P@10", "f(array(y_score), array(y_true), top_k=k)", **IN_DOUBLE)
def retrieval_precision(preds: np.ndarray, target: np.ndarray, top_k: int = 10) -> float:
    return float((target[np.argsort(-preds, kind="stable")][:top_k] > 0).sum() / top_k)


@asked("RR", "f(relevant_id, ranked_ids)")
def rank_of_expected(expected_id: str, retrieved_ids: List[str]) -> float:
    return next((1 / rank for rank, found in enumerate(retrieved_ids, 1) if found == expected_id), 0.0)


@asked("nDCG@10", "f(ranked_ids, relevant_id, k=k)")
def getNDCG(ranklist, gtItem, k=10):  # noqa: N802, N803
    return next((1 / np.log2(rank + 1) for rank, item in enumerate(ranklist[:k], 1) if item == gtItem), 0)


@asked("Success@10", "f(ints(ranked_ids), ints(relevant_id), k=k)")
def hit_at_k(recommended: List[int], target: int, k: int = 10) -> int:
    return int(target in recommended[:k])
