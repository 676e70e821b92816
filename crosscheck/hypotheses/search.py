"""The counterfactual search for the change of conventions that reproduces the candidate's values.

Axes that only affect finished scores (rounding, empty and missing queries, the averaged set) are tried on
scores that are computed once. All other combinations are tried on a few queries first (:class:`Screen`), then
on all; a query on which a combination fails late joins the first ones.

An axis whose gate is closed under the reference's conventions is tried together with changes of an earlier
stage that open it. For example, if only retrieved documents exist, a query may have no relevant ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import chain, combinations, compress, product
from math import prod
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from crosscheck.axes import likeliest
from crosscheck.axes.base import Axis, Stage
from crosscheck.axes.ids import IDS, Ids
from crosscheck.axes.missing_queries import MISSING_QUERIES
from crosscheck.axes.no_relevant import NO_RELEVANT
from crosscheck.axes.rounding import ROUNDING
from crosscheck.axes.ties import TIES, WITHOUT_ORDER
from crosscheck.axes.unit import UNIT
from crosscheck.axes.unjudged import UNJUDGED
from crosscheck.conventions import AxisValue, Conventions, plain
from crosscheck.evaluation.recomputer import Recomputer
from crosscheck.evaluation.summarise import Evaluated
from crosscheck.hypotheses.evidence import Evidence
from crosscheck.hypotheses.number_format import possible_roundings
from crosscheck.hypotheses.screening import Screen, Tries, same_values, telling, worth_of_empty
from crosscheck.model import BoolArray, IntArray
from crosscheck.rankings.memo import Memo

__all__ = ["Change", "Changes", "Explanation", "Options", "Search"]

Change: TypeAlias = tuple[Axis[Any], AxisValue]
Changes: TypeAlias = tuple[Change, ...]
Options: TypeAlias = list[tuple[Axis[Any], list[AxisValue]]]

#: Number of queries tried first: of those that differ, and of those that agree.
_DIFFERING, _AGREEING = 6, 3
#: Number of screens with queries on which combinations failed late, and queries of each.
_MORE_SCREENS, _LATE = 6, 2
#: Number of axes of which not all combinations are tried.
_TOO_MANY = 4
#: Number of combinations that fit some of the first queries and are verified as partial explanations.
_VERIFIED = 100


@dataclass(frozen=True, slots=True, eq=False)
class Explanation:
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
        mismatching: queries on which the candidate differs from the reference, over all topics.
        beside: its values on other runs, which must be reproduced as well.
        options: the axes to change and their other values; by default those that can matter on the run.
    """

    def __init__(
        self,
        evidence: Evidence,
        mismatching: BoolArray,
        *,
        beside: Sequence[Evidence] = (),
        options: Options | None = None,
    ) -> None:
        self.evidence, self.beside = evidence, beside
        self.situation = situation = evidence.recomputer
        self.observed = observed = evidence.observed
        self.judge_cells = evidence.judge_cells
        self.mismatching = mismatching
        self._openers: dict[Axis[Any], frozenset[Change]] = {}
        self._options = self._open_axes() if options is None else options
        self._on_scores = [entry for entry in self._options if entry[0].stage is Stage.SUMMARISE]
        self._on_formulas = [entry for entry in self._options if entry[0].stage is Stage.FORMULA]
        apart = (Stage.SUMMARISE, Stage.FORMULA)
        self._on_others = [entry for entry in self._options if entry[0].stage not in apart]
        self._usable = situation.rankings.pairing.measured & observed.present
        if MISSING_QUERIES.name in self.open_axes:
            self._usable &= ~np.isnan(observed.values)  # these may be queries that found nothing
        self._loose = evidence.slack.copy()
        roundings = [
            int(str(v))
            for cause, values in self._options
            if cause is ROUNDING
            for v in values
            if v is not None
        ]
        if observed.decimals is not None:
            roundings.append(observed.decimals)
        if roundings:
            self._loose += 0.5000001 * 10.0 ** -min(roundings)
        self._empty_open = NO_RELEVANT.name in self.open_axes
        self._place = {
            (cause, value): (place, number)
            for place, (cause, values) in enumerate(self._options)
            for number, value in enumerate(values)
        }
        self._more_screens: list[Screen] = []
        self._refuting = list(beside)
        self._kept = Memo()

    @property
    def open_axes(self) -> list[str]:
        """Axes that can matter on this input, likeliest first."""
        return [cause.name for cause, _ in self._options]

    def _open_axes(self) -> Options:
        """Axes that can matter at all, likeliest first.

        The measure reads them, and their gate is open under the reference's conventions or under one change
        of an earlier stage, which is then combined with them.
        """
        options: Options = []
        for cause in likeliest():
            if cause.read_by(self.situation.family) and (values := self._values_of(cause)):
                options.append((cause, values))
        is_open = {cause: self._is_open(cause, self.situation, self.mismatching) for cause, _ in options}
        changes = [(cause, value) for cause, values in options if is_open[cause] for value in values]
        closed = [cause for cause, _ in options if not is_open[cause]]
        for change in changes:
            later = [cause for cause in closed if change[0].stage < cause.stage]
            for cause in self._opened(change, later):
                self._openers[cause] = self._openers.get(cause, frozenset()) | {change}
        return [entry for entry in options if is_open[entry[0]] or entry[0] in self._openers]

    def _opened(self, change: Change, causes: Iterable[Axis[Any]]) -> set[Axis[Any]]:
        """The axes that can matter under a change.

        With every document judged, rankings are as large as the run, which may be too large to be held.
        """
        conventions, left, found = self.changed((change,)), set(causes), set[Axis[Any]]()
        everything = replace(self.situation, base=conventions), self.mismatching
        held = self.situation.rankings.holds_rows or conventions[UNJUDGED].level is None
        for situation, mismatching in [everything] if held else self._of_parts(conventions):
            found |= {cause for cause in left - found if self._is_open(cause, situation, mismatching)}
            if found == left:
                break
        return found

    def _of_parts(self, conventions: Conventions) -> Iterator[tuple[Recomputer, BoolArray]]:
        """The measure on the parts of the run in turn, and the mismatching queries of each."""
        differing = set(compress(self.situation.topics, self.mismatching.tolist()))
        for rows in self.situation.rankings.parts():
            part = rows.of_topics(rows.pairing.run.topics)
            topics = part.pairing.all_topics
            mismatching = np.fromiter((topic in differing for topic in topics), np.bool_, len(topics))
            yield Recomputer(part, self.situation.measure, conventions), mismatching

    def _values_of(self, cause: Axis[Any]) -> list[AxisValue]:
        options = cause.other_options(self.situation)
        options = [value for value in options if self.situation.possible(self.changed(((cause, value),)))]
        if cause is UNIT:
            seen = self.observed.values if self.judge_cells else [self.observed.mean or 0.0]
            return options if np.any(np.abs(seen) > 1) else []  # else none looks like a percentage
        if cause is ROUNDING:
            options = possible_roundings(options, self.observed) if self.judge_cells else options
            options = [] if self.observed.decimals is not None else options
        return options

    def _is_open(self, cause: Axis[Any], situation: Recomputer, mismatching: BoolArray) -> bool:
        gate = cause.gate(situation)
        return bool(np.any(gate & mismatching)) or (
            (cause.on_mean or not self.judge_cells) and bool(np.any(gate))
        )

    def changed(self, changes: Changes) -> Conventions:
        """The reference's conventions with these changes."""
        return self.situation.base.with_changes(**{cause.name: value for cause, value in changes})

    def explanation(self, *changes: Change) -> Explanation:
        """The explanation by these changes."""
        conventions = self.changed(changes)
        if not self.situation.possible(conventions):
            nothing = np.zeros(len(self.mismatching), np.bool_)
            return Explanation(changes, conventions, nothing, mean=False)
        return self.held_against(self.situation.evaluated(conventions), changes, conventions)

    def held_against(self, result: Evaluated, changes: Changes, conventions: Conventions) -> Explanation:
        """The explanation by already recomputed values."""
        reproduced, mean = self.evidence.met(result)
        return Explanation(changes, conventions, reproduced, mean or not self.evidence.counts_mean)

    def complete(self, explanation: Explanation) -> bool:
        """Whether it reproduces all values of the candidate."""
        whole = explanation.mean and (not self.judge_cells or bool(explanation.reproduced.all()))
        return whole and not self._refuted(explanation.conventions)

    def _refuted(self, conventions: Conventions) -> bool:
        """Whether values on other runs refute conventions; those that refuted the last ones are tried
        first."""
        for place, evidence in enumerate(self._refuting):
            if not evidence.holds(conventions):
                self._refuting.insert(0, self._refuting.pop(place))
                return True
        return False

    def _combined(self, options: Options, size: int, beside: Changes = ()) -> Iterator[Changes]:
        """All changes of exactly ``size`` axes, likeliest causes and values first.

        An axis that only another change opens is included only with that change, or if that is in ``beside``.
        """
        conditional = {TIES, *self._openers}
        always = self.situation.base[TIES] not in WITHOUT_ORDER
        for chosen in combinations(options, size):
            sets = _sets(chosen)
            if always and conditional.isdisjoint(cause for cause, _ in (*chosen, *beside)):
                yield from sets
            else:
                yield from (changes for changes in sets if self._allowed(changes, beside))

    def _allowed(self, changes: Changes, beside: Changes = ()) -> bool:
        """Whether changes open each other where they must, and the measure has a value under them."""
        every = changes + beside
        if any(c in self._openers and self._openers[c].isdisjoint(every) for c, _ in changes):
            return False
        ties = next((value for cause, value in every if cause is TIES), self.situation.base[TIES])
        return ties not in WITHOUT_ORDER or self.situation.possible(self.changed(every))

    def of_size(self, size: int) -> Iterator[Explanation]:
        """All explanations that change exactly ``size`` axes, likeliest causes and values first."""
        return (self.explanation(*changes) for changes in self._combined(self._options, size))

    def single_changes(self) -> list[Conventions]:
        """The reference's conventions with one axis changed, for every open axis and value."""
        return [self.changed(changes) for changes in self._combined(self._options, 1)]

    def tried(self, size: int) -> int:
        """Number of sets of one to ``size`` changed axes."""
        numbers = range(1, size + 1)
        return sum(self._number(chosen) for n in numbers for chosen in combinations(self._options, n))

    def _number(self, chosen: Sequence[tuple[Axis[Any], list[AxisValue]]]) -> int:
        """Number of changes of these axes, without those that :meth:`_combined` leaves out."""
        axes, number = {cause for cause, _ in chosen}, prod(len(values) for _, values in chosen)
        if axes.isdisjoint(self._openers) and self.situation.base[TIES] not in WITHOUT_ORDER:
            if TIES not in axes:
                return number
            doubtful = [value for cause, values in chosen if cause is TIES for value in values]
            doubtful = [value for value in doubtful if value in WITHOUT_ORDER]
            chosen = [(cause, doubtful if cause is TIES else values) for cause, values in chosen]
        return number - sum(not self._allowed(changes) for changes in _sets(chosen))

    def complete_of_size(self, size: int) -> list[Explanation]:
        """All explanations of exactly ``size`` changed axes that reproduce all values of the candidate.

        If there is only a mean, at most two axes are tried: more fit one number by chance.
        """
        if not self.judge_cells:
            return [e for e in self.of_size(size) if self.complete(e)] if size <= 2 else []
        if not self.reachable.all():
            return []
        return [
            explanation
            for on_scores in range(min(size, len(self._on_scores)) + 1)
            for core in self._passing(size - on_scores)
            for rest in self._combined(self._on_scores, on_scores, core)
            if self.complete(explanation := self.explanation(*_in_order(core + rest)))
        ]

    @cached_property
    def reachable(self) -> BoolArray:
        """Queries that have a value, or none, as the candidate says, under some set of conventions.

        So a value that is missing for no reason of a convention is seen before any large search.
        """
        reached = np.zeros_like(self.mismatching)
        for there in self.presences():
            reached |= there == self.observed.present
            if reached.all():
                break
        return reached

    def presences(self) -> Iterator[BoolArray]:
        """Which queries have a value, under the reference's conventions and under changes of them.

        This is said by the axes on scores, alone or with one other.
        """
        yield self.situation.evaluated(self.situation.base).present
        scores = {axis for axis, _ in self._on_scores}
        for size in (1, 2):
            for changes in self._combined(self._options, size):
                if size == 1 or not scores.isdisjoint(axis for axis, _ in changes):
                    yield self.situation.evaluated(self.changed(changes)).present

    def smallest(self, most: int) -> list[Explanation]:
        """The complete explanations with the fewest changed axes, at most ``most``.

        The reference's own conventions alone, if they are complete; empty if there is no complete
        explanation.
        """
        whole = self.explanation()
        if self.complete(whole):
            return [whole]
        return next(filter(None, (self.complete_of_size(size) for size in range(1, most + 1))), [])

    def unlikeliness(self, explanation: Explanation) -> int:
        """Sort key of explanations of equal size: the priorities of their causes; causes that are doubtful on
        all differing queries come later. If only a mean is known, these are the queries that it changes."""
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
        for on_scores in range(min(size, len(self._on_scores)) + 1):
            for core in self._promising(size - on_scores):
                for rest in self._combined(self._on_scores, on_scores, core):
                    explanation = self.explanation(*_in_order(core + rest))
                    if explanation.reproduced[agreeing].all():
                        found.append(explanation)
        return [e for e in found if (e.reproduced & self.mismatching).sum() > 1]

    def _promising(self, size: int) -> list[Changes]:
        if size == 0:
            return [()]
        if size > 1 and not (self.mismatching & self.observed.present).any():
            return []  # No value is another one: which there are is said by axes on scores, and one beside.
        near = [(met, changes) for met, fair, changes in self._telling(size) if fair]
        return [changes for _, changes in sorted(near, key=lambda entry: -entry[0])[:_VERIFIED]]

    def _passing(self, size: int) -> list[Changes]:
        """Changes of axes that change rankings or scores, and fail on no query of the screens."""
        if size == 0:
            return [()]

        def find() -> list[Changes]:
            passing: list[Changes] = []
            for formula, rest, among in self._blocks(size):
                for screen in self.first_screens:
                    among = self._hits(screen, formula, rest, among).all(axis=1) & among
                passing += [formula + rest.changes[i] for i in np.flatnonzero(among).tolist()]
            combined = self._as_combined(passing)
            self.situation.prepare(map(self.changed, combined))
            return [changes for changes in combined if self._passes(changes)]

        return self._kept.once(("passing", size), find)

    def _telling(self, size: int) -> list[tuple[int, bool, Changes]]:
        """The changes that give differing queries of the first screens: how many of them, whether they give
        several of them and all agreeing queries, and the changes."""

        def find() -> list[tuple[int, bool, Changes]]:
            found: dict[frozenset[Change], tuple[int, bool]] = {}
            *differing, agreeing = self.first_screens
            for formula, rest, among in self._blocks(size):
                met = sum(self._hits(screen, formula, rest, among).sum(axis=1) for screen in differing)
                several = met > 1
                fair = self._hits(agreeing, formula, rest, several).all(axis=1) & several
                for i in np.flatnonzero(met).tolist():
                    found[frozenset(formula + rest.changes[i])] = int(met[i]), bool(fair[i])
            return [(*found[frozenset(changes)], changes) for changes in self._as_combined(found)]

        return self._kept.once(("telling", size), find)

    def _hits(self, screen: Screen, formula: Changes, rest: _Beside, among: BoolArray) -> BoolArray:
        """The queries of a screen that changes of the formula give, with each set of others; shape (sets,
        queries)."""

        def find() -> BoolArray:
            return screen.hits_of_each(self.changed(formula), rest.tries, among)

        # What is tried on one query is asked for again.
        return self._kept.once((screen, formula, rest.tries), find) if among.all() else find()

    def _blocks(self, size: int) -> Iterator[tuple[Changes, _Beside, BoolArray]]:
        """The changes of ``size`` axes to try on the screens: those of formulas, with others and a mask of
        those to try beside them.

        There are too many of four axes for all to be tried. Most axes leave some queries as they are, so one
        of three among the four gives the value of a query; only axes of the formula can change all of them.
        """
        if size < _TOO_MANY:
            for number in range(size + 1):
                rest = self._kept.once(("beside", number), partial(self._beside, number))
                for formula in _products(self._on_formulas, size - number):
                    yield formula, rest, np.ones(len(rest.changes), np.bool_)
            return
        likely = {frozenset(changes) for changes in _products(self._on_formulas, size)}
        for *_, part in self._telling(size - 1):
            axes = {cause for cause, _ in part}
            more = (c for c in self._place if c[0] not in axes and c[0].stage is not Stage.SUMMARISE)
            likely |= {frozenset((*part, change)) for change in more}
        parts: dict[Changes, list[Changes]] = {}
        for changes in map(self._sorted, likely):
            formula = tuple(change for change in changes if change[0].stage is Stage.FORMULA)
            parts.setdefault(formula, []).append(tuple(change for change in changes if change not in formula))
        rest = self._tries(list(dict.fromkeys(chain.from_iterable(parts.values()))))
        numbers = {changes: i for i, changes in enumerate(rest.changes)}
        for formula, others in parts.items():
            among = np.zeros(len(rest.changes), np.bool_)
            among[[numbers[changes] for changes in others]] = True
            yield formula, rest, among

    def _beside(self, number: int) -> _Beside:
        return self._tries(list(_products(self._on_others, number)))

    def _tries(self, changes: list[Changes]) -> _Beside:
        return _Beside(changes, Tries(list(map(self.changed, changes)), self.situation.measure))

    def _sorted(self, changes: Iterable[Change]) -> Changes:
        return tuple(sorted(changes, key=self._place.__getitem__))

    def _as_combined(self, found: Iterable[Iterable[Change]]) -> list[Changes]:
        """Sets of changes in the order of :meth:`_combined`, without those that it leaves out."""

        def place(changes: Changes) -> tuple[list[int], list[int]]:
            axes, values = zip(*(self._place[change] for change in changes), strict=True)
            return list(axes), list(values)

        return sorted(filter(self._allowed, map(self._sorted, found)), key=place)

    def _passes(self, changes: Changes) -> bool:
        """Whether changes that fail on no query of the first screen fail on none at all."""
        conventions, more = self.changed(changes), self._more_screens
        if not all(screen.hits(conventions).all() for screen in more):
            return False
        failed = self._failing(conventions)
        if len(failed) and len(more) < _MORE_SCREENS:
            more.append(self._screen(telling(failed, self.observed.values, _LATE)))
        return not len(failed)

    def _failing(self, conventions: Conventions) -> IntArray:
        """Queries whose value these conventions do not give, whatever the axes on finished scores."""
        situation = self.situation
        result = situation.evaluated(conventions)
        same = same_values(result.values, self.observed.values, self._loose)
        failing = self._usable & result.present & ~same
        if self._empty_open and failing.any():
            failing &= ~(situation.empty(conventions) & worth_of_empty(self.observed.values, self._loose))
        return np.flatnonzero(failing)

    @cached_property
    def first_screens(self) -> list[Screen]:
        """One query that differs, on which most sets fail, some others, and some that agree; none if there is
        only a mean."""
        if not self.judge_cells:
            return []
        values = self.observed.values
        differing = telling(np.flatnonzero(self._usable & self.mismatching), values, _DIFFERING)
        agreeing = telling(np.flatnonzero(self._usable & ~self.mismatching), values, _AGREEING)
        one = telling(differing, values, 1)
        rankings = self.situation.rankings
        rankings.hold([rankings.pairing.all_topics[i] for i in (*differing.tolist(), *agreeing.tolist())])
        return [self._screen(queries) for queries in (one, differing[differing != one], agreeing)]

    def _screen(self, queries: IntArray) -> Screen:
        merging = self.situation.base[IDS] is not Ids.EXACT or IDS.name in self.open_axes
        return Screen(
            self.situation,
            queries,
            self.observed.values[queries],
            self._loose[queries],
            empty_passes=self._empty_open,
            merging=merging,
        )


class _Beside(NamedTuple):
    """Changes of axes of other stages than that of formulas."""

    changes: list[Changes]
    tries: Tries


def _products(options: Options, size: int) -> Iterator[Changes]:
    """All changes of exactly ``size`` axes."""
    for chosen in combinations(options, size):
        yield from _sets(chosen)


def _sets(chosen: Sequence[tuple[Axis[Any], list[AxisValue]]]) -> Iterator[Changes]:
    """All changes of these axes to one of their values each."""
    return product(*([(cause, value) for value in values] for cause, values in chosen))


def _in_order(changes: Changes) -> Changes:
    """Changes with the likeliest cause first."""
    return tuple(sorted(changes, key=lambda change: (change[0].priority, change[0].label)))
