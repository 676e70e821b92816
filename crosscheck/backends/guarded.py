"""A backend whose failures are outcomes of the measures that caused them."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from types import TracebackType
from typing import Any, Self

from crosscheck.backends.base import Backend, Description
from crosscheck.backends.outcomes import (
    FinalError,
    Outcome,
    as_backend_error,
    collected,
    outcomes,
)
from crosscheck.conventions import Conventions, conventions
from crosscheck.errors import UsageError
from crosscheck.evaluation.rankings import Rankings
from crosscheck.model import Measure, Qrels, Run
from crosscheck.names import conventions_for

__all__ = ["Guarded"]


class Guarded:
    """A backend in this process whose failures are outcomes. One thread at a time.

    Attributes:
        seconds: time spent in :meth:`evaluate` so far, including starting a child and sending inputs.
        peak_bytes: peak memory of the child process, 0 if there is none or it is unknown.
        faltered: whether the backend was lost, late or interrupted at some time, so that another attempt may
            succeed.
    """

    isolated = False
    #: Whether several threads may call it at a time, because answers depend on nothing but their inputs.
    shared = False

    def __init__(self, backend: Backend) -> None:
        self.backend = backend
        self.seconds = 0.0
        self.peak_bytes = 0
        self.faltered = False
        self._cancelled = False

    @property
    def id(self) -> str:
        return self.backend.id

    def conventions(self, measure: Measure) -> Conventions | None:
        """The conventions that the backend is known to follow in a measure, None if they are unknown; for a
        measure that their profile does not describe those of its others, which may be wrong."""
        known = self.backend.conventions
        try:
            return None if known is None else conventions_for(known, measure)
        except UsageError:
            return None if known is None else conventions(known)

    def certain(self, measure: Measure) -> Conventions | None:
        """The conventions that the backend is certain to follow in a measure; None if not certain."""
        ask = getattr(self.backend, "certain", None)
        return self.conventions(measure) if ask is not None and ask(measure) else None

    @property
    def exact(self) -> bool:
        """Whether its values are those of trec_eval 9 to the last bit."""
        return bool(getattr(self.backend, "exact", False))

    @property
    def takes_rankings(self) -> bool:
        """Whether it takes a run that is joined with its qrels and may hold judged documents only."""
        return bool(getattr(self.backend, "takes_rankings", False))

    def evaluate_parts(
        self, parts: Iterable[tuple[Qrels, Run]], measures: Sequence[Measure], *, same_queries: bool
    ) -> dict[Measure, Outcome] | None:
        """As :meth:`evaluate`, for a run in parts of some topics each, with their judgements.

        None if the backend needs the whole run: it does not declare that it takes parts, or it fails on one.

        Args:
            same_queries: whether run and qrels hold the same queries.
        """
        return None

    @property
    def repeatable(self) -> bool:
        """Whether the answers follow from the input, the description and the installed packages."""
        return bool(getattr(self.backend, "repeatable", False))

    @property
    def independent(self) -> bool:
        """Whether the backend computes its values from its input, and not with crosscheck's own measures."""
        facts = ("takes_rankings", "fixed")
        return not any(getattr(self.backend, fact, False) for fact in facts)

    def describe(self) -> Description:
        """The backend's description; a backend that fails to give one is not available."""
        try:
            return self.backend.describe()
        except Exception as error:
            return Description(
                id=self.id, version="", engine=self.id, available=False, reason=str(as_backend_error(error))
            )

    def supports(self, measure: Measure) -> bool:
        """Whether the backend supports the measure; True if the question fails, so that :meth:`evaluate`
        gives the reason."""
        try:
            return bool(self.backend.supports(measure))
        except Exception:
            return True

    def lacks(self, measure: Measure) -> str:
        """A sentence without a full stop: the backend does not have the measure, and why, if it says that."""
        why = getattr(self.backend, "lacks", None)
        return f"{self.id} does not have {measure}" + (f": {why(measure)}" if why else "")

    def evaluate(self, qrels: Qrels, run: Run, measures: Sequence[Measure]) -> dict[Measure, Outcome]:
        """Values or the error of every requested measure. Raises only KeyboardInterrupt.

        If a batch of several measures fails as a whole, each is requested alone, so that only the measures
        with errors fail. A batch that ran out of time is not repeated.
        """
        begin = time.perf_counter()
        try:
            return outcomes(lambda some: self._ask(qrels, run, some), measures)
        finally:
            self.seconds += time.perf_counter() - begin

    def evaluate_rankings(self, rankings: Rankings, measures: Sequence[Measure]) -> dict[Measure, Outcome]:
        """As :meth:`evaluate`, for a run that is joined with its qrels.

        Raises:
            CrosscheckError: the backend takes rankings, and cannot follow its conventions on this run.
        """
        backend: Any = self.backend
        if self.takes_rankings:
            return dict(backend.evaluate_rankings(rankings, measures))
        return self.evaluate(rankings.pairing.qrels, rankings.pairing.run, measures)

    def exchange(self, backend: Backend) -> None:
        """Use another backend from now on, in the same process: modules that it imported stay imported."""
        self.backend = backend

    def _ask(self, qrels: Qrels, run: Run, measures: Sequence[Measure]) -> dict[Measure, Outcome]:
        if self._cancelled:
            raise FinalError(f"{self.id} was interrupted")
        return collected(self.backend.evaluate(qrels, run, measures), measures)

    def cancel(self) -> None:
        """End an :meth:`evaluate` in another thread, and every later one, with an error.

        For Ctrl-C, which reaches the main thread only. Without a child process, the current call continues.
        """
        self._cancelled = True

    def close(self) -> None:
        """End the process that :meth:`evaluate` started; the next :meth:`evaluate` starts it again."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
