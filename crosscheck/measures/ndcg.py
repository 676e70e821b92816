"""Discounted cumulative gain and its normalised form."""

from __future__ import annotations

import numpy as np

from crosscheck.conventions import Conventions, Gain, Ideal
from crosscheck.measures.base import Family, discounts, divide, sum_by_topic
from crosscheck.model import FloatArray, IntArray, Measure
from crosscheck.rankings.judged import Judged

__all__ = ["FAMILIES", "dcg", "gains", "ideal_dcg", "ndcg"]


def gains(rel: IntArray, conventions: Conventions) -> FloatArray:
    """Gain of each relevance level: the level itself, 2^level - 1, or 1 from the relevance level on.

    Levels of 0 and below gain nothing.
    """
    positive = np.maximum(rel, 0)
    match conventions.gain:
        case Gain.LINEAR:
            return positive.astype(np.float64)
        case Gain.EXPONENTIAL:
            with np.errstate(over="ignore"):
                return np.ldexp(1.0, positive) - 1.0
        case Gain.BINARY:
            return (positive >= max(conventions.relevance_level, 1)).astype(np.float64)


def dcg(judged: Judged, conventions: Conventions, measure: Measure) -> FloatArray:
    """Gain over discount, added up to the cutoff in rank order (trec_eval 10 ``dcg``).

    Trec_eval's linear gain and log2(i + 1) unless the axes ``gain`` and ``discount`` say otherwise.
    Source: Järvelin and Kekäläinen, TOIS 20(4), 2002.
    """
    gain = gains(judged.rel, conventions)
    hit = gain != 0
    if measure.cutoff is not None:
        hit &= judged.rank <= measure.cutoff
    value = gain[hit] / discounts(conventions, judged.rank[hit])
    return sum_by_topic(judged, judged.topic[hit], value)


def ideal_dcg(judged: Judged, conventions: Conventions, measure: Measure) -> FloatArray:
    """DCG of the ideal list, which the axis ``ideal`` chooses; 0.0 where nothing gains."""
    kind, cutoff = conventions.ideal, measure.cutoff
    if kind is Ideal.MAX_GRADE:
        # The same grade at every position: as many positions as the ranking has, or k.
        length = judged.num_ret if cutoff is None else np.full(judged.num_topics, cutoff)
        topic = np.repeat(np.arange(judged.num_topics), length)
        gain = np.repeat(gains(np.asarray([judged.max_rel]), conventions), len(topic))
    else:
        from_run = kind is Ideal.RETRIEVED
        topic = judged.topic if from_run else judged.pool_topic
        gain = gains(judged.rel if from_run else judged.pool_rel, conventions)
    topic, gain = topic[gain > 0], gain[gain > 0]
    best_first = np.lexsort((-gain, topic))
    topic, gain = topic[best_first], gain[best_first]
    per_topic = judged.count(topic)
    rank = np.arange(1, len(topic) + 1) - (np.cumsum(per_topic) - per_topic)[topic]
    if kind is Ideal.HITS_RETURNED:
        limit = judged.num_ret if cutoff is None else np.minimum(judged.num_ret, cutoff)
        kept = rank <= limit[topic]
    elif cutoff is not None and kind is not Ideal.UNTRUNCATED:
        kept = rank <= cutoff
    else:
        kept = np.ones(len(rank), np.bool_)
    return sum_by_topic(judged, topic[kept], gain[kept] / discounts(conventions, rank[kept]))


def ndcg(judged: Judged, conventions: Conventions, measure: Measure) -> FloatArray:
    """DCG divided by the DCG of the ideal list (trec_eval ``ndcg``, ``ndcg_cut_k``).

    Values lie in [0, 1] for the ideal lists that hold every judged document. The relevance level does
    not matter; unjudged documents gain nothing. 0.0 where the ideal list gains nothing.
    """
    return divide(dcg(judged, conventions, measure), ideal_dcg(judged, conventions, measure))


FAMILIES = (
    Family(
        "nDCG",
        ndcg,
        "normalised discounted cumulative gain",
        trec_eval="ndcg",
        trec_eval_cut="ndcg_cut",
        cutoff="optional",
        rel=False,
        axes=frozenset({"gain", "discount", "ideal"}),
    ),
    Family(
        "DCG",
        dcg,
        "discounted cumulative gain, not normalised",
        trec_eval="dcg",
        cutoff="optional",
        rel=False,
        axes=frozenset({"gain", "discount"}),
    ),
)
