"""Average precision and its relatives: inferred, interpolated, averaged over groups of judges; and bpref."""

import math
from collections.abc import Callable
from functools import cached_property, partial

import numpy as np
from msgspec.structs import replace

from crosscheck.axes.denominators import AP_DENOMINATOR, ApDenominator
from crosscheck.axes.forms import BPREF_FORM, GEOMETRIC_FLOOR, RECALL_POINTS, BprefForm, RecallPoints
from crosscheck.axes.judging import DEPTH, JUDGED_DEPTH, NEGATIVES, RELEVANCE_LEVEL, Negatives
from crosscheck.axes.ties import Ties
from crosscheck.conventions import Conventions
from crosscheck.measures import tied
from crosscheck.measures.arithmetic import Terms, divide, floored_log, logs, places, sum_above, sum_by_topic
from crosscheck.measures.base import JUDGED_ONLY, Family, MeasureParameter, Merits, Tied, num_relevant
from crosscheck.measures.precision import FAMILIES as PRECISION
from crosscheck.measures.precision import denominator
from crosscheck.model import BoolArray, FloatArray, IntArray, Measure
from crosscheck.rankings.judged import JudgedRankings


def average_precision(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> FloatArray:
    """Sum of the precisions at each relevant document, divided by R (trec_eval ``map``, ``map_cut_k``).

    Values lie in [0, 1]. R includes relevant documents that were not retrieved or rank below the cutoff; the
    axis ``ap_denominator`` sets other denominators. 0.0 if the denominator is 0. Source: Buckley and
    Voorhees, "Retrieval System Evaluation", in TREC (2005).
    """
    total = _sum_of_precisions(judged, conventions, measure.cutoff)
    return divide(total, denominator(AP_DENOMINATOR, judged, conventions, measure))


def _sum_of_precisions(judged: JudgedRankings, conventions: Conventions, cutoff: int | None) -> FloatArray:
    return sum_above(judged, *_precisions(judged, conventions[RELEVANCE_LEVEL]), cutoff)


def _precisions(judged: JudgedRankings, level: int) -> tuple[tuple[str, int], Callable[[], Terms]]:
    """A key for the cache (a name and the relevance level), and the function that computes the precision at
    each retrieved relevant document, in the order of ``judged.relevant``."""

    def found() -> Terms:
        topic, rank = judged.relevant(level)
        return topic, rank, places(judged, topic) / rank

    return ("precisions", level), found


def expected_precisions(groups: tied.Groups, places: IntArray) -> FloatArray:
    """Expected sum, for each group, of the precisions at the relevant documents in its first ``places``
    ranks."""
    # Above a relevant document at place i are (i - 1) others of its group, each relevant with probability
    # (found - 1) / (size - 1).
    harmonic = tied.weight_within(lambda rank: 1.0 / rank, groups.start, places, groups.size)
    above = places - (groups.start + 1) * harmonic
    share = divide(groups.found - 1, groups.size - 1)
    expected = groups.found / groups.size * ((groups.before + 1) * harmonic + share * above)
    # For a document without ties, the exact term of average precision.
    return np.where(groups.size == 1, (places > 0) * (groups.before + 1) / (groups.start + 1), expected)


def _expected(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> FloatArray:
    groups = tied.Groups.of(tied.hits(judged, conventions[RELEVANCE_LEVEL]))
    places = groups.inside(tied.last_rank(conventions, measure.cutoff))
    terms = expected_precisions(groups, places)
    total = sum_by_topic(judged, groups.topic, terms)
    if conventions[AP_DENOMINATOR] is not ApDenominator.RETRIEVED_RELEVANT:
        return divide(total, denominator(AP_DENOMINATOR, judged, conventions, measure))

    def expected(i: int, found: IntArray, whole: float) -> FloatArray:
        start, before, inside = int(groups.start[i]), int(groups.before[i]), int(places[i])
        harmonic = float(np.cumsum(1.0 / np.arange(start + 1, start + inside + 1))[-1])
        share = (found - 1) / max(inside - 1, 1)
        return whole + found / inside * ((before + 1) * harmonic + share * (inside - (start + 1) * harmonic))

    cut = (places > 0) & (places < groups.size)
    total[groups.topic[cut]] -= terms[cut]
    return tied.mean_above(groups, places, groups.found, total, expected)


def _behind_groups(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> FloatArray:
    """Average precision with the precision at the end of each group (scikit-learn's average precision)."""
    groups = tied.Groups.of(tied.hits(judged, conventions[RELEVANCE_LEVEL]))
    precision = (groups.before + groups.found) / (groups.start + groups.size)
    total = sum_by_topic(judged, groups.topic, groups.found * precision)
    return divide(total, denominator(AP_DENOMINATOR, judged, conventions, measure))


def _unless(ties: Ties, conventions: Conventions, measure: Measure) -> str | None:
    cut = tied.last_rank(conventions, measure.cutoff) < tied.FAR
    if ties is Ties.GROUP_END and cut:
        return "a cutoff or a depth"
    # Cutting off a document can raise the mean over the remaining ones.
    over_retrieved = conventions[AP_DENOMINATOR] is ApDenominator.RETRIEVED_RELEVANT
    if ties in (Ties.BEST, Ties.WORST) and over_retrieved and cut:
        return f"a cutoff or a depth, and ap_denominator={ApDenominator.RETRIEVED_RELEVANT}"
    return None


def geometric_map(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> FloatArray:
    """ln(max(AP, 0.00001)) per query; trec_eval's ``gm_map`` is the exponential of the mean.

    Source: Robertson, "On GMAP", CIKM 2006.
    """
    return floored_log(average_precision(judged, conventions, measure), conventions)


def yaap(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> FloatArray:
    """ln((1 + s) / (1 + R - s)), where s is the sum of precisions in AP (trec_eval ``yaap``).

    Negative for low sums; 0.0 if nothing is relevant. Source: Robertson's "yet another average precision", in
    trec_eval's form.
    """
    total = _sum_of_precisions(judged, conventions, None)
    num_rel = num_relevant(judged, conventions, measure)
    return np.where(num_rel > 0, logs(math.log, (1.0 + total) / (1.0 + num_rel - total)), 0.0)


def _unless_odds(ties: Ties, conventions: Conventions, measure: Measure) -> str | None:
    # The odds have no logarithm if more than R documents are found.
    return "a negative relevance level" if conventions[RELEVANCE_LEVEL] < 0 else tied.beyond_pool(conventions)


def set_average_precision(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> FloatArray:
    """SetP times SetR (trec_eval ``set_map``); 0.0 if nothing is relevant or nothing was retrieved."""
    num_rel_ret = judged.relevant_retrieved(conventions[RELEVANCE_LEVEL])
    return divide(num_rel_ret * num_rel_ret, judged.num_ret * num_relevant(judged, conventions, measure))


#: Smoothing constant of infAP, as in trec_eval. Without it the estimate would be 0/0 at a relevant document
#: with no judged document above.
EPSILON = 0.00001


def inferred_ap(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> FloatArray:
    """Average precision estimated from a sample of the pool (trec_eval ``infAP``).

    A negative level marks a document that was pooled but not judged. A document without a judgement was not
    pooled and is nonrelevant. 0.0 if nothing is relevant. Even on complete judgements the value differs
    slightly from AP because of the smoothing. Source: Yilmaz and Aslam, CIKM 2006.
    """
    is_rel = judged.rel >= max(conventions[RELEVANCE_LEVEL], 0)
    topic = judged.topic[is_rel]
    above = (judged.rank[is_rel] - 1).astype(np.float64)
    relevant_above = _above(judged, is_rel, is_rel).astype(np.float64)
    nonrel = _above(judged, (judged.rel >= 0) & ~is_rel, is_rel)
    pooled = relevant_above + nonrel + _above(judged, judged.rel < 0, is_rel)
    share = (relevant_above + EPSILON) / ((relevant_above + nonrel) + 2 * EPSILON)
    expected = 1.0 / (above + 1.0) + ((above / (above + 1.0)) * divide(pooled, above)) * share
    value = np.where(above == 0, 1.0, expected)
    return divide(sum_by_topic(judged, topic, value), num_relevant(judged, conventions, measure))


def _expected_inferred(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> FloatArray:
    """Expected infAP under tied scores.

    Within a group, the number of judged documents above a relevant document has a hypergeometric
    distribution. Given this number, the formula is linear in the number of relevant documents among these
    judged documents, and linear in the number of pooled, unjudged documents.
    """
    level = max(conventions[RELEVANCE_LEVEL], 0)
    groups = tied.Groups.of(judged)
    relevant, known = groups.number(judged.rel >= level), groups.number(judged.rel >= 0)
    pooled = groups.found - known
    before = [groups.above(number).tolist() for number in (relevant, known, pooled)]
    within = groups.inside(tied.last_rank(conventions))
    value = np.zeros(len(groups.topic))
    some = (relevant > 0) & (within > 0)
    columns = groups.start, groups.size, within, relevant, known, pooled
    for i, start, size, inside, found, judged_here, unjudged in tied.rows(some, *columns):
        found_before, known_before, pooled_before = (of[i] for of in before)
        seen = np.arange(judged_here)
        expected_above = found_before + seen * ((found - 1) / max(judged_here - 1, 1))
        share = (expected_above + EPSILON) / (known_before + seen + 2 * EPSILON)
        unknown = unjudged / max(size - judged_here, 1)
        total = 0.0
        for place, chances in zip(range(inside), tied.draws(size - 1, judged_here - 1), strict=False):
            above = start + place
            met = known_before + seen + pooled_before + (place - seen) * unknown
            expected = (1.0 + met * share) / (above + 1.0) if above else np.ones(len(seen))
            total += tied.expectation(chances, expected)
        value[i] = found * total / size
    return divide(sum_by_topic(judged, groups.topic, value), num_relevant(judged, conventions, measure))


def _above(judged: JudgedRankings, kind: BoolArray, at: BoolArray) -> IntArray:
    """For each entry selected by the mask ``at``, the number of entries selected by the mask ``kind`` that
    are above it in the same topic."""
    before = np.concatenate(([0], np.cumsum(kind)))
    first = np.searchsorted(judged.topic, np.arange(judged.num_topics))
    return before[np.flatnonzero(at)] - before[first][judged.topic[at]]


ELEVEN_POINTS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
POINTS = MeasureParameter("points", ELEVEN_POINTS, "levels of recall at which precision is read")
RECALL = MeasureParameter("recall", 0.1, "level of recall at which precision is read", required=True)


class _Curve:
    """The precision-recall curves of all topics: the interpolated precision for each number of relevant
    documents retrieved.

    Attributes:
        found: number of retrieved relevant documents, per topic.
    """

    def __init__(self, judged: JudgedRankings, level: int) -> None:
        self.found = judged.relevant_retrieved(level)
        topic, rank, precision = judged.once_keep_latest(*_precisions(judged, level))
        self._listed = self.found
        if level < 0:
            # trec_eval goes up the ranking and counts down from the number found, but unjudged documents,
            # which this number does not include, lower the count as well.
            self._listed = judged.count(topic)
            precision = (places(judged, topic) + (self.found - self._listed)[topic]) / rank
        self._precision = np.append(precision, 0.0)
        self._end = np.cumsum(self._listed)
        # NaN if nothing was retrieved, as in trec_eval.
        self._last = self.found / judged.num_ret

    @cached_property
    def highest(self) -> FloatArray:
        """The highest precision at any rank, per topic."""
        return np.maximum(self._highest_from(self._end - self._listed), self._last)

    def at(self, needed: IntArray) -> FloatArray:
        """The highest precision from the ``needed``-th retrieved relevant document on (from rank 1 on if
        ``needed`` is 0); 0.0 if fewer relevant documents were retrieved.

        ``needed`` and the result have a row per recall point and a column per topic.
        """
        nth = np.maximum(np.minimum(needed, self.found), 1)
        behind = np.maximum(self._highest_from(self._end - self.found + nth - 1), self._last)
        if self._listed is not self.found:
            # Otherwise the highest value overall is at or after the first relevant document.
            behind = np.where(needed > 0, behind, self.highest)
        return np.where(needed > self.found, 0.0, behind)

    def _highest_from(self, first: IntArray) -> FloatArray:
        """The highest precision of each topic from entry ``first`` on; 0.0 if there is no such entry."""
        bounds = np.empty((*first.shape, 2), np.int64)
        bounds[..., 0], bounds[..., 1] = first, self._end
        # A maximum does not depend on the order of evaluation, so reduceat is exact here.
        highest: FloatArray = np.maximum.reduceat(self._precision, bounds.ravel())[0::2].reshape(first.shape)
        return np.where(first < self._end, highest, 0.0)


def _needed(judged: JudgedRankings, conventions: Conventions, points: tuple[float, ...]) -> IntArray:
    """Number of relevant documents that each recall point requires: a row per point, a column per topic."""
    level, rounding = conventions[RELEVANCE_LEVEL], conventions[RECALL_POINTS]

    def found() -> IntArray:
        num_rel = judged.num_rel(level)
        shares: FloatArray = np.asarray(points, np.float64)[:, np.newaxis]
        exact: FloatArray = shares * num_rel
        if rounding is RecallPoints.FLOOR:
            return (exact + 0.9).astype(np.int64)
        if rounding is RecallPoints.ROUND:
            # Rounds like C: halves away from zero, and 0.49999999999999994 to 0.
            whole = np.trunc(exact)
            return (whole + np.where(np.abs(exact - whole) >= 0.5, np.sign(exact), 0.0)).astype(np.int64)
        # The lowest number of relevant documents whose share of R is at least the point; 0 if R is 0.
        least: IntArray = np.maximum(np.floor(exact).astype(np.int64) - 1, 0)
        for _ in range(3):  # the rounding errors of the product are far smaller than 1
            least += (least / np.maximum(num_rel, 1) < shares) & (num_rel > 0)
        return least

    return judged.once_per_pool(("recall points", level, rounding, points), found)


def _curve(judged: JudgedRankings, conventions: Conventions) -> _Curve:
    level = conventions[RELEVANCE_LEVEL]
    return judged.once(("curve", level), lambda: _Curve(judged, level))


def interpolated_precision(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> FloatArray:
    """Highest precision at this recall or more (trec_eval ``iprec_at_recall_x``, ir_measures ``IPrec@x``).

    The axis ``recall_points`` sets the number of relevant documents that recall x requires: x R + 0.9 cut to
    an integer (trec_eval 9), x R rounded (trec_eval 10), or the lowest number whose share of R is at least x.
    0.0 if fewer were retrieved. Recall 0 requires no relevant document: the value is the highest precision at
    any rank, and NaN if nothing was retrieved.
    """
    point, c = RECALL.of(measure), conventions
    # The eleven points are mostly requested together, so they are computed together.
    points = ELEVEN_POINTS if point in ELEVEN_POINTS else (point,)

    def values() -> FloatArray:
        return _curve(judged, c).at(_needed(judged, c, points))

    what = ("interpolated", c[RELEVANCE_LEVEL], c[RECALL_POINTS], points)
    values_at_point: FloatArray = judged.once(what, values)[points.index(point)]
    return values_at_point


def eleven_point_average(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> FloatArray:
    """Mean of interpolated precision over recall points (trec_eval ``11pt_avg``).

    The points are 0, 0.1, ..., 1 by default; their precisions are added from the last point to the first. If
    the list of points does not ascend, trec_eval goes past a recall before it looks for it. This point and
    all points after it then get the highest precision of the ranking. NaN if nothing was retrieved and a
    point requires no document.
    """
    curve = _curve(judged, conventions)
    points = POINTS.of(measure)
    total = np.zeros(judged.num_topics)
    begun = np.zeros(judged.num_topics, np.bool_)
    stuck = np.zeros(judged.num_topics, np.bool_)
    reached = curve.found
    needed_at = _needed(judged, conventions, points)
    for needed, precision in zip(needed_at[::-1], curve.at(needed_at)[::-1], strict=True):
        begun |= needed <= curve.found
        stuck |= begun & ((needed > reached) | (needed <= 0))
        reached = np.where(begun & ~stuck, needed, reached)
        total += np.where(stuck, curve.highest, np.where(begun, precision, 0.0))
    return total / len(points)


def _unless_interpolated(ties: Ties, conventions: Conventions, measure: Measure) -> str | None:
    if conventions[RELEVANCE_LEVEL] < 0:
        return "a negative relevance level"
    points = list(POINTS.of(measure))
    # If the list does not ascend, a recall that is not reached can raise the value.
    return "recall points that do not ascend" if points != sorted(points) or points[:1] < [0.0] else None


def bpref(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> FloatArray:
    """Binary preference: how rarely judged nonrelevant documents are ranked above relevant ones (trec_eval
    ``bpref``).

    Each retrieved relevant document adds 1 - min(n, R) / min(N, R), where n is the number of judged
    nonrelevant documents above the document, and N the number of all judged nonrelevant documents. The sum is
    divided by R. Unjudged documents and documents with a negative level are skipped. With n = 0 the document
    adds 1, even if N = 0. 0.0 if nothing is relevant. The axis ``bpref_form`` changes the case N = 0 or the
    divisor. Under ``judged_depth`` only the first judged documents are used. Under ``negatives=relevant`` a
    retrieved document with a negative level adds as a relevant document does, and N includes it. Source:
    Buckley and Voorhees, SIGIR 2004, in the form of trec_eval 8 and later.
    """
    level, with_negatives = conventions[RELEVANCE_LEVEL], conventions[NEGATIVES] is Negatives.RELEVANT
    if (depth := conventions[JUDGED_DEPTH]) is not None:
        judged = judged if with_negatives else judged.only(judged.rel >= 0)
        judged = judged.only(places(judged, judged.topic) <= depth)
    num_rel, num_nonrel = judged.num_rel(level), _num_nonrel(judged, conventions)
    is_rel = judged.rel >= max(level, 0)
    if with_negatives:
        is_rel |= judged.rel < 0
    topic, above = judged.topic[is_rel], _above(judged, (judged.rel >= 0) & ~is_rel, is_rel)
    most, bound = _bounds(conventions, num_rel, num_nonrel)
    score = np.where(above > 0, 1.0 - divide(np.minimum(above, most[topic]), bound[topic]), 1.0)
    result = divide(sum_by_topic(judged, topic, score), num_rel)
    return _without_nonrelevant(result, conventions, num_nonrel, judged.count(topic) > 0)


def _num_nonrel(judged: JudgedRankings, conventions: Conventions) -> IntArray:
    number = judged.num_nonrel(conventions[RELEVANCE_LEVEL])
    if conventions[NEGATIVES] is Negatives.RELEVANT:
        number = number + judged.count(judged.pool_topic[judged.pool_rel < 0])
    return number


def _without_nonrelevant(
    result: FloatArray, conventions: Conventions, num_nonrel: IntArray, retrieves_relevant: BoolArray
) -> FloatArray:
    """The values, with the values of topics without judged nonrelevant documents set as ``bpref_form``
    says."""
    if conventions[BPREF_FORM] is BprefForm.ZERO_WHEN_NO_NONRELEVANT:
        result[num_nonrel == 0] = 0.0
    if conventions[BPREF_FORM] is BprefForm.NAN_WHEN_NO_NONRELEVANT:
        # 0/0 for each relevant document that was retrieved.
        result[(num_nonrel == 0) & retrieves_relevant] = np.nan
    return result


def _expected_bpref(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> FloatArray:
    """Expected bpref under tied scores.

    Within a group, the number of nonrelevant documents above a relevant document has a uniform distribution,
    or a hypergeometric one if only a part of the group is above the depth.
    """
    level = max(conventions[RELEVANCE_LEVEL], 0)
    num_rel, num_nonrel = judged.num_rel(level), _num_nonrel(judged, conventions)
    listed = judged if conventions[NEGATIVES] is Negatives.RELEVANT else judged.only(judged.rel >= 0)
    is_nonrel = (listed.rel >= 0) & (listed.rel < level)
    groups = tied.Groups.of(listed)
    nonrel, adding = groups.number(is_nonrel), groups.number(~is_nonrel)
    before, size, start = groups.above(nonrel), groups.size, groups.start
    limit, depth = tied.last_rank(conventions), conventions[JUDGED_DEPTH]
    if depth is not None:
        # Places are counted among judged documents only.
        limit, size, start = depth, groups.found, groups.before
    within = np.clip(limit - start, 0, size)
    most, bound = _bounds(conventions, num_rel, num_nonrel)
    score = np.zeros(len(groups.topic))
    some = (adding > 0) & (within > 0)
    columns = groups.topic, size, within, before, nonrel, adding
    for i, topic, of_group, inside, above_group, others, added in tied.rows(some, *columns):
        n = above_group + np.arange(others + 1)
        each = 1.0 - divide(np.minimum(n, most[topic]), np.full(len(n), bound[topic]))
        score[i] = added * tied.expectation(tied.above(of_group, others, inside), np.where(n > 0, each, 1.0))
    result = divide(sum_by_topic(judged, groups.topic, score), num_rel)
    return _without_nonrelevant(result, conventions, num_nonrel, judged.count(groups.topic[some]) > 0)


def _merits_bpref(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> Merits:
    """Merit 1 for relevant documents, 0 for unjudged and -1 for nonrelevant documents. Returns (topic, rank,
    merit)."""
    adds = judged.rel >= max(conventions[RELEVANCE_LEVEL], 0)
    merit = 1.0 * adds - 1.0 * ((judged.rel >= 0) & ~adds)
    if conventions[NEGATIVES] is Negatives.RELEVANT:
        merit[judged.rel < 0] = 1.0
    return judged.topic, judged.rank, merit


def _unless_bpref(ties: Ties, conventions: Conventions, measure: Measure) -> str | None:
    c, depth = conventions, conventions[DEPTH]
    if depth is not None and c[JUDGED_DEPTH] is not None:
        return f"depth={depth} and judged_depth={c[JUDGED_DEPTH]}"
    if ties is Ties.AVERAGE:
        return None
    cut = depth is not None or c[JUDGED_DEPTH] is not None
    if cut and (more := tied.beyond_pool(c)):
        return f"a depth and {more}"  # a relevant document can then add less than 0
    if cut and c[BPREF_FORM] is BprefForm.NAN_WHEN_NO_NONRELEVANT:
        return f"a depth and bpref_form={c[BPREF_FORM]}"
    return None


def _bounds(conventions: Conventions, num_rel: IntArray, num_nonrel: IntArray) -> tuple[IntArray, IntArray]:
    """Two numbers per topic for the formula of bpref: the bound of n in min(n, bound), and the divisor."""
    if conventions[BPREF_FORM] is BprefForm.BPREF_10:
        return 10 + num_rel, 10 + num_rel
    if conventions[BPREF_FORM] is BprefForm.OVER_R:
        return num_rel, num_rel
    return num_rel, np.minimum(num_nonrel, num_rel)


def geometric_bpref(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> FloatArray:
    """ln(max(bpref, 0.00001)) per query; trec_eval's ``gm_bpref`` is the exponential of the mean."""
    return floored_log(bpref(judged, conventions, measure), conventions)


_FAMILIES = (
    Family("AP", average_precision, "average precision",
           trec_eval="map", trec_eval_cut="map_cut", cutoff="optional", params=(JUDGED_ONLY,),
           aliases=("MAP",), reads=(AP_DENOMINATOR,), divisor=partial(denominator, AP_DENOMINATOR),
           tied=Tied(average=_expected, group_end=_behind_groups, merit=tied.by_relevance, unless=_unless)),
    Family("gm_map", geometric_map, "logarithm of average precision, for its geometric mean over topics",
           trec_eval="gm_map", aggregate="geometric", reads=(AP_DENOMINATOR, GEOMETRIC_FLOOR),
           tied=Tied(merit=tied.by_relevance, unless=_unless)),
    Family("yaap", yaap, "average precision as log odds", trec_eval="yaap",
           tied=Tied(merit=tied.by_relevance, unless=_unless_odds)),
    Family("SetAP", set_average_precision, "precision times recall of the whole result set",
           trec_eval="set_map", params=(JUDGED_ONLY,), ranked=False),
    Family("infAP", inferred_ap, "average precision inferred from sampled judgements", trec_eval="infAP",
           nonrelevant=True, tied=Tied(average=_expected_inferred)),
    Family("bpref", bpref, "binary preference, for incomplete judgements",
           trec_eval="bpref", aliases=("Bpref", "BPref"),
           nonrelevant=True, reads=(BPREF_FORM, JUDGED_DEPTH), divisor=num_relevant,
           tied=Tied(average=_expected_bpref, merit=_merits_bpref, unless=_unless_bpref)),
    Family("gm_bpref", geometric_bpref, "logarithm of bpref, for its geometric mean over topics",
           trec_eval="gm_bpref",
           aggregate="geometric", nonrelevant=True, reads=(BPREF_FORM, JUDGED_DEPTH, GEOMETRIC_FLOOR),
           tied=Tied(merit=_merits_bpref, unless=_unless_bpref)),
    Family("IPrec", interpolated_precision, "interpolated precision at a recall point",
           trec_eval_cut="iprec_at_recall", trec_eval_defaults=ELEVEN_POINTS, params=(RECALL, JUDGED_ONLY),
           at_parameter="recall", reads=(RECALL_POINTS,),
           tied=Tied(merit=tied.by_relevance, unless=_unless_interpolated)),
    Family("11pt_avg", eleven_point_average, "mean of interpolated precision over recall points",
           trec_eval="11pt_avg", trec_eval_param="points", params=(POINTS,), reads=(RECALL_POINTS,),
           tied=Tied(merit=tied.by_relevance, unless=_unless_interpolated)),
)  # fmt: skip


def _averaged(name: str) -> Family:
    """The family of the measure ``name`` of trec_eval, averaged over groups of judges (``name`` +
    ``_avgjg``)."""
    of = next(f for f in (*_FAMILIES, *PRECISION) if name in (f.trec_eval, f.trec_eval_cut))
    with_cutoffs, averaged = name == of.trec_eval_cut, f"{name}_avgjg"
    return replace(
        of, name=averaged, summary=f"{of.summary}, averaged over groups of judges", aliases=(),
        trec_eval=None if with_cutoffs else averaged, trec_eval_cut=averaged if with_cutoffs else None,
        cutoff=of.cutoff if with_cutoffs else "none", needs="groups", divisor=None,
        # The best order of tied documents can be different for each group of judges.
        tied=replace(of.tied, merit=None),
    )  # fmt: skip


# Measures over several groups of judges: evaluation/formula.py averages them.
FAMILIES = (*_FAMILIES, *map(_averaged, ("map", "P", "Rprec_mult")))
