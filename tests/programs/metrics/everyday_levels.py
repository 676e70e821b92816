"""Metrics over the relevance levels of one ranked list, with signatures as in public packages."""

# mypy: ignore-errors
# ruff: noqa: UP045

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Optional

import numpy as np

from tests.programs.metrics.asked import asked, define


def _linear(levels, k=None):
    return sum(level / math.log2(rank + 1) for rank, level in enumerate(levels[:k], 1))


def _exponential(levels, k=None):
    return _linear([2.0**level - 1 for level in levels], k)


def _ndcg(levels, k=None, ideal=None, dcg=_linear):
    best = dcg(sorted(levels if ideal is None else ideal, reverse=True), k)
    return dcg(levels, k) / best if best > 0 else 0.0


def _ap(ranks, num_rel):
    return sum(i / rank for i, rank in enumerate(ranks, 1)) / num_rel if num_rel else 0.0


def _hits(levels, k):
    return int(np.count_nonzero(np.asarray(levels)[:k]))


_FORMULAS = {
    "P": lambda gains, k: _hits(gains, k) / k,
    "P; precision_denominator=min(k,retrieved)": lambda gains, k: (
        _hits(gains, k) / len(gains[:k]) if len(gains) else 0.0
    ),
    "P of binary": lambda binary, k: sum(binary[:k]) / k,
    "R of binary": lambda binary, num_rel, k: sum(binary[:k]) / num_rel if num_rel else 0.0,
    "R": lambda gains, num_rel, k: _hits(gains, k) / num_rel if num_rel else 0.0,
    "SetP": lambda binary: float(np.mean(binary)) if len(binary) else 0.0,
    "Success": lambda gains, k: 1.0 if np.sum(np.asarray(gains)[:k]) > 0 else 0.0,
    "Success of binary": lambda binary, k: float(1 in binary[:k]),
    "RR": lambda binary: next((1 / rank for rank, level in enumerate(binary, 1) if level == 1), 0.0),
    "AP": lambda binary, num_rel: _ap([rank for rank, hit in enumerate(binary, 1) if hit], num_rel),
    "DCG": lambda gains, k=None: _linear(list(gains), k),
    "DCG; gain=exponential": lambda gains, k: _exponential(gains, k),
    "nDCG": lambda gains, judged_gains, k: _ndcg(gains, k, judged_gains),
    "nDCG; gain=exponential": lambda gains, judged_gains, k: _ndcg(gains, k, judged_gains, _exponential),
    "nDCG; ideal=retrieved": lambda gains, k=None: _ndcg(list(gains), k),
    "nDCG; ideal=retrieved-at-k": lambda gains, k: _ndcg(gains[:k]),
}
define(
    globals(),
    """
f(gains, k)
    P@10 precision_at_k(r, k)
    P@10 precision_short(relevant_vector: Union[list, np.ndarray], k: int) -> float; \
precision_denominator=min(k,retrieved)
    nDCG@10 ndcg_at_k(r, k); ideal=retrieved
    DCG@10 compute_dcg_at_k(relevances: List[float], k: int) -> float; gain=exponential
    Success@5 hit_at_k(r, k)
f(binary, k)
    P@5 precision_mean(r, k)
    Success@5 any_click(clicks, k)
f(array(binary), k)
    P@5 precision_of_array(relevance: npt.NDArray[np.int_], k: int) -> float
f(gains, k=k)
    nDCG@10 ndcg_of_the_first(relevance: List[int], k: int = 10) -> float; ideal=retrieved-at-k
f(binary, num_rel, k)
    R@10 recall_at_k(relevance, num_relevant, k)
f(binary, num_rel, k=k)
    R@10 recall_at_k_padded(r, max_rel, k=None)
f(binary, k, num_rel)
    R@10 recall_of_positives(r, k, all_pos_num)
f(gains, num_rel, k=k)
    R@5 recall(rank_list, num_positives, k=5)
f(binary)
    RR mrr_of_list(ranked_relevance: list[int]) -> float
    SetP precision_of_notebook(relevance)
f(binary, num_rel)
    AP ap_of_hits(hits: List[int], n_relevant: int) -> float
    AP ap_total(is_relevant, total_relevant)
f(gains, judged_gains, k=k)
    nDCG@5 ndcg_all_rels(rels: Sequence[float], all_rels: Sequence[float], k: int = 10) -> float; \
gain=exponential
f(gains, k, judged_gains)
    nDCG@10 ndcg_at_k_of_all(scored_relevances, k, full_relevances)
f(gains)
    DCG dcg(relevance_scores)
    nDCG ndcg(relevance_scores: Iterable[float]); ideal=retrieved
""",
    _FORMULAS,
)


@asked("nDCG@10", "f(gains, ideal_gains, k)")
def ndcg_with_ideal(relevances, ideal_relevances, k):
    return _ndcg(relevances, k, ideal_relevances)


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


@asked("DCG@10", "f(array(gains), k)", gain="exponential")
def dcg_vectorised(scores_true, k):
    return dcg_method(2**scores_true - 1, k)


@asked("RR", "f(array(binary))")
def reciprocal_rank(relevance: np.ndarray) -> float:
    first = relevance.argmax()
    return 1.0 / (first + 1) if relevance[first] else 0.0


@asked("P@5", "f(binary, k)")
def precision(rank_list, k):
    """Share of hits.

    :param rank_list: list of 0/1 in rank order
    :param k: cutoff
    """
    return sum(rank_list[:k]) / k


@asked("nDCG@10", "f(gains, k=k)", ideal="retrieved", gain="exponential")
def normalized_dcg(grades: list[int], k: Optional[int] = None) -> float:
    """Normalised discounted cumulative gain.

    Args:
        grades: graded relevance of the documents in rank order
        k: cutoff
    """
    return _ndcg(grades, k, dcg=_exponential)


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
    return _ap(sorted(positions), n_rel)


@asked("DCG@6", "f(gains, k)", discount="jarvelin")
def dcg_original(rel, k):
    rel = np.asarray(rel, float)[:k]
    return float(rel[0] + np.sum(rel[1:] / np.log2(np.arange(2, rel.size + 1)))) if rel.size else 0.0
