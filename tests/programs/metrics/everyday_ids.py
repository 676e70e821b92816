"""Metrics over the ids of one query, with signatures as in public packages."""

# mypy: ignore-errors
# ruff: noqa: UP006, UP035

from __future__ import annotations

import math
from typing import List

import numpy as np

from tests.programs.metrics.asked import asked, define
from tests.programs.metrics.everyday_levels import _linear as _dcg
from tests.programs.metrics.reference import over


def _hits(ranked, relevant, k=None):
    return [int(doc in relevant) for doc in list(ranked)[:k]]


def _binary_ndcg(ranked_ids, relevant_ids, k):
    return over(_dcg(_hits(ranked_ids, relevant_ids, k)), _dcg([1] * min(len(relevant_ids), k)))


def _graded_ndcg(ranked_ids, relevance, k, gain=float):
    best = sorted((gain(max(level, 0)) for level in relevance.values()), reverse=True)[:k]
    return over(_dcg([gain(max(relevance.get(doc, 0), 0)) for doc in ranked_ids[:k]]), _dcg(best))


def _of_found(gains):
    return over(_dcg(gains), _dcg(sorted(gains, reverse=True)))


def _of_visits(ranked_ids, relevant_ids, k):
    discounts = [math.log(i) if i > 1 else 1.0 for i in range(1, len(ranked_ids[:k]) + 1)]
    found = sum(hit / below for hit, below in zip(_hits(ranked_ids, relevant_ids, k), discounts, strict=True))
    return over(found, sum(1.0 / below for below in discounts))


def _of_rated(ranked_ids, relevance, k):
    rated = {doc: level for doc, level in relevance.items() if level >= 0}
    return _graded_ndcg([doc for doc in ranked_ids[:k] if doc in rated], rated, k)


def _ap(ranked_ids, relevant_ids, below=None, k=None):
    hits = _hits(ranked_ids, relevant_ids, k)
    total = sum(sum(hits[:rank]) / rank for rank, hit in enumerate(hits, 1) if hit)
    return over(total, len(relevant_ids) if below is None else below)


def _rr(ranked_ids, relevant_ids, k=None):
    return next((1 / rank for rank, hit in enumerate(_hits(ranked_ids, relevant_ids, k), 1) if hit), 0.0)


def _common(ranked_ids, relevant_ids, k=None):
    return len(set(ranked_ids[:k]) & set(relevant_ids))


BINARY = {"gain": "binary"}


def _set_scores(ranked, relevant):
    hits = _common(ranked, relevant)
    p, r = over(hits, len(ranked)), over(hits, len(relevant))
    return p, r, over(2 * p * r, p + r)


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
    return over(_common(predicted, actual, k), len(actual))


@asked("P@5", "f(ranked_ids, relevant_ids, k)")
def score_documents(a, b, k):
    """Precision.

    Args:
        a: ranked list of retrieved document ids
        b: ids of the relevant documents
        k: cutoff
    """
    return _common(a, b, k) / k


def _order(scores):
    return sorted(scores, key=lambda doc: (np.float32(scores[doc]), doc), reverse=True)


def _rr_of(judged, scores, k=None):
    return _rr(_order(scores), {doc for doc, level in judged.items() if level > 0}, k)


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
    return over(total, len(relevant))


@asked("R@10", "f(ints(ranked_ids), ints(relevant_ids), k=k)")
def recall_of_mask(recommended_items: List[int], relevant_items: List[int], k: int = 10) -> float:
    mask = np.zeros(max([*recommended_items, *relevant_items, 0]) + 1, bool)
    mask[recommended_items[:k]] = True
    return over(mask[relevant_items].sum(), len(relevant_items))


IN_DOUBLE = {"ties": "input", "score_precision": "float64"}


@asked("nDCG@10", "f(array(y_true), array(y_score), k=k)", ideal="retrieved", **IN_DOUBLE)
def ndcg_arrays(y_true, y_score, k=10):
    discounts = np.log2(np.arange(2, k + 2))
    own, best = (
        float((levels[:k] / discounts[: levels[:k].size]).sum())
        for levels in (y_true[np.argsort(-y_score, kind="stable")], np.sort(y_true)[::-1])
    )
    return over(own, best)


define(globals())
