"""Claims about ranx, run for real: its numbers, its order of ties, and the loop that its bpref leaves."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence

import pytest

from crosscheck.backends import make
from crosscheck.backends.guarded import Guarded, guarded
from crosscheck.backends.native import native_values
from crosscheck.compare import differ
from crosscheck.conventions import conventions
from crosscheck.evaluation.rankings import Rankings
from crosscheck.formats.dicts import qrels_from_dict, run_from_dict
from crosscheck.model import MeasureValues
from crosscheck.names import parse_measure

pytestmark = pytest.mark.skipif(not make("ranx").describe().available, reason="ranx is not installed")

LEVELS = ((-1, 0, 0, 1, 2, 3), (0, 1), (1, 2), (0, 0, 0, 1), (-2, -1, 1, 0, 5))
MEASURES = [
    *("AP", "AP@5", "AP@30", "RR", "RR@5", "nDCG", "nDCG@5", "nDCG@50", "P@5", "P@30", "R@5", "Success@1"),
    *("nDCG(dcg='exp-log2')", "nDCG(dcg='exp-log2')@5", "Rprec", "bpref"),
    *("AP(rel=2)", "AP(rel=2)@5", "RR(rel=2)", "P(rel=2)@5", "R(rel=2)@5", "Success(rel=2)@1"),
    *("Rprec(rel=2)", "bpref(rel=2)"),
]


@pytest.fixture(scope="module")
def ranx() -> Iterator[Guarded]:
    """One child for all tests: it takes seconds to start, and most of a minute where nothing is compiled."""
    with guarded(make("ranx")) as backend:
        yield backend


def answers(
    backend: Guarded,
    qrels: Mapping[str, Mapping[str, int]],
    run: Mapping[str, Mapping[str, float]],
    names: Sequence[str],
) -> tuple[Rankings, dict[str, MeasureValues]]:
    rankings = Rankings(run_from_dict(run), qrels_from_dict(qrels))
    measures = [parse_measure(name) for name in names]
    found = backend.evaluate(rankings.pairing.qrels, rankings.pairing.run, measures)
    assert all(isinstance(outcome, MeasureValues) for outcome in found.values()), found
    return rankings, dict(zip(names, found.values(), strict=True))  # type: ignore[arg-type]


def drawn(rng: random.Random) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]]:
    """Lists of 1 to 1,000 documents: ties, in single precision or both, unjudged and negative levels."""
    qrels: dict[str, dict[str, int]] = {}
    run: dict[str, dict[str, float]] = {}
    for number in range(rng.choice((1, 3, 12, 25))):
        size = rng.choice((1, 2, 5, 14, 15, 16, 17, 30, 60, 200, 1000))
        docs = [f"d{i}" for i in range(size + 12)]
        rng.shuffle(docs)
        levels, scores, step = rng.choice(LEVELS), rng.choice((1, 2, 6, 1000)), rng.choice((1.0, 1e-9))
        qrels[f"q{number}"] = {d: rng.choice(levels) for d in rng.sample(docs, rng.randint(1, len(docs)))}
        run[f"q{number}"] = {d: 1 + step * rng.randint(1, scores) for d in docs[:size]}
    return qrels, run


@pytest.mark.parametrize("profile", ["ranx", "ranx-make-comparable"])
def test_native_measures_under_the_profile_are_ranx_s_to_the_bit(ranx, profile):
    """Every measure of the backend, on everything but the mean of bpref, which other queries disturb."""
    for seed in range(16):
        qrels, run = drawn(random.Random(seed))
        if profile == "ranx-make-comparable":
            qrels["missing"], run["unjudged"] = {"x": 1, "y": 0}, {"x": 1.0}
        rankings, found = answers(ranx, qrels, run, MEASURES)
        for name, theirs in found.items():
            ours = native_values(rankings, parse_measure(name), conventions(profile), profile)
            assert differ(ours, theirs, tolerance=0.0).match.all(), (seed, name)
            # numpy adds in pairs, so its mean over queries is not trec_eval's in the last bits.
            assert theirs.one_by_one or differ(ours, theirs, tolerance=1e-15).mean_match, (seed, name)
