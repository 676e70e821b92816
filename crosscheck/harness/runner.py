"""Comparisons of all cases: each case x run x measure x candidate is evaluated, compared and diagnosed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from crosscheck import backends as registry
from crosscheck.backends.base import Description
from crosscheck.backends.guarded import Guarded, guarded
from crosscheck.backends.recorded import RecordedValues
from crosscheck.compare import find_expectation
from crosscheck.conventions import Conventions
from crosscheck.errors import BackendError, InputError, UsageError
from crosscheck.explain.labels import labels
from crosscheck.harness.broken import without_diagnoses
from crosscheck.harness.case_results import CaseResults, Kept
from crosscheck.harness.case_run import Answer, CaseAsked, CaseRun, FreshInputsOfCase, RunQueue, case_runs
from crosscheck.harness.details import EvidenceBook, case_impacts, first_of_each_kind, groupings
from crosscheck.harness.document import made_by, summarise
from crosscheck.harness.record import Recorder
from crosscheck.harness.settings import DEFAULT_REFERENCE, Settings, Timings
from crosscheck.measures import needs_of
from crosscheck.model import Case, Expectation, Measure
from crosscheck.names import DEFAULT_MEASURES, conventions_for, parse_measure, parse_measures
from crosscheck.results import (
    SCHEMA_VERSION,
    BackendRecord,
    Comparison,
    Document,
)

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
    timings = timings or Timings()
    cases = [checked(case) for case in cases]
    asked = parse_measures(settings.measures)
    main_reference = settings.reference or DEFAULT_REFERENCE
    measures_of = {case.name: asked or own_measures(case) for case in cases}
    references = {case.name: references_of(case, settings, measures_of[case.name]) for case in cases}
    others = sorted({id for found in references.values() for id in found})
    candidates = settings.backends or registry.default_candidates()
    ids = tuple(dict.fromkeys((main_reference, *others, *settings.require, *candidates)))
    grouped = groupings(cases, settings.group_by)
    results: dict[str, CaseResults] = {}
    complete = True
    with ExitStack() as stack:
        guards = {
            id: stack.enter_context(
                guarded(settings.given.get(id) or registry.make(id, settings.options), settings.options)
            )
            for id in ids
        }
        descriptions = {id: guards[id].describe() for id in ids}
        exact = frozenset(id for id in ids if guards[id].backend.exact)
        unnamed = ids if settings.loose and not settings.backends else ()
        informing = frozenset(id for id in unnamed if guards[id].isolated)
        kept = Kept(settings.cache, settings, {guards[id]: descriptions[id] for id in ids})
        results |= {case.name: held for case in cases if (held := kept.results(case)) is not None}
        left = [case for case in cases if case.name not in results]
        total, started = sum(len(case.runs) for case in left), 0
        if results:
            progress(f"{len(results)} of {len(cases)} cases are as they were: {len(left)} to compare")
        asking = stack.enter_context(RunQueue(settings.jobs, timings, progress))

        def work() -> Iterator[tuple[CaseAsked, CaseRun]]:
            for case in left:
                measures, against = measures_of[case.name], references[case.name]
                involved = {id: guards[id] for id in ids if id in against or id in candidates}
                available = {id: guard for id, guard in involved.items() if descriptions[id].available}
                of = CaseAsked(
                    case=case,
                    measures=measures,
                    references=against,
                    involved=available,
                    fresh=FreshInputsOfCase.of(involved),
                )
                for case_run in case_runs(case, settings.queries, timings, needs=needs_of(measures)):
                    yield of, case_run

        try:
            for of, runs in groupby(asking.in_order(work()), key=lambda run: run.of):
                case, measures = of.case, of.measures
                evaluated: dict[str, dict[str, dict[Measure, Answer]]] = {}
                found = results[case.name] = CaseResults()
                evidence = EvidenceBook(found.evidence)
                for run_asked in runs:
                    case_run = run_asked.run
                    started += 1
                    progress(f"{case.name}: {case_run.name} ({started} of {total})")
                    values = asking.answers(run_asked)
                    found.inputs.append(case_run.inputs())
                    saved = case_run.own_candidates(measures)
                    compared: list[Comparison] = []
                    for reference, some in of.references.items():
                        if reference not in values:
                            values[reference] = dict.fromkeys(some, _not_available(descriptions[reference]))
                        recorder = Recorder(
                            case_run=case_run,
                            reference=reference,
                            reference_conventions=guards[reference].conventions,
                            certain=partial(_certain, guards, case),
                            exact=exact,
                            tolerance=settings.tolerance,
                            timings=timings,
                            fresh=of.fresh,
                            lacks=lambda backend, measure: guards[backend].lacks(measure),
                            informing=informing,
                            notes=_why(reference, case, settings),
                            evidence=evidence,
                            progress=progress,
                            broken=found.broken,
                        )
                        answers = {id: a for id, a in values.items() if id == reference or id in candidates}
                        compared += recorder.comparisons(answers, saved, some)
                        found.tools.extend(recorder.tools())
                    place = {str(measure): i for i, measure in enumerate(measures)}
                    compared.sort(key=lambda c: place[c.measure])
                    found.comparisons.extend(compared)
                    evaluated[case_run.name] = values
                    if case.name in grouped:
                        by_name = {str(m): m for m in measures}
                        groups = grouped[case.name].results(compared, {**values, **saved}, by_name)
                        found.groups.extend(groups)
                with timings.stage("impact"):
                    found.impacts.extend(case_impacts(case.name, evaluated, found.comparisons, measures))
                kept.keep(case, found)
        except BaseException as error:
            # Ctrl-C reaches this thread only; leaving the pool would wait for the slowest backend.
            for guard in guards.values():
                guard.cancel()
            if not isinstance(error, KeyboardInterrupt):
                raise
            complete = False
        timings.backends |= {id: (g.seconds, g.peak_bytes) for id, g in guards.items()}
    in_order = [results[case.name] for case in cases if case.name in results]
    comparisons = [c for found in in_order for c in found.comparisons]
    broken = [one for found in in_order for one in found.broken]
    document = Document(
        schema_version=SCHEMA_VERSION,
        complete=complete,
        **made_by(),
        reference=main_reference,
        backends=msgspec.convert(list(descriptions.values()), list[BackendRecord], from_attributes=True),
        inputs=[about for found in in_order for about in found.inputs],
        comparisons=comparisons,
        summary=summarise(comparisons),
        impacts=[impact for found in in_order for impact in found.impacts],
        groups=[group for found in in_order for group in found.groups],
        tools=[tool for found in in_order for tool in found.tools],
        evidence=first_of_each_kind((e for found in in_order for e in found.evidence), comparisons),
        broken=broken,
    )
    return without_diagnoses(document)


def references_of(
    case: Case, settings: Settings, measures: Sequence[Measure]
) -> dict[str, Sequence[Measure]]:
    """Id of a reference backend -> the measures that are compared with it.

    If no reference was named, ``native`` is the reference for measures that the default reference does not
    have, because it follows the same conventions; but not if ``native`` is the only candidate.
    """
    named = settings.reference or case.reference
    others = {*(settings.backends or registry.default_candidates())} - {_STAND_IN}
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


def _certain(guards: Mapping[str, Guarded], case: Case, id: str, measure: Measure) -> Conventions | None:
    """The conventions that a backend, or saved values of a case, are certain to follow in a measure."""
    if id in guards:
        return guards[id].certain(measure)
    spec = case.certain.get(id.removeprefix("recorded:"))
    try:
        return None if spec is None else conventions_for(spec, measure)
    except UsageError:  # of a tool without the measure
        return None


def _not_available(about: Description) -> BackendError:
    return BackendError(f"not available: {about.reason}")


def own_measures(case: Case) -> tuple[Measure, ...]:
    published = [name for entry in case.published for name in entry.values]
    chosen = case.measures or (() if published else DEFAULT_MEASURES)
    return parse_measures([*chosen, *published])


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
            if label not in labels():
                raise InputError(
                    "an expectation names a cause that does not exist",
                    path=where,
                    found=label,
                    expected=f"one of {', '.join(labels())}",
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
    measures = parse_measures(settings.measures) or own_measures(case)
    names = Counter(Path(path).name for path in case.runs)
    runs = [Path(path).name if names[Path(path).name] == 1 else path for path in case.runs]
    return [
        Planned(run, candidate, str(measure))
        for run in runs
        for candidate, held in _candidates(case, run, settings, measures)
        for measure in measures
        if measure in held or find_expectation(case.expectations, candidate, str(measure), run)
    ]


def _candidates(
    case: Case, run: str, settings: Settings, measures: tuple[Measure, ...]
) -> Iterator[tuple[str, list[Measure]]]:
    """Each candidate with the measures that it has, except those for which it is the reference."""
    references = references_of(case, settings, measures)
    for id in dict.fromkeys(settings.backends or registry.default_candidates()):
        backend = registry.make(id, settings.options)
        own = references.get(id, ())
        yield id, [m for m in measures if m not in own and (backend.greets or backend.supports(m))]
    for path in case.recorded:
        recorded = RecordedValues(path)
        yield f"recorded:{Path(path).name}", [measure for measure in measures if recorded.supports(measure)]
    published = [
        [parse_measure(name) for name in entry.values] for entry in case.published if entry.run in (None, run)
    ]
    times = Counter(measure for held in published for measure in held)
    for n in range(1, max(times.values(), default=0) + 1):
        id = "published" if n == 1 else f"published-{n}"
        yield id, [measure for measure in measures if times[measure] >= n]


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
