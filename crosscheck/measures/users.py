"""Users who walk down a ranking: reciprocal rank, ERR, rank-biased precision, C/W/L; and compatibility."""

import math
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from msgspec.structs import replace

from crosscheck.axes.forms import MAX_GRADE, RR_CUTOFF, RR_OF, RrOf
from crosscheck.axes.judging import RELEVANCE_LEVEL
from crosscheck.axes.ties import Ties
from crosscheck.conventions import Conventions
from crosscheck.measures import tied
from crosscheck.measures.arithmetic import divide, number_before, powers, running, sum_by_topic
from crosscheck.measures.base import GAINS, JUDGED_ONLY, Compute, Family, MeasureParameter, Merits, Tied
from crosscheck.measures.gains import GainList, GainTable, custom_gains, highest_level
from crosscheck.measures.ndcg import DCG_FORM
from crosscheck.model import FloatArray, IntArray, Measure
from crosscheck.rankings.judged import JudgedRankings


def reciprocal_rank(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> FloatArray:
    """1 / rank of the first relevant document (trec_eval ``recip_rank``); 0.0 if there is none.

    With a cutoff, in the measure or by the axis ``rr_cutoff``, the value is 0.0 if this document ranks below
    the cutoff. The axis ``rr_of`` chooses the document or documents that are used in place of the first
    relevant document; for several documents the value is the mean of 1 / rank.
    """
    limits = [k for k in (measure.cutoff, conventions[RR_CUTOFF]) if k is not None]
    level, kind = conventions[RELEVANCE_LEVEL], conventions[RR_OF]
    topic, rank = judged.relevant(level, min(limits, default=None))
    if kind is RrOf.HIGHEST_LEVEL:
        hit = judged.rel >= judged.highest_judged(max(level, 0))[judged.topic]
        hit &= judged.rank <= min(limits, default=judged.deepest)
        topic, rank = judged.topic[hit], judged.rank[hit]
    value = 1.0 / rank
    if kind in (RrOf.EVERY, RrOf.EVERY_RETRIEVED):
        number = judged.num_rel(level) if kind is RrOf.EVERY else judged.count(topic)
        return divide(sum_by_topic(judged, topic, value), number)
    result = np.zeros(judged.num_topics)
    np.maximum.at(result, topic, value)
    return result


def _expected_rr(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> FloatArray:
    level, kind = conventions[RELEVANCE_LEVEL], conventions[RR_OF]
    highest = kind is RrOf.HIGHEST_LEVEL
    groups = tied.Groups.of(tied.hits(judged, judged.highest_judged(max(level, 0)) if highest else level))
    places = groups.inside(tied.last_rank(conventions, measure.cutoff, conventions[RR_CUTOFF]))
    if kind in (RrOf.EVERY, RrOf.EVERY_RETRIEVED):
        return _expected_mean(judged, conventions, groups, places)
    result = np.zeros(judged.num_topics)
    columns = groups.topic, groups.start, groups.size, groups.found, places
    for _, topic, start, size, found, inside in tied.rows(np.diff(groups.topic, prepend=-1) != 0, *columns):
        place = np.arange(min(inside, size - found + 1))
        here = tied.nothing_in(size, found, len(place))[:-1] * found / (size - place)
        if len(place):
            result[topic] = np.cumsum(here / (start + 1 + place))[-1]
    return result


def _expected_mean(
    judged: JudgedRankings, conventions: Conventions, groups: tied.Groups, places: IntArray
) -> FloatArray:
    """Expected mean of 1 / rank over all relevant documents or, under ``rr_of=every-retrieved``, over the
    relevant documents in the first ``places`` ranks of each group."""
    mean = divide(tied.weight_within(lambda rank: 1.0 / rank, groups.start, places, groups.size), places)
    whole = sum_by_topic(judged, groups.topic, groups.found * mean * places / groups.size)
    if conventions[RR_OF] is RrOf.EVERY:
        return divide(whole, judged.num_rel(conventions[RELEVANCE_LEVEL]))
    cut = (places > 0) & (places < groups.size)
    above = sum_by_topic(judged, groups.topic[~cut], (groups.found * mean)[~cut])
    return tied.mean_above(groups, places, groups.found, above, lambda i, n, whole: whole + n * mean[i])


def _merits_rr(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> Merits:
    if conventions[RR_OF] is not RrOf.HIGHEST_LEVEL:
        return tied.by_relevance(judged, conventions, measure)
    wanted = tied.hits(judged, judged.highest_judged(max(conventions[RELEVANCE_LEVEL], 0)))
    return tied.one_each(wanted.topic, wanted.rank)


def _unless_rr(ties: Ties, conventions: Conventions, measure: Measure) -> str | None:
    cut = tied.last_rank(conventions, measure.cutoff, conventions[RR_CUTOFF]) < tied.FAR
    # Cutting off a document can raise the mean over the remaining ones.
    if ties in (Ties.BEST, Ties.WORST) and conventions[RR_OF] is RrOf.EVERY_RETRIEVED and cut:
        return f"a cutoff and rr_of={RrOf.EVERY_RETRIEVED}"
    return None


MAX_REL_ERR = MeasureParameter("max_rel", 4, "highest level of the scale, which gains most")


def err(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> FloatArray:
    """Expected value of 1 / rank of the document that satisfies the user (ir_measures ``ERR@k``).

    A document of level r satisfies the user with probability (2^r - 1) / 2^max_rel. ``max_rel`` is 4 by
    default, as in gdeval; the axis ``max_grade`` can change it. Levels above ``max_rel`` are treated as
    ``max_rel``. Values lie in [0, 1) and are not normalised. Unjudged documents never satisfy the user.
    Source: Chapelle et al., CIKM 2009; gdeval (TREC Web tracks), which prints 5 decimals.
    """
    hit = judged.rel > 0
    if measure.cutoff is not None:
        hit &= judged.rank <= measure.cutoff
    topic, rank = judged.topic[hit], judged.rank[hit]
    satisfied = _satisfied(judged.only(hit), conventions)
    going_on = running(np.multiply, judged, topic, 1.0 - satisfied)
    before = np.ones(len(topic))
    before[1:] = np.where(topic[1:] == topic[:-1], going_on[:-1], 1.0)
    return sum_by_topic(judged, topic, satisfied * before / rank)


def _satisfied(judged: JudgedRankings, conventions: Conventions) -> FloatArray:
    """Probability that each of the given documents, whose levels are above 0, satisfies the user."""
    highest = highest_level(judged, conventions, MAX_REL_ERR.default)[judged.topic]
    return (np.ldexp(1.0, np.minimum(judged.rel, highest)) - 1.0) / np.ldexp(1.0, highest)


def _expected_err(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> FloatArray:
    """ERR averaged over all orders of the tied documents, per topic.

    The probability of stopping at a rank is the probability of reaching this rank minus the probability of
    reaching the next rank.
    """
    judged = judged.only(judged.rel > 0)
    groups, going_on = tied.Groups.of(judged), 1.0 - _satisfied(judged, conventions)
    within = groups.inside(tied.last_rank(conventions, measure.cutoff))
    ends = np.cumsum(groups.found)
    reached, value = np.ones(judged.num_topics), np.zeros(len(ends))
    for i, end in enumerate(ends.tolist()):
        here = tied.product_of_first(going_on[end - groups.found[i] : end], int(groups.size[i]))
        stops = (here[:-1] - here[1:])[: within[i]]
        topic = groups.topic[i]
        value[i] = reached[topic] * float(np.sum(stops / (groups.start[i] + np.arange(1, within[i] + 1))))
        reached[topic] *= here[-1]
    return sum_by_topic(judged, groups.topic, value)


def _merits_err(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> Merits:
    relevant = judged.only(judged.rel > 0)
    return relevant.topic, relevant.rank, _satisfied(relevant, conventions)


def _unless_err(ties: Ties, conventions: Conventions, measure: Measure) -> str | None:
    return "a negative max_rel" if MAX_REL_ERR.of(measure) < 0 else None


#: Table entries (topics times ranks) per block, so that memory stays bounded.
_BLOCK = 500_000


def _in_blocks(
    judged: JudgedRankings, topic: IntArray, depth: int, of_block: Callable[[slice, slice], FloatArray]
) -> FloatArray:
    """One value per topic, computed in blocks of topics, so that tables with a row per topic and a column per
    rank (``depth`` ranks) stay small.

    Args:
        topic: topic of each document, in ascending order.
        of_block: computes the values of a block from the slice of its topics and the slice of its documents.
    """
    result = np.zeros(judged.num_topics)
    step = max(1, _BLOCK // (depth + 1))
    for first in range(0, judged.num_topics, step):
        topics = slice(first, min(first + step, judged.num_topics))
        result[topics] = of_block(topics, slice(*np.searchsorted(topic, (topics.start, topics.stop))))
    return result


P_RBP = MeasureParameter(
    "p", 0.8, "persistence: how likely the user goes on to the next document", share=True
)
P_GRADED, P_COMPAT = replace(P_RBP, default=0.9), replace(P_RBP, default=0.95)


def rank_biased_precision(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> FloatArray:
    """(1 - p) times the sum of p^(rank - 1) over relevant documents (ir_measures ``RBP(p=..)@k``).

    Relevance is binary, by the relevance level. Unjudged documents are nonrelevant. p is 0.8 by default.
    Source: Moffat and Zobel, TOIS 27(1), 2008.
    """
    selected = tied.hits(judged, conventions[RELEVANCE_LEVEL])
    limit = tied.last_rank(conventions, measure.cutoff)
    gains_at_ranks = tied.gains_by_rank(selected, np.ones(len(selected.topic)), limit)
    return _weighted(judged, gains_at_ranks, P_RBP.of(measure))


def _weighted(judged: JudgedRankings, gains: GainList, persistence: float) -> FloatArray:
    weights = powers(persistence, int(gains.rank.max(initial=0)))[gains.rank - 1]
    return (1.0 - persistence) * sum_by_topic(judged, gains.topic, gains.gain * weights)


def graded_rbp(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> FloatArray:
    """RBP with gains (trec_eval 10 ``rbp``, as its authors intended).

    (1 - p) times the sum of gain times p^(rank - 1); p is 0.9 by default. The gain of a level is the level,
    or is given by the parameter ``gains``. If not all gains of a topic's levels lie in [0, 1], they are
    scaled to (gain - lowest) / (highest - lowest). If all gains are equal, they become 1 if positive, else 0.
    Unjudged documents have no gain. trec_eval 10.0 takes the lowest and highest gain from uninitialised
    memory, so its values cannot be reproduced.
    """
    judged, gain = custom_gains(judged, GAINS.of(measure), _scaled)
    gains_at_ranks = tied.gains_by_rank(judged.only(gain != 0), gain[gain != 0], tied.last_rank(conventions))
    return _weighted(judged, gains_at_ranks, P_GRADED.of(measure))


def _by_gain(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> Merits:
    judged, gain = custom_gains(judged, GAINS.of(measure), _scaled)
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

    (1 - p) times the sum of p^(rank - 1) over unjudged documents, plus p^n for the ranks below the n
    retrieved documents; p is 0.9 by default. Documents with a negative level are treated as unjudged. 0.0 if
    every retrieved document is judged, although there are ranks below them.
    """
    persistence, deepest = P_GRADED.of(measure), int(judged.num_ret.max(initial=0))
    weights = powers(persistence, deepest + 1)
    seen = judged.rel >= 0
    topic, rank = judged.topic[seen], judged.rank[seen]

    def unjudged(topics: slice, entries: slice) -> FloatArray:
        num_ret = judged.num_ret[topics]
        depth = int(num_ret.max(initial=0))
        table = np.where(np.arange(depth) < num_ret[:, None], weights[:depth], 0.0)
        table[topic[entries] - topics.start, rank[entries] - 1] = 0.0
        # Along the last axis accumulate adds one by one; sum() would add pairwise.
        return np.add.accumulate(table, axis=1)[:, -1] if depth else np.zeros(len(num_ret))

    total = _in_blocks(judged, topic, deepest, unjudged)
    some = judged.num_ret > judged.count(topic)
    return np.where(some, weights[judged.num_ret] + (1.0 - persistence) * total, 0.0)


def _expected_residual(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> FloatArray:
    persistence = P_GRADED.of(measure)
    known = judged.only(judged.rel >= 0)
    weights = powers(persistence, int(judged.num_ret.max(initial=0)) + 1)
    groups = tied.Groups.of(known)
    held = tied.gains_by_rank(known, np.ones(len(known.topic)), tied.last_rank(conventions))
    whole = np.concatenate(([0.0], np.add.accumulate(weights)))[judged.num_ret]
    total = whole - sum_by_topic(judged, held.topic, held.gain * weights[held.rank - 1])
    # It can be random whether an unjudged document is above the depth.
    within = groups.inside(tied.last_rank(conventions))
    seen = np.bincount(groups.topic, np.minimum(groups.found, within), judged.num_topics)
    none = (seen >= judged.num_ret).astype(np.float64)
    columns = groups.topic, groups.size, groups.size - groups.found, within
    for _, topic, *group in tied.rows((within > 0) & (within < groups.size), *columns):
        none[topic] *= tied.nothing_in(*group)[-1]
    return (1.0 - none) * weights[judged.num_ret] + (1.0 - persistence) * total


# Measures of the C/W/L framework: the expected gain per document seen by a user who reads a ranking from rank
# 1 on. Each measure defines the probability that the user continues after a document. From it follows the
# share of attention at each rank; the value is the sum of share times gain. Levels from ``min_rel`` to
# ``max_rel`` are scaled to gains from 0 to 1; documents with negative levels and unjudged documents have no
# gain. As in cwl_eval, the user sees at most 1,000 documents, and there is no gain below the last retrieved
# document. Source: Moffat, Bailey, Scholer and Thomas, TOIS 35(3), 2017; values are those of the package
# cwl_eval.
_SEEN = 1000
MIN_REL = MeasureParameter("min_rel", 0, "level that gains 0; max_rel is the one that gains most")
MAX_REL = MeasureParameter("max_rel", 3, "highest level of the scale, which gains most", required=True)
T = MeasureParameter("T", 1.0, "how much relevance the user wants to find")

#: A function from gains (a row per topic, a column per rank) and ranks to probabilities of continuing.
_GoingOn: TypeAlias = Callable[[FloatArray, FloatArray, Measure], FloatArray]


def _scaled_cwl(judged: JudgedRankings, measure: Measure) -> FloatArray:
    lowest, highest = MIN_REL.of(measure), MAX_REL.of(measure)
    return (np.clip(np.maximum(judged.rel, 0), lowest, highest) - lowest) / (highest - lowest)


def _by_gain_cwl(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> Merits:
    return judged.topic, judged.rank, _scaled_cwl(judged, measure)


def _unless_cwl(ties: Ties, conventions: Conventions, measure: Measure) -> str | None:
    return None if T.of(measure) >= 0 else "a negative T"


def _expected_cwl(going_on: _GoingOn) -> Compute:
    """The formula of the measure for a user who continues with the probabilities that ``going_on`` returns.

    If tied documents have no order, the formula is applied to the expected gain at each rank. The result is
    the expected value only if ``going_on`` does not depend on gains.
    """

    def compute(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> FloatArray:
        listed = tied.gains_by_rank(judged, _scaled_cwl(judged, measure), tied.last_rank(conventions, _SEEN))
        topic, rank, gain = listed.topic, listed.rank, listed.gain
        ranks = np.arange(1.0, _SEEN + 1)

        def mean_gain(topics: slice, entries: slice) -> FloatArray:
            gains = np.zeros((topics.stop - topics.start, _SEEN))
            gains[topic[entries] - topics.start, rank[entries] - 1] = gain[entries]
            reached = np.ones_like(gains)
            np.multiply.accumulate(going_on(gains, ranks, measure)[:, :-1], axis=1, out=reached[:, 1:])
            # accumulate adds one by one in rank order; sum() would not.
            total = np.add.accumulate(reached, axis=1)[:, -1]
            return np.add.accumulate(reached * gains, axis=1)[:, -1] / total

        return _in_blocks(judged, topic, _SEEN, mean_gain)

    return compute


def _squared(ranks: FloatArray, ahead: FloatArray | float) -> FloatArray:
    return ((ranks + ahead - 1.0) / (ranks + ahead)) ** 2.0


def _inst(gains: FloatArray, ranks: FloatArray, measure: Measure) -> FloatArray:
    """The user stops sooner the more of the wanted gain ``T`` has been found."""
    wanted = T.of(measure)
    return _squared(ranks, wanted + (wanted - np.add.accumulate(gains, axis=1)))


def _insq(gains: FloatArray, ranks: FloatArray, measure: Measure) -> FloatArray:
    """The user stops sooner the less gain ``T`` is wanted, regardless of the gain found."""
    return np.broadcast_to(_squared(ranks, 2.0 * T.of(measure)), gains.shape)


def _bpm(gains: FloatArray, ranks: FloatArray, measure: Measure) -> FloatArray:
    """The user stops once the gain ``T`` has been found, or at rank k."""
    gained = np.add.accumulate(gains, axis=1)
    return ((gained < T.of(measure)) & (ranks < _cutoff(measure))).astype(np.float64)


def _nerr8(gains: FloatArray, ranks: FloatArray, measure: Measure) -> FloatArray:
    """The user stops with a probability equal to the gain, or at rank k."""
    return np.where(ranks < _cutoff(measure), 1.0 - gains, 0.0)


def _nerr9(gains: FloatArray, ranks: FloatArray, measure: Measure) -> FloatArray:
    """The user stops with a probability equal to the gain, and otherwise continues with probability rank /
    (rank + 1), down to rank k."""
    return np.where(ranks < _cutoff(measure), ranks / (ranks + 1.0) * (1.0 - gains), 0.0)


def _nerr10(gains: FloatArray, ranks: FloatArray, measure: Measure) -> FloatArray:
    """The user stops with a probability equal to the gain, and otherwise continues with probability ``p``."""
    return P_GRADED.of(measure) * (1.0 - gains)


def _nerr11(gains: FloatArray, ranks: FloatArray, measure: Measure) -> FloatArray:
    """The user stops with a probability equal to the gain, and otherwise continues as in ``INSQ``."""
    return _squared(ranks, 2.0 * T.of(measure)) * (1.0 - gains)


def _sdcg(gains: FloatArray, ranks: FloatArray, measure: Measure) -> FloatArray:
    """Attention falls like the discount of DCG, down to rank k."""
    logs = np.array([math.log2(rank + 1) for rank in range(1, _SEEN + 2)])
    return np.broadcast_to(np.where(ranks < _cutoff(measure), logs[:-1] / logs[1:], 0.0), gains.shape)


def _cutoff(measure: Measure) -> int:
    assert measure.cutoff is not None
    return measure.cutoff


def _family(name: str, going_on: _GoingOn, summary: str, *own: MeasureParameter[Any], **facts: Any) -> Family:
    params, compute = (MIN_REL, MAX_REL, *own), _expected_cwl(going_on)
    facts = {"rel": False, "pool": False, "params": params, **facts}
    if going_on in (_insq, _sdcg):  # for the other users tied documents need an order
        facts["tied"] = Tied(average=compute, merit=_by_gain_cwl, unless=_unless_cwl)
    return Family(name=name, compute=compute, summary=summary, **facts)


NORMALIZE = MeasureParameter("normalize", True, "the value is divided by the highest one possible")


def compatibility(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> FloatArray:
    """Rank-biased overlap of the ranking with the most similar ideal ranking (ir_measures ``Compat``).

    The ideal ranking has the judged documents with a level above 0, highest level first. Documents of the
    same level are in the order of the ranking, followed by documents that were not retrieved. (ir_measures'
    provider gives the latter a score of 0, so if scores are negative they come first.) ``p`` is 0.95 by
    default. The value is divided by the overlap of the ideal ranking with itself, unless ``normalize`` is
    False. 0.0 if the ideal ranking is empty. Source: Clarke, Vtyurina and Smucker, TOIS 39(3), 2021.
    """
    relevant = judged.only(judged.rel > 0)
    topic, rel = relevant.topic, relevant.rel
    key = topic * (int(rel.max(initial=0)) + 1) + rel
    same = number_before(key, np.lexsort((relevant.rank, key)))
    # The lowest depth at which both the ranking and the ideal ranking include the document.
    met = np.maximum(relevant.rank, _better(judged, topic, rel) + same + 1)
    return _value(judged, measure, topic, met, np.ones(len(topic)))


def _value(
    judged: JudgedRankings, measure: Measure, topic: IntArray, met: IntArray, share: FloatArray
) -> FloatArray:
    """Compatibility per topic. At depth ``met[i]``, the number of documents that the ranking and the ideal
    ranking of topic ``topic[i]`` have in common grows by ``share[i]``."""
    persistence = P_COMPAT.of(measure)
    size = judged.count(judged.pool_topic[judged.pool_rel > 0])
    depth = np.maximum(judged.num_ret, size)

    def values(topics: slice, entries: slice) -> FloatArray:
        # If unjudged documents count as relevant, depths below the end of both rankings can occur.
        longest = int(max(depth[topics].max(initial=0), met[entries].max(initial=0)))
        overlap = np.zeros((topics.stop - topics.start, longest + 1))
        np.add.at(overlap, (topic[entries] - topics.start, met[entries]), share[entries])
        ranks = np.arange(1, longest + 1)
        weights = np.where(ranks <= depth[topics, None], powers(persistence, longest), 0.0)
        value = _overlap(np.add.accumulate(overlap, axis=1)[:, 1:], weights)
        if not NORMALIZE.of(measure):
            return value
        best = _overlap(np.minimum(ranks, size[topics, None]).astype(np.float64), weights)
        return np.divide(value, best, out=value.copy(), where=best > 0)

    return _in_blocks(judged, topic, int(depth.max(initial=0)), values)


def _overlap(common: FloatArray, weights: FloatArray) -> FloatArray:
    """Per topic, the weighted mean over all depths of the share of documents in common, added in rank
    order."""
    if not weights.shape[1]:
        return np.zeros(len(weights))
    shares = weights * common / np.arange(1, weights.shape[1] + 1)
    total, whole = np.add.accumulate(shares, axis=1)[:, -1], np.add.accumulate(weights, axis=1)[:, -1]
    return np.divide(total, whole, out=np.zeros(len(weights)), where=whole > 0)


def _better(judged: JudgedRankings, topic: IntArray, rel: IntArray) -> IntArray:
    """For each pair of ``topic`` and ``rel``, the number of judged documents of the topic with a level above
    ``rel``."""
    levels = np.unique(judged.pool_rel)
    wanted = judged.pool_rel > 0
    pool = judged.pool_topic[wanted] * (len(levels) + 1) - np.searchsorted(levels, judged.pool_rel[wanted])
    pool.sort()
    key = topic * (len(levels) + 1) - np.searchsorted(levels, rel)
    return np.searchsorted(pool, key) - np.searchsorted(pool, topic * (len(levels) + 1) - len(levels))


def _expected_compat(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> FloatArray:
    """Expected compatibility under tied scores. Within a group, the number of documents of the same level
    above a document has a hypergeometric distribution."""
    judged = judged.only(judged.rel > 0)
    limit = tied.last_rank(conventions)
    topics, depths, parts = list[IntArray](), list[IntArray](), list[FloatArray]()
    for level in np.unique(judged.rel).tolist():
        groups = tied.Groups.of(judged.only(judged.rel == level))
        better = _better(judged, groups.topic, np.full(len(groups.topic), level))
        for i, places in enumerate(groups.inside(limit).tolist()):
            relevant, size = int(groups.found[i]), int(groups.size[i])
            needed = better[i] + groups.before[i] + np.arange(1, relevant + 1)
            for place, chances in zip(range(1, places + 1), tied.draws(size - 1, relevant - 1), strict=False):
                depths.append(np.maximum(groups.start[i] + place, needed))
                parts.append(chances * relevant / size)
                topics.append(np.full(relevant, groups.topic[i]))
    nothing = np.zeros(0, np.int64)
    topic, met = np.concatenate([nothing, *topics]), np.concatenate([nothing, *depths])
    in_order = np.argsort(topic, kind="stable")
    share = np.concatenate([np.zeros(0), *parts])[in_order]
    return _value(judged, measure, topic[in_order], met[in_order], share)


def _by_level(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> Merits:
    relevant = judged.only(judged.rel > 0)
    return relevant.topic, relevant.rank, relevant.rel.astype(np.float64)


def _unless_compat(ties: Ties, conventions: Conventions, measure: Measure) -> str | None:
    return None if ties is Ties.AVERAGE else tied.beyond_pool(conventions)


FAMILIES = (
    Family("RR", reciprocal_rank, "reciprocal rank of the first relevant document",
           trec_eval="recip_rank", cutoff="optional", params=(JUDGED_ONLY,), aliases=("MRR",),
           pool=False, reads=(RR_CUTOFF, RR_OF),
           tied=Tied(average=_expected_rr, merit=_merits_rr, unless=_unless_rr)),
    Family("ERR", err, "expected reciprocal rank of the document that satisfies",
           cutoff="optional", rel=False, params=(MAX_REL_ERR,), pool=False, reads=(MAX_GRADE,),
           tied=Tied(average=_expected_err, merit=_merits_err, unless=_unless_err)),
    Family("RBP", rank_biased_precision, "rank-biased precision", cutoff="optional", params=(P_RBP,),
           pool=False, tied=Tied(average=rank_biased_precision, merit=tied.by_relevance)),
    Family("rbp", graded_rbp, "rank-biased precision over gains",
           trec_eval="rbp", trec_eval_param="p", trec_eval_since="10.0", rel=False, params=(P_GRADED, GAINS),
           tied=Tied(average=graded_rbp, merit=_by_gain)),
    Family("rbp_resid", rank_biased_residual,
           "the most that unjudged documents could add to rank-biased precision",
           trec_eval="rbp_resid", trec_eval_param="p", trec_eval_since="10.0", rel=False, params=(P_GRADED,),
           pool=False, nonrelevant=True, relevance=False,
           tied=Tied(average=_expected_residual, merit=tied.unjudged_first)),
    _family("INST", _inst, "expected gain of a user who adapts to what was found", T),
    _family("INSQ", _insq, "expected gain of a user who wants a certain gain", T),
    _family("BPM", _bpm, "expected gain of a user who stops at a gain or a rank", T, cutoff="required"),
    _family("NERR8", _nerr8, "nearly expected reciprocal rank, equation 8", cutoff="required"),
    _family("NERR9", _nerr9, "nearly expected reciprocal rank, equation 9", cutoff="required"),
    _family("NERR10", _nerr10, "nearly expected reciprocal rank, equation 10", P_GRADED),
    _family("NERR11", _nerr11, "nearly expected reciprocal rank, equation 11", T),
    _family("SDCG", _sdcg, "DCG over that of k documents of the highest level", DCG_FORM, cutoff="required"),
    Family("Compat", compatibility, "rank-biased overlap with the ideal ranking",
           rel=False, params=(P_COMPAT, NORMALIZE),
           tied=Tied(average=_expected_compat, merit=_by_level, unless=_unless_compat)),
)  # fmt: skip
