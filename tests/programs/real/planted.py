"""Values planted under up to three axes on real runs: ``python -m tests.programs.real.planted`` tries many.

What is proved must be the planted set, but for axes that change nothing there, or the same in other words:
``depth=5`` is ``rr_cutoff=5`` to RR. Where it is consistent, such a set must be among the explanations that
are listed, unless fewer changes fit as well.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import combinations
from typing import NamedTuple

import numpy as np

from crosscheck.axes import axes
from crosscheck.axes.base import AxisValue
from crosscheck.backends.native import native_values
from crosscheck.compare import differ
from crosscheck.conventions import Conventions
from crosscheck.errors import CrosscheckError
from crosscheck.evaluation.rankings import Rankings
from crosscheck.evaluation.recomputer import Recomputer
from crosscheck.explain.diagnose import diagnose
from crosscheck.formats.dicts import qrels_from_dict, run_from_dict
from crosscheck.measures import family
from crosscheck.model import Measure
from crosscheck.names import parse_measure
from crosscheck.results import Diagnosis
from tests.programs.real.runs import MADE, PARTS, parts

__all__ = ["Planted", "planted"]

BASE = Conventions()
MEASURES = ("nDCG@10", "AP", "P@10", "R@20", "RR", "bpref", "Rprec", "nDCG", "AP@20", "Success@5", "ERR@10")
#: Fewer queries that differ say too little.
LEAST = 3


class Planted(NamedTuple):
    """One set of conventions that was planted, how many of its axes the values need, and what was found."""

    where: str
    measure: Measure
    changes: dict[str, AxisValue]
    needed: int
    found: Diagnosis
    seconds: float

    @property
    def wrong(self) -> bool:
        listed = [self.found.conventions, *(other.conventions for other in self.found.alternatives)]
        fitting = [c for c in listed if c and c.items() <= self.changes.items()]
        match self.found.strength:
            case "proved":
                return self.found.conventions not in fitting and not self._spelt_alike()
            case "consistent":
                return not fitting and len(self.found.conventions) >= self.needed
            case _:
                return True

    def _spelt_alike(self) -> bool:
        """Whether what was found is what was planted in other words, on many other queries."""
        situation = Recomputer(_of_all_kinds(), self.measure, BASE)
        changed = (BASE.with_changes(**c) for c in (self.found.conventions, self.changes))
        one, other = (situation.evaluated(c).values for c in changed)
        return bool(np.allclose(one, other, rtol=0, atol=1e-9, equal_nan=True))


def planted(name: str, rankings: Rankings, count: int, seed: int = 0) -> Iterator[Planted]:
    """Some sets on one run, drawn at random from all axes that can matter there."""
    rng = random.Random(f"{name} {seed}")
    while count > 0:
        measure = parse_measure(rng.choice(MEASURES))
        situation = Recomputer(rankings, measure, BASE)
        options = _options(situation)
        size = rng.randint(1, min(3, len(options)))
        changes = {axis: rng.choice(options[axis]) for axis in rng.sample(list(options), size)}
        found = _diagnosed(situation, changes)
        if found is not None:
            count -= 1
            yield Planted(name, measure, changes, _needed(situation, changes), *found)


@cache
def _of_all_kinds() -> Rankings:
    """Long and short lists, with many relevant documents and with few, much judged and little."""
    rng, names = random.Random(0), [f"d{i:03}" for i in range(300)]
    run, qrels = dict[str, dict[str, float]](), dict[str, dict[str, int]]()
    for query in map(str, range(600)):
        docnos = rng.sample(names, rng.choice([1, 2, 4, 9, 10, 11, 25, 60]))
        judged, relevant, top = rng.choice([0.2, 0.7, 1.0]), rng.choice([0.03, 0.2, 0.6]), rng.choice([1, 3])
        run[query] = {d: float(rng.randrange(rng.choice([3, 400]))) for d in docnos}
        qrels[query] = {
            d: rng.randint(1, top) if rng.random() < relevant else rng.choice([0, 0, 0, -1])
            for d in (*docnos, *rng.sample(names, 5))
            if rng.random() < judged
        } | {"must": 1}
    return Rankings(run_from_dict(run), qrels_from_dict(qrels))


def _options(situation: Recomputer) -> dict[str, list[AxisValue]]:
    return {
        axis.name: options
        for axis in axes().values()
        if axis.read_by(situation.family) and np.any(axis.gate(situation))
        if (options := axis.other_options(situation))
    }


def _needed(situation: Recomputer, changes: dict[str, AxisValue]) -> int:
    """The size of the smallest part of the changes that gives the same values."""
    target = situation.evaluated(BASE.with_changes(**changes))
    for size in range(len(changes)):
        for part in combinations(changes.items(), size):
            found = situation.evaluated(BASE.with_changes(**dict(part)))
            values = (found.values, target.values), ([found.mean or 0.0], [target.mean or 0.0])
            if all(np.allclose(*pair, rtol=0, atol=1e-9, equal_nan=True) for pair in values):
                return size
    return len(changes)


def _diagnosed(situation: Recomputer, changes: dict[str, AxisValue]) -> tuple[Diagnosis, float] | None:
    """The diagnosis of the values, and the seconds it took; None where too few queries differ."""
    rankings, measure = situation.rankings, situation.measure
    changed = BASE.with_changes(**changes)
    try:
        ours, theirs = (native_values(rankings, measure, c, "native") for c in (BASE, changed))
    except CrosscheckError:
        return None
    differences = differ(ours, theirs, aggregate=family(measure.family).aggregate)
    if int((~differences.match).sum()) < LEAST:
        return None
    begin = time.perf_counter()
    found = diagnose(situation, differences, theirs).diagnosis
    return found, time.perf_counter() - begin


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.programs.real.planted", description=__doc__)
    parser.add_argument("--each", type=int, default=20, metavar="N", help="sets on each part of a run")
    parser.add_argument("--seed", type=int, default=0, metavar="N")
    parser.add_argument("collections", nargs="*", choices=[*MADE, *PARTS, []], help="all by default")
    given = parser.parse_args()
    counted: Counter[str] = Counter()
    for name, rankings in parts(*given.collections):
        for found in planted(name, rankings, given.each, given.seed):
            counted[found.found.strength] += 1
            counted["wrong"] += found.wrong
            if found.wrong:
                print(f"wrong: {found.where} {found.measure}: {found.changes} is {found.found}", flush=True)
        print(f"{name}: {dict(counted)}", file=sys.stderr, flush=True)
    print(dict(counted))
    return int(counted["wrong"] > 0)


if __name__ == "__main__":
    sys.exit(main())
