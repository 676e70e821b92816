"""The properties of a metric under audit, beside those of the measure that it is meant to compute."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from msgspec.structs import replace

from crosscheck.audit_records import PropertyFinding, PropertyInput, PropertyReport
from crosscheck.auditing.calls import Call, parse_call, passed
from crosscheck.auditing.finding import find_call
from crosscheck.auditing.metric import AuditedMetric, native_answer
from crosscheck.auditing.reproducers import lines_of, own_program
from crosscheck.auditing.targets import UNNAMED, CalledFunction, target_of
from crosscheck.auditing.words import Materials
from crosscheck.axes.ids import DUPLICATES
from crosscheck.backends.base import Backend, Options
from crosscheck.backends.guarded import guarded
from crosscheck.conventions import Conventions
from crosscheck.errors import BackendError, UsageError
from crosscheck.evaluation.formula import with_measure_parameters
from crosscheck.inputs.battery import company
from crosscheck.inputs.keeping import Tried, tried
from crosscheck.inputs.laws import Setting
from crosscheck.inputs.queries import Probe
from crosscheck.measures import family
from crosscheck.model import Measure, MeasureValues
from crosscheck.names import conventions_for, parse_measure
from crosscheck.results import number

#: The cutoff assumed for a metric that is not passed one.
_UNKNOWN_CUTOFF = 30


def properties(
    target: str | Callable[..., object] | Backend,
    measure: str | None = None,
    *,
    call: str | None = None,
    seed: int = 0,
    reference: str | Conventions = "trec_eval-9.0.8",
    options: Options | None = None,
    progress: Callable[[str], None] = lambda message: None,
) -> PropertyReport:
    """Find out by experiment which properties a metric has, whether or not it is any known measure.

    Args:
        measure: the measure that the metric is meant to compute; None if unknown, for functions only.
        target, call, seed, reference, options, progress: as for :func:`crosscheck.auditing.audit`.

    Raises:
        UsageError: a measure, call, target or profile that does not exist, or a backend without a measure.
    """
    parsed = UNNAMED if measure is None else parse_measure(measure)
    if measure is not None and family(parsed.family).detailed:
        raise UsageError(f"{parsed} needs {family(parsed.family).needs}, and the inputs have none")
    given = None if call is None else parse_call(call)
    options = options or Options(timeout=20.0)
    backend = target_of(target, given, options)
    if measure is None and not isinstance(backend, CalledFunction):
        raise UsageError(f"{backend.id} may compute many measures", hint="name the one to ask for with -m")
    base = None if measure is None else with_measure_parameters(conventions_for(reference, parsed), parsed)
    report = PropertyReport(target=backend.id, call="", seed=seed, measure=measure, properties=[])
    with guarded(backend, options) as asked:
        subject = AuditedMetric(asked, parsed, progress)
        how = backend.call if isinstance(backend, CalledFunction) else None
        if isinstance(backend, CalledFunction) and how is None:
            result = find_call(subject, base)
            how = result.call
            if how is None:
                return replace(report, message=result.message)
        probe = Probe("", (company(),), None)
        first = subject.answer(probe.qrels, probe.run)
        if isinstance(first, BackendError):
            return replace(report, call=str(given or ""), message=str(first))
        findings = as_findings(properties_of(subject, how, first, base, seed), subject, how)
    return replace(report, call=str(how or ""), properties=findings)


def properties_of(
    subject: AuditedMetric, call: Call | None, first: MeasureValues, base: Conventions | None, seed: int
) -> list[Tried]:
    """The results of trying all properties.

    Args:
        call: how a function is called, None for a backend.
        first: an answer of the metric.
        base: the conventions of the measure that the metric is meant to compute, None if that is unknown.
    """
    measure = subject.measure
    level = 1 if measure.rel is None else measure.rel

    def as_seen(probe: Probe) -> object:
        return probe if call is None else passed(Materials(probe.qrels, probe.run, measure, call))

    return tried(
        subject.answer,
        Setting(
            cutoff=_cutoff(measure, call),
            level=level,
            values=bool(first.values),
            means=first.mean is not None,
            few=first.one_by_one or not first.values,
        ),
        seed,
        as_seen=as_seen,
        like=None if base is None else lambda qrels, run: native_answer(qrels, run, measure, base),
        without=() if call is None else tuple(_never_passed(call)),
    )


def _never_passed(call: Call) -> Iterator[str]:
    """Names of the properties that cannot be tried, because the call does not pass what they change."""
    if DUPLICATES.name in call.fixed_axes:
        yield "duplicates"
    if call.of_one and not call.passes_scores:
        yield from ("reads-scores", "tied-lines")


def _cutoff(measure: Measure, call: Call | None) -> int:
    if measure != UNNAMED:
        return measure.cutoff or 0
    return UNNAMED.cutoff or 0 if call is not None and "k" in call.words else _UNKNOWN_CUTOFF


def shown_by(outcomes: Iterable[Tried]) -> list[Probe]:
    """The inputs that show that the metric lacks a property of the measure: some value differs there."""
    return [
        replace(probe, about=t.of.broken)
        for t in outcomes
        if t.surprising and t.expected == "yes"
        for probe in t.inputs
    ]


def as_findings(
    outcomes: Iterable[Tried], subject: AuditedMetric, call: Call | None
) -> list[PropertyFinding]:
    """The records of the properties that were tried."""
    return [
        PropertyFinding(
            name=outcome.of.name,
            says=outcome.of.broken if outcome.status == "no" else outcome.of.says,
            holds=outcome.status,
            expected=outcome.expected,
            surprising=outcome.surprising,
            cases=outcome.cases,
            inputs=[
                PropertyInput(qrels=qrels, run=run, query=probe.reads, value=number(value))
                for probe, value in zip(outcome.inputs, outcome.values, strict=True)
                for qrels, run in [lines_of(probe)]
            ],
            python=own_program(outcome.inputs, subject.measure, subject.id, call) if outcome.inputs else "",
        )
        for outcome in outcomes
    ]
