"""The counterfactual search for the change of conventions that reproduces the candidate's values.

Axes that only affect finished scores (rounding, empty and missing queries, the averaged set) are tried on
scores that are computed once, beside each of the other changes that pass (:class:`Shortlist`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from functools import cached_property

import numpy as np
from msgspec import Struct

from crosscheck.conventions import AxisValue, Conventions, plain
from crosscheck.evaluation.formula import Formula
from crosscheck.evaluation.recomputer import Recomputer
from crosscheck.explain.evidence import Evidence
from crosscheck.explain.reach import out_of_reach
from crosscheck.explain.screens import Screen, Shortlist, same_values
from crosscheck.explain.space import Change, Changes, Choices, in_order
from crosscheck.model import BoolArray, Scores

#: Number of queries that must differ, and that must need each changed axis, for a set to be proved.
NEEDED_ON = 3


def differing_for(size: int) -> int:
    """Number of values that must differ before a set of so many changed axes is named: three for each axis
    beyond two.

    There are thousands of combinations of three and four axes, and some of them give any single value by
    chance.
    """
    return NEEDED_ON * max(size - 2, 0)


class Explanation(Struct, frozen=True, eq=False):
    """A change of conventions, and the queries and mean that it reproduces.

    Attributes:
        changes: (cause, value) pairs, empty for the reference's own conventions.
        reproduced: queries whose value (or absence) it gives, over all topics.
        mean: whether it gives the candidate's own mean (True if the candidate has none).
    """

    changes: Changes
    conventions: Conventions
    reproduced: BoolArray
    mean: bool

    @property
    def labels(self) -> list[str]:
        return [cause.label for cause, _ in self.changes]

    @property
    def axes(self) -> dict[str, AxisValue]:
        return {cause.name: plain(value) for cause, value in self.changes}


class Search:
    """Explanations of one candidate's values on one measure and run, by number of changed axes.

    Args:
        evidence: the values and their run.
        mismatching: queries on which the candidate differs from the reference, over all topics; None for all.
        beside: the candidate's values on other runs, which must be reproduced as well.
        fixed: axes that the candidate cannot change, but for values that show in a single query.
        only: the changes to try, None for all that can matter.
        formulas: other formulas to try in place of the measure's own.
    """

    def __init__(
        self,
        evidence: Evidence,
        mismatching: BoolArray | None = None,
        *,
        beside: Sequence[Evidence] = (),
        fixed: Collection[str] = (),
        only: Collection[Change] | None = None,
        formulas: Sequence[Formula] = (),
    ) -> None:
        self.evidence, self.beside = evidence, beside
        self.situation, self.observed = evidence.recomputer, evidence.observed
        self.judge_cells = evidence.judge_cells
        self.mismatching = evidence.recomputer.everywhere if mismatching is None else mismatching
        self._limits = fixed, only, formulas
        self._refuting = list(beside)

    @cached_property
    def _choices(self) -> Choices:
        return Choices(self.evidence, self.mismatching, self.beside, *self._limits)

    @cached_property
    def _shortlist(self) -> Shortlist:
        return Shortlist(self._choices, self.evidence, self.mismatching)

    @property
    def open_axes(self) -> list[str]:
        """Axes that can matter on this input, likeliest first."""
        return self._choices.open_axes

    @property
    def first_screens(self) -> list[Screen]:
        """The screens with the queries that sets of conventions are tried on first."""
        return self._shortlist.first_screens

    def changed(self, changes: Changes) -> Conventions:
        """The reference's conventions with these changes."""
        return self.situation.base.with_values(changes)

    def tried(self, size: int) -> int:
        """Number of sets of one to ``size`` changed axes."""
        return self._choices.tried(size)

    def explanation(self, *changes: Change) -> Explanation:
        """The explanation by these changes."""
        conventions = self.changed(changes)
        if not self.situation.possible(conventions):
            nothing = np.zeros(len(self.mismatching), np.bool_)
            return Explanation(changes, conventions, nothing, mean=False)
        reproduced, mean = self.evidence.met(self.situation.evaluated(conventions))
        return Explanation(changes, conventions, reproduced, mean or not self.evidence.counts_mean)

    def complete(self, explanation: Explanation) -> bool:
        """Whether an explanation reproduces all values of the candidate, also those on other runs."""
        whole = explanation.mean and (not self.judge_cells or bool(explanation.reproduced.all()))
        return whole and not self._refuted(explanation.conventions)

    def _refuted(self, conventions: Conventions) -> bool:
        """Whether values on other runs refute conventions; the run that refuted conventions last is tried
        first."""
        for place, evidence in enumerate(self._refuting):
            if not evidence.holds(conventions):
                self._refuting.insert(0, self._refuting.pop(place))
                return True
        return False

    def of_size(self, size: int) -> Iterator[Explanation]:
        """All explanations that change exactly ``size`` axes, likeliest causes and values first."""
        return (self.explanation(*changes) for changes in self._choices.combined(self._choices.options, size))

    def single_changes(self) -> list[Conventions]:
        """The reference's conventions with one axis changed, for every open axis and value."""
        return [self.changed(changes) for changes in self._choices.combined(self._choices.options, 1)]

    def telling_changes(self, beside: Changes = ()) -> dict[Change, int]:
        """The changes that, in addition to those of ``beside``, give values which these alone do not give,
        each with the number of them; and those that such a change must open, with its number."""
        conventions = self.changed(beside)
        every = [e for e in (self.evidence, *self.beside) if not e.holds(conventions)]
        before = [(e, e.given(conventions)) for e in every]

        def given(change: Change) -> int:
            changed, total = self.changed((*beside, change)), 0
            for evidence, (cells, mean) in before:
                there, as_well = evidence.given(changed)
                total += int((there & ~cells).sum()) if evidence.judge_cells else 0
                total += int(evidence.counts_mean and as_well and not mean)
            return total

        taken = {axis for axis, _ in beside}
        telling = {c: given(c) for c in self._choices.alone() if c[0] not in taken}
        telling = {change: number for change, number in telling.items() if number}
        for change, number in list(telling.items()):
            telling |= {c: max(number, telling.get(c, 0)) for c in self._choices.opened_by([*beside, change])}
        return telling

    def complete_of_size(self, size: int) -> list[Explanation]:
        """All explanations of exactly ``size`` changed axes that reproduce all values of the candidate.

        If there is only a mean, at most two changed axes are tried, because larger sets give it by chance.
        """
        if not self.judge_cells:
            return [e for e in self.of_size(size) if self.complete(e)] if size <= 2 else []
        if not self.reachable.all() or (size > 1 and self.hopeless):
            return []
        return [
            explanation
            for on_scores in range(min(size, len(self._choices.on_scores)) + 1)
            for core in self._shortlist.passing(size - on_scores)
            for rest in self._choices.combined(self._choices.on_scores, on_scores, core)
            if self.complete(explanation := self.explanation(*in_order(core + rest)))
        ]

    @cached_property
    def hopeless(self) -> bool:
        """Whether some queries show that no set of changes, of any size, gives all values."""
        if not self.reachable.all():
            return True
        about = self._choices, self._shortlist, self.situation
        queries = out_of_reach(*about, self.mismatching & self.evidence.differing, self.observed.values)
        return bool(len(queries))

    @cached_property
    def reachable(self) -> BoolArray:
        """Mask of the queries of which some set of conventions predicts whether the candidate has a value.

        It shows before any large search that a value is missing for no reason that a convention gives.
        """
        known = self.evidence.known
        reached = np.zeros_like(self.mismatching) if known is None else ~known
        for there in self.presences():
            reached = reached | (there == self.observed.present)
            if reached.all():
                break
        return reached

    def presences(self) -> Iterator[BoolArray]:
        """Masks of the queries with a value: under the reference's conventions, then under changes of them.

        The changes are those of one axis, and of two if at least one is an axis on finished scores, because
        these axes decide which queries have a value.
        """
        yield self.situation.evaluated(self.situation.base).present
        scores = {axis for axis, _ in self._choices.on_scores}
        for size in (1, 2):
            for changes in self._choices.combined(self._choices.options, size):
                if size == 1 or not scores.isdisjoint(axis for axis, _ in changes):
                    yield self.situation.evaluated(self.changed(changes)).present

    def smallest(self, most: int) -> list[Explanation]:
        """The complete explanations with the fewest changed axes, at most ``most`` axes, likeliest first.

        If the reference's own conventions are complete, only these; empty if no explanation is complete.
        """
        whole = self.explanation()
        if self.complete(whole):
            return [whole]
        differing = int(self.mismatching.sum())
        sizes = (size for size in range(1, most + 1) if differing >= differing_for(size))
        found = next(filter(None, map(self.complete_of_size, sizes)), [])
        return sorted(found, key=self.unlikeliness)

    def unlikeliness(self, explanation: Explanation) -> int:
        """Sort key of explanations of equal size: the sum of the priorities of their causes. A cause that is
        doubtful on all differing queries counts more; if no query differs, or only a mean is known, on all
        queries that the explanation changes."""
        differing = self.mismatching
        if not (self.judge_cells and differing.any()):
            base = self.situation.evaluated(self.situation.base)
            found = self.situation.evaluated(explanation.conventions)
            differing = ~same_values(base.values, found.values, self.evidence.slack)
        return sum(
            cause.priority + cause.doubt * bool(cause.doubtful(self.situation)[differing].all())
            for cause, _ in explanation.changes
        )

    def partial_of_size(self, size: int, agreeing: BoolArray) -> list[Explanation]:
        """Explanations of exactly ``size`` changed axes that give at least two differing queries and every
        one of ``agreeing``."""
        found: list[Explanation] = []
        if not (self.reachable & self.mismatching).any():
            return found
        for on_scores in range(min(size, len(self._choices.on_scores)) + 1):
            for core in self._shortlist.promising(size - on_scores):
                for rest in self._choices.combined(self._choices.on_scores, on_scores, core):
                    explanation = self.explanation(*in_order(core + rest))
                    if explanation.reproduced[agreeing].all():
                        found.append(explanation)
        return [e for e in found if (e.reproduced & self.mismatching).sum() > 1]


def single_changes(situation: Recomputer) -> list[Conventions]:
    """The reference's conventions with one axis changed, for every axis and value that can matter to the mean
    or to a query."""
    nothing = Scores(np.full(len(situation.topics), np.nan), situation.nowhere, 0.0)
    return Search(Evidence(situation, nothing, judge_cells=False)).single_changes()
