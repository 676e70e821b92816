"""The judged and the unjudged share of a ranking."""

from __future__ import annotations

import numpy as np

from crosscheck.conventions import Conventions
from crosscheck.measures.base import Family, Merits, Tied, divide
from crosscheck.measures.tied import Groups, last_rank, one_each
from crosscheck.model import FloatArray, IntArray, Measure
from crosscheck.rankings.judged import JudgedRankings

__all__ = ["FAMILIES", "judged_share", "unjudged_share"]


def unjudged_share(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> FloatArray:
    """Unjudged documents among the first k, divided by k (trec_eval 10 ``unj_k``).

    A negative level counts as unjudged. Ranks that the run does not fill do not.
    """
    assert measure.cutoff is not None
    seen = judged.count(judged.topic[(judged.rel >= 0) & (judged.rank <= measure.cutoff)])
    return (np.minimum(judged.num_ret, measure.cutoff) - seen) / float(measure.cutoff)


def judged_share(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> FloatArray:
    """Documents with a judgement of any level among the first k, divided by min(k, retrieved) (ir_measures
    ``Judged@k``).

    Without a cutoff, of all retrieved documents; 0.0 if nothing was retrieved. Source: ir_measures'
    ``judged`` provider, which orders ties by ascending docno.
    """
    depth = _seen(judged, conventions, measure)
    return divide(judged.count(judged.topic[judged.rank <= depth[judged.topic]]), depth)


def _seen(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> IntArray:
    return judged.num_ret if measure.cutoff is None else np.minimum(judged.num_ret, measure.cutoff)


def _expected_unjudged(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> FloatArray:
    assert measure.cutoff is not None
    groups = Groups.of(judged.only(judged.rel >= 0))
    seen = groups.found_within(judged, last_rank(conventions, measure.cutoff))
    return (np.minimum(judged.num_ret, measure.cutoff) - seen) / float(measure.cutoff)


def _expected_judged(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> FloatArray:
    limit = last_rank(conventions, measure.cutoff)
    return divide(Groups.of(judged).found_within(judged, limit), np.minimum(judged.num_ret, limit))


def _unjudged_first(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> Merits:
    known = judged.only(judged.rel >= 0)
    return known.topic, known.rank, -np.ones(len(known.topic))


def _judged_first(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> Merits:
    return one_each(judged.topic, judged.rank)


FAMILIES = (
    Family(
        name="unj",
        compute=unjudged_share,
        summary="share of unjudged documents in the first k",
        trec_eval_cut="unj",
        trec_eval_defaults=(5, 10, 20),
        trec_eval_since="10.0",
        cutoff="required",
        rel=False,
        pool=False,
        nonrelevant=True,
        tied=Tied(average=_expected_unjudged, merit=_unjudged_first),
    ),
    Family(
        name="Judged",
        compute=judged_share,
        summary="share of judged documents in the first k",
        cutoff="optional",
        rel=False,
        pool=False,
        divisor=_seen,
        tied=Tied(average=_expected_judged, merit=_judged_first),
    ),
)
