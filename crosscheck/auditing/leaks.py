"""Queries that influence each other: a mean that is not the mean of values computed query by query."""

from __future__ import annotations

from crosscheck.auditing.asking import Subject
from crosscheck.auditing.inputs import Line, Probe, Query
from crosscheck.backends.native import native_values
from crosscheck.compare.differ import differ
from crosscheck.conventions import Conventions
from crosscheck.diagnosis.base import Situation
from crosscheck.diagnosis.causes.cross_query_leak import CAUSE
from crosscheck.diagnosis.diagnose import diagnose
from crosscheck.errors import BackendError
from crosscheck.rankings.judged import Rankings

__all__ = ["LEAK", "leaks", "shared_documents"]

LEAK = CAUSE.label


def shared_documents() -> Probe:
    """Two queries that rank the same two documents; each judges the other one relevant."""
    lines = (Line("a", 1, 2.0), Line("b", 2, 1.0))
    one, two = Query((("a", 1), ("b", 0)), lines), Query((("a", 0), ("b", 1)), lines)
    return Probe("the same documents under two queries", (("1", one), ("2", two)), None)


def leaks(subject: Subject, found: Conventions) -> bool:
    """Whether the metric's mean shows that queries share something, on :func:`shared_documents`.

    Only backends that compute each query alone and the mean from all of them can show it.
    """
    probe = shared_documents()
    answer = subject.answer(probe.qrels, probe.run)
    if isinstance(answer, BackendError) or not answer.one_by_one or answer.mean is None:
        return False
    situation = Situation(Rankings(probe.run, probe.qrels), subject.measure, found)
    ours = native_values(situation.rankings, subject.measure, found, "")
    differences = differ(ours, answer, total=situation.family.total)
    return not differences.agree and LEAK in diagnose(situation, differences, answer).diagnosis.causes
