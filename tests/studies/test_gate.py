"""An order of ties never fails a run, nor does noise more often than alpha; more is in test_outputs.py."""

import itertools
import random

import pytest

import crosscheck
from crosscheck.studies.gate import gate
from tests.studies.examples import Run, judged_all, ranked, scored

pytest.importorskip("scipy.stats", reason="scipy is not installed")


def test_an_order_of_ties_never_fails():
    """Shuffled and resolved ties pass. If they take the worst order, nothing is decided."""
    for seed in range(5):
        rng = random.Random(seed)
        qrels = judged_all(rng)
        old = scored(rng, qrels, steps=3)
        resolved = {q: {d: s + rng.random() / 4 for d, s in row.items()} for q, row in old.items()}
        worst = {q: {d: s - qrels[q][d] / 100 for d, s in row.items()} for q, row in old.items()}
        for new in (resolved, worst, dict(reversed(old.items()))):
            verdict = gate(qrels, old, new, ["nDCG@5", "P@5", "AP"]).verdict
            assert verdict == ("inconclusive" if new is worst else "pass")
            assert gate(qrels, new, old, ["nDCG@5", "P@5", "AP"]).verdict != "fail"


def test_a_query_falls_only_if_each_order_of_its_ties_is_worse():
    """The difference beyond ties is that of the nearest two among all orders, written out."""
    rng = random.Random(5)
    qrels = judged_all(rng, queries=12, documents=5)
    old: Run = {q: {d: 1.0 * level for d, level in row.items()} for q, row in qrels.items()}
    new = scored(rng, qrels, steps=4)

    def every_order(run: Run, query: str) -> list[float]:
        row = run[query]
        orders = (o for o in itertools.permutations(row) if list(o) == sorted(o, key=lambda d: -row[d]))
        return [crosscheck.evaluate(qrels, {query: ranked(*o)}, ["nDCG@3"])[query]["nDCG@3"] for o in orders]

    expected = {}
    for query in qrels:
        nearest = max(every_order(new, query)) - min(every_order(old, query))
        if nearest < -1e-12:
            expected[query] = nearest
    (found,) = gate(qrels, old, new, ["nDCG@3"]).measures
    assert expected
    assert {query.query: query.difference for query in found.fallen} == pytest.approx(expected)
    assert found.difference == pytest.approx(sum(expected.values()) / 12)


def test_two_runs_of_one_system_fail_at_most_at_the_rate_alpha():
    """60 pairs with exchangeable noise, two measures each, alpha = 0.2: at most 0.2 and 3 deviations."""
    rng, failed = random.Random(3), 0
    for _ in range(60):
        qrels = judged_all(rng, queries=6, documents=5)
        document = gate(qrels, scored(rng, qrels), scored(rng, qrels), ["nDCG@5", "RR"], test="t", alpha=0.2)
        failed += document.verdict == "fail"
    assert 1 < failed <= 0.2 * 60 + 3 * (60 * 0.2 * 0.8) ** 0.5
    assert gate(qrels, old := scored(rng, qrels), old).verdict == "pass"
