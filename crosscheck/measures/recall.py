"""Recall, its set form, and the F measure over sets."""

from __future__ import annotations

import numpy as np

from crosscheck.axes.denominators import RECALL_DENOMINATOR, RecallDenominator
from crosscheck.axes.judging import DEPTH, RELEVANCE_LEVEL
from crosscheck.axes.ties import Ties
from crosscheck.conventions import Conventions
from crosscheck.measures.base import (
    JUDGED_ONLY,
    Family,
    Tied,
    divide,
    num_relevant,
    number,
    relevant_above,
    relevant_retrieved,
)
from crosscheck.measures.precision import expected_found, set_precision
from crosscheck.measures.tied import by_relevance
from crosscheck.model import FloatArray, IntArray, Measure
from crosscheck.rankings.judged import JudgedRankings

__all__ = ["FAMILIES", "f_measure", "recall", "recall_denominator", "set_f", "set_recall"]


def recall(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> FloatArray:
    """Relevant documents among the first k, divided by R (trec_eval ``recall_k``).

    R counts the relevant documents in the qrels, retrieved or not. ``recall_denominator`` can change the
    denominator to min(R, k), k or the relevant documents retrieved at any rank. 0.0 if the denominator is 0.
    """
    found = relevant_above(judged, conventions[RELEVANCE_LEVEL], measure.cutoff)
    return divide(found, recall_denominator(judged, conventions, measure))


def _expected_recall(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> FloatArray:
    found = expected_found(judged, conventions, measure.cutoff)
    return divide(found, recall_denominator(judged, conventions, measure))


def _unless(ties: Ties, conventions: Conventions, measure: Measure) -> str | None:
    depth = conventions[DEPTH]
    if depth is not None and conventions[RECALL_DENOMINATOR] is RecallDenominator.RETRIEVED_R:
        return f"depth={depth} and recall_denominator={RecallDenominator.RETRIEVED_R}"
    return None


def recall_denominator(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> IntArray:
    """Denominator of recall, per topic."""
    num_rel = judged.num_rel(conventions[RELEVANCE_LEVEL])
    match conventions[RECALL_DENOMINATOR]:
        case RecallDenominator.R:
            return num_rel
        case RecallDenominator.MIN_R_K:
            return num_rel if measure.cutoff is None else np.minimum(num_rel, measure.cutoff)
        case RecallDenominator.RETRIEVED_R:
            return relevant_retrieved(judged, conventions[RELEVANCE_LEVEL])
        case RecallDenominator.K:
            assert measure.cutoff is not None
            return np.full(len(num_rel), measure.cutoff)


def set_recall(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> FloatArray:
    """Relevant retrieved documents over R (trec_eval ``set_recall``); 0.0 if nothing is relevant."""
    level = conventions[RELEVANCE_LEVEL]
    return divide(relevant_retrieved(judged, level), judged.num_rel(level))


def set_f(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> FloatArray:
    """F measure over the whole result set (trec_eval ``set_F``, ir_measures ``SetF``).

    (x + 1) P R / (x P + R), with P = SetP, R = SetR and x = beta (elsewhere x is usually the square of beta).
    0.0 if nothing relevant was retrieved; NaN if a negative beta makes it 0 / 0. The evaluation order is
    trec_eval's.
    """
    p, r = set_precision(judged, conventions, measure), set_recall(judged, conventions, measure)
    return f_measure(p, r, number(measure, "beta", 1.0))


def f_measure(p: FloatArray, r: FloatArray, beta: float) -> FloatArray:
    """F of precision and recall; the formula of :func:`set_f`."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(p > 0, ((beta + 1.0) * p * r) / (beta * p + r), 0.0)


FAMILIES = (
    Family(
        name="R",
        compute=recall,
        summary="recall in the first k documents",
        trec_eval_cut="recall",
        cutoff="required",
        params=JUDGED_ONLY,
        reads=(RECALL_DENOMINATOR,),
        tied=Tied(average=_expected_recall, merit=by_relevance, unless=_unless),
        aliases=("Recall",),
        divisor=recall_denominator,
    ),
    Family(
        name="SetR",
        compute=set_recall,
        summary="recall of the whole result set",
        trec_eval="set_recall",
        ranked=False,
        divisor=num_relevant,
    ),
    Family(
        name="SetF",
        compute=set_f,
        summary="F measure of the whole result set",
        trec_eval="set_F",
        trec_eval_param="beta",
        params={"beta": 1.0, **JUDGED_ONLY},
        ranked=False,
    ),
)
