"""Diagnosis: the label that is given is the convention that was changed, or it is not given."""

import math
import random
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

import crosscheck
from crosscheck.axes import axes
from crosscheck.axes.ties import SCORE_PRECISION, TIES
from crosscheck.backends.native import native_values
from crosscheck.compare import differ
from crosscheck.conventions import AxisValue, Conventions, conventions, plain
from crosscheck.evaluation.rankings import Rankings
from crosscheck.evaluation.recomputer import Recomputer
from crosscheck.explain.diagnose import Diagnosed, diagnose
from crosscheck.explain.search import identify
from crosscheck.formats.dicts import qrels_from_dict, run_from_dict
from crosscheck.measures import family
from crosscheck.measures.tied import refusal
from crosscheck.model import Measure, MeasureValues, Run
from crosscheck.names import parse_measure
from tests.support.strategies import qrels_and_run
from tests.support.strength import earned

BASE = Conventions()
MEASURES = [
    *("P@5", "P@3", "R@3", "AP", "AP@3", "RR", "RR@3", "nDCG", "nDCG@3", "Rprec", "bpref", "Success@3"),
    *("IPrec@0.6", "gm_map", "ERR@3"),
]
#: Numbers of axes of numbers.
NUMBERS: dict[str, tuple[int, ...]] = {"relevance_level": (2,), "rounding": (4,), "depth": (2,)}
#: Their values cannot be told on such inputs: no document occurs twice, values are below 1, noise is noise,
#: and of fewer than three queries no other average is tried.
_OTHERWISE = ("duplicates", "unit", "result_precision", "averaging")
#: Label, axis and value of every change that can be told from the data.
CHANGES: list[tuple[str, str, AxisValue]] = [
    (one.label, one.name, plain(value))
    for one in axes().values()
    for value in (*one.values, *NUMBERS.get(one.name, ()))
    if value != one.default and one.name not in _OTHERWISE
]


def with_ranks(run: Run) -> Run:
    """The run with a rank column that contradicts scores and line order."""
    return replace(run, ranks=(np.arange(len(run.scores)) * 7 + 3) % 11)


def told(
    rankings: Rankings, measure: Measure, values: MeasureValues, base: Conventions = BASE
) -> Diagnosed | None:
    """The diagnosis of a candidate's values against native ones; None where they agree."""
    ours = native_values(rankings, measure, base, "reference")
    differences = differ(ours, values, aggregate=family(measure.family).aggregate)
    if differences.agree:
        return None
    return diagnose(Recomputer(rankings, measure, base), differences, values)


def explained(
    rankings: Rankings, measure: Measure, values: MeasureValues, base: Conventions = BASE
) -> Diagnosed:
    """As :func:`told`, for values that differ."""
    diagnosed = told(rankings, measure, values, base)
    assert diagnosed is not None
    return diagnosed


def explanations(diagnosed: Diagnosed) -> list[dict[str, AxisValue]]:
    return [one.conventions for one in (diagnosed.diagnosis, *diagnosed.diagnosis.alternatives)]


def telling(axis_name: str) -> list[str]:
    """The measures that read an axis."""
    return [name for name in MEASURES if axes()[axis_name].read_by(family(parse_measure(name).family))]


@pytest.mark.one_in(5)
@pytest.mark.parametrize(("label", "axis", "value"), CHANGES)
@settings(max_examples=8)
@given(given=qrels_and_run(), data=st.data())
def test_a_changed_convention_is_found_or_is_indistinguishable(label, axis, value, given, data):
    """Values under one changed axis are explained, proved where three queries differ, and the true change is
    the cause or a listed alternative."""
    measure = parse_measure(data.draw(st.sampled_from(telling(axis))))
    rankings = Rankings(with_ranks(run_from_dict(given[1])), qrels_from_dict(given[0]))
    situation = Recomputer(rankings, measure, BASE)
    if axis == "relevance_level" and situation.judgements()[1].max(initial=0) < 2:
        return  # Nothing is relevant then, and a candidate full of zeros proves no level.
    changed = BASE.with_changes(**{axis: value})
    if refusal(measure, changed) or value not in map(plain, axes()[axis].other_options(situation)):
        return  # No tool can have these values, or here it is another name of a value.
    diagnosed = told(rankings, measure, native_values(rankings, measure, changed, "tool"))
    if diagnosed is None:
        return
    diagnosis = diagnosed.diagnosis
    assert diagnosis.strength == earned(diagnosed.diagnosis, len(diagnosed.labels))
    assert diagnosis.reproduced == diagnosis.of
    assert diagnosis.fits == len(explanations(diagnosed)) <= diagnosis.tried
    assert {axis: value} in explanations(diagnosed)
    assert len(diagnosis.causes) == 1
    assert all(labels == diagnosis.causes for labels in diagnosed.labels.values())


def deep(topics: int = 50, *, ties: bool = False, seed: int = 3) -> Rankings:
    """Fifty queries of twenty documents, graded 0 to 3, some unjudged and some not retrieved."""
    rng = random.Random(seed)
    docnos = [f"d{i:02}" for i in range(40)]
    qrels = {
        f"{t:02}": {d: rng.choice([0, 0, 1, 2, 3]) for d in rng.sample(docnos, 25)} for t in range(topics)
    }
    run = {
        topic: {
            d: float(rng.randrange(4)) if ties else 30.0 - i for i, d in enumerate(rng.sample(docnos, 20))
        }
        for topic in qrels
    }
    return Rankings(run_from_dict(run), qrels_from_dict(qrels))


@pytest.mark.parametrize("name", ["P@5", "nDCG@10", "AP", "RR"])
def test_one_corrupted_query_among_fifty_is_unexplained_and_no_other(name):
    """A single wrong value gets no label by coincidence; the other queries keep theirs."""
    measure, rankings = parse_measure(name), deep()
    values = native_values(rankings, measure, BASE.with_changes(relevance_level=2), "tool")
    if name.startswith("nDCG"):
        values = native_values(rankings, measure, BASE.with_changes(gain="exponential"), "tool")
    corrupted = dict(values.values) | {b"07": 0.4142}
    diagnosed = explained(rankings, measure, replace(values, values=corrupted, mean=None))
    assert diagnosed.labels.pop(b"07") == ["unexplained"]
    expected = "gain" if name.startswith("nDCG") else "relevance-level"
    assert {tuple(labels) for labels in diagnosed.labels.values()} == {(expected,)}
    assert diagnosed.diagnosis.strength == "per-query"
    assert diagnosed.diagnosis.causes == [expected, "unexplained"]
    assert diagnosed.diagnosis.reproduced == diagnosed.diagnosis.of - 1


def test_a_single_wrong_value_is_not_explained_by_luck():
    """P@5 has six values, so some convention gives any of them on one query; that proves nothing."""
    measure, rankings = parse_measure("P@5"), deep()
    values = native_values(rankings, measure, BASE, "tool")
    for value in (0.0, 0.2, 0.4, 0.6, 0.8, 1.0):
        corrupted = replace(values, values=dict(values.values) | {b"07": value}, mean=None)
        diagnosed = told(rankings, measure, corrupted)
        if diagnosed is not None:
            assert diagnosed.diagnosis.causes == ["unexplained"], value
            assert diagnosed.diagnosis.explanation.startswith("no set of conventions that crosscheck knows ")


@pytest.mark.parametrize("name", ["AP", "nDCG@10"])
def test_values_at_other_queries_are_told_from_other_values(name):
    """Ids in one order beside values in another: unexplained, with the reason; one other value, and it is not
    said."""
    measure, rankings = parse_measure(name), deep(20)
    values = native_values(rankings, measure, BASE, "tool")
    topics, numbers = values.values.keys(), list(values.values.values())
    turned = dict(zip(topics, numbers[7:] + numbers[:7], strict=True))
    said = []
    for changed in (turned, turned | {b"07": 0.4142}):
        diagnosed = explained(rankings, measure, replace(values, values=changed, mean=None))
        assert "unexplained" in diagnosed.diagnosis.causes
        said.append("the reference's values of other queries" in diagnosed.diagnosis.explanation)
    assert said == [True, False]


def test_an_arbitrary_order_of_ties_is_consistent():
    """Where each query breaks ties its own way, an order for each is claimed, and no order gives what lies
    between two of its values."""
    measure, rankings = parse_measure("nDCG@10"), deep(24, ties=True)
    rules = ["input", "docid-asc", "reverse-input", "docid-desc"]
    by_rule = [
        native_values(rankings, measure, BASE.with_changes(ties=rule), "tool").values for rule in rules
    ]
    mixed = {topic: by_rule[i % 4][topic] for i, topic in enumerate(by_rule[0])}
    # A hundredth of the way to the worst order: between the worst and the best, but no order gives it.
    worst = native_values(rankings, measure, BASE.with_changes(ties="worst"), "tool").values
    between = {topic: 0.99 * value + 0.01 * worst[topic] for topic, value in mixed.items()}
    for values, expected in ((mixed, ("consistent", ["tie-breaking"])), (between, ("none", ["unexplained"]))):
        diagnosed = explained(rankings, measure, MeasureValues(values, None, "tool"))
        assert (diagnosed.diagnosis.strength, diagnosed.diagnosis.causes) == expected


def test_a_sort_that_is_unstable_in_long_lists_only_is_no_alternative_in_short_ones():
    """Up to fifteen documents it keeps input order, and input order is what is said."""
    qrels = {"1": {"a": 1, "b": 0, "c": 0}}
    rankings = Rankings(run_from_dict({"1": dict.fromkeys("abcdefghijklmno", 1.0)}), qrels_from_dict(qrels))
    situation = Recomputer(rankings, parse_measure("RR"), BASE)
    offered = set(TIES.options(situation))
    assert "input" in offered
    assert not offered & {"quicksort", "quicksort-twice"}


def test_without_ties_nothing_is_blamed_on_ties():
    """The gate keeps an axis out where it cannot matter."""
    situation = Recomputer(deep(), parse_measure("nDCG@10"), BASE)
    assert not TIES.gate(situation).any()
    assert not SCORE_PRECISION.gate(situation).any()


def moved(change: Callable[[float], float]) -> Callable[[MeasureValues], MeasureValues]:
    return lambda of: MeasureValues({topic: change(v) for topic, v in of.values.items()}, None, "tool")


#: Measure, the change of conventions, what is done to the values then; tolerance and causes.
SAID: list[tuple[str, str, Callable[[MeasureValues], MeasureValues], float, list[str]]] = [
    ("nDCG@10", "", moved(lambda v: v / 2), 1e-9, ["unexplained"]),
    # Under a tight tolerance up to 8 ULP is noise.
    ("nDCG@10", "", moved(lambda v: v + 8 * math.ulp(v)), 0.0, ["float-noise"]),
    ("nDCG@10", "", moved(lambda v: v + 9 * math.ulp(v)), 0.0, ["unexplained"]),
    # Only values computed one query at a time can show a leak.
    ("Rprec", "", lambda of: replace(of, mean=0.999, one_by_one=True), 1e-9, ["cross-query-leak"]),
    ("Rprec", "", lambda of: replace(of, mean=0.999), 1e-9, ["unexplained"]),
    (
        *("AP", "ap_denominator=retrieved-relevant", lambda of: replace(of, mean=0.999, one_by_one=True)),
        *(1e-9, ["ap-denominator", "cross-query-leak"]),
    ),
]


@pytest.mark.parametrize(("name", "changed", "change", "tolerance", "causes"), SAID)
def test_causes_of_values_that_no_convention_gives(name, changed, change, tolerance, causes):
    measure, rankings = parse_measure(name), deep()
    ours = native_values(rankings, measure, BASE, "reference")
    made = conventions(changed) if changed else BASE
    theirs = change(native_values(rankings, measure, made, "tool"))
    differences = differ(ours, theirs, tolerance=tolerance)
    assert diagnose(Recomputer(rankings, measure, BASE), differences, theirs).diagnosis.causes == causes


def test_a_value_for_an_unknown_query_is_unexplained():
    """A query that neither run nor qrels have cannot be reproduced."""
    measure, rankings = parse_measure("AP"), deep()
    values = native_values(rankings, measure, BASE, "tool").values
    diagnosed = explained(rankings, measure, MeasureValues(values | {b"zz": 0.0}, None, "tool"))
    assert diagnosed.labels == {b"zz": ["unexplained"]}
    assert diagnosed.diagnosis.reproduced == diagnosed.diagnosis.of - 1


def test_each_query_gets_only_the_causes_that_act_on_it():
    """Under two changes a query that one of them does not touch is labelled with the other."""
    qrels = {"g": {"a": 1, "b": 3}, "t": {"c": 1, "d": 0}, "same": {"e": 1}}
    run = {"g": {"a": 2.0, "b": 1.0}, "t": {"c": 1.0, "d": 1.0}, "same": {"e": 1.0}}
    rankings, measure = Rankings(run_from_dict(run), qrels_from_dict(qrels)), parse_measure("nDCG")
    values = native_values(rankings, measure, conventions("gain=exponential,ties=docid-asc"), "tool")
    diagnosed = explained(rankings, measure, values)
    assert diagnosed.diagnosis.causes == ["tie-breaking", "gain"]
    assert diagnosed.labels == {b"g": ["gain"], b"t": ["tie-breaking"]}


def test_the_reference_itself_is_identified():
    """Values under two changed axes are traced to conventions that give them; noise, or nothing, to none."""
    measure, rankings = parse_measure("nDCG@10"), deep()
    situation = Recomputer(rankings, measure, BASE)
    changed = conventions("gain=exponential,discount=jarvelin")
    assert identify([(situation, native_values(rankings, measure, changed, "tool"))]) == [changed]
    garbage = MeasureValues(dict.fromkeys(rankings.pairing.topics, 0.123), None, "tool")
    assert identify([(situation, garbage)]) == [None]
    empty = Rankings(run_from_dict({"1": {"a": 1.0}}), qrels_from_dict({"1": {"a": 0}}))
    assert identify([(Recomputer(empty, measure, BASE), MeasureValues({}, None, "tool"))]) == [None]


def test_alternatives_say_what_would_separate_them():
    """Explanations that the data cannot tell apart come with the input that could."""
    qrels, run = {"1": {"a": 1, "b": 0}}, {"1": {"a": 1.0, "b": 1.0}}
    rankings, measure = Rankings(run_from_dict(run), qrels_from_dict(qrels)), parse_measure("RR")
    diagnosed = explained(rankings, measure, MeasureValues({b"1": 1.0}, None, "tool"))
    assert diagnosed.diagnosis.causes == ["tie-breaking"]
    assert ["rank-order"] in [a.causes for a in diagnosed.diagnosis.alternatives]
    assert "whose order, rank column and scores contradict" in (diagnosed.diagnosis.separate_by or "")


def test_a_sum_over_other_queries_is_no_leak():
    """num_rel of all judged queries, as trectools gives it, is the set that is counted; another sum leaks."""
    qrels = {"1": {"a": 1, "b": 1}, "2": {"c": 1}}
    rankings = Rankings(run_from_dict({"1": {"a": 1.0}}), qrels_from_dict(qrels))
    measure = parse_measure("num_rel")
    for total, cause in ((3.0, "query-set"), (7.0, "cross-query-leak")):
        diagnosed = explained(rankings, measure, MeasureValues({b"1": 2.0}, total, "tool", one_by_one=True))
        assert (diagnosed.diagnosis.strength, diagnosed.diagnosis.causes) == ("consistent", [cause])


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", ["AP", "nDCG@10"])
def test_no_invented_mean_is_proved(name):
    """Of 24 means to three decimals some fit sets of conventions: these are consistent, with how many of how
    many, and the rest is unexplained."""
    rng, rankings, strengths = random.Random(name), deep(), set()
    for _ in range(24):
        mean = MeasureValues({}, round(rng.uniform(0.2, 0.7), 3), "tool", 3)
        if (diagnosed := told(rankings, parse_measure(name), mean)) is None:
            continue
        found = diagnosed.diagnosis
        strengths.add(found.strength)
        if found.strength == "consistent":
            assert (found.reproduced, found.of, found.fits) == (0, 0, 1 + len(found.alternatives))
            give = "gives" if found.fits == 1 else "give"
            sets = f"{found.fits:,} of {found.tried:,} sets of conventions {give} this mean"
            assert found.explanation.endswith(f"{sets}, or it is another run.")
        else:
            assert (found.strength, found.causes) == ("none", ["unexplained"])
    assert "consistent" in strengths


def test_zero_is_not_the_nan_of_a_query_without_relevant_documents():
    """nNRBP is 0 / 0 there, on both sides."""
    qrels = (["1", "1", "2", "2"], ["s", "t", "s", "t"], ["a", "b", "a", "b"], [1, 1, 0, 0])
    run = {"1": {"a": 2.0, "b": 1.0}, "2": {"a": 2.0, "b": 1.0}}
    assert crosscheck.diagnose(qrels, run, "nNRBP", {"1": 1.0, "2": math.nan}) is None
    assert crosscheck.diagnose(qrels, run, "nNRBP", {"1": 1.0, "2": 0.0}) is not None
