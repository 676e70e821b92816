"""What a call of the harness is asked to do, and what it cost."""

from __future__ import annotations

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
        options: settings that some backends need.
    """

    measures: tuple[str, ...] = ()
    backends: tuple[str, ...] = ()
    reference: str | None = None
    require: tuple[str, ...] = ()
    queries: tuple[str, ...] = ()
    tolerance: float | None = None
    jobs: int = 2
    options: Options = Options()


@dataclass(slots=True)
class Timings:
    """Seconds per stage (read, native, compare, diagnose) and, per backend, seconds and peak bytes."""

    stages: dict[str, float] = field(default_factory=dict)
    backends: dict[str, tuple[float, int]] = field(default_factory=dict)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Adds the time inside the ``with`` to a stage."""
        start = time.perf_counter()
        try:
            yield
        finally:
            self.stages[name] = self.stages.get(name, 0.0) + time.perf_counter() - start
