"""The backends of a call, asked for the values of every run."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Lock
from types import TracebackType
from typing import Self

from msgspec import Struct, field

from crosscheck.backends.base import Description
from crosscheck.backends.guarded import Guarded
from crosscheck.backends.outcomes import Answer
from crosscheck.compare import Differences, differ
from crosscheck.conventions import Conventions
from crosscheck.errors import BackendError, CrosscheckError, UsageError
from crosscheck.formats.topics import Topics
from crosscheck.harness.case_run import CaseRun
from crosscheck.harness.merging import CaseResults
from crosscheck.harness.settings import DEFAULT_TOLERANCE, Settings, Timings
from crosscheck.measures import family
from crosscheck.model import Case, Measure, MeasureValues, Qrels, Run
from crosscheck.names import conventions_for
from crosscheck.rankings.pairing import Memo

#: Most runs that are read and asked about before their turn, and most rows of runs that wait in memory.
_RUNS_AHEAD, _ROWS_AHEAD = 8, 200_000


class Invocation(Struct, frozen=True, kw_only=True, eq=False):
    """One call of the harness.

    Attributes:
        guards, descriptions: every backend of the call by its id, references first.
        informing: ids of the backends whose comparisons only inform.
        progress: called with a message before anything that takes long.
    """

    settings: Settings
    guards: Mapping[str, Guarded]
    descriptions: Mapping[str, Description]
    informing: frozenset[str]
    timings: Timings
    progress: Callable[[str], None]


class CaseAsked(Struct, frozen=True, kw_only=True, eq=False):
    """A case, its measures, the backends that are asked for values, and the results so far.

    Attributes:
        references: id of a reference backend -> the measures that are compared with it.
        involved: id -> available backend to ask, in the order of the results.
        topics: the table of queries to group by, None if there is none.
    """

    case: Case
    measures: Sequence[Measure]
    references: Mapping[str, Sequence[Measure]]
    involved: Mapping[str, Guarded]
    topics: Topics | None = None
    found: CaseResults = field(default_factory=CaseResults)


class RunAsked(Struct, frozen=True, eq=False):
    """A run of a case; ``early``: backend id -> its answers, for backends that were asked ahead of time."""

    of: CaseAsked
    run: CaseRun
    early: Mapping[str, Future[dict[Measure, Answer]]]


class RunAnswers(Struct, frozen=True, kw_only=True, eq=False):
    """All answers about a run that are compared with one reference.

    Attributes:
        answers: id of the reference and of each candidate -> measure -> its answer; a measure is absent where
            a backend does not have it.
        known: what was found out on one run of the case and holds for the others.
    """

    call: Invocation
    of: CaseAsked
    run: CaseRun
    reference: str
    answers: Mapping[str, Mapping[Measure, Answer]]
    known: Memo

    def values(self, id: str, measure: Measure) -> MeasureValues | None:
        """The values of a backend; None without any."""
        answer = self.answers[id].get(measure)
        return answer if isinstance(answer, MeasureValues) else None

    def pairs(self, candidate: str) -> dict[Measure, tuple[MeasureValues, MeasureValues]]:
        """The values of the reference and of a candidate, for the measures for which both have some."""
        return {
            measure: (ours, theirs)
            for measure in self.answers[candidate]
            if (ours := self.values(self.reference, measure)) is not None
            if (theirs := self.values(candidate, measure)) is not None
        }

    def tolerance(self, candidate: str) -> float:
        """The tolerance of the call or else of the case; by default 0 between two backends that are exact."""
        for given in (self.call.settings.tolerance, self.of.case.tolerance):
            if given is not None:
                return given
        exact = {id for id, guard in self.call.guards.items() if guard.backend.exact}
        return 0.0 if {candidate, self.reference} <= exact else DEFAULT_TOLERANCE

    def differences(
        self, measure: Measure, candidate: str, ours: MeasureValues, theirs: MeasureValues
    ) -> Differences:
        aggregate = family(measure.family).aggregate
        return differ(ours, theirs, tolerance=self.tolerance(candidate), aggregate=aggregate)

    def certain(self, id: str, measure: Measure) -> Conventions | None:
        """The conventions that a backend, or saved values of the case, are certain to follow in a measure."""
        if id in self.call.guards:
            return self.call.guards[id].certain(measure)
        spec = self.of.case.certain.get(id.removeprefix("recorded:"))
        try:
            return None if spec is None else conventions_for(spec, measure)
        except UsageError:  # the tool does not have the measure, so something else computed it
            return None


class RunQueue:
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
            return backend.evaluate_rankings(run.judged, measures)
        if run.large:
            answers = backend.evaluate_parts(self._reported(run), measures, same_queries=run.same_queries)
            if answers is not None:
                return answers
        with self._reading:  # a large file, once for all
            rankings = run.rankings
        return backend.evaluate_rankings(rankings, measures)

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
