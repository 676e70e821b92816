"""Conventions that count as one are the same function on 3,000 short inputs and 3,000 long ones."""

import random
from collections.abc import Iterator
from functools import cache
from itertools import islice

import numpy as np
import pytest
from msgspec.structs import replace

from crosscheck.axes import likeliest
from crosscheck.conventions import Conventions
from crosscheck.errors import CrosscheckError
from crosscheck.evaluation.rankings import Rankings
from crosscheck.evaluation.recomputer import Recomputer
from crosscheck.explain.doubts import on_synthetic, same_everywhere
from crosscheck.inputs.queries import Line, Query, to_qrels, to_run
from crosscheck.names import parse_measure
from tests.support.kept import Kept, shown
from tests.support.oracle import changes_of

BASE = Conventions()
MEASURES = ("nDCG", "nDCG@3", "AP", "AP@2", "R@2", "P@2", "RR", "bpref", "Rprec", "Success@2", "ERR@3", "RBP")


def _queries(count: int, most: int) -> Iterator[Query]:
    """Queries of at most so many documents, with ties, judged or not, found or not."""
    rng = random.Random(20261123)
    for _ in range(count):
        docnos = [f"d{i}" for i in rng.sample(range(900), rng.randint(1, most))]
        levels = [(d, rng.choice((0, 0, 1, 2, 3))) for d in docnos if rng.random() < 0.7]
        scores = [rng.choice((float(rng.randint(0, most // 2)), rng.random())) for _ in docnos]
        unseen = [(f"u{i}", rng.choice((0, 1, 2, 3))) for i in range(rng.choice((0, 0, 1, most // 2)))]
        lines = (Line(d, rank, s) for rank, (d, s) in enumerate(zip(docnos, scores, strict=True), 1))
        yield Query((*levels, *unseen), tuple(lines))


@cache
def inputs() -> tuple[Rankings, ...]:
    """Short queries as one input, and long ones as another."""
    every = ({f"{i:05}": q for i, q in enumerate(_queries(3_000, most))} for most in (4, 60))
    return tuple(Rankings(to_run(queries), to_qrels(queries)) for queries in every)


def _told_apart(measure: str, one: Conventions, other: Conventions) -> bool:
    """Whether some input gives different values, or a value under one only."""
    for rankings in inputs():
        recomputer = Recomputer(rankings, parse_measure(measure), BASE)
        left, right = recomputer.evaluated(one), recomputer.evaluated(other)
        both = left.present & right.present
        if not np.array_equal(left.present, right.present):
            return True
        if not np.allclose(left.values[both], right.values[both], rtol=0, atol=1e-9, equal_nan=True):
            return True
    return False


@cache
def few_queries() -> tuple[Rankings, ...]:
    """500 inputs of up to three queries, of which some are not judged, or have no results."""
    rng, every = random.Random(20261129), _queries(1_500, 4)
    several = ([q for q in islice(every, 3) if rng.random() < 0.8] for _ in range(500))
    parts = (
        {f"{i}": q if rng.random() < 0.7 else replace(q, lines=()) for i, q in enumerate(of)}
        for of in several
    )
    return tuple(Rankings(to_run(queries), to_qrels(queries)) for queries in parts)


def _means_apart(measure: str, one: Conventions, other: Conventions) -> bool:
    """Whether the means over some input are different."""
    every = (Recomputer(rankings, parse_measure(measure), BASE) for rankings in few_queries())
    return any(r.evaluated(one).mean != pytest.approx(r.evaluated(other).mean, abs=1e-9) for r in every)


def twins(measure: str, one: str, other: str = "", *, means: bool = False) -> bool:
    """Whether two sets of conventions count as one, if values or only means are known; if so, no input tells
    them apart."""
    first, second = (BASE.with_changes(**changes_of(of)) for of in (one, other))
    alike = same_everywhere(on_synthetic(parse_measure(measure), BASE), first, second, means=means)
    assert not alike or not (_means_apart if means else _told_apart)(measure, first, second)
    return alike


KEPT = Kept(__file__, twins=twins, show=shown)
test_sets_of_conventions_that_are_one_function_and_others = KEPT.test()


@pytest.mark.parametrize("measure", MEASURES)
def test_no_input_tells_apart_what_counts_as_one(measure):
    """For every two changes of one axis that are taken for the same function."""
    synthetic = on_synthetic(parse_measure(measure), BASE)
    changes = [
        BASE.with_changes(**{axis.name: value})
        for axis in likeliest()
        if axis.read_by(synthetic.family) and axis.name != "duplicates"
        for value in axis.other_options(synthetic)
    ]
    kept: list[Conventions] = []
    for conventions in filter(synthetic.possible, changes):
        try:
            twin = next((one for one in (BASE, *kept) if same_everywhere(synthetic, one, conventions)), None)
        except CrosscheckError:
            continue
        if twin is None:
            kept.append(conventions)
        elif twin != BASE:
            assert not _told_apart(measure, twin, conventions), (twin, conventions)
