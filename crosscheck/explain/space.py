"""Which changes of conventions to try: the axes that can matter, and sets of changes of these axes.

An axis that cannot matter under the reference's conventions (its gate is closed) may matter after a change of
another axis, of the same or an earlier stage. It is then tried only together with such a change. For example,
the treatment of queries without relevant documents may matter only if just retrieved documents exist.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import cache
from itertools import chain, combinations, compress, product
from math import ceil, inf, prod
from time import monotonic, process_time
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from msgspec.structs import replace

from crosscheck.axes import likeliest
from crosscheck.axes.base import Axis, Stage
from crosscheck.axes.forms import UNIT
from crosscheck.axes.judging import UNJUDGED
from crosscheck.axes.summaries import ROUNDING
from crosscheck.axes.ties import TIES, WITHOUT_ORDER
from crosscheck.conventions import AxisValue, Conventions
from crosscheck.errors import TimeIsUp
from crosscheck.evaluation.formula import FORMULA, Formula
from crosscheck.evaluation.recomputer import Recomputer
from crosscheck.explain.evidence import Evidence, possible_roundings
from crosscheck.measures import family
from crosscheck.model import BoolArray

if TYPE_CHECKING:
    from crosscheck.explain.search import Search

#: Number of changed axes up to which sets of changes without an effect are not counted.
_COUNTED_ONE_BY_ONE = 3
#: Maximum number of runs on which axes are looked for that matter only after a different change.
_MOST_RUNS = 5
#: A rank at which rankings may end must make at least this many values right.
_FEWEST_RIGHT = 3

#: An axis with a new value; for the axis ``FORMULA`` the value is a formula.
Change: TypeAlias = tuple[Axis[Any], Any]
Changes: TypeAlias = tuple[Change, ...]
Options: TypeAlias = list[tuple[Axis[Any], list[Any]]]
#: Function from changes to the conventions with them.
Changing: TypeAlias = Callable[[Changes], Conventions]


class SearchLimit:
    """A limit of the processor time, in seconds, that a search may take. It can be lifted."""

    def __init__(self, seconds: float = inf) -> None:
        self._at, self._not_before = process_time() + seconds, monotonic() + seconds

    def lift(self) -> None:
        self._at = self._not_before = inf

    def check(self) -> None:
        """Raise TimeIsUp if the limit is reached."""
        # A search has one thread, so that its processor time is no more than the time that passed. To read it
        # is a system call, which can cost more than a trial of the search: it is read when it may be used up.
        if monotonic() < self._not_before:
            return
        left = self._at - process_time()
        if left < 0:
            raise TimeIsUp
        self._not_before = monotonic() + left


NEVER = SearchLimit()


def changed(base: Conventions, limit: SearchLimit, changes: Changes) -> Conventions:
    """Conventions with some changes.

    Raises:
        TimeIsUp: the limit is reached. (Every set of changes that is tried is passed to this function.)
    """
    limit.check()
    return base.with_values(changes)


class Choices:
    """The axes that can be changed, and the sets of changes to try.

    Attributes:
        changed: as that of the search.
        options: the axes to change, each with the values to try.
        place: change -> (index of its axis in ``options``, index of its value among the values of the axis).
        on_scores: the entries of ``options`` with axes of finished scores (stage ``summarise``); on_formulas:
            the entries with axes of the formula; on_others: all other entries.
        ranks: change of an axis of ranks to an unusual rank that the values suggest -> the number of ranks it
            is of.
    """

    def __init__(self, search: Search) -> None:
        self._situation, self.changed = search.situation, search.changed
        self._openers: dict[Axis[Any], frozenset[Change]] = {}
        self.ranks: dict[Change, int] = {}
        # Other runs, on which values differ from the reference's; runs with most differing values first.
        beside = [(of, of.differing) for of in search.beside if not of.holds(of.recomputer.base)]
        beside.sort(key=lambda run: -int(run[1].sum()))
        runs = [(search.evidence, search.mismatching), *beside]
        self.options = self._open_axes(runs, search.fixed, search.every)
        self._with_other_formula, only = bool(search.formulas), search.only
        if search.formulas:
            self.options = self._with_formulas(search.formulas, search.fixed)
        if only is not None:
            self.options = [(axis, [v for v in values if (axis, v) in only]) for axis, values in self.options]
            self.options = [entry for entry in self.options if entry[1]]
        self.on_scores = [entry for entry in self.options if entry[0].stage is Stage.SUMMARISE]
        self.on_formulas = [entry for entry in self.options if entry[0].stage is Stage.FORMULA]
        apart = (Stage.SUMMARISE, Stage.FORMULA)
        self.on_others = [entry for entry in self.options if entry[0].stage not in apart]
        self.place = {
            (cause, value): (place, number)
            for place, (cause, values) in enumerate(self.options)
            for number, value in enumerate(values)
        }

    def _open_axes(
        self, runs: Sequence[tuple[Evidence, BoolArray]], fixed: Collection[str], every: Sequence[Evidence]
    ) -> Options:
        """The axes that can matter on these runs, likeliest first, each with the values to try.

        An axis can matter if it affects the measure, and its gate is open on a run under the reference's
        conventions or after one change of an axis of the same or an earlier stage (of any, if it affects the
        measure only beside others). In the second case, ``_openers`` gets these changes.
        """
        causes = [cause for cause in likeliest() if cause.read_by(self._situation.family)]
        values: dict[Axis[Any], dict[AxisValue, None]] = {cause: {} for cause in causes}
        for evidence, _ in runs:
            for cause in causes:
                of_run = _values_of(cause, evidence, self.changed)
                values[cause] |= dict.fromkeys(v for v in of_run if _free(cause, v, fixed))
        fitting = set[Axis[Any]]()
        for cause in causes:
            if values[cause] and cause.of_ranks:
                found = fitting_ranks(cause, every, self.changed).items()
                self.ranks |= {change: among for change, among in found if change[1] not in values[cause]}
                values[cause] |= dict.fromkeys(value for (_, value), _ in found)
                fitting |= {cause for _ in found}
        causes = [cause for cause in causes if values[cause]]
        is_open = {
            c: c in fitting or any(_is_open(c, of.recomputer, mask, of) for of, mask in runs) for c in causes
        }
        changes = [(cause, value) for cause in causes if is_open[cause] for value in values[cause]]
        closed = [cause for cause in causes if not is_open[cause]]
        about = self._situation.family, self._situation.base.plain
        idle = [cause for cause in closed if not cause.beside(*about)]
        runs = runs[:_MOST_RUNS]
        tells = cache(lambda change: any(self._wrong(change, *run)[1] for run in runs))
        agreeing = [(of, of.recomputer.nowhere) for of in every if of.holds(of.recomputer.base)]
        for place, (evidence, mismatching) in enumerate([*runs, *agreeing]):
            for change in changes if place < len(runs) else filter(tells, changes):
                later = [c for c in closed if change[0].stage <= c.stage or c in idle]
                if not (possible := self._opened(change, later, evidence, evidence.recomputer.everywhere)):
                    continue
                wrong = self._wrong(change, evidence, mismatching)[0] if tells(change) else mismatching
                for cause in self._opened(change, possible, evidence, wrong):
                    self._openers[cause] = self._openers.get(cause, frozenset()) | {change}
        return [(c, list(values[c])) for c in causes if is_open[c] or c in self._openers]

    def _wrong(self, change: Change, evidence: Evidence, mismatching: BoolArray) -> tuple[BoolArray, bool]:
        """Mask of the queries that a further change may make right or keep right: those that differ, and
        those that this change alone makes wrong; and whether it makes some right."""
        given = evidence.given(self.changed((change,)))[0]
        return mismatching | ~given, evidence.judge_cells and bool((given & mismatching).any())

    def _with_formulas(self, formulas: Sequence[Formula], fixed: Collection[str]) -> Options:
        """The options, with the formulas as changes, and with the axes, and values of axes, that affect only
        these formulas."""
        own = dict(self.options)
        options: dict[Axis[Any], dict[Any, None]] = {c: dict.fromkeys(values) for c, values in own.items()}
        options[FORMULA] = dict.fromkeys(formulas)
        measures = [formula.measure for formula in formulas if formula.measure][::-1]
        for measure in reversed({of.family: of for of in measures}.values()):  # cutoffs open no other axes
            situation = Recomputer(self._situation.rankings, measure, self._situation.base)
            alike = {(FORMULA, of) for of in formulas if of.measure and of.measure.family == measure.family}
            for cause in (cause for cause in likeliest() if cause.read_by(situation.family)):
                # Some values are of the formula only, such as min(R, k).
                new = (v for v in cause.other_options(situation) if v not in own.get(cause, []))
                if free := [v for v in new if _free(cause, v, fixed)]:
                    if cause not in own or cause in self._openers:
                        self._openers[cause] = self._openers.get(cause, frozenset()) | alike
                    options.setdefault(cause, {}).update(dict.fromkeys(free))
        return [(cause, list(options[cause])) for cause in (FORMULA, *likeliest()) if cause in options]

    def _opened(
        self, change: Change, causes: Iterable[Axis[Any]], evidence: Evidence, mismatching: BoolArray
    ) -> set[Axis[Any]]:
        """The axes among ``causes`` that can matter after a change.

        After a change that makes every document judged, judged rankings are as large as the run. If the run
        is too large for memory, its parts are tested one after another.
        """
        whole = evidence.recomputer
        conventions, left, opened = self.changed((change,)), set(causes), set[Axis[Any]]()
        everything = replace(whole, base=conventions), mismatching
        held = whole.rankings.holds_rows or conventions[UNJUDGED].level is None
        for situation, differing in [everything] if held else _of_parts(whole, mismatching, conventions):
            opened |= {cause for cause in left - opened if _is_open(cause, situation, differing, evidence)}
            if opened == left:
                break
        return opened

    def formula_sets(self, size: int) -> Iterator[Changes]:
        """The sets of changes of exactly ``size`` formula axes. If other formulas are tried, each set
        contains one of these formulas. An axis that affects only certain formulas is changed only together
        with one of them."""
        for changes in products(self.on_formulas, size):
            formula = next((value for axis, value in changes if axis is FORMULA), None)
            lacks_formula = self._with_other_formula and not (formula and _all_read(changes, formula))
            if not (lacks_formula or self.idle(changes)):
                yield changes

    def idle(self, changes: Changes) -> bool:
        """Whether a change in ``changes`` matters only after a change of the formula that is not there."""
        openers = (self._openers[axis] for axis, _ in changes if axis in self._openers)
        return any(of.isdisjoint(changes) and not _opened_earlier(of) for of in openers)

    def number_of(self, options: Options) -> int:
        """The number of sets of changes of any number of these axes; idle sets are not counted if the axes
        that open another are among them."""
        sets = {axis: len(values) + 1 for axis, values in options}
        number = float(prod(sets.values()))
        for axis, values in options:
            openers = self._openers.get(axis, frozenset())
            by = Counter(opener for opener, _ in openers)
            if by and not _opened_earlier(openers) and by.keys() <= sets.keys():
                opened = sum(count / sets[opener] for opener, count in by.items())
                number *= (1 + len(values) * min(opened, 1)) / sets[axis]
        return ceil(number)

    def alone(self) -> list[Change]:
        """The changes that have an effect without any other change."""
        return [change for change in self.place if change[0] not in self._openers]

    def opened_by(self, changes: Collection[Change]) -> list[Change]:
        """The changes whose axis matters only after certain changes, of which one is in ``changes``."""
        return [c for c in self.place if not self._openers.get(c[0], set()).isdisjoint(changes)]

    def combined(self, options: Options, size: int, beside: Changes = ()) -> Iterator[Changes]:
        """All sets of changes of exactly ``size`` axes, likeliest axes and values first.

        An axis that matters only after certain changes is included only if one of these changes is in the set
        or in ``beside``.
        """
        conditional = {TIES, *self._openers}
        always = self._situation.base[TIES] not in WITHOUT_ORDER
        for chosen in combinations(options, size):
            all_allowed = always and conditional.isdisjoint(cause for cause, _ in (*chosen, *beside))
            yield from (c for c in _sets(chosen) if all_allowed or self.allowed(c, beside))

    def allowed(self, changes: Changes, beside: Changes = ()) -> bool:
        """Whether every change in ``changes`` can have an effect after the others and those in ``beside``,
        and the measure can be computed under them."""
        every = changes + beside
        if any(c in self._openers and self._openers[c].isdisjoint(every) for c, _ in changes):
            return False
        ties = next((value for cause, value in every if cause is TIES), self._situation.base[TIES])
        return ties not in WITHOUT_ORDER or self._situation.possible(self.changed(every))

    def tried(self, size: int) -> int:
        """The number of sets of changes with 1 to ``size`` changed axes.

        The sets that :meth:`combined` leaves out are not counted among those of up to three axes. There are
        millions of larger sets; they are all counted, so that the number is an upper bound.
        """
        return sum(
            self._number(chosen) if n <= _COUNTED_ONE_BY_ONE else prod(len(values) for _, values in chosen)
            for n in range(1, size + 1)
            for chosen in combinations(self.options, n)
        )

    def _number(self, chosen: Sequence[tuple[Axis[Any], list[AxisValue]]]) -> int:
        """The number of sets that change exactly these axes, without the sets that :meth:`combined` leaves
        out."""
        axes, number = {cause for cause, _ in chosen}, prod(len(values) for _, values in chosen)
        if axes.isdisjoint(self._openers) and self._situation.base[TIES] not in WITHOUT_ORDER:
            if TIES not in axes:
                return number
            doubtful = [value for cause, values in chosen if cause is TIES for value in values]
            doubtful = [value for value in doubtful if value in WITHOUT_ORDER]
            chosen = [(cause, doubtful if cause is TIES else values) for cause, values in chosen]
        return number - sum(not self.allowed(changes) for changes in _sets(chosen))

    def arranged(self, changes: Iterable[Change]) -> Changes:
        """The changes in the order of ``options``."""
        return tuple(sorted(changes, key=self.place.__getitem__))

    def as_combined(self, sets: Iterable[Iterable[Change]]) -> list[Changes]:
        """These sets of changes in the order of :meth:`combined`, without the sets that it leaves out."""
        left = filter(self.allowed, map(self.arranged, sets))
        return sorted(left, key=lambda changes: [*zip(*map(self.place.__getitem__, changes), strict=True)])


def _all_read(changes: Changes, formula: Formula) -> bool:
    """Whether the measure with a formula reads the other axes; True if no measure has the formula."""
    about = None if formula.measure is None else family(formula.measure.family)
    return about is None or all(axis is FORMULA or axis.read_by(about) for axis, _ in changes)


def _opened_earlier(openers: Iterable[Change]) -> bool:
    """Whether one of these changes belongs to a stage other than the formula."""
    return any(axis.stage is not Stage.FORMULA for axis, _ in openers)


def _of_parts(
    whole: Recomputer, mismatching: BoolArray, conventions: Conventions
) -> Iterator[tuple[Recomputer, BoolArray]]:
    """For each part of the run in turn, a recomputer and the mask of its mismatching queries."""
    differing = set(compress(whole.topics, mismatching.tolist()))
    for rows in whole.rankings.parts():
        part = rows.of_topics(rows.pairing.run.topics)
        topics = part.pairing.all_topics
        mask = np.fromiter((topic in differing for topic in topics), np.bool_, len(topics))
        yield Recomputer(part, whole.measure, conventions), mask


def _values_of(cause: Axis[Any], evidence: Evidence, changed: Changing) -> list[AxisValue]:
    """The values of an axis that are worth trying to explain some evidence, without the reference's value."""
    situation, observed, judge_cells = evidence.recomputer, evidence.observed, evidence.judge_cells
    options = [v for v in cause.other_options(situation) if situation.possible(changed(((cause, v),)))]
    above_one = np.any(np.abs(observed.values if judge_cells else [observed.mean or 0.0]) > 1)
    if cause is UNIT and not above_one:
        return []  # nothing is in percent
    if cause is ROUNDING:
        options += [1] * bool(above_one)  # one decimal of a fraction tells too little
        options = possible_roundings(options, observed) if judge_cells else options
        if (printed := observed.decimals) is not None:  # a mean with few digits tells nothing of its values
            options = [v for v in options if judge_cells and isinstance(v, int) and v < printed]
    return options


def fitting_ranks(cause: Axis[Any], every: Sequence[Evidence], changed: Changing) -> dict[Change, int]:
    """The changes of an axis of ranks, such as ``depth``, to the roundest, the lowest and the highest rank
    that give no value too low and none too high; with the number of possible ranks.

    A lower rank lowers the values of all usual measures, so both are found by halving. Means are not looked
    at. Empty if no rank makes some values right and none wrong. Values that are wrong under any rank, for
    other reasons, do not count.
    """
    every = [e for e in every if e.judge_cells]
    lengths = [int(e.recomputer.unordered.num_ret.max(initial=1)) for e in every]
    longest = max(lengths, default=0)
    if longest < 2:
        return {}

    @cache
    def wrong_in(e: Evidence, rank: int) -> tuple[int, int]:
        cells, _ = e.given(conventions := changed(((cause, rank),)))
        above = e.values(conventions) > e.observed.values
        return int((~cells & ~above).sum()), int((~cells & above).sum())

    def wrong(rank: int) -> tuple[int, int]:
        """The numbers of values that are too low, and too high, if rankings end at this rank."""
        of_each = [wrong_in(e, min(rank, length)) for e, length in zip(every, lengths, strict=True)]
        return sum(low for low, _ in of_each), sum(high for _, high in of_each)

    ranks, (least_low, most_high) = range(1, longest), wrong(longest)
    if most_high < _FEWEST_RIGHT:
        return {}
    lowest = bisect_left(ranks, True, key=lambda rank: wrong(rank)[0] <= least_low) + 1
    if lowest == longest or most_high - (least_high := wrong(lowest)[1]) < _FEWEST_RIGHT:
        return {}
    highest = bisect_left(ranks, True, lo=lowest, key=lambda rank: wrong(rank)[1] > least_high)
    steps = (1000, 500, 100, 50, 10, 5, 1)
    roundest = next(highest // step * step for step in steps if highest // step * step >= lowest)
    # A cutoff that is missed by one is a bug, and no convention.
    missed = (every[0].recomputer.measure.cutoff or 0) - 1
    return {(cause, rank): longest for rank in (roundest, lowest, highest) if rank != missed}


def _free(cause: Axis[Any], value: AxisValue, fixed: Collection[str]) -> bool:
    """Whether a metric can have this value of an axis, although the call fixes the axes ``fixed``."""
    return cause.name not in fixed or value in cause.visible_in_one_query


def _is_open(cause: Axis[Any], situation: Recomputer, mismatching: BoolArray, evidence: Evidence) -> bool:
    """Whether an axis can matter: to a mismatching query; or to any query, if it can change the mean alone or
    only a mean is known."""
    gate, late = cause.gate(situation), cause.on_mean or cause.stage is Stage.SUMMARISE
    return bool(np.any(gate & mismatching)) or ((late or not evidence.judge_cells) and bool(np.any(gate)))


def products(options: Options, size: int) -> Iterator[Changes]:
    """All sets of changes of exactly ``size`` axes."""
    for chosen in combinations(options, size):
        yield from _sets(chosen)


def _sets(chosen: Sequence[tuple[Axis[Any], list[AxisValue]]]) -> Iterator[Changes]:
    """All sets of changes that change exactly these axes."""
    return product(*([(cause, value) for value in values] for cause, values in chosen))


def all_sets(options: Options) -> Iterator[Changes]:
    """All sets of changes of any number of these axes."""
    return chain.from_iterable(products(options, size) for size in range(len(options) + 1))


def in_order(changes: Changes) -> Changes:
    """The changes sorted with the likeliest axis first."""
    return tuple(sorted(changes, key=lambda change: (change[0].priority, change[0].label)))
