"""Every pair of axis values is found again on a battery, by an oracle that evaluates all pairs."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator
from itertools import combinations

import numpy as np
import pytest

from crosscheck.axes import likeliest
from crosscheck.axes.forms import UNIT
from crosscheck.conventions import Conventions
from crosscheck.errors import CrosscheckError
from crosscheck.evaluation.rankings import Rankings
from crosscheck.evaluation.recomputer import Recomputer
from crosscheck.explain.evidence import Evidence
from crosscheck.explain.search import Search
from crosscheck.inputs.battery import battery
from crosscheck.model import Scores
from crosscheck.names import parse_measure

#: Measures whose axes are those of ranking, of gains, of denominators, and of judged documents.
MEASURES = ["P@5", "nDCG@10", "AP", "bpref"]
#: Pairs that are searched for, of the thousands that the oracle evaluates.
SEARCHED = 10

#: Axis names and values.
Changes = frozenset[tuple[str, object]]


def small_battery(name: str) -> Recomputer:
    """The input of a battery with most short queries."""
    measure = parse_measure(name)
    probe = next(battery(3, measure, together=True, means=True))
    return Recomputer(Rankings(probe.run, probe.qrels), measure, Conventions())


def changes_of(situation: Recomputer, most: int) -> Iterator[tuple[Changes, Conventions]]:
    """Every set of one to ``most`` changes of the axes that the measure reads."""
    axes = [axis for axis in likeliest() if axis.read_by(situation.family)]
    single = [(axis, value) for axis in axes for value in axis.other_options(situation)]
    for size in range(1, most + 1):
        for some in combinations(single, size):
            if len({axis.name for axis, _ in some}) == size:
                values = {axis.name: value for axis, value in some}
                yield frozenset(values.items()), Conventions().with_changes(**values)


def evaluated(situation: Recomputer, conventions: Conventions) -> Scores | None:
    """The values under conventions; None if they have none on this input."""
    try:
        return situation.evaluated(conventions) if situation.possible(conventions) else None
    except CrosscheckError:
        return None


def code(result: Scores) -> tuple[bytes, bytes, bytes]:
    """What tells two results apart: the values to nine digits, which are there, and the mean."""
    mean = np.round(np.array([np.nan if result.mean is None else result.mean]), 9)
    values = np.where(result.present, np.round(result.values, 9) + 0.0, 0.0)
    return values.tobytes(), result.present.tobytes(), mean.tobytes()


@pytest.mark.one_in(4)
@pytest.mark.parametrize("name", MEASURES)
def test_every_pair_is_found_again_with_all_that_do_the_same(name):
    """Of a pair whose values no single change gives, the search finds exactly the pairs with these values."""
    situation = small_battery(name)
    alike: dict[tuple[bytes, ...], set[Changes]] = defaultdict(set)
    results: dict[Changes, Scores] = {frozenset(): situation.evaluated(Conventions())}
    for changes, conventions in changes_of(situation, 2):
        result = evaluated(situation, conventions)
        if result is not None:
            alike[code(result)].add(changes)
            results[changes] = result
    alike[code(results[frozenset()])].add(frozenset())
    needed = [pairs for pairs in alike.values() if min(map(len, pairs)) == 2]
    percent = [pairs for pairs in needed if UNIT.name in {axis for pair in pairs for axis, _ in pair}]
    # A percentage is tried only where a value is above 1.
    percent = [pairs for pairs in percent if np.nanmax(results[min(pairs, key=sorted_text)].values) > 1]
    needed = [pairs for pairs in needed if UNIT.name not in {axis for pair in pairs for axis, _ in pair}]
    assert len(needed) > 200
    assert len(percent) > 20
    # 100 is the worth of a query in which nothing is relevant, if that is 1.
    hundred = [pairs for pairs in percent if {("unit", "percent"), ("no_relevant", "one")} in pairs]
    assert hundred
    rng = random.Random(name)
    for pairs in rng.sample(needed, SEARCHED) + rng.sample(percent, 2) + hundred[:1]:
        seen = results[min(pairs, key=sorted_text)]
        evidence = Evidence(situation, seen)
        differing = evidence.differing
        search = Search(evidence, differing if differing.any() else np.ones_like(differing))
        assert search.smallest(1) == []
        found = {frozenset(explanation.axes.items()) for explanation in search.complete_of_size(2)}
        assert found == pairs


def sorted_text(changes: Changes) -> list[str]:
    return sorted(map(str, changes))
