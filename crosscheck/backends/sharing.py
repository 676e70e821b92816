"""A backend in several child processes, which share out the queries of a run."""

from __future__ import annotations

import hashlib
import pickle
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from queue import LifoQueue
from threading import Lock

from msgspec.structs import replace

from crosscheck.backends import wire
from crosscheck.backends.base import Backend, Options
from crosscheck.backends.guarded import Guarded
from crosscheck.backends.isolation import Isolated
from crosscheck.backends.outcomes import (
    FinalError,
    Outcome,
    outcomes,
)
from crosscheck.backends.texts import topic_rows
from crosscheck.errors import BackendError
from crosscheck.model import Measure, MeasureValues, Qrels, Run
from crosscheck.rankings.subset import only_qrels, only_run

__all__ = ["Shared"]


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
    return replace(mean, values=values)
