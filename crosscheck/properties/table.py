"""The properties: name, statement, statement of the failure, test inputs, and relation of their values.

Most hold for every sound measure of effectiveness, whatever its conventions. The last ones state that a
metric reads a part of the input at all: they hold if one pair of inputs shows it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

from crosscheck.properties import variations
from crosscheck.properties.variations import Variation

__all__ = ["PROPERTIES", "Property", "same"]

#: Values that are as near as this are the same: metrics that compute in single precision keep no more.
_SLACK = 1e-6

Relation = Callable[[Sequence[float]], bool]


class Property(NamedTuple):
    """One property.

    Attributes:
        says: the property in words; broken: the statement in words if it does not hold.
        vary: function from a query to tuples of inputs; holds: whether the values of a tuple are as required.
        reads: whether the property states that the metric reads something; such a property holds if ``holds``
            is true for one tuple, not only if it is true for all.
        again: whether its inputs are the same on purpose; for other properties, tuples of inputs that are the
            same to a metric are left out.
        queries: maximum number of queries that the property is tried on.
    """

    name: str
    says: str
    broken: str
    vary: Variation
    holds: Relation
    reads: bool = False
    again: bool = False
    queries: int = 100


def same(values: Sequence[float]) -> bool:
    """Whether all values equal the first one, within the tolerance of single precision."""
    first = values[0]
    return all(v == first or _near(v, first) or (math.isnan(v) and math.isnan(first)) for v in values)


def _near(a: float, b: float) -> bool:
    return abs(a - b) <= _SLACK * max(1.0, min(abs(a), abs(b)))


def _differ(values: Sequence[float]) -> bool:
    return not same(values)


def _in_unit_interval(values: Sequence[float]) -> bool:
    return all(-_SLACK <= value <= 1 + _SLACK for value in values)


def _no_lower(values: Sequence[float]) -> bool:
    first, then = values
    return then >= first or same(values)


def _no_higher(values: Sequence[float]) -> bool:
    return _no_lower(values[::-1])


def _last_between(values: Sequence[float]) -> bool:
    one, other, both = values
    return _no_lower((min(one, other), both)) and _no_higher((max(one, other), both))


PROPERTIES = (
    Property(
        "repeatable",
        "the same input has the same value each time",
        "the same input has another value each time",
        variations.asked_again,
        same,
        again=True,
    ),
    Property(
        "bounded",
        "its values lie in [0, 1]",
        "its value lies outside [0, 1]",
        variations.itself,
        _in_unit_interval,
    ),
    Property(
        "duplicates",
        "a document that occurs twice never raises it",
        "a document that occurs twice raises it",
        variations.with_a_repeated_line,
        _no_higher,
    ),
    Property(
        "promotion",
        "moving a document above one of a lower level never lowers it",
        "moving a document above one of a lower level lowers it",
        variations.with_a_better_one_up,
        _no_lower,
    ),
    Property(
        "other-queries",
        "adding a query changes the value of no other",
        "adding a query changes the value of another",
        variations.beside_another_query,
        same,
        queries=4,
    ),
    Property(
        "mean",
        "the mean over two queries lies between their values",
        "the mean over two queries (the third input) does not lie between their values",
        variations.two_and_their_mean,
        _last_between,
        queries=4,
    ),
    Property(
        "another-found",
        "a further relevant document at the end of the list never lowers it",
        "a further relevant document at the end of the list lowers it",
        variations.with_another_found,
        _no_lower,
    ),
    Property(
        "unjudged-end",
        "unjudged documents beyond the cutoff, or at the end of the list, change nothing",
        "unjudged documents beyond the cutoff, or at the end of the list, change it",
        variations.longer_by_unjudged,
        same,
    ),
    Property(
        "docnos",
        "renaming the documents changes nothing",
        "renaming the documents changes it",
        variations.with_other_docnos,
        same,
    ),
    Property(
        "line-order",
        "the order of the lines changes nothing",
        "the order of the lines changes it",
        variations.with_lines_moved,
        same,
    ),
    Property(
        "tied-lines",
        "the order of the lines of tied documents changes nothing",
        "the order of the lines of tied documents changes it",
        variations.with_tied_lines_moved,
        same,
    ),
    Property(
        "score-size",
        "nothing of the scores counts but their order",
        "scores in the same order, but of another size, change it",
        variations.with_other_scores,
        same,
    ),
    Property(
        "query-order",
        "the names and the order of the queries change nothing",
        "the names or the order of the queries change it",
        variations.with_queries_swapped,
        same,
        queries=4,
    ),
    Property(
        "best",
        "all relevant documents, highest level first, have the highest value",
        "all relevant documents, highest level first, do not have the highest value",
        variations.best_and_others,
        _no_higher,
    ),
    Property(
        "worst",
        "a list without relevant documents has the lowest value",
        "a list without relevant documents does not have the lowest value",
        variations.worst_and_others,
        _no_lower,
    ),
    Property(
        "reads-ranks",
        "the order of the documents counts",
        "turning the ranking upside down changes nothing",
        variations.upside_down,
        _differ,
        reads=True,
    ),
    Property(
        "reads-scores",
        "the scores count",
        "turning the scores upside down, while the lines stay, changes nothing",
        variations.with_scores_upside_down,
        _differ,
        reads=True,
    ),
    Property(
        "reads-levels",
        "levels above that of a relevant document count",
        "higher levels of relevant documents change nothing",
        variations.with_a_higher_level,
        _differ,
        reads=True,
    ),
    Property(
        "reads-missed",
        "relevant documents that were not retrieved count",
        "relevant documents that were not retrieved change nothing",
        variations.with_more_missed,
        _differ,
        reads=True,
    ),
)
