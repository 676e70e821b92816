"""The search for changes of conventions that reproduce a candidate's values.

Axes of the stage ``summarise``, such as rounding, change finished scores. They are tried on scores that are
computed once for each set of other changes that passes the shortlist (:class:`Shortlist`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from itertools import combinations, pairwise
from math import inf
from typing import Any, TypeAlias, TypeVar, cast

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from crosscheck.axes import axis as axis_named
from crosscheck.axes import likeliest
from crosscheck.axes.forms import UNIT
from crosscheck.axes.summaries import ROUNDING
from crosscheck.conventions import AxisValue, Conventions, plain, profiles
from crosscheck.evaluation.formula import Formula
from crosscheck.evaluation.recomputer import Recomputer
from crosscheck.explain.evidence import Evidence
from crosscheck.explain.reach import out_of_reach
from crosscheck.explain.screens import Shortlist, same_values
from crosscheck.explain.space import NEVER, Change, Changes, Changing, Choices, SearchLimit, changed, in_order
from crosscheck.model import BoolArray, MeasureValues
from crosscheck.names import extended
from crosscheck.rankings.pairing import Memo

#: Maximum number of runs, those with most unexplained values first, on which single changes are tested.
_MOST_RUNS = 20
#: Minimum number of queries that must differ, and that must need each changed axis, for a set to be proved.
NEEDED_ON = 3
#: Maximum number of sets of one size that are made of promising changes.
_MOST_SETS = 20_000
#: A change belongs to a part if it gives at least 4 further values for each value that it changes in vain, at
#: least 20 for each correct value that it loses, and at least 5 in total.
_MOSTLY, _HARDLY, _FEWEST_NEEDED = 4, 20, 5
#: Share of the values from which on a change that makes them one number is no part.
_NEARLY_ALL = 0.9
#: Number of single changes, those that give most values, whose pairs are tried as a part; maximum number of
#: sets that are checked as a part.
_PAIRED, _VERIFIED = 8, 20
#: Number of single changes to which further changes are added.
_TELLING = 6
#: Number of sets that are kept at each size in the search for the set that gives most values, and the size of
#: this set up to which its changes are always tried.
_WIDTH, _NEAREST = 5, 6
#: From this number of retrieved documents on, that set is not looked for to see whether there is any.
_FEW = 8_000

_V = TypeVar("_V")


def differing_for(size: int) -> int:
    """The minimum number of differing values for which sets of ``size`` changed axes are tried: three for
    each axis after the second.

    There are thousands of sets of three and four axes, and some of them give any single value by chance.
    """
    return NEEDED_ON * max(size - 2, 0)


class Explanation(Struct, frozen=True, eq=False):
    """A set of changes of conventions, with the queries and the mean that it reproduces.

    Attributes:
        changes: (axis, value) pairs; empty for the reference's conventions.
        conventions: the reference's conventions with these changes.
        reproduced: mask of the queries whose value (or absence of a value) the changes give, over all topics.
        mean: whether the changes give the candidate's mean; True if no mean is compared.
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

    @property
    def but_for_ranks(self) -> frozenset[tuple[str, AxisValue]]:
        """The changes, without the numbers at which rankings end: explanations that differ in these only are
        one, whose number the values leave open."""
        ends = {cause.name for cause, _ in self.changes if cause.of_ranks}
        return frozenset((name, None if name in ends else value) for name, value in self.axes.items())


class Search(Struct, eq=False, dict=True):
    """Searches sets of changes of conventions that explain a candidate's values for one measure.

    Attributes:
        evidence: the candidate's values on one run.
        mismatching: mask of the queries on which candidate and reference differ, over all topics.
        beside: the candidate's values on other runs, which must be reproduced as well.
        fixed: axes that the candidate cannot change, except to values that show in a single query.
        only: the changes to try; None for all that can matter.
        formulas: formulas to try in place of the measure's own formula.
        limit: when to stop and raise TimeIsUp.
        largest: number of changes up to which the set that gives most values is looked for.
        every: all evidence of the search; only_means: whether all of it is means.
    """

    evidence: Evidence
    mismatching: BoolArray
    beside: Sequence[Evidence] = ()
    fixed: Collection[str] = ()
    only: Collection[Change] | None = None
    formulas: Sequence[Formula] = ()
    limit: SearchLimit = NEVER
    largest: int = _NEAREST

    def __post_init__(self) -> None:
        self.situation, self.observed = self.evidence.recomputer, self.evidence.observed
        self.judge_cells, self.every = self.evidence.judge_cells, (self.evidence, *self.beside)
        self.only_means = all(e.of_means or not e.judge_cells for e in self.every)
        self._refuting, self._told = list(self.every), Memo()

    @classmethod
    def among(
        cls,
        evidence: Sequence[Evidence],
        fixed: Collection[str],
        formulas: Sequence[Formula] = (),
        limit: SearchLimit = NEVER,
        largest: int = _NEAREST,
    ) -> Search:
        """A search for changes that reproduce several pieces of evidence. The piece in which most different
        values differ from the reference's is the ``evidence`` of the search, the others are ``beside``: many
        sets give a piece whose values are all 0, as at a relevance level that none of its documents has."""

        def told(one: Evidence) -> tuple[int, int]:
            differing = one.differing
            return len(np.unique(one.observed.values[differing])), int(differing.sum())

        first = max(evidence, key=lambda one: told(one) if one.judge_cells else (0, 0))
        mismatching = first.differing if first.differing.any() else first.recomputer.everywhere
        beside = [e for e in evidence if e is not first]
        return cls(first, mismatching, beside, fixed, None, formulas, limit, largest)

    @cached_property
    def choices(self) -> Choices:
        return Choices(self)

    @cached_property
    def shortlist(self) -> Shortlist:
        return Shortlist(self.choices, self.evidence, self.mismatching)

    @cached_property
    def changed(self) -> Changing:
        """:func:`~crosscheck.explain.space.changed` for the reference's conventions and the limit. It does
        not hold the search, whose choices hold it, so that the arrays of a search are freed with it."""
        return partial(changed, self.situation.base, self.limit)

    def explanation(self, *changes: Change) -> Explanation:
        """The explanation that consists of these changes."""
        conventions = self.changed(changes)
        reproduced, mean = self.evidence.given(conventions)
        return Explanation(changes, conventions, reproduced, mean or not self.evidence.counts_mean)

    def complete(self, explanation: Explanation) -> bool:
        """Whether an explanation reproduces all values of the candidate, including values on other runs."""
        found = explanation.conventions
        return not self._refuted(found) and self._one_mean(found)

    def _one_mean(self, conventions: Conventions) -> bool:
        """Whether all means that are rounded are so in the same way: before they are taken, or after."""
        if conventions[ROUNDING] is None:
            return True
        ways = zip(*(evidence.gives_means(conventions) for evidence in self.every), strict=True)
        return any(map(all, ways))

    def _refuted(self, conventions: Conventions) -> bool:
        """Whether conventions fail to give the values on some run, of which that on which conventions failed
        last is tried first."""
        for place, evidence in enumerate(self._refuting):
            if not evidence.holds(conventions):
                self._refuting.insert(0, self._refuting.pop(place))
                return True
        return False

    def unmet(self, conventions: Conventions) -> int:
        """The number of values, in all evidence, that conventions do not give."""
        return sum(e.unmet(conventions) for e in self.every)

    def without_each(self, changes: Changes) -> Iterator[tuple[str, Explanation]]:
        """For each change, the name of its axis and the explanation by all other changes."""
        for left_out in changes:
            yield left_out[0].name, self.explanation(*(c for c in changes if c is not left_out))

    def telling_changes(self, beside: Changes = ()) -> dict[Change, int]:
        """Change -> number of further values that it gives if it is added to the changes ``beside``; only
        changes that give some.

        A change that has an effect only after such a change gets the same number.
        """
        return dict(self._told.once(beside, lambda: self._changes_that_tell(beside)))

    def _changes_that_tell(self, beside: Changes) -> dict[Change, int]:
        conventions = self.changed(beside)
        every = [e for e in self.every if not e.holds(conventions)]
        every = sorted(every, key=lambda e: -e.unmet(conventions))[:_MOST_RUNS]
        before = [(e, e.given(conventions)) for e in every]

        def given(change: Change) -> int:
            """The number of values that conventions give with this change and did not give before."""
            changed, total = self.changed((*beside, change)), 0
            for evidence, (cells, mean) in before:
                there, as_well = evidence.given(changed)
                total += int((there & ~cells).sum()) if evidence.judge_cells else 0
                total += int(evidence.counts_mean and as_well and not mean)
            return total

        taken = {axis for axis, _ in beside}
        telling = {c: given(c) for c in self.choices.alone() if c[0] not in taken}
        telling = {change: number for change, number in telling.items() if number}
        for change, number in list(telling.items()):
            telling |= {c: max(number, telling.get(c, 0)) for c in self.choices.opened_by([*beside, change])}
        return telling

    def complete_of_size(self, size: int) -> list[Explanation]:
        """All explanations with exactly ``size`` changed axes that reproduce all values of the candidate."""
        if not self.judge_cells:
            sets = self.choices.combined(self.choices.options, size)
        # Pairs are tried sooner than refuted.
        elif not self.reachable.all() or (size > 1 and self.largest > 2 and self.hopeless):
            return []
        else:
            sets = self._sets(size, self.shortlist.passing)
        left = (changes for changes in sets if not self._refuted(self.changed(changes)))
        return [e for changes in left if self.complete(e := self.explanation(*changes))]

    def _sets(self, size: int, cores: Callable[[int], Iterable[Changes]]) -> Iterator[Changes]:
        """Yield the sets with exactly ``size`` changed axes that consist of a set of changes from ``cores``,
        which is called with its size, and of changes of axes of finished scores."""
        for on_scores in range(min(size, len(self.choices.on_scores)) + 1):
            for core in cores(size - on_scores) if on_scores < size else [()]:
                for rest in self.choices.combined(self.choices.on_scores, on_scores, core):
                    yield in_order(core + rest)

    @cached_property
    def hopeless(self) -> bool:
        """Whether some queries show that no set of changes, of any size, gives all values."""
        if not self.reachable.all():
            return True
        differing = self.mismatching & self.evidence.differing
        # Formulas are too many.
        return not self.formulas and len(out_of_reach(self.shortlist, differing, self._found_nearest)) > 0

    def _found_nearest(self) -> bool:
        """Whether the nearest set of changes gives all values. It is looked for only where few documents have
        to be ranked again for each set, as of the inputs of an audit."""
        documents = sum(int(e.recomputer.unordered.num_ret.sum()) for e in self.every)
        return documents < _FEW and self.complete(self.explanation(*self.nearest(self.largest)))

    @cached_property
    def reachable(self) -> BoolArray:
        """Mask of the queries for which some set of conventions predicts correctly whether the candidate has
        a value. For other queries, no convention explains why a value is missing or present.
        """
        known = self.evidence.known
        reached = np.zeros_like(self.mismatching) if known is None else ~known
        for there in self.presences():
            reached = reached | (there == self.observed.present)
            if reached.all():
                break
        return reached

    def presences(self) -> Iterator[BoolArray]:
        """Yield masks of the queries with a value: under the reference's conventions, then under each change
        of one axis, then of two axes.

        At least one of two axes is an axis of finished scores, because these decide which queries have a
        value.
        """
        yield self.situation.evaluated(self.situation.base).present
        scores = {axis for axis, _ in self.choices.on_scores}
        for size in (1, 2):
            for changes in self.choices.combined(self.choices.options, size):
                if size == 1 or not scores.isdisjoint(axis for axis, _ in changes):
                    yield self.situation.evaluated(self.changed(changes)).present

    def smallest(self, most: int, of_any: int | None = None) -> list[Explanation]:
        """The complete explanations with the fewest changed axes, likeliest first.

        If the reference's conventions reproduce everything, this is the only explanation. Empty if no
        explanation is complete.

        Args:
            most: maximum number of changed axes.
            of_any: number of changed axes up to which all sets are tried. Larger sets consist only of changes
                that give some value, alone or added to another change. None to try all sets.
        """
        whole = self.explanation()
        if self.complete(whole):
            return [whole]
        if of_any is None and not self.judge_cells:
            most = min(most, 2)  # larger sets give single means by chance
        differing = int(self.mismatching.sum()) if self.judge_cells else 1
        differing += sum(e.unmet(self.situation.base) for e in self.beside)
        for size in range(1, most + 1):
            if differing < differing_for(size):
                break
            tried = self
            if of_any is not None and size > of_any:
                if self.judge_cells and self.hopeless:
                    break
                tried = replace(self, only=most_of(self._telling, size), formulas=())
            if explanations := tried.complete_of_size(size):
                return sorted(explanations, key=tried.unlikeliness)
        return []

    def of_tools(self) -> list[Explanation]:
        """The complete explanations by the conventions of known tools, each reduced to the axes that the
        values need; the fewest changes first. A tool is one hypothesis, however many axes it changes."""
        base, measure, fixed = self.situation.base, self.situation.measure, self.fixed

        def explained_by(changes: Mapping[str, Any]) -> Explanation:
            return self.explanation(*in_order(tuple((axis_named(name), v) for name, v in changes.items())))

        found: dict[Conventions, Explanation] = {}
        for own in {extended(profile, measure): None for profile in profiles().values()}:
            if own is None or own.unknown:
                continue
            changed = {name: own[axis_named(name)] for name in own.changes_from(base) if name not in fixed}
            if self.complete(explained_by(changed)):
                one = explained_by(fewest(changed, lambda left: self.complete(explained_by(left))))
                found[one.conventions] = one
        return sorted(found.values(), key=lambda one: (len(one.changes), self.unlikeliness(one)))

    @cached_property
    def _telling(self) -> dict[Change, int]:
        """Change -> number of values that it gives, alone or added to one or two changes that give many
        values; only changes that give some. Those of the nearest set are among the first.

        In an audit, the battery has queries that show each change alone or in a pair, so that a change that
        gives no value is not a part of the explanation.
        """
        telling = self.telling_changes()
        likely = sorted(telling, key=lambda change: -telling[change])[:_TELLING]
        # Two changes may give many values together of which neither gives any alone.
        for beside in dict.fromkeys((self.part, self.nearest(2), *((change,) for change in likely))):
            for change, number in self.telling_changes(beside).items():
                telling[change] = max(number, telling.get(change, 0))
        most = max(telling.values(), default=0)
        return telling | dict.fromkeys((*self.part, *self.nearest(self.largest)), most)

    def nearest(self, most: int) -> Changes:
        """The set of at most ``most`` changes that gives most values; found by adding changes one by one."""
        best, left = cast(Changes, ()), self.unmet(self.situation.base)
        sets = [best]
        while left and len(sets[0]) < most:
            grown = dict.fromkeys(in_order((*s, c)) for s in sets for c in self.telling_changes(s))
            unmet = {changes: self.unmet(self.changed(changes)) for changes in grown}
            sets = sorted(grown, key=unmet.__getitem__)[:_WIDTH]
            if not sets or unmet[sets[0]] >= left:
                break
            best, left = sets[0], unmet[sets[0]]
        return best

    @cached_property
    def part(self) -> Changes:
        """The one or two changes that explain a part of the values: the set that gives most values, of those
        that pass :meth:`is_part`. Empty if none does."""
        single: dict[Changes, int] = {(c,): number for c, number in self.telling_changes().items()}
        best = self._likeliest_part(single, 0)
        if best:
            telling = self.telling_changes(best)
            pairs = {in_order((*best, change)): single[best] + number for change, number in telling.items()}
        else:
            both = combinations(_first(single, _PAIRED), 2)
            pairs = {in_order(a + b): single[a] + single[b] for a, b in both if a[0][0] is not b[0][0]}
        return self._likeliest_part(pairs, single.get(best, 0)) or best

    def _likeliest_part(self, gained: Mapping[Changes, int], least: int) -> Changes:
        """The set that gives most values, of the sets that pass :meth:`is_part` and give clearly more than
        ``least`` values. Of equals, the set with the fewest wrong values. Empty if no set passes.

        Args:
            gained: set of changes -> number of values that it gives.
        """
        more = {changes: number for changes, number in gained.items() if number >= least + _FEWEST_NEEDED}
        parts = [c for c in _first(more, _VERIFIED) if self.is_part(c, 2 * more[c])]
        best = [c for c in parts if more[c] == more[parts[0]]]
        return min(best, key=lambda changes: self.unmet(self.changed(changes)), default=())

    def is_part(self, changes: Changes, most: float = inf) -> bool:
        """Whether each of these changes is needed: added to the others, it gives many further values, most of
        the values that it changes become correct, and hardly any correct value is lost.

        A change that gives only one number does not pass if many unexplained values are this number too; see
        also :meth:`gives_one_number`.

        Args:
            most: upper limit of the number of values that the changes can give, for an early end.
        """
        for change in changes:
            with_it, without = self.changed(changes), self.changed(tuple(set(changes) - {change}))
            gained = vain = lost = 0
            numbers, left = Counter[float](), Counter[float]()
            for e in self.every:
                (cells, mean), (others, as_well) = e.given(with_it), e.given(without)
                if e.judge_cells:
                    gained, lost = gained + int((cells & ~others).sum()), lost + int((others & ~cells).sum())
                    vain += int((e.changed(with_it, without) & ~cells).sum())
                    numbers.update(e.observed.values[cells & ~others & e.predicts(without)].tolist())
                    left.update(e.observed.values[~cells].tolist())
                else:
                    gained, lost = gained + (mean and not as_well), lost + (as_well and not mean)
                    vain += not mean and e.changes_mean(with_it, without)
                if most < max(_MOSTLY * vain, _HARDLY * lost):
                    return False
            alike = sum(left[number] for number, times in numbers.items() if times == gained)
            enough = gained >= max(_FEWEST_NEEDED, _MOSTLY * vain, _HARDLY * lost, alike)
            if not enough or self.gives_one_number(with_it, without):
                return False
        return True

    def mostly_helps(self, with_it: Conventions, without: Conventions) -> bool:
        """Whether a change gives at least as many values as it changes in vain, and not only one number."""
        given = ((e.changed(with_it, without), e.given(with_it)[0]) for e in self.every if e.judge_cells)
        more = sum(int((of & cells).sum()) - int((of & ~cells).sum()) for of, cells in given)
        return more >= 0 and not self.gives_one_number(with_it, without)

    def gives_one_number(self, with_it: Conventions, without: Conventions) -> bool:
        """Whether a change gives only one number, such as the 0 of whatever finds nothing, and makes nearly
        all values this number, or several other values a number that they are not."""
        given, every, wrong = set[float](), Counter[float](), list[float]()
        for e in self.every:
            (cells, _), (others, _) = e.given(with_it), e.given(without)
            given.update(e.observed.values[cells & ~others & e.predicts(without)].tolist())
            wrong += e.values(with_it)[e.changed(with_it, without) & ~cells].tolist()
            every.update(e.values(with_it)[e.predicts(with_it)].tolist())
        alike = sum(every[number] for number in given)
        of_others = sum(number not in given for number in wrong)
        return len(given) == 1 and (of_others > 1 or alike >= _NEARLY_ALL * every.total())

    def unlikeliness(self, explanation: Explanation) -> int:
        """Sort key of explanations of equal size, likeliest first: the sum of the priorities of their axes.

        An axis that is doubtful on all differing queries gets a higher priority number. If no query differs,
        or only a mean is known, the queries that the explanation changes are considered instead.
        """
        differing = self.mismatching
        if not (self.judge_cells and differing.any()):
            base = self.situation.evaluated(self.situation.base)
            changed = self.situation.evaluated(explanation.conventions)
            differing = ~same_values(base.values, changed.values, self.evidence.slack)
        causes = [cause for cause, _ in explanation.changes]
        doubtful = (cause for cause in causes if cause.doubtful(self.situation)[differing].all())
        return sum(cause.priority for cause in causes) + sum(cause.doubt for cause in doubtful)

    def partial_of_size(self, size: int, agreeing: BoolArray) -> list[Explanation]:
        """Explanations with exactly ``size`` changed axes that give the values of at least two differing
        queries and of all ``agreeing`` queries."""
        if not (self.reachable & self.mismatching).any():
            return []
        every = (self.explanation(*changes) for changes in self._sets(size, self.shortlist.promising))
        kept = (e for e in every if e.reproduced[agreeing].all())
        kept = (e for e in kept if (e.reproduced & self.mismatching).sum() > 1)
        return [e for e in kept if not self.gives_one_number(e.conventions, self.situation.base)]


def single_changes(situation: Recomputer) -> Iterator[Conventions]:
    """Yield the conventions of ``situation`` with one axis changed, for every axis and value that can matter
    to the mean or to a query. The axis ``unit`` is left out, because it cannot be judged without values."""
    for axis in likeliest():
        if axis is not UNIT and axis.read_by(situation.family) and axis.gate(situation).any():
            changed = (situation.base.with_values(((axis, v),)) for v in axis.other_options(situation))
            yield from filter(situation.possible, changed)


def most_of(telling: Mapping[Change, int], size: int) -> list[Change]:
    """The changes that give most values: as many as make at most :data:`_MOST_SETS` sets of this size.

    Args:
        telling: change -> number of values that it gives.
    """
    most: list[Change] = []
    values: Counter[str] = Counter()
    for change in sorted(telling, key=lambda change: -telling[change]):
        values[change[0].name] += 1
        number = [1] + [0] * size  # of the sets of each size
        for of_axis in values.values():
            number = [1, *(more + of_axis * less for less, more in pairwise(number))]
        if number[size] > _MOST_SETS:
            break
        most.append(change)
    return most


def _first(gained: Mapping[Changes, int], most: int) -> list[Changes]:
    """The ``most`` sets of changes that give most values."""
    return sorted(gained, key=lambda changes: -gained[changes])[:most]


def fewest(changes: Mapping[str, _V], same: Callable[[dict[str, _V]], bool]) -> dict[str, _V]:
    """The changes that are needed: each change in turn is removed if ``same`` is true for the remaining
    changes."""
    left = dict(changes)
    for name in changes:
        rest = {other: value for other, value in left.items() if other != name}
        left = rest if same(rest) else left
    return left


#: Number of explanations of each measure that are tried on all measures.
_TRIED = 12

Axes: TypeAlias = dict[str, AxisValue]


#: The values of a tool for one measure, and the sets of changed axes that each explain all of them, likeliest
#: first. There are none if nothing explains them; a single empty set if the tool agrees with the reference.
Account: TypeAlias = tuple[Evidence, Sequence[Mapping[str, AxisValue]]]


def joint_conventions(accounts: Sequence[Account]) -> Axes:
    """The changed axes that reproduce most measures of a tool; empty if no change explains more measures than
    the reference's conventions.

    Explanations of single measures are combined step by step. Each step adds the explanation with which most
    measures are reproduced; of equals, the one with the fewest changes, then the first. Axes that no measure
    needs are left out.
    """
    proposals: list[Axes] = []
    for axes in (dict(axes) for _, explanations in accounts for axes in explanations[:_TRIED]):
        proposals += [axes] * (axes not in proposals)

    def held(axes: Axes) -> int:
        """The number of measures that these axes reproduce."""
        return sum(evidence.holds(evidence.under(axes)) for evidence, _ in accounts)

    chosen: Axes = {}
    while extended := [chosen | axes for axes in proposals if _compatible(chosen, axes)]:
        best = max(extended, key=lambda axes: (held(axes), -len(axes)))
        if held(best) <= held(chosen):
            break
        chosen = best
    most = held(chosen)
    return fewest(chosen, lambda axes: held(axes) == most)


def identify(answers: Sequence[tuple[Recomputer, MeasureValues]]) -> list[Conventions | None]:
    """For each measure of a tool, conventions that give its values (or its mean, if it has no values); None
    if no conventions are found.

    The conventions of the recomputer are tried first, then changes of one and of two axes. If a single mean
    is all that is known, many sets give it. So the set that reproduces most measures is used for all of
    these; every other measure gets its own likeliest set.

    Args:
        answers: (recomputer, the tool's values) for each measure.
    """
    accounts = [account(*answer) for answer in answers]
    joint = joint_conventions(accounts)
    conventions: list[Conventions | None] = []
    for (situation, values), (evidence, explanations) in zip(answers, accounts, strict=True):
        known = values.values.keys() <= set(situation.topics) and (values.values or values.mean is not None)
        sets = map(evidence.under, [joint, *explanations] if known else [])
        conventions.append(next(filter(evidence.holds, sets), None))
    return conventions


def account(situation: Recomputer, values: MeasureValues) -> Account:
    """A tool's values for one measure, and the explanations with at most two changed axes."""
    evidence = Evidence.of(situation, values, judge_mean=not values.values)
    return evidence, [explanation.axes for explanation in Search(evidence, situation.everywhere).smallest(2)]


def _compatible(chosen: Mapping[str, AxisValue], axes: Mapping[str, AxisValue]) -> bool:
    """Whether ``axes`` adds an axis to ``chosen`` and contradicts none of its values."""
    return bool(axes.keys() - chosen.keys()) and all(chosen.get(a, v) == v for a, v in axes.items())
