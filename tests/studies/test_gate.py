"""Claims about crosscheck.studies.gate: ties and missing queries cannot fool it, planted drops fail."""

from __future__ import annotations

import itertools
import random
from typing import TypeAlias

import pytest

import crosscheck
from crosscheck.errors import UsageError
from crosscheck.report import render
from crosscheck.studies.gate import GateDocument, gate
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


def verdict(document: GateDocument, measure: str) -> str:
    return next(found.verdict for found in document.measures if found.measure == measure)


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
            expected[query] = pytest.approx(nearest)
    (found,) = gate(qrels, old, new, ["nDCG@3"]).measures
    assert expected
    assert {query.query: query.difference for query in found.fallen} == expected


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
    assert fallen["q0"].docno == best["q0"]
    assert fallen["q0"].new_rank == 20
    assert fallen["q1"].docno == best["q1"]
    assert fallen["q1"].new_rank is None
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


def test_bad_levels_and_tests_are_refused():
    """Each with a sentence."""
    for wrong in ({"alpha": 2.0}, {"tolerance": -1.0}, {"allow_missing": -1}, {"test": "tt"}):
        with pytest.raises(UsageError):
            gate({"1": {"a": 1}}, {"1": {"a": 1.0}}, {"1": {"a": 1.0}}, **wrong)  # type: ignore[arg-type]


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
    old: Run = {
        q: {d: 100.0 * level - i for i, (d, level) in enumerate(row.items())} for q, row in qrels.items()
    }
    new: Run = {q: {d: -score for d, score in row.items()} for q, row in old.items()}
    assert verdict(gate(qrels, old, new, ["G"]), "G") == "fail"
    tied: Run = {q: {**row, "d0": row["d1"]} for q, row in new.items()}
    document = gate(qrels, old, tied, ["G"])
    assert verdict(document, "G") == "inconclusive"
    assert "the best and the worst order of the tied documents are not known" in document.summary


def test_the_reason_for_too_few_queries_agrees_in_number():
    """One query is too few, two are."""
    for names, said in ((["1"], "1 query is too few"), (["1", "2"], "2 queries are too few")):
        qrels = {q: {"a": 1, "b": 0} for q in names}
        old, new = ({q: {"a": a, "b": 1.0} for q in names} for a in (2.0, 0.0))
        (measure,) = gate(qrels, old, new, ["RR"]).measures
        assert said in measure.reason


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            {"a": 3.0, "b": 2.0, "c": 1.0},
            {"a": 2.0, "b": 3.0, "c": 1.0},
            "falls from 1.0000 to 0.5000, by 0.5",
        ),
        (
            {"a": 2.0, "b": 3.0, "c": 1.0},
            {"a": 3.0, "b": 2.0, "c": 1.0},
            "rises from 0.5000 to 1.0000, by 0.5",
        ),
        (
            {"a": 3.0, "b": 2.0, "c": 1.0},
            {"a": 1.0, "b": 1.0, "c": 1.0},
            "falls from 1.0000 to 0.3333; the order",
        ),
        ({"a": 3.0, "b": 2.0, "c": 1.0}, {"a": 3.0, "b": 2.0}, "no value differs"),
    ],
)
def test_a_reason_begins_with_the_change_of_the_mean(old, new, said):
    """Whatever is left beyond ties: the table shows the same change."""
    (found,) = gate({"1": {"a": 1}}, {"1": old}, {"1": new}, ["RR"]).measures
    assert found.reason.startswith(said)


def test_what_ties_cannot_explain_is_said_beside_a_value_that_rises():
    """Where it falls, and where its falls and rises cancel."""
    qrels = {q: {"a": 1} for q in "1234567"}
    first, second = {"a": 3.0, "b": 2.0, "c": 1.0}, {"b": 2.0, "a": 1.0}
    tied = {"a": 1.0, "b": 1.0, "c": 1.0}
    old = dict.fromkeys(qrels, tied) | {"1": first, "2": second}
    new = dict.fromkeys(qrels, first) | {"1": second}
    for queries, said in (
        (
            "13",
            "rises from 0.6667 to 0.7500, but what the order of tied documents cannot explain falls by 0.25",
        ),
        ("123", "rises from 0.6111 to 0.8333; the order of tied documents could explain it: the old run can"),
        ("12", "stays at 0.7500"),
    ):
        part = [{q: of[q] for q in queries} for of in (qrels, old, new)]
        (found,) = gate(*part, ["RR"], alpha=0.5).measures  # type: ignore[arg-type]
        assert found.reason.startswith(said)


def test_a_fall_is_not_said_to_rise_because_ties_could_explain_it():
    """One query rises beyond ties, two fall by what their order can explain."""
    qrels = {q: {"a": 1} for q in "123"}
    first, tied = {"a": 3.0, "b": 2.0, "c": 1.0}, {"a": 1.0, "b": 1.0, "c": 1.0}
    old = {"1": {"b": 2.0, "a": 1.0}, "2": first, "3": first}
    document = gate(qrels, old, {"1": first, "2": tied, "3": tied}, ["RR"])
    assert "rises" not in document.summary
    assert document.measures[0].difference == pytest.approx(0.5 / 3)
    said = "falls from 0.8333 to 0.5556; the order of tied documents could explain it: the new run can have"
    assert document.measures[0].reason == f"{said} 0.5556 to 1.0000"
