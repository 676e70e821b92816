"""Changes of conventions that give the values of a few queries, and so are worth trying on all queries.

All combinations of changes are tried on a few queries first (:class:`Screen`), in blocks: changes of formula
axes with each set of changes of other axes. A query on which a combination fails late is added to these
queries.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property, partial
from itertools import chain
from typing import NamedTuple

import numpy as np

from crosscheck.axes.base import Stage
from crosscheck.axes.ids import IDS, Ids
from crosscheck.axes.summaries import MISSING_QUERIES, NO_RELEVANT, ROUNDING
from crosscheck.conventions import Conventions
from crosscheck.hypotheses.changes import Change, Changes, Choices, products
from crosscheck.hypotheses.evidence import Evidence
from crosscheck.hypotheses.screening import Screen, Tries, same_values, telling, worth_of_empty
from crosscheck.model import BoolArray, IntArray
from crosscheck.rankings.memo import Memo

__all__ = ["Shortlist"]

#: Number of queries tried first: of those that differ, and of those that agree.
_DIFFERING, _AGREEING = 6, 3
#: Maximum number of screens with queries on which combinations failed late, and of queries of each.
_MORE_SCREENS, _LATE = 6, 2
#: From this number of changed axes on, not all combinations are tried.
_TOO_MANY = 4
#: Maximum number of combinations that fit some of the first queries and are verified on all queries.
_VERIFIED = 100


class Shortlist:
    """The sets of changes, of all axes but those of finished scores, that may give all or some of the values.

    Args:
        choices: the axes to change.
        evidence: the values to be explained.
        mismatching: queries on which the candidate differs from the reference, over all topics.
    """

    def __init__(self, choices: Choices, evidence: Evidence, mismatching: BoolArray) -> None:
        self._choices, self._mismatching = choices, mismatching
        self._situation, self._judge_cells = evidence.recomputer, evidence.judge_cells
        self._observed = observed = evidence.observed
        self._usable = self._situation.rankings.pairing.measured & observed.present
        if evidence.known is not None:
            self._usable &= evidence.known
        if MISSING_QUERIES.name in choices.open_axes:
            self._usable &= ~np.isnan(observed.values)  # these may be queries that found nothing
        self._loose = evidence.slack.copy()
        roundings = [
            int(str(v)) for c, values in choices.options if c is ROUNDING for v in values if v is not None
        ]
        if observed.decimals is not None:
            roundings.append(observed.decimals)
        if roundings:
            self._loose += 0.5000001 * 10.0 ** -min(roundings)
        self._empty_open = NO_RELEVANT.name in choices.open_axes
        self._more_screens: list[Screen] = []
        self._kept = Memo()

    def promising(self, size: int) -> list[Changes]:
        """Sets of changes of exactly ``size`` axes that give the values of at least two of the first
        differing queries, and of all first agreeing queries; sets that give most come first."""
        if size == 0:
            return [()]
        if size > 1 and not (self._mismatching & self._observed.present).any():
            return []  # No value is another one: which there are is said by axes on scores, and one beside.
        near = [(met, changes) for met, fair, changes in self._telling(size) if fair]
        return [changes for _, changes in sorted(near, key=lambda entry: -entry[0])[:_VERIFIED]]

    def passing(self, size: int) -> list[Changes]:
        """Sets of changes of exactly ``size`` axes that contradict no query, whatever the axes on finished
        scores are."""
        if size == 0:
            return [()]

        def find() -> list[Changes]:
            passing: list[Changes] = []
            for formula, rest, among in self._blocks(size):
                for screen in self.first_screens:
                    among = self._hits(screen, formula, rest, among).all(axis=1) & among
                passing += [formula + rest.changes[i] for i in np.flatnonzero(among).tolist()]
            combined = self._choices.as_combined(passing)
            self._situation.prepare(map(self._choices.changed, combined))
            return [changes for changes in combined if self._passes(changes)]

        return self._kept.once(("passing", size), find)

    def _telling(self, size: int) -> list[tuple[int, bool, Changes]]:
        """The sets of changes that give a differing query of the first screens, each after the number of such
        queries and after whether it gives at least two of them and all agreeing queries."""

        def find() -> list[tuple[int, bool, Changes]]:
            found: dict[frozenset[Change], tuple[int, bool]] = {}
            *differing, agreeing = self.first_screens
            for formula, rest, among in self._blocks(size):
                met = sum(self._hits(screen, formula, rest, among).sum(axis=1) for screen in differing)
                several = met > 1
                fair = self._hits(agreeing, formula, rest, several).all(axis=1) & several
                for i in np.flatnonzero(met).tolist():
                    found[frozenset(formula + rest.changes[i])] = int(met[i]), bool(fair[i])
            return [(*found[frozenset(changes)], changes) for changes in self._choices.as_combined(found)]

        return self._kept.once(("telling", size), find)

    def _hits(self, screen: Screen, formula: Changes, rest: _Beside, among: BoolArray) -> BoolArray:
        """Mask of the queries of a screen whose values changes of formula axes give with each set of other
        changes; shape (sets, queries)."""

        def find() -> BoolArray:
            return screen.hits_of_each(self._choices.changed(formula), rest.tries, among)

        # What is tried on one query is asked for again.
        return self._kept.once((screen, formula, rest.tries), find) if among.all() else find()

    def _blocks(self, size: int) -> Iterator[tuple[Changes, _Beside, BoolArray]]:
        """The changes of ``size`` axes to try on the screens: changes of formula axes, sets of other changes,
        and the mask of the sets to try with the former.

        There are too many sets of four changes to try all. Most axes leave some values unchanged, so three of
        four changes already give the value of some query, and only such sets are extended. Only formula axes
        can change all values, so sets of four of them are all tried.
        """
        if size < _TOO_MANY:
            for number in range(size + 1):
                rest = self._kept.once(("beside", number), partial(self._beside, number))
                for formula in self._choices.formula_sets(size - number):
                    yield formula, rest, np.ones(len(rest.changes), np.bool_)
            return
        likely = {frozenset(changes) for changes in self._choices.formula_sets(size)}
        for *_, part in self._telling(size - 1):
            axes = {cause for cause, _ in part}
            more = (c for c in self._choices.place if c[0] not in axes and c[0].stage is not Stage.SUMMARISE)
            likely |= {frozenset((*part, change)) for change in more}
        parts: dict[Changes, list[Changes]] = {}
        for changes in map(self._choices.arranged, likely):
            formula = tuple(change for change in changes if change[0].stage is Stage.FORMULA)
            parts.setdefault(formula, []).append(tuple(change for change in changes if change not in formula))
        rest = self._tries(list(dict.fromkeys(chain.from_iterable(parts.values()))))
        numbers = {changes: i for i, changes in enumerate(rest.changes)}
        for formula, others in parts.items():
            among = np.zeros(len(rest.changes), np.bool_)
            among[[numbers[changes] for changes in others]] = True
            yield formula, rest, among

    def _beside(self, number: int) -> _Beside:
        return self._tries(list(products(self._choices.on_others, number)))

    def _tries(self, changes: list[Changes]) -> _Beside:
        return _Beside(changes, Tries(list(map(self._choices.changed, changes)), self._situation.measure))

    def _passes(self, changes: Changes) -> bool:
        """Whether changes that fail on no query of the first screens fail on no query at all."""
        conventions, more = self._choices.changed(changes), self._more_screens
        if not all(screen.hits(conventions).all() for screen in more):
            return False
        failed = self._failing(conventions)
        if len(failed) and len(more) < _MORE_SCREENS:
            more.append(self._screen(telling(failed, self._observed.values, _LATE)))
        return not len(failed)

    def _failing(self, conventions: Conventions) -> IntArray:
        """Queries whose value these conventions do not give, whatever the axes on finished scores."""
        situation = self._situation
        result = situation.evaluated(conventions)
        same = same_values(result.values, self._observed.values, self._loose)
        failing = self._usable & result.present & ~same
        if self._empty_open and failing.any():
            failing &= ~(situation.empty(conventions) & worth_of_empty(self._observed.values, self._loose))
        return np.flatnonzero(failing)

    @cached_property
    def first_screens(self) -> list[Screen]:
        """Three screens: one differing query, on which most sets fail; other differing queries; agreeing
        queries. Empty if there is only a mean."""
        if not self._judge_cells:
            return []
        values = self._observed.values
        differing = telling(np.flatnonzero(self._usable & self._mismatching), values, _DIFFERING)
        agreeing = telling(np.flatnonzero(self._usable & ~self._mismatching), values, _AGREEING)
        one = telling(differing, values, 1)
        rankings = self._situation.rankings
        rankings.hold([rankings.pairing.all_topics[i] for i in (*differing.tolist(), *agreeing.tolist())])
        return [self._screen(queries) for queries in (one, differing[differing != one], agreeing)]

    def _screen(self, queries: IntArray) -> Screen:
        merging = self._situation.base[IDS] is not Ids.EXACT or IDS.name in self._choices.open_axes
        return Screen(
            self._situation,
            queries,
            self._observed.values[queries],
            self._loose[queries],
            empty_passes=self._empty_open,
            merging=merging,
        )


class _Beside(NamedTuple):
    """Sets of changes of axes other than formula axes, with the conventions to try."""

    changes: list[Changes]
    tries: Tries
