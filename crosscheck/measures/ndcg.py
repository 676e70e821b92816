"""Discounted cumulative gain and its normalised form."""

from __future__ import annotations

from dataclasses import replace

from crosscheck.axes.discount import DISCOUNT
from crosscheck.axes.gain import GAIN
from crosscheck.axes.ideal import IDEAL, Ideal
from crosscheck.axes.max_grade import MAX_GRADE
from crosscheck.conventions import Conventions
from crosscheck.measures.base import JUDGED_ONLY, Family, discounts, divide, gain_pairs
from crosscheck.measures.gain import GAINS, GainList, gain_axes, gains, ideal_gains, retrieved_gains
from crosscheck.measures.sums import Terms, sum_above, sum_by_topic
from crosscheck.model import FloatArray, Measure
from crosscheck.rankings.judged import Judged

__all__ = ["FAMILIES", "dcg", "gains", "ideal_dcg", "ndcg"]


def _discounted(conventions: Conventions, found: GainList) -> Terms:
    return Terms.of(found.topic, found.rank, found.gain / discounts(conventions, found.rank))


def dcg(judged: Judged, conventions: Conventions, measure: Measure) -> FloatArray:
    """Gain over discount, added up to the cutoff in rank order (trec_eval 10 ``dcg``).

    Trec_eval's linear gain and log2(i + 1) unless the axes ``gain`` and ``discount`` say otherwise.
    Source: Järvelin and Kekäläinen, TOIS 20(4), 2002.
    """
    c = conventions
    what = ("dcg", *gain_axes(c), gain_pairs(measure), c[DISCOUNT])

    def terms() -> Terms:
        return _discounted(c, retrieved_gains(judged, c, replace(measure, cutoff=None)))

    return sum_above(judged, judged.once, what, terms, measure.cutoff)


def ideal_dcg(judged: Judged, conventions: Conventions, measure: Measure) -> FloatArray:
    """DCG of the ideal list, which the axis ``ideal`` chooses; 0.0 where nothing gains."""
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


def ndcg(judged: Judged, conventions: Conventions, measure: Measure) -> FloatArray:
    """DCG divided by the DCG of the ideal list (trec_eval ``ndcg``, ``ndcg_cut_k``).

    Values lie in [0, 1] for the ideal lists that hold every judged document. The relevance level does
    not matter; unjudged documents gain nothing. 0.0 where the ideal list gains nothing.

    Custom gains (``nDCG(gains={1:3,2:9})``, trec_eval ``ndcg.1=3,2=9``) follow trec_eval's gain table; see
    :class:`crosscheck.measures.gain_table.GainTable` for what becomes of gains less than 1 apart.
    """
    return divide(dcg(judged, conventions, measure), ideal_dcg(judged, conventions, measure))


FAMILIES = (
    Family(
        "nDCG",
        ndcg,
        "normalised discounted cumulative gain",
        trec_eval="ndcg",
        trec_eval_cut="ndcg_cut",
        trec_eval_param="gains",
        cutoff="optional",
        rel=False,
        params={"dcg": "log2", **GAINS, **JUDGED_ONLY},
        reads=(GAIN, DISCOUNT, IDEAL, MAX_GRADE),
        divisor=ideal_dcg,
    ),
    Family(
        "DCG",
        dcg,
        "discounted cumulative gain, not normalised",
        trec_eval="dcg",
        trec_eval_param="gains",
        trec_eval_since="10.0",
        cutoff="optional",
        rel=False,
        params={**GAINS},
        reads=(GAIN, DISCOUNT),
        pool=False,
        ratio=False,
    ),
    Family(
        "ideal_dcg",
        ideal_dcg,
        "discounted cumulative gain of the ideal list",
        trec_eval="ideal_dcg",
        trec_eval_param="gains",
        trec_eval_since="10.0",
        cutoff="optional",
        rel=False,
        params={**GAINS},
        reads=(GAIN, DISCOUNT, IDEAL, MAX_GRADE),
        ratio=False,
    ),
)
