"""What a call of the harness is asked to do, and what it cost."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from crosscheck.backends.base import Options

__all__ = ["DEFAULT_REFERENCE", "DEFAULT_TOLERANCE", "Settings", "Timings"]

DEFAULT_REFERENCE = "pytrec_eval"
DEFAULT_TOLERANCE = 1e-9


@dataclass(frozen=True, slots=True)
class Settings:
    """What to compare, with what, and how closely.

    Attributes:
        measures: measure names; empty for each case's own.
        backends: candidate ids; empty for the default candidates. Candidates named here are required.
        reference: backend id, or None for each case's own (``pytrec_eval`` unless it says otherwise).
        require: further backend ids without whose numbers the result is inconclusive.
        queries: topic ids to look at; empty for all.
        tolerance: absolute, or None for each case's own (1e-9 unless it says otherwise).
        jobs: backends that compute at the same time.
        loose: the files are no cases: candidates that nobody named inform, and fail nothing.
        group_by: column of the cases' tables of queries by which results are shown as well, or None.
        options: settings that some backends need.
    """

    measures: tuple[str, ...] = ()
    backends: tuple[str, ...] = ()
    reference: str | None = None
    require: tuple[str, ...] = ()
    queries: tuple[str, ...] = ()
    tolerance: float | None = None
    jobs: int = 2
    loose: bool = False
    group_by: str | None = None
    options: Options = field(default_factory=Options)


@dataclass(slots=True)
class Timings:
    """What a call cost, as (seconds, peak bytes): per stage of this process, and per backend.

    The peak of a stage is that of the whole process until its end; 0 where nobody can tell.
    """

    stages: dict[str, tuple[float, int]] = field(default_factory=dict)
    #: (case, run, measure, candidate) -> seconds: an equal share of the call that gave its values.
    comparisons: dict[tuple[str, str, str, str], float] = field(default_factory=dict)
    backends: dict[str, tuple[float, int]] = field(default_factory=dict)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Adds the time inside the ``with`` to a stage."""
        start = time.perf_counter()
        try:
            yield
        finally:
            before, _ = self.stages.get(name, (0.0, 0))
            self.stages[name] = (before + time.perf_counter() - start, _peak_bytes())


def _peak_bytes() -> int:
    """Largest resident memory of this process so far; 0 where the platform does not say."""
    try:
        import resource
    except ImportError:  # Windows
        return 0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
