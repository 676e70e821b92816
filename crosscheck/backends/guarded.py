"""The class :class:`Guarded`, which calls a backend safely and turns failures into outcomes."""

import hashlib
import math
import pickle
import sys
import time
from collections.abc import Iterable, Sequence
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, closing, suppress
from queue import LifoQueue
from threading import Lock
from typing import Any, cast

from msgspec.structs import replace

from crosscheck.backends import outcomes
from crosscheck.backends.base import Backend, Description, Options
from crosscheck.backends.child import Answered, Asks, Reply, Request, read_reply
from crosscheck.backends.outcomes import Answer, FinalError, LostError, OverdueError, UnreadyError
from crosscheck.backends.texts import one_by_one
from crosscheck.conventions import Conventions, conventions
from crosscheck.errors import BackendError, ResourceError, UsageError, need_memory
from crosscheck.evaluation.rankings import Rankings
from crosscheck.model import Measure, MeasureValues, Qrels, Run
from crosscheck.names import conventions_for
from crosscheck.processes.supervised import Supervised, started, time_limit


class Child:
    """A child process in which a backend answers requests, one at a time.

    The first request starts the process, and later requests use the same process. If the process crashes or
    does not answer in time, the request fails, and the next request starts a new process. Temporary files of
    the process are removed when it ends.

    Attributes:
        peak_bytes: peak memory of the process, 0 if unknown.

    Args:
        memory: limit of resident memory in bytes for the process and its children; None for no limit.
    """

    def __init__(self, memory: int | None = None) -> None:
        self.peak_bytes, self._memory = 0, memory
        self._process: Supervised | None = None
        self._sent: dict[str, Any] = {}
        self._cancelled = False

    def ask(
        self, backend: Backend, request: Request, timeout: float, spent: list[float], longest: float
    ) -> Reply:
        """The reply to a request. The backend, qrels and run are sent only if they are not the objects that
        were sent last.

        Args:
            timeout: seconds for the answer, without the time until the backend is ready.
            spent: the seconds of the time limit that each earlier request used; this request appends the
                seconds that it uses.
            longest: upper limit in seconds for the time until the backend is ready.

        Raises:
            BackendError: there is no answer in time, or the answer is invalid; :class:`UnreadyError` if the
                backend was not ready in time, or did not answer ``supports`` in time.
            MemoryError, OSError, ResourceError: this process lacks memory, processes or open files.
        """
        late_error = UnreadyError if request.asks == "supports" else OverdueError
        overdue = late_error(f"{backend.id} did not answer within {timeout:g} s")
        if sum(spent) >= timeout:
            raise overdue
        if self._process is None or not self._process.alive():
            self.close()
        inputs = {**request.inputs, "backend": backend}
        changed = {name: one for name, one in inputs.items() if one is not self._sent.get(name)}
        new = "backend" in changed
        pickled = {"backend": pickle.dumps(backend), "path": list(sys.path)} if new else {}
        request = replace(request, inputs={**changed, **pickled})
        process = self._process = self._process or started(self._memory)
        # Drop the output of earlier requests. The file position is shared with the child.
        process.stderr.seek(0)
        process.stderr.truncate()
        self._sent |= changed
        if self._cancelled:
            self.close()
            raise FinalError(f"{backend.id} was interrupted")
        if new:
            limit = min(timeout + backend.start_seconds, longest)
            late = UnreadyError(f"{backend.id} was not ready within {limit:g} s")
            reply = self._reply(process, backend.id, request, limit, late)
            if reply.failure is not None:
                del self._sent["backend"]
                return reply
        begin = time.perf_counter()
        try:
            return self._reply(process, backend.id, None if new else request, timeout - sum(spent), overdue)
        finally:
            spent.append(time.perf_counter() - begin)

    def _reply(
        self, process: Supervised, id: str, request: Request | None, seconds: float, late: OverdueError
    ) -> Reply:
        """Send a request (if not None) and read the next reply. Raises ``late`` after ``seconds``."""
        reply = None
        try:
            with time_limit(max(0.0, seconds), process.kill) as passed:
                if request is not None:
                    pickle.dump(request, process.requests, protocol=5)  # which copies no array
                    process.requests.flush()
                reply = read_reply(process.replies)
        except (OSError, EOFError):
            pass
        except BaseException:  # an unreadable reply, an input that cannot be sent, Ctrl-C
            process.kill()
            self.close()
            raise
        if reply is not None and not passed.is_set():
            self.peak_bytes = max(self.peak_bytes, reply.peak_bytes)
            return reply
        process.wait(5)  # the pipe may close shortly before the process ends
        ending, output = process.ending(), outcomes.printable(process.stderr_tail(1500))
        self.close()
        if self._cancelled:
            raise FinalError(f"{id} was interrupted")
        tail = f"; its output ends with: {output}" if output else ""
        if passed.is_set():
            raise type(late)(f"{late}{tail}")
        raise LostError(f"{id} {ending} without an answer{tail}")

    def cancel(self) -> None:
        """Make the request that runs in another thread, and every later request, end with an error."""
        self._cancelled = True
        if (process := self._process) is not None:
            process.kill()

    def close(self) -> None:
        """End an idle process: close its input, and kill the process if it has not ended after 2 s."""
        process, self._process, self._sent = self._process, None, {}
        if process is not None:
            with closing(process), suppress(OSError):  # the process may have ended already
                process.requests.close()
                process.wait(2)


class Guarded(AbstractContextManager["Guarded"]):
    """A wrapper that calls a backend safely: failures of the backend are returned as errors, not raised.

    A backend that needs isolation is called in a child process, any other backend in this process. A backend
    that is ``by_query`` gets ``options.children`` child processes, but only one if memory is limited. Use the
    wrapper as a context manager, or call :meth:`close`.

    Attributes:
        isolated: whether the backend is called in child processes.
        shared: whether several child processes share the work (see ``Backend.by_query``). The values of each
            query are then a request of their own, and so are the means of the whole run. A request whose
            inputs equal those of an earlier request is not repeated.
        seconds: time spent in calls of the backend so far, including sending inputs and starting a child, but
            without :meth:`start`.
        budget: limit of ``seconds``; a call that reaches the limit ends with an error.
        faltered: whether a call ever failed because a process was lost, late or interrupted, so that a second
            attempt may succeed.

    Args:
        backend: the backend to call.
        options: the limits, and the number of children; None for the defaults. ``timeout`` limits one answer
            of a child. If the backend is shared or evaluates a run in parts, it limits all requests of one
            evaluation together.
    """

    def __init__(self, backend: Backend, options: Options | None = None) -> None:
        options = options or Options()
        self.backend, self.timeout = backend, options.timeout
        self.seconds, self.budget = 0.0, math.inf
        self.faltered, self.isolated = False, backend.isolated
        self.shared = self.isolated and backend.by_query
        number = options.children if self.shared and options.memory is None else int(self.isolated)
        self._children = [Child(options.memory) for _ in range(number)]
        self._idle: LifoQueue[Child] = LifoQueue()
        for child in self._children:
            self._idle.put(child)
        self._silent: UnreadyError | None = None
        self._cancelled = False
        self._threads: ThreadPoolExecutor | None = None
        self._requests: dict[bytes, Future[dict[Measure, Answer]]] = {}
        self._lock = Lock()

    @property
    def id(self) -> str:
        return self.backend.id

    @property
    def peak_bytes(self) -> int:
        """Peak memory of the child processes together, 0 if there are none or the memory is unknown."""
        return sum(child.peak_bytes for child in self._children)

    def conventions(self, measure: Measure) -> Conventions | None:
        """The conventions that the backend is known to follow for a measure; None if they are unknown.

        If the profile of the backend does not list the measure, the usual conventions of the profile are
        returned, which may be wrong for this measure.
        """
        if (stated := self.backend.conventions) is None:
            return None
        with suppress(UsageError):
            return conventions_for(stated, measure)
        return conventions(stated)

    def certain(self, measure: Measure) -> Conventions | None:
        """The conventions that the backend certainly follows for a measure; None if they are not certain."""
        return self.conventions(measure) if self.backend.certain(measure) else None

    def describe(self) -> Description:
        """The backend's description. If ``describe`` of the backend fails, a description that says that the
        backend is not available."""
        try:
            return self.backend.describe()
        except Exception as error:
            return self.backend.description(str(outcomes.as_backend_error(error)))

    def supports(self, measure: Measure) -> bool:
        """Whether the backend supports the measure. True also if ``supports`` of the backend fails, because
        :meth:`evaluate` then returns the error. Foreign code runs in the child process.
        """
        with suppress(Exception):
            if self.isolated and self.backend.greets:
                return self._asked(Request(asks="supports", measures=(measure,)), []) != [False]
            return bool(self.backend.supports(measure))
        return True

    def lacks(self, measure: Measure) -> str:
        """A sentence (without full stop) which says that the backend lacks the measure, and why if known."""
        why = self.backend.lacks(measure)
        return f"{self.id} does not have {measure}" + (f": {why}" if why else "")

    def evaluate(
        self, qrels: Qrels, run: Run, measures: Sequence[Measure], *, spent: list[float] | None = None
    ) -> dict[Measure, Answer]:
        """For every requested measure, its values or an error. Raises only KeyboardInterrupt.

        If a request for several measures fails as a whole, each measure is requested alone, so that only the
        measures that cause an error fail. A request that ran out of time is not repeated.

        Args:
            spent: the seconds of the time limit that each earlier call used; this call appends the seconds
                that it uses.
        """

        def ask(some: Sequence[Measure]) -> dict[Measure, Answer]:
            if self.shared:
                return self._shared_out(qrels, run, some)
            return self._answers(_request("evaluate", qrels, run, some), [] if spent is None else spent)

        return outcomes.outcomes(ask, measures)

    def evaluate_rankings(self, rankings: Rankings, measures: Sequence[Measure]) -> dict[Measure, Answer]:
        """For every requested measure, its values or an error, for a run that is joined with its qrels.

        Raises:
            CrosscheckError: the backend takes rankings and cannot follow its conventions on this run.
        """
        backend: Any = self.backend
        if backend.takes_rankings:
            return dict(backend.evaluate_rankings(rankings, measures))
        return self.evaluate(rankings.pairing.qrels, rankings.pairing.run, measures)

    def evaluate_parts(
        self, parts: Iterable[tuple[Qrels, Run]], measures: Sequence[Measure], *, same_queries: bool
    ) -> dict[Measure, Answer] | None:
        """For every requested measure, its values or an error, for a run that is given in parts.

        None if the backend needs the whole run, because it does not accept parts or fails on a part.

        Args:
            parts: qrels and run of each part, with all rows of some topics.
            measures: the measures to compute.
            same_queries: whether run and qrels have the same queries.
        """
        original = self.backend
        if (partly := original.in_parts(measures, same_queries)) is None:
            return None
        values: dict[Measure, dict[bytes, float]] = {measure: {} for measure in measures}
        answers: dict[Measure, Any] = {}
        spent: list[float] = []
        self.exchange(partly)
        try:
            for qrels, run in parts:
                answers = self.evaluate(qrels, run, measures, spent=spent)
                for measure, answer in answers.items():
                    if isinstance(answer, BackendError):
                        return answers if isinstance(answer, FinalError) else None
                    values[measure] |= answer.values
            values = {measure: dict(sorted(of_topics.items())) for measure, of_topics in values.items()}
            lists = {measure: list(of_topics.values()) for measure, of_topics in values.items()}
            means = self._asked(Request(asks="mean_of", measures=tuple(measures), values=lists), spent)
        finally:
            self.exchange(original)
        pairs = zip(measures, means, strict=True)
        return {one: replace(answers[one], values=values[one], mean=mean) for one, mean in pairs}

    def start(self) -> None:
        """Let a child process prepare the backend. This time is not added to ``seconds``, and errors appear
        in later answers."""
        seconds, budget, self.budget = self.seconds, self.budget, math.inf
        with suppress(BackendError):
            if self.isolated:
                self._asked(Request(asks="supports", measures=()), [])
        self.seconds, self.budget = seconds, budget

    def exchange(self, backend: Backend) -> None:
        """Use a different backend from now on, in the same child processes, which keep their imported
        modules."""
        self.backend = backend
        self._requests.clear()

    def _answers(self, request: Request, spent: list[float]) -> dict[Measure, Answer]:
        """The backend's answer for each measure. ``spent``: see :meth:`Child.ask`."""
        measures = request.measures
        if not self.isolated:
            begin = time.perf_counter()
            try:
                if self._cancelled:
                    raise FinalError(f"{self.id} was interrupted")
                qrels, run = request.inputs["qrels"], request.inputs["run"]
                return outcomes.collected(self.backend.evaluate(qrels, run, measures), measures)
            finally:
                self.seconds += time.perf_counter() - begin
        answers = zip(measures, self._asked(request, spent), strict=True)
        return {m: a if isinstance(a, MeasureValues) else BackendError(str(a)) for m, a in answers}

    def _asked(self, request: Request, spent: list[float]) -> list[Answered]:
        """The answers of an idle child process to a request.

        Raises:
            BackendError: the child gave no answer. After an :class:`UnreadyError` all later requests fail at
                once.
        """
        if self._silent is not None:
            raise self._silent
        child = self._idle.get()
        begin = time.perf_counter()
        try:
            left = self.budget - self.seconds
            reply = child.ask(self.backend, request, min(self.timeout, left), spent, left)
        except (FinalError, LostError) as error:
            self.faltered = True
            if isinstance(error, UnreadyError):
                self._silent = error.with_traceback(None)
            raise
        except (MemoryError, OSError, ResourceError) as error:
            self.faltered = True
            reason = error.strerror if isinstance(error, OSError) else str(error) or "memory ran out"
            raise outcomes.ShortageError(f"{self.id} could not be called: {reason}") from None
        finally:
            with self._lock:
                self.seconds += time.perf_counter() - begin
            self._idle.put(child)
        if reply.failure is not None:
            raise (FinalError if reply.final else BackendError)(reply.failure)
        return reply.answers

    def _shared_out(self, qrels: Qrels, run: Run, measures: Sequence[Measure]) -> dict[Measure, Answer]:
        """The answers for all measures, with the queries divided among several child processes."""
        spent: list[float] = []
        try:
            if len(run.topics) == 1 and run.topics == qrels.topics:
                return self._future(_request("evaluate", qrels, run, measures), spent).result()
            parts = [self._future(_request("means", qrels, run, measures), spent).result()]
            alone = (_request("values", *inputs, measures) for _, inputs in one_by_one(qrels, run))
            futures = [self._future(request, spent) for request in alone]
            parts += [future.result() for future in futures]
            return {measure: _joined([part[measure] for part in parts]) for measure in measures}
        except CancelledError:
            raise FinalError(f"{self.id} was interrupted") from None

    def _future(self, request: Request, spent: list[float]) -> Future[dict[Measure, Answer]]:
        """The future answers to a request, which runs in a thread. The answers to an earlier request with the
        same inputs are reused, unless it failed."""
        # Equal inputs may have different file names and line numbers.
        qrels, run = request.inputs["qrels"], request.inputs["run"]
        run = replace(run, source="", lines=run.lines.argsort(kind="stable"))
        inputs = (request.asks, request.measures, replace(qrels, source=""), run)
        key = hashlib.sha256(pickle.dumps(inputs)).digest()
        with self._lock:
            if self._cancelled:
                raise CancelledError
            future = self._requests.get(key)
            if future is None or (future.done() and future.exception() is not None):
                need_memory()
                self._threads = self._threads or ThreadPoolExecutor(len(self._children))
                future = self._threads.submit(self._answers, request, spent)
                self._requests[key] = future
            return future

    def cancel(self) -> None:
        """Make an :meth:`evaluate` that runs in another thread, and every later call, end with an error.

        For Ctrl-C, which reaches only the main thread. A call in this process, without a child, continues.
        """
        with self._lock:
            self._cancelled = True
            if self._threads is not None:
                self._threads.shutdown(wait=False, cancel_futures=True)
        for child in self._children:
            child.cancel()

    def close(self) -> None:
        """End the child processes. The next :meth:`evaluate` starts them again."""
        threads, self._threads = self._threads, None  # first, because an interrupt may end the wait
        if threads is not None:
            threads.shutdown(cancel_futures=True)
        for child in self._children:
            child.close()

    def __exit__(self, *_: object) -> None:
        self.close()


def _request(asks: Asks, qrels: Qrels, run: Run, measures: Sequence[Measure]) -> Request:
    return Request(asks=asks, measures=tuple(measures), inputs={"qrels": qrels, "run": run})


def _joined(answers: Sequence[Answer]) -> Answer:
    """The first answer, which has only a mean, with the values of all others; or the first error."""
    values: dict[bytes, float] = {}
    for answer in answers:
        if isinstance(answer, BackendError):
            return answer
        values |= answer.values
    return replace(cast(MeasureValues, answers[0]), values=values)
