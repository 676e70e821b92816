"""Measures of the C/W/L framework: the expected gain per document seen by a user who walks down the ranking.

Each measure defines the probability that the user continues after a document. From these follow the share of
attention at each rank and its sum with the gains. Levels are scaled to gains in [0, 1] between ``min_rel``
and ``max_rel``; negative levels and unjudged documents gain nothing. As in cwl_eval, the user looks at 1,000
documents at most and gains nothing after the last retrieved one.

Source: Moffat, Bailey, Scholer and Thomas, TOIS 35(3), 2017; the cwl_eval package, to the last digits.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from crosscheck.axes.ties import Ties
from crosscheck.conventions import Conventions
from crosscheck.measures.base import Compute, Family, Merits, Tied, number
from crosscheck.measures.tied import Groups, last_rank, shares
from crosscheck.model import FloatArray, Measure, ParamValue
from crosscheck.rankings.judged import JudgedRankings

__all__ = ["FAMILIES"]

DEPTH = 1000
#: Topics per block, so that memory stays bounded.
_BLOCK = 500

#: From gains, shape (topics, DEPTH), and ranks, shape (DEPTH,), to probabilities of continuing.
_GoingOn: TypeAlias = Callable[[FloatArray, FloatArray, Measure], FloatArray]


def _scaled(judged: JudgedRankings, measure: Measure) -> FloatArray:
    lowest, highest = number(measure, "min_rel", 0.0), number(measure, "max_rel", 1.0)
    gain: FloatArray = (np.clip(np.maximum(judged.rel, 0), lowest, highest) - lowest) / (highest - lowest)
    return gain


def _by_gain(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> Merits:
    return judged.topic, judged.rank, _scaled(judged, measure)


def _unless(ties: Ties, conventions: Conventions, measure: Measure) -> str | None:
    return None if number(measure, "T", 1.0) >= 0 else "a negative T"


def _expected(going_on: _GoingOn) -> Compute:
    """The formula for users who continue with the probabilities of ``going_on``.

    With groups of tied documents, each rank holds its expected gain. That gives the expected value only for
    users who ignore gains.
    """

    def compute(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> FloatArray:
        if judged.tied is None:
            seen = judged.only(judged.rank <= DEPTH)
            topic, rank, gain = seen.topic, seen.rank, _scaled(seen, measure)
        else:
            gain = _scaled(judged, measure)
            topic, rank, gain = shares(Groups.of(judged), gain, last_rank(conventions, DEPTH))
        ranks = np.arange(1.0, DEPTH + 1)
        result = np.zeros(judged.num_topics)
        for first in range(0, judged.num_topics, _BLOCK):
            last = min(first + _BLOCK, judged.num_topics)
            here = slice(*np.searchsorted(topic, (first, last)))
            gains = np.zeros((last - first, DEPTH))
            gains[topic[here] - first, rank[here] - 1] = gain[here]
            reached = np.ones_like(gains)
            np.multiply.accumulate(going_on(gains, ranks, measure)[:, :-1], axis=1, out=reached[:, 1:])
            # accumulate adds one by one in rank order; sum() would not.
            total = np.add.accumulate(reached, axis=1)[:, -1]
            result[first:last] = np.add.accumulate(reached * gains, axis=1)[:, -1] / total
        return result

    return compute


def _squared(ranks: FloatArray, ahead: FloatArray | float) -> FloatArray:
    value: FloatArray = ((ranks + ahead - 1.0) / (ranks + ahead)) ** 2.0
    return value


def _inst(gains: FloatArray, ranks: FloatArray, measure: Measure) -> FloatArray:
    """The user stops sooner the more of the wanted gain ``T`` has been found."""
    wanted = number(measure, "T", 1.0)
    return _squared(ranks, wanted + (wanted - np.add.accumulate(gains, axis=1)))


def _insq(gains: FloatArray, ranks: FloatArray, measure: Measure) -> FloatArray:
    """The user stops sooner the less gain ``T`` is wanted, regardless of the gain found."""
    return np.broadcast_to(_squared(ranks, 2.0 * number(measure, "T", 1.0)), gains.shape)


def _bpm(gains: FloatArray, ranks: FloatArray, measure: Measure) -> FloatArray:
    """The user stops once the gain ``T`` has been found, or at rank k."""
    found = np.add.accumulate(gains, axis=1)
    return ((found < number(measure, "T", 1.0)) & (ranks < _cutoff(measure))).astype(np.float64)


def _nerr8(gains: FloatArray, ranks: FloatArray, measure: Measure) -> FloatArray:
    """The user stops with a probability equal to the gain, or at rank k."""
    return np.where(ranks < _cutoff(measure), 1.0 - gains, 0.0)


def _nerr9(gains: FloatArray, ranks: FloatArray, measure: Measure) -> FloatArray:
    """As ``NERR8``, but the user is less likely to continue, mostly at the top."""
    return np.where(ranks < _cutoff(measure), ranks / (ranks + 1.0) * (1.0 - gains), 0.0)


def _nerr10(gains: FloatArray, ranks: FloatArray, measure: Measure) -> FloatArray:
    """The user stops with a probability equal to the gain, and otherwise continues with probability ``p``."""
    return number(measure, "p", 0.9) * (1.0 - gains)


def _nerr11(gains: FloatArray, ranks: FloatArray, measure: Measure) -> FloatArray:
    """The user stops with a probability equal to the gain, and otherwise continues as in ``INSQ``."""
    return _squared(ranks, 2.0 * number(measure, "T", 1.0)) * (1.0 - gains)


def _sdcg(gains: FloatArray, ranks: FloatArray, measure: Measure) -> FloatArray:
    """Attention falls like the discount of DCG, down to rank k."""
    logs = np.array([math.log2(rank + 1) for rank in range(1, DEPTH + 2)])
    return np.broadcast_to(np.where(ranks < _cutoff(measure), logs[:-1] / logs[1:], 0.0), gains.shape)


def _cutoff(measure: Measure) -> int:
    assert measure.cutoff is not None
    return measure.cutoff


_RANGE: dict[str, ParamValue] = {"min_rel": 0, "max_rel": 3}


def _family(
    name: str,
    going_on: _GoingOn,
    summary: str,
    *,
    cut: bool = False,
    adapts: bool = True,
    **params: ParamValue,
) -> Family:
    compute = _expected(going_on)
    return Family(
        name=name,
        compute=compute,
        summary=summary,
        cutoff="required" if cut else "none",
        rel=False,
        params={**_RANGE, **params},
        required=("max_rel",),
        pool=False,
        tied=Tied() if adapts else Tied(average=compute, merit=_by_gain, unless=_unless),
    )


FAMILIES = (
    _family("INST", _inst, "expected gain of a user who adapts to what was found", T=1.0),
    _family("INSQ", _insq, "expected gain of a user who wants a certain gain", adapts=False, T=1.0),
    _family("BPM", _bpm, "expected gain of a user who stops at a gain or a rank", cut=True, T=1.0),
    _family("NERR8", _nerr8, "nearly expected reciprocal rank, equation 8", cut=True),
    _family("NERR9", _nerr9, "nearly expected reciprocal rank, equation 9", cut=True),
    _family("NERR10", _nerr10, "nearly expected reciprocal rank, equation 10", p=0.9),
    _family("NERR11", _nerr11, "nearly expected reciprocal rank, equation 11", T=1.0),
    _family(
        "SDCG",
        _sdcg,
        "DCG over that of k documents of the highest level",
        cut=True,
        adapts=False,
        dcg="log2",
    ),
)
