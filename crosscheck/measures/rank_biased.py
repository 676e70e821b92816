"""Rank-biased precision and how much unjudged documents could add to it."""

from __future__ import annotations

import numpy as np
from msgspec.structs import replace

from crosscheck.axes.judging import RELEVANCE_LEVEL
from crosscheck.axes.ties import Ties
from crosscheck.conventions import Conventions
from crosscheck.measures.base import Family, Merits, Tied, gain_pairs, number, relevant
from crosscheck.measures.gain import GAINS
from crosscheck.measures.gain_table import GainTable, custom_gains
from crosscheck.measures.sums import sum_by_topic
from crosscheck.measures.tied import Groups, Shares, by_relevance, hits, last_rank, nothing_in, shares
from crosscheck.model import FloatArray, IntArray, Measure
from crosscheck.rankings.judged import JudgedRankings

__all__ = ["FAMILIES", "graded_rank_biased_precision", "rank_biased_precision", "rank_biased_residual"]

#: Ranks per block, over as many topics as fit, so that memory stays bounded.
_BLOCK = 1_000_000


def _weights(persistence: float, length: int) -> FloatArray:
    """1, p, p², ... by repeated multiplication. Index 0 is rank 1; the result has ``length`` + 1 entries."""
    factors = np.full(length + 1, persistence)
    factors[0] = 1.0
    weights: FloatArray = np.multiply.accumulate(factors)
    return weights


def rank_biased_precision(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> FloatArray:
    """(1 - p) times the sum of p^(rank - 1) over relevant documents (ir_measures ``RBP(p=..)@k``).

    Relevance is binary, by the relevance level. Unjudged documents are nonrelevant. p is 0.8 by default.
    Source: Moffat and Zobel, TOIS 27(1), 2008.
    """
    persistence = number(measure, "p", 0.8)
    topic, rank = relevant(judged, conventions[RELEVANCE_LEVEL], measure.cutoff)
    weight = _weights(persistence, int(rank.max(initial=0)))[rank - 1]
    return (1.0 - persistence) * sum_by_topic(judged, topic, weight)


def _expected(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> FloatArray:
    found = hits(judged, conventions[RELEVANCE_LEVEL])
    return _weighted(
        judged,
        shares(Groups.of(found), np.ones(len(found.topic)), last_rank(conventions, measure.cutoff)),
        measure,
        0.8,
    )


def _weighted(judged: JudgedRankings, held: Shares, measure: Measure, persistence: float) -> FloatArray:
    """RBP of the values that ``held`` gives for each rank; ``persistence`` is the default of ``p``."""
    persistence = number(measure, "p", persistence)
    weight = _weights(persistence, int(held.rank.max(initial=0)))[held.rank - 1]
    return (1.0 - persistence) * sum_by_topic(judged, held.topic, held.value * weight)


def _unless(ties: Ties, conventions: Conventions, measure: Measure) -> str | None:
    return None if 0 <= number(measure, "p", 0.0) <= 1 else "a p that is not a probability"


def graded_rank_biased_precision(
    judged: JudgedRankings, conventions: Conventions, measure: Measure
) -> FloatArray:
    """RBP over gains (trec_eval 10 ``rbp``, as its authors intended).

    (1 - p) times the sum of gain times p^(rank - 1); p is 0.9 by default. The gain of a level is the level,
    or is given by the parameter ``gains``. If the gains of a topic's levels do not lie in [0, 1], they are
    scaled to (gain - lowest) / (highest - lowest). If all are the same, a positive one becomes 1 and others
    0. Unjudged documents gain nothing. trec_eval 10.0 reads lowest and highest from uninitialised memory, so
    its values cannot be reproduced.
    """
    persistence = number(measure, "p", 0.9)
    judged, gain = custom_gains(judged, gain_pairs(measure), _scaled)
    weights = _weights(persistence, int(judged.rank.max(initial=0)))
    hit = gain != 0
    total = sum_by_topic(judged, judged.topic[hit], gain[hit] * weights[judged.rank[hit] - 1])
    return (1.0 - persistence) * total


def _expected_graded(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> FloatArray:
    judged, gain = custom_gains(judged, gain_pairs(measure), _scaled)
    return _weighted(judged, shares(Groups.of(judged), gain, last_rank(conventions)), measure, 0.9)


def _by_gain(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> Merits:
    judged, gain = custom_gains(judged, gain_pairs(measure), _scaled)
    return judged.topic, judged.rank, gain


def _scaled(table: GainTable) -> GainTable:
    lowest, highest = min(table.gains, default=0.0), max(table.gains, default=0.0)
    if lowest >= 0 and highest <= 1:
        return table
    if lowest == highest:
        return replace(table, gains=tuple(float(gain > 0) for gain in table.gains))
    return replace(table, gains=tuple((gain - lowest) / (highest - lowest) for gain in table.gains))


def rank_biased_residual(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> FloatArray:
    """The amount by which RBP would grow if all unjudged documents were relevant (trec_eval 10
    ``rbp_resid``).

    (1 - p) times the sum of p^(rank - 1) over unjudged documents, plus p^n for the ranks after the n
    retrieved ones; p is 0.9 by default. A negative level counts as unjudged. 0.0 if every retrieved document
    is judged, although unfilled ranks remain.
    """
    persistence = number(measure, "p", 0.9)
    weights = _weights(persistence, int(judged.num_ret.max(initial=0)))
    seen = judged.rel >= 0
    topic, rank = judged.topic[seen], judged.rank[seen]
    total = np.zeros(judged.num_topics)
    step = max(1, _BLOCK // len(weights))
    for first in range(0, judged.num_topics, step):
        last = min(first + step, judged.num_topics)
        here = slice(*np.searchsorted(topic, (first, last)))
        total[first:last] = _unjudged_weight(
            weights, judged.num_ret[first:last], topic[here] - first, rank[here]
        )
    some = judged.num_ret > judged.count(topic)
    return np.where(some, weights[judged.num_ret] + (1.0 - persistence) * total, 0.0)


def _expected_residual(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> FloatArray:
    persistence = number(measure, "p", 0.9)
    known = judged.only(judged.rel >= 0)
    weights = _weights(persistence, int(judged.num_ret.max(initial=0)))
    groups = Groups.of(known)
    held = shares(groups, np.ones(len(known.topic)), last_rank(conventions))
    whole = np.concatenate(([0.0], np.add.accumulate(weights)))[judged.num_ret]
    total = whole - sum_by_topic(judged, held.topic, held.value * weights[held.rank - 1])
    # It can be random whether an unjudged document is above the depth.
    within = groups.inside(last_rank(conventions))
    seen = np.bincount(groups.topic, np.minimum(groups.found, within), judged.num_topics)
    none = (seen >= judged.num_ret).astype(np.float64)
    for i in np.flatnonzero((within > 0) & (within < groups.size)).tolist():
        size, unjudged = int(groups.size[i]), int(groups.size[i] - groups.found[i])
        none[groups.topic[i]] *= nothing_in(size, unjudged, int(within[i]))[-1]
    return (1.0 - none) * weights[judged.num_ret] + (1.0 - persistence) * total


def _unjudged_first(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> Merits:
    known = judged.only(judged.rel >= 0)
    return known.topic, known.rank, -np.ones(len(known.topic))


def _unjudged_weight(weights: FloatArray, num_ret: IntArray, topic: IntArray, rank: IntArray) -> FloatArray:
    """Sum of the weights of unjudged ranks, added in rank order, for a block of topics."""
    depth = int(num_ret.max(initial=0))
    table = np.where(np.arange(depth) < num_ret[:, None], weights[:depth], 0.0)
    table[topic, rank - 1] = 0.0
    # Along the last axis accumulate adds one by one; sum() would add pairwise.
    return np.add.accumulate(table, axis=1)[:, -1] if depth else np.zeros(len(num_ret))


FAMILIES = (
    Family(
        name="RBP",
        compute=rank_biased_precision,
        summary="rank-biased precision",
        cutoff="optional",
        params={"p": 0.8},
        pool=False,
        tied=Tied(average=_expected, merit=by_relevance, unless=_unless),
    ),
    Family(
        name="rbp",
        compute=graded_rank_biased_precision,
        summary="rank-biased precision over gains",
        trec_eval="rbp",
        trec_eval_param="p",
        trec_eval_since="10.0",
        rel=False,
        params={"p": 0.9, **GAINS},
        tied=Tied(average=_expected_graded, merit=_by_gain, unless=_unless),
    ),
    Family(
        name="rbp_resid",
        compute=rank_biased_residual,
        summary="the most that unjudged documents could add to rank-biased precision",
        trec_eval="rbp_resid",
        trec_eval_param="p",
        trec_eval_since="10.0",
        rel=False,
        params={"p": 0.9},
        pool=False,
        nonrelevant=True,
        tied=Tied(average=_expected_residual, merit=_unjudged_first, unless=_unless),
    ),
)
