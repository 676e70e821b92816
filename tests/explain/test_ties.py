"""Tie-breaking without a named rule: said where an order of the tied documents gives the value, else never.

Every order is written as a run without ties and measured as such, which shares nothing with the search.
"""

import random

import numpy as np
import pytest

from crosscheck.backends.native import native_values
from crosscheck.compare import align
from crosscheck.conventions import Conventions, conventions
from crosscheck.evaluation.rankings import Rankings
from crosscheck.evaluation.recomputer import Recomputer
from crosscheck.explain.ties import TieOrders
from crosscheck.formats.dicts import qrels_from_dict, run_from_dict
from crosscheck.measures import families
from crosscheck.model import MeasureValues
from crosscheck.names import parse_measure
from crosscheck.results import Diagnosis
from tests.explain.test_diagnose import BASE, explained
from tests.measures.every_order import measures_of, orders

#: The families whose orders are known, beside those over preferences: the order says nothing of a set.
KNOWN = {
    name: about
    for name, about in families().items()
    if about.ranked and about.needs == "levels" and not about.undefined_without_hits
}
SPECS = ("relevance_level=2", "gain=exponential,ideal=retrieved", "depth=3", "unjudged=removed")
SAID = "some order of the tied documents gives exactly this value"


@pytest.mark.one_in(8)
@pytest.mark.parametrize("about", KNOWN.values(), ids=KNOWN)
def test_the_values_of_all_orders_are_met_and_no_others(about):
    """Of every family, under other conventions too: values that an order gives are found, and none beside
    them, near or far."""
    rng, tied, met = random.Random(about.name), orders(1, subtopics=False), 0
    topics = tied.tied.pairing.all_topics
    for measure in measures_of(about)[:2]:
        for c in (BASE, conventions(rng.choice(SPECS))):
            situation = Recomputer(tied.tied, measure, c)
            for query, every in enumerate(tied.by_order(measure, c)):
                values = np.unique(np.round(every, 12)).tolist()
                if len(values) == 1 or np.isnan(every).any():
                    continue
                near = [values[0] + 1e-6, (values[0] + values[1]) / 2, rng.random()]
                for value in (*rng.sample(values, min(len(values), 3)), *near):
                    observed = align(MeasureValues({topics[query]: value}, None, "tool"), topics)
                    reached = min(abs(value - one) for one in values)
                    if reached < 1e-11 or reached > 1e-8:
                        given = TieOrders(situation, observed).give(query)
                        assert given is (reached < 1e-11), (measure, c, query, value)
                        met += bool(given)
    assert met > 4


def given(rankings: Rankings, name: str, value: float, base: Conventions = BASE) -> bool | None:
    measure = parse_measure(name)
    observed = align(MeasureValues({b"1": value}, None, "tool"), rankings.pairing.all_topics)
    return TieOrders(Recomputer(rankings, measure, base), observed).give(0)


def diagnosis_of(
    rankings: Rankings, name: str, values: dict[bytes, float], mean: float | None = None
) -> Diagnosis:
    return explained(rankings, parse_measure(name), MeasureValues(values, mean, "tool")).diagnosis


def test_a_precision_that_no_document_gives_is_unexplained():
    """P@1 = 0.123 with three tied documents is no order of theirs."""
    rankings = Rankings(run_from_dict({"1": dict.fromkeys("abc", 1.0)}), qrels_from_dict({"1": {"a": 1}}))
    found = diagnosis_of(rankings, "P@1", {b"1": 0.123})
    assert (found.strength, found.causes) == ("none", ["unexplained"])
    assert "ties present" not in found.explanation


def large(documents: int) -> Rankings:
    """One query whose documents are all tied, a third of them relevant."""
    docnos = [f"d{i:03}" for i in range(documents)]
    qrels = {"1": {d: (i * 7) % 3 for i, d in enumerate(docnos)}}
    return Rankings(run_from_dict({"1": dict.fromkeys(docnos, 1.0)}), qrels_from_dict(qrels))


def test_too_many_orders_are_ties_present():
    """Sixty tied documents have more values of AP than can be tried: no label, but the word; P@20 has
    twenty-one, which can. A value below that of the worst order needs no trying."""
    rankings = large(60)
    assert [given(rankings, "AP", value) for value in (0.4321, 0.5432)] == [False, None]
    found = diagnosis_of(rankings, "AP", {b"1": 0.5432})
    assert (found.strength, found.causes) == ("none", ["unexplained"])
    assert "ties present" in found.explanation
    assert [given(rankings, "P@20", value) for value in (0.35, 0.36, 1.0)] == [True, False, True]
    assert [given(rankings, "Rprec", value) for value in (0.5, 0.51)] == [True, False]
    ranks = (1 / 7, 1 / 21, 1 / 22, 0.3)
    assert [given(rankings, "RR", value) for value in ranks] == [True, True, False, False]


def test_orders_that_are_not_known_are_ties_present():
    """Where an order can take the value away, or documents have subtopics, nothing is decided, and without
    ties nothing is present."""
    tied, apart = (
        {"1": dict(zip("abc", scores, strict=True))} for scores in ((1.0, 1.0, 1.0), (3.0, 2.0, 1.0))
    )
    qrels = qrels_from_dict({"1": {"a": 1, "b": 0}})
    for name in ("Accuracy", "StRecall@1"):
        assert given(Rankings(run_from_dict(tied), qrels), name, 0.123) is None
        assert given(Rankings(run_from_dict(apart), qrels), name, 0.123) is False
    assert given(Rankings(run_from_dict(tied), qrels), "AP", 0.123, conventions("order=input")) is False
    for value, known in ((0.123, False), (0.456, None)):
        base = conventions("ids=case")
        assert given(Rankings(run_from_dict(tied), qrels), "AP", value, base) is known


def test_values_denser_than_the_printed_digits_are_ties_present():
    """To two decimals the orders of nine tied documents meet most numbers, to twelve only theirs."""
    rankings = large(9)
    situation = Recomputer(rankings, parse_measure("AP"), BASE)

    def printed(value: float, decimals: int) -> bool | None:
        observed = align(MeasureValues({b"1": value}, None, "tool", decimals), rankings.pairing.all_topics)
        return TieOrders(situation, observed).give(0)

    some = native_values(rankings, situation.measure, conventions("ties=input"), "tool").values[b"1"]
    assert printed(round(some, 2), 2) is None
    assert printed(round(some, 12), 12) is True


def many(queries: int) -> tuple[Rankings, dict[bytes, float]]:
    """Queries of five tied documents, one relevant; and RR under an order that no rule gives them all."""
    topics = [f"{i}" for i in range(queries)]
    qrels = {t: {"c": 1} for t in topics}
    rankings = Rankings(
        run_from_dict({t: dict.fromkeys("abcde", 1.0) for t in topics}), qrels_from_dict(qrels)
    )
    ranks = [(1, 2, 4, 5)[i % 4] for i in range(queries)]
    return rankings, {t.encode(): 1 / rank for t, rank in zip(topics, ranks, strict=True)}


def test_an_order_for_every_query_is_consistent_and_never_proved():
    """However many queries differ; the tied queries count as reproduced, and each has the label. A query that
    no order meets leaves the whole unexplained, and the others their label as a pointer."""
    rankings, values = many(8)
    diagnosed = explained(rankings, parse_measure("RR"), MeasureValues(values, None, "tool"))
    found = diagnosed.diagnosis
    assert (found.strength, found.causes, found.conventions) == ("consistent", ["tie-breaking"], {})
    assert (found.reproduced, found.of) == (8, 8)
    assert f"{SAID}, in each of 8 queries" in found.explanation
    assert set(map(tuple, diagnosed.labels.values())) == {("tie-breaking",)}
    diagnosed = explained(rankings, parse_measure("RR"), MeasureValues(values | {b"3": 0.4}, None, "tool"))
    assert "unexplained" in diagnosed.diagnosis.causes
    assert diagnosed.labels[b"3"] == ["unexplained"]
    assert diagnosed.diagnosis.strength != "consistent"
    assert diagnosed.diagnosis.reproduced == 7


def test_a_mean_that_does_not_follow_from_the_values_is_not_met_by_orders():
    """One query whose value an order gives, beside a mean that is not it, is unexplained."""
    qrels = {"1": {"b": 1}}
    rankings = Rankings(run_from_dict({"1": dict.fromkeys("abcde", 1.0)}), qrels_from_dict(qrels))
    for mean, strength in ((1 / 3, "consistent"), (0.34, "none")):
        found = diagnosis_of(rankings, "RR", {b"1": 1 / 3}, mean)
        assert (found.strength, "unexplained" in found.causes) == (strength, strength == "none")


def test_a_mean_alone_between_the_orders_of_ties_says_that_ties_are_present():
    """Nothing names them as the cause."""
    rankings, _ = many(3)
    found = diagnosis_of(rankings, "RR", {}, 0.4321)
    assert (found.strength, found.causes) == ("none", ["unexplained"])
    assert "ties present" in found.explanation


def test_without_ties_or_without_a_value_no_order_gives_anything():
    """A ranking without ties has one order, a query without judgements none."""
    apart = Rankings(run_from_dict({"1": {"a": 2.0, "b": 1.0}}), qrels_from_dict({"1": {"b": 1}}))
    assert given(apart, "RR", 1.0) is False
    situation = Recomputer(large(3), parse_measure("RR"), BASE)
    nothing = align(MeasureValues({}, None, "tool"), situation.rankings.pairing.all_topics)
    assert TieOrders(situation, nothing).give(0) is False
    assert np.isnan(nothing.values).all()
