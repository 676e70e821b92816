"""Calls as text: parsed, never evaluated, and written as they were read; what is made and given for one."""

from __future__ import annotations

import os
import re
from typing import Any

import pytest

from crosscheck.auditing.calls import Watch, as_program, made, parse_call, returned_by, with_column
from crosscheck.auditing.words import OF_ALL_QUERIES, WORDS, Materials
from crosscheck.errors import UsageError
from crosscheck.formats.dicts import qrels_from_dict, run_from_dict
from crosscheck.names import parse_measure
from tests.support.kept import Kept, need

JUDGED, RETRIEVED = {"1": {"a": 1}, "3": {"b": 1}}, {"1": {"a": 1.0}, "2": {"a": 1.0}}


def sources(call: Any, qrels: Any = JUDGED, run: Any = RETRIEVED) -> Any:
    return Materials(qrels_from_dict(qrels), run_from_dict(run), parse_measure("P@5"), call).sources


def refused(text: str) -> str:
    """What is wrong with a call, without the words that there are."""
    with pytest.raises(UsageError, match="gains, binary, judged_gains, ideal_gains, ranked_ids") as error:
        parse_call(text)
    return re.sub(r"(f\(){9,}", "f(f(...", str(error.value).partition("\n")[0])


def passed(text: str) -> str:
    call = parse_call(text)
    ((source,),) = sources(call)
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


USED = (parse_call, refused, passed, program, with_column, added)
EXAMPLES = Kept(__file__, **{one.__name__: one for one in USED}, os=os)
test_calls_as_they_are_read_written_and_passed = EXAMPLES.test()


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
