"""Metrics with the signatures that people write, each with the call that an audit must find."""

from __future__ import annotations

from crosscheck.auditing.finding import FoundCall, find_call
from crosscheck.auditing.metric import AuditedMetric
from crosscheck.auditing.targets import target_of
from crosscheck.backends.guarded import Guarded
from crosscheck.conventions import conventions
from crosscheck.evaluation.parameters import with_measure_parameters
from crosscheck.names import parse_measure
from tests.auditing.everyday import ids, levels, queries, records  # noqa: F401 (they fill the list)
from tests.auditing.everyday.registry import EVERYDAY, Everyday

__all__ = ["EVERYDAY", "call_of"]


def call_of(one: Everyday) -> FoundCall:
    """The call that is found without the audit, asked in this process."""
    measure = parse_measure(one.measure)
    subject = AuditedMetric(Guarded(target_of(one.target, None)), measure, lambda message: None)
    return find_call(subject, with_measure_parameters(conventions("trec_eval-9.0.8"), measure))
