"""Metrics over the ids of one query, with signatures as in public packages."""

# mypy: ignore-errors
# The text file uses what is imported.
# ruff: noqa: F401, UP006, UP035

from __future__ import annotations

import math
from typing import List

import numpy as np

from tests.programs.metrics.asked import asked, define
from tests.programs.metrics.everyday_levels import _exponential, _ndcg, _ranks
from tests.programs.metrics.everyday_levels import _linear as _dcg
from tests.programs.metrics.reference import over


def _hits(ranked, relevant, k=None):
    return [int(doc in relevant) for doc in list(ranked)[:k]]


def _binary_ndcg(ranked_ids, relevant_ids, k):
    return _ndcg(_hits(ranked_ids, relevant_ids), k, [1] * len(relevant_ids))


def _graded_ndcg(ranked_ids, relevance, k, dcg=_dcg):
    found, ideal = ([max(relevance.get(doc, 0), 0) for doc in docs] for docs in (ranked_ids, relevance))
    return _ndcg(found, k, ideal, dcg)


def _of_found(gains):
    return over(_dcg(gains), _dcg(sorted(gains, reverse=True)))


def _ap(ranked_ids, relevant_ids, below=None, k=None):
    hits = _ranks(_hits(ranked_ids, relevant_ids, k))
    return over(
        sum(i / rank for i, rank in enumerate(hits, 1)), len(relevant_ids) if below is None else below
    )


def _rr(ranked_ids, relevant_ids, k=None):
    return over(1, min(_ranks(_hits(ranked_ids, relevant_ids, k)), default=0))


def _common(ranked_ids, relevant_ids, k=None):
    return len(set(ranked_ids[:k]) & set(relevant_ids))


def _set_scores(ranked, relevant):
    hits = _common(ranked, relevant)
    p, r = over(hits, len(ranked)), over(hits, len(relevant))
    return p, r, over(2 * p * r, p + r)


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


define(globals())
