"""Tie-breaking without a named rule: said where an order of the tied documents gives the value, else never.

Every order is written out and measured by loops over the ranking, which share nothing with the search.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator
from itertools import groupby, islice, permutations, product

import numpy as np
import pytest

from crosscheck.backends.native import native_values
from crosscheck.compare import align
from crosscheck.conventions import Conventions, conventions
from crosscheck.evaluation.rankings import Rankings
from crosscheck.evaluation.recomputer import Recomputer
from crosscheck.explain.ties import TieOrders
from crosscheck.formats.dicts import qrels_from_dict, run_from_dict
from crosscheck.model import MeasureValues
from crosscheck.names import parse_measure
from crosscheck.results import Diagnosis
from tests.explain.test_diagnose import BASE, told

#: A level per retrieved document in rank order, None where unjudged; and the levels of all judged documents.
Ranking = tuple[int | None, ...]
Plain = Callable[[Ranking, list[int]], float]


def relevant(pool: list[int]) -> int:
    return sum(level >= 1 for level in pool)


def hits(ranking: Ranking) -> list[bool]:
    return [level is not None and level >= 1 for level in ranking]


def precision(k: int) -> Plain:
    return lambda ranking, pool: sum(hits(ranking)[:k]) / k


def recall(k: int) -> Plain:
    return lambda ranking, pool: sum(hits(ranking)[:k]) / relevant(pool) if relevant(pool) else 0.0


def success(k: int) -> Plain:
    return lambda ranking, pool: float(any(hits(ranking)[:k]))


def reciprocal_rank(ranking: Ranking, pool: list[int]) -> float:
    return next((1 / rank for rank, hit in enumerate(hits(ranking), 1) if hit), 0.0)


def average_precision(ranking: Ranking, pool: list[int]) -> float:
    ranks = [rank for rank, hit in enumerate(hits(ranking), 1) if hit]
    return sum(found / rank for found, rank in enumerate(ranks, 1)) / relevant(pool) if ranks else 0.0


def r_precision(ranking: Ranking, pool: list[int]) -> float:
    size = relevant(pool)
    return sum(hits(ranking)[:size]) / size if size else 0.0


def ndcg(k: int) -> Plain:
    def dcg(levels: list[int]) -> float:
        return sum(max(level, 0) / math.log2(rank + 1) for rank, level in enumerate(levels[:k], 1))

    def value(ranking: Ranking, pool: list[int]) -> float:
        ideal = dcg(sorted(pool, reverse=True))
        return dcg([level or 0 for level in ranking]) / ideal if ideal else 0.0

    return value


def bpref(ranking: Ranking, pool: list[int]) -> float:
    above, total, size = 0, 0.0, relevant(pool)
    bound = min(size, sum(level == 0 for level in pool))
    for level in ranking:
        if level == 0:
            above += 1
        elif level is not None and level >= 1:
            total += 1 - min(above, size) / bound if above else 1.0
    return total / size if size else 0.0


def interpolated(ranking: Ranking, pool: list[int]) -> float:
    """Highest precision from the rank on at which half of the relevant documents are found."""
    wanted, found, best = math.floor(0.5 * relevant(pool) + 0.9), 0, 0.0
    for rank, hit in enumerate(hits(ranking), 1):
        found += hit
        if found >= wanted:
            best = max(best, found / rank)
    return best


MEASURES: dict[str, Plain] = {
    "P@1": precision(1),
    "P@3": precision(3),
    "R@2": recall(2),
    "Success@2": success(2),
    "RR": reciprocal_rank,
    "AP": average_precision,
    "Rprec": r_precision,
    "nDCG@3": ndcg(3),
    "nDCG": ndcg(99),
    "bpref": bpref,
    "IPrec@0.5": interpolated,
}


SAID = "some order of the tied documents gives exactly this value"


class Case:
    """One query of up to eight documents, at most six of them tied, in groups."""

    def __init__(self, seed: int) -> None:
        rng = random.Random(seed)
        docnos = [f"d{i}" for i in range(10)]
        size = rng.randint(4, 8)
        self.qrels = {d: rng.choice([-1, 0, 0, 1, 1, 2]) for d in docnos if rng.random() < 0.7} | {"d9": 1}
        tied = rng.randint(3, min(size, 6))
        scores = [rng.choice([[5.0], [5.0, 4.0]])[-1] for _ in range(tied)]
        scores += [10.0 + i if rng.random() < 0.5 else -1.0 - i for i in range(size - tied)]
        self.run = dict(zip(rng.sample(docnos, size), scores, strict=True))
        self.rankings = Rankings(run_from_dict({"1": self.run}), qrels_from_dict({"1": self.qrels}))

    def orders(self) -> Iterator[Ranking]:
        """Every ranking that keeps the order of the scores."""
        by_score = sorted(self.run, key=lambda d: -self.run[d])
        groups = [list(same) for _, same in groupby(by_score, key=self.run.__getitem__)]
        for chosen in product(*(permutations(group) for group in groups)):
            yield tuple(self.qrels.get(d) for group in chosen for d in group)

    def values(self, measure: str) -> set[float]:
        pool = [level for level in self.qrels.values() if level >= 0]
        return {MEASURES[measure](order, pool) for order in set(self.orders())}


def given(rankings: Rankings, name: str, value: float, base: Conventions = BASE) -> bool | None:
    measure = parse_measure(name)
    observed = align(MeasureValues({b"1": value}, None, "tool"), rankings.pairing.all_topics)
    return TieOrders(Recomputer(rankings, measure, base), observed).give(0)


def diagnosis_of(
    rankings: Rankings, name: str, values: dict[bytes, float], decimals: int | None = None
) -> Diagnosis | None:
    diagnosed = told(rankings, parse_measure(name), MeasureValues(values, None, "tool", decimals=decimals))
    return diagnosed.diagnosis if diagnosed else None


@pytest.mark.parametrize("name", MEASURES)
def test_the_values_of_all_orders_are_met_and_no_others(name: str) -> None:
    """Over 30 queries: each value that an order gives is found, and none beside them, near or far."""
    rng = random.Random(name)
    open_ones = 0
    for seed in range(30):
        case = Case(seed)
        values = sorted(case.values(name))
        if len(values) == 1:
            continue
        open_ones += 1
        assert all(given(case.rankings, name, value) for value in values), seed
        others = [rng.random() for _ in range(5)] + [values[0] + 1e-6, (values[0] + values[1]) / 2, 0.123]
        for value in others:
            if all(abs(value - reached) > 1e-8 for reached in values):
                assert given(case.rankings, name, value) is False, (seed, value)
    assert open_ones > 4


@pytest.mark.parametrize("name", MEASURES)
def test_the_label_is_given_exactly_where_an_order_gives_the_value(name: str) -> None:
    """With no named rule tie-breaking is said of values that an order gives, and only of those."""
    rng = random.Random(name)
    said = 0
    for seed in range(15):
        case = Case(seed)
        values = sorted(case.values(name))
        for value in [rng.choice(values), rng.random(), round(rng.random(), 3), rng.randint(0, 12) / 12]:
            found = diagnosis_of(case.rankings, name, {b"1": value})
            if found is None or found.conventions:
                continue  # It agrees, or a set of conventions gives the value: another claim.
            reached = len(values) > 1 and any(abs(value - one) <= 1e-9 for one in values)
            expected = ("consistent", ["tie-breaking"]) if reached else ("none", ["unexplained"])
            assert (found.strength, found.causes) == expected, (seed, value)
            assert (SAID in found.explanation) == reached
            said += reached
    # The best and the worst order have names, and many measures have no third value here.
    assert said or name not in ("AP", "nDCG")


def test_orders_are_those_under_the_other_conventions_of_the_reference() -> None:
    """Under another level, gain and depth the values are those of native measures on every order."""
    for spec in ("relevance_level=2", "gain=exponential,ideal=retrieved", "depth=3", "unjudged=removed"):
        base = conventions(spec)
        for seed in range(6):
            case = Case(seed)
            for name in ("AP", "nDCG@3", "bpref", "P@3"):
                measure = parse_measure(name)
                by_score = sorted(case.run, key=lambda d: -case.run[d])
                groups = [list(same) for _, same in groupby(by_score, key=case.run.__getitem__)]
                values = set()
                for chosen in islice(product(*(permutations(group) for group in groups)), 60):
                    order = [d for group in chosen for d in group]
                    run = run_from_dict({"1": {d: 99.0 - i for i, d in enumerate(order)}})
                    ranked = Rankings(run, qrels_from_dict({"1": case.qrels}))
                    values |= set(native_values(ranked, measure, base, "native").values.values())
                if len(values) > 1:
                    missed = [v for v in values if not given(case.rankings, name, v, base)]
                    assert missed == [], (spec, name, seed)


def test_a_precision_that_no_document_gives_is_unexplained() -> None:
    """P@1 = 0.123 with three tied documents is no order of theirs."""
    rankings = Rankings(run_from_dict({"1": dict.fromkeys("abc", 1.0)}), qrels_from_dict({"1": {"a": 1}}))
    found = diagnosis_of(rankings, "P@1", {b"1": 0.123})
    assert found is not None
    assert (found.strength, found.causes) == ("none", ["unexplained"])
    assert "ties present" not in found.explanation


def large(documents: int) -> Rankings:
    """One query whose documents are all tied, a third of them relevant."""
    docnos = [f"d{i:03}" for i in range(documents)]
    qrels = {"1": {d: (i * 7) % 3 for i, d in enumerate(docnos)}}
    return Rankings(run_from_dict({"1": dict.fromkeys(docnos, 1.0)}), qrels_from_dict(qrels))


def test_too_many_orders_are_ties_present() -> None:
    """Sixty tied documents have more values of AP than can be tried: no label, but the word; P@20 has
    twenty-one, which can. A value below that of the worst order needs no trying."""
    rankings = large(60)
    assert [given(rankings, "AP", value) for value in (0.4321, 0.5432)] == [False, None]
    found = diagnosis_of(rankings, "AP", {b"1": 0.5432})
    assert found is not None
    assert (found.strength, found.causes) == ("none", ["unexplained"])
    assert "ties present" in found.explanation
    assert [given(rankings, "P@20", value) for value in (0.35, 0.36, 1.0)] == [True, False, True]
    assert [given(rankings, "Rprec", value) for value in (0.5, 0.51)] == [True, False]
    ranks = (1 / 7, 1 / 21, 1 / 22, 0.3)
    assert [given(rankings, "RR", value) for value in ranks] == [True, True, False, False]


def test_orders_that_are_not_known_are_ties_present() -> None:
    """Where an order can take the value away, or documents have subtopics, nothing is decided, and without
    ties nothing is present."""
    tied, apart = (
        {"1": dict(zip("abc", scores, strict=True))}
        for scores in (
            (1.0, 1.0, 1.0),
            (3.0, 2.0, 1.0),
        )
    )
    qrels = qrels_from_dict({"1": {"a": 1, "b": 0}})
    for name in ("Accuracy", "StRecall@1"):
        assert given(Rankings(run_from_dict(tied), qrels), name, 0.123) is None
        assert given(Rankings(run_from_dict(apart), qrels), name, 0.123) is False
    assert given(Rankings(run_from_dict(tied), qrels), "AP", 0.123, conventions("order=input")) is False
    for value, known in ((0.123, False), (0.456, None)):
        base = conventions("ids=case")
        assert given(Rankings(run_from_dict(tied), qrels), "AP", value, base) is known


def test_values_denser_than_the_printed_digits_are_ties_present() -> None:
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


def test_an_order_for_every_query_is_consistent_and_never_proved() -> None:
    """However many queries differ; the tied queries count as reproduced, and each has the label."""
    rankings, values = many(8)
    diagnosed = told(rankings, parse_measure("RR"), MeasureValues(values, None, "tool"))
    assert diagnosed is not None
    found = diagnosed.diagnosis
    assert (found.strength, found.causes, found.conventions) == ("consistent", ["tie-breaking"], {})
    assert (found.reproduced, found.of) == (8, 8)
    assert f"{SAID}, in each of 8 queries" in found.explanation
    assert set(map(tuple, diagnosed.labels.values())) == {("tie-breaking",)}


def test_a_query_that_no_order_meets_leaves_the_whole_unexplained() -> None:
    """The others keep their label as a pointer."""
    rankings, values = many(8)
    diagnosed = told(rankings, parse_measure("RR"), MeasureValues(values | {b"3": 0.4}, None, "tool"))
    assert diagnosed is not None
    assert "unexplained" in diagnosed.diagnosis.causes
    assert diagnosed.labels[b"3"] == ["unexplained"]
    assert diagnosed.diagnosis.strength != "consistent"
    assert diagnosed.diagnosis.reproduced == 7


def test_a_mean_that_does_not_follow_from_the_values_is_not_met_by_orders() -> None:
    """One query whose value an order gives, beside a mean that is not it, is unexplained."""
    qrels = {"1": {"b": 1}}
    rankings = Rankings(run_from_dict({"1": dict.fromkeys("abcde", 1.0)}), qrels_from_dict(qrels))
    for mean, strength in ((1 / 3, "consistent"), (0.34, "none")):
        diagnosed = told(rankings, parse_measure("RR"), MeasureValues({b"1": 1 / 3}, mean, "tool"))
        assert diagnosed is not None
        found = diagnosed.diagnosis
        assert (found.strength, "unexplained" in found.causes) == (strength, strength == "none")


def test_a_mean_alone_between_the_orders_of_ties_says_that_ties_are_present() -> None:
    """Nothing names them as the cause."""
    rankings, _ = many(3)
    diagnosed = told(rankings, parse_measure("RR"), MeasureValues({}, 0.4321, "tool"))
    assert diagnosed is not None
    found = diagnosed.diagnosis
    assert (found.strength, found.causes) == ("none", ["unexplained"])
    assert "ties present" in found.explanation


def test_without_ties_or_without_a_value_no_order_gives_anything() -> None:
    """A ranking without ties has one order, a query without judgements none."""
    apart = Rankings(run_from_dict({"1": {"a": 2.0, "b": 1.0}}), qrels_from_dict({"1": {"b": 1}}))
    assert given(apart, "RR", 1.0) is False
    situation = Recomputer(large(3), parse_measure("RR"), BASE)
    nothing = align(MeasureValues({}, None, "tool"), situation.rankings.pairing.all_topics)
    assert TieOrders(situation, nothing).give(0) is False
    assert np.isnan(nothing.values).all()
