"""The audit of one metric: its call is found, and a session of questions follows."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from crosscheck.audit_records import Audit
from crosscheck.auditing.audited_metric import AuditedMetric
from crosscheck.auditing.calls import parse_call
from crosscheck.auditing.finding import find_call, friendly_probe
from crosscheck.auditing.session import Session
from crosscheck.auditing.targets import CalledFunction, target_of
from crosscheck.backends.base import Backend, Options
from crosscheck.backends.safe_calls import guarded
from crosscheck.conventions import Conventions
from crosscheck.errors import BackendError, UsageError
from crosscheck.evaluation.parameters import with_measure_parameters
from crosscheck.measures import family
from crosscheck.model import MeasureValues
from crosscheck.names import conventions_for, parse_measure
from crosscheck.probes.probe import Probe
from crosscheck.probes.special import company

__all__ = ["audit"]

#: Fresh inputs may take so many times as long as one call.
_TIMEOUTS = 6


def _silent(message: str) -> None:
    """Discard progress messages."""


def audit(
    target: str | Callable[..., object] | Backend,
    measure: str,
    *,
    call: str | None = None,
    seed: int = 0,
    reference: str | Conventions = "trec_eval-9.0.8",
    fixtures: str | Sequence[str] | None = None,
    options: Options | None = None,
    progress: Callable[[str], None] = _silent,
) -> Audit:
    """Find out by experiment which conventions a metric follows.

    Args:
        target: ``package.module:function``, ``path/to/file.py:function``, ``exec:COMMAND``, a backend id, or
            the function itself. It is called in a child process; only a function that a child cannot import
            (a lambda, a closure) is called in this process.
        measure: the measure that it claims to compute.
        call: the call, such as ``"f(gains, k)"``; None to find it from the parameters and by trying.
        seed: for the choice of inputs; the same seed gives the same audit.
        reference: the conventions that deviations are counted from.
        fixtures: a folder of cases to confirm the result on, or several; None for none.
        options: the seconds allowed for one call (six times as long for all fresh inputs), and settings of
            some backends.
        progress: called with a message at each step.

    Returns:
        The record. A metric that cannot be called has the verdict ``uncallable`` and a message.

    Raises:
        UsageError: a measure, call, target or profile that does not exist.
        InputError: ``fixtures`` holds no case.
        KeyboardInterrupt: at Ctrl-C, with a note of what is known so far.
    """
    parsed = parse_measure(measure)
    if family(parsed.family).detailed:
        raise UsageError(
            f"{parsed} needs {family(parsed.family).needs}, and the inputs of an audit have none",
            hint="compare the metric over cases instead: crosscheck run",
        )
    spec = conventions_for(reference, parsed)
    given = None if call is None else parse_call(call)
    options = options or Options(timeout=20.0)
    backend = target_of(target, given, options)
    with guarded(backend, options) as asked:
        subject = AuditedMetric(asked, parsed, progress)
        session = Session(
            subject=subject,
            base=with_measure_parameters(spec, parsed),
            reference=reference if isinstance(reference, str) else "given conventions",
            seed=seed,
            fixtures=[fixtures] if isinstance(fixtures, str) else fixtures,
            seconds=_TIMEOUTS * options.timeout,
        )
        if not asked.supports(parsed):
            return session.uncallable(asked.lacks(parsed), given)
        session.call = backend.call if isinstance(backend, CalledFunction) else None
        if isinstance(backend, CalledFunction) and session.call is None:
            how = find_call(subject, session.base)
            if how.call is None:
                return session.uncallable(how.message, given)
            session.call, session.tried = how.call, how.tried
        first = _first_answer(subject)
        if isinstance(first, BackendError):
            return session.uncallable(str(first), given)
        if not first.values and first.mean is None:
            return session.uncallable(f"{backend.id} gave no value for an ordinary query", given)
        try:
            return session.audited(first)
        except KeyboardInterrupt as error:
            if not getattr(error, "__notes__", ()):
                error.add_note(session.so_far())
            raise


def _first_answer(subject: AuditedMetric) -> MeasureValues | BackendError:
    """The answer on a query of two documents or, failing that, on one that any metric answers."""
    first: MeasureValues | BackendError | None = None
    for probe in (Probe("an ordinary query", (company(),), None), friendly_probe(subject.measure)):
        given = subject.needs.given(probe)
        answer = subject.answer(given.qrels, given.run)
        if isinstance(answer, MeasureValues) and (answer.values or answer.mean is not None):
            return answer
        first = first or answer
    assert first is not None
    return first
