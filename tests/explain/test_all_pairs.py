"""Every pair of axis values is found again on a battery, by an oracle that evaluates all pairs."""

import random
from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress
from itertools import chain, combinations

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
SEARCHED = 4

#: Axis names and values.
Changes = frozenset[tuple[str, object]]


def small_battery(name: str) -> Recomputer:
    """The input of a battery with most short queries."""
    measure = parse_measure(name)
    probe = next(battery(3, measure, together=True, means=True))
    return Recomputer(Rankings(probe.run, probe.qrels), measure, Conventions())


def results_of(situation: Recomputer) -> Iterator[tuple[Changes, Scores]]:
    """The values under no change, and under every one and two changes of the axes that the measure reads."""
    axes = [axis for axis in likeliest() if axis.read_by(situation.family)]
    single = [(axis.name, value) for axis in axes for value in axis.other_options(situation)]
    for changes in chain([()], ((one,) for one in single), combinations(single, 2)):
        conventions = Conventions().with_changes(**dict(changes))
        with suppress(CrosscheckError):
            if len(dict(changes)) == len(changes) and situation.possible(conventions):
                yield frozenset(changes), situation.evaluated(conventions)


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
    results = dict(results_of(situation))
    alike: dict[tuple[bytes, ...], list[Changes]] = defaultdict(list)
    for changes, result in results.items():
        alike[code(result)].append(changes)
    needed = [pairs for pairs in alike.values() if min(map(len, pairs)) == 2]
    percent = [pairs for pairs in needed if UNIT.name in {axis for pair in pairs for axis, _ in pair}]
    needed = [pairs for pairs in needed if pairs not in percent]
    # A percentage is tried only where a value is above 1.
    percent = [pairs for pairs in percent if np.nanmax(results[pairs[0]].values) > 1]
    assert len(needed) > 200
    assert len(percent) > 20
    # 100 is the worth of a query in which nothing is relevant, if that is 1.
    hundred = [pairs for pairs in percent if {("unit", "percent"), ("no_relevant", "one")} in pairs]
    assert hundred
    rng = random.Random(name)
    for pairs in rng.sample(needed, SEARCHED) + rng.sample(percent, 2) + hundred[:1]:
        evidence = Evidence(situation, results[pairs[0]])
        differing = evidence.differing
        search = Search(evidence, differing if differing.any() else np.ones_like(differing))
        assert search.smallest(1) == []
        found = {frozenset(explanation.axes.items()) for explanation in search.complete_of_size(2)}
        assert found == set(pairs)
