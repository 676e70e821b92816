"""Faults in crosscheck's own measures, for ``tests/harness/test_broken.py``."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from msgspec.structs import replace

from crosscheck.axes.judging import RELEVANCE_LEVEL
from crosscheck.measures import families
from crosscheck.measures.base import Compute
from crosscheck.model import FloatArray, Measure, ParamValue
from crosscheck.rankings.judged import JudgedRankings

#: From the right formula to a wrong one.
Fault: TypeAlias = Callable[[Compute], Compute]


def _values(change: Callable[[FloatArray], FloatArray]) -> Fault:
    return lambda right: lambda *given: change(right(*given))


def _given(change: Callable[..., tuple[Any, ...]]) -> Fault:
    """The right formula of other rankings, conventions or measures."""
    return lambda right: lambda *given: right(*change(*given))


def _ranks(by: int) -> Fault:
    """Every document this many ranks further down."""

    def lower(judged: JudgedRankings, *rest: Any) -> tuple[Any, ...]:
        return replace(judged, rank=judged.rank + by, num_ret=judged.num_ret + by, recent=None), *rest

    return _given(lower)


def _cutoff(by: int) -> Fault:
    return _given(lambda judged, spec, m: (judged, spec, replace(m, cutoff=(m.cutoff or 0) + by)))


def _with(**params: ParamValue) -> Fault:
    def changed(measure: Measure) -> Measure:
        return replace(measure, params=tuple(sorted({**dict(measure.params), **params}.items())))

    return _given(lambda judged, spec, measure: (judged, spec, changed(measure)))


def _under(**changes: str | int) -> Fault:
    """The formula of another convention: the cause that a diagnosis would name."""
    return _given(lambda judged, spec, measure: (judged, spec.with_changes(**changes), measure))


def _over_k(right: Compute) -> Compute:
    """Divided by k where fewer documents are relevant."""
    return lambda judged, conventions, measure: (
        right(judged, conventions, measure)
        * np.minimum(judged.num_rel(conventions[RELEVANCE_LEVEL]), measure.cutoff or 0)
        / (measure.cutoff or 0)
    )


def lower(query: int | None = None) -> Fault:
    """Every value one percent too low, or that of one query."""

    def change(values: FloatArray) -> FloatArray:
        wrong = np.where(values == 0, -0.01, values * 0.99)
        return wrong if query is None else np.where(np.arange(len(values)) == query, wrong, values)

    return _values(change)


#: What is wrong -> family, fault: the lines of the text file.
FAULTS: dict[str, tuple[str, Fault]] = {
    what: (family, eval(wrong))
    for line in Path(__file__).with_suffix(".txt").read_text("utf-8").splitlines()
    for what, family, wrong in [re.split(" => |: ", line, maxsplit=2)]
}


@contextmanager
def fault(family: str, wrong: Fault) -> Iterator[None]:
    """A fault in a family of measures inside the ``with`` block."""
    held, right = families(), families()[family]
    held[family] = replace(right, compute=wrong(right.compute))
    try:
        yield
    finally:
        held[family] = right
