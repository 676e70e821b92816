"""Bpref, a measure for incomplete judgements."""

from __future__ import annotations

import numpy as np

from crosscheck.axes.forms import BPREF_FORM, GEOMETRIC_FLOOR, BprefForm
from crosscheck.axes.judging import DEPTH, JUDGED_DEPTH, NEGATIVES, RELEVANCE_LEVEL, Negatives
from crosscheck.axes.ties import Ties
from crosscheck.conventions import Conventions
from crosscheck.measures.base import (
    Family,
    Merits,
    Tied,
    divide,
    floored_log,
    num_relevant,
    places,
    sum_by_topic,
)
from crosscheck.measures.tied import Groups, above, beyond_pool, last_rank
from crosscheck.model import BoolArray, FloatArray, IntArray, Measure
from crosscheck.rankings.judged import JudgedRankings


def bpref(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> FloatArray:
    """Binary preference: how rarely judged nonrelevant documents are ranked above relevant ones (trec_eval
    ``bpref``).

    Each retrieved relevant document adds 1 - min(n, R) / min(N, R). n is the number of judged nonrelevant
    documents above it, N the number of all judged nonrelevant documents. The sum is divided by R. Unjudged
    documents and those with a negative level are skipped. With n = 0 the document adds 1, even if N = 0. 0.0
    if nothing is relevant. The axis ``bpref_form`` changes the case N = 0 or the divisor. Under
    ``judged_depth`` only the first judged documents are looked at. Under ``negatives=relevant`` a retrieved
    document with a negative level adds like a relevant one and counts in N. Source: Buckley and Voorhees,
    SIGIR 2004, in the form of trec_eval 8 and later.
    """
    judged = _looked_at(judged, conventions)
    level = conventions[RELEVANCE_LEVEL]
    num_rel, num_nonrel = judged.num_rel(level), _num_nonrel(judged, conventions)
    is_rel = judged.rel >= max(level, 0)
    nonrel_so_far = np.zeros(len(is_rel) + 1, np.int64)
    np.cumsum((judged.rel >= 0) & ~is_rel, out=nonrel_so_far[1:])
    if conventions[NEGATIVES] is Negatives.RELEVANT:
        is_rel |= judged.rel < 0
    first = np.searchsorted(judged.topic, np.arange(judged.num_topics))
    topic = judged.topic[is_rel]
    above: IntArray = nonrel_so_far[1:][is_rel] - nonrel_so_far[first][topic]
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
    result: FloatArray, conventions: Conventions, num_nonrel: IntArray, found: BoolArray
) -> FloatArray:
    """The values, changed for topics without judged nonrelevant documents as ``bpref_form`` says."""
    match conventions[BPREF_FORM]:
        case BprefForm.ZERO_WHEN_NO_NONRELEVANT:
            result[num_nonrel == 0] = 0.0
        case BprefForm.NAN_WHEN_NO_NONRELEVANT:
            # 0/0 for each relevant document that was retrieved.
            result[(num_nonrel == 0) & found] = np.nan
        case _:
            pass
    return result


def _expected(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> FloatArray:
    """Expected bpref under tied scores.

    The number of nonrelevant documents of a group above a relevant one is uniform, or hypergeometric if only
    a part of the group is looked at.
    """
    level = max(conventions[RELEVANCE_LEVEL], 0)
    num_rel, num_nonrel = judged.num_rel(level), _num_nonrel(judged, conventions)
    with_negatives = conventions[NEGATIVES] is Negatives.RELEVANT
    listed = judged if with_negatives else judged.only(judged.rel >= 0)
    is_nonrel = (listed.rel >= 0) & (listed.rel < level)
    groups = Groups.of(listed)
    nonrel, adding = groups.number(is_nonrel), groups.number(~is_nonrel)
    before, size, start = groups.above(nonrel), groups.size, groups.start
    limit, depth = last_rank(conventions), conventions[JUDGED_DEPTH]
    if depth is not None:
        # Places are counted among the documents that are looked at.
        limit, size, start = depth, groups.found, groups.before
    within = np.clip(limit - start, 0, size)
    most, bound = _bounds(conventions, num_rel, num_nonrel)
    score = np.zeros(len(groups.topic))
    for i in np.flatnonzero((adding > 0) & (within > 0)).tolist():
        topic, others = groups.topic[i], int(nonrel[i])
        n = before[i] + np.arange(others + 1)
        each = 1.0 - divide(np.minimum(n, most[topic]), np.full(len(n), bound[topic]))
        chances = above(int(size[i]), others, int(within[i]))
        score[i] = float(adding[i] * np.cumsum(chances * np.where(n > 0, each, 1.0))[-1])
    result = divide(sum_by_topic(judged, groups.topic, score), num_rel)
    found = judged.count(groups.topic[(adding > 0) & (within > 0)]) > 0
    return _without_nonrelevant(result, conventions, num_nonrel, found)


def _merits(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> Merits:
    """Merits of the documents: relevant ones before unjudged ones, and these before nonrelevant ones."""
    adds = judged.rel >= max(conventions[RELEVANCE_LEVEL], 0)
    merit = 1.0 * adds - 1.0 * ((judged.rel >= 0) & ~adds)
    if conventions[NEGATIVES] is Negatives.RELEVANT:
        merit[judged.rel < 0] = 1.0
    return judged.topic, judged.rank, merit


def _unless(ties: Ties, conventions: Conventions, measure: Measure) -> str | None:
    c, depth = conventions, conventions[DEPTH]
    if depth is not None and c[JUDGED_DEPTH] is not None:
        return f"depth={depth} and judged_depth={c[JUDGED_DEPTH]}"
    if ties is Ties.AVERAGE:
        return None
    cut = depth is not None or c[JUDGED_DEPTH] is not None
    if cut and (more := beyond_pool(c)):
        return f"a depth and {more}"  # a relevant document can then add less than 0
    if cut and c[BPREF_FORM] is BprefForm.NAN_WHEN_NO_NONRELEVANT:
        return f"a depth and bpref_form={c[BPREF_FORM]}"
    return None


def _looked_at(judged: JudgedRankings, conventions: Conventions) -> JudgedRankings:
    """The ranking down to the ``judged_depth``-th judged document; unjudged ones are not counted."""
    depth = conventions[JUDGED_DEPTH]
    if depth is None:
        return judged
    if conventions[NEGATIVES] is not Negatives.RELEVANT:
        judged = judged.only(judged.rel >= 0)
    return judged.only(places(judged, judged.topic) <= depth)


def _bounds(conventions: Conventions, num_rel: IntArray, num_nonrel: IntArray) -> tuple[IntArray, IntArray]:
    """The most nonrelevant documents that count above a relevant one, and the number that divides them."""
    match conventions[BPREF_FORM]:
        case BprefForm.OVER_R:
            return num_rel, num_rel
        case BprefForm.BPREF_10:
            return 10 + num_rel, 10 + num_rel
        case _:
            return num_rel, np.minimum(num_nonrel, num_rel)


def geometric_bpref(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> FloatArray:
    """ln(max(bpref, 0.00001)) per query; trec_eval's ``gm_bpref`` is the exponential of the mean."""
    return floored_log(bpref(judged, conventions, measure), conventions)


FAMILIES = (
    Family(
        name="bpref",
        compute=bpref,
        summary="binary preference, for incomplete judgements",
        trec_eval="bpref",
        divisor=num_relevant,
        reads=(BPREF_FORM, JUDGED_DEPTH),
        aliases=("Bpref", "BPref"),
        nonrelevant=True,
        tied=Tied(average=_expected, merit=_merits, unless=_unless),
    ),
    Family(
        name="gm_bpref",
        compute=geometric_bpref,
        summary="logarithm of bpref, for its geometric mean over topics",
        trec_eval="gm_bpref",
        reads=(BPREF_FORM, JUDGED_DEPTH, GEOMETRIC_FLOOR),
        aggregate="geometric",
        nonrelevant=True,
        tied=Tied(merit=_merits, unless=_unless),
    ),
)
