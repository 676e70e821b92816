"""Numbers of documents and queries. Their summary over queries is a sum, as in trec_eval."""

from __future__ import annotations

import numpy as np

from crosscheck.axes.judging import RELEVANCE_LEVEL
from crosscheck.conventions import Conventions
from crosscheck.measures.base import Family, relevant_retrieved
from crosscheck.model import FloatArray, Measure
from crosscheck.rankings.judged import JudgedRankings

__all__ = ["FAMILIES"]


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
)
