"""Calls of the backends, which compute the values of every run."""

import time
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager
from threading import Lock

from msgspec import Struct, field

from crosscheck.backends.base import Description
from crosscheck.backends.guarded import Guarded
from crosscheck.backends.outcomes import Answer
from crosscheck.compare import Differences, differ
from crosscheck.conventions import Conventions
from crosscheck.errors import BackendError, CrosscheckError, UsageError, need_memory
from crosscheck.formats.topics import Topics
from crosscheck.harness.case_run import CaseRun
from crosscheck.harness.document import CaseResults
from crosscheck.harness.settings import DEFAULT_TOLERANCE, Progress, Settings, Timings
from crosscheck.measures import family
from crosscheck.model import Case, Measure, MeasureValues, Qrels, Run
from crosscheck.names import conventions_for
from crosscheck.rankings.pairing import Memo

#: Limits for runs that are evaluated ahead of time: the number of runs, and the number of their rows.
_RUNS_AHEAD, _ROWS_AHEAD = 8, 200_000


class Invocation(Struct, frozen=True, eq=False):
    """One call of the harness.

    Attributes:
        guards: backend id -> the backend wrapped for safe calls, references first.
        descriptions: backend id -> its description, in the same order.
        informing: ids of the backends whose comparisons only inform.
        progress: called with a message before each slow step.
    """

    settings: Settings
    guards: Mapping[str, Guarded]
    descriptions: Mapping[str, Description]
    informing: frozenset[str]
    timings: Timings
    progress: Progress


class CaseTask(Struct, frozen=True, eq=False):
    """A case with its measures, the backends that compute values, and the results so far.

    Attributes:
        references: id of a reference backend -> the measures that are compared with it.
        involved: id -> backend that is available and needed, in the order of the results.
        topics: the table of queries to group by, None if there is none.
        results: filled while the runs of the case are compared.
        shared: findings about one run that are also true of the other runs.
    """

    case: Case
    measures: Sequence[Measure]
    references: Mapping[str, Sequence[Measure]]
    involved: Mapping[str, Guarded]
    topics: Topics | None = None
    results: CaseResults = field(default_factory=CaseResults)
    shared: Memo = field(default_factory=Memo)


class RunTask(Struct, frozen=True, eq=False):
    """A run of a case that the backends shall evaluate. ``early``: id -> future answers of a backend that was
    called ahead of time."""

    task: CaseTask
    run: CaseRun
    early: Mapping[str, Future[dict[Measure, Answer]]]


class RunAnswers(Struct, frozen=True, eq=False):
    """The answers of one reference and all its candidates for a run.

    Attributes:
        answers: id of the reference and of each candidate -> measure -> answer. A measure is absent if the
            backend does not have it.
    """

    call: Invocation
    task: CaseTask
    run: CaseRun
    reference: str
    answers: Mapping[str, Mapping[Measure, Answer]]

    def values(self, id: str, measure: Measure) -> MeasureValues | None:
        """The values of a backend; None if it failed or does not have the measure."""
        answer = self.answers[id].get(measure)
        return answer if isinstance(answer, MeasureValues) else None

    def pairs(self, candidate: str) -> dict[Measure, tuple[MeasureValues, MeasureValues]]:
        """(values of the reference, values of the candidate) for each measure that both have."""
        of, reference = self.values, self.reference
        sides = ((m, of(reference, m), of(candidate, m)) for m in self.answers[candidate])
        return {m: (ours, theirs) for m, ours, theirs in sides if ours is not None and theirs is not None}

    def tolerance(self, candidate: str) -> float:
        """The tolerance of the call, else of the case, else 0 for two exact backends and 1e-9 for others."""
        exact = {id for id, guard in self.call.guards.items() if guard.backend.exact}
        usual = 0.0 if {candidate, self.reference} <= exact else DEFAULT_TOLERANCE
        stated = (self.call.settings.tolerance, self.task.case.tolerance)
        return next((tolerance for tolerance in stated if tolerance is not None), usual)

    def differences(self, measure: Measure, candidate: str, *sides: MeasureValues) -> Differences:
        """The differences between both sides: values of the reference, and values of the candidate."""
        ours, theirs = sides
        return differ(ours, theirs, self.tolerance(candidate), family(measure.family).aggregate)

    def certain(self, id: str, measure: Measure) -> Conventions | None:
        """The conventions that a backend or saved values certainly follow in a measure; None if they are not
        certain."""
        if id in self.call.guards:
            return self.call.guards[id].certain(measure)
        spec = self.task.case.certain.get(id.removeprefix("recorded:"))
        try:
            return None if spec is None else conventions_for(spec, measure)
        except UsageError:  # the tool does not have the measure, so something else computed it
            return None


class RunQueue(AbstractContextManager["RunQueue"]):
    """Calls the backends on the runs of cases. A context manager.

    To leave the ``with`` block early, cancel the backends first.

    A backend whose answers depend only on its input evaluates later runs while this process compares earlier
    runs. All other backends evaluate one run after the other, in order.

    Args:
        jobs: number of backends that compute at the same time; with 1, no backend is called ahead of time.
        timings: receives the time of each comparison and stage.
        progress: called with a message for each part of a large run.
    """

    def __init__(self, jobs: int, timings: Timings, progress: Progress) -> None:
        self._timings = timings
        self._progress = progress
        self._ahead = jobs > 1
        self._reading = Lock()
        self._now, self._early = ThreadPoolExecutor(max(1, jobs)), ThreadPoolExecutor(_RUNS_AHEAD + 1)

    def in_order(self, work: Iterable[tuple[CaseTask, CaseRun]]) -> Iterator[RunTask]:
        """Yield the runs in order. Meanwhile, later runs that are small are evaluated ahead of time."""
        waiting: deque[RunTask] = deque()
        most = _RUNS_AHEAD if self._ahead else 0
        for task, run in work:
            shared = {id: guard for id, guard in task.involved.items() if guard.shared and self._ahead}
            early = {id: self._early.submit(self._ask, task, run, guard) for id, guard in shared.items()}
            waiting.append(RunTask(task, run, early))
            while len(waiting) > most or sum(one.run.rows for one in waiting) > _ROWS_AHEAD:
                yield waiting.popleft()
        yield from waiting

    def answers(self, run_task: RunTask) -> dict[str, dict[Measure, Answer]]:
        """Call all backends on a run, several at a time: backend id -> measure that it supports -> answer."""
        need_memory()
        task, run, futures = run_task.task, run_task.run, dict(run_task.early)
        for id, guard in task.involved.items():
            if guard.isolated and id not in futures:
                futures[id] = self._now.submit(self._ask, task, run, guard)
        with self._timings.stage("native"):
            here = {id: self._ask(task, run, g) for id, g in task.involved.items() if not g.isolated}
        return {id: here[id] if id in here else futures[id].result() for id in task.involved}

    def _ask(self, task: CaseTask, run: CaseRun, backend: Guarded) -> dict[Measure, Answer]:
        supported = [measure for measure in task.measures if backend.supports(measure)]
        if not supported:
            return {}
        start = time.perf_counter()
        try:
            answers = self._answers(run, backend, supported)
        except CrosscheckError as error:  # the run does not allow these conventions
            answers = dict.fromkeys(supported, BackendError(str(error)))
        share = (time.perf_counter() - start) / len(supported)
        place = (task.case.name, run.name)
        self._timings.comparisons |= {(*place, str(measure), backend.id): share for measure in supported}
        return answers

    def _answers(self, run: CaseRun, backend: Guarded, measures: Sequence[Measure]) -> dict[Measure, Answer]:
        if not backend.backend.independent:
            # Native measures need only judged documents, and saved values nothing.
            return backend.evaluate_rankings(run.judged, measures)
        if run.large:
            parts, pairing = self._reported(run), run.judged.pairing
            same = not (pairing.missing.any() or pairing.unjudged.any())
            if (answers := backend.evaluate_parts(parts, measures, same_queries=same)) is not None:
                return answers
        with self._reading:  # a large file is read once for all backends
            rankings = run.rankings
        return backend.evaluate_rankings(rankings, measures)

    def _reported(self, run: CaseRun) -> Iterator[tuple[Qrels, Run]]:
        """The parts of a large run, each after a progress message."""
        topics = 0
        for qrels, part in run.parts():
            self._progress(f"{run.case.name}: {run.name}, query {topics} of {len(run.judged.pairing.topics)}")
            yield qrels, part
            topics += len(set(qrels.topics).intersection(part.topics))

    def __exit__(self, *_: object) -> None:
        self._now.shutdown(cancel_futures=True)
        self._early.shutdown(cancel_futures=True)
