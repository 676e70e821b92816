"""A quick check, on a few simple queries, whether any set of changes can give the values at all."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, cast

import numpy as np
from msgspec.structs import replace

from crosscheck.axes.base import Axis, Stage
from crosscheck.axes.ids import IDS, Ids
from crosscheck.evaluation.formula import FORMULA
from crosscheck.evaluation.recomputer import Recomputer
from crosscheck.explain.screens import Shortlist, Tries, part_of, telling
from crosscheck.explain.space import Changes, Choices, Options, all_sets
from crosscheck.model import BoolArray, FloatArray, IntArray

#: Number of differing queries, and of agreeing ones, that are looked at together, and how many times.
_TOGETHER, _TIMES = 8, 4
#: Maximum number of sets of changes of the formula, and of documents in the rankings under all other changes.
_MOST_FORMULAS, _MOST_DOCUMENTS = 1000, 60_000
#: Number of sets after which no more are tried, all queries counted.
_ENOUGH = 150_000


def out_of_reach(
    choices: Choices, shortlist: Shortlist, situation: Recomputer, mismatching: BoolArray, values: FloatArray
) -> IntArray:
    """Queries whose values no set of changes, of any size, gives together; empty if no such queries are seen.

    Queries are taken one after another, first those that few axes can affect. On each query, the sets of
    changes that give the values of the queries before are tried.

    Args:
        mismatching: over all topics, whether the candidate differs from the reference.
        values: over all topics, the candidate's values.
    """
    axes = {cause: options for cause, options in choices.options if cause.stage is not Stage.SUMMARISE}
    left, number = Sets([()], [()], np.ones((1, 1), np.bool_)), 0
    tried, met = set[Axis[Any]](), list[int]()
    if FORMULA in axes:
        return np.zeros(0, np.int64)
    for queries in _simplest(axes, situation, shortlist.usable, mismatching, values):
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
            tries = Tries(list(map(choices.changed, sets.rest)), situation.measure)
            every = np.ones(len(sets.rest), np.bool_)  # what is tried with all formulas is found out once
            hits = [screen.hits_of_each(choices.changed(of), tries, every)[:, 0] for of in sets.formulas]
            left = sets.where(np.array(hits) & sets.left)
            met.append(query)
            if not left.formulas:
                return np.sort(np.array(met))
            tried.update(affected.pop(query))
    return np.zeros(0, np.int64)


def _simplest(
    axes: Mapping[Axis[Any], list[Any]],
    situation: Recomputer,
    usable: BoolArray,
    mismatching: BoolArray,
    values: FloatArray,
) -> Iterator[IntArray]:
    """Differing queries that few changes can affect, with agreeing queries that no others can."""
    gates = {cause: cause.gate(situation) for cause in axes}
    sets = sum(
        (gate * math.log(len(axes[cause]) + 1) for cause, gate in gates.items()), np.zeros(len(usable))
    )
    usable = usable & ~_may_meet(situation.topics)
    differing = np.flatnonzero(usable & mismatching)
    agreeing = usable & ~mismatching
    for place in range(0, min(len(differing), _TIMES * _TOGETHER), _TOGETHER):
        some = differing[np.argsort(sets[differing], kind="stable")[place : place + _TOGETHER]]
        others = [gate for gate in gates.values() if not gate[some].any()]
        alike = telling(np.flatnonzero(agreeing & ~np.any([mismatching, *others], axis=0)), values, _TOGETHER)
        agreeing[alike] = False
        yield np.sort(np.concatenate((some, alike)))


def _may_meet(topics: Sequence[bytes]) -> BoolArray:
    """Topics whose ids some rule makes equal to the id of another; its results count for them then."""
    forms = [[ids.of_query(topic) for topic in topics] for ids in Ids]
    numbers = list(map(Counter, forms))
    meet = [[number[form] > 1 for form in of] for of, number in zip(forms, numbers, strict=True)]
    return np.asarray(np.any(meet, axis=0))


def _affecting(
    part: Recomputer, axes: Mapping[Axis[Any], list[Any]], choices: Choices
) -> Iterator[list[Axis[Any]]]:
    """For each query of a part of the run, the axes that can affect it, alone or beside others that can."""
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
    """Sets of changes: of formula axes, each with changes of others.

    Attributes:
        left: mask of the sets that are not ruled out; shape (formulas, rest).
    """

    formulas: list[Changes]
    rest: list[Changes]
    left: BoolArray

    def number(self, axes: Options) -> int:
        """The number of sets with changes of further axes."""
        return self.left.size * math.prod(len(values) + 1 for _, values in axes)

    def fit(self, axes: Options, documents: int) -> bool:
        """Whether the sets with these axes are few enough to try on a query with this number of documents."""
        of_formula, others = (math.prod(len(values) + 1 for _, values in of) for of in _by_stage(axes))
        formulas, rest = len(self.formulas) * of_formula, len(self.rest) * others
        return formulas <= _MOST_FORMULAS and rest * (documents + 50) <= _MOST_DOCUMENTS

    def with_changes(self, axes: Options) -> Sets:
        """These sets, each with all sets of changes of further axes."""
        new = [list(all_sets(of)) for of in _by_stage(axes)]
        formulas, rest = (
            [(*changes, *more) for changes in of for more in added]
            for of, added in zip((self.formulas, self.rest), new, strict=True)
        )
        left = self.left.repeat(len(new[0]), axis=0).repeat(len(new[1]), axis=1)
        return Sets(formulas, rest, left)

    def where(self, left: BoolArray) -> Sets:
        """The sets under a mask."""
        rows, columns = np.flatnonzero(left.any(axis=1)), np.flatnonzero(left.any(axis=0))
        formulas = [self.formulas[i] for i in rows.tolist()]
        return Sets(formulas, [self.rest[i] for i in columns.tolist()], left[np.ix_(rows, columns)])


def _by_stage(axes: Options) -> tuple[Options, Options]:
    """The axes of the formula, and the others."""
    of_formula = [entry for entry in axes if entry[0].stage is Stage.FORMULA]
    return of_formula, [entry for entry in axes if entry[0].stage is not Stage.FORMULA]
