"""Novelty-based gain over the first k ranks: alpha-DCG, alpha-nDCG and intent-aware ERR."""

from __future__ import annotations

import math

import numpy as np

from crosscheck.axes.judging import RELEVANCE_LEVEL
from crosscheck.conventions import Conventions
from crosscheck.measures.base import JUDGED_ONLY, Family, Tied, divide, logs
from crosscheck.measures.subtopics import (
    Discounted,
    best_possible,
    expected_gains,
    ideal_gains,
    num_subtopics,
    retrieved_gains,
    share,
    up_to,
)
from crosscheck.measures.tied import last_rank
from crosscheck.model import FloatArray, IntArray, Measure
from crosscheck.rankings.judged import JudgedRankings

__all__ = ["FAMILIES", "alpha_dcg", "alpha_ndcg", "intent_aware_err", "normalised_intent_aware_err"]


def alpha_dcg(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> FloatArray:
    """Discounted gain of the first k documents, with less gain for repeated subtopics (ndeval ``alpha-DCG``).

    A document adds (1 - alpha)^n / log2(rank + 1) for each subtopic it is relevant to, where n is the number
    of documents above it that are relevant to the same subtopic. The sum is divided by that of k documents
    relevant to every subtopic, so values lie in [0, 1]; at k = 1 ndeval does not divide. ``alpha`` is 0.5 by
    default. Unjudged documents add nothing, and neither do missing ones if there are fewer than k. 0.0 if
    nothing is relevant. Source: Clarke, Kolla, Cormack, Vechtomova, Ashkan, Büttcher and MacKinnon, SIGIR
    2008; ndeval 4.5.
    """
    return _gain(judged, conventions, measure, _by_log)


def alpha_ndcg(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> FloatArray:
    """alpha-DCG divided by that of a greedily built ideal list (ndeval ``alpha-nDCG``).

    At each rank the ideal list has the judged document that adds most; of equal ones the last by docno.
    Values can exceed 1.0 a little, because the greedy list is not always the best. Otherwise as
    ``alpha_DCG``.
    """
    return _over_ideal(judged, conventions, measure, _by_log)


def intent_aware_err(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> FloatArray:
    """Expected reciprocal rank over subtopics (ndeval ``ERR-IA``).

    As ``alpha_DCG`` with alpha 0.5, but each gain is divided by its rank: a document satisfies a user
    interested in its subtopic with probability 1/2. The sum is divided by that of k documents relevant to
    every subtopic, except at k = 1. Source: Chapelle, Metzler, Zhang and Grinspan, CIKM 2009; ndeval 4.5.
    """
    return _gain(judged, conventions, measure, _by_rank)


def normalised_intent_aware_err(
    judged: JudgedRankings, conventions: Conventions, measure: Measure
) -> FloatArray:
    """ERR-IA divided by that of the ideal list of ``alpha_nDCG`` (ndeval ``nERR-IA``)."""
    return _over_ideal(judged, conventions, measure, _by_rank)


def _by_log(gain: FloatArray, rank: IntArray) -> FloatArray:
    # Multiplied by log 2 / log (rank + 1), not divided by log2, to round like ndeval.
    discount: FloatArray = math.log(2.0) / logs(math.log, (rank + 1).astype(np.float64))
    return gain * discount


def _by_rank(gain: FloatArray, rank: IntArray) -> FloatArray:
    return gain / rank


def _gain(
    judged: JudgedRankings,
    conventions: Conventions,
    measure: Measure,
    discounted: Discounted,
    *,
    ideal: bool = False,
) -> FloatArray:
    assert measure.cutoff is not None
    level, alpha = conventions[RELEVANCE_LEVEL], share(measure, "alpha")
    if ideal:
        gains = ideal_gains(judged, level, alpha)
    elif judged.tied is None:
        gains = retrieved_gains(judged, level, alpha)
    else:
        gains = expected_gains(judged, level, alpha, last_rank(conventions, measure.cutoff))
    best = best_possible(num_subtopics(judged, level), alpha, measure.cutoff, discounted)
    return divide(up_to(judged, gains, measure.cutoff, discounted), best)


def _over_ideal(
    judged: JudgedRankings, conventions: Conventions, measure: Measure, discounted: Discounted
) -> FloatArray:
    ideal = _gain(judged, conventions, measure, discounted, ideal=True)
    return divide(_gain(judged, conventions, measure, discounted), ideal)


FAMILIES = (
    Family(
        name="alpha_DCG",
        compute=alpha_dcg,
        summary="discounted gain over subtopics, less for repeated subtopics",
        cutoff="required",
        params={"alpha": 0.5, **JUDGED_ONLY},
        shares=("alpha",),
        tied=Tied(average=alpha_dcg),
        needs="subtopics",
        aliases=("α_DCG", "alpha-DCG"),
    ),
    Family(
        name="alpha_nDCG",
        compute=alpha_ndcg,
        summary="discounted gain over subtopics, less for repeated subtopics, over that of the ideal list",
        cutoff="required",
        params={"alpha": 0.5, **JUDGED_ONLY},
        shares=("alpha",),
        tied=Tied(average=alpha_ndcg),
        needs="subtopics",
        aliases=("α_nDCG", "alpha-nDCG"),
    ),
    Family(
        name="ERR_IA",
        compute=intent_aware_err,
        summary="expected reciprocal rank over subtopics",
        cutoff="required",
        params=JUDGED_ONLY,
        tied=Tied(average=intent_aware_err),
        needs="subtopics",
        aliases=("ERR-IA",),
    ),
    Family(
        name="nERR_IA",
        compute=normalised_intent_aware_err,
        summary="expected reciprocal rank over subtopics, over that of the ideal list",
        cutoff="required",
        params=JUDGED_ONLY,
        tied=Tied(average=normalised_intent_aware_err),
        needs="subtopics",
        aliases=("nERR-IA",),
    ),
)
