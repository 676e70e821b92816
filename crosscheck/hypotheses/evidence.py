"""The values of a candidate, compared with recomputed ones."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from msgspec import Struct

from crosscheck.compare import Aligned, equal
from crosscheck.conventions import Conventions
from crosscheck.errors import CrosscheckError
from crosscheck.evaluation.recomputer import Recomputer
from crosscheck.evaluation.summarise import Evaluated
from crosscheck.hypotheses.number_format import PROOF_TOLERANCE, slack
from crosscheck.model import BoolArray, FloatArray
from crosscheck.rankings.memo import Memo

__all__ = ["Evidence"]


class Evidence(Struct, frozen=True, eq=False, dict=True):
    """The values of one measure that a candidate gave for one run.

    Attributes:
        recomputer: measure, run and the reference's conventions.
        observed: the values, aligned to all topics of the run and its qrels.
        judge_mean: whether the candidate's own mean counts, so that recomputed values must give it;
            judge_cells: whether its values per query count.
        tolerance: above 1e-9 if values are to be compared in single precision; see :func:`slack`.
        known: mask of the queries whose value, or absence of a value, was observed; None if all were.
        slack: tolerance within which a recomputed value equals the observed one, per query.
    """

    recomputer: Recomputer
    observed: Aligned
    judge_mean: bool = True
    judge_cells: bool = True
    tolerance: float = PROOF_TOLERANCE
    known: BoolArray | None = None

    @cached_property
    def slack(self) -> FloatArray:
        """The tolerance of each value."""
        return slack(self.observed, self.tolerance)

    @cached_property
    def _known(self) -> Memo:
        return Memo()

    @property
    def counts_mean(self) -> bool:
        """Whether the candidate has a mean of its own that counts."""
        return self.judge_mean and self.observed.mean is not None

    def met(self, result: Evaluated, *, exactly: bool = False) -> tuple[BoolArray, bool]:
        """Mask of the queries whose recomputed value or absence is as observed, and whether the mean is.

        Args:
            exactly: in double precision, also where all values are single-precision numbers.
        """
        observed, room = self.observed, self.slack
        if exactly:
            room = PROOF_TOLERANCE * np.maximum(1.0, np.abs(np.nan_to_num(result.values, posinf=0, neginf=0)))
        same = equal(result.values, observed.values, room, observed.decimals)
        cells = np.where(observed.present, result.present & same, ~result.present)
        if self.known is not None:
            cells |= ~self.known
        if observed.mean is None:
            return cells, False
        means = [mean for mean in (result.mean, result.mean_of_rounded) if mean is not None]
        theirs = np.full(len(means), observed.mean)
        tolerance = float(room.max(initial=PROOF_TOLERANCE if exactly else self.tolerance))
        return cells, bool(equal(np.asarray(means, np.float64), theirs, tolerance, observed.decimals).any())

    @property
    def differing(self) -> BoolArray:
        """Queries whose value the reference's conventions do not give."""
        return ~self.met(self.recomputer.evaluated(self.recomputer.base))[0]

    def unmet(self, conventions: Conventions) -> int:
        """Number of queries whose observed value these conventions do not give; if it is 0, then 1 if they do
        not give a mean that counts. The mean follows from the values, so it is no evidence beside them."""
        return self._missed(*self.given(conventions))

    def missed(self, result: Evaluated) -> int:
        """As :meth:`unmet`, for values that are already recomputed."""
        return self._missed(*self.met(result))

    def _missed(self, cells: BoolArray, mean: bool) -> int:
        return int((~cells).sum()) * self.judge_cells or int(self.counts_mean and not mean)

    def gives_mean(self, conventions: Conventions) -> bool:
        """Whether there is a mean that counts, and these conventions give it."""
        return self.counts_mean and self.given(conventions)[1]

    def given(self, conventions: Conventions) -> tuple[BoolArray, bool]:
        """As :meth:`met`, under these conventions; nothing is met if they refuse the measure or the input."""
        try:
            if self.recomputer.possible(conventions):
                return self.met(self.recomputer.evaluated(conventions))
        except CrosscheckError:
            pass
        return np.zeros_like(self.observed.present), False

    def complete(self, result: Evaluated) -> bool:
        """Whether the recomputed values, and the mean, equal all observed ones that count."""
        return self._complete(*self.met(result))

    def _complete(self, cells: BoolArray, mean: bool) -> bool:
        return (mean or not self.counts_mean) and (not self.judge_cells or bool(cells.all()))

    def holds(self, conventions: Conventions) -> bool:
        """Whether these conventions give all observed values, and the mean, as far as these count."""
        return self._known.once(conventions, lambda: self._complete(*self.given(conventions)))
