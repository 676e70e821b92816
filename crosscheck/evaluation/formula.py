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
    """The conventions with the axes set by the parameters of the measure.

    These are ``(rel=n)``, ``(dcg='exp-log2')``, ``(max_rel=n)`` and ``(judged_only=True)``. Measures of
    preferences reverse trec_eval's order of tied documents. Where every judged document is relevant, that is
    the level 0, and negative levels are read as 0.

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
    about = family(measure.family)
    if about.needs == "preferences" and conventions[TIES] is Ties.DOCID_DESC:
        conventions = conventions.having(TIES, Ties.DOCID_ASC)
    return conventions.known(about) if conventions.unknown else conventions


def every_judged(conventions: Conventions) -> bool:
    """Whether every judged document is relevant, whatever its level."""
    return conventions.plain(RELEVANCE_LEVEL.name) is None


#: Axes of earlier stages that formulas read as well: always, and under tie rules that order no documents.
_READ_AGAIN: tuple[Axis[Any], ...] = (NEGATIVES,)
_READ_WITHOUT_ORDER: tuple[Axis[Any], ...] = (NEGATIVES, TIES, DEPTH)


class Formula(NamedTuple):
    """A formula that may stand in place of a measure's own.

    Attributes:
        name: the formula in words, or the name of another measure.
        compute: function from judged rankings, conventions and the measure to one value per topic.
        measure: the other measure, None for a formula in words.
    """

    name: str
    compute: Compute
    measure: Measure | None = None

    def __str__(self) -> str:
        return self.name


#: The formula in place of the measure's own, None for its own: an axis of searches only.
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
    measure, conventions = as_asked(measure, conventions)
    refuse(measure, conventions)
    conventions = seen_by(measure, conventions)
    return score_as_read(rankings.reread(conventions), measure, conventions)


def as_asked(measure: Measure, conventions: Conventions) -> tuple[Measure, Conventions]:
    """The measure that is computed under these conventions, with the axes that it sets: the measure itself,
    unless another one stands in its place."""
    other = conventions[FORMULA]
    if other is None or other.measure is None:
        return measure, conventions
    return other.measure, with_measure_parameters(conventions.having(FORMULA, None), other.measure)


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
    measure, conventions = as_asked(measure, conventions)
    judged = resolved(judged, measure, conventions)
    formula = conventions[FORMULA]
    if formula is None:
        return judged, value_of(judged, measure, conventions)
    with np.errstate(all="ignore"):
        values = formula.compute(judged, conventions, measure)
    return judged, in_unit(values, family(measure.family), conventions)


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
