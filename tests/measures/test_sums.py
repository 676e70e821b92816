"""Sums per topic round as they do when a loop adds one number after the other."""

from __future__ import annotations

import itertools
import operator

import numpy as np
import pytest

from crosscheck.conventions import Conventions
from crosscheck.evaluation.rankings import Rankings
from crosscheck.formats.dicts import qrels_from_dict, run_from_dict
from crosscheck.measures.base import running
from crosscheck.rankings.judged import JudgedRankings


def judged(topics: int) -> JudgedRankings:
    """Rankings of so many topics, of which only the number matters here."""
    names = [f"{i:04}" for i in range(topics)]
    run = run_from_dict({name: {"a": 1.0} for name in names})
    qrels = qrels_from_dict({name: {"a": 1} for name in names})
    return Rankings(run, qrels).judged(Conventions())


@pytest.mark.parametrize(
    "sizes", [[3000, 0, 1, 700], [3, 0, 1, 2, 5, 1] * 50, [0, 0], [1, 1], [60] * 40 + [900]]
)
def test_running_sums_are_those_of_a_loop(sizes: list[int]) -> None:
    """Bit for bit, for few long lists and many short ones, for topics without any and with one number."""
    rng = np.random.default_rng(len(sizes))
    topic = np.repeat(np.arange(len(sizes)), sizes)
    values = rng.random(len(topic)) / rng.integers(1, 9, len(topic))
    for function, plain in ((np.add, operator.add), (np.multiply, operator.mul)):
        expected = [
            total
            for number in range(len(sizes))
            for total in itertools.accumulate(values[topic == number].tolist(), plain)
        ]
        assert running(function, judged(len(sizes)), topic, values).tolist() == expected
