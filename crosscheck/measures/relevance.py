"""Which documents of judged rankings are relevant, how many, and the highest level of judgements."""

from __future__ import annotations

import numpy as np

from crosscheck.axes.forms import MAX_GRADE, MaxGrade
from crosscheck.axes.judging import RELEVANCE_LEVEL
from crosscheck.conventions import Conventions
from crosscheck.model import IntArray, Measure
from crosscheck.rankings.judged import JudgedRankings, every_document


def num_relevant(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> IntArray:
    """R, the number of relevant documents in the qrels, per topic."""
    return judged.num_rel(conventions[RELEVANCE_LEVEL])


def every_rank(judged: JudgedRankings) -> JudgedRankings:
    """The rankings with an entry for every retrieved document: level -1 if unjudged, -2 if judged negatively.

    trec_eval's own lists look like this. The result is as long as the run, so only measures that need
    unjudged documents use this function.
    """
    return every_document(judged, np.where(judged.rel >= 0, judged.rel, -2), -1)


def relevant(judged: JudgedRankings, level: int, cutoff: int | None = None) -> tuple[IntArray, IntArray]:
    """Topic and rank of the retrieved documents with a level of at least ``level``, up to ``cutoff``.

    For a ``level`` below 0 unjudged documents (level -1) are included. trec_eval, too, takes them for
    relevant where it goes down the ranking, though not where it counts relevant documents
    (:func:`relevant_retrieved`).
    """
    topic, rank = judged.once_keep_latest(("relevant", level), lambda: _relevant(judged, level))
    if cutoff is None or cutoff >= judged.deepest:
        return topic, rank
    above = rank <= cutoff
    return topic[above], rank[above]


def _relevant(judged: JudgedRankings, level: int) -> tuple[IntArray, IntArray]:
    if level < 0:
        judged = every_rank(judged)
    hit = judged.rel >= level
    return judged.topic[hit], judged.rank[hit]


def relevant_above(judged: JudgedRankings, level: int, cutoff: int | None) -> IntArray:
    """For each topic, the number of documents that :func:`relevant` returns."""
    last = judged.deepest if cutoff is None else min(cutoff, judged.deepest)
    return judged.once(
        ("relevant_above", level, last), lambda: judged.count(relevant(judged, level, last)[0])
    )


def relevant_retrieved(judged: JudgedRankings, level: int) -> IntArray:
    """Number of retrieved relevant documents, per topic. Unjudged documents are never counted, even for a
    ``level`` below 0."""
    level = max(level, 0)
    return judged.once(("relevant_retrieved", level), lambda: judged.count(judged.topic[judged.rel >= level]))


def highest_judged(judged: JudgedRankings, least: int) -> IntArray:
    """The highest level of each topic's judgements, but at least ``least``."""
    highest = np.full(judged.num_topics, least)
    np.maximum.at(highest, judged.pool_topic, judged.pool_rel)
    return highest


def highest_level(judged: JudgedRankings, conventions: Conventions, own: int) -> IntArray:
    """Highest relevance level of the scale, per topic, as the axis ``max_grade`` says.

    ``own``: the highest level that the measure itself assumes, used under ``max_grade=measure``.
    """
    scale = conventions[MAX_GRADE]
    if scale is MaxGrade.QUERY:
        return highest_judged(judged, 0)
    if scale is MaxGrade.QRELS:
        return np.full(judged.num_topics, judged.max_rel)
    return np.full(judged.num_topics, own if scale is MaxGrade.MEASURE else scale)
