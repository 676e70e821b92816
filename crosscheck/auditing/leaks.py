"""Detection of queries that influence each other, by a mean that differs from the mean of values computed
query by query."""

from __future__ import annotations

from collections.abc import Iterator

from crosscheck.auditing.audited_metric import AuditedMetric
from crosscheck.backends.native import native_values
from crosscheck.compare import differ
from crosscheck.conventions import Conventions
from crosscheck.diagnosis.causes import CROSS_QUERY_LEAK
from crosscheck.diagnosis.diagnose import diagnose
from crosscheck.errors import BackendError
from crosscheck.evaluation.rankings import Rankings
from crosscheck.evaluation.recomputer import Recomputer
from crosscheck.probes.probe import Line, Probe, Query

__all__ = ["LEAK", "leak_of"]

LEAK = CROSS_QUERY_LEAK.label


def _shared_documents() -> Iterator[Probe]:
    """Two queries that rank the same two documents; each query judges another one of them as relevant.

    In the second probe a third document is relevant to both queries, so that each has a relevant document
    among the first R, for metrics that leave out queries without one.
    """
    lines = (Line("a", 1, 2.0), Line("b", 2, 1.0))
    for more in ((), (("c", 1),)):
        one, two = Query((("a", 1), ("b", 0), *more), lines), Query((("a", 0), ("b", 1), *more), lines)
        yield Probe("the same documents under two queries", (("1", one), ("2", two)), None)


def _nothing_relevant_first() -> Probe:
    """A query without relevant documents before a query with one, for metrics that divide by their number."""
    a, b = Line("a", 1, 2.0), Line("b", 2, 1.0)
    one, two = Query((("a", 0),), (a,)), Query((("a", 1), ("b", 0)), (a, b))
    return Probe("no relevant document in the first of two queries", (("1", one), ("2", two)), None)


def leak_of(subject: AuditedMetric, found: Conventions) -> Probe | None:
    """An input on which the metric's mean shows that queries influence each other; None if there is none.

    Only a backend that computes each query alone, and the mean from all queries, can show this.
    """
    probes = (*_shared_documents(), _nothing_relevant_first())
    return next((probe for probe in probes if _leaks(subject, probe, found)), None)


def _leaks(subject: AuditedMetric, probe: Probe, found: Conventions) -> bool:
    answer = subject.answer(probe.qrels, probe.run)
    if isinstance(answer, BackendError) or not answer.one_by_one or answer.mean is None:
        return False
    situation = Recomputer(Rankings(probe.run, probe.qrels), subject.measure, found)
    ours = native_values(situation.rankings, subject.measure, found, "")
    differences = differ(ours, answer, aggregate=situation.family.aggregate)
    return not differences.agree and LEAK in diagnose(situation, differences, answer).diagnosis.causes
