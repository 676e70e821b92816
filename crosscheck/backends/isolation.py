"""Safe calls of a backend: nothing it does can end the run or become a wrong number.

:func:`guarded` wraps any backend: its exceptions become :class:`~crosscheck.errors.BackendError`
outcomes of the measures that caused them. A backend that can crash, hang or print runs in a child
process (:class:`Isolated`) that is killed and replaced when that happens.
"""

from __future__ import annotations

import hashlib
import pickle
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from dataclasses import replace
from queue import LifoQueue
from threading import Lock
from types import TracebackType
from typing import Any, Self

from crosscheck.backends import wire
from crosscheck.backends.base import Backend, Description, Options
from crosscheck.backends.outcomes import (
    FinalError,
    LostError,
    Outcome,
    ShortageError,
    as_backend_error,
    collected,
    outcomes,
)
from crosscheck.backends.texts import topic_rows
from crosscheck.backends.worker import Worker
from crosscheck.conventions import Conventions
from crosscheck.errors import BackendError, ResourceError
from crosscheck.evaluation.rankings import Rankings
from crosscheck.model import Measure, MeasureValues, Qrels, Run
from crosscheck.processes.supervised import Deadline
from crosscheck.rankings.subset import only_qrels, only_run

__all__ = ["Guarded", "Isolated", "Outcome", "Shared", "guarded"]


def guarded(backend: Backend, options: Options | None = None) -> Guarded:
    """The backend wrapped for safe calls: in a child process if necessary, else in this one.

    Use it as a context manager, or call :meth:`Guarded.close`.
    """
    if not backend.isolated:
        return Guarded(backend)
    options = options or Options()
    if getattr(backend, "by_query", False):
        return Shared(backend, options)
    return Isolated(backend, timeout=options.timeout, memory=options.memory)


class Guarded:
    """A backend in this process whose failures are outcomes. One thread at a time.

    Attributes:
        seconds: time spent in :meth:`evaluate` so far, including starting a child and sending inputs.
        peak_bytes: peak memory of the child process, 0 if there is none or it is unknown.
        faltered: whether it was lost, late or interrupted at some time, which may be otherwise next time.
    """

    isolated = False
    #: Whether several threads may ask it at a time, because its answers depend on nothing but their inputs.
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

    @property
    def conventions(self) -> Conventions | None:
        return self.backend.conventions

    @property
    def exact(self) -> bool:
        """Whether its values are those of trec_eval 9 to the last bit."""
        return bool(getattr(self.backend, "exact", False))

    @property
    def takes_rankings(self) -> bool:
        """Whether it takes a run that is joined with its qrels, of which only judged documents are known."""
        return bool(getattr(self.backend, "takes_rankings", False))

    def evaluate_parts(
        self, parts: Iterable[tuple[Qrels, Run]], measures: Sequence[Measure], *, same_queries: bool
    ) -> dict[Measure, Outcome] | None:
        """As :meth:`evaluate` of all parts of a run together, each some topics with their judgements.

        None if it must be given the run as a whole: it does not declare that it can do without, or fails.

        Args:
            same_queries: whether run and qrels hold the same queries.
        """
        return None

    @property
    def repeatable(self) -> bool:
        """Whether its answers follow from its input, its description and the installed packages."""
        return bool(getattr(self.backend, "repeatable", False))

    @property
    def independent(self) -> bool:
        """Whether it computes its values from what it is given, and not with crosscheck's own measures."""
        facts = ("takes_rankings", "fixed")
        return not any(getattr(self.backend, fact, False) for fact in facts)

    def describe(self) -> Description:
        """The backend's description; a backend that fails to give one is not available."""
        try:
            return self.backend.describe()
        except Exception as error:
            return Description(self.id, "", self.id, available=False, reason=str(as_backend_error(error)))

    def supports(self, measure: Measure) -> bool:
        """Whether the backend supports the measure; True if the question fails, so that :meth:`evaluate`
        gives the reason."""
        try:
            return bool(self.backend.supports(measure))
        except Exception:
            return True

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
        """Ask another backend from now on, in the same process: what it imported stays."""
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


class Isolated(Guarded):
    """A backend in a child process, which may be lost.

    The child is started by the first :meth:`evaluate` and kept. Qrels and run are sent if they are not the
    objects that were sent last. If a child crashes or does not answer in time, the requested measures get an
    error and the next request starts a new child. Its temporary files are removed with it.

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
        return {m: a._replace(values=values[m]) for m, a in means.items() if isinstance(a, MeasureValues)}

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
        """The answer of the child, where some of its seconds are spent already.

        Raises:
            BackendError: there is none.
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
        if self._child is not None and not self._child.alive():
            self.close()
        allowed = self.timeout
        if self._child is None:
            self._child = Worker(self.backend, self.memory)
            allowed += self.describe().start_seconds
        child = self._child
        if self._cancelled:
            self.close()
            raise FinalError(f"{self.id} was interrupted")
        deadline = Deadline(max(0.0, allowed - spent), child.kill)
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
            child.kill()
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
            child.kill()

    def close(self) -> None:
        child, self._child = self._child, None
        if child is not None:
            child.retire()


class Shared(Guarded):
    """A backend that is ``by_query``, in several child processes that share out the queries.

    The values of each query are one request, and the means of the whole run are one. A request that was made
    before, with equal inputs, is not made again.

    Args:
        backend: as of :class:`Isolated`.
        options: all requests of one evaluation together may take its seconds, and all children together its
            memory: with a limit of memory there is one.
    """

    isolated = True
    shared = True

    def __init__(self, backend: Backend, options: Options) -> None:
        super().__init__(backend)
        number = 1 if options.memory is not None else options.children
        self._children = [
            Isolated(backend, timeout=options.timeout, memory=options.memory) for _ in range(number)
        ]
        self._idle: LifoQueue[Isolated] = LifoQueue()
        for child in self._children:
            self._idle.put(child)
        self._threads: ThreadPoolExecutor | None = None
        self._requests: dict[bytes, Future[dict[Measure, Outcome]]] = {}
        self._lock = Lock()

    def evaluate(self, qrels: Qrels, run: Run, measures: Sequence[Measure]) -> dict[Measure, Outcome]:
        """As :meth:`Guarded.evaluate`."""
        return outcomes(lambda some: self._ask(qrels, run, some), measures)

    def _ask(self, qrels: Qrels, run: Run, measures: Sequence[Measure]) -> dict[Measure, Outcome]:
        spent: list[float] = []
        try:
            if len(run.topics) == 1 and run.topics == qrels.topics:
                return self._requested("evaluate", qrels, run, measures, spent).result()
            whole = self._requested("means", qrels, run, measures, spent).result()
            judged = {topic for topic, _ in topic_rows(qrels)}
            alone = [
                self._requested("values", only_qrels(qrels, {topic}), only_run(run, {topic}), measures, spent)
                for topic, _ in topic_rows(run)
                if topic in judged
            ]
            return {
                measure: _joined(measure, whole, [part.result() for part in alone]) for measure in measures
            }
        except CancelledError:
            raise FinalError(f"{self.id} was interrupted") from None

    def _requested(
        self, asks: wire.Asks, qrels: Qrels, run: Run, measures: Sequence[Measure], spent: list[float]
    ) -> Future[dict[Measure, Outcome]]:
        order = run.lines.argsort(kind="stable")  # names of files and other queries' lines change nothing
        given = (asks, tuple(measures), replace(qrels, source=""), replace(run, source="", lines=order))
        key = hashlib.sha256(pickle.dumps(given)).digest()
        with self._lock:
            if self._cancelled:
                raise CancelledError
            if key not in self._requests:
                self._threads = self._threads or ThreadPoolExecutor(len(self._children))
                self._requests[key] = self._threads.submit(self._make, key, asks, qrels, run, measures, spent)
            return self._requests[key]

    def _make(
        self,
        key: bytes,
        asks: wire.Asks,
        qrels: Qrels,
        run: Run,
        measures: Sequence[Measure],
        spent: list[float],
    ) -> dict[Measure, Outcome]:
        child = self._idle.get()
        begin = time.perf_counter()
        try:
            return child.asked(asks, qrels, run, measures, spent=sum(spent))
        except BaseException:
            with self._lock:
                self._requests.pop(key, None)
            raise
        finally:
            spent.append(time.perf_counter() - begin)
            with self._lock:
                self.seconds += spent[-1]
                self.peak_bytes = sum(child.peak_bytes for child in self._children)
                self.faltered |= child.faltered
            self._idle.put(child)

    def exchange(self, backend: Backend) -> None:
        super().exchange(backend)
        self._requests.clear()
        for child in self._children:
            child.exchange(backend)

    def cancel(self) -> None:
        with self._lock:
            super().cancel()
            if self._threads is not None:
                self._threads.shutdown(wait=False, cancel_futures=True)
        for child in self._children:
            child.cancel()

    def close(self) -> None:
        threads, self._threads = self._threads, None
        if threads is not None:
            threads.shutdown(cancel_futures=True)
        for child in self._children:
            child.close()


def _joined(
    measure: Measure, whole: Mapping[Measure, Outcome], parts: Sequence[Mapping[Measure, Outcome]]
) -> Outcome:
    """The mean of the whole run with the values of its parts; the first error instead, if there is one."""
    mean = whole[measure]
    values: dict[bytes, float] = {}
    for answer in (mean, *(part[measure] for part in parts)):
        if isinstance(answer, BackendError):
            return answer
        values |= answer.values
    assert isinstance(mean, MeasureValues)
    return mean._replace(values=values)
