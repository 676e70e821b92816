"""The settings of a call of the harness, and its timings."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from msgspec import Struct, field

from crosscheck import backends as registry
from crosscheck.backends.base import Backend, Options
from crosscheck.results import Identity

DEFAULT_REFERENCE = "pytrec_eval"
DEFAULT_TOLERANCE = 1e-9


class Settings(Struct, frozen=True, kw_only=True):
    """Settings of a comparison: measures, backends, tolerance.

    Attributes:
        measures: measure names; empty for the measures of each case.
        backends: candidate ids; empty for the default candidates. Candidates named here are required.
        reference: backend id, or None for the reference of each case (``pytrec_eval`` if it names none).
        require: further backend ids; without their numbers the result is inconclusive.
        queries: topic ids to include; empty for all.
        tolerance: absolute, or None for each case's own (1e-9 unless it says otherwise).
        jobs: backends that compute at the same time.
        loose: whether loose files are compared instead of cases; then unnamed candidates only inform.
        group_by: column of the cases' tables of queries by which results are also grouped, or None.
        cache: folder of the results of cases that are kept for later calls, None to keep nothing.
        options: settings that some backends need.
        given: id -> backend to use for it instead of making one; the id must be named like any other.
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
    cache: Path | None = None
    options: Options = field(default_factory=Options)
    given: Mapping[str, Backend] = {}

    @property
    def candidates(self) -> tuple[str, ...]:
        """Ids of the backends that are compared, named or by default."""
        return self.backends or registry.default_candidates()

    def backend(self, id: str) -> Backend:
        """The backend to use for an id."""
        return self.given.get(id) or registry.make(id, self.options)


class Timings(Struct):
    """The cost of a call as (seconds, peak bytes): per stage of this process, and per backend.

    The peak of a stage is that of the whole process up to its end; 0 if unknown.
    """

    stages: dict[str, tuple[float, int]] = {}
    #: (case, run, measure, candidate) -> seconds: an equal share of the call that gave its values.
    comparisons: dict[Identity, float] = {}
    backends: dict[str, tuple[float, int]] = {}

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Add the time inside the ``with`` block to a stage."""
        start = time.perf_counter()
        try:
            yield
        finally:
            before, _ = self.stages.get(name, (0.0, 0))
            self.stages[name] = (before + time.perf_counter() - start, _peak_bytes())


def _peak_bytes() -> int:
    """Peak resident memory of this process so far in bytes; 0 if the platform does not report it."""
    try:
        import resource
    except ImportError:  # Windows
        return 0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
