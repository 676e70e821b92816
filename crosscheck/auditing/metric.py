"""The metric under audit: how to call it, which inputs it accepts, and its answers as evidence."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cached_property
from itertools import zip_longest
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from crosscheck.auditing.calls import Call, Watch, parse_call, passed
from crosscheck.auditing.targets import UNNAMED, CalledFunction, Target, target_of
from crosscheck.auditing.words import WITH_NEGATIVES, Materials
from crosscheck.axes.base import PassedAs
from crosscheck.backends.base import Options
from crosscheck.backends.guarded import Guarded
from crosscheck.backends.native import native_values
from crosscheck.backends.outcomes import LostError, OverdueError, ShortageError
from crosscheck.backends.python_callable import PythonCallable
from crosscheck.compare import align, coarser
from crosscheck.conventions import Conventions
from crosscheck.errors import BackendError, CrosscheckError, ResourceError, TimeIsUp, UsageError
from crosscheck.evaluation.rankings import Rankings
from crosscheck.evaluation.recomputer import Recomputer
from crosscheck.explain.diagnose import leaks
from crosscheck.explain.evidence import PROOF_TOLERANCE, Evidence, equal_numbers
from crosscheck.inputs.battery import TOP_LEVEL, filler_query
from crosscheck.inputs.queries import COMPANY, Line, Probe, Query, divided, ranked
from crosscheck.inputs.realistic import highest_level
from crosscheck.measures import family
from crosscheck.model import FloatArray, Measure, MeasureValues, Qrels, Run
from crosscheck.rankings.pairing import Memo


class Needs(Struct, frozen=True):
    """Requirements on an input, without which the metric often fails.

    Attributes:
        documents: number of documents that every list must contain at least; 0 for no requirement.
        retrieved: whether every relevant document must be retrieved.
    """

    documents: int = 0
    retrieved: bool = False

    def given(self, probe: Probe) -> Probe:
        """The input changed so that it meets the requirements: unjudged documents are added to short lists,
        and judgements of relevant documents that were not retrieved are removed."""
        return probe if self == Needs() else probe.changed(self._query)

    def _query(self, query: Query) -> Query:
        lines, judged = query.lines, query.judged
        if not lines:
            return query
        if self.retrieved and judged:
            retrieved = {line.docno for line in lines}
            judged = tuple((docno, level) for docno, level in judged if level < 1 or docno in retrieved)
            judged = judged or ((lines[0].docno, 0),)
        last, lowest = max(line.rank for line in lines), min(line.score for line in lines)
        missing = range(1, self.documents - len(lines) + 1)
        return Query(judged, (*lines, *(Line(f"more{i}", last + i, lowest - i) for i in missing)))

    @property
    def words(self) -> str:
        """A sentence for the report on the kinds of inputs that were avoided; empty without requirements."""
        short = f"lists of fewer than {self.documents} documents" * bool(self.documents)
        missed = "relevant documents that were not retrieved" * self.retrieved
        failed = " and on ".join(filter(None, (short, missed)))
        return f"the metric often fails on {failed}, which were avoided" if failed else ""


#: A function that is called with a message before each slow step.
Progress: TypeAlias = Callable[[str], None]
#: Time limit for all calls of an audit, as a multiple of the time limit for one call.
TIMEOUTS = 10


class AuditedMetric:
    """The metric under audit, called through its backend.

    Attributes:
        calls: number of calls so far.
        id: name of the metric in reports.
        needs: requirements on the inputs.
        first: the answer to an ordinary query; it shows whether the metric gives values per query or a mean.
    """

    first: MeasureValues

    def __init__(self, backend: Guarded, measure: Measure, progress: Progress) -> None:
        self.backend, self.id, self.measure = backend, backend.id, measure
        self.calls, self.needs, self._progress = 0, Needs(), progress

    @property
    def function(self) -> CalledFunction | None:
        """The function under audit; None if the metric is a backend."""
        backend = self.backend.backend
        return backend if isinstance(backend, CalledFunction) else None

    @property
    def call(self) -> Call | None:
        """The call of the function; None for a backend, and as long as the call is not known."""
        return None if self.function is None else self.function.call

    def with_cutoffs(self, cutoffs: Iterable[int]) -> list[Measure]:
        """The measure with each of these cutoffs that the metric supports, and with 0 if 0 is among them.
        Empty if the metric takes no cutoff."""
        if self.measure.cutoff is None or not self._takes_cutoff:
            return []
        measures = (replace(self.measure, cutoff=cutoff) for cutoff in cutoffs)
        return [measure for measure in measures if not measure.cutoff or self.backend.supports(measure)]

    @cached_property
    def _takes_cutoff(self) -> bool:
        """Whether the metric uses the cutoff that is requested.

        A function with the protocol of a backend is tested: it does if its values at cutoffs 1 and 2 differ
        for a query whose relevant document is at rank 2.
        """
        if self.call is not None:
            return "k" in self.call.words
        if not isinstance(self.backend.backend, PythonCallable):
            return True
        late = Probe("", (("1", ranked("ab", (("a", 0), ("b", 1)))),), "1")
        first, second = (self.ask(late, replace(self.measure, cutoff=k)).value for k in (1, 2))
        return first != second

    @property
    def reads(self) -> str | None:
        """The query to read in an input of one query: its id; None, for the mean, if the metric gives only
        means."""
        return "1" if self.first.values else None

    def possible_calls(self, probe: Probe) -> Asked:
        """The calls that the function's signature allows and that return a number on the probe, as the notes
        of the answer, or the error.

        Each is a text of the cost, a blank, and the call. The cost is 0 if the parameter names determine the
        call, and higher the more has to be guessed.
        """
        with self._called_with(listing=True):
            return self.ask(probe)

    def call_as(self, call: Call) -> None:
        """From now on, call the function in this way."""
        assert self.function is not None
        self.backend.exchange(replace(self.function, call=call))

    def answer(self, qrels: Qrels, run: Run, measure: Measure | None = None) -> MeasureValues | BackendError:
        """The metric's values on an input, or the error.

        Raises:
            TimeIsUp: the time for all calls is used up. A call that was ended for this reason is no failure
                of the metric.
            ResourceError: memory, processes or files ran short, which says nothing about the metric.
        """
        wanted = measure or self.measure
        seconds, budget = self.backend.seconds, self.backend.budget
        if seconds >= budget:
            raise TimeIsUp
        self.calls += 1
        self._progress(f"experiment {self.calls}, {seconds:.0f} of {budget:.0f} s: {self.id}")
        answer = self.backend.evaluate(qrels, run, [wanted])[wanted]
        if isinstance(answer, LostError):  # a metric that crashes does so again
            answer = self.backend.evaluate(qrels, run, [wanted])[wanted]
        if isinstance(answer, OverdueError) and self.backend.seconds >= budget:
            raise TimeIsUp
        if isinstance(answer, ShortageError):
            raise ResourceError(answer.message)
        return answer

    def ask(self, probe: Probe, measure: Measure | None = None) -> Asked:
        """The metric's answer to an input; all queries of the input are passed together.

        If the call passes one relevant document of each query, the judgements of others are left out. If it
        passes no negative levels, they are 0. If it passes ranks only, scores are above 0, so that documents
        appended with a score of 0 come last.
        """
        if (call := self.call) is not None:
            probe = probe.without_negatives() if WITH_NEGATIVES.isdisjoint(call.words) else probe
            probe = probe.with_one_relevant(self.measure.rel or 1) if call.of_one_relevant else probe
            probe = probe.with_scores_above_0() if PassedAs.RANK_ORDER in call.passed_as else probe
        return Asked(probe, self.answer(probe.qrels, probe.run, measure), measure or self.measure)

    def again(
        self, probes: Iterable[Probe], measures: Iterable[Measure] = (), *, one_object: bool = False
    ) -> list[Asked]:
        """A function's answers to these inputs, for these measures if given, in a new process. The notes of
        an answer name the arguments that the function modified.

        Args:
            one_object: whether an object that is made with the same arguments is used again.
        """
        self.backend.close()
        with self._called_with(watch=Watch(kept={} if one_object else None)):
            self.backend.start()
            return [self.ask(*asked) for asked in zip_longest(probes, measures)]

    @contextmanager
    def _called_with(self, **fields: Any) -> Iterator[None]:
        """A context in which the function has these values of fields of :class:`CalledFunction`."""
        function = self.function
        assert function is not None
        self.backend.exchange(replace(function, **fields))
        try:
            yield
        finally:
            self.backend.exchange(function)


@contextmanager
def audited_metric(
    target: Target, measure: Measure, call: str | None, options: Options | None, progress: Progress
) -> Iterator[AuditedMetric]:
    """A context with the metric to audit, ready to be called; arguments as for
    :func:`crosscheck.auditing.audit`.

    Raises:
        UsageError: the call or target does not exist, or the measure needs more than an audit's inputs have.
    """
    if measure != UNNAMED and family(measure.family).detailed:
        problem = f"{measure} needs {family(measure.family).needs}, which the inputs of an audit do not have"
        raise UsageError(problem, hint="compare the metric on cases instead: crosscheck run")
    given = None if call is None else parse_call(call)
    options = options or Options(timeout=20.0)
    with Guarded(target_of(target, given, options), options) as backend:
        backend.budget = options.budget or TIMEOUTS * backend.timeout
        backend.start()
        yield AuditedMetric(backend, measure, progress)


def native_answer(
    qrels: Qrels, run: Run, measure: Measure, conventions: Conventions
) -> MeasureValues | BackendError:
    """The values that crosscheck itself computes for a measure under conventions; the error if the input is
    refused."""
    try:
        return native_values(Rankings(run, qrels), measure, conventions, "")
    except CrosscheckError as error:
        return BackendError(str(error))


#: Function that decides whether the answer for a query is compared: from the id of the query, its content,
#: and whether it has a value.
Counts: TypeAlias = Callable[[str, Query, bool], bool]


def all_count(id: str, query: Query, there: bool) -> bool:
    """True: the answers for all queries are compared."""
    return True


NO_VALUES = MeasureValues({}, None, "")


class Asked(Struct, frozen=True, eq=False, dict=True):
    """An input and the metric's answer to it, from one call for all queries of the input.

    Attributes:
        measure: the measure that was requested.
        undefined: queries that are not compared, because the conventions under test define no value for them.
    """

    probe: Probe
    answer: MeasureValues | BackendError
    measure: Measure
    undefined: frozenset[str] = frozenset()

    @property
    def given(self) -> MeasureValues:
        """The metric's values; none if it failed on the input."""
        return NO_VALUES if isinstance(self.answer, BackendError) else self.answer

    @property
    def value(self) -> float | None:
        """The metric's value for the query that the probe reads, or its mean; None if there is no value."""
        reads = self.probe.reads
        return self.given.mean if reads is None else self.given.values.get(reads.encode())

    @property
    def alone(self) -> Asked:
        """This answer with an input that contains only the query that the probe reads."""
        reads = self.probe.reads
        return self if reads is None else replace(self, probe=self.probe.of(reads))

    @property
    def of_query(self) -> Asked:
        """This answer; of a metric that gives means only, the mean over a single query as its value."""
        if self.given.values or self.given.mean is None or _only_query(self.probe) is None:
            return self
        joined = _joined([self])
        return replace(joined, probe=replace(joined.probe, reads=joined.probe.queries[0][0]))

    @property
    def error(self) -> str | None:
        """The error message if the metric failed on the input; else None."""
        return self.answer.message if isinstance(self.answer, BackendError) else None

    def is_value(self, expected: float | None, tolerance: float) -> bool:
        """Whether the metric's value equals ``expected``; None means no value."""
        return equal_numbers(expected, self.value, tolerance, self.given.decimals)

    @cached_property
    def recomputer(self) -> Recomputer:
        """A recomputer of the measure on this input."""
        return Recomputer(Rankings(self.probe.run, self.probe.qrels), self.measure, Conventions())

    def predicted(self, conventions: Conventions) -> float | None:
        """The value that these conventions predict for the query that the probe reads, or for the mean; None
        if they predict no value, for example if nothing is judged or retrieved."""
        pairing, reads = self.recomputer.rankings.pairing, self.probe.reads
        with suppress(CrosscheckError):
            if pairing.run.topics and pairing.qrels.topics:
                return self.recomputer.value(conventions, None if reads is None else reads.encode())
        return None

    def evidence(
        self, base: Conventions, tolerance: float = PROOF_TOLERANCE, counts: Counts = all_count
    ) -> Evidence:
        """The values as evidence for a search that starts at the conventions ``base``.

        Args:
            counts: function that decides whether the answer for a query is compared.
        """
        recomputer = replace(self.recomputer, base=base)
        observed = align(self.given, recomputer.topics)
        queries = {id.encode(): (id, query) for id, query in self.probe.queries}
        of_mean = not self.given.values and self.given.mean is not None  # then no single value is missing
        there = zip(recomputer.topics, (observed.present | of_mean).tolist(), strict=True)
        known = np.array([t in self.read and counts(*queries[t], given) for t, given in there], np.bool_)
        whole = self.probe.reads is None and bool(known.all())
        return Evidence(recomputer, observed, whole, bool(self.given.values), tolerance, known)

    @cached_property
    def leaks(self) -> bool:
        """Whether the metric computes each query separately, but its mean is not the mean of its values."""
        return self.given.one_by_one and leaks(self.recomputer, align(self.given, self.recomputer.topics))

    @cached_property
    def read(self) -> frozenset[bytes]:
        """Ids of the queries that are compared: the query that the probe reads; or, if it reads the mean, all
        queries; without the ``undefined`` queries."""
        ids = (id for id, _ in self.probe.queries if self.probe.reads in (None, id))
        return frozenset(id.encode() for id in ids if id not in self.undefined)


class Piece(NamedTuple):
    """Evidence from one or several answers, and the special feature of each query, over all topics."""

    evidence: Evidence
    about: list[str]


def evidence_of(
    asked: Sequence[Asked], base: Conventions, tolerance: float, counts: Counts = all_count
) -> list[Evidence]:
    """The evidence of each piece of :func:`pieces_of`."""
    return [piece.evidence for piece in pieces_of(asked, base, tolerance, counts)]


def pieces_of(
    asked: Sequence[Asked], base: Conventions, tolerance: float, counts: Counts = all_count
) -> list[Piece]:
    """The answers as pieces of evidence, the piece with most values first.

    If queries influence each other on some input, means are not compared, because they may depend on that.

    If the metric gives only means, the mean over a single query is taken as the value of this query. All
    inputs of a single query with the same highest level and cutoff are then joined in one piece.
    """
    by_query = any(one.given.values for one in asked)
    means = not any(one.leaks for one in asked)
    apart, by_level = list[Asked](), dict[tuple[Measure, int], list[Asked]]()
    for one in asked:
        if one.error is None:
            joins = not by_query and _only_query(one.probe)
            (by_level.setdefault((one.measure, _top_level(one.probe)), []) if joins else apart).append(one)

    def piece(one: Asked, *, single: bool = False) -> Piece:
        evidence = one.evidence(base, tolerance, counts)
        # If other inputs have values per query, an answer without any means that every query is missing.
        cells, mean = evidence.judge_cells or by_query or single, evidence.judge_mean and means and not single
        evidence = replace(evidence, judge_cells=cells, judge_mean=mean, of_means=not by_query)
        about = {id.encode(): query.about or one.probe.about for id, query in one.probe.queries}
        return Piece(evidence, [about[topic] for topic in evidence.recomputer.topics])

    pieces = [*map(piece, apart), *(piece(_joined(some), single=True) for some in by_level.values())]
    return sorted(pieces, key=lambda p: -int(p.evidence.observed.present.sum()) * p.evidence.judge_cells)


def _joined(asked: Sequence[Asked]) -> Asked:
    """Means over single queries as one answer, with the means as values of the queries, or the logarithms of
    geometric means."""
    queries = ((one.probe.about, one.probe.queries[0][1]) for one in asked)
    named = {f"{i:05}": replace(q, about=q.about or about) for i, (about, q) in enumerate(queries)}
    means = zip(named, (one.given.mean for one in asked), strict=True)
    values = {id.encode(): mean for id, mean in means if mean is not None}
    if family(asked[0].measure.family).aggregate == "geometric":
        values = {id: math.log(mean) if mean > 0 else mean - math.inf for id, mean in values.items()}
    joined = MeasureValues(values, None, "", coarser(*(one.given.decimals for one in asked)))
    return Asked(Probe("", tuple(named.items()), None), joined, asked[0].measure)


class Predictions:
    """Values of a measure on some inputs under any conventions.

    Inputs of one query are computed together, for speed, if they have the same highest level, which may
    affect the values.
    """

    def __init__(self, probes: Sequence[Probe], measure: Measure) -> None:
        self.probes, self._codes = probes, Memo()
        #: (numbers of probes, recomputer of a filler query and then of the queries of these probes)
        self._together: list[tuple[list[int], Recomputer]] = []
        self._apart: dict[int, Asked] = {}
        of_level: dict[int, dict[int, Query]] = {}
        for i, probe in enumerate(probes):
            if (query := _single(probe)) is not None:
                of_level.setdefault(_top_level(probe), {})[i] = query
            else:
                self._apart[i] = Asked(probe, NO_VALUES, measure)
        for level, queries in of_level.items():
            named = (filler_query(level), *((f"p{i:05d}", query) for i, query in queries.items()))
            recomputer = Asked(Probe("", named, None), NO_VALUES, measure).recomputer
            self._together.append((list(queries), recomputer))

    def codes(self, conventions: Conventions) -> FloatArray:
        """One number per input: the predicted value, rounded; infinity for NaN, -infinity for no value. Two
        sets of conventions can be distinguished on an input if their numbers differ."""
        return self._codes.once(conventions, lambda: self._predicted(conventions))

    def _predicted(self, conventions: Conventions) -> FloatArray:
        values = np.full(len(self.probes), -np.inf)
        for numbers, recomputer in self._together:
            if recomputer.possible(conventions):
                result = recomputer.evaluated(conventions)
                values[numbers] = np.where(result.present, result.values, -np.inf)[1:]
        for i, unasked in self._apart.items():
            value = unasked.predicted(conventions)
            values[i] = -np.inf if value is None else value
        return np.where(np.isnan(values), np.inf, np.round(values, 8) + 0.0)


def _single(probe: Probe) -> Query | None:
    """The query of a probe that can be computed without its other queries; None if there is no such query."""
    if probe.reads is None:
        return _only_query(probe)  # the mean over one query is its value
    alone = {id for id, _ in probe.queries} <= {probe.reads, COMPANY}
    return dict(probe.queries)[probe.reads] if alone else None


def _only_query(probe: Probe) -> Query | None:
    """The query of a probe, if it has only one, with judgements and results; else None."""
    queries = [query for _, query in probe.queries if query.judged and query.lines]
    return queries[0] if len(queries) == len(probe.queries) == 1 else None


def _top_level(probe: Probe) -> int:
    """The highest level of a probe; that of the battery if there is none above 0."""
    return max(highest_level(probe), 0) or TOP_LEVEL


class Asking:
    """Calls a metric on inputs while time is left, and only once for equal arguments.

    Attributes:
        subject: the metric.
        cut: whether inputs were left out because time ran out.

    Args:
        share: share of the remaining time budget that may be used.
    """

    def __init__(self, subject: AuditedMetric, share: float) -> None:
        self.subject = subject
        self._until = (1 - share) * subject.backend.seconds + share * subject.backend.budget
        self._known: set[Hashable] = set()
        self.cut = False

    @property
    def time_is_up(self) -> bool:
        return self.subject.backend.seconds > self._until

    def answers(self, probes: Iterable[Probe], *, limited: bool = True) -> Iterator[Asked]:
        """The answers to those inputs for which the arguments are new; if ``limited``, while time is left."""
        for keys, new in map(self.new, probes):
            if keys and limited and self.time_is_up:
                self.cut = True
                break
            if keys:
                self._known.update(keys)
                yield from self._divided(new)

    def _divided(self, probe: Probe) -> Iterator[Asked]:
        """The answer to an input; if the metric fails on it, the answers to parts of it (:func:`divided`).

        If the metric answers all parts, its failure on the whole input is an answer too, except a call that
        took too long, because that depends on the machine and its load.
        """
        whole = self.subject.ask(probe)
        if whole.error is None or len(probe.queries) == 1 or probe.reads is not None:
            yield whole
            return
        ids = [id for id, _ in sorted(probe.queries, key=lambda entry: entry[1].about)]
        half = len(ids) // 2
        halves = ids[:half], ids[half:]

        def ask(part: Sequence[str]) -> Asked:
            return self.subject.ask(probe.of(*part))

        parts = [one for some in halves for one in divided(some, ask, lambda part: part.error is not None)]
        if all(part.error is None for part in parts) and not isinstance(whole.answer, OverdueError):
            yield whole  # the metric fails on the number of queries, or on their combination
        yield from parts

    def new(self, probe: Probe) -> tuple[set[Hashable], Probe]:
        """Keys of the arguments that were not passed before, and the input reduced to the queries of these
        arguments."""
        call, known = self.subject.call, self._known
        if call is None or not call.of_one or call.adding:  # a mean depends on every query that is added
            return set[Hashable]((probe.queries,)) - known, probe
        made = Materials(probe.qrels, probe.run, self.subject.measure, call)
        every = zip(passed(made), made.queries, strict=True)
        topics: dict[Hashable, str] = {key: query.topic.decode() for key, query in every if key not in known}
        asked = {*topics.values(), probe.reads}
        return set(topics), replace(probe, queries=tuple(q for q in probe.queries if q[0] in asked))
