"""The tie rules that make no order, against every order of the tied documents written out as a run."""

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from crosscheck.axes import axis
from crosscheck.axes.ties import WITHOUT_ORDER, Ties
from crosscheck.conventions import Conventions, conventions
from crosscheck.errors import UsageError
from crosscheck.evaluation.formula import with_measure_parameters
from crosscheck.evaluation.rankings import Rankings
from crosscheck.evaluation.summarise import evaluate
from crosscheck.formats.dicts import qrels_from_dict, run_from_dict
from crosscheck.measures import families
from crosscheck.measures.tied import refusal
from crosscheck.model import FloatArray, Measure
from crosscheck.names import parse_measure
from tests.measures.every_order import Orders, measures_of, orders, orders_of_lines, settings_of
from tests.support.kept import examples

EACH = pytest.mark.parametrize("about", families().values(), ids=families())
OF_ALL_ORDERS: dict[Ties, Callable[[FloatArray], Any]] = {
    Ties.AVERAGE: np.mean,
    Ties.BEST: np.max,
    Ties.WORST: np.min,
}


def value(qrels: dict[str, int], scores: dict[str, float], name: str, spec: str = "") -> float:
    rankings = Rankings(run_from_dict({"1": scores}), qrels_from_dict({"1": qrels}))
    used = conventions(spec) if spec else Conventions()
    return float(evaluate(rankings, parse_measure(name), used).values[0])


def refused(measure: Measure, conventions: Conventions) -> bool:
    return refusal(measure, with_measure_parameters(conventions, measure)) is not None


@pytest.mark.one_in(4)
@EACH
def test_a_rule_is_what_every_order_says_or_it_is_refused(about):
    """``average`` is the mean, ``best`` and ``worst`` are the extremes, under every value of every axis that
    the family reads and under pairs of them."""
    runs = orders(3, subtopics=about.needs in ("subtopics", "groups"))
    for measure in measures_of(about):
        for setting in settings_of(about):
            compare_with_every_order(runs, measure, setting)


#: How documents on several lines are read; more are where letter case does not count.
READ: list[dict[str, Any]] = [
    {"duplicates": rule, "ids": ids} for rule in ("each", "first", "last") for ids in ("exact", "case")
]


@EACH
def test_documents_on_several_lines_are_tied_as_they_are_read(about):
    """Every order of the lines, under every reading of them, and with the settings that cut lists."""
    runs = orders_of_lines(5, subtopics=about.needs in ("subtopics", "groups"))
    for measure in measures_of(about):
        for read in READ:
            for setting in ({}, {"depth": 3}, {"unjudged": "removed"}):
                axes = [axis(name) for name in setting]
                if all(one.read_by(about) for one in axes):
                    compare_with_every_order(runs, measure, {**read, **setting})


def compare_with_every_order(runs: Orders, measure: Measure, setting: dict[str, Any]) -> None:
    base = Conventions(duplicates="last").with_changes(**setting)
    rules = [rule for rule in OF_ALL_ORDERS if not refused(measure, base.with_changes(ties=rule))]
    by_order = runs.by_order(measure, base) if rules else []
    for rule in rules:
        # What is rounded is the mean, not the values of the orders.
        if rule is Ties.AVERAGE and not setting.keys().isdisjoint(("rounding", "result_precision")):
            continue
        with np.errstate(invalid="ignore"):
            expected = [OF_ALL_ORDERS[rule](values) for values in by_order]
        found = evaluate(runs.tied, measure, base.with_changes(ties=rule)).values
        told = f"{measure} under {setting} and {rule}"
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12, err_msg=told)


@pytest.mark.one_in(3)
@EACH
def test_without_ties_every_rule_gives_the_same(about):
    """Under every value of every axis; what is refused is refused on these runs as well."""
    runs = orders(3, subtopics=about.needs in ("subtopics", "groups"))
    for measure in measures_of(about):
        for setting in [*settings_of(about), {"order": "input"}]:
            base = Conventions(duplicates="last").with_changes(**setting)
            whole = evaluate(runs.untied, measure, base)
            for rule in WITHOUT_ORDER:
                under = base.with_changes(ties=rule)
                if refused(measure, under):
                    with pytest.raises(UsageError, match="cannot be computed under ties="):
                        evaluate(runs.untied, measure, under)
                    continue
                found = evaluate(runs.untied, measure, under)
                told = f"{measure} under {setting} and {rule}"
                tolerance = 1e-12 if rule in (Ties.AVERAGE, Ties.GROUP_END) else 0.0
                np.testing.assert_allclose(found.values, whole.values, tolerance, tolerance, err_msg=told)
                np.testing.assert_array_equal(found.present, whole.present, err_msg=told)


def lacking(rule: str) -> str:
    """The families that a rule is refused for whatever the other conventions."""
    under = Conventions(ties=rule)
    return ", ".join(sorted(name for name, of in families().items() if refused(measures_of(of)[0], under)))


#: Also on a run without ties: never replaced by some order. Documents that are appended are tied with each
#: other.
test_a_refusal_says_what_and_what_instead = examples(globals())


@pytest.mark.parametrize(
    "name", ["P@50", "AP", "AP@50", "RR", "ERR", "infAP", "bpref", "Compat", "binG", "StRecall@9"]
)
def test_expected_values_of_large_groups_are_those_of_many_drawn_orders(name):
    """200 tied documents of every level: within five standard errors of the mean of 1,000 drawn orders."""
    rng = random.Random(name)
    docs = [f"d{i:03d}" for i in range(200)]
    qrels = {doc: rng.choice((-1, 0, 0, 1, 2, 3)) for doc in docs if rng.random() < 0.6}
    tied = Rankings(run_from_dict({"1": dict.fromkeys(docs, 1.0)}), qrels_from_dict({"1": qrels}))
    found = float(evaluate(tied, parse_measure(name), Conventions(ties="average")).values[0])
    runs = {}
    for number in range(1000):
        order = rng.sample(docs, len(docs))
        runs[f"{number:04d}"] = {doc: float(-i) for i, doc in enumerate(order)}
    each = Rankings(run_from_dict(runs), qrels_from_dict(dict.fromkeys(runs, qrels)))
    values = evaluate(each, parse_measure(name), Conventions()).values
    assert abs(found - np.mean(values)) < 5 * np.std(values) / len(values) ** 0.5 + 1e-9


@given(levels=st.lists(st.integers(0, 1), min_size=4, max_size=8), scores=st.data())
def test_group_end_is_scikit_learns_average_precision(levels, scores):
    """Precision at the end of each group of tied documents gives sklearn's average_precision_score."""
    metrics = pytest.importorskip("sklearn.metrics")
    assume(any(levels))
    given_scores = [scores.draw(st.sampled_from([1.0, 2.0, 3.0])) for _ in levels]
    docs = [f"d{i}" for i in range(len(levels))]
    judged, retrieved = dict(zip(docs, levels, strict=True)), dict(zip(docs, given_scores, strict=True))
    ours = value(judged, retrieved, "AP", "ties=group-end")
    assert ours == pytest.approx(float(metrics.average_precision_score(levels, given_scores)), abs=1e-12)
