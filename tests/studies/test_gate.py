"""Claims about crosscheck.studies.gate: ties and missing queries cannot fool it, planted drops fail."""

import itertools
import random
import re
from typing import TypeAlias

import pytest

import crosscheck
from crosscheck.report import render
from crosscheck.studies.gate import gate
from tests.studies.examples import ranked

pytest.importorskip("scipy.stats", reason="scipy is not installed")

Qrels: TypeAlias = dict[str, dict[str, int]]
Run: TypeAlias = dict[str, dict[str, float]]


def collection(rng: random.Random, queries: int = 20, documents: int = 20) -> Qrels:
    """Levels 0 to 3 for every document."""
    return {f"q{i}": {f"d{j}": rng.choice((0, 0, 1, 3)) for j in range(documents)} for i in range(queries)}


def scored(rng: random.Random, qrels: Qrels, steps: int | None = None) -> Run:
    """Scores that follow the levels with much noise; in few steps, so that many are tied, if asked."""
    return {
        q: {d: round((level / 2 + rng.random()) * (steps or 1e6)) / 1.0 for d, level in row.items()}
        for q, row in qrels.items()
    }


def test_an_order_of_ties_never_fails():
    """Renamed, shuffled and resolved ties, the worst and the best order among them: never FAIL."""
    for seed in range(5):
        rng = random.Random(seed)
        qrels = collection(rng)
        old = scored(rng, qrels, steps=3)
        resolved = {q: {d: s + rng.random() / 4 for d, s in row.items()} for q, row in old.items()}
        worst = {q: {d: s - qrels[q][d] / 100 for d, s in row.items()} for q, row in old.items()}
        for new in (resolved, worst, dict(reversed(old.items()))):
            assert gate(qrels, old, new, ["nDCG@5", "P@5", "AP"]).verdict == "pass"
            assert gate(qrels, new, old, ["nDCG@5", "P@5", "AP"]).verdict != "fail"


def test_a_query_falls_only_if_each_order_of_its_ties_is_worse():
    """The difference beyond ties is that of the nearest two among all orders, written out."""
    rng = random.Random(5)
    qrels = collection(rng, queries=12, documents=5)
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


def test_a_planted_drop_fails_and_names_what_fell():
    """One relevant document pushed out of the first ten, another one gone."""
    rng = random.Random(1)
    qrels = collection(rng)
    old = scored(rng, qrels)
    best = {q: max(row, key=lambda d, row=row: row[d] + 1e9 * qrels[q][d]) for q, row in old.items()}  # type: ignore[misc]
    new = {q: {d: s for d, s in row.items() if d != best[q]} for q, row in old.items()}
    new["q0"] = {**old["q0"], best["q0"]: -1.0}
    document = gate(qrels, old, new, ["nDCG@10", "num_rel_ret"])
    assert document.verdict == "fail"
    (found, _) = document.measures
    fallen = {query.query: query.documents[0] for query in found.fallen}
    assert (fallen["q0"].docno, fallen["q0"].new_rank) == (best["q0"], 20)
    assert (fallen["q1"].docno, fallen["q1"].new_rank) == (best["q1"], None)
    kept = {"q": ranked("a", "b", "c")}, {"q": ranked("a", "c", "b")}
    (query,) = gate({"q": {"a": 1, "b": 1}}, *kept, ["AP"]).measures[0].fallen
    assert [document.docno for document in query.documents] == ["b"]
    assert gate(qrels, old, new, ["nDCG@10"], tolerance=1.0).verdict == "pass"


@pytest.mark.parametrize("steps", [None, 3])
def test_what_orders_the_fallen_queries_is_shown(steps):
    """The change beyond ties is a column where ties explain a part of a fall, and only there."""
    rng = random.Random(4)
    qrels = collection(rng)
    old, new = scored(rng, qrels), scored(rng, qrels, steps)
    told = render(
        gate(qrels, old, {q: {d: -s for d, s in row.items()} for q, row in new.items()}, ["AP"]), "text"
    )
    (heading,) = [line for line in told.splitlines() if "what fell" in line]
    assert heading.split() == f"query old new delta {'beyond ties ' * bool(steps)}what fell".split()


def test_two_runs_of_one_system_fail_at_most_at_the_rate_alpha():
    """60 pairs with exchangeable noise, two measures each, alpha = 0.2: at most 0.2 and 3 deviations."""
    rng, failed = random.Random(3), 0
    for _ in range(60):
        qrels = collection(rng, queries=6, documents=5)
        document = gate(qrels, scored(rng, qrels), scored(rng, qrels), ["nDCG@5", "RR"], test="t", alpha=0.2)
        failed += document.verdict == "fail"
    assert 1 < failed <= 0.2 * 60 + 3 * (60 * 0.2 * 0.8) ** 0.5
    assert gate(qrels, old := scored(rng, qrels), old).verdict == "pass"


def test_judged_queries_without_results_are_inconclusive():
    """In either run, however good the others are; with --allow-missing they count as 0."""
    rng = random.Random(2)
    qrels = collection(rng)
    old = scored(rng, qrels)
    part = {q: row for q, row in old.items() if q != "q7"}
    for one, other, gone in (
        (old, part, ([], ["q7"])),
        (part, old, (["q7"], [])),
        (old, {}, ([], sorted(qrels))),
    ):
        document = gate(qrels, one, other, ["nDCG@10"])
        assert document.verdict == "inconclusive"
        assert (document.old_missing, document.new_missing) == gone
        assert document.measures == []
    assert gate(qrels, old, part, ["nDCG@10"]).summary.endswith(". --allow-missing 1 counts it as 0.")
    assert "--allow" not in gate(qrels, old, {"x": {"a": 1.0}}, ["nDCG@10"]).summary
    allowed = gate(qrels, old, part, ["nDCG@10"], allow_missing=1)
    assert allowed.verdict == "pass"
    assert [query.query for query in allowed.measures[0].fallen] == ["q7"]
    assert gate(qrels, old, {}, allow_missing=20).verdict == "inconclusive"


def test_a_run_that_ties_everything_is_inconclusive():
    """Its order of ties could give any value, so it does not pass; the other way round it does."""
    rng = random.Random(4)
    qrels = collection(rng)
    old = scored(rng, qrels)
    flat = {q: dict.fromkeys(row, 1.0) for q, row in old.items()}
    assert gate(qrels, old, flat, ["nDCG@10"]).verdict == "inconclusive"
    assert gate(qrels, flat, old, ["nDCG@10"]).verdict == "pass"


def test_too_few_queries_for_any_significance_are_inconclusive():
    """A fall on all of five queries has a p-value of 0.0625; that is no pass."""
    qrels = {f"{i}": {"a": 1} for i in range(5)}
    old, new = ({q: ranked(*docnos) for q in qrels} for docnos in (("a", "b"), ("b", "a")))
    assert gate(qrels, old, new, ["RR"]).verdict == "inconclusive"
    assert gate(qrels, new, old, ["RR"]).verdict == "pass"
    assert gate(qrels, old, new, ["RR"], alpha=0.1).verdict == "fail"


def test_a_fall_is_significant_among_all_measures_that_were_asked():
    """Six falls of six have p = 0.031: enough alone, and not beside another measure (Holm)."""
    qrels: Qrels = {f"q{i}": {"a": 1} for i in range(6)}
    old: Run = {q: {"a": 2.0, "b": 1.0} for q in qrels}
    new: Run = {q: {"a": 1.0, "b": 2.0} for q in qrels}
    new["q0"]["c"] = 0.0
    assert gate(qrels, old, new, ["RR"], test="sign").verdict == "fail"
    both = gate(qrels, old, new, ["RR", "num_ret"], test="sign")
    assert [(found.verdict, found.p) for found in both.measures] == [("pass", 0.0625), ("pass", 1.0)]


def test_a_measure_whose_range_over_ties_is_unknown_does_not_fail_on_tied_runs():
    """G has no formula for the best and worst order: inconclusive where documents are tied, only there."""
    rng = random.Random(4)
    qrels = collection(rng)
    old: Run = {q: ranked(*sorted(row, key=lambda d, row=row: -row[d])) for q, row in qrels.items()}  # type: ignore[misc]
    new: Run = {q: {d: -score for d, score in row.items()} for q, row in old.items()}
    assert gate(qrels, old, new, ["G"]).verdict == "fail"
    tied: Run = {q: {**row, "d0": row["d1"]} for q, row in new.items()}
    document = gate(qrels, old, tied, ["G"])
    assert document.verdict == "inconclusive"
    assert "the best and the worst order of the tied documents are not known" in document.summary


def in_orders(orders: str) -> Run:
    """Queries 1, 2, ... with documents in these orders; those in brackets are tied."""
    return {
        f"{q}": dict.fromkeys(order.strip("()"), 1.0) if order[0] == "(" else ranked(*order)
        for q, order in enumerate(orders.split(), 1)
    }


COULD = "the order of tied documents could explain it"
#: The documents of each query in the old and in the new run, of which ``a`` is relevant, and the reason.
REASONS = [
    ("abc", "bac", "falls from 1.0000 to 0.5000, by 0.5.*, but 1 query is too few"),
    ("ab ab", "ba ba", "falls from 1.0000 to 0.5000, by 0.5.*, but 2 queries are too few"),
    ("bac", "abc", "rises from 0.5000 to 1.0000, by 0.5"),
    ("abc", "(abc)", "falls from 1.0000 to 0.3333; the order"),
    ("abc", "ab", "no value differs"),
    # What ties cannot explain falls where the value rises, and falls and rises cancel.
    (
        "abc (abc)",
        "ba abc",
        "rises from 0.6667 to 0.7500, but what the order .* cannot explain falls by 0.25",
    ),
    ("abc ba (abc)", "ba abc abc", f"rises from 0.6111 to 0.8333; {COULD}: the old run can"),
    ("abc ba", "ba abc", "stays at 0.7500$"),
    # One query rises beyond ties, two fall by what their order can explain.
    ("ba abc abc", "abc (abc) (abc)", f"falls from 0.8333 to 0.5556; {COULD}: the new run can have 0.5556"),
]


@pytest.mark.parametrize(("old", "new", "reason"), REASONS)
def test_a_reason_begins_with_the_change_of_the_mean(old, new, reason):
    """Whatever is left beyond ties: the table shows the same change."""
    qrels = {q: {"a": 1} for q in in_orders(old)}
    (found,) = gate(qrels, in_orders(old), in_orders(new), ["RR"], alpha=0.5).measures
    assert re.match(reason, found.reason), found.reason
