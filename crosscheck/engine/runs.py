"""Evaluation of many runs with one qrels, in this process or in the workers of an executor."""

from __future__ import annotations

import logging
import os
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future
from concurrent.futures import TimeoutError as NotYet
from contextlib import contextmanager, suppress
from functools import partial
from itertools import chain, compress, count, pairwise
from typing import Any, BinaryIO, NamedTuple, TypeAlias, TypeVar

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from crosscheck.axes.gains import GAIN
from crosscheck.conventions import Conventions, profiles
from crosscheck.engine.conversion import QrelsLike, RunLike, as_qrels, as_run, by_query, file_of
from crosscheck.engine.streaming import DictRun, JudgedPart, Reading, part_of, rankings_of, rankings_of_parts
from crosscheck.errors import ArgumentError, InputError, ResourceError, UsageError, install, safe_text, warn
from crosscheck.evaluation.formula import with_measure_parameters
from crosscheck.evaluation.rankings import Rankings
from crosscheck.evaluation.summarise import evaluate
from crosscheck.formats.forms import named
from crosscheck.formats.reference_reader import Rules
from crosscheck.formats.source import LONGEST_LINE, packing
from crosscheck.measures import family, needs_of
from crosscheck.measures.gains import gains
from crosscheck.model import Measure, Qrels, Scores, display
from crosscheck.names import conventions_for, names_of, parse_measures, software, trec_eval_name
from crosscheck.rankings.pairing import JudgedPool
from crosscheck.shown import tell

#: The results of a function for several parts of the work, as an executor or a pool of workers gives them.
_ResultsOf: TypeAlias = Callable[..., Iterator[Any]]


def byte_ranges(reading: Reading, count: int) -> list[Reading]:
    """Divide a file into at most ``count`` byte ranges of about equal size, each with whole topics.

    Each range after the first starts at a line whose topic differs from the topic of the line before. A file
    that is not plain lines of text stays whole.
    """
    layout, path = reading.form.layout, named(reading.path)[1]
    if layout is None or layout.columns[0] != "topic":
        return [reading]
    size = os.path.getsize(path)
    with open(path, "rb") as file:
        if packing(file.peek(16)):
            return [reading]
        cuts = {_next_topic(file, size * i // count) for i in range(1, count)}
    bounds = [0, *sorted(cuts - {0, size}), size]
    return [replace(reading, bounds=positions) for positions in pairwise(bounds)]


def _next_topic(file: BinaryIO, position: int) -> int:
    """The position of the first line of the first topic that begins after ``position``, or the end of the
    file."""
    file.seek(position)
    file.readline(LONGEST_LINE)
    current: bytes | None = None
    while True:
        start = file.tell()
        line = file.readline(LONGEST_LINE)
        if len(line) == LONGEST_LINE:  # not text; the reader will report it
            return 0
        columns = line.split(maxsplit=1)
        if not line or (columns and current not in (None, columns[0])):
            return start
        current = columns[0] if columns else current


class RequestedMeasures(NamedTuple):
    """The measures to compute. ``wanted``: requested name -> the measure and its conventions."""

    wanted: dict[str, tuple[Measure, Conventions]]

    @staticmethod
    def of(names: Sequence[str], conventions: str | Conventions) -> RequestedMeasures:
        """The record for names of measures and for a profile, axis settings or conventions.

        The members of a group (``official``) have trec_eval's names. If the conventions are a text that
        begins with a profile of trec_eval 10, groups have the members of version 10.

        Raises:
            UsageError: there is no such measure, profile, axis or value, or the tool of the profile lacks a
                measure.
        """
        is_10 = isinstance(conventions, str) and conventions.startswith("trec_eval-10")
        named: dict[str, Measure] = {}
        for name in names_of(names):
            members = parse_measures([name], "10.0" if is_10 else "9.0.8")
            named |= {(trec_eval_name(m) or str(m)) if len(members) > 1 else name: m for m in members}
        return RequestedMeasures({name: (m, conventions_for(conventions, m)) for name, m in named.items()})

    @property
    def order(self) -> Conventions:
        """The conventions of the first measure. A run is first read and ordered under these conventions."""
        return next((conventions for _, conventions in self.wanted.values()), Conventions())

    def judgements(self, qrels: QrelsLike) -> Qrels:
        """The judgements, of the kind that the measures need.

        Raises:
            InputError: the judgements cannot be used, or a level has an infinite gain.
        """
        judged = as_qrels(qrels, needs=needs_of(measure for measure, _ in self.wanted.values()))
        self.check_gains(judged)
        return judged

    def check_gains(self, qrels: Qrels) -> None:
        """Check that no relevance level has an infinite gain.

        Raises:
            InputError: the gain 2^level of the highest level is too large for a double.
        """
        highest = int(qrels.rels.max(initial=0))
        for measure, conventions in self.wanted.values() if highest >= sys.float_info.max_exp else ():
            spec = with_measure_parameters(conventions, measure)
            if GAIN in family(measure.family).reads and np.isinf(gains(np.array([highest]), spec)).any():
                problem = f"the gain of a relevance level is too large for {measure}"
                expected = f"levels below {sys.float_info.max_exp} where the gain is {spec[GAIN]}"
                raise InputError(problem, path=qrels.source, found=str(highest), expected=expected)

    def rankings(self, run: RunLike, pool: JudgedPool) -> Rankings:
        """A run joined with prepared judgements. Files are streamed, and dicts are not copied, unless the
        judgements have more than levels: then the whole run is read into memory.
        """
        if pool.qrels.detailed:
            return Rankings(as_run(run), pool)
        if by_query(run):
            return rankings_of(DictRun(run), pool)
        if path := file_of(run):
            return rankings_of(Reading.of(path, Rules()), pool, self.order)
        return Rankings(as_run(run), pool)

    def evaluated(self, rankings: Rankings) -> dict[str, Scores]:
        """The values and the mean of each measure.

        Raises:
            InputError: the tool of the profile fails on a query, or see
                :func:`crosscheck.evaluation.summarise.evaluate`.
        """
        return {name: evaluated(rankings, *wanted) for name, wanted in self.wanted.items()}


def fails_on(spec: Conventions, measure: Measure, rankings: Rankings) -> tuple[str, list[bytes]] | None:
    """How the tool of these conventions fails on this input, in words, and the ids of the queries on which
    the tool fails or its value cannot be predicted; None if there are no such queries."""
    fails = profiles()[spec.profile].fails if spec.profile else ()
    if not fails:  # true of most tools
        return None
    pairing = rankings.pairing
    run, judged, every = pairing.run, pairing.qrels, pairing.all_topics
    relevant = judged.topic_numbers[judged.rels >= (measure.rel or 1)]
    barren = compress(judged.topics, np.bincount(relevant, minlength=len(judged.topics)) == 0)
    texts = (topic for topic in run.topics if not topic.replace(b"-", b"").isdigit())
    # Rows may not be in memory, and are read where they can matter.
    parts = (part.pairing for part in (rankings.parts() if judged.rels.min(initial=0) < 0 else ()))
    negative = (of.topics[topic] for of in parts for topic in np.unique(of.topic[of.rels < 0]).tolist())
    kinds = {
        "missing": ("fails on judged queries without results", compress(every, pairing.missing)),
        "extra": ("fails on queries without judgements", compress(every, pairing.unjudged)),
        "single": ("fails on a list of one document", compress(run.topics, np.diff(run.offsets) == 1)),
        "words": ("fails on query ids that are not numbers", texts),
        "nDCG:negative": ("fails on retrieved documents with negative levels", negative),
        "bpref:barren": ("depends on its number of threads with queries without relevant documents", barren),
    }
    for kind in fails:
        words, topics = kinds[kind]
        if kind.rpartition(":")[0] in ("", measure.family) and (failing := sorted(topics)):
            return words, failing
    return None


def averages_rounded(spec: Conventions) -> bool:
    """Whether the mean of the tool of these conventions is that of its rounded values."""
    return bool(spec.profile) and profiles()[spec.profile].mean_of == "rounded values"


def mean_of_tool(spec: Conventions, scores: Scores) -> float | None:
    """The mean of these values as the tool of these conventions computes it."""
    rounded = averages_rounded(spec) and scores.mean_of_rounded is not None
    return scores.mean_of_rounded if rounded else scores.mean


def evaluated(rankings: Rankings, measure: Measure, conventions: Conventions) -> Scores:
    """The values and the mean of a measure, as the tool of the profile gives them if there is a profile.

    Raises:
        InputError: the tool of the profile fails on a query (see :func:`fails_on`).
    """
    pairing = rankings.pairing
    if failing := fails_on(conventions, measure, rankings):
        profile, (words, topics) = profiles()[conventions.profile], failing
        some = ", ".join(map(display, topics[:5])) + ", ..." * (len(topics) > 5)
        problem, found = f"{software(profile)} {words}", f"{len(topics)} of {len(pairing.all_topics)}: {some}"
        zero = "missing_queries=zero (judged queries without results get 0, as under trec_eval's -c)"
        either = f"{profile.name},{zero} or missing_queries=dropped (no value)"
        hint = f"remove these queries, or add a convention: {either}"
        raise InputError(problem, path=pairing.run.source, found=found, hint=hint)
    scores = evaluate(rankings, measure, conventions)
    return replace(scores, mean=mean_of_tool(conventions, scores))


#: A function that is called with the number of finished runs and the number of all runs.
Progress = Callable[[int, int], None]

#: With fewer bytes of runs than this, starting workers takes more time than they save.
_WORTH_WORKERS = 50 << 20
#: Number of parts of the work per worker. More parts balance runs of different sizes; with fewer parts the
#: judgements are sent less often.
_SHARDS = 4


class RunValues(Struct, frozen=True, kw_only=True, eq=False):
    """The values of the requested measures on one run.

    Attributes:
        run: path of the run, or the name of a run in memory.
        tag: the tag of the run (last column of the last line).
        shared: number of queries that are in both the run and the qrels.
        all_topics: ids of all queries of the run or of the qrels, in byte order.
        evaluated: requested name of a measure -> values over ``all_topics``, and their mean.
        notes: warnings about ids of the run and the qrels (see
            :func:`crosscheck.rankings.pairing.spelling_notes`).
        facts: sentences on how the qrels and the run were read, and on judgements of which few count or none.
    """

    run: str
    tag: bytes
    shared: int
    all_topics: tuple[bytes, ...]
    evaluated: Mapping[str, Scores]
    notes: tuple[str, ...] = ()
    facts: tuple[str, ...] = ()

    def values(self) -> dict[str, dict[str, float]]:
        """``{query: {measure: value}}`` for the queries that have a value, in byte order."""
        return values_by_query(self.all_topics, self.evaluated)

    def means(self) -> dict[str, float | None]:
        """The mean of each measure (trec_eval's summary); None if no query has a value."""
        return {measure: result.mean for measure, result in self.evaluated.items()}


#: The values of a run, or the error if the run cannot be used.
Outcome: TypeAlias = RunValues | InputError


def values_by_query(
    all_topics: Sequence[bytes], evaluated: Mapping[str, Scores]
) -> dict[str, dict[str, float]]:
    """``{query: {measure: value}}`` for the queries that have a value, in byte order."""
    result: dict[str, dict[str, float]] = {}
    rows = [result.setdefault(display(topic), {}) for topic in all_topics]
    for name, of in evaluated.items():
        for row, value in zip(compress(rows, of.present), of.values[of.present].tolist(), strict=True):
            row[name] = value
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
    """Compute crosscheck's measures for many runs. The judgements are read and prepared once.

    Run files are streamed, so that only their judged documents are in memory. The result does not depend on
    the number of workers.

    Args:
        qrels: the judgements; see :func:`crosscheck.evaluate`.
        runs: the runs. Workers read the files, so their paths must be valid for the workers.
        measures: names as in ir_measures or trec_eval.
        conventions: see :func:`crosscheck.evaluate`.
        executor: executor for the work, such as dask's ``Client(...).get_executor(pure=False)``, which is not
            closed. By default, processes on this machine.
        workers: number of workers; with 1, this process does the work. By default one per processor, or 1 if
            the runs are small. If there are fewer runs than workers, large runs are divided among workers.
        progress: called after every few runs with the number of finished runs and the number of all runs.

    Returns:
        One :class:`RunValues` per run, in the order of ``runs``.

    Raises:
        InputError: an input cannot be used.
        ResourceError: workers died twice on the same part of the work, or a cluster has no workers.
        UsageError: an unknown measure, profile, axis or value, or ``workers`` below 1.
    """
    if isinstance(runs, Mapping | str):
        hint = "give list(runs.values()) if it is a dict of runs"
        raise ArgumentError("runs must be a list of runs", hint=hint)
    results: list[RunValues] = []
    report = progress or (lambda done, every: tell(f"{done} of {every} runs"))
    for outcome in evaluate_each(
        qrels, runs, measures, conventions=conventions, executor=executor, workers=workers, progress=report
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
    notice: Callable[[str], None] = lambda text: warnings.warn(text, RuntimeWarning, stacklevel=2),
) -> Iterator[Outcome]:
    """Yield the values of one run after the other, or the error for a run that cannot be used. The arguments
    are those of :func:`evaluate_runs`.

    Args:
        notice: called with a sentence when a worker died and its part of the work is repeated.

    Raises:
        InputError: the judgements cannot be used.
        ResourceError: workers died twice on the same part of the work, or a cluster has no workers.
        UsageError: see :func:`evaluate_runs`.
    """
    if workers is not None and workers < 1:
        raise ArgumentError(f"workers must be at least 1, not {workers}")
    request = RequestedMeasures.of(measures, conventions)
    judgements = request.judgements(qrels)
    little = executor is None and sum(map(_size, runs)) < _WORTH_WORKERS
    busy = workers or (1 if little else os.cpu_count() or 1)
    for done, outcome in enumerate(_outcomes(judgements, runs, request, busy, executor, notice), 1):
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
    from crosscheck.processes.pool import WorkerPool, can_fork

    shared = _Shared(f"{os.getpid()}-{next(_numbers)}", judgements)
    fork = executor is None and can_fork()
    if fork:  # the workers are copies of this process, which prepares them
        shared.pool()
        shared = _Shared(shared.key, None)
    large = all(_size(run) >= _WORTH_WORKERS for run in runs)
    over = _in_ranges if len(runs) < busy and large and not judgements.detailed else _in_shards
    if executor is not None:
        yield from over(partial(submitted, executor), shared, runs, request, busy)
        return
    with WorkerPool(busy, fork=fork, preload=__name__, notice=notice) as workers:
        yield from over(workers.results, shared, runs, request, busy)


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
        facts=pairing.facts,
        notes=pairing.spelling,
    )


class _Shared(Struct, frozen=True):
    """Judgements in the form in which they are sent to workers. A worker prepares them once for each ``key``.

    Attributes:
        qrels: the judgements; None if the workers are copies of a process that has already prepared them.
    """

    key: str
    qrels: Qrels | None

    def pool(self) -> JudgedPool:
        if self.key not in _pools:
            assert self.qrels is not None
            _pools.clear()
            _pools[self.key] = JudgedPool(self.qrels)
        return _pools[self.key]


_numbers = count()
_pools: dict[str, JudgedPool] = {}


def _size(run: RunLike) -> int:
    """The bytes of a run that is a file; 0 for any other run."""
    path = named(file_of(run) or "")[1]
    return os.path.getsize(path) if os.path.isfile(path) else 0


# ---- what is sent to workers ---------------------------------------------------------------------------


def _judge_shard(shared: _Shared, runs: Sequence[RunLike], request: RequestedMeasures) -> list[Outcome]:
    pool = shared.pool()
    return [_outcome(request, run, pool) for run in runs]


def _judge_range(shared: _Shared, reading: Reading, conventions: Conventions) -> JudgedPart | None:
    return part_of(reading, shared.pool(), conventions)


def _in_shards(
    results_of: _ResultsOf, shared: _Shared, runs: Sequence[RunLike], request: RequestedMeasures, workers: int
) -> Iterator[Outcome]:
    size = max(1, len(runs) // (workers * _SHARDS))
    shards = [(shared, runs[i : i + size], request) for i in range(0, len(runs), size)]
    return chain.from_iterable(results_of(_judge_shard, shards))


def _in_ranges(
    results_of: _ResultsOf, shared: _Shared, runs: Sequence[RunLike], request: RequestedMeasures, workers: int
) -> Iterator[Outcome]:
    for run in runs:
        try:
            reading, order = Reading.of(file_of(run) or "", Rules()), request.order
            ranges = [(shared, part, order) for part in byte_ranges(reading, workers)]
            parts = list(results_of(_judge_range, ranges))
            yield _values(request, rankings_of_parts(parts, reading, shared.pool(), order), run)
        except InputError as error:
            yield error


_Result = TypeVar("_Result")

# ---- executors: any of concurrent.futures, or the workers of a dask cluster -----------------------------

#: Seconds between two checks whether a cluster still has workers.
_INTERVAL = 5.0
#: Seconds that a cluster may be without workers.
_PATIENCE = 10.0


def submitted(
    executor: Executor, function: Callable[..., _Result], parts: Sequence[tuple[Any, ...]]
) -> Iterator[_Result]:
    """The results of ``function(*part)`` for every part, in order, as those of
    :meth:`crosscheck.processes.pool.WorkerPool.results`. If a part fails, all later parts are cancelled. The
    executor is not closed.

    If the executor has a method ``check``, it is called from time to time while a result is awaited. This
    method raises an error if no result can come any more.

    Raises:
        ResourceError: the executor lost its workers.
    """
    futures = [executor.submit(function, *part) for part in parts]
    try:
        for future in futures:
            yield _awaited(future, executor)
    finally:
        for future in futures:
            future.cancel()


def _awaited(future: Future[_Result], executor: Executor) -> _Result:
    try:
        while True:
            try:
                return future.result(_INTERVAL)
            except NotYet:
                if future.done():
                    raise
                getattr(executor, "check", lambda: None)()
    except Exception as error:
        of_dask = type(error).__module__.partition(".")[0] in ("distributed", "tornado")
        if not of_dask and not isinstance(error, BrokenExecutor | CancelledError):
            raise
        reason = safe_text(f"{type(error).__name__}: {error}".removesuffix(": "), 300)
        hint = "start the executor again; if memory runs out, with fewer or larger workers"
        raise ResourceError(f"the executor lost its workers: {reason}", hint=hint) from None


@contextmanager
def open_executor(name: str) -> Iterator[Executor | None]:
    """Yield the executor with this name, and close it at the end.

    Args:
        name: ``processes`` (yields None, for which :func:`evaluate_runs` uses processes of its own), or
            ``dask:ADDRESS`` with the address of a dask scheduler.

    Raises:
        UsageError: the name is unknown, dask is not installed, or there is no scheduler at the address.
        ResourceError: the scheduler has no workers.
    """
    kind, _, address = name.partition(":")
    if name == "processes":
        yield None
        return
    if kind != "dask" or not address:
        raise UsageError(f"there is no executor {name!r}", hint="write processes or dask:ADDRESS")
    try:
        from distributed import Client
    except ImportError:
        raise UsageError("dask is not installed", hint=install("dask")) from None
    try:
        client = Client(address, timeout=10)
    except (OSError, ValueError) as error:
        raise UsageError(f"no dask scheduler answers at {address}: {error}") from None
    for logger in filter(lambda name: name.startswith("distributed"), logging.root.manager.loggerDict):
        logging.getLogger(logger).setLevel(logging.CRITICAL)  # crosscheck reports a lost worker itself
    try:
        executor = client.get_executor(pure=False)  # the file behind the same arguments may change
        executor.check = partial(_check_workers, client, address)
        executor.check()
        yield executor
    finally:
        with suppress(Exception):  # a client that lost its scheduler may also fail to close
            client.close()


def _check_workers(client: Any, address: str) -> None:
    """Raise ResourceError if the scheduler of a dask client has ended, or if there are no workers, and no
    worker appears within 10 s."""
    if client.status != "running":
        raise ResourceError(f"the dask scheduler at {address} has ended", hint="start the scheduler again")
    try:
        client.wait_for_workers(1, timeout=_PATIENCE)
    except Exception:  # time-outs of dask and tornado, or any error of a lost connection
        hint = f"start workers: dask worker {address}"
        raise ResourceError(f"the dask scheduler at {address} has no workers", hint=hint) from None
