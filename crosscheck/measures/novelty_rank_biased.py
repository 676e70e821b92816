"""Novelty- and rank-biased precision."""

from __future__ import annotations

import numpy as np

from crosscheck.axes.judging import RELEVANCE_LEVEL
from crosscheck.conventions import Conventions
from crosscheck.measures.base import Family, Tied, divide
from crosscheck.measures.subtopics import (
    Gains,
    expected_gains,
    ideal_gains,
    num_subtopics,
    powers,
    retrieved_gains,
    share,
)
from crosscheck.measures.sums import sum_by_topic
from crosscheck.measures.tied import last_rank
from crosscheck.model import FloatArray, Measure, ParamValue
from crosscheck.rankings.judged import JudgedRankings

__all__ = ["FAMILIES", "normalised_novelty_rank_biased_precision", "novelty_rank_biased_precision"]


def novelty_rank_biased_precision(
    judged: JudgedRankings, conventions: Conventions, measure: Measure
) -> FloatArray:
    """Novelty-weighted gain for a user who continues with probability beta (ndeval ``NRBP``).

    Gains over the whole ranking as in alpha-DCG, each times beta^(rank - 1). Their sum is multiplied by (1 -
    (1 - alpha) beta) and divided by the number of subtopics. ``alpha`` and ``beta`` are 0.5 by default.
    Values lie in [0, 1]; unjudged documents add nothing. 0.0 if nothing is relevant. Source: Clarke, Kolla
    and Vechtomova, ICTIR 2009; ndeval 4.5.
    """
    level, alpha = conventions[RELEVANCE_LEVEL], share(measure, "alpha")
    if judged.tied is None:
        gains = retrieved_gains(judged, level, alpha)
    else:
        gains = expected_gains(judged, level, alpha, last_rank(conventions))
    return _value(judged, conventions, measure, gains)


def normalised_novelty_rank_biased_precision(
    judged: JudgedRankings, conventions: Conventions, measure: Measure
) -> FloatArray:
    """NRBP divided by that of the ideal list of alpha-nDCG (ndeval ``nNRBP``).

    A query without relevant documents is NaN, as in ndeval, which divides 0 by 0 there.
    """
    gains = ideal_gains(judged, conventions[RELEVANCE_LEVEL], share(measure, "alpha"))
    ideal = _value(judged, conventions, measure, gains)
    value = divide(novelty_rank_biased_precision(judged, conventions, measure), ideal)
    return np.where(ideal == 0, np.nan, value)


def _value(judged: JudgedRankings, conventions: Conventions, measure: Measure, gains: Gains) -> FloatArray:
    alpha, beta = share(measure, "alpha"), share(measure, "beta")
    decay = powers(beta, int(gains.rank.max(initial=1)))
    total = sum_by_topic(judged, gains.topic, gains.gain * decay[gains.rank - 1])
    factor = np.full(judged.num_topics, 1 - (1 - alpha) * beta)
    scale = divide(factor, num_subtopics(judged, conventions[RELEVANCE_LEVEL]))
    return total * scale


_BOTH: dict[str, ParamValue] = {"alpha": 0.5, "beta": 0.5}

FAMILIES = (
    Family(
        name="NRBP",
        compute=novelty_rank_biased_precision,
        summary="novelty- and rank-biased precision over subtopics",
        params=_BOTH,
        shares=("alpha", "beta"),
        tied=Tied(average=novelty_rank_biased_precision),
        needs="subtopics",
    ),
    Family(
        name="nNRBP",
        compute=normalised_novelty_rank_biased_precision,
        summary="novelty- and rank-biased precision over subtopics, over that of the ideal list",
        params=_BOTH,
        shares=("alpha", "beta"),
        tied=Tied(average=normalised_novelty_rank_biased_precision),
        needs="subtopics",
    ),
)
