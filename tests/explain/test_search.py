"""The search: screening loses nothing, four changed axes are found, and labels hold under noise."""

import gc
import random
import weakref
from itertools import combinations
from math import prod
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from crosscheck.auditing import audit
from crosscheck.axes import likeliest
from crosscheck.backends.native import native_values
from crosscheck.compare import align
from crosscheck.conventions import AxisValue, Conventions
from crosscheck.evaluation import recomputer
from crosscheck.evaluation.formula import Scored, score
from crosscheck.evaluation.rankings import Rankings
from crosscheck.evaluation.recomputer import Recomputer
from crosscheck.explain import search
from crosscheck.explain.evidence import Evidence
from crosscheck.explain.search import Account, Axes, Search, identify, joint_conventions
from crosscheck.formats.dicts import qrels_from_dict, run_from_dict
from crosscheck.model import Measure, MeasureValues
from crosscheck.names import parse_measure
from tests.explain import test_diagnose
from tests.explain.test_diagnose import (
    BASE,
    CHANGES,
    MEASURES,
    Change,
    also,
    each,
    explanations,
    told,
    with_ranks,
)
from tests.support.kept import Kept, shown
from tests.support.oracle import changes_of
from tests.support.strategies import QrelsDict, RunDict, qrels_and_run


def large(queries: int, documents: int, seed: int = 1) -> Rankings:
    """Graded, incompletely judged rankings with ties, a rank column that lies, and some short lists."""
    rng = random.Random(seed)
    qrels: QrelsDict = {}
    run: RunDict = {}
    for number in range(queries):
        topic = f"q{number:03}"
        docs = [f"d{i:05}" for i in range(documents + documents // 3)]
        rng.shuffle(docs)
        qrels[topic] = {d: rng.choice([-1, 0, 0, 0, 1, 1, 2, 3]) for d in rng.sample(docs, documents // 8)}
        length = 8 if number % 40 == 0 else documents
        run[topic] = {
            d: float(int(2000 - i * 0.9)) - 0.3 * (rng.random() < 0.2) for i, d in enumerate(docs[:length])
        }
    return Rankings(with_ranks(run_from_dict(run)), qrels_from_dict(qrels))


@settings(max_examples=20)
@given(
    given=qrels_and_run(),
    name=st.sampled_from(MEASURES),
    first=st.sampled_from(CHANGES),
    second=st.sampled_from(CHANGES),
)
def test_screening_finds_what_trying_everything_finds(given, name, first, second):
    """The complete explanations of one and of two axes are those of the plain enumeration."""
    measure = parse_measure(name)
    rankings = Rankings(with_ranks(run_from_dict(given[1])), qrels_from_dict(given[0]))
    spec = BASE.with_changes(**{first[1]: first[2]}).with_changes(**{second[1]: second[2]})
    situation = Recomputer(rankings, measure, BASE)
    assume(situation.possible(spec))
    observed = align(native_values(rankings, measure, spec, "tool"), rankings.pairing.all_topics)
    differing = ~situation.evaluated(BASE).present | (situation.evaluated(BASE).values != observed.values)
    search = Search(Evidence(situation, observed), differing)
    for size in (1, 2):
        sets = search.choices.combined(search.choices.options, size)
        every = [search.explanation(*changes) for changes in sets]
        plainly = [list(e.axes.items()) for e in every if search.complete(e)]
        screened = [list(e.axes.items()) for e in search.complete_of_size(size)]
        assert sorted(map(repr, screened)) == sorted(map(repr, plainly))


def planted(rankings: Rankings, name: str, **changes: AxisValue) -> Evidence:
    """The values of a candidate with these conventions."""
    situation = Recomputer(rankings, parse_measure(name), BASE)
    values = native_values(rankings, situation.measure, BASE.with_changes(**changes), "tool")
    return Evidence(situation, align(values, rankings.pairing.all_topics))


def test_the_nearest_set_may_have_five_changes():
    changes = {"gain": "exponential", "ties": "docid-asc", "ideal": "retrieved", "discount": "jarvelin"}
    five = planted(large(60, 90), "nDCG@10", **changes, unjudged="removed")
    found = Search.among([five], ())
    nearest = found.nearest(6)
    assert {axis.name for axis, _ in nearest} == {*changes, "unjudged"}
    assert found.complete(found.explanation(*nearest))
    assert (len(found.nearest(4)), found.largest) == (4, 6)


def test_the_evidence_searched_first_has_most_different_values():
    """Values that are all 0 say less, however many they are."""
    graded = planted(large(9, 90), "R@10", relevance_level=2)
    judged = qrels_from_dict({f"{n}": {"a": 1, "b": 0} for n in range(60)})
    ranked = Rankings(run_from_dict({f"{n}": {"a": 1.0, "b": 2.0} for n in range(60)}), judged)
    zeros = planted(ranked, "R@10", relevance_level=2)
    assert zeros.differing.sum() > graded.differing.sum()
    assert Search.among([zeros, graded], ()).evidence is graded
    assert Search.among([graded, zeros], ()).evidence is graded


def test_four_axes_are_found_on_a_large_run(monkeypatch):
    """50 queries of 200 documents: four changes found, and a bug searched for to the end, with so few
    recomputations that it takes seconds on 250 of 1,000, too."""
    computed: list[Conventions] = []

    def counted(rankings: Rankings, measure: Measure, conventions: Conventions) -> Scored:
        computed.append(conventions)
        return score(rankings, measure, conventions)

    monkeypatch.setattr(recomputer, "score", counted)
    rankings, measure = large(50, 200), parse_measure("nDCG@10")
    spec = BASE.with_changes(gain="exponential", ties="docid-asc", ideal="max-grade", discount="jarvelin")
    four = native_values(rankings, measure, spec, "tool")
    wrong = each(lambda value: value * 0.9 + 0.01)(native_values(rankings, measure, BASE, "tool"))
    for values in (four, wrong):
        computed.clear()
        diagnosed = told(rankings, measure, values)
        assert 0 < len(computed) < 60
        assert diagnosed is not None
        assert ("unexplained" in diagnosed.diagnosis.causes) == (values is wrong)


def test_what_a_search_held_is_freed_when_it_ends():
    """Not when the cyclic collector runs: the arrays of a large run are hundreds of megabytes."""
    gc.collect()
    gc.disable()
    try:
        rankings, measure = large(20, 50), parse_measure("nDCG@10")
        values = native_values(rankings, measure, BASE.with_changes(gain="exponential"), "tool")
        diagnosed = told(rankings, measure, values)
        assert diagnosed is not None
        assert diagnosed.diagnosis.causes == ["gain"]
        held = weakref.ref(rankings)
        del rankings
        assert held() is None
    finally:
        gc.enable()


NOISE: dict[str, Change] = {
    "4 decimals, declared": each(lambda x: round(x, 4), decimals=4),
    "single": each(lambda x: float(np.float32(x * (1 + 2e-7)))),
    "single, as text": each(lambda x: float(str(np.float32(x)))),
}


def noisy(name: str, planted: str, noise: str, *, wrong: bool = False) -> str:
    """The diagnosis of values with noise; with one wrong query among them."""
    number = 0.4142 if "declared" in noise else float(np.float32(0.414213))
    change = NOISE[noise]
    return test_diagnose.said(
        large(20, 50), name, planted, lambda of: also({"q007": number} if wrong else {})(change(of))
    )


#: Measures of a tool.
OF_A_TOOL = ["P@10", "R@10", "AP", "RR", "nDCG", "nDCG@10", "Rprec", "bpref"]


def account(rankings: Rankings, name: str, changes: dict[str, AxisValue]) -> Account:
    measure = parse_measure(name)
    values = native_values(rankings, measure, BASE.with_changes(**changes), "tool")
    diagnosed = told(rankings, measure, values)
    evidence = Evidence(Recomputer(rankings, measure, BASE), align(values, rankings.pairing.all_topics))
    return evidence, explanations(diagnosed) if diagnosed else []


def joint(rankings: Rankings, changes: dict[str, dict[str, AxisValue]]) -> dict[str, object]:
    """The conventions of some measures' values together, and the measures that they do not give."""
    accounts = {name: account(rankings, name, of) for name, of in changes.items()}
    found = joint_conventions([*accounts.values()])
    rest = [name for name, (evidence, _) in accounts.items() if not evidence.holds(evidence.under(found))]
    return {"joint": found, "rest": rest}


def of_means(planted: str) -> str:
    """What the means of a tool's measures together, to three decimals, are traced to; AP is trec_eval's, and
    another mean is nobody's."""
    rankings, changed = large(40, 60), BASE.with_changes(**changes_of(planted))
    summary = []
    for name in OF_A_TOOL:
        situation = Recomputer(rankings, parse_measure(name), BASE)
        mean = situation.evaluated(BASE if name == "AP" else changed).mean
        assert mean is not None
        summary.append((situation, MeasureValues({}, round(mean, 3), "tool", 3)))
    *found, impossible = identify([*summary, (summary[0][0], MeasureValues({}, 700.0, "tool", 3))])
    assert impossible is None
    return "\n".join(
        f"{name}: {of and of.changes_from(BASE)}" for name, of in zip(OF_A_TOOL, found, strict=True)
    )


def measure(explanations: list[Axes], *holding: Axes) -> Account:
    """A measure with these explanations, whose values only these sets of axes give."""
    evidence: Any = SimpleNamespace(under=dict, holds=holding.__contains__)
    return evidence, explanations


#: Two measures have one tie rule, and one another: no set with the other rule is made of both.
ONE: Axes = {"ties": "docid-asc", "gain": "binary"}
OTHER: Axes = {"ties": "input", "depth": 5}
BOTH: Axes = ONE | OTHER
PLAIN: Axes = {"gain": "binary"}
REST = [measure([OTHER], OTHER, BOTH), measure([], BOTH), measure([], BOTH)]
KEPT = Kept(__file__, within=(globals(), vars(test_diagnose)), show=shown)
NOISY = Kept(__file__, within=(globals(), vars(test_diagnose)), show=shown, part=".noise")
test_lost_digits_are_named_and_measures_together_single_out_conventions = KEPT.test(one_in=2)
test_labels_hold_under_noise = NOISY.test(one_in=5)


def test_a_set_that_too_few_values_need_is_not_named_alone():
    """What only such a set gives is unexplained as well."""
    with patch.object(search, "differing_for", lambda size: 1000 * size):
        made = audit("native:relevance_level=2", "P@5")
    assert (made.verdict, made.strength) == ("deviates", "per-query")
    assert "unexplained" in made.causes


@pytest.mark.parametrize("most", [100, 2_000])
def test_the_most_telling_changes_make_a_bounded_number_of_sets(most, monkeypatch):
    """As many changes as fit, and none before a more telling one; one more would make too many sets."""
    monkeypatch.setattr(search, "_MOST_SETS", most)
    axes = likeliest()[:9]
    telling = {(axis, value): 7 * place % 31 + value for place, axis in enumerate(axes) for value in range(6)}
    in_order = sorted(telling, key=lambda change: -telling[change])

    def sets(number: int) -> int:
        by_axis = [sum(axis is of for axis, _ in in_order[:number]) for of in axes]
        return sum(prod(chosen) for chosen in combinations(by_axis, 4))

    chosen = search.most_of(telling, 4)
    assert chosen == in_order[: len(chosen)]
    assert sets(len(chosen)) <= most < sets(len(chosen) + 1)
