"""A value and pair of values that is planted is found: named, or listed beside what does the same there."""

import random
from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from itertools import chain, combinations

import numpy as np
import pytest
from msgspec.structs import replace

from crosscheck.axes import axes, likeliest
from crosscheck.axes.forms import UNIT
from crosscheck.backends.native import native_values
from crosscheck.conventions import Conventions
from crosscheck.errors import CrosscheckError
from crosscheck.evaluation.rankings import Rankings
from crosscheck.evaluation.recomputer import Recomputer
from crosscheck.explain.evidence import Evidence
from crosscheck.explain.search import Search
from crosscheck.formats.dicts import qrels_from_dict, run_from_dict
from crosscheck.inputs.battery import battery
from crosscheck.model import Scores
from crosscheck.names import parse_measure
from tests.explain import test_diagnose
from tests.explain.test_decoys import collection
from tests.explain.test_diagnose import BASE, deep
from tests.explain.test_search import large
from tests.programs.real.runs import MADE, parts
from tests.support.kept import Kept, shown


def barren() -> Rankings:
    """Queries that all have relevant documents, a third of which rank none of them."""
    rankings = collection(5, (0, 0, 1, 2, 3), 0.6, 20, 10**6, queries=30)
    qrels, third = rankings.pairing.qrels, np.zeros(len(rankings.pairing.qrels.rels), np.bool_)
    for first, last in list(zip(qrels.offsets, qrels.offsets[1:], strict=False))[::3]:
        third[first:last] = [docno.startswith(b"d") for docno in qrels.docnos[first:last].tolist()]
    return Rankings(rankings.pairing.run, replace(qrels, rels=np.where(third, 0, qrels.rels)))


def binary() -> Rankings:
    """The same with one relevance level."""
    pairing = barren().pairing
    return Rankings(pairing.run, replace(pairing.qrels, rels=np.minimum(pairing.qrels.rels, 1)))


def subtopics(*, tied: bool) -> Rankings:
    """Thirty queries whose documents all have the same highest level, for one subtopic or another."""
    rng, run = random.Random(5), {}
    qrels: dict[str, dict[str, dict[str, int]]] = {f"{topic}": {s: {} for s in "stu"} for topic in range(30)}
    for topic, judged in qrels.items():
        docnos = [f"d{i}" for i in range(12)]
        for docno in docnos[:10]:
            first = rng.choice("stu")
            for s, levels in judged.items():
                levels[docno] = 2 if s == first else rng.choice([0, 1])
        run[topic] = {d: float(-(i // 2 if tied else i)) for i, d in enumerate(rng.sample(docnos, 12))}
    return Rankings(run_from_dict(run), qrels_from_dict(qrels, needs="subtopics"))


@cache
def rankings_of(name: str) -> Rankings:
    match name:
        case "rich":
            return collection(7, (0, 0, 1, 2, 3), 0.7, 16, 10**6, queries=30)
        case "pooled":
            return collection(7, (-1, 0, 0, 1, 2), 0.7, 16, 10**6, queries=30)
        case "tied":
            return deep(ties=True)
        case "large":
            return large(80, 200)
        case "third and tenth":
            run = {topic: {f"d{i:02}": 20.0 - i for i in range(1, 13)} for topic in "abcd"}
            return Rankings(run_from_dict(run), qrels_from_dict({t: {"d03": 1, "d10": 1} for t in "abcd"}))
        case "none from the fifth to the tenth":
            run = {topic: {f"d{i:02}": 20.0 - i for i in range(1, 13)} for topic in "abcdefgh"}
            relevant = [(1, 2, 11), (1, 10), (2, 10, 12), (3, 11), (4, 10), (1, 3, 4, 12), (2, 3, 10), (1, 4)]
            qrels = {t: {f"d{i:02}": 1 for i in of} for t, of in zip(run, relevant, strict=True)}
            return Rankings(run_from_dict(run), qrels_from_dict(qrels))
        case "barren" | "binary":
            return barren() if name == "barren" else binary()
        case _:
            return subtopics(tied=name == "subtopics, tied")


KEPT = Kept(__file__, within=(globals(), vars(test_diagnose)), show=shown)
AMONG = Kept(__file__, within=(globals(), vars(test_diagnose)), show=shown, part=".among")
test_a_planted_set_is_proved_but_for_its_rivals = KEPT.test()
test_a_planted_set_is_named_or_listed = AMONG.test(one_in=4)


@pytest.mark.parametrize("name", ["nDCG@10", "AP", "P@10", "RR", "bpref", "Rprec", "R@20", "ERR@10", "DCG@5"])
@pytest.mark.parametrize("rankings", [binary(), barren(), *dict(parts(*MADE)).values()])
def test_an_axis_whose_gate_is_closed_changes_nothing(rankings, name):
    """No value that would be tried gives another value: nothing stays unexplained by a gate."""
    situation = Recomputer(rankings, parse_measure(name), BASE)
    values = situation.evaluated(BASE).values
    for one in axes().values():
        if one.read_by(situation.family) and not np.any(one.gate(situation)):
            for value in one.other_options(situation):
                other = situation.evaluated(BASE.with_changes(**{one.name: value})).values
                assert np.allclose(other, values, rtol=0, atol=1e-9, equal_nan=True), (one.name, value)


#: Measures whose axes are those of ranking, of gains, of denominators, and of judged documents.
MEASURES = ["P@5", "nDCG@10", "AP", "bpref"]
#: Pairs that are searched for, of the thousands that the oracle evaluates.
SEARCHED = 4

#: Axis names and values.
Changes = frozenset[tuple[str, object]]


def test_a_change_is_found_that_only_a_run_without_differences_needs():
    """It keeps right what another change, which gives the values of the first run, makes wrong there."""
    measure, queries = parse_measure("Rprec"), "12345"
    planted = BASE.with_changes(unjudged="removed", negatives="nonrelevant")
    run, evidence = run_from_dict({query: {"a": 2.0, "b": 1.0} for query in queries}), list[Evidence]()
    for levels in ({"b": 1}, {"a": -1, "b": 1}):
        rankings = Rankings(run, qrels_from_dict(dict.fromkeys(queries, levels)))
        values = native_values(rankings, measure, planted, "tool")
        evidence.append(Evidence.of(Recomputer(rankings, measure, BASE), values))
    search = Search.among(evidence, frozenset())
    assert planted in [found.conventions for found in search.smallest(2)]


def small_battery(name: str) -> Recomputer:
    """The input of a battery with most short queries."""
    measure = parse_measure(name)
    probe = next(battery(3, measure, together=True, means=True))
    return Recomputer(Rankings(probe.run, probe.qrels), measure, Conventions())


def results_of(situation: Recomputer) -> Iterator[tuple[Changes, Scores]]:
    """The values under no change, and under every one and two changes of the axes that the measure reads."""
    axes = [axis for axis in likeliest() if axis.read_by(situation.family)]
    single = [(axis.name, value) for axis in axes for value in axis.other_options(situation)]
    for changes in chain([()], ((one,) for one in single), combinations(single, 2)):
        conventions = Conventions().with_changes(**dict(changes))
        with suppress(CrosscheckError):
            if len(dict(changes)) == len(changes) and situation.possible(conventions):
                yield frozenset(changes), situation.evaluated(conventions)


def code(result: Scores) -> tuple[bytes, bytes, bytes]:
    """What tells two results apart: the values to nine digits, which are there, and the mean."""
    mean = np.round(np.array([np.nan if result.mean is None else result.mean]), 9)
    values = np.where(result.present, np.round(result.values, 9) + 0.0, 0.0)
    return values.tobytes(), result.present.tobytes(), mean.tobytes()


@pytest.mark.one_in(4)
@pytest.mark.parametrize("name", MEASURES)
def test_every_pair_is_found_again_with_all_that_do_the_same(name):
    """Of a pair whose values no single change gives, the search finds exactly the pairs with these values."""
    situation = small_battery(name)
    results = dict(results_of(situation))
    alike: dict[tuple[bytes, ...], list[Changes]] = defaultdict(list)
    for changes, result in results.items():
        alike[code(result)].append(changes)
    needed = [pairs for pairs in alike.values() if min(map(len, pairs)) == 2]
    percent = [pairs for pairs in needed if UNIT.name in {axis for pair in pairs for axis, _ in pair}]
    needed = [pairs for pairs in needed if pairs not in percent]
    # A percentage is tried only where a value is above 1.
    percent = [pairs for pairs in percent if np.nanmax(results[pairs[0]].values) > 1]
    assert len(needed) > 200
    assert len(percent) > 20
    # 100 is the worth of a query in which nothing is relevant, if that is 1.
    hundred = [pairs for pairs in percent if {("unit", "percent"), ("no_relevant", "one")} in pairs]
    assert hundred
    rng = random.Random(name)
    for pairs in rng.sample(needed, SEARCHED) + rng.sample(percent, 2) + hundred[:1]:
        evidence = Evidence(situation, results[pairs[0]])
        differing = evidence.differing
        search = Search(evidence, differing if differing.any() else np.ones_like(differing))
        assert search.smallest(1) == []
        found = {frozenset(explanation.axes.items()) for explanation in search.complete_of_size(2)}
        assert found == set(pairs)
