"""Discounted cumulative gain and its normalised form."""

from __future__ import annotations

import numpy as np
from msgspec.structs import replace

from crosscheck.axes.forms import MAX_GRADE
from crosscheck.axes.gains import DISCOUNT, GAIN, IDEAL, Discount, Ideal
from crosscheck.axes.judging import DEPTH, NEGATIVES, SUBTRACTING, Negatives
from crosscheck.axes.ties import Ties
from crosscheck.conventions import Conventions
from crosscheck.measures.base import JUDGED_ONLY, Family, Merits, Tied, discounts, divide, gain_pairs
from crosscheck.measures.gain import GAINS, GainList, gain_axes, gains, ideal_gains, retrieved_gains
from crosscheck.measures.sums import Terms, sum_above, sum_by_topic
from crosscheck.measures.tied import last_rank
from crosscheck.model import FloatArray, Measure
from crosscheck.rankings.judged import JudgedRankings

__all__ = ["FAMILIES", "by_gain", "dcg", "gains", "ideal_dcg", "ndcg", "unless_gains"]


def _discounted(conventions: Conventions, found: GainList) -> Terms:
    return Terms.of(found.topic, found.rank, found.gain / discounts(conventions, found.rank))


def dcg(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> FloatArray:
    """Sum of gain over discount in rank order, up to the cutoff (trec_eval 10 ``dcg``).

    Gain is the level and the discount log2(rank + 1), unless the axes ``gain`` and ``discount`` say
    otherwise. Unjudged documents gain nothing. Source: Järvelin and Kekäläinen, TOIS 20(4), 2002.
    """
    c = conventions
    what = ("dcg", *gain_axes(c), gain_pairs(measure), c[DISCOUNT])

    def terms() -> Terms:
        return _discounted(c, retrieved_gains(judged, c, replace(measure, cutoff=None)))

    return sum_above(judged, judged.once, what, terms, measure.cutoff)


def _expected_dcg(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> FloatArray:
    found = retrieved_gains(judged, conventions, measure)
    assert found.after is not None
    assert found.tied is not None
    limit = last_rank(conventions, measure.cutoff)
    places = np.clip(limit - found.after, 0, found.tied)
    deepest = int((found.after + places).max(initial=0))
    weights = 1.0 / discounts(conventions, np.arange(1, deepest + 1))
    up_to = np.concatenate(([0.0], np.cumsum(weights)))
    share = (up_to[found.after + places] - up_to[found.after]) / found.tied
    alone = (found.tied == 1) & (places > 0)
    share[alone] = weights[found.after[alone]]
    return sum_by_topic(judged, found.topic, found.gain * share)


def by_gain(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> Merits:
    """The gain of each document as its merit."""
    found = retrieved_gains(judged, conventions, replace(measure, cutoff=None))
    return found.topic, found.rank, found.gain


def unless_gains(ties: Ties, conventions: Conventions, measure: Measure) -> str | None:
    """The setting under which a measure normalised by an ideal list has no form of :class:`Tied`, or None."""
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


def _expected_ndcg(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> FloatArray:
    return divide(_expected_dcg(judged, conventions, measure), ideal_dcg(judged, conventions, measure))


def ideal_dcg(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> FloatArray:
    """DCG of the ideal list chosen by the axis ``ideal``; 0.0 if it has no gain."""
    c = conventions
    if c[IDEAL] not in (Ideal.QRELS, Ideal.UNTRUNCATED) or gain_pairs(measure):
        listed = _discounted(c, ideal_gains(judged, c, measure))
        return sum_by_topic(judged, listed.topic, listed.value)
    # The same for all runs with these topics.
    what = ("ideal_dcg", *gain_axes(c), c[DISCOUNT])
    cutoff = None if c[IDEAL] is Ideal.UNTRUNCATED else measure.cutoff

    def best() -> Terms:
        return _discounted(c, ideal_gains(judged, c, replace(measure, cutoff=None)))

    return sum_above(judged, judged.once_per_pool, what, best, cutoff)


def ndcg(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> FloatArray:
    """DCG divided by the DCG of the ideal list (trec_eval ``ndcg``, ``ndcg_cut_k``).

    Values lie in [0, 1] if the ideal list holds every judged document. The relevance level does not matter;
    unjudged documents gain nothing. 0.0 if the ideal list has no gain.

    Custom gains (``nDCG(gains={1:3,2:9})``, trec_eval ``ndcg.1=3,2=9``) follow trec_eval's gain table; see
    :class:`crosscheck.measures.gain_table.GainTable` for gains less than 1 apart.
    """
    ideal = ideal_dcg(judged, conventions, measure)
    if conventions[NEGATIVES] is Negatives.NEGATIVE_GAIN_GUARDED:
        ideal = np.maximum(ideal, 0.0)
    return divide(dcg(judged, conventions, measure), ideal)


FAMILIES = (
    Family(
        name="nDCG",
        compute=ndcg,
        summary="normalised discounted cumulative gain",
        trec_eval="ndcg",
        trec_eval_cut="ndcg_cut",
        trec_eval_param="gains",
        cutoff="optional",
        rel=False,
        params={"dcg": "log2", **GAINS, **JUDGED_ONLY},
        reads=(GAIN, DISCOUNT, IDEAL, MAX_GRADE),
        divisor=ideal_dcg,
        tied=Tied(average=_expected_ndcg, merit=by_gain, unless=unless_gains),
    ),
    Family(
        name="DCG",
        compute=dcg,
        summary="discounted cumulative gain, not normalised",
        trec_eval="dcg",
        trec_eval_param="gains",
        trec_eval_since="10.0",
        cutoff="optional",
        rel=False,
        params={**GAINS},
        reads=(GAIN, DISCOUNT),
        pool=False,
        ratio=False,
        tied=Tied(average=_expected_dcg, merit=by_gain, unless=_unless_discounts),
    ),
    Family(
        name="ideal_dcg",
        compute=ideal_dcg,
        summary="discounted cumulative gain of the ideal list",
        trec_eval="ideal_dcg",
        trec_eval_param="gains",
        trec_eval_since="10.0",
        cutoff="optional",
        rel=False,
        params={**GAINS},
        reads=(GAIN, DISCOUNT, IDEAL, MAX_GRADE),
        ranked=False,
        ratio=False,
    ),
)
