"""Behaviour of a metric on edge cases."""

from __future__ import annotations

import math
from collections.abc import Iterator

from msgspec.structs import replace

from crosscheck.auditing.audited_metric import AuditedMetric
from crosscheck.auditing.calls import Call
from crosscheck.backends.native import native_values
from crosscheck.conventions import Conventions
from crosscheck.errors import BackendError, CrosscheckError
from crosscheck.evaluation.rankings import Rankings
from crosscheck.model import Measure, MeasureValues, Qrels, Run
from crosscheck.probes.probe import Line, Probe, Query, to_qrels, to_run

__all__ = ["ORDINARY", "PAST_THE_END", "behaviour", "behaviour_of_reference", "behaviour_probes"]

#: A cutoff larger than the number of documents of the query.
PAST_THE_END = 1000

_HUGE = 10_000
#: Inputs that trec_eval refuses or on which its behaviour is undefined, so there is no value to compare.
_WITHOUT_REFERENCE = frozenset({"empty run", "empty qrels", "a document twice", "NaN score"})
#: Inputs for which trec_eval has no defined behaviour.
_UNDEFINED = frozenset({"NaN score", "k = 0"})


def _lines(*scores: float) -> tuple[Line, ...]:
    return tuple(
        Line(docno, rank, score) for rank, (docno, score) in enumerate(zip("abcdef", scores, strict=False), 1)
    )


ORDINARY = Query((("a", 1), ("b", 0)), _lines(2.0, 1.0))


def _inputs() -> Iterator[tuple[str, Query]]:
    judged = (("a", 0), ("b", 2), ("c", 1))
    yield "empty run", Query(judged, ())
    yield "empty qrels", Query((), _lines(3.0, 2.0, 1.0))
    yield "all tied", Query(judged, _lines(1.0, 1.0, 1.0))
    twice = (Line("b", 1, 3.0), Line("b", 2, 2.0), Line("a", 3, 1.0))
    yield "a document twice", Query(judged, twice)
    yield "negative level", Query((("a", -1), ("b", 2)), _lines(2.0, 1.0))
    yield "NaN score", Query(judged, _lines(math.nan, 2.0, 1.0))
    yield "infinite score", Query(judged, _lines(math.inf, 2.0, -math.inf))
    long = "x" * _HUGE
    yield "id of 10,000 letters", Query(((long, 1),), (Line(long, 1, 1.0),))
    yield "no relevant document", Query((("a", 0), ("b", 0)), _lines(2.0, 1.0))


def behaviour_probes(call: Call | None) -> Iterator[Probe]:
    """The unusual inputs for which trec_eval has a value, if the call can pass them."""
    for name, query in _inputs():
        if name not in _WITHOUT_REFERENCE and (call is None or _shows(call, name)):
            yield Probe(name, (("1", query),), None)


def behaviour(subject: AuditedMetric, call: Call | None, *, bounded: bool) -> dict[str, str]:
    """Input -> result of the metric: a value, no value, or the error.

    Args:
        call: the call of a function, None for a backend; inputs that the call cannot pass are left out.
        bounded: whether the reference's values lie in [0, 1], so that other values are notable.
    """
    verb = "fails:" if call is None else "raises"
    return {
        name: _in_words(subject.answer(*_sides(query), measure), verb, bounded=bounded)
        for name, query, measure in _experiments(subject, call)
    }


def behaviour_of_reference(
    subject: AuditedMetric, call: Call | None, conventions: Conventions
) -> dict[str, str]:
    """Input -> result of the reference: a value, no value, or the error; only inputs with a defined
    result."""

    def answer(query: Query, measure: Measure) -> MeasureValues | BackendError:
        qrels, run = _sides(query)
        try:
            return native_values(Rankings(run, qrels), measure, conventions, "")
        except CrosscheckError as error:
            return BackendError(str(error))

    return {
        name: _in_words(answer(query, measure), "refused:", bounded=False)
        for name, query, measure in _experiments(subject, call)
        if name not in _UNDEFINED
    }


def _experiments(subject: AuditedMetric, call: Call | None) -> Iterator[tuple[str, Query, Measure]]:
    """Name, query and measure of each experiment: unusual inputs, then unusual cutoffs on an ordinary one."""
    for name, query in _inputs():
        if call is None or _shows(call, name):
            yield name, query, subject.measure
    if subject.measure.cutoff is not None and (call is None or "k" in call.words):
        for k, name in ((0, "k = 0"), (PAST_THE_END, "k past the end")):
            measure = replace(subject.measure, cutoff=k)
            if k == 0 or subject.supports(measure):
                yield name, ORDINARY, measure


def _shows(call: Call, name: str) -> bool:
    """Whether the arguments of a call differ between this input and an ordinary one."""
    words = call.words
    if name in ("NaN score", "infinite score", "all tied"):
        return not call.of_one or call.passes_scores
    if name == "a document twice":
        return "run" not in words  # a dict cannot hold it
    if name == "id of 10,000 letters":
        return not call.of_one or bool(words & {"ranked_ids", "relevant_ids", "relevance"})
    if name == "negative level":
        return not call.of_one or "relevance" in words
    return True


def _sides(query: Query) -> tuple[Qrels, Run]:
    queries = {"1": query}
    return to_qrels(queries), to_run(queries)


def _in_words(answer: MeasureValues | BackendError, verb: str, *, bounded: bool) -> str:
    if isinstance(answer, BackendError):
        return f"{verb} {answer.message.splitlines()[0]}"
    value = answer.values.get(b"1", answer.mean if not answer.values else None)
    if value is None:
        return "no value"
    if math.isnan(value):
        return "NaN"
    if bounded and not 0 <= value <= 1 + 1e-9:
        return f"{value!r}, outside [0, 1]"
    return repr(value)
