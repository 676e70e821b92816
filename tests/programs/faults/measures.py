"""Faults in crosscheck's own measures, for ``tests/harness/test_broken.py``."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
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


#: What is wrong -> family, fault.
FAULTS: dict[str, tuple[str, Fault]] = {
    "RR is 1 / (rank + 1)": ("RR", _values(lambda values: values / (1 + values))),
    "RR is 0 below rank 1": ("RR", _under(rr_cutoff=1)),
    "AP divides by the relevant documents found": ("AP", _under(ap_denominator="retrieved-relevant")),
    "AP gives each query the value of another": ("AP", _values(lambda values: np.roll(values, 1))),
    "Rprec leaves out the last document": ("Rprec", _ranks(1)),
    "P@k looks at k + 1": ("P", _cutoff(1)),
    "nDCG gains 2^level - 1": ("nDCG", _under(gain="exponential")),
    "nDCG discounts by the next rank": ("nDCG", _ranks(1)),
    "bpref finds relevant from level 2 on": ("bpref", _under(relevance_level=2)),
    "Success@k looks at k + 1": ("Success", _cutoff(1)),
    "ERR ends its scale at the highest level": ("ERR", _under(max_grade="qrels")),
    "RBP has p = 0.9": ("RBP", _with(p=0.9)),
    "infAP starts at rank 2": ("infAP", _ranks(1)),
    "relative_P divides by k": ("relative_P", _over_k),
    "R@k looks at k - 1": ("R", _cutoff(-1)),
    "R@k divides by k": ("R", _under(recall_denominator="min(R,k)")),
    "gm_map is no logarithm": ("gm_map", _values(np.exp)),
    "IPrec is that of the next point": ("IPrec", _with(recall=0.6)),
    "11pt_avg has ten points": ("11pt_avg", _with(points=(0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0))),
    "SetF has beta = 2": ("SetF", _with(beta=2.0)),
    "NumRet counts one more": ("NumRet", _values(lambda values: values + 1)),
    "DCG has no discount": ("DCG", _under(discount="none")),
    "SDCG@k looks at k + 1": ("SDCG", _cutoff(1)),
    "INST wants a gain of 2": ("INST", _with(T=2.0)),
    "Compat has p = 0.9": ("Compat", _with(p=0.9)),
    "unj@k looks at k + 1": ("unj", _cutoff(1)),
    "yaap has the wrong sign": ("yaap", _values(np.negative)),
    "alpha_nDCG has alpha = 0.4": ("alpha_nDCG", _with(alpha=0.4)),
    "StRecall@k looks at k - 4": ("StRecall", _cutoff(-4)),
    "map_avgjg finds relevant from level 2 on": ("map_avgjg", _under(relevance_level=2)),
    "prefs_simp counts what is not fulfilled": ("prefs_simp", _values(lambda values: 1 - values)),
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
