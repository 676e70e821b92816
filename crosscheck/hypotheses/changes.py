"""Changes of conventions: the axes that can matter, and the sets of changes that are worth trying.

An axis whose gate is closed under the reference's conventions is tried together with changes of an earlier
stage that open it. For example, if only retrieved documents exist, a query may have no relevant ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, compress, product
from math import prod
from typing import Any, TypeAlias

import numpy as np
from msgspec.structs import replace

from crosscheck.axes import likeliest
from crosscheck.axes.base import Axis, Stage
from crosscheck.axes.rounding import ROUNDING
from crosscheck.axes.ties import TIES, WITHOUT_ORDER
from crosscheck.axes.unit import UNIT
from crosscheck.axes.unjudged import UNJUDGED
from crosscheck.conventions import AxisValue, Conventions
from crosscheck.evaluation.recomputer import Recomputer
from crosscheck.hypotheses.evidence import Evidence
from crosscheck.hypotheses.number_format import possible_roundings
from crosscheck.model import BoolArray

__all__ = ["Change", "Changes", "Choices", "Options", "in_order", "products"]

Change: TypeAlias = tuple[Axis[Any], AxisValue]
Changes: TypeAlias = tuple[Change, ...]
Options: TypeAlias = list[tuple[Axis[Any], list[AxisValue]]]


class Choices:
    """The axes that can be changed, and the sets of changes to try.

    Args:
        evidence: the values to be explained.
        mismatching: queries on which the candidate differs from the reference, over all topics.
        options: the axes to change and their other values; by default those that can matter on the run,
            likeliest first.

    Attributes:
        options: the axes to change, each with the values to try.
        place: change -> index of its axis in ``options``, and index of its value among those of the axis.
        on_scores: the entries of ``options`` with axes of finished scores; on_formulas: the entries with axes
            of the formula; on_others: all other entries.
    """

    def __init__(self, evidence: Evidence, mismatching: BoolArray, options: Options | None = None) -> None:
        self._evidence, self._situation = evidence, evidence.recomputer
        self._mismatching = mismatching
        self._openers: dict[Axis[Any], frozenset[Change]] = {}
        self.options = self._open_axes() if options is None else options
        self.on_scores = [entry for entry in self.options if entry[0].stage is Stage.SUMMARISE]
        self.on_formulas = [entry for entry in self.options if entry[0].stage is Stage.FORMULA]
        apart = (Stage.SUMMARISE, Stage.FORMULA)
        self.on_others = [entry for entry in self.options if entry[0].stage not in apart]
        self.place = {
            (cause, value): (place, number)
            for place, (cause, values) in enumerate(self.options)
            for number, value in enumerate(values)
        }

    @property
    def open_axes(self) -> list[str]:
        """Axes that can matter on this input, likeliest first."""
        return [cause.name for cause, _ in self.options]

    def _open_axes(self) -> Options:
        """The axes that can matter on this input, likeliest first, each with its other values.

        The measure reads such an axis, and its gate is open under the reference's conventions or under one
        change of an axis of an earlier stage. In the second case, it is tried only together with such a
        change.
        """
        options: Options = []
        for cause in likeliest():
            if cause.read_by(self._situation.family) and (values := self._values_of(cause)):
                options.append((cause, values))
        is_open = {cause: self._is_open(cause, self._situation, self._mismatching) for cause, _ in options}
        changes = [(cause, value) for cause, values in options if is_open[cause] for value in values]
        closed = [cause for cause, _ in options if not is_open[cause]]
        for change in changes:
            later = [cause for cause in closed if change[0].stage < cause.stage]
            for cause in self._opened(change, later):
                self._openers[cause] = self._openers.get(cause, frozenset()) | {change}
        return [entry for entry in options if is_open[entry[0]] or entry[0] in self._openers]

    def _opened(self, change: Change, causes: Iterable[Axis[Any]]) -> set[Axis[Any]]:
        """The axes among ``causes`` that can matter under a change.

        A change that makes every document judged makes rankings as large as the run. If that is too large to
        be held, its parts are tested one after another.
        """
        conventions, left, found = self.changed((change,)), set(causes), set[Axis[Any]]()
        everything = replace(self._situation, base=conventions), self._mismatching
        held = self._situation.rankings.holds_rows or conventions[UNJUDGED].level is None
        for situation, mismatching in [everything] if held else self._of_parts(conventions):
            found |= {cause for cause in left - found if self._is_open(cause, situation, mismatching)}
            if found == left:
                break
        return found

    def _of_parts(self, conventions: Conventions) -> Iterator[tuple[Recomputer, BoolArray]]:
        """A recomputer for each part of the run in turn, with the mask of its mismatching queries."""
        differing = set(compress(self._situation.topics, self._mismatching.tolist()))
        for rows in self._situation.rankings.parts():
            part = rows.of_topics(rows.pairing.run.topics)
            topics = part.pairing.all_topics
            mismatching = np.fromiter((topic in differing for topic in topics), np.bool_, len(topics))
            yield Recomputer(part, self._situation.measure, conventions), mismatching

    def _values_of(self, cause: Axis[Any]) -> list[AxisValue]:
        observed, judge_cells = self._evidence.observed, self._evidence.judge_cells
        options = cause.other_options(self._situation)
        options = [value for value in options if self._situation.possible(self.changed(((cause, value),)))]
        if cause is UNIT:
            seen = observed.values if judge_cells else [observed.mean or 0.0]
            return options if np.any(np.abs(seen) > 1) else []  # else none looks like a percentage
        if cause is ROUNDING:
            options = possible_roundings(options, observed) if judge_cells else options
            options = [] if observed.decimals is not None else options
        return options

    def _is_open(self, cause: Axis[Any], situation: Recomputer, mismatching: BoolArray) -> bool:
        gate = cause.gate(situation)
        return bool(np.any(gate & mismatching)) or (
            (cause.on_mean or not self._evidence.judge_cells) and bool(np.any(gate))
        )

    def changed(self, changes: Changes) -> Conventions:
        """The reference's conventions with these changes."""
        return self._situation.base.with_changes(**{cause.name: value for cause, value in changes})

    def combined(self, options: Options, size: int, beside: Changes = ()) -> Iterator[Changes]:
        """All sets of changes of exactly ``size`` axes, likeliest causes and values first.

        An axis that only certain changes open is included only if one of them is in the set or in ``beside``.
        """
        conditional = {TIES, *self._openers}
        always = self._situation.base[TIES] not in WITHOUT_ORDER
        for chosen in combinations(options, size):
            sets = _sets(chosen)
            if always and conditional.isdisjoint(cause for cause, _ in (*chosen, *beside)):
                yield from sets
            else:
                yield from (changes for changes in sets if self.allowed(changes, beside))

    def allowed(self, changes: Changes, beside: Changes = ()) -> bool:
        """Whether each axis that another change must open is opened, and the measure has a value."""
        every = changes + beside
        if any(c in self._openers and self._openers[c].isdisjoint(every) for c, _ in changes):
            return False
        ties = next((value for cause, value in every if cause is TIES), self._situation.base[TIES])
        return ties not in WITHOUT_ORDER or self._situation.possible(self.changed(every))

    def tried(self, size: int) -> int:
        """Number of sets of one to ``size`` changed axes."""
        numbers = range(1, size + 1)
        return sum(self._number(chosen) for n in numbers for chosen in combinations(self.options, n))

    def _number(self, chosen: Sequence[tuple[Axis[Any], list[AxisValue]]]) -> int:
        """Number of sets of changes of these axes, without the sets that :meth:`combined` leaves out."""
        axes, number = {cause for cause, _ in chosen}, prod(len(values) for _, values in chosen)
        if axes.isdisjoint(self._openers) and self._situation.base[TIES] not in WITHOUT_ORDER:
            if TIES not in axes:
                return number
            doubtful = [value for cause, values in chosen if cause is TIES for value in values]
            doubtful = [value for value in doubtful if value in WITHOUT_ORDER]
            chosen = [(cause, doubtful if cause is TIES else values) for cause, values in chosen]
        return number - sum(not self.allowed(changes) for changes in _sets(chosen))

    def arranged(self, changes: Iterable[Change]) -> Changes:
        """Changes in the order of the options."""
        return tuple(sorted(changes, key=self.place.__getitem__))

    def as_combined(self, found: Iterable[Iterable[Change]]) -> list[Changes]:
        """Sets of changes in the order of :meth:`combined`, without the sets that it leaves out."""

        def place(changes: Changes) -> tuple[list[int], list[int]]:
            axes, values = zip(*(self.place[change] for change in changes), strict=True)
            return list(axes), list(values)

        return sorted(filter(self.allowed, map(self.arranged, found)), key=place)


def products(options: Options, size: int) -> Iterator[Changes]:
    """All sets of changes of exactly ``size`` axes."""
    for chosen in combinations(options, size):
        yield from _sets(chosen)


def _sets(chosen: Sequence[tuple[Axis[Any], list[AxisValue]]]) -> Iterator[Changes]:
    """All sets of changes that give each of these axes one of its values."""
    return product(*([(cause, value) for value in values] for cause, values in chosen))


def in_order(changes: Changes) -> Changes:
    """Changes with the likeliest cause first."""
    return tuple(sorted(changes, key=lambda change: (change[0].priority, change[0].label)))
