"""Tie-breaking without a named rule: said where an order of the tied documents gives the value, else never.

Every order is written as a run without ties and measured as such, which shares nothing with the search.
"""

import math
import random

import numpy as np
import pytest

from crosscheck.auditing.metric import Predictions
from crosscheck.axes.ties import TIES
from crosscheck.backends.native import Native, native_values
from crosscheck.compare import align
from crosscheck.conventions import Conventions, conventions
from crosscheck.evaluation.rankings import Rankings
from crosscheck.evaluation.recomputer import Recomputer
from crosscheck.explain.ties import TieOrders
from crosscheck.formats.dicts import qrels_from_dict, run_from_dict
from crosscheck.inputs.realistic import fresh_probes
from crosscheck.measures import families
from crosscheck.model import MeasureValues
from crosscheck.names import parse_measure
from tests.explain import test_diagnose
from tests.explain.test_diagnose import BASE, deep, one, told
from tests.measures.every_order import measures_of, orders
from tests.support.kept import Kept, shown

#: The families whose orders are known, beside those over preferences: the order says nothing of a set.
KNOWN = {
    name: about
    for name, about in families().items()
    if about.ranked and about.needs == "levels" and not about.undefined_without_hits
}
SPECS = ("relevance_level=2", "gain=exponential,ideal=retrieved", "depth=3", "unjudged=removed")


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


def meets(
    rankings: Rankings, name: str, value: float | None, base: str = "", decimals: int | None = None
) -> bool | None:
    """Whether an order of the tied documents of query 1 gives a value; None where that is not known."""
    measure, under = parse_measure(name), conventions(base) if base else BASE
    values = {} if value is None else {b"1": value}
    observed = align(MeasureValues(values, None, "tool", decimals), rankings.pairing.all_topics)
    return TieOrders(Recomputer(rankings, measure, under), observed).give(0)


def large(documents: int, queries: str = "1") -> Rankings:
    """Queries whose documents are all tied, a third of them not relevant."""
    judged = {f"d{i:03}": (i * 7) % 3 for i in range(documents)}
    run = dict.fromkeys(queries, dict.fromkeys(judged, 1.0))
    return Rankings(run_from_dict(run), qrels_from_dict(dict.fromkeys(queries, judged)))


def many(queries: int) -> Rankings:
    """Queries of five tied documents, of which one is relevant."""
    run = {f"{i}": dict.fromkeys("abcde", 1.0) for i in range(queries)}
    return Rankings(run_from_dict(run), qrels_from_dict({topic: {"c": 1} for topic in run}))


#: RR of these queries under an order that no rule gives them all.
RANKS = {f"{i}": 1 / (1, 2, 4, 5)[i % 4] for i in range(8)}
TIED, APART = (
    one({"a": 1, "b": 0}, dict.fromkeys("abc", 1.0)),
    one({"a": 1, "b": 0}, {"a": 3.0, "b": 2.0, "c": 1.0}),
)
#: AP of nine tied documents in input order.
SOME = native_values(large(9), parse_measure("AP"), conventions("ties=input"), "tool").values[b"1"]


@pytest.mark.one_in(4)
@pytest.mark.parametrize("name", ["IPrec@0.5", "infAP", "AP@3", "gm_map", "alpha_nDCG@5"])
@pytest.mark.parametrize("base", ["", "depth=4", "missing_queries=dropped-without-hits"])
def test_values_of_nothing_known_are_searched_without_a_crash(name, base):
    """Combinations of axes are tried, and those in which a tie rule means nothing are left out."""
    rankings, measure = deep(6, ties=True), parse_measure(name)
    under = Conventions(**dict([base.split("=")]) if base else {})
    values = {topic: 0.1234 + i / 100 for i, topic in enumerate(rankings.pairing.all_topics)}
    tool = MeasureValues(values, float(np.mean([*values.values()])), "tool")
    found = told(rankings, measure, tool, under)
    assert found is not None
    assert found.diagnosis.causes[-1] in ("unexplained", "tie-breaking")


def missing(name: str, base: Conventions) -> list[str]:
    """The rules without an order that are no options."""
    options = TIES.options(Recomputer(deep(6, ties=True), parse_measure(name), base))
    return [rule for rule in ("average", "best", "worst", "group-end") if rule not in options]


KEPT = Kept(__file__, within=(globals(), vars(test_diagnose)), Native=Native, show=shown)
test_what_orders_give_and_which_rules_are_refused = KEPT.test()


def test_an_audit_expects_nothing_of_a_refused_rule():
    """Such a set predicts no experiment, not even none at all, while the same rule alone does."""
    pool = Predictions(fresh_probes(0, 5, few=True)[:5], parse_measure("AP@5"))
    possible, refused = (Conventions(ties="average", unjudged="removed", depth=d) for d in (None, 3))
    assert (pool.codes(possible) > -math.inf).any()
    assert (pool.codes(refused) == -math.inf).all()
