"""Parameters of a measure that set axes."""

from __future__ import annotations

from crosscheck.axes.forms import MAX_GRADE
from crosscheck.axes.gains import GAIN, Gain
from crosscheck.axes.judging import RELEVANCE_LEVEL, UNJUDGED, Unjudged
from crosscheck.axes.ties import TIES, Ties
from crosscheck.conventions import Conventions
from crosscheck.measures import family
from crosscheck.model import Measure

__all__ = ["with_measure_parameters"]


def with_measure_parameters(conventions: Conventions, measure: Measure) -> Conventions:
    """The conventions with the axes set by the parameters of the measure.

    These are ``(rel=n)``, ``(dcg='exp-log2')``, ``(max_rel=n)`` and ``(judged_only=True)``. Measures of
    preferences reverse trec_eval's order of tied documents.

    Raises:
        UsageError: the measure reads an axis that is unknown under these conventions.
    """
    if measure.rel is not None:
        conventions = conventions.having(RELEVANCE_LEVEL, measure.rel)
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
