"""Claims about assert_agrees and assert_same that need no project of their own."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest

from crosscheck.auditing.explaining import needed
from crosscheck.auditing.metric import Asked, native_answer
from crosscheck.conventions import Conventions, conventions
from crosscheck.inputs.battery import battery
from crosscheck.names import parse_measure
from crosscheck.native import evaluate
from crosscheck.testing import assert_agrees, assert_same
from tests.programs.fixtures import VALUES_OF_AXES, rows
from tests.support.kept import REMEDY, Kept

QRELS = {f"{q}": {"a": 1, "b": 2 + q % 2, "c": 0} for q in range(7)}
RUN = {q: {"a": 3.0, "c": 2.5, "b": 2.0} for q in QRELS}


def values(conventions: str) -> dict[str, float]:
    found = evaluate(QRELS, RUN, ["nDCG@3"], conventions=conventions)
    return {q: row["nDCG@3"] for q, row in found.items()}


def said(call: Callable[[], None]) -> str:
    """The message of an assertion that fails, or that it passes."""
    try:
        call()
    except AssertionError as failed:
        return str(failed)
    return "it passes"


def same(given: Any, **more: Any) -> str:
    return said(lambda: assert_same(QRELS, RUN, given, "nDCG@3", **more))


def agrees(metric: Any, measure: str, **more: Any) -> str:
    return said(lambda: assert_agrees(metric, measure, **more))


def local_metrics() -> dict[str, Callable[..., float]]:
    """Functions that no other process can import, so they are called in this one."""

    def wasteful(gains: list[int], k: int) -> float:
        level = sum(map(bool, gains[:k])) / k * 100
        gains.clear()
        return level

    return {"one_half": lambda gains, k: 0.5, "wasteful": wasteful}


#: Changes that no answers on the battery show: audits name the first two in other ways, and find no case of
#: the others on these measures.
_NOT_SHOWN = {"duplicates", "special_scores=nan-keeps-place", "result_precision"}
_NOT_SHOWN |= {"geometric_floor=replace-zero", "ideal=hits-returned"}


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("case", "setting"),
    [pytest.param(case, setting, id=setting) for case, _, setting in rows(VALUES_OF_AXES)],
)
def test_every_value_of_every_axis_is_seen_to_be_needed(case, setting):
    """An allowance of one value, for a metric that has it and differs in nothing else."""
    measure, base = parse_measure(case.measures[0]), conventions(case.reference[7:] or "trec_eval-9.0.8")
    (change,) = conventions(setting).changes_from(Conventions()).items()
    follows = base.with_changes(**dict([change]))
    probes = battery(0, measure, together=True, means=True)
    asked = [Asked(p, native_answer(p.qrels, p.run, measure, follows), measure) for p in probes]
    shown = _NOT_SHOWN.isdisjoint({change[0], setting})
    assert (needed(asked, follows, base, 1e-9) == {change[0]}) is shown


def rr_of_hits(binary):
    return next((1 / rank for rank, hit in enumerate(binary, 1) if hit), None)


def rr_or_nan(binary):
    return float("nan") if (value := rr_of_hits(binary)) is None else value


def ndcg_of_results(gains, k):
    def dcg(levels):
        return sum(level / math.log2(rank + 1) for rank, level in enumerate(levels[:k], 1))

    return dcg(gains) / (dcg(sorted(gains, reverse=True)) or 1.0)


@pytest.mark.one_in(5)
@pytest.mark.parametrize(
    ("metric", "measure", "given"),
    [
        (ndcg_of_results, "nDCG@5", {"call": "f(gains, k)", "seed": 1}),
        (rr_or_nan, "RR", {}),
        # It is handed lists in rank order, so it has none of the profile's rules for ties and scores.
        (ndcg_of_results, "nDCG@5", {"allow": "profile:ranx", "timeout": 30.0}),
        ("native:averaging=median", "P@5", {}),
        ("native:query_set=run", "RR", {}),
    ],
)
def test_the_line_that_is_printed_goes_green(metric, measure, given):
    """It holds every argument of the call that failed."""
    with pytest.raises(AssertionError, match="If that is meant:") as failed:
        assert_agrees(metric, measure, **given)
    pasted = str(failed.value).splitlines()[-1].strip()
    for name, value in given.items():
        assert name == "allow" or f", {name}={value!r}" in pasted
    eval(pasted, globals())


USED = (values, same, agrees, ndcg_of_results)
EXAMPLES = Kept(__file__, within=({one.__name__: one for one in USED}, local_metrics()))


def test_examples() -> None:
    """What is said where values differ, with cause and the line that allows it; other calls are refused."""
    assert EXAMPLES.anew() == EXAMPLES.read(), REMEDY
