"""Measures say which axes they read: found out by experiment, on many small inputs."""

import random
from collections.abc import Iterable
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pytest

from crosscheck.axes import axes
from crosscheck.axes.base import Axis, Stage
from crosscheck.axes.ids import DUPLICATES
from crosscheck.conventions import Conventions
from crosscheck.evaluation.rankings import Rankings
from crosscheck.evaluation.summarise import evaluate
from crosscheck.formats.dicts import qrels_from_dict, run_from_dict
from crosscheck.measures import Family, families
from tests.measures.every_order import measures_of
from tests.support.sampling import WHOLE

BASE = Conventions(duplicates="last")
EACH = pytest.mark.parametrize("about", families().values(), ids=families())


@cache
def inputs() -> list[Rankings]:
    """Few documents, with ties in either precision, negative levels, own ids and ids that meet."""
    rng, found = random.Random(0), []
    names = [*(f"d{i}" for i in range(8)), "D1", "1", "2"]
    for _ in range(30):
        judged = {t: {d: rng.choice([-1, 0, 0, 1, 2, 3]) for d in rng.sample(names, 8)} for t in "12"}
        scores = [-1.0, 0.0, 1.0, 1.00000001, 2.0]
        run = {t: {d: rng.choice(scores) for d in rng.sample(names, rng.randint(1, 10))} for t in "12"}
        for levels in judged.values():
            levels["d0"] = rng.choice([0, 1, 2])
        found.append(Rankings(run_from_dict(run), qrels_from_dict(judged)))
    return found


def changes(about: Family, one: Axis[Any], base: Conventions, given: Iterable[Rankings]) -> bool:
    """Whether any other value of an axis changes anything that is said of any of these inputs."""
    # These runs have no rank column, and no document twice.
    values = [value for value in one.values if value not in (one.default, "rank-column", None)]
    if one.numbers is not None:
        least = one.numbers.least
        values += [number for number in (0, 1, 2, 3) if least is None or number >= least]
    values = [] if one is DUPLICATES else values
    for rankings in given:
        for measure in measures_of(about):
            before = evaluate(rankings, measure, base)
            for value in values:
                after = evaluate(rankings, measure, base.with_changes(**{one.name: value}))
                same = [
                    np.array_equal(before.values, after.values, equal_nan=True),
                    np.array_equal(before.present, after.present),
                    np.array_equal([before.mean or 0.0], [after.mean or 0.0], equal_nan=True),
                ]
                if not all(same):
                    return True
    return False


@pytest.mark.one_in(8)
@EACH
def test_a_measure_reads_no_axis_that_it_does_not_name(about):
    """No value of any other axis changes anything."""
    for one in axes().values():
        if not one.read_by(about):
            assert not changes(about, one, BASE, inputs()[: None if WHOLE else 12]), one


@EACH
def test_a_formula_reads_each_axis_that_it_names(about):
    """Some input shows it, if need be beside another value of another axis that it names."""
    for one in about.reads:
        assert one.stage is Stage.FORMULA
        others = [BASE.with_changes(**{o.name: v}) for o in about.reads if o is not one for v in o.values]
        tried = product(inputs(), (BASE, *others))
        assert any(changes(about, one, base, [rankings]) for rankings, base in tried), one
