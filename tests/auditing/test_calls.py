"""Calls as text, parsed and never evaluated; what is made and given for one; which calls names suggest."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from typing import Any

import pytest

from crosscheck.auditing.calls import Watch, as_program, made, parse_call, returned_by, with_columns
from crosscheck.auditing.signatures import UNKNOWN, candidates
from crosscheck.auditing.words import OF_ALL_QUERIES, WORDS, Materials
from crosscheck.errors import UsageError
from crosscheck.formats.dicts import qrels_from_dict, run_from_dict
from crosscheck.names import parse_measure
from tests.auditing.audited import defined
from tests.support.kept import Kept, need
from tests.targets import s1, s2, s4, s5

JUDGED, RETRIEVED = {"1": {"a": 1}, "3": {"b": 1}}, {"1": {"a": 1.0}, "2": {"a": 1.0}}


def sources(call: Any, qrels: Any = JUDGED, run: Any = RETRIEVED) -> Any:
    return Materials(qrels_from_dict(qrels), run_from_dict(run), parse_measure("P@5"), call).sources


def refused(text: str) -> str:
    """What is wrong with a call, without the words that there are."""
    with pytest.raises(UsageError, match="gains, binary, judged_gains, ideal_gains, ranked_ids") as error:
        parse_call(text)
    return re.sub(r"(f\(){9,}", "f(f(...", str(error.value).partition("\n")[0])


def passed(text: str, *inputs: Any) -> str:
    call = parse_call(text)
    ((source,),) = sources(call, *inputs)
    return " and ".join(str(made(argument, source)) for argument in call.arguments)


def program(text: str) -> str:
    """A call with the documents that it needs to show what is passed."""
    need("polars" if "polars" in text else "pandas" * ("_df" in text or "frame" in text))
    call, docnos = parse_call(text), "abcdef" if "relevant_ids" in text else "a"
    run = {"1": {"a": 2.0, "x": 1.0} if "gains" in text else {"a": 2.0}}
    ((source,),) = sources(call, {"1": dict.fromkeys(docnos, 3)}, run)
    return "\n".join(as_program(call, [source]))


class Accumulated:
    """All that was added, as text."""

    def __init__(self) -> None:
        self.added: list[object] = []

    def update(self, gains: list[int]) -> float:
        self.added.append(gains)
        return 0.5  # the value of the batch, which is no object to go on with

    def add_batch(self, run: object, qrels: object) -> None:
        self.added.append((run, qrels))

    def accumulate(self, scores: list[float], numbers: list[int]) -> None:
        self.added.append((scores, numbers))

    def compute(self) -> str:
        return str(self.added)


def added(text: str) -> str:
    """What each object was given."""
    qrels, call = {"1": {"a": 1}, "2": {"c": 2}, "3": {"d": 1}}, parse_call(text)
    every = sources(call, qrels, {"1": {"a": 1.0}, "2": {"b": 2.0, "c": 1.0}})
    return "\n".join(returned_by(Accumulated, call, some) for some in every)


def calls(function: Callable[..., Any] | str, *these: str, cutoff: bool = True) -> str:
    """How many calls are possible, how many of them pass files or have unknown names, and what some cost."""
    costs = {str(named): cost for cost, named in candidates(defined(function), None, has_cutoff=cutoff)}
    files, unknown = sum("file(" in text for text in costs), sum(cost >= UNKNOWN for cost in costs.values())
    cost = "".join(f"\n{call} costs {costs.get(call)}" for call in these)
    return f"{len(costs)} calls, {files} with files, {unknown} of unknown names{cost}"


def words(function: Callable[..., Any] | str) -> list[str]:
    """All words of the calls that are possible."""
    calls = (call for _, call in candidates(defined(function), None, has_cutoff=False))
    return sorted(set[str]().union(*(call.words for call in calls)))


def settled(call: str) -> str:
    """The axes that a call settles, of those that some call settles."""
    asked = {"order", "ties", "duplicates", "ids", "identical_ids", "missing_queries", "max_grade"}
    return ", ".join(sorted(parse_call(call).fixed_axes & asked))


EXAMPLES = Kept(__file__, within=(globals(),), with_columns=with_columns, os=os)
SIGNATURES = Kept(__file__, part=".signatures", within=(globals(),), s1=s1, s2=s2, s4=s4, s5=s5)
test_calls_as_they_are_read_written_and_passed = EXAMPLES.test()
test_what_a_function_says_and_what_a_call_settles = SIGNATURES.test()


def test_every_word_can_be_used():
    """Each word that is documented is understood, alone or with a ranking beside it."""
    for word in WORDS:
        beside = "run" if word in OF_ALL_QUERIES else "gains"
        assert word in parse_call(f"f({word}, {beside})").words


def test_what_one_call_is_given_is_filled_again_for_the_next():
    """Only if it is watched; then what the function modifies is noted as well."""
    call, given = parse_call("f(relevance, ranked_ids)"), list[Any]()

    def metric(relevance: dict[str, int], ranked_ids: list[str]) -> int:
        given.append((relevance, ranked_ids))
        ranked_ids.append("x")
        return relevance["a"]

    watch = Watch()
    for watched, same in ((None, [False, False]), (watch, [True, True])):
        given.clear()
        for level in (1, 2):
            (source,) = sources(call, {"1": {"a": level}}, {"1": {"a": 1.0}})
            assert returned_by(metric, call, source, watched) == level
        assert [one is other for one, other in zip(*given, strict=True)] == same
    assert watch.modified == {"ranked_ids"}
