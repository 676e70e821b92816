"""Assertions that a metric, or given values, agree with trec_eval except for allowed differences."""

import hashlib
import sys
import sysconfig
from collections.abc import Callable, Mapping
from contextlib import suppress
from inspect import ismodule, signature
from pathlib import Path
from types import FunctionType
from typing import TypeAlias

import msgspec
from msgspec.structs import replace

from crosscheck import __version__
from crosscheck.audit_records import Audit
from crosscheck.auditing import audit
from crosscheck.auditing.calls import parse_call
from crosscheck.auditing.metric import TIMEOUTS
from crosscheck.auditing.targets import CalledFunction, target_of
from crosscheck.axes import axes
from crosscheck.backends.base import Backend, Options
from crosscheck.backends.guarded import Guarded
from crosscheck.compare import same
from crosscheck.conventions import AxisValue, Conventions
from crosscheck.engine.conversion import QrelsLike, RunLike, as_qrels, as_run
from crosscheck.errors import ArgumentError, BackendError, CrosscheckError, quoted
from crosscheck.formats.source import write_whole
from crosscheck.measures import family, needs_of
from crosscheck.model import Measure
from crosscheck.names import conventions_for, parse_measure
from crosscheck.native import diagnose, evaluate
from crosscheck.report.audit_page import counterexample, deviation
from crosscheck.report.text import written
from crosscheck.report.words import cause_sentence, line
from crosscheck.results import Diagnosis, Number, as_float, optional
from crosscheck.testing import plugin

__all__ = ["Allowed", "assert_agrees", "assert_same"]

#: What may differ: axes with their values, or ``"profile:NAME"``.
Allowed: TypeAlias = Mapping[str, AxisValue] | str

_PROFILE = "profile:"
_OBSERVED = ("decided", "open")
#: Number of differing queries that a message shows.
_LISTED = 5


def assert_agrees(
    metric: str | Callable[..., object] | Backend,
    measure: str,
    *,
    allow: Allowed | None = None,
    call: str | None = None,
    reference: str | Conventions = "trec_eval-9.0.8",
    seed: int = 0,
    timeout: float = 20.0,
    budget: float | None = None,
) -> None:
    """Assert by an audit (see :func:`crosscheck.audit`) that a metric agrees with trec_eval.

    Under pytest, the failed audit of a function is shown again, without a new audit, while the files of its
    code are unchanged and it gives the same values on the inputs on which it failed.

    Args:
        metric: the function, or ``package.module:function``, ``exec:COMMAND``, or a backend id.
        measure: the measure that it computes.
        allow: the conventions in which the metric must differ from the reference, such as ``{"gain":
            "exponential"}`` or ``"profile:sklearn"``. The assertion also fails if the metric does not differ
            in one of these conventions.
        call: the call, such as ``"f(gains, k)"``; None to infer it from the parameter names.
        reference: the conventions that the metric is compared with.
        seed: the seed from which inputs are drawn.
        timeout: the seconds that one call may take.
        budget: the seconds that all calls together may take; None for ten times ``timeout``.

    Raises:
        AssertionError: the metric deviates or cannot be called. The message has the smallest input that shows
            the deviation, the cause, and the line to paste into the test if the deviation is intended.
        UsageError: a measure, axis, value or profile that does not exist.
    """
    __tracebackhide__ = True
    parsed, base, permitted = _permitted(reference, allow, measure)
    given = {"call": call, "reference": reference, "seed": seed, "timeout": timeout, "budget": budget}
    options = Options(timeout=timeout, budget=budget)
    name = reference if isinstance(reference, str) else "the given conventions"
    allowed = allow if isinstance(allow, str) else ", ".join(f"{k}={v}" for k, v in (allow or {}).items())
    wanted = f"{name} with {allowed}" if allowed else name
    backend = target_of(metric, None if call is None else parse_call(call), options)
    spelt = repr(metric) if isinstance(metric, str) else backend.id.rpartition(":")[2]
    saved = _saved(backend, (__version__, str(parsed), given, permitted))
    result = _again(saved, backend, options) or audit(
        backend, measure, call=call, seed=seed, reference=permitted, options=options
    )
    if saved is not None and result.counterexamples:
        write_whole(str(saved), msgspec.json.encode(result))
    if result.verdict == "uncallable":
        problem = "was not asked enough" if result.cut_short else "could not be called"
        problem = "cannot be checked" if result.gave_one_number else problem
        raise AssertionError(f"{result.target} {problem} as {parsed}: {result.message}")
    if result.verdict != "agrees":
        usual = {name: one.default for name, one in signature(assert_agrees).parameters.items()}
        end = "".join(f", {name}={value!r}" for name, value in given.items() if value != usual[name])
        line = f"assert_agrees({spelt}, {measure!r}{{allow}}{end})"
        raise AssertionError(_deviation(result, line, wanted, base, permitted))
    if not result.plainly_agrees:
        missed, more = ", ".join(result.kinds_missed), 2 * (budget or TIMEOUTS * timeout)
        agrees = f"{result.target} agrees with {wanted} on {result.fresh_inputs} fresh inputs"
        short = f"the time was too short for inputs that would show: {missed}"
        raise AssertionError(f"{agrees}, but {short}. Give it more with budget={more:g}")
    if allow is not None:
        _assert_needed(result, base, permitted, allow)


def assert_same(
    qrels: QrelsLike,
    run: RunLike,
    values: Mapping[str, float],
    measure: str,
    *,
    allow: Allowed | None = None,
    mean: float | None = None,
    reference: str | Conventions = "trec_eval-9.0.8",
) -> None:
    """Assert that given values of a run are those of trec_eval, within 1e-9.

    Args:
        qrels, run: as for :func:`crosscheck.evaluate`.
        values: query -> value, for every query with a value.
        mean: the mean over the queries, None if it is not given.
        measure, allow, reference: as for :func:`assert_agrees`.

    Raises:
        AssertionError: values differ, or do not differ in an allowed convention. The message names the
            queries and the cause.
        InputError, UsageError: as for :func:`crosscheck.diagnose`.
    """
    __tracebackhide__ = True
    parsed, base, permitted = _permitted(reference, allow, measure)
    judged, ranked = as_qrels(qrels, needs=needs_of([parsed])), as_run(run)
    diagnosis = diagnose(judged, ranked, measure, values, mean=mean, reference=permitted)
    if diagnosis is None:
        if allow is not None and diagnose(judged, ranked, measure, values, mean=mean, reference=base) is None:
            raise AssertionError(f"these values of {parsed} do not need allow={allow!r}: delete it")
        return
    ours = evaluate(judged, ranked, [measure], conventions=permitted)
    expected: dict[str, float] = {query: row[measure] for query, row in ours.items()}
    differ = [query for query in {**expected, **values} if not same(expected.get(query), values.get(query))]
    number = f"{len(differ):,} of {len({**expected, **values}):,}"
    lines = [f"{number} values of {parsed} differ. {cause_sentence(diagnosis.causes, diagnosis.strength)}"]
    lines += [
        f"    query {quoted(query)}: {_number(values.get(query))} instead of {_number(expected.get(query))}"
        for query in differ[:_LISTED]
    ]
    lines += [f"    {len(differ) - _LISTED:,} more"] if len(differ) > _LISTED else []
    lines.append(diagnosis.explanation)
    if diagnosis.conventions:
        allowed = permitted.with_changes(**diagnosis.conventions).changes_from(base)
        lines += _way_out(diagnosis, f"assert_same(qrels, run, values, {measure!r}{{allow}})", allowed)
    raise AssertionError("\n".join(lines))


def _permitted(
    reference: str | Conventions, allow: Allowed | None, name: str
) -> tuple[Measure, Conventions, Conventions]:
    """The measure, the conventions of the reference, and these with the allowed differences, which a metric
    must follow.

    Raises:
        AssertionError: no allowed difference can change the measure.
        UsageError: a profile, axis or value does not exist, or the value is not known.
    """
    __tracebackhide__ = True
    try:
        measure = parse_measure(name)
        about, base = family(measure.family), conventions_for(reference, measure)
        if allow is None:
            return measure, base, base
        if isinstance(allow, Mapping) and allow:
            permitted = base.with_changes(**allow)
        elif isinstance(allow, str) and allow.startswith(_PROFILE):
            permitted = conventions_for(allow.removeprefix(_PROFILE), measure).known(about)
        else:
            hint = 'write allow={"gain": "exponential"} or allow="profile:ranx"'
            raise ArgumentError(f"allow={allow!r} names no convention", hint=hint)
    except CrosscheckError as error:
        raise error.with_traceback(None) from None  # pytest would show pages of code that is not the user's
    matter = {name for name in permitted.changes_from(base) if axes()[name].read_by(about)}
    named = {allow} if isinstance(allow, str) else set(allow)
    if idle := set() if matter and isinstance(allow, str) else named - matter:
        idly = f"nothing of {measure} can differ by {', '.join(sorted(idle))}"
        raise AssertionError(f"{idly}: delete it from allow")
    return measure, base, permitted


def _assert_needed(result: Audit, base: Conventions, permitted: Conventions, allow: Allowed) -> None:
    """Fail if ``allow`` names an axis in which the audit found no difference; for a profile, only if it found
    none in any axis of the profile."""
    __tracebackhide__ = True
    observed = {f.axis for f in result.fingerprint if f.status in _OBSERVED}
    changed = permitted.changes_from(base)
    idle = [name for name in changed if name not in observed]
    if len(idle) == len(changed) or (idle and not isinstance(allow, str)):
        shows = f"no input shows that {result.target} differs by {', '.join(idle)}"
        raise AssertionError(f"{shows}, as it is called: delete it from allow")


def _deviation(result: Audit, call: str, wanted: str, base: Conventions, permitted: Conventions) -> str:
    """The message for a metric that deviates. ``call``: the text of the call in the test, with ``{allow}`` in
    place of the argument ``allow``."""
    differs = f"{result.target} does not compute {result.measure} as {wanted} does"
    lines = [f"{differs}. {cause_sentence(result.causes, result.strength)}"]
    if result.counterexamples:
        # It was audited under the allowed conventions, which have no name.
        named, smallest = replace(result, reference=wanted), result.counterexamples[0]
        lines += [line(deviation(named, smallest)), written([counterexample(named, smallest, "")])]
    allowed = permitted.with_changes(**result.conventions).changes_from(base)
    shown = {f.axis for f in result.fingerprint if f.status in _OBSERVED}
    lines += _way_out(result, call, {name: value for name, value in allowed.items() if name in shown})
    return "\n".join(lines)


def _way_out(found: Audit | Diagnosis, call: str, allowed: Mapping[str, AxisValue]) -> list[str]:
    """The lines to paste into a test that allow these conventions, or why no allowance is enough."""
    if found.strength not in ("proved", "consistent"):
        return ["No set of conventions gives all the values, so this looks like a bug."]
    labels = {axes()[name].label for name in found.conventions}
    if others := [cause for cause in found.causes if cause not in labels]:
        return [f"Nothing can allow {', '.join(others)}."]
    argument = f", allow={allowed!r}" if allowed else ""
    return ["If that is meant:", f"    {call.format(allow=argument)}"]


def _number(value: Number | None) -> str:
    return "no value" if value is None else f"{as_float(value):.6g}"


def _saved(backend: Backend, asked: tuple[object, ...]) -> Path | None:
    """The file in pytest's cache of the last failed audit of a function with this code and these arguments.

    None, and nothing is saved, outside pytest and for metrics whose code is not known: all but functions and
    classes that are imported by name.
    """
    found = backend.found if isinstance(backend, CalledFunction) and backend.isolated else None
    if plugin.failures is None or not isinstance(found, FunctionType | type):
        return None
    with suppress(Exception):  # a module's variables may be objects of any kind
        key = repr((found.__qualname__, asked, _code(found.__module__)))
        return plugin.failures() / f"{hashlib.sha256(key.encode()).hexdigest()[:20]}.json"
    return None


def _code(module: str) -> dict[str, bytes]:
    """The files of a module and of the modules that its variables come from, without installed packages: path
    -> contents."""
    files: dict[str, bytes] = {}
    installed = tuple(sysconfig.get_path(name) for name in ("stdlib", "purelib", "platlib"))
    names = [module]
    for name in names:
        path = getattr(sys.modules.get(name), "__file__", None)
        if path is not None and path not in files and not path.startswith(installed):
            files[path] = Path(path).read_bytes()
            held = vars(sys.modules[name]).values()
            names += [one.__name__ if ismodule(one) else getattr(one, "__module__", "") for one in held]
    return files


def _again(saved: Path | None, backend: Backend, options: Options) -> Audit | None:
    """The saved audit, if all its counterexamples still give the same values; else None."""
    if saved is None or not saved.is_file():
        return None
    try:
        failed = msgspec.json.decode(saved.read_bytes(), type=Audit)
        if failed.call:  # that was found then
            backend = target_of(backend, parse_call(failed.call))
        with Guarded(backend, options) as asked:
            for shown in failed.counterexamples:
                measure = parse_measure(shown.measure)
                answer = asked.evaluate(as_qrels(shown.qrels), as_run(shown.run), [measure])[measure]
                if isinstance(answer, BackendError):
                    return None
                query = shown.query
                seen = answer.mean if query is None else answer.values.get(query.encode())
                if optional(seen) != shown.candidate_value:
                    return None
        return failed
    except (OSError, msgspec.DecodeError, CrosscheckError):
        return None  # an audit that cannot be repeated is made again
