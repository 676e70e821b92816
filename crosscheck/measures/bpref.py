"""bpref, for incomplete judgements."""

from __future__ import annotations

import numpy as np

from crosscheck.axes.bpref_form import BPREF_FORM, BprefForm
from crosscheck.axes.geometric_floor import GEOMETRIC_FLOOR
from crosscheck.axes.judged_depth import JUDGED_DEPTH
from crosscheck.axes.negatives import NEGATIVES, Negatives
from crosscheck.axes.relevance_level import RELEVANCE_LEVEL
from crosscheck.conventions import Conventions
from crosscheck.measures.base import Family, divide, floored_log, num_relevant
from crosscheck.measures.sums import places, sum_by_topic
from crosscheck.model import FloatArray, IntArray, Measure
from crosscheck.rankings.judged import Judged

__all__ = ["FAMILIES", "bpref", "geometric_bpref"]


def bpref(judged: Judged, conventions: Conventions, measure: Measure) -> FloatArray:
    """How rarely judged nonrelevant documents stand above relevant ones (trec_eval ``bpref``).

    Each retrieved relevant document adds 1 - min(n, R) / min(N, R), n being the judged nonrelevant
    documents above it and N all of them; the sum is divided by R. Unjudged documents, and those with a
    negative level, are skipped. With n = 0 the document adds 1, even where N = 0. 0.0 where nothing is
    relevant. The axis ``bpref_form`` changes the case N = 0 or the divisor; under
    ``judged_depth`` only the first judged documents are looked at; under ``negatives`` ``relevant`` a
    retrieved document with a negative level adds like a relevant one and counts in N.
    Source: Buckley and Voorhees, SIGIR 2004, in the form of trec_eval 8 and later.
    """
    judged = _looked_at(judged, conventions)
    level = conventions[RELEVANCE_LEVEL]
    num_rel, num_nonrel = judged.num_rel(level), judged.num_nonrel(level)
    is_rel = judged.rel >= max(level, 0)
    nonrel_so_far = np.zeros(len(is_rel) + 1, np.int64)
    np.cumsum((judged.rel >= 0) & ~is_rel, out=nonrel_so_far[1:])
    if conventions[NEGATIVES] is Negatives.RELEVANT:
        is_rel |= judged.rel < 0
        num_nonrel = num_nonrel + judged.count(judged.pool_topic[judged.pool_rel < 0])
    first = np.searchsorted(judged.topic, np.arange(judged.num_topics))
    topic = judged.topic[is_rel]
    above: IntArray = nonrel_so_far[1:][is_rel] - nonrel_so_far[first][topic]
    most, bound = _bounds(conventions, num_rel, num_nonrel)
    score = np.where(above > 0, 1.0 - divide(np.minimum(above, most[topic]), bound[topic]), 1.0)
    result = divide(sum_by_topic(judged, topic, score), num_rel)
    match conventions[BPREF_FORM]:
        case BprefForm.ZERO_WHEN_NO_NONRELEVANT:
            result[num_nonrel == 0] = 0.0
        case BprefForm.NAN_WHEN_NO_NONRELEVANT:
            # 0/0 for each relevant document that was retrieved.
            result[(num_nonrel == 0) & (judged.count(topic) > 0)] = np.nan
        case _:
            pass
    return result


def _looked_at(judged: Judged, conventions: Conventions) -> Judged:
    """The ranking down to ``judged_depth`` judged documents, unjudged ones not counted."""
    depth = conventions[JUDGED_DEPTH]
    if depth is None:
        return judged
    if conventions[NEGATIVES] is not Negatives.RELEVANT:
        judged = judged.only(judged.rel >= 0)
    return judged.only(places(judged, judged.topic) <= depth)


def _bounds(conventions: Conventions, num_rel: IntArray, num_nonrel: IntArray) -> tuple[IntArray, IntArray]:
    """The most nonrelevant documents that count above a relevant one, and what they are divided by."""
    match conventions[BPREF_FORM]:
        case BprefForm.OVER_R:
            return num_rel, num_rel
        case BprefForm.BPREF_10:
            return 10 + num_rel, 10 + num_rel
        case _:
            return num_rel, np.minimum(num_nonrel, num_rel)


def geometric_bpref(judged: Judged, conventions: Conventions, measure: Measure) -> FloatArray:
    """ln(max(bpref, 0.00001)), whose mean trec_eval's ``gm_bpref`` is the exponential of."""
    return floored_log(bpref(judged, conventions, measure), conventions)


FAMILIES = (
    Family(
        "bpref",
        bpref,
        "binary preference, for incomplete judgements",
        trec_eval="bpref",
        divisor=num_relevant,
        reads=(BPREF_FORM, JUDGED_DEPTH),
        aliases=("Bpref", "BPref"),
        nonrelevant=True,
    ),
    Family(
        "gm_bpref",
        geometric_bpref,
        "logarithm of bpref, for its geometric mean over topics",
        trec_eval="gm_bpref",
        reads=(BPREF_FORM, JUDGED_DEPTH, GEOMETRIC_FLOOR),
        aggregate="geometric",
        nonrelevant=True,
    ),
)
