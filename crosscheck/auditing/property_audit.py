"""The properties of a metric, such as "the order of the lines changes nothing", compared with the properties
of the measure that it is meant to compute."""

from collections.abc import Callable, Iterable, Iterator
from functools import cache

from msgspec.structs import replace

from crosscheck.audit_records import PropertyFinding, PropertyInput, PropertyReport
from crosscheck.auditing.calls import Call, passed
from crosscheck.auditing.finding import prepare
from crosscheck.auditing.metric import AuditedMetric, audited_metric, native_answer
from crosscheck.auditing.reproducers import lines_of, own_program
from crosscheck.auditing.targets import UNNAMED
from crosscheck.auditing.words import Materials
from crosscheck.axes.ids import DUPLICATES
from crosscheck.backends.base import Backend, Options
from crosscheck.conventions import Conventions
from crosscheck.errors import UsageError
from crosscheck.evaluation.formula import with_measure_parameters
from crosscheck.inputs.laws import Setting, Tried, try_properties
from crosscheck.inputs.queries import Probe
from crosscheck.model import Measure
from crosscheck.names import conventions_for, parse_measure
from crosscheck.results import number
from crosscheck.shown import tell

#: The cutoff assumed for a metric that takes no cutoff and whose measure is not known.
_UNKNOWN_CUTOFF = 30


def properties(
    target: str | Callable[..., object] | Backend,
    measure: str | None = None,
    *,
    call: str | None = None,
    seed: int = 0,
    reference: str | Conventions = "trec_eval-9.0.8",
    options: Options | None = None,
    progress: Callable[[str], None] = tell,
) -> PropertyReport:
    """Find out by experiment which properties a metric has, even if it is not a known measure.

    Args:
        measure: the measure that the metric is meant to compute; None if unknown (only for functions).
        target, call, seed, reference, options, progress: as for :func:`crosscheck.auditing.audit`.

    Raises:
        UsageError: a measure, call, target or profile does not exist, or a backend is given without a
            measure.
    """
    parsed = UNNAMED if measure is None else parse_measure(measure)
    base = None if measure is None else with_measure_parameters(conventions_for(reference, parsed), parsed)
    with audited_metric(target, parsed, call, options, progress) as subject:
        if measure is None and subject.function is None:
            raise UsageError(f"{subject.id} may compute many measures", hint="name one of them with -m")
        report = PropertyReport(
            target=subject.id, call=str(subject.call or ""), seed=seed, measure=measure, properties=[]
        )
        found_call = prepare(subject, base)
        if message := found_call.message or found_call.changing:
            return replace(report, message=message)
        findings = as_findings(properties_of(subject, base, seed), subject)
        return replace(report, call=str(subject.call or ""), properties=findings)


def properties_of(subject: AuditedMetric, base: Conventions | None, seed: int) -> list[Tried]:
    """Try all properties on a metric.

    Args:
        base: the conventions of the measure that the metric is meant to compute; None if it is not known.
        seed: seed of the random inputs.
    """
    measure, call, first = subject.measure, subject.call, subject.first
    level = 1 if measure.rel is None else measure.rel

    @cache
    def as_seen(probe: Probe) -> object:
        return probe if call is None else passed(Materials(probe.qrels, probe.run, measure, call))

    values, means, single = bool(first.values), first.mean is not None, bool(call and call.of_one_relevant)
    return try_properties(
        subject.answer,
        Setting(_cutoff(measure, call), level, values, means, first.one_by_one or not values, single),
        seed,
        as_seen=as_seen,
        like=None if base is None else lambda qrels, run: native_answer(qrels, run, measure, base),
        without=() if call is None else tuple(_never_passed(call)),
    )


def _never_passed(call: Call) -> Iterator[str]:
    """Names of the properties that cannot be tried, because the call does not pass the data that they
    change."""
    if DUPLICATES.name in call.fixed_axes:
        yield "duplicates"
    if call.of_one and not call.passes_scores:
        yield from ("reads-scores", "tied-lines")


def _cutoff(measure: Measure, call: Call | None) -> int:
    """The cutoff of a metric for :class:`Setting`."""
    if measure != UNNAMED:
        return measure.cutoff or 0
    return UNNAMED.cutoff or 0 if call is not None and "k" in call.words else _UNKNOWN_CUTOFF


def shown_by(outcomes: Iterable[Tried]) -> list[Probe]:
    """The inputs that show that the metric lacks a property of the measure. On these, its values are
    wrong."""
    lacking = (t for t in outcomes if t.surprising and t.expected == "yes")
    return [replace(probe, about=t.of.broken) for t in lacking for probe in t.inputs]


def as_findings(outcomes: Iterable[Tried], subject: AuditedMetric) -> list[PropertyFinding]:
    """The records of the outcomes for all properties."""
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
            python=own_program(outcome.inputs, subject) if outcome.inputs else "",
        )
        for outcome in outcomes
    ]
