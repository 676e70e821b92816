"""The fourth stage: a measure's formula on judged rankings."""

from __future__ import annotations

from typing import NamedTuple

from crosscheck.axes.ties import TIES, Ties
from crosscheck.axes.unjudged import UNJUDGED, Unjudged
from crosscheck.conventions import Conventions
from crosscheck.evaluation.rankings import Rankings
from crosscheck.measures import family
from crosscheck.measures.expected import in_groups
from crosscheck.model import FloatArray, Measure
from crosscheck.rankings.judged import Judged

__all__ = ["Scored", "score"]


class Scored(NamedTuple):
    """Per-query scores before the missing-query, no-relevant and averaging rules.

    Attributes:
        rankings: the input as the conventions read it; scores: one per measured topic of it.
    """

    rankings: Rankings
    judged: Judged
    scores: FloatArray


def score(rankings: Rankings, measure: Measure, conventions: Conventions) -> Scored:
    """The formula of a measure on every query that has both results and judgements.

    Raises:
        InputError: a document stands twice under a query, and the conventions refuse that.
        UsageError: the conventions order by a rank column that the run does not have.
    """
    about, ties = family(measure.family), conventions[TIES]
    rated = conventions[UNJUDGED].level is not None
    if rated and about.subtopics:
        # To which subtopic, nobody could say.
        conventions, rated = conventions.having(UNJUDGED, Unjudged.NONRELEVANT), False
    rankings = rankings.under(conventions)
    compute = None if rated else in_groups(measure, conventions)
    if compute is None:
        compute = about.compute
        if ties in (Ties.AVERAGE, Ties.GROUP_END):
            conventions = conventions.having(TIES, Ties.INPUT)
    judged = rankings.judged(conventions)
    return Scored(rankings, judged, compute(judged, conventions, measure))
