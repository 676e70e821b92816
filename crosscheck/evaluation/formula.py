"""The fourth stage: a measure's formula on judged rankings."""

from __future__ import annotations

from typing import Any

import numpy as np

from crosscheck.axes.base import Axis, Stage
from crosscheck.axes.depth import DEPTH
from crosscheck.axes.negatives import NEGATIVES
from crosscheck.axes.ties import TIES, WITHOUT_ORDER
from crosscheck.axes.unjudged import UNJUDGED, Unjudged
from crosscheck.conventions import Conventions
from crosscheck.evaluation.rankings import Rankings
from crosscheck.measures import family
from crosscheck.measures.tie_rules import refuse, resolved, value_of
from crosscheck.model import FloatArray, Measure
from crosscheck.rankings.judged import JudgedRankings
from crosscheck.records import Record

__all__ = ["Scored", "read_by_formulas", "score", "score_as_read", "scores_of", "seen_by"]

#: Axes of earlier stages that formulas read as well: all, and those for tied documents without an order.
_READ_AGAIN: tuple[Axis[Any], ...] = (NEGATIVES,)
_READ_WITHOUT_ORDER: tuple[Axis[Any], ...] = (NEGATIVES, TIES, DEPTH)


class Scored(Record):
    """Per-query scores before the missing-query, no-relevant and averaging rules.

    Attributes:
        rankings: the input as the conventions read it; scores: one per measured topic of it.
    """

    rankings: Rankings
    judged: JudgedRankings
    scores: FloatArray


def score(rankings: Rankings, measure: Measure, conventions: Conventions) -> Scored:
    """The formula of a measure on every query that has both results and judgements.

    Raises:
        InputError: a document occurs twice under a query, and the conventions refuse that.
        UsageError: the conventions order by a rank column that the run does not have, or the measure has no
            value under their tie rule.
    """
    refuse(measure, conventions)
    conventions = seen_by(measure, conventions)
    return score_as_read(rankings.reread(conventions), measure, conventions)


def seen_by(measure: Measure, conventions: Conventions) -> Conventions:
    """The conventions without values that a measure cannot follow: the subtopics, or the judges, of unjudged
    documents are unknown."""
    if family(measure.family).detailed and conventions[UNJUDGED].level is not None:
        return conventions.having(UNJUDGED, Unjudged.NONRELEVANT)
    return conventions


def score_as_read(rankings: Rankings, measure: Measure, conventions: Conventions) -> Scored:
    """As :func:`score`, for rankings that are read as the conventions say, and conventions that say what the
    measure sets."""
    if family(measure.family).needs == "groups" and rankings.groups:
        judged = resolved(rankings.judged(conventions), measure, conventions)
        return Scored(rankings, judged, _over_groups(rankings, measure, conventions))
    return Scored(rankings, *scores_of(rankings.judged(conventions), measure, conventions))


def scores_of(
    judged: JudgedRankings, measure: Measure, conventions: Conventions
) -> tuple[JudgedRankings, FloatArray]:
    """The formula of a measure on judged rankings, and the rankings with tied documents in their order."""
    judged = resolved(judged, measure, conventions)
    return judged, value_of(judged, measure, conventions)


def read_by_formulas(conventions: Conventions) -> Conventions:
    """The values of the axes that a formula may read; those that only make its judged rankings are as
    trec_eval's."""
    kept = conventions.of(Stage.FORMULA)
    for axis in _READ_WITHOUT_ORDER if conventions[TIES] in WITHOUT_ORDER else _READ_AGAIN:
        if axis in conventions.changed:
            kept = kept.having(axis, conventions[axis])
    return kept


def _over_groups(rankings: Rankings, measure: Measure, conventions: Conventions) -> FloatArray:
    """A measure in each group of judges, averaged over the groups of each topic, added in their order."""
    topics = rankings.pairing.topics
    place = {topic: i for i, topic in enumerate(topics)}
    total, groups = np.zeros(len(topics)), np.zeros(len(topics))
    for of_group in rankings.groups:
        here = [place[topic] for topic in of_group.pairing.topics]
        total[here] += score_as_read(of_group, measure, conventions).scores
        groups[here] += 1
    return np.where(groups > 1, total / groups, total)
