"""A backend whose failures are outcomes, in this process, in a child process, or in several."""

from __future__ import annotations

import hashlib
import pickle
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from queue import LifoQueue
from threading import Lock
from types import TracebackType
from typing import Any, Self

from msgspec.structs import replace

from crosscheck.backends.base import Backend, Description, Options
from crosscheck.backends.child import Asks, Reply, Request, Setup, read_reply, write_object
from crosscheck.backends.outcomes import (
    FinalError,
    LostError,
    Outcome,
    ShortageError,
    as_backend_error,
    collected,
    outcomes,
    printable,
)
from crosscheck.backends.texts import topic_rows
from crosscheck.conventions import Conventions, conventions
from crosscheck.errors import BackendError, ResourceError, UsageError
from crosscheck.evaluation.rankings import Rankings
from crosscheck.model import Measure, MeasureValues, Qrels, Run
from crosscheck.names import conventions_for
from crosscheck.processes.supervised import Deadline, started
from crosscheck.rankings.changed_inputs import only_topics


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
        return self.conventions(measure) if self.backend.certain(measure) else None

    @property
    def exact(self) -> bool:
        """Whether its values are those of trec_eval 9 to the last bit."""
        return self.backend.exact

    @property
    def takes_rankings(self) -> bool:
        """Whether it takes a run that is joined with its qrels and may hold judged documents only."""
        return self.backend.takes_rankings

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
        return self.backend.repeatable

    @property
    def independent(self) -> bool:
        """Whether the backend computes its values from its input, and not with crosscheck's own measures."""
        return not (self.backend.takes_rankings or self.backend.fixed)

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
        why = self.backend.lacks(measure)
        return f"{self.id} does not have {measure}" + (f": {why}" if why else "")

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


#: Number of bytes quoted from the standard error of a lost process.
_STDERR_TAIL = 1500


class Worker:
    """The child process and the inputs it was sent.

    Args:
        memory: limit of resident memory in bytes for the child and its children, None for no limit.

    Raises:
        OSError: the child cannot be started.
    """

    def __init__(self, backend: Backend, memory: int | None = None) -> None:
        self._sent: tuple[Qrels | None, Run | None] = (None, None)
        self._exchanged: bytes | None = None
        self._setup: Setup | None = Setup(list(sys.path), pickle.dumps(backend))
        self.process = started(memory)

    def exchange(self, backend: Backend) -> None:
        """Use another backend from now on, in the same process."""
        self._exchanged = pickle.dumps(backend)

    def ask(
        self,
        qrels: Qrels | None,
        run: Run | None,
        measures: tuple[Measure, ...],
        asks: Asks,
        values: dict[Measure, list[float]] | None = None,
    ) -> Reply:
        """The reply to a request."""
        if self._setup is not None:
            write_object(self.process.requests, self._setup)
            self._setup = None
        else:  # output of earlier requests does not belong to this one; the position is shared
            self.process.stderr.seek(0)
            self.process.stderr.truncate()
        new_qrels = None if qrels is self._sent[0] else qrels
        new_run = None if run is self._sent[1] else run
        request = Request(
            qrels=new_qrels, run=new_run, measures=measures, asks=asks, values=values, backend=self._exchanged
        )
        write_object(self.process.requests, request)
        self._exchanged = None
        if run is not None:
            self._sent = (qrels, run)
        return read_reply(self.process.replies)

    def bury(self) -> tuple[str, str]:
        """How the process ended, and its last text on standard error as the end of a message (or empty).

        Call it after the pipe was closed.
        """
        self.process.wait(5)  # a closed pipe comes before the end of the process
        ending = self.process.ending()
        tail = printable(self.process.said(_STDERR_TAIL))
        self.process.close()
        return ending, f"; the last it wrote: {tail}" if tail else ""

    def retire(self) -> None:
        """Let an idle child end by itself, and end it if it does not."""
        try:
            self.process.requests.close()
            self.process.wait(2)
        except OSError:  # it is gone
            pass
        finally:
            self.process.close()


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
        if not self.backend.greets:
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
        whole = self.backend
        partly = whole.in_parts(measures, same_queries)
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
        asks: Asks,
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

    def _reply(self, ask: Callable[[Worker], Reply], spent: float = 0.0) -> Reply:
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

    def _exchange(self, ask: Callable[[Worker], Reply], spent: float) -> Reply:
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


class Shared(Guarded):
    """A backend that is ``by_query``, in several child processes that share out the queries.

    The values of each query are one request, and the means of the whole run are another. A request with the
    inputs of an earlier one is not made again.

    Args:
        backend: any backend that :class:`Isolated` takes.
        options: all requests of one evaluation together may take ``timeout`` seconds. There are ``children``
            child processes, but only one if ``memory`` is limited.
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
                self._requested(
                    "values", only_topics(qrels, {topic}), only_topics(run, {topic}), measures, spent
                )
                for topic, _ in topic_rows(run)
                if topic in judged
            ]
            return {
                measure: _joined(measure, whole, [part.result() for part in alone]) for measure in measures
            }
        except CancelledError:
            raise FinalError(f"{self.id} was interrupted") from None

    def _requested(
        self, asks: Asks, qrels: Qrels, run: Run, measures: Sequence[Measure], spent: list[float]
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
        asks: Asks,
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
    return replace(mean, values=values)


def guarded(backend: Backend, options: Options | None = None) -> Guarded:
    """The backend wrapped for safe calls: in a child process if necessary, else in this one.

    Use it as a context manager, or call :meth:`Guarded.close`.
    """
    if not backend.isolated:
        return Guarded(backend)
    options = options or Options()
    if backend.by_query:
        return Shared(backend, options)
    return Isolated(backend, timeout=options.timeout, memory=options.memory)
