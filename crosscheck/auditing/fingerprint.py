"""The fingerprint of a metric: its value on each axis, such as ``gain=exponential``, and the query that shows
this."""

from collections.abc import Collection, Iterator, Sequence
from typing import Any, TypeAlias

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from crosscheck.audit_records import AxisFinding, Nearest
from crosscheck.auditing.checking import DuplicateHandling
from crosscheck.auditing.metric import Piece
from crosscheck.axes import axes, likeliest
from crosscheck.axes.base import Axis
from crosscheck.axes.ids import DUPLICATES
from crosscheck.conventions import AxisValue, Conventions, plain, profiles
from crosscheck.evaluation.summarise import summary_of
from crosscheck.measures import family
from crosscheck.model import BoolArray, Measure
from crosscheck.names import described
from crosscheck.results import optional

#: If some answers are unexplained, a value of an axis counts as known only if at least this many answers
#: refute each of the other values.
_FEWEST = 2


class Seen(Struct):
    """The evidence that a metric's answers give about one axis.

    Attributes:
        base: the reference's value.
        refuted: value of the axis other than the metric's -> number of answers that the metric's value
            predicts and this value does not, counted up to enough; None for a value under which the measure
            cannot be computed.
        by: (number, special feature of the input, value) of the first answer that refutes a value, that of
            the reference if the metric has another; an entry is None if it is not known.
    """

    axis: Axis[Any]
    base: AxisValue
    refuted: dict[AxisValue, int | None] = {}
    by: tuple[int | None, str | None, float | None] | None = None

    def alike(self, value: AxisValue) -> bool:
        """Whether no answer distinguishes this value from the metric's. A value that was not tried has no
        effect, and so is the same as the reference's."""
        return self.refuted.get(value, self.refuted.get(self.base, 0)) == 0


def seen_axes(pieces: Sequence[Piece], conventions: Conventions, fixed: Collection[str]) -> dict[str, Seen]:
    """Name of an axis -> the evidence of the answers about it, for each axis that affects the measure.

    Args:
        conventions: the metric's conventions.
        fixed: the axes fixed by the call.
    """
    every = [(piece, piece.evidence.given(conventions)) for piece in pieces]
    about = family(pieces[0].evidence.recomputer.measure.family)
    read = (axis for axis in likeliest() if axis is not DUPLICATES and axis.read_by(about))
    return {axis.name: _seen(axis, every, conventions, fixed) for axis in read}


#: Evidence, with the mask of the values that the metric's conventions give, and whether they give the mean.
_Given: TypeAlias = tuple[Piece, tuple[BoolArray, bool]]


def _seen(axis: Axis[Any], every: Sequence[_Given], conventions: Conventions, fixed: Collection[str]) -> Seen:
    """The evidence about one axis."""
    base, own = every[0][0].evidence.recomputer.base.plain(axis.name), conventions.plain(axis.name)
    values = dict.fromkeys([base, *(plain(v) for p, _ in every for v in axis.options(p.evidence.recomputer))])
    if axis.name in fixed:
        values = {v: None for v in values if v == base or v in map(plain, axis.visible_in_one_query)}
    seen, number_of = Seen(axis, base), 0
    for value in values:
        if value == own:
            continue
        other, total, number_of = conventions.having(axis, axis.parse(value)), 0, 0
        if not every[0][0].evidence.recomputer.possible(other):
            seen.refuted[value] = None
            continue
        for piece, (cells, mean) in every:
            if total >= _FEWEST:
                break
            evidence = piece.evidence
            there, as_well = evidence.given(other)
            apart = np.flatnonzero(cells & ~there).tolist() if evidence.judge_cells else []
            total += len(apart) or int(evidence.counts_mean and mean and not as_well)
            if seen.by is None and apart and base in (own, value):
                at, observed = apart[0], evidence.observed
                # Means that stand for values are kept as logarithms if they are geometric.
                aggregate = evidence.recomputer.family.aggregate if evidence.of_means else "mean"
                answer = summary_of(observed.values[[at]], aggregate) if observed.present[at] else None
                seen.by = number_of + at + 1, piece.about[at], answer
            number_of += len(piece.about)
        seen.refuted[value] = total
    return seen


def fingerprint(
    seen: dict[str, Seen],
    base: Conventions,
    sets: Sequence[Conventions],
    fixed: Collection[str],
    repeats: DuplicateHandling,
    shown: Collection[str],
    *,
    explained: bool,
) -> list[AxisFinding]:
    """One finding per axis that could matter; axes on which the metric differs from the reference come first.

    Args:
        seen: the evidence of the answers, see :func:`seen_axes`.
        base: the reference's conventions.
        sets: the sets of conventions that explain the answers, the reported set first.
        fixed: axes that the call fixes; an axis on which the metric differs all the same is not treated as
            fixed.
        repeats: the metric's treatment of documents that occur twice; empty if the call cannot pass them.
        shown: axes on which the metric differs from trec_eval by some answer, which may be a mean or an
            answer on a fresh input.
        explained: whether all answers are explained. If not, an axis is ``unknown``, unless answers show its
            value directly or it is a cause.
    """
    changed = sets[0].changes_from(base)
    settled = set(fixed) - changed.keys()
    findings = [
        _finding(of, [c.plain(name) for c in sets], name in shown, explained=explained or name in changed)
        for name, of in seen.items()
        if name not in settled and (of.refuted or name in changed)
    ]
    if repeats.values and DUPLICATES.name not in settled:
        example = repeats.example
        by = (None, None, None) if example is None else (None, example.probe.about, example.value)
        seen_twice = Seen(DUPLICATES, plain(base[DUPLICATES]), {}, by)
        findings.append(_finding(seen_twice, list(map(plain, repeats.values)), False, explained=explained))
    findings.sort(key=lambda finding: finding.value == finding.reference_value)
    given = ((axis, base.plain(name)) for name, axis in sorted(axes().items()) if name in settled)
    return findings + [replace(_decided(axis, value, value), status="settled") for axis, value in given]


def _decided(axis: Axis[Any], value: AxisValue, reference: AxisValue) -> AxisFinding:
    """The finding of an axis with a known value."""
    name, label = axis.name, axis.label
    return AxisFinding(axis=name, cause=label, value=value, reference_value=reference, status="decided")


def _finding(seen: Seen, values: Sequence[AxisValue], shown: bool, *, explained: bool) -> AxisFinding:
    """The finding of an axis.

    Args:
        values: the values that the metric may have, likeliest first.
        shown: whether the metric differs from trec_eval on the axis by some answer.
        explained: whether all answers of the metric are explained.
    """
    finding, several = _decided(seen.axis, values[0], seen.base), len(set(values)) > 1
    if seen.by is None and values[0] == seen.base and not shown:
        return replace(finding, status="unseen")
    few = any(times is not None and times < _FEWEST for times in seen.refuted.values())
    if not explained and (few or several):
        return replace(finding, value="unknown", status="unknown")
    if several or seen.by is None:
        return replace(finding, status="open" if several else "decided")
    number_of, about, answer = seen.by
    return replace(finding, decided_by=number_of, input=about, seen=optional(answer))


def nearest_profile(
    measure: Measure, conventions: Conventions, seen: dict[str, Seen], visible: Collection[str]
) -> Nearest | None:
    """The profile that differs from the metric on the fewest axes, and these axes; None if no known tool has
    the measure.

    Only profiles that describe the measure are compared, and only axes that the answers show. Values that no
    answer distinguishes do not count as different.

    Args:
        conventions: the metric's conventions.
        seen: the evidence of the answers, see :func:`seen_axes`.
        visible: further axes to compare.
    """
    names = [*(name for name, of in seen.items() if of.by or name in visible), *visible]

    def differs(of_tool: Conventions) -> Iterator[str]:
        for axis in dict.fromkeys(names):
            value, of = of_tool.plain(axis), seen.get(axis)
            # On an axis in ``visible`` the metric is known to differ, even if these answers do not show it.
            alike = of is not None and of.alike(value) and not (axis in visible and of.alike(of.base))
            if value != conventions.plain(axis) and not alike:
                yield axis

    known = {name: of for name, one in profiles().items() if (of := described(one, measure)) is not None}
    near = [Nearest(name, sorted(differs(of_tool))) for name, of_tool in known.items()]
    return min(near, key=lambda nearest: len(nearest.differs), default=None)


def in_practice(conventions: Conventions, base: Conventions) -> list[str]:
    """One sentence per axis on which the metric differs from the reference: how, and how to avoid it."""
    changed = conventions.changes_from(base)
    return [
        f"{axis.label}: {axis.describe(base.plain(axis.name), changed[axis.name])}. Way out: {axis.way_out}"
        for axis in likeliest()
        if axis.name in changed
    ]
