"""Numbers of documents and queries, which trec_eval sums over queries, and the judged share of a ranking."""

from __future__ import annotations

import numpy as np

from crosscheck.axes.judging import RELEVANCE_LEVEL
from crosscheck.conventions import Conventions
from crosscheck.measures.base import Family, Merits, Tied, divide, relevant_retrieved
from crosscheck.measures.tied import Groups, last_rank, one_each
from crosscheck.model import FloatArray, IntArray, Measure
from crosscheck.rankings.judged import JudgedRankings


def num_ret(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> FloatArray:
    """Documents retrieved, judged or not (trec_eval ``num_ret``); relevant ones under ``(rel=n)``."""
    if measure.rel is not None:
        return num_rel_ret(judged, conventions, measure)
    return judged.num_ret.astype(np.float64)


def num_rel(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> FloatArray:
    """Relevant documents in the qrels, retrieved or not (trec_eval ``num_rel``)."""
    return judged.num_rel(conventions[RELEVANCE_LEVEL]).astype(np.float64)


def num_rel_ret(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> FloatArray:
    """Relevant documents retrieved (trec_eval ``num_rel_ret``)."""
    return relevant_retrieved(judged, conventions[RELEVANCE_LEVEL]).astype(np.float64)


def num_nonrel_judged_ret(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> FloatArray:
    """Judged nonrelevant documents retrieved (trec_eval ``num_nonrel_judged_ret``)."""
    nonnegative = judged.count(judged.topic[judged.rel >= 0])
    return (nonnegative - relevant_retrieved(judged, conventions[RELEVANCE_LEVEL])).astype(np.float64)


def num_q(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> FloatArray:
    """1 per query (trec_eval ``num_q``)."""
    return np.ones(judged.num_topics)


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
        name="NumRet",
        compute=num_ret,
        summary="documents retrieved",
        trec_eval="num_ret",
        ranked=False,
        aggregate="sum",
        pool=False,
        relevance=False,
        elsewhere="retrieved",
    ),
    Family(
        name="NumRel",
        compute=num_rel,
        summary="relevant documents",
        trec_eval="num_rel",
        ranked=False,
        aggregate="sum",
        retrieved=False,
        elsewhere="relevant",
    ),
    Family(
        name="NumRelRet",
        compute=num_rel_ret,
        summary="relevant documents retrieved",
        trec_eval="num_rel_ret",
        ranked=False,
        aggregate="sum",
        pool=False,
    ),
    Family(
        name="num_nonrel_judged_ret",
        compute=num_nonrel_judged_ret,
        summary="judged nonrelevant documents retrieved",
        trec_eval="num_nonrel_judged_ret",
        ranked=False,
        aggregate="sum",
        pool=False,
        nonrelevant=True,
    ),
    Family(
        name="NumQ",
        compute=num_q,
        summary="queries",
        trec_eval="num_q",
        rel=False,
        ranked=False,
        aggregate="sum",
        pool=False,
        retrieved=False,
        elsewhere="queries",
    ),
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
