"""The fingerprint: the metric's value on each axis, and the experiment that decided it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from crosscheck.audit_records import AxisFinding
from crosscheck.auditing.axes import Axis
from crosscheck.auditing.duplicates import DuplicateHandling
from crosscheck.auditing.elimination import Elimination
from crosscheck.axes import axes as all_axes
from crosscheck.axes.duplicates import DUPLICATES
from crosscheck.conventions import AxisValue, Conventions, plain
from crosscheck.results import number

__all__ = ["fingerprint", "in_practice"]

_REPEATED = "duplicates"


def fingerprint(
    search: Elimination,
    axes: Sequence[Axis],
    likeliest: Sequence[Conventions],
    settled: Iterable[str],
    repeats: DuplicateHandling | None,
    *,
    explained: bool,
) -> list[AxisFinding]:
    """One finding per axis that could matter, those that differ from the reference first.

    Args:
        likeliest: the remaining sets of conventions, the reported one first.
        settled: axes whose value the call fixes unless another one is found.
        repeats: the metric's treatment of documents that occur twice; None if the call cannot pass them.
        explained: whether all answers of the metric are explained; if not, an axis is unknown unless
            experiments showed it directly.
    """
    changed = likeliest[0].changes_from(search.base)
    fixed = set(settled) - changed.keys()
    left_out = fixed if repeats is None else fixed | {_REPEATED}
    found = [_finding(search, axis, likeliest) for axis in axes if axis.name not in left_out]
    if not explained:
        found = [
            f if f.status == "unseen" or search.observed(likeliest[0], f.axis) else _unknown(f) for f in found
        ]
    if repeats is not None and repeats.values:
        repeated = _of_repeats(repeats, plain(search.base[DUPLICATES]))
        found.append(repeated if explained or repeated.status == "decided" else _unknown(repeated))
    found.sort(key=lambda finding: finding.value == finding.reference_value)
    labels = {name: axis.label for name, axis in all_axes().items()}
    for name in sorted(fixed & labels.keys()):
        value = search.base.plain(name)
        found.append(
            AxisFinding(axis=name, cause=labels[name], value=value, reference_value=value, status="settled")
        )
    return found


def _unknown(finding: AxisFinding) -> AxisFinding:
    return replace(finding, value="unknown", status="unknown", decided_by=None, input=None, seen=None)


def _finding(search: Elimination, axis: Axis, likeliest: Sequence[Conventions]) -> AxisFinding:
    value, reference = _value(likeliest[0], axis), _value(search.base, axis)
    label, number_of = axis.cause.label, search.settled_at.get(axis.name)
    if len({_value(conventions, axis) for conventions in likeliest}) > 1:
        return AxisFinding(axis=axis.name, cause=label, value=value, reference_value=reference, status="open")
    values = {_value(conventions, axis) for conventions in search.possible}
    by_fresh_inputs = value not in values
    if not by_fresh_inputs and (len(values) > 1 or axis.name not in search.considered):
        return AxisFinding(
            axis=axis.name, cause=label, value=value, reference_value=reference, status="unseen"
        )
    if by_fresh_inputs or not number_of:
        return AxisFinding(
            axis=axis.name, cause=label, value=value, reference_value=reference, status="decided"
        )
    experiment = search.experiments[number_of - 1]
    seen = None if experiment.seen.value is None else number(experiment.seen.value)
    return AxisFinding(
        axis=axis.name,
        cause=label,
        value=value,
        reference_value=reference,
        status="decided",
        decided_by=number_of,
        input=experiment.probe.about,
        seen=seen,
    )


def _of_repeats(repeats: DuplicateHandling, reference: AxisValue) -> AxisFinding:
    label = DUPLICATES.label
    value = plain(repeats.values[0])
    if len(repeats.values) > 1:
        return AxisFinding(axis=_REPEATED, cause=label, value=value, reference_value=reference, status="open")
    if repeats.example is None:
        return AxisFinding(
            axis=_REPEATED, cause=label, value=value, reference_value=reference, status="decided"
        )
    probe, answer = repeats.example
    seen = None if answer.value is None else number(answer.value)
    return AxisFinding(
        axis=_REPEATED,
        cause=label,
        value=value,
        reference_value=reference,
        status="decided",
        decided_by=None,
        input=probe.about,
        seen=seen,
    )


def _value(conventions: Conventions, axis: Axis) -> AxisValue:
    return conventions.plain(axis.name)


def in_practice(axes: Iterable[Axis], found: Conventions, base: Conventions) -> list[str]:
    """One sentence per deviation: the difference and the way out."""
    changed = found.changes_from(base)
    said: list[str] = []
    for axis in axes:
        if axis.name in changed:
            clause = axis.cause.describe(_value(base, axis), changed[axis.name])
            said.append(f"{axis.cause.label}: {clause}. Way out: {axis.cause.way_out}")
    return said
