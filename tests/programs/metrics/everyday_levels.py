"""Metrics over the relevance levels of one ranked list, with signatures as in public packages."""

# mypy: ignore-errors
# The text file uses what is imported.
# ruff: noqa: F401

from __future__ import annotations

import math
from typing import Optional

import numpy as np

from tests.programs.metrics.asked import asked, define
from tests.programs.metrics.reference import over


def _linear(levels, k=None):
    return sum(level / math.log2(rank + 1) for rank, level in enumerate(levels[:k], 1))


def _exponential(levels, k=None):
    return _linear([2.0**level - 1 for level in levels], k)


def _ndcg(levels, k=None, ideal=None, dcg=_linear):
    best = dcg(sorted(levels if ideal is None else ideal, reverse=True), k)
    return dcg(levels, k) / best if best > 0 else 0.0


def _ap(ranks, num_rel):
    return sum(i / rank for i, rank in enumerate(ranks, 1)) / num_rel if num_rel else 0.0


def _ranks(levels):
    return [rank for rank, level in enumerate(levels, 1) if level]


def _hits(levels, k):
    return int(np.count_nonzero(np.asarray(levels)[:k]))


@asked("ERR@10", "f(gains, max_grade=max_grade, k=k)")
def err(grades, k=10, max_grade=4):
    p, total = 1.0, 0.0
    for rank, grade in enumerate(grades[:k], 1):
        chance = (2**grade - 1) / 2**max_grade
        total += p * chance / rank
        p *= 1 - chance
    return total


define(globals())
