"""The fourth stage: a measure's formula on judged rankings."""

from __future__ import annotations

from typing import NamedTuple

from crosscheck.axes.unjudged import UNJUDGED, Unjudged
from crosscheck.conventions import Conventions
from crosscheck.evaluation.rankings import Rankings
from crosscheck.measures import family
from crosscheck.measures.tie_rules import refuse, resolved, value_of
from crosscheck.model import FloatArray, Measure
from crosscheck.rankings.judged import JudgedRankings

__all__ = ["Scored", "score", "seen_by"]


class Scored(NamedTuple):
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
    rankings = rankings.reread(conventions)
    judged = resolved(rankings.judged(conventions), measure, conventions)
    return Scored(rankings, judged, value_of(judged, measure, conventions))


def seen_by(measure: Measure, conventions: Conventions) -> Conventions:
    """The conventions without values that a measure cannot follow: the subtopics of unjudged documents are
    unknown."""
    if family(measure.family).subtopics and conventions[UNJUDGED].level is not None:
        return conventions.having(UNJUDGED, Unjudged.NONRELEVANT)
    return conventions
