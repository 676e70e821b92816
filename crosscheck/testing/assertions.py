"""Assertions that a metric, or given values, agree with trec_eval except for allowed differences."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import zip_longest
from typing import TypeAlias

import numpy as np

from crosscheck.audit_records import Audit, Counterexample
from crosscheck.auditing import audit
from crosscheck.auditing.calls import parse_call
from crosscheck.auditing.targets import target_of
from crosscheck.axes import axes
from crosscheck.backends.base import Backend, Options
from crosscheck.compare import equal
from crosscheck.conventions import AxisValue, Conventions, profiles
from crosscheck.conventions import conventions as parse_conventions
from crosscheck.engine.conversion import QrelsLike, RunLike, as_qrels, as_run
from crosscheck.errors import ArgumentError, no_such, quoted
from crosscheck.harness.settings import DEFAULT_TOLERANCE
from crosscheck.measures import family, needs_of
from crosscheck.model import Measure
from crosscheck.names import parse_measure
from crosscheck.native import diagnose, evaluate
from crosscheck.results import Number, as_float
from crosscheck.testing.replay import Failures

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
) -> None:
    """Assert by an audit (see :func:`crosscheck.audit`) that a metric agrees with trec_eval.

    Under pytest, the inputs on which the metric failed before are tried first.

    Args:
        metric: the function, or ``package.module:function``, ``exec:COMMAND``, or a backend id.
        measure: the measure that it computes.
        allow: the conventions in which it may differ, such as ``{"gain": "exponential"}`` or
            ``"profile:sklearn"``. The metric must then differ in exactly these conventions: an allowance
            that is not needed fails as well.
        call: the call, such as ``"f(gains, k)"``; None to infer it from the parameter names.
        reference: the conventions that the metric is compared with.
        seed: for the choice of inputs; timeout: seconds that one call may take.

    Raises:
        AssertionError: the metric deviates or cannot be called; the message holds the smallest input that
            shows the deviation, its cause, and the line to paste if the deviation is intended.
        UsageError: a measure, axis, value or profile that does not exist.
    """
    __tracebackhide__ = True
    parsed, base = parse_measure(measure), parse_conventions(reference)
    permitted = _permitted(base, allow, parsed)
    options = Options(timeout=timeout)
    name = reference if isinstance(reference, str) else "the given conventions"
    wanted = name if allow is None else f"{name} with {_written(allow)}"
    backend = target_of(metric, None if call is None else parse_call(call), options)
    spelt = repr(metric) if isinstance(metric, str) else backend.id.rpartition(":")[2]
    known = Failures(backend.id, parsed, call, permitted)
    if (failed := known.again(backend, options)) is not None:
        raise AssertionError(_deviation(failed, spelt, wanted, base, permitted))
    found = audit(backend, measure, call=call, seed=seed, reference=permitted, options=options)
    known.keep(found)
    if found.verdict == "uncallable":
        raise AssertionError(f"{found.target} could not be called as {parsed}: {found.message}")
    if found.verdict != "agrees":
        raise AssertionError(_deviation(found, spelt, wanted, base, permitted))
    if not found.plainly_agrees:
        missed = ", ".join(found.kinds_missed)
        raise AssertionError(
            f"{found.target} agrees with {wanted} on {found.fresh_inputs} fresh inputs, but the time was too "
            f"short for inputs that would show: {missed}. Give it more with timeout={2 * timeout:g}"
        )
    if allow is not None:
        _assert_needed(found, base, permitted, allow)


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
        AssertionError: values differ, or an allowance is not needed; the message names queries and cause.
        InputError, UsageError: as for :func:`crosscheck.diagnose`.
    """
    __tracebackhide__ = True
    parsed, base = parse_measure(measure), parse_conventions(reference)
    permitted = _permitted(base, allow, parsed)
    judged, ranked = as_qrels(qrels, needs=needs_of([parsed])), as_run(run)
    found = diagnose(judged, ranked, measure, values, mean=mean, reference=permitted)
    if found is None:
        if allow is not None and diagnose(judged, ranked, measure, values, mean=mean, reference=base) is None:
            raise AssertionError(f"these values of {parsed} do not need allow={allow!r}: delete it")
        return
    ours = evaluate(judged, ranked, [measure], conventions=permitted)
    expected: dict[str, float] = {query: row[measure] for query, row in ours.items()}
    differ = [query for query in {**expected, **values} if not _same(expected.get(query), values.get(query))]
    cause = _cause(found.causes, found.strength)
    lines = [f"{len(differ):,} of {len({**expected, **values}):,} values of {parsed} differ: {cause}."]
    for query in differ[:_LISTED]:
        want, given = _number(expected.get(query)), _number(values.get(query))
        lines.append(f"    query {quoted(query)}: {given} instead of {want}")
    lines += [f"    {len(differ) - _LISTED:,} more"] if len(differ) > _LISTED else []
    lines.append(found.explanation)
    lines += _paste(f"assert_same(qrels, run, values, {measure!r}", found.conventions, base, permitted)
    raise AssertionError("\n".join(lines))


def _permitted(base: Conventions, allow: Allowed | None, measure: Measure) -> Conventions:
    """The conventions that a metric must follow to differ as allowed.

    Raises:
        AssertionError: nothing that is allowed can make the measure differ.
        UsageError: an unknown profile, axis or value, or one that was not observed.
    """
    __tracebackhide__ = True
    if allow is None:
        return base
    about = family(measure.family)
    if isinstance(allow, Mapping) and allow:
        permitted = base.with_changes(**allow)
    elif isinstance(allow, str) and allow.startswith(_PROFILE):
        name = allow.removeprefix(_PROFILE)
        if name not in profiles():
            raise no_such("profile", name, profiles())
        permitted = profiles()[name].conventions.known(about)
    else:
        raise ArgumentError(
            f"allow={allow!r} names nothing that may differ",
            hint='write allow={"gain": "exponential"} or allow="profile:sklearn"',
        )
    changed = permitted.changes_from(base)
    matter = {name for name in changed if axes()[name].read_by(about)}
    idle = set() if matter and isinstance(allow, str) else set(allow) - matter
    if idle:
        raise AssertionError(
            f"nothing of {measure} can differ by {', '.join(sorted(idle))}: delete it from allow"
        )
    return permitted


def _assert_needed(found: Audit, base: Conventions, permitted: Conventions, allow: Allowed) -> None:
    """Fail if the audit did not observe what is allowed."""
    __tracebackhide__ = True
    observed = {f.axis for f in found.fingerprint if f.status in _OBSERVED}
    changed = permitted.changes_from(base)
    idle = [name for name in changed if name not in observed]
    if len(idle) == len(changed) or (idle and not isinstance(allow, str)):
        shows = f"no input shows that {found.target} differs by {', '.join(idle)}"
        raise AssertionError(f"{shows}, as it is called: delete it from allow")


def _deviation(found: Audit, spelt: str, wanted: str, base: Conventions, permitted: Conventions) -> str:
    """The message for a metric that deviates, which the test names as ``spelt``."""
    lines = [
        f"{found.target} deviates from {wanted} on {found.measure}: {_cause(found.causes, found.strength)}."
    ]
    if found.counterexamples:
        lines.append(_shown(found.counterexamples[0], wanted, found.target))
    if found.strength in ("proved", "consistent"):
        lines += _paste(f"assert_agrees({spelt}, {found.measure!r}", found.conventions, base, permitted)
    else:
        lines.append("No set of conventions gives all its values, so this looks like a bug.")
    return "\n".join(lines)


def _paste(
    call: str, conventions: Mapping[str, AxisValue], base: Conventions, permitted: Conventions
) -> list[str]:
    """The lines to paste into a test that allow the conventions found, besides those allowed already."""
    if not conventions:
        return []
    allow = permitted.with_changes(**conventions).changes_from(base)
    said = f", allow={allow!r}" if allow else ""
    return ["If that is meant:", f"    {call}{said})"]


def _cause(causes: Sequence[str], strength: str | None = None) -> str:
    sure = f" ({strength})" if strength not in (None, "none") else ""
    return f"{', '.join(causes) or 'unexplained'}{sure}"


def _shown(found: Counterexample, wanted: str, target: str) -> str:
    """The smallest input as two tables, and both values."""
    whose = "The mean" if found.query is None else f"{found.measure} of query {quoted(found.query)}"
    qrels = [(q, d, str(level)) for q, row in found.qrels.items() for d, level in row.items()]
    run = [(q, d, _score(score)) for q, row in found.run.items() for d, score in row.items()]
    reference, candidate = _number(found.reference_value), _number(found.candidate_value)
    return "\n".join(
        [
            f"{found.cause}: {found.explanation}",
            *_beside(_table(("query", "docno", "level"), qrels), _table(("query", "docno", "score"), run)),
            f"{whose}: {reference} by {wanted}, {candidate} by {target}",
        ]
    )


def _score(score: float) -> str:
    """The shortest digits that give back the score."""
    return f"{score:g}" if float(f"{score:g}") == score else repr(score)


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> list[str]:
    cells = [head, *(tuple(quoted(cell)[1:-1] for cell in row) for row in rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in cells]


def _beside(left: Sequence[str], right: Sequence[str]) -> list[str]:
    width = max(map(len, left))
    pairs = zip_longest(["qrels", *left], ["run", *right], fillvalue="")
    return [f"    {one.ljust(width)}    {other}".rstrip() for one, other in pairs]


def _same(one: float | None, other: float | None) -> bool:
    if one is None or other is None:
        return one is other
    return bool(equal(np.array([one]), np.array([other]), DEFAULT_TOLERANCE, None)[0])


def _number(value: Number | None) -> str:
    return "no value" if value is None else f"{as_float(value):.6g}"


def _written(allow: Allowed) -> str:
    if isinstance(allow, str):
        return allow
    return ", ".join(f"{name}={value}" for name, value in allow.items())
