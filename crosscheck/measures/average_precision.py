"""Average precision and measures derived from it: its logarithm, yaap, and its set form."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from crosscheck.axes.denominators import AP_DENOMINATOR, ApDenominator
from crosscheck.axes.forms import GEOMETRIC_FLOOR, GeometricFloor
from crosscheck.axes.judging import RELEVANCE_LEVEL
from crosscheck.axes.ties import Ties
from crosscheck.conventions import Conventions
from crosscheck.measures.base import (
    JUDGED_ONLY,
    Family,
    Tied,
    divide,
    floored_log,
    logs,
    relevant,
    relevant_above,
    relevant_retrieved,
)
from crosscheck.measures.sums import Terms, places, sum_above, sum_by_topic
from crosscheck.measures.tied import FAR, Groups, beyond_pool, by_relevance, drawn_of, hits, last_rank
from crosscheck.model import FloatArray, IntArray, Measure
from crosscheck.rankings.judged import JudgedRankings

__all__ = [
    "FAMILIES",
    "ap_denominator",
    "average_precision",
    "expected_precisions",
    "geometric_map",
    "precisions",
    "set_average_precision",
    "yaap",
]


def average_precision(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> FloatArray:
    """Sum of the precisions at each relevant document, divided by R (trec_eval ``map``, ``map_cut_k``).

    Values lie in [0, 1]. Relevant documents that were not retrieved, or rank below the cutoff, add nothing
    but count in R, unless ``ap_denominator`` says otherwise. 0.0 if the denominator is 0. Source: Buckley and
    Voorhees, "Retrieval System Evaluation", in TREC (2005).
    """
    total = _sum_of_precisions(judged, conventions, measure.cutoff)
    return divide(total, ap_denominator(judged, conventions, measure))


def _sum_of_precisions(judged: JudgedRankings, conventions: Conventions, cutoff: int | None) -> FloatArray:
    what, terms = _precisions(judged, conventions[RELEVANCE_LEVEL])
    return sum_above(judged, judged.once, what, terms, cutoff)


def precisions(judged: JudgedRankings, level: int) -> Terms:
    """Precision at each retrieved relevant document, in the order of
    :func:`~crosscheck.measures.base.relevant`."""
    return judged.lately(*_precisions(judged, level))


def _precisions(judged: JudgedRankings, level: int) -> tuple[tuple[str, int], Callable[[], Terms]]:
    """The name of the precisions with the level that they depend on, and the function that computes them."""

    def found() -> Terms:
        topic, rank = relevant(judged, level)
        return Terms.of(topic, rank, places(judged, topic) / rank)

    return ("precisions", level), found


def expected_precisions(groups: Groups, places: IntArray) -> FloatArray:
    """Expected sum of the precisions at relevant documents in the first ``places`` ranks of each group."""
    deepest = int((groups.start + places).max(initial=0))
    reciprocals = np.concatenate(([0.0], np.cumsum(1.0 / np.arange(1, deepest + 1))))
    # Above a relevant document at place i are (i - 1) others of its group, each relevant with probability
    # (found - 1) / (size - 1).
    harmonic = reciprocals[groups.start + places] - reciprocals[groups.start]
    above = places - (groups.start + 1) * harmonic
    share = divide(groups.found - 1, groups.size - 1)
    expected = groups.found / groups.size * ((groups.before + 1) * harmonic + share * above)
    # A document tied with no other is added exactly as in average precision.
    return np.where(groups.size == 1, (places > 0) * (groups.before + 1) / (groups.start + 1), expected)


def _expected(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> FloatArray:
    groups = Groups.of(hits(judged, conventions[RELEVANCE_LEVEL]))
    limit = last_rank(conventions, measure.cutoff)
    places = groups.inside(limit)
    terms = expected_precisions(groups, places)
    total = sum_by_topic(judged, groups.topic, terms)
    if conventions[AP_DENOMINATOR] is not ApDenominator.RETRIEVED_RELEVANT:
        return divide(total, ap_denominator(judged, conventions, measure))
    result = divide(total, groups.found_within(judged, limit))
    for i in np.flatnonzero((places > 0) & (places < groups.size)).tolist():
        result[groups.topic[i]] = _over_retrieved(
            groups, i, int(places[i]), float(total[groups.topic[i]] - terms[i])
        )
    return result


def _over_retrieved(groups: Groups, i: int, places: int, total: float) -> float:
    """Expected average precision over the relevant documents above the cutoff, which divides group ``i``.

    Both the number of relevant documents of the group above the cutoff and their ranks are random.

    Args:
        places: number of ranks of the group above the cutoff.
        total: expected sum of the precisions in the groups above.
    """
    start, before = int(groups.start[i]), int(groups.before[i])
    found = np.arange(int(groups.found[i]) + 1)
    harmonic = float(np.cumsum(1.0 / np.arange(start + 1, start + places + 1))[-1])
    share = (found - 1) / max(places - 1, 1)
    added = found / places * ((before + 1) * harmonic + share * (places - (start + 1) * harmonic))
    chances = drawn_of(int(groups.size[i]), len(found) - 1, places)
    return float(np.cumsum(chances * divide(total + added, before + found))[-1])


def _behind_groups(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> FloatArray:
    """Average precision with the precision at the end of each group (scikit-learn's average precision)."""
    groups = Groups.of(hits(judged, conventions[RELEVANCE_LEVEL]))
    precision = (groups.before + groups.found) / (groups.start + groups.size)
    total = sum_by_topic(judged, groups.topic, groups.found * precision)
    return divide(total, ap_denominator(judged, conventions, measure))


def _unless(ties: Ties, conventions: Conventions, measure: Measure) -> str | None:
    cut = last_rank(conventions, measure.cutoff) < FAR
    if ties is Ties.GROUP_END and cut:
        return "a cutoff or a depth"
    # Cutting off a document can raise the mean over the remaining ones.
    over_retrieved = conventions[AP_DENOMINATOR] is ApDenominator.RETRIEVED_RELEVANT
    if ties in (Ties.BEST, Ties.WORST) and over_retrieved and cut:
        return f"a cutoff or a depth, and ap_denominator={ApDenominator.RETRIEVED_RELEVANT}"
    return None


def ap_denominator(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> IntArray:
    """Denominator of average precision, per topic."""
    num_rel = judged.num_rel(conventions[RELEVANCE_LEVEL])
    match conventions[AP_DENOMINATOR]:
        case ApDenominator.R:
            return num_rel
        case ApDenominator.RETRIEVED_RELEVANT:
            return relevant_above(judged, conventions[RELEVANCE_LEVEL], measure.cutoff)
        case ApDenominator.MIN_R_K:
            return num_rel if measure.cutoff is None else np.minimum(num_rel, measure.cutoff)
        case ApDenominator.K:
            return num_rel if measure.cutoff is None else np.full(len(num_rel), measure.cutoff)
        case ApDenominator.MIN_R_RETRIEVED:
            seen = judged.num_ret if measure.cutoff is None else np.minimum(judged.num_ret, measure.cutoff)
            return np.minimum(num_rel, seen)


def geometric_map(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> FloatArray:
    """ln(max(AP, 0.00001)) per query; trec_eval's ``gm_map`` is the exponential of the mean.

    Source: Robertson, "On GMAP", CIKM 2006.
    """
    return floored_log(average_precision(judged, conventions, measure), conventions)


def _unless_logs(ties: Ties, conventions: Conventions, measure: Measure) -> str | None:
    if conventions[GEOMETRIC_FLOOR] is GeometricFloor.REPLACE_ZERO:
        return f"geometric_floor={GeometricFloor.REPLACE_ZERO}"
    return _unless(ties, conventions, measure)


def yaap(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> FloatArray:
    """ln((1 + s) / (1 + R - s)), where s is the sum of precisions in AP (trec_eval ``yaap``).

    Negative if little was found; 0.0 if nothing is relevant. Source: Robertson's "yet another average
    precision", in trec_eval's form.
    """
    total = _sum_of_precisions(judged, conventions, None)
    num_rel = judged.num_rel(conventions[RELEVANCE_LEVEL])
    with np.errstate(divide="ignore"):
        odds = (1.0 + total) / (1.0 + num_rel - total)
    return np.where(num_rel > 0, logs(math.log, odds), 0.0)


def _unless_odds(ties: Ties, conventions: Conventions, measure: Measure) -> str | None:
    # The odds have no logarithm if more than R documents are found.
    return "a negative relevance level" if conventions[RELEVANCE_LEVEL] < 0 else beyond_pool(conventions)


def set_average_precision(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> FloatArray:
    """SetP times SetR (trec_eval ``set_map``); 0.0 if nothing is relevant or nothing was retrieved."""
    found = relevant_retrieved(judged, conventions[RELEVANCE_LEVEL])
    return divide(found * found, judged.num_ret * judged.num_rel(conventions[RELEVANCE_LEVEL]))


FAMILIES = (
    Family(
        name="AP",
        compute=average_precision,
        summary="average precision",
        trec_eval="map",
        trec_eval_cut="map_cut",
        cutoff="optional",
        params=JUDGED_ONLY,
        reads=(AP_DENOMINATOR,),
        aliases=("MAP",),
        divisor=ap_denominator,
        tied=Tied(average=_expected, group_end=_behind_groups, merit=by_relevance, unless=_unless),
    ),
    Family(
        name="gm_map",
        compute=geometric_map,
        summary="logarithm of average precision, for its geometric mean over topics",
        trec_eval="gm_map",
        reads=(AP_DENOMINATOR, GEOMETRIC_FLOOR),
        aggregate="geometric",
        tied=Tied(merit=by_relevance, unless=_unless_logs),
    ),
    Family(
        name="yaap",
        compute=yaap,
        summary="average precision as log odds",
        trec_eval="yaap",
        tied=Tied(merit=by_relevance, unless=_unless_odds),
    ),
    Family(
        name="SetAP",
        compute=set_average_precision,
        summary="precision times recall of the whole result set",
        trec_eval="set_map",
        params=JUDGED_ONLY,
        ranked=False,
    ),
)
