"""What an audit finds, in lines, for the kept examples of this folder; and what its evidence refutes."""

import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import crosscheck
from crosscheck.audit_records import Audit, Counterexample
from crosscheck.auditing import audit
from crosscheck.backends.base import Options
from crosscheck.conventions import profiles
from crosscheck.evaluation.formula import with_measure_parameters
from crosscheck.names import conventions_for, parse_measure
from tests.support.kept import need

#: Before the source of a metric in an example: the names that it may use.
NAMES = """from __future__ import annotations
import math, random
from itertools import islice, takewhile
from urllib.parse import unquote
from zlib import crc32
import numpy as np
from tests.auditing.metrics import *
from tests.programs.metrics.reference import Rules, ascending, values_of
"""
#: What an audit finds must not depend on how busy the machine is.
PATIENT = Options(timeout=60.0, budget=3000.0)


def found(metric: Any, measure: str, call: str = "", *, needs: str = "", only: str = "", **more: Any) -> str:
    """What an audit finds.

    Args:
        metric: the metric, or the source of a module that defines it last.
        needs: packages without which the example stays as it is.
        only: fields that are shown, where others are different each time.
    """
    need(needs)
    if isinstance(metric, str) and "\n" in metric:
        Path("m.py").write_text(NAMES + metric)
        metric = f"m.py:{defined_last(metric)}"
    made = audit(metric, measure, call=call or None, options=PATIENT, **more)
    lines = [(name, text) for name, text in _lines(made) if text and (not only or name in only.split())]
    said = "\n".join(f"{name}: {text}" for name, text in lines)
    return re.sub(r" \(\w+\.py:\w+ in [^)]*\)", "", said)


def defined_last(source: str) -> str:
    """The name of the last function or class in a module."""
    return re.findall(r"^(?:def|class) (\w+)", source, re.MULTILINE)[-1]


def defined(metric: Any, **names: Any) -> Any:
    """A metric, or what a module ``m`` of this source, and with more names, defines last."""
    if not isinstance(metric, str):
        return metric
    path = Path("m.py").absolute()
    path.write_text(NAMES + metric)
    module = sys.modules["m"] = ModuleType("m")
    vars(module).update(names)
    exec(compile(NAMES + metric, path, "exec"), vars(module))
    return getattr(module, defined_last(metric))


def _lines(a: Audit) -> Iterator[tuple[str, str]]:
    """Names and texts of what there is to say; numbers of inputs are left out."""
    yield "verdict", a.verdict + f", called as {a.call}" * bool(a.call)
    said, *calls = (a.message or "").splitlines() or [""]
    yield "message", "\n".join([said, *sorted(calls)])
    yield "causes", ", ".join(sorted(a.causes))
    yield "conventions", _set(a.conventions)
    doubt = re.sub(r"\b\d[\d,]* inputs", "N inputs", a.doubt)
    yield "strength", "; ".join(filter(None, [a.strength, doubt, *a.rivals]))
    yield "or", " or ".join(_set(other.conventions) for other in a.alternatives)
    if nearest := a.nearest_profile:
        yield "nearest", nearest.name + f", but for {', '.join(nearest.differs)}" * bool(nearest.differs)
    if known := a.recognised:
        more = [_set(known.conventions), known.strength, known.doubt, *known.rivals]
        yield "is", "; ".join(filter(None, [known.formula, *more, "whatever k" * known.whatever_k]))
    for of in a.fingerprint:
        if of.value != of.reference_value:
            yield "observed", f"{of.axis} = {of.value}, {of.status}"
    if a.precision != "double":
        yield "precision", f"{a.precision}, within {a.tolerance}" if a.precision else ""
    if a.fresh_inputs:
        met = a.fresh_inputs_met / a.fresh_inputs
        yield "fresh values met", "all" if met == 1 else "most" if met > 0.7 else "few"
    if a.where:
        of_what = f"wrong in all {a.where.of_what} with {' and '.join(a.where.conditions) or 'anything'}"
        elsewhere = f", and in {a.where.wrong_elsewhere} others" * bool(a.where.wrong_elsewhere)
        yield (
            "where",
            of_what.replace("in all", "in all" if a.where.wrong == a.where.of else "in") + elsewhere,
        )
    yield "refused", re.sub(r"\d+", "N", a.refused)
    for case, does in a.behaviour.items():
        if does != (usual := a.behaviour_of_reference.get(case)):
            yield "does", f"{case}: {does.partition(' (')[0]}" + f" for {usual}" * bool(usual)
    for accepted in a.accepts:
        yield "accepts", f"{accepted.cause} {accepted.values}; {accepted.explanation}"
    for one in a.properties:
        if one.surprising:
            yield "property", f"{one.name} {one.holds}, expected {one.expected}"
    if a.confirmation:
        yield "given cases", f"{a.confirmation.confirmed} of {a.confirmation.of}; {a.confirmation.differs}"
    for note in a.notes:
        yield "note", re.sub(r"\d[\d,.]*", "N", note)
    for example in a.counterexamples:
        yield "example", _example(example)


def _set(changes: dict[str, Any]) -> str:
    return ", ".join(f"{axis}={value}" for axis, value in changes.items())


def _example(e: Counterexample) -> str:
    lines, judged = (sum(map(len, side.values())) for side in (e.run, e.qrels))
    queries = len({*e.qrels, *e.run})
    text = f"{e.cause}, {queries} queries, {lines} lines, {judged} judgements: {e.measure} "
    text += f"{e.candidate_value} for {e.reference_value}: {e.explanation}" + f" ({e.note})" * bool(e.note)
    if any(level < 0 for of in e.qrels.values() for level in of.values()):
        text += "; with a negative level"
    if e.ideal:
        text += f"; ideal gains {[(one.reference_gain, one.candidate_gain) for one in e.ideal]}"
    return text + "; an order of its ties gives it" * (e.cause == "tie-breaking" and _by_an_order(e))


def _by_an_order(e: Counterexample) -> bool:
    """Whether trec_eval's order of the tied documents, or the opposite one, gives the metric's value."""
    evaluated: Callable[..., Any] = crosscheck.evaluate
    values = (
        evaluated(e.qrels, e.run, [e.measure], conventions=f"ties=docid-{rule}") for rule in ("desc", "asc")
    )
    return e.query is not None and e.candidate_value in [of[e.query][e.measure] for of in values]


def contradictions(audit: Audit) -> Iterator[str]:
    """The words of an audit that its own evidence refutes."""
    if audit.verdict == "uncallable":
        return
    causes, agrees = {*audit.causes}, audit.verdict == "agrees"
    as_predicted = audit.fresh_inputs_met == audit.fresh_inputs
    given, nearest = audit.confirmation, audit.nearest_profile
    refuted = {
        "a verdict against its causes": agrees != (not causes),
        "agrees, under other conventions": agrees and audit.conventions,
        "agrees, against fresh inputs": agrees and not (as_predicted and audit.fresh_inputs),
        "agrees, against the given cases": agrees and given and given.differs,
        "agrees, with a counterexample": agrees and audit.counterexamples,
        "same conventions as a profile, beside what no conventions explain": nearest is not None
        and causes & {"unexplained", "cross-query-leak", "refuses-input"},
        "all explained, against fresh inputs": not as_predicted
        and not causes & {"unexplained", "cross-query-leak"},
        "0 where there is nothing to measure, as unexplained": any(
            one.cause == "unexplained" and one.reference_value is None and one.candidate_value == 0
            for one in audit.counterexamples
        ),
    }
    yield from (words for words, wrong in refuted.items() if wrong)
    for of in audit.fingerprint:
        if of.status == "open" and "unexplained" in causes:
            yield f"{of.axis} = {of.value}, beside something unexplained"
        if of.status == "unknown" and of.value != "unknown":
            yield f"{of.axis} = {of.value}, which is unknown"
    if nearest is not None and audit.reference in profiles():
        measure = parse_measure(audit.measure)
        tool = conventions_for(nearest.name, measure)
        reference = with_measure_parameters(conventions_for(audit.reference, measure), measure)
        for axis in audit.conventions.keys() - {*nearest.differs}:
            if tool.plain(axis) == reference.plain(axis):
                yield f"{axis} as in {nearest.name}, and not as in the reference, which has the same"
