"""The runs of a case, joined with their qrels, and the saved and published values of the case."""

import os
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from functools import cached_property
from pathlib import Path

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from crosscheck.backends.recorded import RecordedValues
from crosscheck.conventions import Conventions
from crosscheck.engine.conversion import as_qrels
from crosscheck.engine.streaming import Reading, StreamedRankings, streamed
from crosscheck.errors import InputError
from crosscheck.evaluation.rankings import Rankings
from crosscheck.formats.forms import named
from crosscheck.formats.grouping import find_duplicate
from crosscheck.formats.reference_reader import Rules
from crosscheck.formats.trec import read_qrels, read_run
from crosscheck.harness.settings import Timings
from crosscheck.measures import family
from crosscheck.model import Case, Measure, MeasureValues, Needs, Printed, Published, Qrels, Run, display
from crosscheck.names import parse_measure
from crosscheck.rankings.changed_inputs import only_topics
from crosscheck.rankings.pairing import JudgedPool, notes_of, nothing_judged
from crosscheck.results import Inputs

#: The largest number of query ids listed for queries that only the run or only the qrels have.
_LISTED = 20


#: The size in bytes from which a run file is read in blocks, if that is possible, and the size of a block.
_LARGE, _BLOCK = 1 << 28, 1 << 24


class CaseRun(Struct, frozen=True, kw_only=True, eq=False, dict=True):
    """A run with the judgements of its case.

    Attributes:
        name: file name of the run; its path if another run of the case has the same file name.
        qrels: the judgements.
        judged: the run joined with the judgements; for a large file only the judged documents are kept.
        whole: False if only some of the queries were requested.
    """

    case: Case
    name: str
    qrels: Qrels
    judged: Rankings
    whole: bool

    @property
    def large(self) -> bool:
        """Whether only the judged documents were kept."""
        return isinstance(self.judged, StreamedRankings)

    @property
    def rows(self) -> int:
        """The number of results."""
        return int(self.judged.pairing.run.offsets[-1])

    @cached_property
    def rankings(self) -> Rankings:
        """The run with all its documents; a large file is read again."""
        pairing = self.judged.pairing
        return Rankings(read_run(pairing.run.source), pairing.pool) if self.large else self.judged

    def parts(self) -> Iterator[tuple[Qrels, Run]]:
        """Read the run again in parts of whole topics; yields (qrels of the part's topics, part of the run).

        Parts without a judged topic are left out. The first qrels include all judged queries without results.
        """
        pairing = self.judged.pairing
        missing = frozenset(pairing.all_topics[i] for i in np.flatnonzero(pairing.missing).tolist())
        for run in Reading.of(pairing.run.source, Rules(), block_bytes=_BLOCK).runs():
            if not pairing.pool.number.keys().isdisjoint(run.topics):
                yield only_topics(self.qrels, missing.union(run.topics)), run
                missing = frozenset()

    def inputs(self) -> Inputs:
        """The record of the inputs for the document, with the warnings of :func:`notes_of`."""
        pairing = self.judged.pairing
        missing, unjudged = (
            [display(pairing.all_topics[i]) for i in np.flatnonzero(mask)[:_LISTED].tolist()]
            for mask in (pairing.missing, pairing.unjudged)
        )
        return Inputs(
            case=self.case.name,
            run=self.name,
            queries=int(pairing.measured.sum()),
            missing=int(pairing.missing.sum()),
            unjudged=int(pairing.unjudged.sum()),
            missing_queries=missing,
            unjudged_queries=unjudged,
            notes=notes_of(pairing),
            qrels_path="" if self.case.given else str(self.case.qrels),
            run_path="" if self.case.given else str(pairing.run.source),
        )

    def own_candidates(self, measures: Sequence[Measure]) -> dict[str, dict[Measure, MeasureValues]]:
        """The saved values and published means of the case, which are candidates: id -> measure -> values."""
        candidates: dict[str, dict[Measure, MeasureValues]] = {}
        for path in self.case.recorded:
            recorded = RecordedValues(path, f"recorded:{Path(path).name}")
            supported = [m for m in measures if recorded.supports(m)]
            candidates[recorded.id] = recorded.evaluate(self.qrels, self.judged.pairing.run, supported)
        for id, measure, name, entry in published_numbers(self.case, self.name) if self.whole else ():
            if measure in measures:
                candidates.setdefault(id, {})[measure] = self._printed(measure, name, entry)
        return candidates

    def _printed(self, measure: Measure, name: str, entry: Published) -> MeasureValues:
        number, all_topics = entry.values[name], self.judged.pairing.all_topics
        # A mean over a single query is the value of that query, except for a geometric mean.
        alone = len(all_topics) == 1 and family(measure.family).aggregate != "geometric"
        values = {all_topics[0]: float(number)} if alone else {}
        own = number.decimals if isinstance(number, Printed) else None
        decimals = own if entry.decimals is None else entry.decimals
        return MeasureValues(values, float(number), entry.source or "published number", decimals, name=name)


def published_numbers(case: Case, run: str) -> Iterator[tuple[str, Measure, str, Published]]:
    """For each published number of a run: (id of its candidate, measure, name of the measure in the entry,
    the entry that holds the number).

    The candidate of the first number for a measure is ``published``, of the second ``published-2``, and so
    on.
    """
    times = Counter[Measure]()
    for entry in case.published:
        for name in entry.values if entry.run in (None, run) else ():
            measure = parse_measure(name)
            times[measure] += 1
            id = "published" if times[measure] == 1 else f"published-{times[measure]}"
            yield id, measure, name, entry


def run_names(case: Case) -> dict[str, str]:
    """Path of each run -> its name: the file name, or the path if another run has the same file name. Runs in
    memory keep their names."""
    names = {path: path if path in case.given else Path(path).name for path in case.runs}
    times = Counter(names.values())
    return {path: name if times[name] == 1 else path for path, name in names.items()}


def case_runs(
    case: Case, queries: Collection[str], timings: Timings, *, needs: Needs = "levels"
) -> Iterator[CaseRun]:
    """Yield the runs of a case one at a time. The qrels are read and prepared once.

    Args:
        queries: topic ids to keep; empty for all.
        needs: how the qrels are read.

    Raises:
        InputError: a file cannot be used, a run shares no query with the qrels, or a requested query is not
            judged.
    """
    wanted = frozenset(q.encode("utf-8", "surrogateescape") for q in queries)
    with timings.stage("read"):
        given = case.given.get(case.qrels)
        if given is None:
            qrels = read_qrels(case.qrels, strict=case.strict, needs=needs)
        else:
            qrels = as_qrels(given, needs=needs)
        if unknown := sorted(wanted - set(qrels.topics)):
            expected = f"one of its {len(qrels.topics)} queries, such as {display(qrels.topics[0])!r}"
            problem = f"query {display(unknown[0])!r} is not judged"
            raise InputError(problem, path=case.qrels, expected=expected)
        if wanted:
            qrels = only_topics(qrels, wanted)
    with timings.stage("native"):
        pool = JudgedPool(qrels)
    for path, name in run_names(case).items():
        judged = None
        file = named(path)[1]
        divisible = case.strict and not (wanted or case.given or qrels.detailed)
        if divisible and os.path.isfile(file) and os.path.getsize(file) >= _LARGE:
            with timings.stage("read"):
                judged = _in_blocks(path, pool)
        if judged is None:
            with timings.stage("read"):
                run = case.given.get(path) or read_run(path, strict=case.strict)
                if not case.strict:
                    run = replace(run, unique=find_duplicate(run.docnos, run.offsets) is None)
            if set(run.topics) & set(qrels.topics) and wanted:
                run = only_topics(run, wanted)
            with timings.stage("native"):
                judged = Rankings(run, pool)
        if not set(judged.pairing.run.topics) & set(qrels.topics):
            raise nothing_judged(judged.pairing.run, qrels, selected=bool(wanted))
        yield CaseRun(case=case, name=name, qrels=qrels, judged=judged, whole=not wanted)


def _in_blocks(path: str, pool: JudgedPool) -> Rankings | None:
    """The judged documents of a run file, read in blocks. None if the run must be read as a whole, because it
    cannot be cut into topics or needs a note."""
    reading = Reading.of(path, Rules())
    judged = streamed(reading, pool, Conventions())
    if judged is None:
        return None
    tags = set[bytes]()
    for block in reading.blocks():
        tags.update(block.tags)
        if block.odd_rank or len(tags) > 1:
            return None
    return judged
