"""A backend in a child process, which is killed and replaced when the backend crashes or hangs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from threading import Lock
from typing import Any

from msgspec.structs import replace

from crosscheck.backends import wire
from crosscheck.backends.base import Backend
from crosscheck.backends.guarded import Guarded
from crosscheck.backends.outcomes import (
    FinalError,
    LostError,
    Outcome,
    ShortageError,
)
from crosscheck.backends.worker import Worker
from crosscheck.errors import BackendError, ResourceError
from crosscheck.model import Measure, MeasureValues, Qrels, Run
from crosscheck.processes.supervised import Deadline

__all__ = ["Isolated"]


class Isolated(Guarded):
    """A backend in a child process, which may be lost.

    The child is started by the first :meth:`evaluate` and kept. Qrels and run are sent if they are not the
    objects that were sent last. If a child crashes or does not answer in time, the requested measures get an
    error and the next request starts a new child. The temporary files of a child are removed when it ends.

    Args:
        backend: any backend that can be pickled and imported again.
        timeout: seconds for one answer, including the start of the child; the first answer also gets the
            backend's ``start_seconds``.
        memory: limit of resident memory in bytes for the child and its children; None for no limit.
    """

    isolated = True

    def __init__(self, backend: Backend, *, timeout: float = 600.0, memory: int | None = None) -> None:
        super().__init__(backend)
        self.timeout = timeout
        self.memory = memory
        self._child: Worker | None = None
        self._silent: FinalError | None = None
        self._spent = 0.0
        self._turn = Lock()

    def evaluate(self, qrels: Qrels, run: Run, measures: Sequence[Measure]) -> dict[Measure, Outcome]:
        """As :meth:`Guarded.evaluate`; threads take turns."""
        with self._turn:
            return super().evaluate(qrels, run, measures)

    def supports(self, measure: Measure) -> bool:
        """As :meth:`Guarded.supports`; if the answer needs foreign code, that runs in the child.

        A backend that does not answer in time is not asked again.
        """
        if not getattr(self.backend, "greets", False):
            return super().supports(measure)
        try:
            reply = self._reply(lambda child: child.ask(None, None, (measure,), "supports"))
        except FinalError as error:
            self._silent = error
        except BackendError:
            pass
        else:
            return reply.failure is not None or reply.supported != [False]
        return True

    def evaluate_parts(
        self, parts: Iterable[tuple[Qrels, Run]], measures: Sequence[Measure], *, same_queries: bool
    ) -> dict[Measure, Outcome] | None:
        """As :meth:`Guarded.evaluate_parts`."""
        whole: Any = self.backend
        partly = whole.in_parts(measures, same_queries) if hasattr(whole, "in_parts") else None
        if partly is None:
            return None
        values: dict[Measure, dict[bytes, float]] = {measure: {} for measure in measures}
        before = self.seconds
        self.exchange(partly)
        try:
            for qrels, run in parts:
                answers = self.evaluate(qrels, run, measures)
                for measure, answer in answers.items():
                    if isinstance(answer, BackendError):
                        return answers if isinstance(answer, FinalError) else None
                    values[measure] |= answer.values
                self._spent = self.seconds - before
            values = {measure: dict(sorted(of_topics.items())) for measure, of_topics in values.items()}
            lists = {measure: list(of_topics.values()) for measure, of_topics in values.items()}
            with self._turn:
                means = self.asked("means_of", None, None, measures, values=lists)
        finally:
            self._spent = 0.0
            self.exchange(whole)
        return {m: replace(a, values=values[m]) for m, a in means.items() if isinstance(a, MeasureValues)}

    def _ask(self, qrels: Qrels, run: Run, measures: Sequence[Measure]) -> dict[Measure, Outcome]:
        if self._child is None and self.describe().start_seconds:
            self.supports(measures[0])  # a backend that greets starts now, and not on the time of its answer
        if self._silent is not None:
            raise self._silent
        return self.asked("evaluate", qrels, run, measures, spent=self._spent)

    def asked(
        self,
        asks: wire.Asks,
        qrels: Qrels | None,
        run: Run | None,
        measures: Sequence[Measure],
        *,
        spent: float = 0.0,
        values: dict[Measure, list[float]] | None = None,
    ) -> dict[Measure, Outcome]:
        """The answer of the child for each measure.

        Args:
            asks: name of the method of the backend to call.
            spent: seconds of the time limit that earlier requests have used.

        Raises:
            BackendError: the child gave no answer.
        """
        reply = self._reply(lambda child: child.ask(qrels, run, tuple(measures), asks, values), spent)
        if reply.failure is not None:
            raise BackendError(reply.failure)
        return {
            measure: BackendError(answer) if isinstance(answer, str) else answer
            for measure, answer in zip(measures, reply.answers, strict=True)
        }

    def _reply(self, ask: Callable[[Worker], wire.Reply], spent: float = 0.0) -> wire.Reply:
        """The answer of the child.

        Raises:
            BackendError: no answer in time, or an invalid one.
        """
        try:
            return self._exchange(ask, spent)
        except (FinalError, LostError):
            self.faltered = True
            raise
        except (MemoryError, OSError, ResourceError) as error:
            self.faltered = True
            why = error.strerror if isinstance(error, OSError) else str(error) or "memory ran out"
            raise ShortageError(f"{self.id} could not be asked: {why}") from None

    def _exchange(self, ask: Callable[[Worker], wire.Reply], spent: float) -> wire.Reply:
        if self._child is not None and not self._child.process.alive():
            self.close()
        allowed = self.timeout
        if self._child is None:
            self._child = Worker(self.backend, self.memory)
            allowed += self.describe().start_seconds
        child = self._child
        if self._cancelled:
            self.close()
            raise FinalError(f"{self.id} was interrupted")
        deadline = Deadline(max(0.0, allowed - spent), child.process.kill)
        try:
            with deadline:
                reply = ask(child)
        except (OSError, EOFError):
            self._child = None
            ending, said = child.bury()
            if self._cancelled:
                raise FinalError(f"{self.id} was interrupted") from None
            if deadline.passed:
                raise FinalError(f"{self.id} did not answer within {allowed:g} s{said}") from None
            raise LostError(f"{self.id} {ending} without an answer{said}") from None
        except BaseException:  # an unreadable reply, an input that cannot be sent, Ctrl-C
            child.process.kill()
            self.close()
            raise
        if deadline.passed:  # it answered, but the time ran out before the clock was stopped
            self.close()
        self.peak_bytes = max(self.peak_bytes, reply.peak_bytes)
        return reply

    def exchange(self, backend: Backend) -> None:
        super().exchange(backend)
        if self._child is not None:
            self._child.exchange(backend)

    def cancel(self) -> None:
        super().cancel()
        child = self._child
        if child is not None:
            child.process.kill()

    def close(self) -> None:
        child, self._child = self._child, None
        if child is not None:
            child.retire()
