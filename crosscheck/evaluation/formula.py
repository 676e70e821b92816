"""The fourth stage: a measure's formula on judged rankings."""

from __future__ import annotations

from typing import Any

import numpy as np
from msgspec import Struct

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

__all__ = ["Scored", "read_by_formulas", "score", "score_as_read", "scores_of", "seen_by"]

#: Axes of earlier stages that formulas read as well: always, and under tie rules that order no documents.
_READ_AGAIN: tuple[Axis[Any], ...] = (NEGATIVES,)
_READ_WITHOUT_ORDER: tuple[Axis[Any], ...] = (NEGATIVES, TIES, DEPTH)


class Scored(Struct, frozen=True, eq=False):
    """Per-query scores before the missing-query, no-relevant and averaging rules.

    Attributes:
        rankings: the input as the conventions read it; judged: its judged rankings.
        scores: one score per measured topic of ``rankings``.
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
    """The conventions without values that a measure cannot follow. A measure over subtopics or judges cannot
    treat unjudged documents as judged, because their subtopics or judges are unknown."""
    if family(measure.family).detailed and conventions[UNJUDGED].level is not None:
        return conventions.having(UNJUDGED, Unjudged.NONRELEVANT)
    return conventions


def score_as_read(rankings: Rankings, measure: Measure, conventions: Conventions) -> Scored:
    """As :func:`score`, for rankings that the conventions have already read, and conventions that include the
    axes set by the measure."""
    if family(measure.family).needs == "groups" and rankings.groups:
        judged = resolved(rankings.judged(conventions), measure, conventions)
        return Scored(rankings, judged, _over_groups(rankings, measure, conventions))
    return Scored(rankings, *scores_of(rankings.judged(conventions), measure, conventions))


def scores_of(
    judged: JudgedRankings, measure: Measure, conventions: Conventions
) -> tuple[JudgedRankings, FloatArray]:
    """The judged rankings with tied documents in the order of the tie rule, and the measure's scores."""
    judged = resolved(judged, measure, conventions)
    return judged, value_of(judged, measure, conventions)


def read_by_formulas(conventions: Conventions) -> Conventions:
    """The conventions with trec_eval's values of all axes that a formula does not read, such as those that
    only make its judged rankings."""
    kept = conventions.of(Stage.FORMULA)
    for axis in _READ_WITHOUT_ORDER if conventions[TIES] in WITHOUT_ORDER else _READ_AGAIN:
        if axis in conventions.changed:
            kept = kept.having(axis, conventions[axis])
    return kept


def _over_groups(rankings: Rankings, measure: Measure, conventions: Conventions) -> FloatArray:
    """The score of each topic: the mean of its scores by group of judges, added in order of the groups."""
    topics = rankings.pairing.topics
    place = {topic: i for i, topic in enumerate(topics)}
    total, groups = np.zeros(len(topics)), np.zeros(len(topics))
    for of_group in rankings.groups:
        here = [place[topic] for topic in of_group.pairing.topics]
        total[here] += score_as_read(of_group, measure, conventions).scores
        groups[here] += 1
    return np.where(groups > 1, total / groups, total)
