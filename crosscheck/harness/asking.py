"""Calls of the backends for their values on one run after another, some of them ahead of time."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Lock
from types import TracebackType
from typing import Self

from msgspec import Struct

from crosscheck.backends.guarded import Guarded
from crosscheck.errors import BackendError, CrosscheckError
from crosscheck.harness.case_run import CaseRun
from crosscheck.harness.fresh import Answer, FreshInputsOfCase
from crosscheck.harness.settings import Timings
from crosscheck.model import Case, Measure, Qrels, Run

__all__ = ["Asking", "CaseAsked", "RunAsked"]

#: Most runs that are read and asked about before their turn, and most rows of runs that wait in memory.
_RUNS_AHEAD, _ROWS_AHEAD = 8, 200_000


class CaseAsked(Struct, frozen=True, kw_only=True, eq=False):
    """A case, its measures, and the backends that are asked for values.

    Attributes:
        references: id of a reference backend -> the measures that are compared with it.
        involved: id -> available backend to ask, in the order of the results.
        fresh: the candidates that can be called on fresh inputs as well.
    """

    case: Case
    measures: Sequence[Measure]
    references: Mapping[str, Sequence[Measure]]
    involved: Mapping[str, Guarded]
    fresh: FreshInputsOfCase


class RunAsked(Struct, frozen=True, eq=False):
    """A run of a case; ``early``: backend id -> its answers, for backends that were asked ahead of time."""

    of: CaseAsked
    run: CaseRun
    early: Mapping[str, Future[dict[Measure, Answer]]]


class Asking:
    """Asks the backends of cases for their values, as a context manager.

    Before the ``with`` block is left early, the backends must be cancelled.

    Backends whose answers depend on nothing but their input are asked about later runs while this process
    compares. All other backends are asked about one run after another, in the order of the runs.

    Args:
        jobs: number of backends that compute at the same time; with 1, no backend is asked ahead of time.
    """

    def __init__(self, jobs: int, timings: Timings, progress: Callable[[str], None]) -> None:
        self._timings = timings
        self._progress = progress
        self._ahead = jobs > 1
        self._reading = Lock()
        self._now, self._early = ThreadPoolExecutor(max(1, jobs)), ThreadPoolExecutor(_RUNS_AHEAD + 1)

    def in_order(self, work: Iterable[tuple[CaseAsked, CaseRun]]) -> Iterator[RunAsked]:
        """The runs in their order; while one is used, small later runs are read and asked about already."""
        waiting: deque[RunAsked] = deque()
        for of, run in work:
            shared = {id: asked for id, asked in of.involved.items() if asked.shared and self._ahead}
            early = {id: self._early.submit(self._ask, of, run, asked) for id, asked in shared.items()}
            waiting.append(RunAsked(of, run, early))
            while waiting and not self._more(waiting):
                yield waiting.popleft()
        yield from waiting

    def _more(self, waiting: Sequence[RunAsked]) -> bool:
        rows = sum(asked.run.rows for asked in waiting)
        return self._ahead and len(waiting) <= _RUNS_AHEAD and rows <= _ROWS_AHEAD

    def answers(self, asked: RunAsked) -> dict[str, dict[Measure, Answer]]:
        """Backend id -> measure -> answer, for the measures that it supports; several backends at a time."""
        of, run, values = asked.of, asked.run, dict[str, dict[Measure, Answer]]()
        away = {
            id: self._now.submit(self._ask, of, run, backend)
            for id, backend in of.involved.items()
            if backend.isolated and id not in asked.early
        }
        with self._timings.stage("native"):
            values |= {id: self._ask(of, run, b) for id, b in of.involved.items() if not b.isolated}
        values |= {id: future.result() for id, future in {**away, **asked.early}.items()}
        return {id: values[id] for id in of.involved}

    def _ask(self, of: CaseAsked, run: CaseRun, backend: Guarded) -> dict[Measure, Answer]:
        supported = [measure for measure in of.measures if backend.supports(measure)]
        if not supported:
            return {}
        start = time.perf_counter()
        try:
            answers = self._answers(run, backend, supported)
        except CrosscheckError as error:  # conventions that this run cannot follow
            answers = dict.fromkeys(supported, BackendError(str(error)))
        share = (time.perf_counter() - start) / len(supported)
        place = (of.case.name, run.name)
        self._timings.comparisons |= {(*place, str(measure), backend.id): share for measure in supported}
        return answers

    def _answers(self, run: CaseRun, backend: Guarded, measures: Sequence[Measure]) -> dict[Measure, Answer]:
        if not backend.independent:  # native measures read the judged documents, saved numbers nothing
            return dict(backend.evaluate_rankings(run.judged, measures))
        if run.large:
            answers = backend.evaluate_parts(self._reported(run), measures, same_queries=run.same_queries)
            if answers is not None:
                return dict(answers)
        with self._reading:  # a large file, once for all
            rankings = run.rankings
        return dict(backend.evaluate_rankings(rankings, measures))

    def _reported(self, run: CaseRun) -> Iterator[tuple[Qrels, Run]]:
        """The parts of a large run, each after a progress message."""
        topics = 0
        for qrels, part in run.parts():
            self._progress(f"{run.case.name}: {run.name}, query {topics} of {len(run.judged.pairing.topics)}")
            yield qrels, part
            topics += len(qrels.topics)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._now.shutdown(cancel_futures=True)
        self._early.shutdown(cancel_futures=True)
