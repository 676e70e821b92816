"""Metrics over the relevance levels of one ranked list, with signatures as in public packages."""

# mypy: ignore-errors
# ruff: noqa: UP045

from __future__ import annotations

import math
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


@asked("AP", "f(gains)", ap_denominator="retrieved-relevant")
def average_precision(r):
    r = np.asarray(r) != 0
    out = [np.mean(r[: k + 1]) for k in range(r.size) if r[k]]
    return float(np.mean(out)) if out else 0.0


@asked("RR", "f(each(gains))")
def mean_reciprocal_rank(rs):
    firsts = (np.asarray(r).nonzero()[0] for r in rs)
    return np.mean([1.0 / (f[0] + 1) if f.size else 0.0 for f in firsts])


@asked("Rprec", "f(gains)", unexplained=True)
def r_precision(r):
    r = np.asarray(r) != 0
    z = r.nonzero()[0]
    return float(np.mean(r[: z[-1] + 1])) if z.size else 0.0


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


@asked("DCG@6", "f(gains, k)", discount="jarvelin")
def dcg_original(rel, k):
    rel = np.asarray(rel, float)[:k]
    return float(rel[0] + np.sum(rel[1:] / np.log2(np.arange(2, rel.size + 1)))) if rel.size else 0.0


define(globals())
