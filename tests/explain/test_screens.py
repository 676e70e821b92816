"""The first queries on which combinations of conventions are tried."""

import random
from typing import Any

import numpy as np
import pytest

from crosscheck.axes import axes
from crosscheck.axes.base import Axis, Stage
from crosscheck.axes.judging import DEPTH, NEGATIVES
from crosscheck.axes.ties import TIES
from crosscheck.conventions import Conventions
from crosscheck.evaluation.recomputer import Recomputer
from crosscheck.explain.screens import Screen, Tries
from crosscheck.measures import families
from tests.measures.every_order import measures_of
from tests.measures.test_reads import inputs


def _random_sets(recomputer: Recomputer, number: int, rng: random.Random) -> list[Conventions]:
    """Sets of up to three changed axes under which the measure has a value."""
    usable = [axis for axis in axes().values() if axis.stage < Stage.SUMMARISE and axis.name != "duplicates"]
    found: list[Conventions] = []
    while len(found) < number:
        # Formulas read most axes under ties without an order.
        often: list[Axis[Any]] = rng.sample([TIES, DEPTH, NEGATIVES], 2)
        some = {*rng.sample(usable, rng.randint(0, 3)), *often}
        made = recomputer.base.with_changes(
            **{axis.name: rng.choice(_values(axis)) for axis in sorted(some, key=Axis.place)}
        )
        if recomputer.possible(made):
            found.append(made)
    return found


def _values(axis: Axis[Any]) -> list[str | int | None]:
    words = [str(value) for value in axis.values if value not in ("rank-column", None)]
    return [*words, *([1, 2, 3] if axis.numbers is not None else [])]


@pytest.mark.one_in(3)
@pytest.mark.parametrize("about", families().values(), ids=families())
def test_many_sets_at_once_hit_what_each_hits_alone(about):
    """Under the formula of any set; sets that are not tried, or have no value, hit nothing."""
    rng, hit = random.Random(about.name), 0
    for measure in measures_of(about):
        for rankings in inputs()[:2]:
            recomputer = Recomputer(rankings, measure, Conventions(duplicates="last"))
            sets = _random_sets(recomputer, 15, rng)
            queries = np.flatnonzero(rankings.pairing.measured)
            for expected in (recomputer.evaluated(conventions).values[queries] for conventions in sets[:2]):
                slack = np.full(len(queries), 1e-12)
                screen = Screen(recomputer, queries, expected, slack, empty_passes=False, merging=False)
                among = np.array([rng.random() < 0.8 for _ in sets])
                for formula in sets[:2]:
                    joined = [conventions.taking(Stage.FORMULA, formula) for conventions in sets]
                    tried = [
                        c for c, given in zip(joined, among, strict=True) if given and recomputer.possible(c)
                    ]
                    alone = {c: screen.hits(c).tolist() for c in tried}
                    together = screen.hits_of_each(formula, Tries(sets, measure), among).tolist()
                    nothing = [False] * len(queries)
                    assert together == [
                        alone.get(c, nothing) if a else nothing for c, a in zip(joined, among, strict=True)
                    ]
                    hit += int(any(map(any, together)))
    assert hit
