"""The fourth stage: a measure's formula on judged rankings."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from msgspec import Struct

from crosscheck.axes.base import Axis, Example, Stage
from crosscheck.axes.forms import MAX_GRADE
from crosscheck.axes.gains import GAIN, Gain
from crosscheck.axes.judging import DEPTH, NEGATIVES, RELEVANCE_LEVEL, UNJUDGED, Negatives, Unjudged
from crosscheck.axes.ties import TIES, WITHOUT_ORDER, Ties
from crosscheck.conventions import Conventions
from crosscheck.evaluation.rankings import Rankings
from crosscheck.measures import family
from crosscheck.measures.base import Compute, in_unit
from crosscheck.measures.tied import refuse, resolved, value_of
from crosscheck.model import FloatArray, Measure
from crosscheck.rankings.judged import JudgedRankings


def with_measure_parameters(conventions: Conventions, measure: Measure) -> Conventions:
    """The conventions, changed by the parameters of the measure.

    Parameters that set an axis are ``(rel=n)``, ``(dcg='exp-log2')``, ``(max_rel=n)`` and
    ``(judged_only=True)``. Measures of preferences reverse trec_eval's order of tied documents. If every
    judged document counts as relevant, the relevance level becomes 0 and negative levels are read as 0.

    Raises:
        UsageError: the measure reads an axis that is unknown under these conventions.
    """
    if measure.rel is not None:
        conventions = conventions.having(RELEVANCE_LEVEL, measure.rel)
    if every_judged(conventions):
        conventions = conventions.having(RELEVANCE_LEVEL, 0).having(NEGATIVES, Negatives.NONRELEVANT)
    for name, value in measure.params:
        if name == "dcg" and value == "exp-log2":
            conventions = conventions.having(GAIN, Gain.EXPONENTIAL)
        elif name == "judged_only" and value:
            conventions = conventions.having(UNJUDGED, Unjudged.REMOVED)
        elif name == "max_rel" and MAX_GRADE in family(measure.family).reads:
            conventions = conventions.having(MAX_GRADE, int(str(value)))
    definition = family(measure.family)
    if definition.needs == "preferences" and conventions[TIES] is Ties.DOCID_DESC:
        conventions = conventions.having(TIES, Ties.DOCID_ASC)
    return conventions.known(definition) if conventions.unknown else conventions


def every_judged(conventions: Conventions) -> bool:
    """Whether every judged document counts as relevant, whatever its level."""
    return conventions.plain(RELEVANCE_LEVEL.name) is None


#: Axes of earlier stages that formulas read too: always, and under tie rules that do not order documents.
_READ_AGAIN: tuple[Axis[Any], ...] = (NEGATIVES,)
_READ_WITHOUT_ORDER: tuple[Axis[Any], ...] = (NEGATIVES, TIES, DEPTH)


class Formula(NamedTuple):
    """A formula that a search tries in place of the measure's own.

    Attributes:
        name: the formula in words, or the name of the other measure.
        compute: gives one value per topic from judged rankings, conventions and the measure.
        measure: the other measure if the formula is that of one, else None.
    """

    name: str
    compute: Compute
    measure: Measure | None = None

    def __str__(self) -> str:
        return self.name


#: The formula to use, None for the measure's own. Only searches change this axis.
FORMULA: Axis[Any] = Axis(
    name="formula",
    priority=0,
    default=None,
    stage=Stage.FORMULA,
    summary="another formula",
    prose="",
    example=Example(qrels=(), run=(), values=(), says=""),
    way_out="",
)


class Scored(Struct, frozen=True, eq=False):
    """Per-query scores before the missing-query, no-relevant and averaging rules.

    Attributes:
        rankings: the input as read under the conventions.
        judged: its judged rankings.
        scores: one score per measured topic of ``rankings``.
    """

    rankings: Rankings
    judged: JudgedRankings
    scores: FloatArray


def score(rankings: Rankings, measure: Measure, conventions: Conventions) -> Scored:
    """Compute the formula of a measure for every query that has both results and judgements.

    Raises:
        InputError: a document occurs twice under a query, and the conventions refuse that.
        UsageError: the conventions order by a rank column that the run does not have, or the measure has no
            value under their tie rule.
    """
    measure, conventions = effective_measure(measure, conventions)
    refuse(measure, conventions)
    conventions = seen_by(measure, conventions)
    return score_as_read(rankings.reread(conventions), measure, conventions)


def effective_measure(measure: Measure, conventions: Conventions) -> tuple[Measure, Conventions]:
    """The measure that is computed under these conventions, and the conventions with the axes that it sets.
    This is the given measure unless the axis ``formula`` names another."""
    other = conventions[FORMULA]
    if other is None or other.measure is None:
        return measure, conventions
    return other.measure, with_measure_parameters(conventions.having(FORMULA, None), other.measure)


def seen_by(measure: Measure, conventions: Conventions) -> Conventions:
    """The conventions without values that a measure cannot follow.

    A measure over subtopics or judges cannot treat unjudged documents as judged, because their subtopics or
    judges are unknown.
    """
    if family(measure.family).detailed and conventions[UNJUDGED].level is not None:
        return conventions.having(UNJUDGED, Unjudged.NONRELEVANT)
    return conventions


def score_as_read(rankings: Rankings, measure: Measure, conventions: Conventions) -> Scored:
    """As :func:`score`, for rankings that were already read under the conventions, and conventions that
    include the axes set by the measure."""
    if family(measure.family).needs == "groups" and rankings.groups:
        judged = resolved(rankings.judged(conventions), measure, conventions)
        return Scored(rankings, judged, _over_groups(rankings, measure, conventions))
    return Scored(rankings, *scores_of(rankings.judged(conventions), measure, conventions))


def scores_of(
    judged: JudgedRankings, measure: Measure, conventions: Conventions
) -> tuple[JudgedRankings, FloatArray]:
    """The judged rankings with tied documents in the order of the tie rule, and the measure's scores."""
    measure, conventions = effective_measure(measure, conventions)
    judged = resolved(judged, measure, conventions)
    formula = conventions[FORMULA]
    if formula is None:
        return judged, value_of(judged, measure, conventions)
    with np.errstate(all="ignore"):
        values = formula.compute(judged, conventions, measure)
    return judged, in_unit(values, family(measure.family), conventions)


def read_by_formulas(conventions: Conventions) -> Conventions:
    """The conventions reduced to the axes that a formula reads; all others, such as those that only affect
    the judged rankings, get trec_eval's values."""
    kept = conventions.of(Stage.FORMULA)
    for axis in _READ_WITHOUT_ORDER if conventions[TIES] in WITHOUT_ORDER else _READ_AGAIN:
        if axis in conventions.changed:
            kept = kept.having(axis, conventions[axis])
    return kept


def _over_groups(rankings: Rankings, measure: Measure, conventions: Conventions) -> FloatArray:
    """The score of each topic: the mean over its groups of judges, whose scores are added in group order."""
    topics = rankings.pairing.topics
    place = {topic: i for i, topic in enumerate(topics)}
    total, groups = np.zeros(len(topics)), np.zeros(len(topics))
    for of_group in rankings.groups:
        here = [place[topic] for topic in of_group.pairing.topics]
        total[here] += score_as_read(of_group, measure, conventions).scores
        groups[here] += 1
    return np.where(groups > 1, total / groups, total)
