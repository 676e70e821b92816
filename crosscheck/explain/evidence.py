"""A candidate's values as evidence: whether recomputed values equal them, and within which tolerance."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import cached_property

import numpy as np
import numpy.typing as npt
from msgspec import Struct
from msgspec.structs import replace

from crosscheck.axes import axis
from crosscheck.axes.summaries import ROUNDING
from crosscheck.compare import align, equal, same
from crosscheck.conventions import AxisValue, Conventions
from crosscheck.errors import CrosscheckError
from crosscheck.evaluation.recomputer import Recomputer
from crosscheck.model import BoolArray, FloatArray, IntArray, MeasureValues, Scores
from crosscheck.rankings.pairing import Memo
from crosscheck.rankings.sorts import single
from crosscheck.results import FOR_EVERY_QUERY

#: Tolerance within which a recomputed value equals the candidate's value.
PROOF_TOLERANCE = 1e-9
#: Tolerance, relative to the value, for values computed in single precision.
SINGLE = 1e-6
#: Tolerances to try: of double precision, then of single precision.
TOLERANCES = (PROOF_TOLERANCE, SINGLE)
#: Tolerance, in units of the last decimal, within which a value lies halfway between two rounded values.
_MIDDLE = 1e-6


def in_single_precision(values: FloatArray) -> bool:
    """Whether all finite values are single-precision numbers, and at least one is not so by chance.

    Numbers such as 0.25 are the same in both precisions. Any other double is a single-precision number in one
    case of 500 million, so one such value is enough. Single-precision numbers that were written as text
    (``0.33333334``) count as well.
    """
    finite = values[np.isfinite(values)]
    numbers = single(finite)
    exact = numbers.astype(np.float64) == finite
    if not exact.all():
        exact |= np.array([float(str(number)) for number in numbers], np.float64) == finite
    # Chance gives multiples of 1/4096 and numbers of at most seven decimals.
    binary = np.abs(finite * 4096 - np.round(finite * 4096))
    decimal = np.abs(finite * 1e7 - np.round(finite * 1e7))
    return bool(exact.all() and ((binary > 1e-4) & (decimal > 1e-3)).any())


def slack(
    observed: Scores,
    tolerance: float = PROOF_TOLERANCE,
    lines: Callable[[], npt.NDArray[np.number]] = lambda: np.zeros(1),
) -> FloatArray:
    """For each query, the tolerance within which a recomputed value equals the observed one.

    It is 1e-9, relative for values above 1. If all values are single-precision numbers, or ``tolerance`` is
    above 1e-9, a tolerance of 1e-6 (or ``tolerance``, if higher) relative to the value is added, more for
    queries of more than 64 lines, except for values with a known number of decimals.

    Args:
        lines: function that returns the number of lines of each query.
    """
    size = np.where(np.isfinite(observed.values), np.abs(observed.values), 0.0)
    single = tolerance > PROOF_TOLERANCE or in_single_precision(observed.values[observed.present])
    relative = max(SINGLE, tolerance) * growth(lines()) if single and observed.decimals is None else 0.0
    return PROOF_TOLERANCE * np.maximum(size, 1.0) + relative * size


def growth(lines: npt.NDArray[np.number]) -> FloatArray:
    """The factor by which errors of single precision grow as they add up along so many lines."""
    return np.asarray(np.maximum(1.0, np.sqrt(lines) / 8), np.float64)


def of_decimals(decimals: int | None) -> float:
    """The tolerance for values printed with this number of decimals; 0.0 for values in full precision."""
    return 0.0 if decimals is None else 0.5 * 10.0**-decimals


def possible_roundings(options: Sequence[AxisValue], observed: Scores) -> list[AxisValue]:
    """The numbers of decimals in ``options`` to which all values of the candidate may be rounded; None (no
    rounding) always remains."""
    values = observed.values[observed.present]
    return [decimals for decimals in options if decimals is None or _fit(values, int(decimals))]


def printed_alike(values: MeasureValues, decimals: int | None) -> MeasureValues:
    """A candidate's values, marked as printed with the reference's number of decimals if the highest number
    of decimals in them is the same. Both sides are then rounded equally, so that rounding is no difference.
    Unchanged if the reference's values were not printed (``decimals`` is None)."""
    own = np.array([*values.values.values(), *([] if values.mean is None else [values.mean])], np.float64)
    if decimals is None or values.decimals is not None or not _fit(own, decimals) or _fit(own, decimals - 1):
        return values
    return replace(values, decimals=decimals)


def _fit(values: FloatArray, decimals: int) -> bool:
    """Whether no finite value has more than ``decimals`` decimals."""
    finite = values[np.isfinite(values)]
    return bool((np.abs(finite - np.round(finite, decimals)) < 1e-12).all())


def equal_numbers(
    expected: float | None, value: float | None, tolerance: float, decimals: int | None = None
) -> bool:
    """Whether two values are equal, by the rule of :func:`crosscheck.compare.equal`. None means no value and
    equals only None.

    The tolerance is relative for values above 1. The tolerance of single precision is relative for all
    values: 0 is exact in every precision, and a small number added to all values is not a lack of precision.

    Args:
        decimals: number of decimals to which ``value`` was printed; None for full precision.
    """
    if expected is None or value is None or expected == value:
        return expected == value
    scale = abs(expected) if tolerance > min(TOLERANCES) else max(1.0, abs(expected))
    slack = tolerance * scale if math.isfinite(scale) else tolerance
    if decimals is None:
        return abs(expected - value) <= slack or (math.isnan(expected) and math.isnan(value))
    return bool(equal(np.asarray([expected]), np.asarray([value]), slack, decimals)[0])


def of_no_query(mean: float) -> bool:
    """Whether a mean may be over no query: metrics then give 0 or NaN."""
    return mean == 0 or math.isnan(mean)


def constant(values: FloatArray) -> list[str]:
    """``['0.5 for every query']`` if all values are equal (here 0.5), also if they are NaN; empty if values
    differ or there are none."""
    if not len(values) or not np.array_equal(values, np.full_like(values, values[0]), equal_nan=True):
        return []
    return [("NaN" if math.isnan(values[0]) else f"{values[0]:g}") + FOR_EVERY_QUERY]


class Evidence(Struct, frozen=True, eq=False, dict=True):
    """The values of one measure that a candidate gave for one run.

    Attributes:
        recomputer: measure, run and the reference's conventions.
        observed: the values, one per topic of run and qrels.
        judge_mean: whether the candidate's mean is compared, if it has one.
        judge_cells: whether the candidate's values per query are compared.
        tolerance: above 1e-9 if values are to be compared in single precision; see :func:`slack`.
        known: mask of the queries that are compared; None for all. A missing value is compared too.
        of_means: whether each value is a mean, of a single query or of all, so that 0 or NaN may mean that no
            query has a value.
        slack: tolerance within which a recomputed value equals the observed value, per query.
    """

    recomputer: Recomputer
    observed: Scores
    judge_mean: bool = True
    judge_cells: bool = True
    tolerance: float = PROOF_TOLERANCE
    known: BoolArray | None = None
    of_means: bool = False

    @classmethod
    def of(cls, recomputer: Recomputer, values: MeasureValues, *, judge_mean: bool = True) -> Evidence:
        """The evidence in a candidate's values for a run; in its mean, if it has no values per query."""
        cells = bool(values.values) or values.mean is None
        return cls(recomputer, align(values, recomputer.topics), judge_mean, cells)

    @cached_property
    def slack(self) -> FloatArray:
        """For each query, the tolerance of its value."""
        return slack(self.observed, self.tolerance, self._lines)

    def _lines(self) -> IntArray:
        """The number of lines of each query that count."""
        return self.recomputer.numbers_over_all_topics(self.recomputer.unordered.num_ret, 0)

    @cached_property
    def _known(self) -> Memo:
        return Memo()

    @property
    def counts_mean(self) -> bool:
        """Whether the candidate has a mean, and it is compared."""
        return self.judge_mean and self.observed.mean is not None

    def met(self, result: Scores, *, exactly: bool = False) -> tuple[BoolArray, bool]:
        """Compare recomputed values with the observed values.

        Args:
            result: the recomputed values.
            exactly: whether to compare in double precision even if all values are single-precision numbers.

        Returns:
            The mask of the queries whose value, or absence of a value, is as observed; and whether the mean
            is.
        """
        observed, room = self.observed, self.slack
        if exactly:
            room = PROOF_TOLERANCE * np.maximum(1.0, np.abs(np.nan_to_num(result.values, posinf=0, neginf=0)))
        same = equal(result.values, observed.values, room, observed.decimals)
        cells = np.where(observed.present, result.present & same, ~result.present)
        if self.of_means:
            cells |= ~result.present & (np.isnan(observed.values) | (observed.values == 0))
        if self.known is not None:
            cells |= ~self.known
        if observed.mean is None:
            return cells, False
        if self.of_means and result.mean is None:
            return cells, of_no_query(observed.mean)
        tolerance = float(room.max(initial=PROOF_TOLERANCE if exactly else self.tolerance))
        return cells, any(self._as_observed(result, tolerance))

    @property
    def differing(self) -> BoolArray:
        """Mask of the queries whose value the reference's conventions do not give."""
        return ~self.met(self.recomputer.evaluated(self.recomputer.base))[0]

    def unmet(self, conventions: Conventions) -> int:
        """The number of queries whose observed value these conventions do not give; 1 if they give all
        values, but not the mean. (A mean follows from the values, so it is not counted in addition.)"""
        cells, mean = self.given(conventions)
        return int((~cells).sum()) * self.judge_cells or int(self.counts_mean and not mean)

    def gives_mean(self, conventions: Conventions) -> bool:
        """Whether a mean is compared, and these conventions give it."""
        return self.counts_mean and self.given(conventions)[1]

    def gives_means(self, conventions: Conventions) -> list[bool]:
        """Whether these conventions give the mean, if it is rounded itself, and if it is the mean of rounded
        values; twice True if no such mean is compared."""
        result = self._evaluated(conventions)
        if result is None or not self.counts_mean or result.mean is None or result.mean_of_rounded is None:
            return [True, True]
        return self._as_observed(result, float(self.slack.max(initial=self.tolerance)))

    def _as_observed(self, result: Scores, tolerance: float) -> list[bool]:
        """Whether the mean, and the mean of rounded values, are as observed; those that there are."""
        means = [mean for mean in (result.mean, result.mean_of_rounded) if mean is not None]
        theirs = np.full(len(means), self.observed.mean)
        return [*map(bool, equal(np.asarray(means, np.float64), theirs, tolerance, self.observed.decimals))]

    def given(self, conventions: Conventions) -> tuple[BoolArray, bool]:
        """The mask of the queries whose observed value these conventions give, and whether they give the
        mean. All False if the measure cannot be computed under them."""
        result = self._evaluated(conventions)
        if result is None:
            return np.zeros_like(self.observed.present), False
        cells, mean = self.met(result)
        return cells | self.rounded_otherwise(conventions), mean

    def rounded_otherwise(self, conventions: Conventions) -> BoolArray:
        """Mask of the queries whose observed value is that under conventions, rounded in any way: 0.08125 is
        0.0812 in numpy, and 0.0813 in C."""
        if (decimals := conventions[ROUNDING]) is None:
            return self.recomputer.nowhere
        unit = float(f"1e{decimals}")
        with np.errstate(over="ignore", invalid="ignore"):
            theirs, ours = self.observed.values * unit, self.values(conventions.having(ROUNDING, None)) * unit
            whole = np.abs(theirs - np.rint(theirs)) <= _MIDDLE
            return np.asarray(whole & (np.abs(theirs - ours) <= 0.5 + _MIDDLE))

    def _evaluated(self, conventions: Conventions) -> Scores | None:
        """The values under conventions; None if the measure cannot be computed under them."""
        with suppress(CrosscheckError):
            if self.recomputer.possible(conventions):
                return self.recomputer.evaluated(conventions)
        return None

    def predicts(self, conventions: Conventions) -> BoolArray:
        """Mask of the queries that have a value under conventions."""
        result = self._evaluated(conventions)
        return self.recomputer.nowhere if result is None else result.present

    def values(self, conventions: Conventions) -> FloatArray:
        """The values under conventions; NaN where there is none."""
        result = self._evaluated(conventions)
        if result is None:
            return np.full(len(self.observed.values), np.nan)
        return np.where(result.present, result.values, np.nan)

    def changed(self, *sets: Conventions) -> BoolArray:
        """Mask of the queries to which two sets of conventions give different values; all queries if the
        measure cannot be computed under one of the sets."""
        one, other = map(self._evaluated, sets)
        if one is None or other is None:
            return self.recomputer.everywhere
        alike = equal(one.values, other.values, self.slack, None)
        return ~np.where(one.present & other.present, alike, one.present == other.present)

    def changes_mean(self, *sets: Conventions) -> bool:
        """Whether two sets of conventions give different means; also if one of them gives none."""
        one, other = map(self._evaluated, sets)
        return one is None or other is None or not same(one.mean, other.mean, self.tolerance)

    def under(self, axes: Mapping[str, AxisValue]) -> Conventions:
        """The reference's conventions with these values of axes. Axes that do not affect the measure keep the
        reference's value."""
        about, base = self.recomputer.family, self.recomputer.base
        full = base.with_changes(**axes).plain
        return base.with_changes(**{n: v for n, v in axes.items() if axis(n).read_under(about, full)})

    def holds(self, conventions: Conventions) -> bool:
        """Whether these conventions give all values, and the mean, that are compared."""

        def whole() -> bool:
            cells, mean = self.given(conventions)
            return (mean or not self.counts_mean) and (not self.judge_cells or bool(cells.all()))

        return self._known.once(conventions, whole)
