"""Many runs against one qrels, in this process or spread over the workers of any executor."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import count
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, TypeVar

import numpy as np
from msgspec import Struct

from crosscheck.conventions import Conventions
from crosscheck.engine.conversion import QrelsLike, RunLike, file_of
from crosscheck.engine.parts import NotStreamable, Part, merged
from crosscheck.engine.ranges import byte_ranges, judged_range
from crosscheck.engine.requests import RequestedMeasures
from crosscheck.engine.streaming import Reading, StreamedRankings, judge_file
from crosscheck.errors import ArgumentError, InputError, warn
from crosscheck.evaluation.rankings import Rankings
from crosscheck.evaluation.summarise import Evaluated
from crosscheck.formats.reference_reader import Rules
from crosscheck.model import Qrels, display
from crosscheck.rankings.pairing import JudgedPool

if TYPE_CHECKING:
    from concurrent.futures import Executor

__all__ = [
    "Outcome",
    "Progress",
    "RunValues",
    "evaluate_each",
    "evaluate_runs",
    "values_by_query",
]

_Result = TypeVar("_Result")

#: Called with the number of runs that are done and the number of all runs.
Progress = Callable[[int, int], None]

#: Below this many bytes of runs, starting workers takes longer than they save.
_WORTH_WORKERS = 50 << 20
#: Shards per worker: more even out runs of different size, fewer send the judgements less often.
_SHARDS = 4


class RunValues(Struct, frozen=True, kw_only=True, eq=False):
    """The values of the requested measures on one run.

    Attributes:
        run: path of the run, or the source named in its record.
        tag: the run's own name (last column of its last line).
        shared: number of queries that run and qrels have in common.
        all_topics: ids of all queries of the run or of the qrels, in byte order.
        evaluated: by requested measure: values over ``all_topics``, and their mean.
        notes: sentences about ids of the run and the qrels that look alike.
    """

    run: str
    tag: bytes
    shared: int
    all_topics: tuple[bytes, ...]
    evaluated: Mapping[str, Evaluated]
    notes: tuple[str, ...] = ()

    def values(self) -> dict[str, dict[str, float]]:
        """``{query: {measure: value}}`` for the queries that have a value, in byte order."""
        return values_by_query(self.all_topics, self.evaluated)

    def means(self) -> dict[str, float | None]:
        """Mean of each measure (trec_eval's summary), None if no query has a value."""
        return {measure: result.mean for measure, result in self.evaluated.items()}


#: The values of a run, or the error that prevented them.
Outcome: TypeAlias = RunValues | InputError


def values_by_query(
    all_topics: Sequence[bytes], evaluated: Mapping[str, Evaluated]
) -> dict[str, dict[str, float]]:
    """``{query: {measure: value}}`` for the queries that have a value, in byte order."""
    result: dict[str, dict[str, float]] = {}
    rows = [result.setdefault(display(topic), {}) for topic in all_topics]
    present = [of.present for of in evaluated.values()]
    if present and all(np.array_equal(one, present[0]) for one in present):
        # Whole rows at once, because most measures have values for the same queries.
        having = np.flatnonzero(present[0])
        values = np.array([of.values[having] for of in evaluated.values()]).T.tolist()
        for i, row in zip(having.tolist(), values, strict=True):
            rows[i].update(zip(evaluated, row, strict=True))
    else:
        for name, of in evaluated.items():
            for i in np.flatnonzero(of.present).tolist():
                rows[i][name] = float(of.values[i])
    return {query: values for query, values in result.items() if values}


def evaluate_runs(
    qrels: QrelsLike,
    runs: Sequence[RunLike],
    measures: Sequence[str],
    *,
    conventions: str | Conventions = "trec_eval-9.0.8",
    executor: Executor | None = None,
    workers: int | None = None,
    progress: Progress | None = None,
) -> list[RunValues]:
    """Values of native measures for many runs; the judgements are read and prepared once.

    Run files are streamed: memory holds their judged documents only. The result does not depend on the
    workers.

    Args:
        qrels: judgements; see :func:`crosscheck.evaluate`.
        runs: runs; files are read by the workers, so their paths must be valid there.
        measures: names in ir_measures' or trec_eval's spelling.
        conventions: as for :func:`crosscheck.evaluate`.
        executor: runs the work, such as dask's ``Client(...).get_executor(pure=False)``; it stays open. By
            default processes on this machine.
        workers: number of workers; 1 works in this process. By default one per processor, or none if there is
            little to do. A single large run is cut into as many byte ranges.
        progress: called after every few runs, in the order of ``runs``.

    Returns:
        One :class:`RunValues` per run, in the order of ``runs``.

    Raises:
        InputError: an input cannot be used.
        ResourceError: two workers were lost on the same part, or a cluster has none.
        UsageError: an unknown measure, profile, axis or value, or ``workers`` below 1.
    """
    results: list[RunValues] = []
    for outcome in evaluate_each(
        qrels, runs, measures, conventions=conventions, executor=executor, workers=workers, progress=progress
    ):
        if isinstance(outcome, InputError):
            raise outcome
        results.append(outcome)
    return results


def evaluate_each(
    qrels: QrelsLike,
    runs: Sequence[RunLike],
    measures: Sequence[str],
    *,
    conventions: str | Conventions = "trec_eval-9.0.8",
    executor: Executor | None = None,
    workers: int | None = None,
    progress: Progress | None = None,
    notice: Callable[[str], None] = lambda said: warnings.warn(said, RuntimeWarning, stacklevel=2),
) -> Iterator[Outcome]:
    """As :func:`evaluate_runs`, run by run; a run that cannot be used gives its error instead of values.

    Args:
        notice: called with a sentence when a worker was lost and its part is repeated.

    Raises:
        InputError: the judgements cannot be used.
        ResourceError: workers were lost again and again, or there are none.
        UsageError: as :func:`evaluate_runs`.
    """
    if workers is not None and workers < 1:
        raise ArgumentError(f"workers must be at least 1, not {workers}")
    request = RequestedMeasures.of(measures, conventions)
    judgements = request.judgements(qrels)
    busy = workers or (_default_workers(runs) if executor is None else os.cpu_count() or 1)
    outcomes = _outcomes(judgements, runs, request, busy, executor, notice)
    for done, outcome in enumerate(outcomes, 1):
        if progress is not None:
            progress(done, len(runs))
        for note in outcome.notes if isinstance(outcome, RunValues) else ():
            warn(note)
        yield outcome


def _outcomes(
    judgements: Qrels,
    runs: Sequence[RunLike],
    request: RequestedMeasures,
    busy: int,
    executor: Executor | None,
    notice: Callable[[str], None],
) -> Iterator[Outcome]:
    if executor is None and busy == 1:
        pool = JudgedPool(judgements)
        yield from (_outcome(request, run, pool) for run in runs)
        return
    # Imported here because importing it takes longer than a small evaluation.
    from crosscheck.engine.executors import Submitted
    from crosscheck.processes.pool import Pool, can_fork

    shared = _Shared(f"{os.getpid()}-{next(_numbers)}", judgements)
    fork = executor is None and can_fork()
    if fork:
        shared = shared.prepared()
    in_ranges = len(runs) < busy and all(map(_is_large, runs)) and not judgements.detailed
    over = _in_ranges if in_ranges else _in_shards
    if executor is not None:
        yield from over(Submitted(executor), shared, runs, request, busy)
        return
    with Pool(busy, fork=fork, preload=__name__, notice=notice) as pool_of_workers:
        yield from over(pool_of_workers, shared, runs, request, busy)


def _outcome(request: RequestedMeasures, run: RunLike, pool: JudgedPool) -> Outcome:
    try:
        return _values(request, request.rankings(run, pool), run)
    except InputError as error:
        return error


def _values(request: RequestedMeasures, rankings: Rankings, run: RunLike) -> RunValues:
    pairing = rankings.pairing
    return RunValues(
        run=file_of(run) or pairing.run.source,
        tag=pairing.run.tag,
        shared=len(pairing.topics),
        all_topics=pairing.all_topics,
        evaluated=request.evaluated(rankings),
        notes=pairing.spelling,
    )


class _Shared(Struct, frozen=True):
    """Judgements as sent to workers; each worker prepares them once per ``key``.

    Attributes:
        qrels: None if the workers are copies of a process that has prepared them.
    """

    key: str
    qrels: Qrels | None

    def pool(self) -> JudgedPool:
        if self.key not in _pools:
            assert self.qrels is not None
            _pools.clear()
            _pools[self.key] = JudgedPool(self.qrels)
        return _pools[self.key]

    def prepared(self) -> _Shared:
        self.pool()
        return _Shared(self.key, None)


_numbers = count()
_pools: dict[str, JudgedPool] = {}


def _default_workers(runs: Sequence[RunLike]) -> int:
    paths = [path for path in map(file_of, runs) if path is not None and os.path.isfile(path)]
    little = sum(map(os.path.getsize, paths)) < _WORTH_WORKERS
    return 1 if little else os.cpu_count() or 1


def _is_large(run: RunLike) -> bool:
    path = file_of(run)
    return path is not None and os.path.isfile(path) and os.path.getsize(path) >= _WORTH_WORKERS


# ---- what is sent to workers ---------------------------------------------------------------------------


def _judge_shard(shared: _Shared, runs: Sequence[RunLike], request: RequestedMeasures) -> list[Outcome]:
    pool = shared.pool()
    return [_outcome(request, run, pool) for run in runs]


def _judge_range(
    shared: _Shared, reading: Reading, conventions: Conventions, bounds: tuple[int, int]
) -> Part | None:
    try:
        return judged_range(reading, shared.pool(), conventions, bounds)
    except NotStreamable:
        return None


class _Workers(Protocol):
    """The workers that do parts of the work."""

    def results(
        self, function: Callable[..., _Result], parts: Sequence[tuple[Any, ...]]
    ) -> Iterator[_Result]:
        """``function(*part)`` for every part, in order."""
        ...


def _in_shards(
    pool: _Workers, shared: _Shared, runs: Sequence[RunLike], request: RequestedMeasures, workers: int
) -> Iterator[Outcome]:
    size = max(1, len(runs) // (workers * _SHARDS))
    shards = [(shared, runs[i : i + size], request) for i in range(0, len(runs), size)]
    for outcomes in pool.results(_judge_shard, shards):
        yield from outcomes


def _in_ranges(
    pool: _Workers, shared: _Shared, runs: Sequence[RunLike], request: RequestedMeasures, workers: int
) -> Iterator[Outcome]:
    for run in runs:
        try:
            reading = Reading(file_of(run) or "", Rules())
            order = request.order
            ranges = [(shared, reading, order, r) for r in byte_ranges(reading.path, workers)]
            parts = [part for part in pool.results(_judge_range, ranges) if part is not None]
            rankings = _joined(parts, len(ranges), reading, shared.pool(), order)
            yield _values(request, rankings, run)
        except InputError as error:
            yield error


def _joined(
    parts: list[Part], wanted: int, reading: Reading, pool: JudgedPool, conventions: Conventions
) -> Rankings:
    """The ranges as one run; the run is read as a whole here if they cannot be combined."""
    try:
        if len(parts) == wanted:
            return StreamedRankings(reading, pool, conventions, merged(parts, pool))
    except NotStreamable:
        pass
    return judge_file(reading.path, pool, conventions)
