"""Metrics over the relevance levels of one ranked list, with signatures as in public packages."""

# mypy: ignore-errors
# ruff: noqa: UP006, UP007, UP035, UP045

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import List, Optional, Union

import numpy as np
import numpy.typing as npt

from tests.programs.metrics.asked import asked


def _dcg(levels, k=None):
    return sum(level / math.log2(rank + 1) for rank, level in enumerate(levels[:k], 1))


def _exponential(levels, k=None):
    return _dcg([2.0**level - 1 for level in levels], k)


LIST_ONLY = {"universe": "retrieved"}


@asked("P@10", "f(gains, k)")
def precision_at_k(r, k):
    return sum(np.asarray(r)[:k] != 0) / k


@asked("P@5", "f(binary, k)")
def precision_mean(r, k):
    assert k >= 1
    return float(np.sum(r[:k]) / k)


@asked("AP", "f(gains)", ap_denominator="retrieved-relevant")
def average_precision(r):
    r = np.asarray(r) != 0
    out = [np.mean(r[: k + 1]) for k in range(r.size) if r[k]]
    return float(np.mean(out)) if out else 0.0


@asked("AP", "f(each(gains))", ap_denominator="retrieved-relevant")
def mean_average_precision(rs):
    return np.mean([average_precision(r) for r in rs])


@asked("RR", "f(each(gains))")
def mean_reciprocal_rank(rs):
    firsts = (np.asarray(r).nonzero()[0] for r in rs)
    return np.mean([1.0 / (f[0] + 1) if f.size else 0.0 for f in firsts])


@asked("Rprec", "f(gains)", unexplained=True)
def r_precision(r):
    r = np.asarray(r) != 0
    z = r.nonzero()[0]
    return float(np.mean(r[: z[-1] + 1])) if z.size else 0.0


@asked("DCG@10", "f(gains, k)")
def dcg_method(r, k, method=0):
    r = np.asarray(r, dtype=float)[:k]
    return float(np.sum(r / np.log2(np.arange(2, r.size + 2)))) if r.size else 0.0


@asked("nDCG@10", "f(gains, k)", ideal="retrieved")
def ndcg_at_k(r, k):
    best = _dcg(sorted(r, reverse=True), k)
    return _dcg(r, k) / best if best else 0.0


@asked("nDCG@10", "f(gains, k=k)", ideal="retrieved-at-k")
def ndcg_of_the_first(relevance: List[int], k: int = 10) -> float:
    best = _dcg(sorted(relevance[:k], reverse=True))
    return _dcg(relevance[:k]) / best if best > 0 else 0.0


@asked("RR", "f(array(binary))")
def reciprocal_rank(relevance: np.ndarray) -> float:
    first = relevance.argmax()
    return 1.0 / (first + 1) if relevance[first] else 0.0


@asked("P@5", "f(array(binary), k)")
def precision_of_array(relevance: npt.NDArray[np.int_], k: int) -> float:
    return float(relevance[:k].sum() / k)


@asked("R@10", "f(binary, num_rel, k)")
def recall_at_k(relevance, num_relevant, k):
    return sum(relevance[:k]) / num_relevant if num_relevant else 0.0


@asked("AP", "f(binary, num_rel)")
def ap_of_hits(hits: List[int], n_relevant: int) -> float:
    found = total = 0
    for rank, hit in enumerate(hits, 1):
        if hit:
            found += 1
            total += found / rank
    return total / n_relevant if n_relevant else 0.0


@asked("nDCG@10", "f(gains, judged_gains, k)")
def ndcg_with_ideal(relevances, ideal_relevances, k):
    best = _dcg(sorted(ideal_relevances, reverse=True), k)
    return _dcg(relevances, k) / best if best else 0.0


@asked("nDCG@5", "f(gains, judged_gains, k=k)", gain="exponential")
def ndcg_all_rels(rels: Sequence[float], all_rels: Sequence[float], k: int = 10) -> float:
    best = _exponential(sorted(all_rels, reverse=True), k)
    return _exponential(rels, k) / best if best > 0 else 0.0


@asked("DCG@10", "f(gains, k)", gain="exponential")
def compute_dcg_at_k(relevances: List[float], k: int) -> float:
    return _exponential(relevances, k)


@asked("DCG", "f(gains)")
def dcg(relevance_scores):
    return _dcg(list(relevance_scores))


@asked("nDCG", "f(gains)", ideal="retrieved")
def ndcg(relevance_scores: Iterable[float]):
    levels = list(relevance_scores)
    return _dcg(levels) / _dcg(sorted(levels, reverse=True)) if any(levels) else 0.0


@asked("Success@5", "f(gains, k)")
def hit_at_k(r, k):
    return 1.0 if np.sum(np.asarray(r)[:k]) > 0 else 0.0


@asked("R@10", "f(binary, k, num_rel)")
def recall_of_positives(r, k, all_pos_num):
    return np.sum(np.asarray(r)[:k]) / all_pos_num if all_pos_num else 0.0


@asked("DCG@10", "f(array(gains), k)", gain="exponential")
def dcg_vectorised(scores_true, k):
    gains = 2**scores_true - 1
    return float((gains[:k] / np.log2(np.arange(len(gains[:k])) + 2)).sum())


@asked("AP", "f(binary, num_rel)")
def ap_total(is_relevant, total_relevant):
    found, total = 0, 0.0
    for i, one in enumerate(is_relevant):
        if one == 1:
            found += 1
            total += found / (i + 1)
    return total / total_relevant if total_relevant else 0.0


@asked("RR", "f(binary)")
def mrr_of_list(ranked_relevance: list[int]) -> float:
    return next((1 / rank for rank, rel in enumerate(ranked_relevance, 1) if rel == 1), 0.0)


@asked("P@5", "f(binary, k)")
def precision(rank_list, k):
    """Share of hits.

    :param rank_list: list of 0/1 in rank order
    :param k: cutoff
    """
    return sum(rank_list[:k]) / k


@asked("R@5", "f(gains, num_rel, k=k)")
def recall(rank_list, num_positives, k=5):
    return sum(1 for hit in rank_list[:k] if hit) / num_positives if num_positives else 0.0


@asked("nDCG@10", "f(gains, k=k)", ideal="retrieved", gain="exponential")
def normalized_dcg(grades: list[int], k: Optional[int] = None) -> float:
    """Normalised discounted cumulative gain.

    Args:
        grades: graded relevance of the documents in rank order
        k: cutoff
    """
    best = _exponential(sorted(grades, reverse=True), k)
    return _exponential(grades, k) / best if best else 0.0


# Levels above its highest make its values exceed 1: no convention does that.
@asked("ERR@10", "f(gains, k=k)", unexplained=True)
def err(grades, k=10, max_grade=4):
    p, total = 1.0, 0.0
    for rank, grade in enumerate(grades[:k], 1):
        chance = (2**grade - 1) / 2**max_grade
        total += p * chance / rank
        p *= 1 - chance
    return total


@asked("RR", "f(ranks)")
def rr_from_ranks(ranks):
    return 1 / min(ranks) if ranks else 0.0


@asked("AP", "f(ranks, num_rel)")
def ap_from_positions(positions: Sequence[int], n_rel: int) -> float:
    return sum(i / rank for i, rank in enumerate(sorted(positions), 1)) / n_rel if n_rel else 0.0


@asked("P@10", "f(gains, k)", precision_denominator="min(k,retrieved)")
def precision_short(relevant_vector: Union[list, np.ndarray], k: int) -> float:
    top = np.asarray(relevant_vector)[:k]
    return float((top > 0).mean()) if top.size else 0.0


@asked("SetP", "f(binary)")
def precision_of_notebook(relevance):
    return float(np.mean(relevance)) if len(relevance) else 0.0


@asked("DCG@6", "f(gains, k)", discount="jarvelin")
def dcg_original(rel, k):
    rel = np.asarray(rel, float)[:k]
    return float(rel[0] + np.sum(rel[1:] / np.log2(np.arange(2, rel.size + 1)))) if rel.size else 0.0


@asked("Success@5", "f(binary, k)")
def any_click(clicks, k):
    return float(1 in clicks[:k])


@asked("nDCG@10", "f(gains, k, judged_gains)")
def ndcg_at_k_of_all(scored_relevances, k, full_relevances):
    best = _dcg(sorted(full_relevances, reverse=True), k)
    return _dcg(scored_relevances, k) / best if best else 0.0


@asked("R@10", "f(binary, num_rel, k=k)")
def recall_at_k_padded(r, max_rel, k=None):
    return np.sum(np.asarray(r)[:k]) / max_rel if max_rel else 0.0
