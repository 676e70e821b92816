"""Claims about ranx, run for real: its numbers, its order of ties, and the loop that its bpref leaves."""

import random
from itertools import product

import pytest

from crosscheck.backends import make
from crosscheck.backends.guarded import Guarded
from crosscheck.backends.native import native_values
from crosscheck.compare import differ
from crosscheck.conventions import conventions
from crosscheck.evaluation.rankings import Rankings
from crosscheck.formats.dicts import qrels_from_dict, run_from_dict
from crosscheck.model import MeasureValues
from crosscheck.names import parse_measures

pytestmark = pytest.mark.skipif(not make("ranx").describe().available, reason="ranx is not installed")

LEVELS = ((-1, 0, 0, 1, 2, 3), (0, 1), (1, 2), (0, 0, 0, 1), (-2, -1, 1, 0, 5))
MEASURES = [
    *("AP", "AP@5", "AP@30", "RR", "RR@5", "nDCG", "nDCG@5", "nDCG@50", "P@5", "P@30", "R@5", "Success@1"),
    *("nDCG(dcg='exp-log2')", "nDCG(dcg='exp-log2')@5", "Rprec", "bpref", "F1@5", "F1@30"),
    *("AP(rel=2)", "AP(rel=2)@5", "RR(rel=2)", "P(rel=2)@5", "R(rel=2)@5", "Success(rel=2)@1"),
    *("Rprec(rel=2)", "bpref(rel=2)", "F1(rel=2)@5"),
]


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


def test_native_measures_under_the_profile_are_ranx_s_to_the_bit():
    """Every measure of the backend, on everything but the mean of bpref, which other queries disturb."""
    with Guarded(make("ranx")) as ranx:
        for seed, profile in product(range(8), ("ranx", "ranx-make-comparable")):
            qrels, run = drawn(random.Random(seed))
            if profile == "ranx-make-comparable":
                qrels["missing"], run["unjudged"] = {"x": 1, "y": 0}, {"x": 1.0}
            rankings = Rankings(run_from_dict(run), qrels_from_dict(qrels))
            for measure, theirs in ranx.evaluate_rankings(rankings, parse_measures(MEASURES)).items():
                assert isinstance(theirs, MeasureValues), theirs
                ours = native_values(rankings, measure, conventions(profile), profile)
                assert differ(ours, theirs, tolerance=0.0).match.all(), (seed, measure)
                # numpy adds in pairs, so its mean over queries is not trec_eval's in the last bits.
                assert theirs.one_by_one or differ(ours, theirs, tolerance=1e-15).mean_match, (seed, measure)
