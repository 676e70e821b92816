"""Comparisons of all cases: each case x run x measure x candidate is evaluated, compared and diagnosed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from itertools import count, groupby
from pathlib import Path
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from crosscheck import backends as registry
from crosscheck.backends.guarded import guarded
from crosscheck.backends.outcomes import Answer
from crosscheck.backends.recorded import RecordedValues
from crosscheck.compare import find_expectation
from crosscheck.errors import BackendError, InputError, UsageError
from crosscheck.explain.evidence import printed_alike
from crosscheck.explain.labels import causes
from crosscheck.harness.asking import CaseAsked, Invocation, RunAnswers, RunAsked, RunQueue
from crosscheck.harness.case_results import Kept
from crosscheck.harness.case_run import CaseRun, case_runs, published_numbers, run_names
from crosscheck.harness.document import made_by
from crosscheck.harness.groups import case_impacts, results_of_groups, tables_of_queries
from crosscheck.harness.merging import document_of_cases
from crosscheck.harness.record import Recorder
from crosscheck.harness.settings import DEFAULT_REFERENCE, Settings, Timings
from crosscheck.measures import needs_of
from crosscheck.model import Case, Expectation, Measure, MeasureValues
from crosscheck.names import DEFAULT_MEASURES, parse_measure, parse_measures
from crosscheck.rankings.pairing import Memo
from crosscheck.results import SCHEMA_VERSION, BackendRecord, Comparison, Document, GroupResult

#: The backend that has every measure: the reference for measures that the default reference lacks.
_STAND_IN = "native"


def _silent(message: str) -> None:
    """Discard progress messages."""


def run_with(
    cases: Sequence[Case],
    settings: Settings,
    *,
    progress: Callable[[str], None] = _silent,
    timings: Timings | None = None,
) -> Document:
    """Compare backends over cases.

    If interrupted (Ctrl-C), it ends all child processes and returns the comparisons made so far, in a
    document that is not ``complete``.
    """
    complete = True
    with ExitStack() as stack:
        call, asked = _opened(stack, [checked(c) for c in cases], settings, timings or Timings(), progress)
        kept = Kept(call)
        held = {of.case.name: results for of in asked if (results := kept.results(of.case)) is not None}
        left = [of for of in asked if of.case.name not in held]
        if held:
            progress(f"{len(held)} of {len(cases)} cases are as they were: {len(left)} to compare")
        total, started = sum(len(of.case.runs) for of in left), count(1)
        queue = stack.enter_context(RunQueue(settings.jobs, call.timings, progress))
        try:
            for of, runs in groupby(queue.in_order(_runs(left, call)), key=lambda run: run.of):
                evaluated: dict[str, dict[str, dict[Measure, Answer]]] = {}
                known = Memo()
                for run in runs:
                    progress(f"{of.case.name}: {run.run.name} ({next(started)} of {total})")
                    values = evaluated[run.run.name] = queue.answers(run)
                    _compare(call, run, values, known)
                with call.timings.stage("impact"):
                    found = of.found
                    found.impacts.extend(
                        case_impacts(of.case.name, evaluated, found.comparisons, of.measures)
                    )
                kept.keep(of.case, of.found)
        except BaseException as error:
            # Ctrl-C reaches this thread only; leaving the pool would wait for the slowest backend.
            for guard in call.guards.values():
                guard.cancel()
            if not isinstance(error, KeyboardInterrupt):
                raise
            complete = False
        call.timings.backends |= {id: (g.seconds, g.peak_bytes) for id, g in call.guards.items()}
    return document_of_cases(
        [held.get(of.case.name, of.found) for of in asked],
        schema_version=SCHEMA_VERSION,
        complete=complete,
        **made_by(),
        reference=settings.reference or DEFAULT_REFERENCE,
        backends=msgspec.convert(list(call.descriptions.values()), list[BackendRecord], from_attributes=True),
    )


def _opened(
    stack: ExitStack,
    cases: Sequence[Case],
    settings: Settings,
    timings: Timings,
    progress: Callable[[str], None],
) -> tuple[Invocation, list[CaseAsked]]:
    """The call with its backends, which the stack closes, and what is asked about each case."""
    tables = tables_of_queries(cases, settings.group_by)
    references = [references_of(case, settings) for case in cases]
    first, others = settings.reference or DEFAULT_REFERENCE, sorted({id for of in references for id in of})
    ids = tuple(dict.fromkeys((first, *others, *settings.require, *settings.candidates)))
    guards = {id: stack.enter_context(guarded(settings.backend(id), settings.options)) for id in ids}
    descriptions = {id: guard.describe() for id, guard in guards.items()}
    unnamed = ids if settings.loose and not settings.backends else ()
    call = Invocation(
        settings=settings,
        guards=guards,
        descriptions=descriptions,
        informing=frozenset(id for id in unnamed if guards[id].isolated),
        timings=timings,
        progress=progress,
    )
    asked = [
        CaseAsked(
            case=case,
            measures=measures_of(case, settings),
            references=against,
            involved={
                id: guards[id]
                for id in ids
                if descriptions[id].available and (id in against or id in settings.candidates)
            },
            topics=tables.get(case.name),
        )
        for case, against in zip(cases, references, strict=True)
    ]
    return call, asked


def _runs(asked: Sequence[CaseAsked], call: Invocation) -> Iterator[tuple[CaseAsked, CaseRun]]:
    for of in asked:
        for run in case_runs(of.case, call.settings.queries, call.timings, needs=needs_of(of.measures)):
            yield of, run


def _compare(
    call: Invocation,
    asked: RunAsked,
    values: dict[str, dict[Measure, Answer]],
    known: Memo,
) -> None:
    """Add everything about one run to the results of its case.

    Args:
        values: id of a backend -> its answers; a reference that is not available is added.
        known: what other runs of the case have shown.
    """
    of, run, settings = asked.of, asked.run, call.settings
    found = of.found
    found.inputs.append(run.inputs())
    saved = run.own_candidates(of.measures)
    comparisons: list[Comparison] = []
    groups: list[GroupResult] = []
    for reference, measures in of.references.items():
        if reference not in values:
            absent = BackendError(f"not available: {call.descriptions[reference].reason}")
            values[reference] = dict.fromkeys(measures, absent)
        live = {id: answers for id, answers in values.items() if id == reference or id in settings.candidates}
        answered: dict[str, Mapping[Measure, Answer]] = {**live, **saved}
        alike = {id: _printed_alike(values[reference], answers) for id, answers in answered.items()}
        about = RunAnswers(call=call, of=of, run=run, reference=reference, answers=alike, known=known)
        recorder = Recorder(about, _why(reference, of.case, settings))
        compared = list(recorder.comparisons(measures, saved))
        comparisons += compared
        found.tools.extend(recorder.tools(compared))
        if of.topics is not None and settings.group_by is not None:
            groups += results_of_groups(about, compared, of.topics, settings.group_by)
    place = {str(measure): i for i, measure in enumerate(of.measures)}
    found.comparisons.extend(sorted(comparisons, key=lambda c: place[c.measure]))
    found.groups.extend(sorted(groups, key=lambda group: place[group.measure]))


def _printed_alike(ours: Mapping[Measure, Answer], theirs: Mapping[Measure, Answer]) -> dict[Measure, Answer]:
    """A candidate's answers, marked as printed where the reference's were and they have as many decimals."""
    both = {measure: (answer, ours.get(measure)) for measure, answer in theirs.items()}
    return {
        measure: printed_alike(answer, known.decimals)
        if isinstance(answer, MeasureValues) and isinstance(known, MeasureValues)
        else answer
        for measure, (answer, known) in both.items()
    }


def references_of(case: Case, settings: Settings) -> dict[str, Sequence[Measure]]:
    """Id of a reference backend -> the measures that are compared with it.

    If no reference was named, ``native`` is the reference for measures that the default reference does not
    have, because it follows the same conventions; but not if ``native`` is the only candidate.
    """
    named, measures = settings.reference or case.reference, measures_of(case, settings)
    others = {*settings.candidates} - {_STAND_IN}
    if named or not (others or case.recorded or case.published):
        return {named or DEFAULT_REFERENCE: measures}
    default = registry.make(DEFAULT_REFERENCE)
    found: dict[str, list[Measure]] = {}
    for measure in measures:
        found.setdefault(DEFAULT_REFERENCE if default.supports(measure) else _STAND_IN, []).append(measure)
    return dict(found)


def _why(reference: str, case: Case, settings: Settings) -> tuple[str, ...]:
    """A note for measures that are compared with a reference that nobody named; else nothing."""
    if reference in (settings.reference, case.reference, DEFAULT_REFERENCE):
        return ()
    return (f"{reference} is the reference here: {DEFAULT_REFERENCE} does not have the measure",)


def measures_of(case: Case, settings: Settings) -> tuple[Measure, ...]:
    """The measures to compare: those of the call, else those of the case and its published numbers."""
    published = [name for entry in case.published for name in entry.values]
    chosen = case.measures or (() if published else DEFAULT_MEASURES)
    return parse_measures(settings.measures) or parse_measures([*chosen, *published])


def checked(case: Case) -> Case:
    """The case with canonical measure names; errors name its ``case.toml``."""
    where = case.config or case.name
    allowed = [name for name, kind in registry.factories().items() if kind.in_cases]
    if case.reference is not None and case.reference.partition(":")[0] not in allowed:
        # Case folders are data: they must not choose code to run or files to read.
        raise InputError(
            "a case cannot choose this reference",
            path=where,
            found=case.reference,
            expected=f"one of {', '.join(allowed)}",
            hint="name it on the command line: --reference",
        )
    try:
        parse_measures(case.measures)
        expectations = tuple(replace(e, measure=str(parse_measure(e.measure))) for e in case.expectations)
        parse_measures([name for entry in case.published for name in entry.values])
    except UsageError as error:
        raise InputError(error.message, path=where, hint=error.hint) from None
    for expectation in expectations:
        for label in expectation.causes:
            if label not in causes():
                raise InputError(
                    "an expectation names a cause that does not exist",
                    path=where,
                    found=label,
                    expected=f"one of {', '.join(causes())}",
                    hint="crosscheck explain lists the labels",
                )
    return replace(case, expectations=expectations)


class Planned(NamedTuple):
    """A comparison to come, named as in the document."""

    run: str
    candidate: str
    measure: str


def planned(case: Case, settings: Settings) -> list[Planned]:
    """The comparisons of a case in the order run, candidate, measure.

    A measure that a backend does not have is left out, unless ``case.toml`` has an expectation for it. A
    backend is taken to have all measures if only its own program knows which ones it has.

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
    """Each candidate with the measures that it has, except those for which it is the reference."""
    references, measures = references_of(case, settings), measures_of(case, settings)
    for id in dict.fromkeys(settings.candidates):
        backend = settings.backend(id)
        own = references.get(id, ())
        yield id, [m for m in measures if m not in own and (backend.greets or backend.supports(m))]
    for path in case.recorded:
        recorded = RecordedValues(path)
        yield f"recorded:{Path(path).name}", [measure for measure in measures if recorded.supports(measure)]
    published: dict[str, list[Measure]] = {}
    for id, measure, _, _ in published_numbers(case, run):
        published.setdefault(id, []).append(measure)
    yield from published.items()


def unused(case: Case, settings: Settings) -> list[Expectation]:
    """The expectations that no comparison can meet: a candidate, measure or run is misspelt or gone.

    Expectations for a backend that exists but is not asked are left out.
    """
    made = planned(case, settings)
    asked = {one.candidate for one in made}
    return [
        expectation
        for expectation in checked(case).expectations
        if (expectation.candidate in asked or not _exists(expectation.candidate))
        and not any(
            (one.candidate, one.measure) == (expectation.candidate, expectation.measure)
            and expectation.run in (None, one.run)
            for one in made
        )
    ]


def _exists(candidate: str) -> bool:
    """Whether a candidate is the id of a backend; a recorded file, such as another case's, is none."""
    try:
        return not candidate.startswith("recorded:") and bool(registry.make(candidate))
    except UsageError:
        return False
