"""The measures and conventions that only trec_eval 10 has, against plain Python that adds in its order."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from ctypes import c_float
from typing import TypeAlias

from hypothesis import given, settings

import crosscheck
from tests.support.strategies import QrelsDict, RunDict, qrels_and_run

#: Levels of a ranking (-1: none, or a negative one) and of all judged documents -> value.
Formula: TypeAlias = Callable[[Sequence[int], Sequence[int]], float]


def added(terms: Sequence[float]) -> float:
    total = 0.0
    for term in terms:
        total += term
    return total


def dcg(levels: Sequence[int]) -> float:
    return added([level / math.log2(i + 1) for i, level in enumerate(levels, 1) if level > 0])


def weights(p: float, number: int) -> list[float]:
    found = [1.0]
    for _ in range(number):
        found.append(found[-1] * p)
    return found


def rbp(p: float) -> Formula:
    def value(ranking: Sequence[int], pool: Sequence[int]) -> float:
        highest = max(1, *pool)  # levels that do not lie in [0, 1] are scaled
        gains = [max(level, 0) / highest * w for level, w in zip(ranking, weights(p, 99), strict=False)]
        return (1.0 - p) * added(gains)

    return value


def residual(p: float) -> Formula:
    def value(ranking: Sequence[int], pool: Sequence[int]) -> float:
        unjudged = [w for level, w in zip(ranking, weights(p, 99), strict=False) if level < 0]
        return weights(p, 99)[len(ranking)] + (1.0 - p) * added(unjudged) if unjudged else 0.0

    return value


def interpolated(point: float) -> Formula:
    def value(ranking: Sequence[int], pool: Sequence[int]) -> float:
        exact = point * sum(level > 0 for level in pool)
        needed = math.floor(exact) + (exact - math.floor(exact) >= 0.5)
        precisions, found = [], 0
        for rank, level in enumerate(ranking, 1):
            found += level > 0
            precisions.append(found / rank)
        last = [i for i, level in enumerate(ranking) if level > 0]
        if needed > found:
            return 0.0
        return max(precisions[last[needed - 1] if needed else 0 :])

    return value


def eleven_points(ranking: Sequence[int], pool: Sequence[int]) -> float:
    return added([interpolated(i / 10)(ranking, pool) for i in range(10, -1, -1)]) / 11


FORMULAS: dict[str, Formula] = {
    "dcg": lambda ranking, pool: dcg(ranking),
    "DCG@3": lambda ranking, pool: dcg(ranking[:3]),
    "ideal_dcg": lambda ranking, pool: dcg(sorted(pool, reverse=True)),
    "unj_5": lambda ranking, pool: sum(level < 0 for level in ranking[:5]) / 5,
    "rbp": rbp(0.9),
    "rbp(p=0.123)": rbp(0.123),
    "rbp_resid": residual(0.9),
    "rbp_resid(p=0.5)": residual(0.5),
    **{f"IPrec@{point}": interpolated(point) for point in (0.0, 0.3, 0.5, 0.6, 1.0)},
    "11pt_avg": eleven_points,
}


@settings(max_examples=100)
@given(data=qrels_and_run())
def test_values_have_the_bits_of_a_loop(data: tuple[QrelsDict, RunDict]) -> None:
    """Ties, negatives, unjudged documents: recall points are rounded."""
    qrels, run = data
    found = crosscheck.evaluate(qrels, run, list(FORMULAS), conventions="recall_points=round")
    for query, values in found.items():
        scores = {docno: (c_float(score).value, docno.encode()) for docno, score in run[query].items()}
        in_order = sorted(scores, key=lambda docno: scores[docno], reverse=True)
        ranking = [max(qrels[query].get(docno, -1), -1) for docno in in_order]
        pool = [level for level in qrels[query].values() if level >= 0]
        assert values == {name: formula(ranking, pool) for name, formula in FORMULAS.items()}
