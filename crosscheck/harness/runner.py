"""Every case x run x measure x candidate: evaluated, compared, diagnosed, recorded."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

from crosscheck import __version__
from crosscheck import backends as registry
from crosscheck.backends.base import Description
from crosscheck.backends.isolation import Guarded, guarded
from crosscheck.diagnosis.causes import labels
from crosscheck.errors import BackendError, CrosscheckError, InputError, UsageError
from crosscheck.harness.case_run import CaseRun, case_runs
from crosscheck.harness.environment import environment
from crosscheck.harness.evidence import EvidenceBook
from crosscheck.harness.fresh import Answer, FreshInputsOfCase
from crosscheck.harness.groups import groupings
from crosscheck.harness.impacts import case_impacts
from crosscheck.harness.record import Recorder
from crosscheck.harness.settings import DEFAULT_REFERENCE, Settings, Timings
from crosscheck.harness.summary import summarise
from crosscheck.impact_records import Impact
from crosscheck.measures import needs_of
from crosscheck.model import Case, Measure
from crosscheck.names import DEFAULT_MEASURES, parse_measure, parse_measures
from crosscheck.results import (
    SCHEMA_VERSION,
    BackendRecord,
    Comparison,
    Document,
    GroupResult,
    Inputs,
    Tool,
    ToolConventions,
    written,
)

__all__ = ["checked", "own_measures", "reference_of", "run_with"]


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
    references = {reference_of(case, settings) for case in cases}
    candidates = settings.backends or registry.default_candidates()
    ids = tuple(dict.fromkeys((main_reference, *sorted(references), *settings.require, *candidates)))
    comparisons: list[Comparison] = []
    inputs: list[Inputs] = []
    impacts: list[Impact] = []
    groups: list[GroupResult] = []
    tools: list[ToolConventions] = []
    grouped = groupings(cases, settings.group_by)
    evidence = EvidenceBook()
    total, started = sum(len(case.runs) for case in cases), 0
    complete = True
    with ExitStack() as stack:
        guards = {
            id: stack.enter_context(
                guarded(settings.given.get(id) or registry.make(id, settings.options), settings.options)
            )
            for id in ids
        }
        descriptions = {id: guards[id].describe() for id in ids}
        exact = frozenset(id for id in ids if guards[id].exact)
        unnamed = ids if settings.loose and not settings.backends else ()
        informing = frozenset(id for id in unnamed if guards[id].isolated)
        try:
            for case in cases:
                measures = asked or own_measures(case)
                reference = reference_of(case, settings)
                involved = {id: guards[id] for id in ids if id == reference or id in candidates}
                evaluated: dict[str, dict[str, dict[Measure, Answer]]] = {}
                first = len(comparisons)
                needs = needs_of(measures)
                fresh = FreshInputsOfCase.of(involved)
                for case_run in case_runs(case, settings.queries, timings, needs=needs):
                    started += 1
                    progress(f"{case.name}: {case_run.name} ({started} of {total})")
                    values = _evaluate(case_run, involved, descriptions, measures, settings.jobs, timings)
                    if reference not in values:
                        values[reference] = dict.fromkeys(measures, _not_available(descriptions[reference]))
                    recorder = Recorder(
                        case_run,
                        reference,
                        guards[reference].conventions,
                        exact,
                        settings.tolerance,
                        timings,
                        fresh,
                        informing=informing,
                        evidence=evidence,
                    )
                    inputs.append(case_run.inputs())
                    saved = case_run.own_candidates(measures)
                    start = len(comparisons)
                    comparisons += recorder.comparisons(values, saved, measures)
                    tools += recorder.tools()
                    evaluated[case_run.name] = values
                    if case.name in grouped:
                        groups += grouped[case.name].results(
                            comparisons[start:], {**values, **saved}, {str(m): m for m in measures}
                        )
                with timings.stage("impact"):
                    impacts += case_impacts(case.name, evaluated, comparisons[first:], measures)
        except KeyboardInterrupt:
            complete = False
        timings.backends |= {id: (g.seconds, g.peak_bytes) for id, g in guards.items()}
    return Document(
        schema_version=SCHEMA_VERSION,
        complete=complete,
        tool=Tool("crosscheck", __version__),
        environment=environment(),
        reference=main_reference,
        backends=[written(BackendRecord, about) for about in descriptions.values()],
        inputs=inputs,
        comparisons=comparisons,
        summary=summarise(comparisons),
        impacts=impacts,
        groups=groups,
        tools=tools,
        evidence=evidence.records,
    )


def reference_of(case: Case, settings: Settings) -> str:
    return settings.reference or case.reference or DEFAULT_REFERENCE


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
        expectations = tuple(e._replace(measure=str(parse_measure(e.measure))) for e in case.expectations)
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
    return case._replace(expectations=expectations)


def _evaluate(
    case_run: CaseRun,
    involved: Mapping[str, Guarded],
    descriptions: Mapping[str, Description],
    measures: Sequence[Measure],
    jobs: int,
    timings: Timings,
) -> dict[str, dict[Measure, Answer]]:
    """Values of every available backend for every measure it supports, several backends at a time."""

    def ask(asked: Guarded) -> dict[Measure, Answer]:
        supported = [m for m in measures if asked.supports(m)]
        if not supported:
            return {}
        start = time.perf_counter()
        given = answers(asked, supported)
        share = (time.perf_counter() - start) / len(supported)
        place = (case_run.case.name, case_run.name)
        timings.comparisons |= {(*place, str(measure), asked.id): share for measure in supported}
        return given

    def answers(asked: Guarded, supported: list[Measure]) -> dict[Measure, Answer]:
        try:
            return dict(asked.evaluate_rankings(case_run.rankings, supported))
        except CrosscheckError as error:  # conventions that this run cannot follow
            return dict.fromkeys(supported, BackendError(str(error)))

    available = {id: g for id, g in involved.items() if descriptions[id].available}
    values: dict[str, dict[Measure, Answer]] = {}
    with ThreadPoolExecutor(max(1, jobs)) as pool:
        try:
            away = {id: pool.submit(ask, g) for id, g in available.items() if g.isolated}
            with timings.stage("native"):
                values |= {id: ask(g) for id, g in available.items() if not g.isolated}
            values |= {id: future.result() for id, future in away.items()}
        except BaseException:
            # Ctrl-C reaches this thread only; leaving the pool would wait for the slowest backend.
            for asked in available.values():
                asked.cancel()
            raise
    return {id: values[id] for id in available}
