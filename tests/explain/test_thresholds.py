"""Each number that a word rests on, with an example on either side of it."""

from collections.abc import Callable
from functools import partial
from types import SimpleNamespace as Fake
from typing import Any

import numpy as np
import pytest

from crosscheck.axes import axis
from crosscheck.conventions import Conventions, profiles
from crosscheck.evaluation.rankings import Rankings
from crosscheck.evaluation.recomputer import Recomputer
from crosscheck.explain import diagnose, doubts, numbers
from crosscheck.explain.evidence import Evidence
from crosscheck.explain.search import Search
from crosscheck.explain.space import fitting_ranks
from crosscheck.formats.dicts import qrels_from_dict, run_from_dict
from crosscheck.model import MeasureValues
from crosscheck.names import parse_measure

#: A number for which something holds, and one for which it does not hold.
Row = tuple[Callable[[Any, pytest.MonkeyPatch], bool], float, float]


def is_proved(differing: float, patch: pytest.MonkeyPatch) -> bool:
    """Whether a set without a doubt is proved by so many queries that differ."""
    search, situation = Fake(judge_cells=True, beside=[]), Fake(nowhere=np.zeros(9, np.bool_))
    question: Any = Fake(
        leak=False, search=search, differing=differing, situation=situation, zeros_count=True
    )
    return diagnose.explained(question, []).strength == "proved"


def is_exchanged(values: float, patch: pytest.MonkeyPatch, queries: int = 2) -> bool:
    """Whether so many different values, at one another's queries, are said to be exchanged, where so many
    queries have each of them."""
    own = np.arange(1, values + 1) / 64
    ours, here = np.tile(own, queries), np.ones(len(own) * queries, np.bool_)
    theirs = np.append(np.roll(own, 1), ours[len(own) :])
    situation = Fake(base=None, evaluated=lambda base: Fake(values=ours, present=here))
    observed, differ = Fake(values=theirs, present=here, decimals=None), theirs != ours
    question: Any = Fake(observed=observed, situation=situation, mismatching=differ, differing=len(own))
    return diagnose._exchanged(question)


def is_mostly_exchanged(differing: float, patch: pytest.MonkeyPatch) -> bool:
    """Whether values are said to be exchanged if all but one of so many that differ are."""
    ours = np.arange(differing) / 64
    here = np.ones(len(ours), np.bool_)
    observed = Fake(values=np.append(np.roll(ours[1:], 1), 9.0), present=here, decimals=None)
    situation = Fake(base=None, evaluated=lambda base: Fake(values=ours, present=here))
    question: Any = Fake(observed=observed, situation=situation, mismatching=here, differing=len(ours))
    return diagnose._exchanged(question)


def is_looked_for(documents: float, patch: pytest.MonkeyPatch) -> bool:
    """Whether the set that gives most values is looked for where it ranks so many documents again."""
    of_all = Fake(recomputer=Fake(unordered=Fake(num_ret=np.array([documents - 1, 1]))))
    given = {"complete": lambda _: True, "explanation": lambda *_: None, "nearest": lambda most: ()}
    some: Any = Fake(every=[of_all], largest=6, **given)
    return Search._found_nearest(some)


def is_free_of_doubt(patch: pytest.MonkeyPatch, *, needed: float = 99, chance: float = 0.0) -> bool:
    patch.setattr(doubts, "least_needed", lambda *_: ("gain", needed))
    patch.setattr(doubts, "fitting_decoys", lambda *_: [])
    patch.setattr(doubts, "chance", lambda *_: chance)
    patch.setattr(doubts, "sameness", lambda _: None)
    proof: Any = Fake(changes=("one", "two"))
    search: Any = Fake(situation=None, choices=Fake(ranks={}))
    return doubts.doubts(search, [proof], 1000) == ("", [])


def is_rival(runs: float, patch: pytest.MonkeyPatch) -> bool:
    """Whether formulas that give the values of so many of two runs are rivals."""
    patch.setattr(doubts, "sameness", lambda _: lambda *_: False)
    changes = np.array([True])
    every = [
        Fake(judge_cells=False, holds=lambda _, fits=number <= runs: fits, changed=lambda *_: changes)
        for number in (1, 2)
    ]
    situation, shortlist = Fake(measure=parse_measure("P@5"), base=None), Fake(first_screens=[])
    search: Any = Fake(
        situation=situation, every=every, shortlist=shortlist, fixed=(), changed=lambda _: None
    )
    proof: Any = Fake(changes=("one",), conventions=None)
    return doubts.fitting_decoys(search, [proof]) != []


def is_one_value(runs: float, patch: pytest.MonkeyPatch) -> bool:
    """Whether "0.5 for every query" is a rival where so many of two runs have no other value."""
    patch.setattr(doubts, "decoys", lambda *_, **__: [])
    patch.setattr(doubts, "sameness", lambda _: None)
    values = [np.array([0.5, 0.5 if number <= runs else 1.0]) for number in (1, 2)]
    every = [Fake(judge_cells=True, observed=Fake(values=v, present=v > 0)) for v in values]
    search: Any = Fake(situation=Fake(measure=None), every=every, fixed=())
    return doubts.fitting_decoys(search, [Fake(changes=("one",))]) == ["0.5 for every query"]  # type: ignore[list-item]


def is_suggested(right: float, patch: pytest.MonkeyPatch) -> bool:
    """Whether the depth 4 is suggested where it makes so many of six values right, the others being as they
    are."""
    run = {query: {f"d{i}": 9.0 - i for i in range(1, 8)} for query in "abcdef"}
    rankings = Rankings(run_from_dict(run), qrels_from_dict({query: {"d5": 1} for query in run}))
    values = {b"abcdef"[i : i + 1]: 0.0 for i in range(int(right))}
    values |= {b"abcdef"[i : i + 1]: 0.7 for i in range(int(right), 6)}
    reference, depth = Recomputer(rankings, parse_measure("AP"), Conventions()), axis("depth")
    evidence = Evidence.of(reference, MeasureValues(values, None, ""))
    return (depth, 4) in fitting_ranks(depth, [evidence], Conventions().with_values)


def is_named(size: float, differing: float, patch: pytest.MonkeyPatch, *, means: int = 0) -> bool:
    """Whether a set of so many axes that gives everything is named where so many queries differ, or only
    means of so many runs."""
    explanation = Fake(axes={}, labels=[], changes=())
    search: Any = Fake(
        beside=[Fake(unmet=lambda _: 1)] * means,
        situation=Fake(base=None),
        judge_cells=not means,
        mismatching=np.ones(int(differing), np.bool_),
        explanation=lambda: None,
        complete=lambda one: False,
        smallest=lambda most: Search.smallest(search, most),
        complete_of_size=lambda number: [explanation] if number == size else [],
        unlikeliness=lambda one: 0,
        choices=Fake(tried=lambda number: 1),
    )
    patch.setattr(diagnose, "explained", lambda *_: True)
    question: Any = Fake(foreign=(), search=search, likely={}, leak=False)
    return bool(diagnose.whole(question))


def is_part(size: int, given: float, patch: pytest.MonkeyPatch) -> bool:
    """Whether a set of so many axes that gives so many of 20 queries is named as a part."""
    everywhere = np.ones(20, np.bool_)
    explanation = Fake(reproduced=np.arange(20) < given, labels=["gain"])
    search: Any = Fake(
        judge_cells=True,
        reachable=everywhere,
        partial_of_size=lambda number, agreeing: [explanation] if number == size else [],
        evidence=Fake(differing=everywhere),
    )
    patch.setattr(diagnose, "_exchanged", lambda question: False)
    question: Any = Fake(
        search=search,
        single=Fake(reproduced=everywhere),
        mismatching=everywhere,
        observed=Fake(values=np.zeros(20)),
        considered=everywhere,
        situation=Fake(nowhere=~everywhere),
        orders=Fake(give=lambda query: False),
        foreign=(),
        leak=False,
        differing=20,
    )
    return diagnose.piecewise(question).strength == "per-query"


def is_likelier_than_another_run(
    value: float, tools: list[str], share: float, patch: Any, *, tied: bool = True
) -> bool:
    """Whether an answer to a printed number leads, if a share of all answers gives it by chance.

    Two documents are tied: 1 is trec_eval's own value, and 0.5 that in input order, the second answer. If
    they are not tied, 0.5 is that of the documents from level 2 on.
    """
    patch.setattr(numbers, "_share", lambda *_: share)
    patch.setattr(numbers, "_similar", lambda _, answers, *more: [0.0] * len(answers))
    patch.setattr(numbers, "_by_order", lambda *_: 0.0)
    levels = {"b": 1} if tied else {"a": 1, "b": 2}
    run, qrels = run_from_dict({"q": {"a": 2.0 - tied, "b": 1.0}}), qrels_from_dict({"q": levels})
    number = numbers.PrintedNumber(value, 1, (parse_measure("RR"),), "run")
    known = {name: profiles()[name] for name in tools}
    found = numbers.explain_numbers([number], [numbers.Given({"run": (run, qrels)})], known)
    assert found.fitting[0].tools == tools
    return found.leading > 0


def gives_most(gained: int, vain: int, lost: int) -> bool:
    """Whether a change that gives so many values, changes some in vain and loses some is a part."""
    right, wrong = [True] * gained + [False] * (vain + lost), [False] * (gained + vain) + [True] * lost
    evidence = Fake(
        judge_cells=True,
        observed=Fake(values=np.arange(gained + vain + lost) / 100),
        given=lambda changes: (np.array(right if changes else wrong), False),
        changed=lambda *sets: np.array([True] * (gained + vain) + [False] * lost),
        predicts=lambda changes: np.ones(gained + vain + lost, np.bool_),
    )
    search: Any = Fake(
        every=(evidence,), changed=lambda changes: changes, gives_one_number=lambda *sets: False
    )
    return Search.is_part(search, ("change",))  # type: ignore[arg-type]


def gives_means(gained: int, vain: int, lost: int, kept: int) -> bool:
    """Whether a change that gives so many means, changes some in vain, loses and keeps some, is a part."""
    before = [False] * (gained + vain) + [True] * (lost + kept)
    after = [True] * gained + [False] * (vain + lost) + [True] * kept
    every = [
        Fake(
            judge_cells=False,
            given={("change",): (None, a), (): (None, b)}.get,
            changes_mean=lambda *sets: True,
        )
        for a, b in zip(after, before, strict=True)
    ]
    search: Any = Fake(every=every, changed=lambda changes: changes, gives_one_number=lambda *sets: False)
    return Search.is_part(search, ("change",))  # type: ignore[arg-type]


def mostly_helps(gained: int, vain: int) -> bool:
    """Whether a change that gives so many values, and changes some in vain, mostly helps."""
    right = np.array([True] * gained + [False] * vain)
    evidence = Fake(judge_cells=True, given=lambda _: (right, False), changed=lambda *_: right | True)
    search: Any = Fake(every=(evidence,), gives_one_number=lambda *sets: False)
    return Search.mostly_helps(search, "with", "without")  # type: ignore[arg-type]


def gives_one_number(given: list[float], wrong: list[float]) -> bool:
    """Whether a change that gives some values rightly, and others not, is told to give one number only."""
    right = np.array([True] * len(given) + [False] * len(wrong))
    evidence = Fake(
        observed=Fake(values=np.array([*given, *([9.0] * len(wrong))])),
        given=lambda changes: (right & (changes == "with"), False),
        changed=lambda *sets: np.ones_like(right),
        predicts=lambda changes: np.ones_like(right),
        values=lambda changes: np.array([*given, *wrong]),
    )
    search: Any = Fake(every=(evidence,))
    return Search.gives_one_number(search, "with", "without")  # type: ignore[arg-type]


ROWS: dict[str, Row] = {
    "queries that differ": (is_proved, 3, 2),
    "values that need each axis": (lambda n, patch: is_free_of_doubt(patch, needed=n), 3, 2),
    "sets that fit by chance": (lambda n, patch: is_free_of_doubt(patch, chance=n), 0.00099, 0.001),
    "values that a rank makes right": (is_suggested, 3, 2),
    "runs that a rival fits": (is_rival, 2, 1),
    "runs that have one value": (is_one_value, 2, 1),
    "values that are exchanged": (is_exchanged, 4, 3),
    "queries that have each of two exchanged values": (lambda n, patch: is_exchanged(2, patch, n), 1, 2),
    "a set that is found quickly": (is_looked_for, 7_999, 8_000),
    "values of which most are exchanged": (is_mostly_exchanged, 10, 9),
    "three axes": (lambda n, patch: is_named(3, n, patch), 3, 2),
    "four axes": (lambda n, patch: is_named(4, n, patch), 6, 5),
    "axes of a set": (lambda n, patch: is_named(n, 99, patch), 4, 5),
    "axes of a set that gives means": (lambda n, patch: is_named(n, 0, patch, means=9), 2, 3),
    "a part by one axis": (lambda n, patch: is_part(1, n, patch), 2, 1),
    "a part by two axes": (lambda n, patch: is_part(2, n, patch), 2, 1),
    "a part by three axes": (lambda n, patch: is_part(3, n, patch), 6, 5),
    "a part by four axes": (lambda n, patch: is_part(4, n, patch), 12, 11),
    "values that a part gives": (lambda n, patch: gives_most(n, 0, 0), 5, 4),
    "for each two that it changes in vain": (lambda n, patch: gives_most(n, 2, 0), 8, 7),
    "for each that it loses": (lambda n, patch: gives_most(n, 0, 1), 20, 19),
    "means for each two that it changes in vain": (lambda n, patch: gives_means(n, 2, 0, 9), 8, 7),
    "means for each that it loses": (lambda n, patch: gives_means(n, 0, 1, 9), 20, 19),
    "values for those that it changes in vain": (lambda n, patch: mostly_helps(n, 3), 3, 2),
    "a wrong number that is not the given one": (
        lambda n, patch: gives_one_number([0, 0], [0.5, n]),
        0.25,
        0,
    ),
    "one given number": (lambda n, patch: gives_one_number([0, n], [2, 3]), 0, 1),
    "that number among nearly all": (lambda n, patch: gives_one_number([0] * n, [2]), 9, 8),
    "another run": (partial(is_likelier_than_another_run, 1.0, []), 0.499, 0.5),
    "a tool": (partial(is_likelier_than_another_run, 0.5, ["ir-measures-cwl_eval"]), 0.2499, 0.25),
    "another level": (lambda n, p: is_likelier_than_another_run(0.5, [], n, p, tied=False), 0.0499, 0.05),
    "another change": (partial(is_likelier_than_another_run, 0.5, []), 0.0074, 0.0075),
}


@pytest.mark.parametrize(("holds", "inside", "outside"), ROWS.values(), ids=ROWS)
def test_a_word_is_said_on_one_side_of_its_number(holds, inside, outside, monkeypatch):
    """It is said at the first number, and not at the second."""
    assert holds(inside, monkeypatch)
    assert not holds(outside, monkeypatch)
