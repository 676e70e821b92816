"""The fourth stage of an evaluation: computing a measure's formula on judged rankings."""

from typing import Any, NamedTuple

import numpy as np
from msgspec import Struct

from crosscheck.axes.base import Axis, Stage
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
    """The conventions with the axes that the measure itself sets.

    The parameters ``(rel=n)``, ``(dcg='exp-log2')``, ``(max_rel=n)`` and ``(judged_only=True)`` set an axis.
    Measures of preferences reverse trec_eval's order of tied documents. If every judged document is relevant,
    the relevance level becomes 0, and negative levels become 0.

    Raises:
        UsageError: the measure depends on an axis that is unknown under these conventions.
    """
    if measure.rel is not None:
        conventions = conventions.having(RELEVANCE_LEVEL, measure.rel)
    if conventions.plain(RELEVANCE_LEVEL.name) is None:
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


#: Axes of earlier stages on which formulas also depend: always, and under tie rules without an order.
_READ_AGAIN: tuple[Axis[Any], ...] = (NEGATIVES,)
_READ_WITHOUT_ORDER: tuple[Axis[Any], ...] = (NEGATIVES, TIES, DEPTH)


class Formula(NamedTuple):
    """A formula that a search tries in place of the measure's own formula.

    Attributes:
        name: the formula in words, or the name of the measure with this formula.
        compute: computes one value per topic from judged rankings, conventions and the measure.
        measure: the measure with this formula; None if no measure of crosscheck has it.
    """

    name: str
    compute: Compute
    measure: Measure | None = None

    def __str__(self) -> str:
        return self.name


#: The formula to use; None for the measure's own formula. Only searches change this axis.
FORMULA: Axis[Any] = Axis(
    name="formula", priority=0, default=None, summary="another formula", prose="", way_out=""
)


class Scored(Struct, frozen=True, eq=False):
    """Scores per query, before the last stage decides which queries have a value.

    Attributes:
        rankings: the input as read under the conventions.
        judged: the judged rankings of this input.
        scores: one score per measured topic of ``rankings``.
    """

    rankings: Rankings
    judged: JudgedRankings
    scores: FloatArray


def score(rankings: Rankings, measure: Measure, conventions: Conventions) -> Scored:
    """Compute the formula of a measure for every query that has both results and judgements.

    Raises:
        InputError: a document occurs twice under a query, which is an error under the conventions.
        UsageError: the conventions order by a rank column that the run does not have, or the measure cannot
            be computed under their tie rule.
    """
    measure, conventions = effective_measure(measure, conventions)
    refuse(measure, conventions)
    conventions = seen_by(measure, conventions)
    return score_as_read(rankings.reread(conventions), measure, conventions)


def effective_measure(measure: Measure, conventions: Conventions) -> tuple[Measure, Conventions]:
    """The measure that is computed under these conventions, and the conventions with the axes that this
    measure sets. If the axis ``formula`` has the formula of a different measure, it is that measure."""
    other = conventions[FORMULA]
    if other is None or other.measure is None:
        return measure, conventions
    return other.measure, with_measure_parameters(conventions.having(FORMULA, None), other.measure)


def seen_by(measure: Measure, conventions: Conventions) -> Conventions:
    """The conventions, without axis values that the measure cannot have.

    A measure over subtopics or groups of judges cannot treat unjudged documents as judged, because the
    subtopics or judges of these documents are unknown.
    """
    if family(measure.family).detailed and conventions[UNJUDGED].level is not None:
        return conventions.having(UNJUDGED, Unjudged.NONRELEVANT)
    return conventions


def score_as_read(rankings: Rankings, measure: Measure, conventions: Conventions) -> Scored:
    """Compute the formula of a measure for every query. ``rankings`` must have been read under the
    conventions, and ``conventions`` must include the axes that the measure sets (see :func:`score`)."""
    if family(measure.family).needs == "groups" and rankings.groups:
        judged = resolved(rankings.judged(conventions), measure, conventions)
        return Scored(rankings, judged, _over_groups(rankings, measure, conventions))
    return Scored(rankings, *scores_of(rankings.judged(conventions), measure, conventions))


def scores_of(
    judged: JudgedRankings, measure: Measure, conventions: Conventions
) -> tuple[JudgedRankings, FloatArray]:
    """The judged rankings with tied documents ordered by the tie rule, and the scores of the measure."""
    measure, conventions = effective_measure(measure, conventions)
    judged = resolved(judged, measure, conventions)
    formula = conventions[FORMULA]
    if formula is None:
        return judged, value_of(judged, measure, conventions)
    with np.errstate(all="ignore"):
        values = formula.compute(judged, conventions, measure)
    return judged, in_unit(values, family(measure.family), conventions)


def read_by_formulas(conventions: Conventions) -> Conventions:
    """The conventions with only the axes on which formulas depend. All further axes, such as those that only
    affect the judged rankings, get trec_eval's values."""
    kept = conventions.of(Stage.FORMULA)
    for axis in _READ_WITHOUT_ORDER if conventions[TIES] in WITHOUT_ORDER else _READ_AGAIN:
        if axis in conventions.changed:
            kept = kept.having(axis, conventions[axis])
    return kept


def _over_groups(rankings: Rankings, measure: Measure, conventions: Conventions) -> FloatArray:
    """For each topic, the mean of its scores over its groups of judges, added in the order of the groups."""
    topics = rankings.pairing.topics
    place = {topic: i for i, topic in enumerate(topics)}
    total, groups = np.zeros(len(topics)), np.zeros(len(topics))
    for of_group in rankings.groups:
        here = [place[topic] for topic in of_group.pairing.topics]
        total[here] += score_as_read(of_group, measure, conventions).scores
        groups[here] += 1
    return np.where(groups > 1, total / groups, total)
