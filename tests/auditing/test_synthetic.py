"""Audits of metrics whose conventions are known, because they were drawn at random."""

import random
from collections.abc import Mapping

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from crosscheck.auditing import Audit, audit
from crosscheck.auditing.metric import Predictions
from crosscheck.axes import likeliest
from crosscheck.axes.base import AxisValue
from crosscheck.conventions import Conventions, conventions
from crosscheck.inputs.battery import mixed_probes, query_probes
from crosscheck.measures import family
from crosscheck.names import parse_measure
from tests.auditing.audited import PATIENT
from tests.support.kept import Kept
from tests.support.oracle import Parametric, changes_of
from tests.support.sampling import WHOLE

#: Numbers that random metrics have as values of an axis.
NUMBERS: dict[str, tuple[int, ...]] = {
    "depth": (20, 50, 100, 1000),
    "relevance_level": (2, 3),
    "rr_cutoff": (5, 10, 100),
    "rounding": (3, 4),
}
#: What random metrics do not have: documents that occur twice, which trec_eval refuses; values that only some
#: inputs show, or that the oracle has for some inputs only.
WITHOUT = {
    *("duplicates", "judged_depth", "max_grade", "result_precision"),
    *("micro", "nan-keeps-place", "quicksort", "quicksort-twice"),
}
MEASURES = ("P@5", "P@10", "R@5", "AP", "AP@10", "RR", "nDCG", "nDCG@10", "bpref", "Rprec")


def choices(measure: str) -> dict[str, list[str | int]]:
    """Axis -> values other than trec_eval's, for the axes that matter to a measure."""
    read = [axis for axis in likeliest() if axis.read_by(family(parse_measure(measure).family))]
    values = {axis.name: [str(v) for v in axis.values if v not in (None, axis.default)] for axis in read}
    every: dict[str, list[str | int]] = {
        axis: [*of_axis, *NUMBERS.get(axis, ())] for axis, of_axis in values.items()
    }
    return {
        axis: [v for v in some if v not in WITHOUT] for axis, some in every.items() if axis not in WITHOUT
    }


@st.composite
def metrics(draw: st.DrawFn) -> tuple[str, dict[str, str | int]]:
    """A measure, and one to three axes that matter to it with values other than trec_eval's."""
    measure = draw(st.sampled_from(MEASURES))
    values = {axis: some for axis, some in choices(measure).items() if some}
    chosen = draw(st.lists(st.sampled_from(sorted(values)), min_size=1, max_size=3, unique=True))
    return measure, {axis: draw(st.sampled_from(values[axis])) for axis in chosen}


def same_everywhere(measure: str, first: Mapping[str, AxisValue], second: Mapping[str, AxisValue]) -> bool:
    """Whether no input of two thousand others tells two sets of conventions apart."""
    parsed, rng = parse_measure(measure), random.Random(987654321)
    probes = [*query_probes(rng, parsed.cutoff, 70), *mixed_probes(rng, parsed.cutoff, 800)]
    pool = Predictions(probes, parsed)
    one, other = (pool.codes(Conventions().with_changes(**changes)) for changes in (first, second))
    return bool(np.array_equal(one, other))


def names_of(changes: Mapping[str, AxisValue]) -> set[str]:
    labels = {axis.name: axis.label for axis in likeliest()}
    return {labels[axis] for axis in changes}


def found_by(audited: Audit) -> list[dict[str, AxisValue]]:
    return [dict(audited.conventions), *(dict(a.conventions) for a in audited.alternatives)]


@settings(max_examples=3 if WHOLE else 1)
@given(metrics())
def test_audit_names_exactly_the_conventions_that_were_changed(
    metric: tuple[str, dict[str, str | int]],
) -> None:
    """One to three changes are named exactly, or are among those that no input distinguishes."""
    measure, changes = metric
    audited = audit(Parametric(changes), measure)
    assert "unexplained" not in audited.causes
    if changes in found_by(audited):
        return
    # A change without any effect beside the others is not named; what is named does the same everywhere.
    assert same_everywhere(measure, changes, found_by(audited)[0])
    if set(audited.causes) - names_of(changes):
        assert any(set(a.causes) <= names_of(changes) for a in audited.alternatives)


def named(setting: str, measure: str) -> str:
    """The conventions that are found of a metric with these; no input tells them apart, and these are among
    them."""
    audited = audit(Parametric(changes_of(setting)), measure, options=PATIENT)
    assert conventions(setting).changes_from(conventions("trec_eval-9.0.8")) in found_by(audited)
    every = (", ".join(f"{axis}={value}" for axis, value in of.items()) for of in found_by(audited))
    return f"{audited.strength}, {', '.join(sorted(audited.causes))}: {' or '.join(every)}"


NAMED = Kept(__file__, named=named)
test_one_change_or_five_are_named = NAMED.test(one_in=28)
