"""All comparisons of a call: each case x run x measure x candidate is evaluated, compared and diagnosed."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from itertools import count, groupby
from pathlib import Path
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from crosscheck import backends as registry
from crosscheck.backends.guarded import Guarded
from crosscheck.backends.outcomes import Answer
from crosscheck.backends.recorded import RecordedValues
from crosscheck.compare import find_expectation
from crosscheck.errors import BackendError, InputError, UsageError
from crosscheck.explain.evidence import printed_alike
from crosscheck.explain.labels import causes
from crosscheck.harness.asking import CaseTask, Invocation, RunQueue, RunTask
from crosscheck.harness.case_results import ResultCache
from crosscheck.harness.case_run import case_runs, published_numbers, run_names
from crosscheck.harness.document import document_of_cases, made_by
from crosscheck.harness.record import Recorder, case_impacts, results_of_groups, tables_of_queries
from crosscheck.harness.settings import DEFAULT_REFERENCE, Progress, Settings, Timings
from crosscheck.measures import needs_of
from crosscheck.model import Case, Expectation, Measure, MeasureValues
from crosscheck.names import DEFAULT_MEASURES, parse_measure, parse_measures
from crosscheck.results import SCHEMA_VERSION, BackendRecord, Comparison, Document, GroupResult
from crosscheck.shown import tell

#: The backend with every measure: the reference for measures that the default reference does not have.
_STAND_IN = "native"


def run_with(
    cases: Sequence[Case], settings: Settings, *, progress: Progress = tell, timings: Timings | None = None
) -> Document:
    """Compare backends over cases.

    After an interrupt (Ctrl-C), all child processes are ended, and the document with the comparisons made so
    far is returned; its ``complete`` is False.
    """
    complete = True
    with ExitStack() as stack:
        call, tasks = _opened(stack, [checked(c) for c in cases], settings, timings or Timings(), progress)
        cache = ResultCache(call)
        kept = {task.case.name: cache.results(task.case) for task in tasks}
        cached = {name: results for name, results in kept.items() if results is not None}
        remaining = [task for task in tasks if task.case.name not in cached]
        if cached:
            progress(f"{len(cached)} of {len(cases)} cases are unchanged, {len(remaining)} to compare")
        work = (
            (task, run)
            for task in remaining
            for run in case_runs(task.case, settings.queries, call.timings, needs=needs_of(task.measures))
        )
        total, started = sum(len(task.case.runs) for task in remaining), count(1)
        queue = stack.enter_context(RunQueue(settings.jobs, call.timings, progress))
        try:
            for task, runs in groupby(queue.in_order(work), key=lambda run: run.task):
                evaluated: dict[str, dict[str, dict[Measure, Answer]]] = {}
                for run_task in runs:
                    name = run_task.run.name
                    progress(f"{task.case.name}: {name} ({next(started)} of {total})")
                    values = evaluated[name] = queue.answers(run_task)
                    _compare(call, run_task, values)
                with call.timings.stage("impact"):
                    task.results.impacts.extend(case_impacts(task, evaluated))
                cache.keep(task.case, task.results)
                task.shared.clear()
        except BaseException as error:
            # Ctrl-C reaches only this thread, and leaving the pool would wait for the slowest backend.
            for guard in call.guards.values():
                guard.cancel()
            if not isinstance(error, KeyboardInterrupt):
                raise
            complete = False
        call.timings.backends |= {id: (g.seconds, g.peak_bytes) for id, g in call.guards.items()}
    return document_of_cases(
        [cached.get(task.case.name, task.results) for task in tasks],
        schema_version=SCHEMA_VERSION,
        complete=complete,
        **made_by(),
        reference=settings.reference or DEFAULT_REFERENCE,
        backends=msgspec.convert(list(call.descriptions.values()), list[BackendRecord], from_attributes=True),
    )


def _opened(
    stack: ExitStack, cases: Sequence[Case], settings: Settings, timings: Timings, progress: Progress
) -> tuple[Invocation, list[CaseTask]]:
    """The call with its backends, which the stack will close, and a task for each case."""
    tables = tables_of_queries(cases, settings.group_by)
    references = [references_of(case, settings) for case in cases]
    first, others = settings.reference or DEFAULT_REFERENCE, sorted({id for of in references for id in of})
    ids = tuple(dict.fromkeys((first, *others, *settings.require, *settings.candidates)))
    guards = {id: stack.enter_context(Guarded(settings.backend(id), settings.options)) for id in ids}
    descriptions = {id: guard.describe() for id, guard in guards.items()}
    for id in (*settings.require, *settings.backends):
        descriptions[id] = replace(descriptions[id], needed=not descriptions[id].available)
    unnamed = ids if settings.loose and not settings.backends else ()
    informing = frozenset(id for id in unnamed if guards[id].isolated)
    available = {id: guard for id, guard in guards.items() if descriptions[id].available}
    tasks: list[CaseTask] = []
    for case, own in zip(cases, references, strict=True):
        involved = {id: guard for id, guard in available.items() if id in {*own, *settings.candidates}}
        tasks.append(CaseTask(case, measures_of(case, settings), own, involved, tables.get(case.name)))
    return Invocation(settings, guards, descriptions, informing, timings, progress), tasks


def _compare(call: Invocation, run_task: RunTask, values: dict[str, dict[Measure, Answer]]) -> None:
    """Compare all candidates on one run, and add the comparisons to the results of the case.

    Args:
        values: backend id -> its answers. A reference that is not available is added, with failures.
    """
    task, run, settings = run_task.task, run_task.run, call.settings
    results = task.results
    results.inputs.append(run.inputs())
    saved = run.own_candidates(task.measures)
    comparisons: list[Comparison] = []
    groups: list[GroupResult] = []
    for reference, measures in task.references.items():
        if reference not in values:
            absent = BackendError(f"not available: {call.descriptions[reference].reason}")
            values[reference] = dict.fromkeys(measures, absent)
        live = {id: answers for id, answers in values.items() if id == reference or id in settings.candidates}
        answered: dict[str, Mapping[Measure, Answer]] = {**live, **saved}
        ours = values[reference]
        alike = {id: {m: _alike(a, ours.get(m)) for m, a in of.items()} for id, of in answered.items()}
        usual = reference in (settings.reference, task.case.reference, DEFAULT_REFERENCE)
        note = f"{reference} is the reference here: {DEFAULT_REFERENCE} does not have the measure"
        recorder = Recorder(call, task, run, reference, alike, () if usual else (note,))
        compared = list(recorder.comparisons(measures, saved))
        comparisons += compared
        results.tools.extend(recorder.tools(compared))
        if task.topics is not None and settings.group_by is not None:
            groups += results_of_groups(recorder, compared, task.topics, settings.group_by)
    place = {str(measure): i for i, measure in enumerate(task.measures)}
    results.comparisons.extend(sorted(comparisons, key=lambda c: place[c.measure]))
    results.groups.extend(sorted(groups, key=lambda group: place[group.measure]))


def _alike(theirs: Answer, ours: Answer | None) -> Answer:
    """The answer of a candidate, marked as rounded if it has as many decimals as a rounded answer of the
    reference."""
    if isinstance(theirs, MeasureValues) and isinstance(ours, MeasureValues):
        return printed_alike(theirs, ours.decimals)
    return theirs


def references_of(case: Case, settings: Settings) -> dict[str, Sequence[Measure]]:
    """Id of a reference backend -> the measures that are compared with it.

    If no reference was named, ``native`` is the reference for measures that the default reference does not
    have, because it follows the same conventions; but not if ``native`` is the only candidate.
    """
    named, measures = settings.reference or case.reference, measures_of(case, settings)
    if named or not ({*settings.candidates} - {_STAND_IN} or case.recorded or case.published):
        return {named or DEFAULT_REFERENCE: measures}
    default = registry.make(DEFAULT_REFERENCE)
    by_measure = {m: DEFAULT_REFERENCE if default.supports(m) else _STAND_IN for m in measures}
    return {id: [m for m in measures if by_measure[m] == id] for id in dict.fromkeys(by_measure.values())}


def measures_of(case: Case, settings: Settings) -> tuple[Measure, ...]:
    """The measures to compare: the measures that the call names or, if it names none, the measures of the
    case and of its published numbers."""
    published = [name for entry in case.published for name in entry.values]
    chosen = case.measures or (() if published else DEFAULT_MEASURES)
    return parse_measures(settings.measures) or parse_measures([*chosen, *published])


def checked(case: Case) -> Case:
    """The case with canonical names of measures. Raises InputError, with the path of its ``case.toml``, for a
    measure, label or reference that is not allowed."""

    def refused(problem: str, found: str, known: Iterable[str], hint: str) -> InputError:
        return InputError(problem, path=where, found=found, expected=f"one of {', '.join(known)}", hint=hint)

    where = case.config or case.name
    allowed = [name for name, kind in registry.factories().items() if kind.in_cases]
    if case.reference is not None and case.reference.partition(":")[0] not in allowed:
        # Case folders are data: they must not choose code to run or files to read.
        hint = "name the reference on the command line: --reference"
        raise refused("a case cannot choose this reference", case.reference, allowed, hint)
    try:
        parse_measures(case.measures)
        expectations = tuple(replace(e, measure=str(parse_measure(e.measure))) for e in case.expectations)
        parse_measures([name for entry in case.published for name in entry.values])
    except UsageError as error:
        raise InputError(error.message, path=where, hint=error.hint) from None
    if unknown := [label for e in expectations for label in e.causes if label not in causes()]:
        hint = "choose a label from the list that crosscheck explain prints"
        raise refused("an expectation names a cause that does not exist", unknown[0], causes(), hint)
    return replace(case, expectations=expectations)


class Planned(NamedTuple):
    """A comparison that a run would make, named as in the document."""

    run: str
    candidate: str
    measure: str


def planned(case: Case, settings: Settings) -> list[Planned]:
    """The comparisons that a run of this case would make, in the order run, candidate, measure.

    A measure that a backend does not have is left out, unless ``case.toml`` has an expectation for it. A
    backend whose measures are known only after its program was started is assumed to have all measures.

    Raises:
        InputError, UsageError: as for :func:`crosscheck.harness.run`.
    """
    case = checked(case)
    return [
        Planned(run, candidate, str(measure))
        for run in run_names(case).values()
        for candidate, held in _candidates(case, run, settings)
        for measure in measures_of(case, settings)
        if measure in held or find_expectation(case.expectations, candidate, str(measure), run)
    ]


def _candidates(case: Case, run: str, settings: Settings) -> Iterator[tuple[str, list[Measure]]]:
    """Yield each candidate with the measures that it has, without the measures for which it is the
    reference."""
    references, measures = references_of(case, settings), measures_of(case, settings)
    for id in dict.fromkeys(settings.candidates):
        backend, own = settings.backend(id), references.get(id, ())
        yield id, [m for m in measures if m not in own and (backend.greets or backend.supports(m))]
    for path in case.recorded:
        recorded = RecordedValues(path)
        yield f"recorded:{Path(path).name}", [measure for measure in measures if recorded.supports(measure)]
    published = [(id, measure) for id, measure, _, _ in published_numbers(case, run)]
    yield from ((id, [m for other, m in published if other == id]) for id in dict(published))


def unused(case: Case, settings: Settings) -> list[Expectation]:
    """The expectations that no comparison can meet, because their candidate, measure or run does not exist.

    Expectations for a backend that exists but is not part of this call are left out.
    """
    comparisons = planned(case, settings)
    candidates = {one.candidate for one in comparisons}
    met = {(one.candidate, one.measure, run) for one in comparisons for run in (one.run, None)}
    unmet = [e for e in checked(case).expectations if (e.candidate, e.measure, e.run) not in met]
    return [e for e in unmet if e.candidate in candidates or not _exists(e.candidate)]


def _exists(candidate: str) -> bool:
    """Whether a candidate is the id of a backend; a recorded file is not."""
    try:
        return not candidate.startswith("recorded:") and bool(registry.make(candidate))
    except UsageError:
        return False
