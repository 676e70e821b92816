"""Discounted cumulative gain of a list, and its normalised form."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from crosscheck.axes.discount import DISCOUNT, Discount
from crosscheck.axes.gain import GAIN, Gain
from crosscheck.axes.ideal import IDEAL, Ideal
from crosscheck.errors import ArgumentError, UsageError
from crosscheck.vectors._shared import axes_of, checked_levels, depth_of, ratio, total

__all__ = ["dcg", "ideal_dcg", "ndcg"]


def dcg(
    rel: Iterable[float],
    k: int | None = None,
    *,
    gain: str = "linear",
    discount: str = "log2(i+1)",
    relevance_level: float = 1,
) -> float:
    """Gain over discount, added up in rank order to the cutoff (trec_eval 10 ``dcg``).

    Args:
        gain: ``linear``, the level itself; ``exponential``, 2^level - 1 (Burges et al., 2005; gdeval,
            XGBoost, LightGBM, TF-Ranking, Elasticsearch, ranx ``ndcg_burges``); ``binary``, 1 from
            ``relevance_level`` on (sentence-transformers, recommenders, pyndeval); ``2^level`` above 0;
            ``2^level-of-all``, which is 1 for level 0; or ``level^2``.
        discount: ``log2(i+1)``; ``ln(i+1)``; ``log10(i+1)``; ``jarvelin``, 1 at ranks 1 and 2, then log2(i)
            (Järvelin and Kekäläinen, 2002, with b = 2); ``jarvelin-3`` and ``jarvelin-10``, the same with
            another b: 1 above rank b, from there on log_b(i); ``ln-jarvelin``, 1 at rank 1, then ln(i);
            ``rank``; or ``none``.

    >>> dcg([4, 4, 3, 0, 0, 1, 3, 3, 3, 0], 6, discount="jarvelin")
    10.279642067948915
    """
    axes = axes_of(gain=gain, discount=discount)
    return _discounted(
        _gains(checked_levels(rel)[: depth_of(k)], axes[GAIN], relevance_level), axes[DISCOUNT]
    )


def ideal_dcg(
    rel: Iterable[float],
    k: int | None = None,
    *,
    judged: Iterable[float] | None = None,
    max_grade: float | None = None,
    gain: str = "linear",
    discount: str = "log2(i+1)",
    ideal: str = "qrels",
    relevance_level: float = 1,
) -> float:
    """DCG of the list that :func:`ndcg` divides by; the arguments are described there."""
    axes, levels, depth = axes_of(gain=gain, discount=discount, ideal=ideal), checked_levels(rel), depth_of(k)
    best: list[float]
    if axes[IDEAL] is Ideal.MAX_GRADE:
        if max_grade is None:
            raise UsageError("ideal='max-grade' needs max_grade, the highest level of the scale")
        best = [max_grade] * (len(levels) if depth is None else depth)
    elif axes[IDEAL] is Ideal.RETRIEVED:
        best = sorted(levels, reverse=True)[:depth]
    else:
        if judged is None:
            raise UsageError(
                "the ideal list holds all judged documents of the query, which a list does not tell",
                hint="give judged, the levels of all of them, or ideal='retrieved' to sort the list itself",
            )
        best = sorted(checked_levels(judged), reverse=True)
        if axes[IDEAL] is Ideal.HITS_RETURNED:
            best = best[: len(levels)]
        if axes[IDEAL] is not Ideal.UNTRUNCATED:
            best = best[:depth]
    return _discounted(_gains(best, axes[GAIN], relevance_level), axes[DISCOUNT])


def ndcg(
    rel: Iterable[float],
    k: int | None = None,
    *,
    judged: Iterable[float] | None = None,
    max_grade: float | None = None,
    gain: str = "linear",
    discount: str = "log2(i+1)",
    ideal: str = "qrels",
    relevance_level: float = 1,
) -> float:
    """DCG divided by the DCG of an ideal list (trec_eval ``ndcg``, ``ndcg_cut_k``); 0.0 if that is 0.

    Args:
        judged: levels of all judged documents of the query, in any order.
        max_grade: highest level of the scale, for ``ideal="max-grade"``.
        gain, discount: see :func:`dcg`.
        ideal: ``qrels``, all judged documents, best first, cut at k; ``untruncated``, the same not cut;
            ``hits-returned``, the same cut at the length of the list (Elasticsearch); ``retrieved``, the
            list itself sorted, which cannot see what was missed (scikit-learn, torchmetrics, XGBoost,
            LightGBM, CatBoost, TF-Ranking); or ``max-grade``, the highest level at every position up to k,
            or to the length of the list (cwl_eval).

    Raises:
        UsageError: ``judged`` or ``max_grade`` is needed and was not given.

    >>> ndcg([2, 3, 0], 5, judged=[3, 2, 1])
    0.8174935137996165
    """
    levels, grades = checked_levels(rel), None if judged is None else list(judged)
    best = ideal_dcg(
        levels,
        k,
        judged=grades,
        max_grade=max_grade,
        gain=gain,
        discount=discount,
        ideal=ideal,
        relevance_level=relevance_level,
    )
    return ratio(dcg(levels, k, gain=gain, discount=discount, relevance_level=relevance_level), best)


def _gains(levels: Iterable[float], gain: Gain, relevance_level: float) -> list[float]:
    match gain:
        case Gain.LINEAR:
            return [max(level, 0.0) for level in levels]
        case Gain.EXPONENTIAL:
            return [_exponential(level) for level in levels]
        case Gain.BINARY:
            return [1.0 if level > 0 and level >= relevance_level else 0.0 for level in levels]
        case Gain.POWER:
            return [_exponential(level) + 1.0 if level > 0 else 0.0 for level in levels]
        case Gain.POWER_OF_ALL:
            return [_exponential(level) + 1.0 for level in levels]
        case Gain.SQUARE:
            return [max(level, 0.0) ** 2 for level in levels]


def _exponential(level: float) -> float:
    if level >= 1024:
        raise ArgumentError(f"2^{level:g} - 1 is beyond double precision")
    return 2.0**level - 1.0 if level > 0 else 0.0


def _divisor(rank: int, discount: Discount) -> float:
    match discount:
        case Discount.LOG2:
            return math.log2(rank + 1)
        case Discount.JARVELIN:
            return math.log2(max(rank, 2))
        case Discount.LN_JARVELIN:
            return math.log(rank) if rank > 1 else 1.0
        case Discount.LN:
            return math.log(rank + 1)
        case Discount.LOG10:
            return math.log10(rank + 1)
        case Discount.JARVELIN_3:
            return math.log(max(rank, 3), 3)
        case Discount.JARVELIN_10:
            return math.log10(max(rank, 10))
        case Discount.RANK:
            return float(rank)
        case Discount.NONE:
            return 1.0


def _discounted(gains: Sequence[float], discount: Discount) -> float:
    return total([gain / _divisor(rank, discount) for rank, gain in enumerate(gains, 1)])
