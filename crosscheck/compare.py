"""Comparing two backends' values of a measure, query by query, and checking the outcome against
declarations."""

from collections.abc import Sequence

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from crosscheck.evaluation.summarise import mean_of
from crosscheck.model import Aggregate, BoolArray, Expectation, FloatArray, IntArray, MeasureValues, Scores
from crosscheck.results import Diagnosis, Outcome

#: The least difference of two means that counts: their last bits depend on the order of addition.
LEAST_OF_MEANS = 1e-9


class Differences(Struct, frozen=True, kw_only=True, eq=False):
    """Comparison of reference and candidate, one entry per topic for which either side has a value.

    Attributes:
        topics: ids of the topics in byte order.
        match: whether both sides have a value and the values agree; mismatch: whether both have a value and
            the values differ; missing: whether one side has no value.
        abs_diff: absolute difference, NaN if a side has no value or is NaN; ulp: distance in representable
            doubles (:func:`ulp_distance`), -1 if a side has no value or is NaN.
        reference_mean, candidate_mean: the mean that each side reported, or else the mean of the side's
            values as trec_eval computes means.
        mean_match: whether the two means agree (True if neither side has one); if a candidate with values
            reported none, the means of the values.
        mean_alone: whether the means of the values agree, but only the reference reported a mean, and a
            different one.
    """

    topics: tuple[bytes, ...]
    reference: Scores
    candidate: Scores
    match: BoolArray
    mismatch: BoolArray
    missing: BoolArray
    abs_diff: FloatArray
    ulp: IntArray
    reference_mean: float | None
    candidate_mean: float | None
    mean_match: bool
    mean_alone: bool

    @property
    def agree(self) -> bool:
        return bool(self.match.all()) and self.mean_match


def align(values: MeasureValues, topics: tuple[bytes, ...]) -> Scores:
    """A backend's values in the order of ``topics``."""
    present = np.fromiter((t in values.values for t in topics), np.bool_, len(topics))
    numbers = np.fromiter((values.values.get(t, np.nan) for t in topics), np.float64, len(topics))
    return Scores(numbers, present, values.mean, values.decimals)


def ulp_distance(a: FloatArray, b: FloatArray) -> IntArray:
    """The number of steps between neighbouring doubles from each value of ``a`` to that of ``b``.

    0 for equal values (also -0.0 and 0.0), -1 if a value is NaN; large distances are clipped to fit int64.
    """

    def ordered(x: FloatArray) -> IntArray:
        bits = x.view(np.int64)
        return np.where(bits < 0, np.int64(-(2**63)) - bits, bits)

    x, y = ordered(np.ascontiguousarray(a)), ordered(np.ascontiguousarray(b))
    size = np.abs(x.astype(np.float64)) + np.abs(y.astype(np.float64))
    wide = ((x < 0) != (y < 0)) & (size > 2.0**62)  # their difference may be larger than an integer
    return np.where(np.isnan(a) | np.isnan(b), -1, np.where(wide, 2**62, np.abs(x - y)))


def equal(
    reference: FloatArray, candidate: FloatArray, tolerance: float | FloatArray, decimals: int | None
) -> BoolArray:
    """Whether values agree: both NaN, the same infinity, or within the absolute tolerance.

    If values were printed with few decimals, they may also differ by half a unit of the last digit. A value
    halfway between two printed numbers agrees with both, because tools round halves differently.

    Args:
        tolerance: one number for all values, or an array with one number for each value.
        decimals: the number of decimals of the side with the fewest, None if both have full precision.
    """
    with np.errstate(invalid="ignore"):
        if decimals is not None:
            noise = 2 * np.spacing(np.maximum(np.abs(reference), np.abs(candidate)))
            tolerance = tolerance + _half(decimals) + noise
        close = np.abs(reference - candidate) <= tolerance
    agree: BoolArray = close | (reference == candidate) | (np.isnan(reference) & np.isnan(candidate))
    return agree


def same(
    reference: float | None, candidate: float | None, tolerance: float = 1e-9, decimals: int | None = None
) -> bool:
    """:func:`equal` for two numbers; None agrees with None only."""
    if reference is None or candidate is None:
        return reference is candidate
    return bool(equal(np.array([reference]), np.array([candidate]), tolerance, decimals)[0])


def differ(
    reference: MeasureValues, candidate: MeasureValues, tolerance: float = 1e-9, aggregate: Aggregate = "mean"
) -> Differences:
    """Compare two backends' values of one measure on one run.

    If one side has only a mean, only the means are compared.

    Args:
        tolerance: largest absolute difference of values that agree; 0.0 requires the same bits.
        aggregate: how the measure is summarised over queries, for a side that reported no mean.
    """
    topics = tuple(sorted(reference.values.keys() | candidate.values.keys()))
    if any(not side.values and side.mean is not None for side in (reference, candidate)):
        topics = ()  # One side has only a mean, so only the means can be compared.
    ours, theirs = align(reference, topics), align(candidate, topics)
    both = ours.present & theirs.present
    match = both & equal(ours.values, theirs.values, tolerance, coarser(ours.decimals, theirs.decimals))
    with np.errstate(invalid="ignore"):
        size = np.where(ours.values == theirs.values, 0.0, np.abs(ours.values - theirs.values))
    sides = reference, candidate
    means = [mean_of(side, aggregate) for side in sides]
    lone = candidate.mean is None and all(side.values for side in sides)
    held = [replace(side, mean=None) for side in sides] if lone else sides
    match_of_means = _means_match(held, aggregate, tolerance)
    return Differences(
        topics=topics,
        reference=ours,
        candidate=theirs,
        match=match,
        mismatch=both & ~match,
        missing=~both,
        abs_diff=np.where(both, size, np.nan),
        ulp=np.where(both, ulp_distance(ours.values, theirs.values), -1),
        reference_mean=means[0],
        candidate_mean=means[1],
        mean_match=match_of_means,
        mean_alone=lone and match_of_means and not _means_match(sides, aggregate, tolerance),
    )


def _means_match(sides: Sequence[MeasureValues], aggregate: Aggregate, tolerance: float) -> bool:
    """Whether both means agree, within the tolerance and the printed digits of the means or the values."""
    slack = max(tolerance, LEAST_OF_MEANS)
    # A mean over printed values carries their rounding, in any direction.
    slack += sum(_half(side.decimals) for side in sides if side.mean is None)
    printed = coarser(*(side.decimals for side in sides if side.mean is not None))
    ours, theirs = (mean_of(side, aggregate) for side in sides)
    return same(ours, theirs, slack, printed)


def coarser(*decimals: int | None) -> int | None:
    """The lowest of these numbers of decimals; None if all are None (full precision)."""
    return min((number for number in decimals if number is not None), default=None)


def _half(decimals: int | None) -> float:
    """Half a unit of the last printed digit; 0 for full precision."""
    return 0.0 if decimals is None else 0.5 * 10.0**-decimals


class DeclaredOutcome(Struct, frozen=True):
    """The result of checking an outcome against its declaration in ``case.toml``.

    Attributes:
        expected: whether the outcome is as declared, or agrees and nothing is declared.
        stale: whether the declared mismatch or error no longer happens, because both sides agree.
        reason: the reason in the declaration, if the outcome is as declared or the declaration is stale.
        message: why the outcome is unexpected.
    """

    expected: bool
    stale: bool = False
    reason: str | None = None
    message: str | None = None


def find_expectation(
    expectations: Sequence[Expectation], candidate: str, measure: str, run: str
) -> Expectation | None:
    """The declaration for a comparison, or None. A declaration for this run takes precedence over a
    declaration for all runs."""
    about = candidate, measure
    fitting = [e for e in expectations if (e.candidate, e.measure) == about and e.run in (run, None)]
    return min(fitting, key=lambda e: e.run is None, default=None)


def judge(
    outcome: Outcome, diagnosis: Diagnosis | None, declared: Expectation | None, *, whole: bool
) -> DeclaredOutcome:
    """Check an outcome against its declaration.

    Args:
        diagnosis: that of a mismatch. Its strength is checked only if the declaration names a strength.
        whole: False if only some queries were compared. The absence of a declared mismatch is then expected.
    """
    if outcome == "unsupported" or (outcome == "match" and (declared is None or not whole)):
        return DeclaredOutcome(expected=True)
    if declared is None:
        return DeclaredOutcome(expected=False)
    if outcome == "match":
        gone = f"case.toml declares a {declared.outcome} that no longer happens; --prune removes the entry"
        return DeclaredOutcome(expected=False, stale=True, reason=declared.reason, message=gone)
    causes, strength = (diagnosis.causes, diagnosis.strength) if diagnosis else ([], None)
    if outcome != declared.outcome:
        message = f"the outcome {declared.outcome}, but the outcome is {outcome}"
    elif outcome == "mismatch" and set(causes) != set(declared.causes):
        message = f"the cause {', '.join(declared.causes)}, but the cause found is {', '.join(causes)}"
    elif outcome == "mismatch" and declared.strength not in (None, strength):
        message = f"the strength {declared.strength}, but the strength found is {strength}"
    else:
        return DeclaredOutcome(expected=True, reason=declared.reason)
    return DeclaredOutcome(expected=False, message=f"case.toml declares {message}")
