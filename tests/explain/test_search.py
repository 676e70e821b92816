"""The search: screening loses nothing, four changed axes are found, and labels hold under noise."""

import gc
import random
import weakref
from itertools import combinations
from math import prod
from types import SimpleNamespace
from typing import Any, cast
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from crosscheck.auditing import audit
from crosscheck.axes import likeliest
from crosscheck.backends.native import native_values
from crosscheck.compare import align
from crosscheck.conventions import Conventions
from crosscheck.evaluation import recomputer
from crosscheck.evaluation.formula import Scored, score
from crosscheck.evaluation.rankings import Rankings
from crosscheck.evaluation.recomputer import Recomputer
from crosscheck.explain import search
from crosscheck.explain.evidence import Evidence
from crosscheck.explain.search import Search
from crosscheck.formats.dicts import qrels_from_dict, run_from_dict
from crosscheck.model import Measure
from crosscheck.names import parse_measure
from tests.explain import test_diagnose
from tests.explain.test_diagnose import (
    BASE,
    CHANGES,
    MEASURES,
    Change,
    also,
    each,
    explained,
    told,
    with_ranks,
)
from tests.support.kept import Kept, shown
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
        assert explained(rankings, measure, values).diagnosis.causes == ["gain"]
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


KEPT = Kept(__file__, TypeError, ValueError, within=(globals(), vars(test_diagnose)), show=shown)
NOISY = Kept(
    __file__, TypeError, ValueError, within=(globals(), vars(test_diagnose)), show=shown, part=".noise"
)


@pytest.mark.one_in(5)
@NOISY.each()
def test_labels_hold_under_noise(given):
    """Printed or computed in fewer digits, a candidate keeps its only label; and one wrong query among twenty
    is unexplained while the others keep theirs."""
    NOISY.holds(given)


@KEPT.each()
def test_digits_that_are_lost_are_named(given):
    KEPT.holds(given)


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
