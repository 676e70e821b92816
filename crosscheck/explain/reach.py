"""A quick check, on a few simple queries, whether any set of changes of conventions can give the values."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias, cast

import numpy as np
from msgspec.structs import replace

from crosscheck.axes.base import Axis, Stage
from crosscheck.axes.ids import IDS, Ids
from crosscheck.evaluation.recomputer import Recomputer
from crosscheck.explain.screens import Shortlist, part_of, telling
from crosscheck.explain.space import Changes, Choices, Options, all_sets
from crosscheck.model import BoolArray, IntArray

#: Axis -> the values to try.
_Values: TypeAlias = Mapping[Axis[Any], list[Any]]

#: Number of differing queries, and of agreeing queries, in each group that is checked; maximum number of
#: groups.
_TOGETHER, _TIMES = 8, 4
#: Maximum number of sets of changes of the formula; maximum number of documents in the rankings under all
#: sets of other changes.
_MOST_FORMULAS, _MOST_DOCUMENTS = 1000, 60_000
#: Maximum number of sets that are tried, summed over all queries.
_ENOUGH = 150_000


def out_of_reach(
    shortlist: Shortlist, mismatching: BoolArray, given: Callable[[], bool] = lambda: False
) -> IntArray:
    """A few queries whose values no set of changes, of any size, gives together; empty if none are found.

    Queries are tried one after another; queries that few axes can affect come first. On each query, only the
    sets of changes that give the values of all queries before it are tried.

    Args:
        shortlist: the changes to try, and the candidate's values.
        mismatching: mask of the queries on which candidate and reference differ, over all topics.
        given: whether some set of changes is known to give all values; asked if the first queries do not show
            that none does.
    """
    choices, situation = shortlist.choices, shortlist.situation
    axes = {cause: options for cause, options in choices.options if cause.stage is not Stage.SUMMARISE}
    left, number = Sets(choices, [()], [()], np.ones((1, 1), np.bool_)), 0
    tried, met = set[Axis[Any]](), list[int]()
    for place, queries in enumerate(_simplest(axes, shortlist, mismatching)):
        if place == 1 and given():
            break
        part = Recomputer(part_of(situation.rankings, queries.tolist()), situation.measure, situation.base)
        affecting = zip(queries.tolist(), _affecting(part, axes, choices), strict=True)
        affected = {query: causes for query, causes in affecting if IDS not in causes}
        documents = dict(zip(queries.tolist(), part.judged.num_ret.tolist(), strict=True))
        while affected:
            new = {query: [(c, axes[c]) for c in of if c not in tried] for query, of in affected.items()}
            query = min(new, key=lambda q: (left.number(new[q]), not mismatching[q], documents[q]))
            number += left.number(new[query])
            if number > _ENOUGH or not left.fit(new[query], documents[query]):
                break
            screen = shortlist.screen(np.array([query]))
            sets = left.with_changes(new[query])
            tries = shortlist.tries(sets.rest)
            # All sets are tried with every formula, so that their rankings are computed once.
            hits = [screen.hits_of_each(choices.changed(of), tries)[:, 0] for of in sets.formulas]
            left = sets.where(np.array(hits) & sets.left)
            met.append(query)
            if not left.formulas:
                return np.sort(np.array(met))
            tried.update(affected.pop(query))
    return np.zeros(0, np.int64)


def _simplest(axes: _Values, shortlist: Shortlist, mismatching: BoolArray) -> Iterator[IntArray]:
    """Yield groups of differing queries that few axes can affect, each with agreeing queries that no other
    axes can affect."""
    gates = {cause: cause.gate(shortlist.situation) for cause in axes}
    sets = np.zeros(len(mismatching))
    for cause, gate in gates.items():
        sets += gate * math.log(len(axes[cause]) + 1)
    usable = shortlist.usable & ~_may_meet(shortlist.situation.topics)
    differing = np.flatnonzero(usable & mismatching)
    agreeing = usable & ~mismatching
    for place in range(0, min(len(differing), _TIMES * _TOGETHER), _TOGETHER):
        some = differing[np.argsort(sets[differing], kind="stable")[place : place + _TOGETHER]]
        others = [gate for gate in gates.values() if not gate[some].any()]
        alike = np.flatnonzero(agreeing & ~np.any([mismatching, *others], axis=0))
        alike = telling(alike, shortlist.observed.values, _TOGETHER)
        agreeing[alike] = False
        yield np.sort(np.concatenate((some, alike)))


def _may_meet(topics: Sequence[bytes]) -> BoolArray:
    """Mask of the topics whose ids become equal to another id under some value of ``ids``. Their values may
    then depend on the results of the other topic."""
    forms = [[ids.of_query(topic) for topic in topics] for ids in Ids]
    numbers = list(map(Counter, forms))
    meet = [[number[form] > 1 for form in of] for of, number in zip(forms, numbers, strict=True)]
    return np.asarray(np.any(meet, axis=0))


def _affecting(part: Recomputer, axes: _Values, choices: Choices) -> Iterator[list[Axis[Any]]]:
    """For each query of a part of the run, the axes that can affect the query, alone or after changes of
    other axes that can affect it."""
    affected = {cause: part.nowhere for cause in axes}  # noqa: C420 (each its own mask)
    sets = [cast(Changes, ())]
    for changes in sets:
        changed = replace(part, base=choices.changed(changes))
        for cause, mask in affected.items():
            new = cause.gate(changed)
            if new.any() and not mask.any():
                sets += [(*changes, (cause, value)) for value in axes[cause]]
            mask |= new
    return ([cause for cause in axes if affected[cause][i]] for i in range(len(part.topics)))


class Sets(NamedTuple):
    """Sets of changes, as all pairs of a set of changes of formula axes and a set of changes of other axes.

    Attributes:
        choices: the changes to try.
        formulas: sets of changes of formula axes; rest: sets of changes of other axes.
        left: mask of the pairs that are not ruled out; shape (formulas, rest).
    """

    choices: Choices
    formulas: list[Changes]
    rest: list[Changes]
    left: BoolArray

    def number(self, axes: Options) -> int:
        """The number of sets after all changes of further axes are added."""
        return self.left.size * math.prod(map(self.choices.number_of, _by_stage(axes)))

    def fit(self, axes: Options, documents: int) -> bool:
        """Whether the sets, with changes of these axes added, are few enough to be tried on a query with this
        number of documents."""
        of_formula, others = map(self.choices.number_of, _by_stage(axes))
        formulas, rest = len(self.formulas) * of_formula, len(self.rest) * others
        return formulas <= _MOST_FORMULAS and rest * (documents + 50) <= _MOST_DOCUMENTS

    def with_changes(self, axes: Options) -> Sets:
        """These sets, each extended by every set of changes of further axes."""
        new = [list(all_sets(of)) for of in _by_stage(axes)]
        formulas, rest = (
            [(*changes, *more) for changes in of for more in added]
            for of, added in zip((self.formulas, self.rest), new, strict=True)
        )
        left = self.left.repeat(len(new[0]), axis=0).repeat(len(new[1]), axis=1)
        able = [i for i, changes in enumerate(formulas) if not self.choices.idle(changes)]
        return self._replace(formulas=[formulas[i] for i in able], rest=rest, left=left[able])

    def where(self, left: BoolArray) -> Sets:
        """The sets that are left by this mask."""
        rows, columns = np.flatnonzero(left.any(axis=1)), np.flatnonzero(left.any(axis=0))
        formulas = [self.formulas[i] for i in rows.tolist()]
        rest = [self.rest[i] for i in columns.tolist()]
        return self._replace(formulas=formulas, rest=rest, left=left[np.ix_(rows, columns)])


def _by_stage(axes: Options) -> tuple[Options, Options]:
    """The formula axes among these, and all others."""
    of_formula = [entry for entry in axes if entry[0].stage is Stage.FORMULA]
    return of_formula, [entry for entry in axes if entry[0].stage is not Stage.FORMULA]
