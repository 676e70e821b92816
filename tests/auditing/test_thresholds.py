"""Numbers that the words of an audit rest on, with an example on either side of each, written as numbers."""

from __future__ import annotations

import gc
import math
from itertools import combinations
from math import prod
from types import SimpleNamespace
from typing import Any, cast
from unittest.mock import patch

import numpy as np
import pytest

from crosscheck.auditing import audit
from crosscheck.auditing.checking import _Compared, _one_sided
from crosscheck.auditing.metric import Asked, evidence_of, native_answer
from crosscheck.auditing.where import Places
from crosscheck.axes import likeliest
from crosscheck.conventions import Conventions
from crosscheck.evaluation.rankings import Rankings
from crosscheck.explain import search
from crosscheck.explain.evidence import equal_numbers
from crosscheck.explain.search import Search
from crosscheck.inputs.queries import Line, Probe, Query
from crosscheck.inputs.realistic import fresh_probes
from crosscheck.model import MeasureValues
from crosscheck.names import parse_measure

_LINES = tuple(Line(f"d{i}", i, 10.0 - i) for i in range(1, 4))
ONE = Probe("", (("1", Query((("d1", 1),), _LINES)),), "1")


def answered(value: float) -> Asked:
    return Asked(ONE, MeasureValues({b"1": value}, None, "metric"), parse_measure("P@1"))


@pytest.mark.parametrize(("low", "high", "one_sided"), [(20, 0, True), (19, 0, False), (20, 1, False)])
def test_twenty_values_off_in_one_direction_are_no_lack_of_precision(low, high, one_sided):
    """``P/(k + 1e-6)`` is too low everywhere, rounding is not; nineteen values can be so by chance."""
    values = [_Compared(answered(0.5 + sign * 2e-7), 0.5, True) for sign in [-1] * low + [1] * high]
    assert _one_sided(values) is one_sided


def one_rank_less(ranked_ids: list[str], relevant_ids: list[str], k: int) -> float:
    return len(set(ranked_ids[: k - 1]) & set(relevant_ids)) / k


def test_what_an_audit_knows_dies_with_it():
    """No search, and no rankings of its inputs, outlive an audit, whose memo caches they hold."""
    gc.collect()
    before = [o for o in gc.get_objects() if isinstance(o, Search | Rankings)]
    assert audit(one_rank_less, "P@5", call="f(ranked_ids, relevant_ids, k)").verdict == "deviates"
    gc.collect()
    known = {id(o) for o in before}
    assert [o for o in gc.get_objects() if isinstance(o, Search | Rankings) and id(o) not in known] == []


@pytest.mark.parametrize(
    ("expected", "value", "tolerance", "same"),
    [
        (0.5, 0.5 + 5e-10, 1e-9, True),
        (0.5, 0.5 + 2e-9, 1e-9, False),
        (2e6, 2e6 + 1e-4, 1e-9, True),
        (0.0, 1e-9, 1e-6, False),
        (0.5, 0.5 + 4e-7, 1e-6, True),
        (0.5, 0.5 + 6e-7, 1e-6, False),
        (math.nan, math.nan, 1e-9, True),
        (math.inf, math.inf, 1e-9, True),
        (math.inf, -math.inf, 1e-9, False),
    ],
)
def test_tolerances(expected, value, tolerance, same):
    """Double precision is absolute up to 1 and relative above; single precision is relative everywhere."""
    assert equal_numbers(expected, value, tolerance, None) is same


def test_a_mean_does_not_count_beside_the_values_that_it_is_made_of():
    query = Query((("a", 1),), (Line("a", 1, 1.0),))
    probe = Probe("two queries", (("1", query), ("2", query)), None)
    measure = parse_measure("P@1")

    def unmet(first: float, second: float, mean: float) -> list[int]:
        answer = MeasureValues({b"1": first, b"2": second}, mean, "metric")
        evidence = evidence_of([Asked(probe, answer, measure)], Conventions(), 1e-9)
        return [e.unmet(Conventions()) for e in evidence]

    assert unmet(0.5, 0.5, 0.5) == [2]
    assert unmet(1.0, 0.5, 0.75) == [1]
    assert unmet(1.0, 1.0, 0.5) == [1]
    assert unmet(1.0, 1.0, 1.0) == [0]


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


@pytest.mark.parametrize(
    ("gained", "vain", "lost", "part"),
    [
        (5, 0, 0, True),
        (4, 0, 0, False),
        (8, 2, 0, True),
        (7, 2, 0, False),
        (20, 0, 1, True),
        (19, 0, 1, False),
    ],
)
def test_a_part_gives_most_of_what_it_changes(gained, vain, lost, part):
    """Five values at least, four for each that it changes in vain, twenty for each that it loses."""
    right, wrong = [True] * gained + [False] * (vain + lost), [False] * (gained + vain) + [True] * lost
    evidence = SimpleNamespace(
        judge_cells=True,
        observed=SimpleNamespace(values=np.arange(gained + vain + lost) / 100),
        given=lambda changes: (np.array(right if changes else wrong), False),
        changed=lambda *sets: np.array([True] * (gained + vain) + [False] * lost),
        predicts=lambda changes: np.ones(gained + vain + lost, np.bool_),
    )
    search = SimpleNamespace(
        every=(evidence,), changed=lambda changes: changes, gives_one_number=lambda *sets: False
    )
    assert Search.is_part(cast(Any, search), cast(Any, ("change",))) is part


@pytest.mark.parametrize(
    ("given", "wrong", "one"),
    [([0, 0], [0.5, 0.25], True), ([0, 0], [0.5, 0], False), ([0, 1], [2, 3], False)],
)
def test_a_change_to_one_number_that_is_wrong_elsewhere_is_told(given, wrong, one):
    """Two values that it makes another number, which they are not."""
    right = np.array([True] * len(given) + [False] * len(wrong))
    evidence = SimpleNamespace(
        observed=SimpleNamespace(values=np.array([*given, *([9.0] * len(wrong))])),
        given=lambda changes: (right & (changes == "with"), False),
        changed=lambda *sets: np.ones_like(right),
        predicts=lambda changes: np.ones_like(right),
        values=lambda changes: np.array([*given, *wrong]),
    )
    search = SimpleNamespace(every=(evidence,))
    assert Search.gives_one_number(cast(Any, search), cast(Any, "with"), cast(Any, "without")) is one


def zero_without_judgements_and_long_lists_reversed(
    qrels: dict[str, dict[str, int]], run: dict[str, dict[str, float]]
) -> dict[str, float]:
    """Two faults, of which one is a convention."""
    values = {}
    for topic, scores in run.items():
        single = {docno: np.float32(score) for docno, score in scores.items()}
        ranking = sorted(single, key=lambda docno: (single[docno], docno), reverse=len(scores) <= 40)
        hits = [docno for docno in ranking[:10] if qrels.get(topic, {}).get(docno, 0) > 0]
        values[topic] = len(hits) / 10
    return values


def test_where_two_faults_meet_each_is_said():
    """The convention stands beside the bug, whose place is said, and whose example no convention gives."""
    found = audit(zero_without_judgements_and_long_lists_reversed, "P@10", call="f(qrels, run)")
    assert found.causes == ["unjudged-queries", "unexplained"]
    assert found.conventions == {"unjudged_queries": "no-relevant"}
    assert found.where is not None
    assert found.where.conditions == ["41 or more retrieved documents"]
    (example,) = [one for one in found.counterexamples if one.cause == "unexplained"]
    assert [len(docs) for docs in example.run.values()] == [41]
    assert "no convention" in example.explanation


def test_a_mean_has_no_place_among_queries():
    """Means that are wrong over several queries are said to be wrong over two or more."""
    measure, base = parse_measure("P@5"), Conventions()
    asked = [Asked(p, native_answer(p.qrels, p.run, measure, base), measure) for p in fresh_probes(0, 5)]
    wrong = [one.probe for one in asked if len(one.probe.queries) > 1]
    found = Places(5).where(asked, wrong, base)
    assert found is not None
    assert (found.of_what, found.conditions) == ("inputs", ["2 or more queries in the input"])
