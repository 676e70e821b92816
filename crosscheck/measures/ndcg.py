"""DCG, nDCG, and measures that also compare the ranking with the ideal ranking at single ranks."""

import numpy as np
from msgspec.structs import replace

from crosscheck.axes.forms import MAX_GRADE
from crosscheck.axes.gains import DISCOUNT, GAIN, IDEAL, Discount, Gain, Ideal
from crosscheck.axes.judging import DEPTH, NEGATIVES, RELEVANCE_LEVEL, SUBTRACTING, Negatives
from crosscheck.axes.ties import Ties
from crosscheck.conventions import Conventions
from crosscheck.measures import arithmetic, tied
from crosscheck.measures.arithmetic import Terms, discounts, divide, places, running, sum_above, sum_by_topic
from crosscheck.measures.base import GAINS, JUDGED_ONLY, Family, MeasureParameter, Merits, Tied, num_relevant
from crosscheck.measures.gains import GainList, gain_axes, ideal_gains, retrieved_gains
from crosscheck.model import BoolArray, FloatArray, IntArray, Measure
from crosscheck.rankings.judged import JudgedRankings

DCG_FORM = MeasureParameter(
    "dcg", "log2", "log2: gains are divided by log2(rank + 1); exp-log2: the gain is 2^level - 1 as well"
)


def _discounted(conventions: Conventions, gains: GainList) -> Terms:
    return gains.topic, gains.rank, gains.gain / discounts(conventions, gains.rank)


def dcg(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> FloatArray:
    """Sum of gain over discount in rank order, up to the cutoff (trec_eval 10 ``dcg``).

    By default the gain is the level and the discount log2(rank + 1); the axes ``gain`` and ``discount``
    change them. Unjudged documents have no gain. Source: Järvelin and Kekäläinen, TOIS 20(4), 2002.
    """
    c = conventions
    if judged.tied is not None:
        return _expected_dcg(judged, c, measure)

    def terms() -> Terms:
        return _discounted(c, retrieved_gains(judged, c, replace(measure, cutoff=None)))

    return sum_above(judged, ("dcg", *gain_axes(c), GAINS.of(measure), c[DISCOUNT]), terms, measure.cutoff)


def _expected_dcg(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> FloatArray:
    gains = retrieved_gains(judged, conventions, measure)
    assert gains.tied is not None
    after, size = gains.tied
    places = np.clip(tied.last_rank(conventions, measure.cutoff) - after, 0, size)
    share = tied.weight_within(lambda rank: 1.0 / discounts(conventions, rank), after, places, size) / size
    return sum_by_topic(judged, gains.topic, gains.gain * share)


def by_gain(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> Merits:
    """The gain of each document as its merit. Returns (topic, rank, merit)."""
    gains = retrieved_gains(judged, conventions, replace(measure, cutoff=None))
    return gains.topic, gains.rank, gains.gain


def unless_gains(ties: Ties, conventions: Conventions, measure: Measure) -> str | None:
    """The setting, in words, under which a measure with an ideal ranking cannot be computed without an order
    of tied documents; None if there is no such setting."""
    c = conventions
    if c[DEPTH] is not None and c[IDEAL] is Ideal.RETRIEVED:
        return f"depth={c[DEPTH]} and ideal={Ideal.RETRIEVED}"
    return _unless_discounts(ties, conventions, measure)


def _unless_discounts(ties: Ties, conventions: Conventions, measure: Measure) -> str | None:
    if conventions[NEGATIVES] in SUBTRACTING:  # documents without a gain rank above these
        return f"negatives={conventions[NEGATIVES]}"
    if ties in (Ties.BEST, Ties.WORST) and conventions[DISCOUNT] is Discount.LN_JARVELIN:
        return f"discount={Discount.LN_JARVELIN}"  # this discounts rank 2 less than rank 1
    return None


def ideal_dcg(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> FloatArray:
    """DCG of the ideal ranking chosen by the axis ``ideal``; 0.0 if no document has a gain."""
    c = conventions
    if c[IDEAL] not in (Ideal.QRELS, Ideal.UNTRUNCATED) or GAINS.of(measure):
        topic, _, value = _discounted(c, ideal_gains(judged, c, measure))
        return sum_by_topic(judged, topic, value)
    cutoff = None if c[IDEAL] is Ideal.UNTRUNCATED else measure.cutoff

    def best() -> Terms:
        return _discounted(c, ideal_gains(judged, c, replace(measure, cutoff=None)))

    # The same for all runs with these topics.
    return sum_above(judged, ("ideal_dcg", *gain_axes(c), c[DISCOUNT]), best, cutoff, per_pool=True)


def ndcg(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> FloatArray:
    """DCG divided by the DCG of the ideal ranking (trec_eval ``ndcg``, ``ndcg_cut_k``).

    Values lie in [0, 1] if the ideal ranking includes every judged document. The axis ``relevance_level`` has
    no effect. Unjudged documents have no gain. 0.0 if no document of the ideal ranking has a gain.

    Custom gains (``nDCG(gains={1:3,2:9})``, trec_eval ``ndcg.1=3,2=9``) follow trec_eval's gain table; see
    :class:`crosscheck.measures.gains.GainTable` for gains less than 1 apart.
    """
    ideal = ideal_dcg(judged, conventions, measure)
    if conventions[NEGATIVES] is Negatives.NEGATIVE_GAIN_GUARDED:
        ideal = np.maximum(ideal, 0.0)
    return divide(dcg(judged, conventions, measure), ideal)


class _PrefixSums:
    """Sums of values down to any rank, per topic."""

    def __init__(self, judged: JudgedRankings, topic: IntArray, rank: IntArray, values: FloatArray) -> None:
        size = judged.count(topic)
        self._before = np.cumsum(size) - size
        self._sums = np.append(running(np.add, judged, topic, values), 0.0)
        # One number per entry that orders them by topic and rank.
        self._stride = int(max(rank.max(initial=0), judged.num_ret.max(initial=0))) + 2
        self._key = topic * self._stride + rank

    def up_to(self, topic: IntArray, rank: IntArray) -> FloatArray:
        """The sum of the values of ``topic`` at ranks up to and including ``rank``; 0.0 if there are none."""
        rank = np.minimum(rank, self._stride - 1)
        behind = np.searchsorted(self._key, topic * self._stride + rank, "right")
        return np.where(behind > self._before[topic], self._sums[behind - 1], 0.0)


def _dcg_along(judged: JudgedRankings, conventions: Conventions, gains: GainList) -> _PrefixSums:
    return _PrefixSums(judged, *_discounted(conventions, gains))


def ndcg_at_relevant(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> FloatArray:
    """nDCG averaged over the ranks of documents with a gain (trec_eval ``ndcg_rel``).

    At each of these ranks, the DCG of the ranking is divided by the DCG of the ideal ranking down to the same
    rank. For a document of the ideal ranking that was not retrieved, nDCG of the whole ranking enters the
    average. 0.0 if the average is not positive.
    """
    gains = retrieved_gains(judged, conventions, measure)
    ideal = ideal_gains(judged, conventions, measure)
    listed = tied.gains_by_rank(gains, gains.gain, tied.last_rank(conventions))
    along, ideal_along = _dcg_along(judged, conventions, listed), _dcg_along(judged, conventions, ideal)
    gaining = gains.where(gains.gain > 0)
    topics = np.arange(judged.num_topics)
    wanted, got = judged.count(ideal.topic), judged.count(gaining.topic)
    end = np.maximum(judged.num_ret, wanted)
    if judged.tied is None:
        at, dcg_at = gaining, along.up_to(gaining.topic, gaining.rank)
    else:
        at, dcg_at = listed, _expected_at_gaining(judged, conventions, gains, listed, along)
    total = sum_by_topic(judged, at.topic, dcg_at / ideal_along.up_to(at.topic, at.rank))
    total += (wanted - got) * along.up_to(topics, end) / ideal_along.up_to(topics, end)
    return np.where(total > 0, total / wanted, 0.0)


def _expected_at_gaining(
    judged: JudgedRankings, conventions: Conventions, gains: GainList, listed: GainList, along: _PrefixSums
) -> FloatArray:
    """For each rank, the expected DCG down to the rank given that a document with a gain is at the rank,
    times the probability that one is.

    At each rank of a group, this is the mean over the documents of the group with a gain; above it in the
    group, each rank has the mean gain of the group's remaining documents.
    """
    groups = tied.Groups.of(gains)
    gain = np.bincount(groups.group, gains.gain, len(groups.topic))
    group = np.repeat(np.arange(len(groups.topic)), groups.size)
    start = groups.start[group]
    weight = 1.0 / discounts(conventions, listed.rank)
    weights = _PrefixSums(judged, listed.topic, listed.rank, weight)
    above = weights.up_to(listed.topic, listed.rank - 1) - weights.up_to(listed.topic, start)
    others = divide((groups.found - 1) * gain, groups.size - 1)[group]
    value = groups.found[group] * along.up_to(listed.topic, start) + gain[group] * weight + above * others
    return np.asarray(value / groups.size[group])


def ndcg_at_changes(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> FloatArray:
    """nDCG averaged over the ranks after which the gain of the ideal ranking changes (trec_eval ``Rndcg``).

    The measure generalises R-precision to graded judgements. At the rank of the last document of each gain in
    the ideal ranking, the DCG of the ranking is divided by the DCG of the ideal ranking. If the ranking is
    longer than the ideal ranking by more than one document, nDCG of the whole ranking is added to the
    average. 0.0 if nothing is relevant. NaN if a document is relevant but the ideal ranking is empty, which
    only custom gains can cause.
    """
    gains = retrieved_gains(judged, conventions, measure)
    gains = tied.gains_by_rank(gains, gains.gain, tied.last_rank(conventions))
    ideal = ideal_gains(judged, conventions, measure)
    along, ideal_along = _dcg_along(judged, conventions, gains), _dcg_along(judged, conventions, ideal)
    changes = ideal.where(_changes(ideal))
    length = judged.count(ideal.topic)
    nonempty = np.flatnonzero(length > 0)
    longer = np.flatnonzero((length > 0) & (judged.num_ret > length + 1))
    topic = np.concatenate((changes.topic, nonempty, longer))
    rank = np.concatenate((changes.rank - 1, length[nonempty], judged.num_ret[longer]))
    record = along.up_to(topic, rank) / ideal_along.up_to(topic, rank)
    value = sum_by_topic(judged, topic, record) / judged.count(topic)
    value[num_relevant(judged, conventions, measure) == 0] = 0.0
    return value


def _unless_changes(ties: Ties, conventions: Conventions, measure: Measure) -> str | None:
    return "custom gains" if GAINS.of(measure) else unless_gains(ties, conventions, measure)


def _unless_relevant(ties: Ties, conventions: Conventions, measure: Measure) -> str | None:
    if conventions[DEPTH] is not None:
        return f"depth={conventions[DEPTH]}"
    if conventions[GAIN] is Gain.POWER_OF_ALL:
        return f"gain={Gain.POWER_OF_ALL}"  # here, too, more documents can have gain than were judged
    return tied.beyond_pool(conventions) or _unless_changes(ties, conventions, measure)


def _changes(ideal: GainList) -> BoolArray:
    """For each entry, whether its gain differs from the gain at the rank before; False at rank 1."""
    changed = np.zeros(len(ideal.gain), np.bool_)
    changed[1:] = (ideal.gain[1:] != ideal.gain[:-1]) & (ideal.rank[1:] > 1)
    return changed


def g_measure(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> FloatArray:
    """Gain discounted by the logarithm of the cost without gain (trec_eval ``G``).

    The cost of a rank is the gain of the ideal ranking at this rank, but at least 1. Each document with a
    gain adds gain / log2(2 + c - g), where c is the sum of the costs and g the sum of the gains down to its
    rank. The sum is divided by the sum of the gains of the ideal ranking; 0.0 if the latter is 0. With custom
    gains values can exceed 1.
    """
    retrieved = retrieved_gains(judged, conventions, measure)
    ideal = ideal_gains(judged, conventions, measure)
    gain = running(np.add, judged, retrieved.topic, retrieved.gain)
    in_vain: FloatArray = (2.0 + _cost(judged, retrieved, ideal)) - gain
    total = sum_by_topic(judged, retrieved.topic, retrieved.gain / arithmetic.log2(in_vain))
    return divide(total, sum_by_topic(judged, ideal.topic, ideal.gain))


def _cost(judged: JudgedRankings, retrieved: GainList, ideal: GainList) -> FloatArray:
    """For each entry of ``retrieved``, the sum of the costs of the ranks down to its rank, added one by
    one."""
    length = judged.count(ideal.topic)
    cost = np.maximum(ideal.gain, 1.0)
    if np.all(cost == np.floor(cost)):
        along = _PrefixSums(judged, ideal.topic, ideal.rank, cost)
        total: FloatArray = along.up_to(retrieved.topic, retrieved.rank)
        total += np.maximum(retrieved.rank - length[retrieved.topic], 0)
        return total
    # Adding 1 many times to a fractional sum rounds differently from adding once: add at every rank.
    deepest = np.zeros(judged.num_topics, np.int64)
    np.maximum.at(deepest, retrieved.topic, retrieved.rank)
    topic = np.repeat(np.arange(judged.num_topics), deepest)
    each = np.ones(len(topic))
    met = ideal.rank <= deepest[ideal.topic]
    each[(np.cumsum(deepest) - deepest)[ideal.topic[met]] + ideal.rank[met] - 1] = cost[met]
    return _PrefixSums(judged, topic, places(judged, topic), each).up_to(retrieved.topic, retrieved.rank)


def normalised_binary_gain(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> FloatArray:
    """G for binary relevance (trec_eval ``binG``).

    Each relevant document adds 1 / log2(2 + n), where n is the number of nonrelevant documents above it. The
    sum is divided by R. Unjudged documents are nonrelevant. 0.0 if nothing is relevant.
    """
    topic, rank = judged.relevant(conventions[RELEVANCE_LEVEL])
    nonrelevant: FloatArray = (rank - places(judged, topic)).astype(np.float64)
    value = 1.0 / arithmetic.log2(2.0 + nonrelevant)
    return divide(sum_by_topic(judged, topic, value), num_relevant(judged, conventions, measure))


def _expected_binary_gain(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> FloatArray:
    groups = tied.Groups.of(tied.hits(judged, conventions[RELEVANCE_LEVEL]))
    within = groups.inside(tied.last_rank(conventions))
    value = np.zeros(len(groups.topic))
    columns = groups.size, groups.found, groups.start - groups.before, within
    for i, size, found, before, inside in tied.rows(within > 0, *columns):
        nonrelevant = before + np.arange(size - found + 1.0)
        chances = tied.above(size, size - found, inside)
        value[i] = found * np.cumsum(chances / arithmetic.log2(2.0 + nonrelevant))[-1]
    return divide(sum_by_topic(judged, groups.topic, value), num_relevant(judged, conventions, measure))


FAMILIES = (
    Family("nDCG", ndcg, "normalised discounted cumulative gain",
           trec_eval="ndcg", trec_eval_cut="ndcg_cut", cutoff="optional", rel=False,
           params=(DCG_FORM, GAINS, JUDGED_ONLY),
           reads=(GAIN, DISCOUNT, IDEAL, MAX_GRADE), divisor=ideal_dcg,
           tied=Tied(average=ndcg, merit=by_gain, unless=unless_gains)),
    Family("DCG", dcg, "discounted cumulative gain, not normalised",
           trec_eval="dcg", trec_eval_since="10.0", cutoff="optional", rel=False, params=(GAINS,),
           pool=False, ratio=False, reads=(GAIN, DISCOUNT),
           tied=Tied(average=dcg, merit=by_gain, unless=_unless_discounts)),
    Family("ideal_dcg", ideal_dcg, "discounted cumulative gain of the ideal list",
           trec_eval="ideal_dcg", trec_eval_since="10.0", cutoff="optional", rel=False, params=(GAINS,),
           ranked=False, ratio=False, reads=(GAIN, DISCOUNT, IDEAL, MAX_GRADE)),
    Family("ndcg_rel", ndcg_at_relevant, "nDCG averaged over the ranks of gaining documents",
           trec_eval="ndcg_rel", rel=False, params=(GAINS,), reads=(GAIN, DISCOUNT, IDEAL, MAX_GRADE),
           tied=Tied(average=ndcg_at_relevant, unless=_unless_relevant)),
    Family("Rndcg", ndcg_at_changes, "nDCG averaged over the places where the ideal gain changes",
           trec_eval="Rndcg", params=(GAINS,), reads=(GAIN, DISCOUNT, IDEAL, MAX_GRADE),
           tied=Tied(average=ndcg_at_changes, merit=by_gain, unless=_unless_changes)),
    Family("G", g_measure, "gain discounted by the cost in vain", trec_eval="G", rel=False, params=(GAINS,),
           reads=(GAIN, IDEAL, MAX_GRADE)),
    Family("binG", normalised_binary_gain, "G for binary relevance", trec_eval="binG",
           tied=Tied(average=_expected_binary_gain, merit=tied.by_relevance)),
)  # fmt: skip
