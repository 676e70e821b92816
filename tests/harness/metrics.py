"""Metrics that leave trec_eval in one convention each, as ``python:`` backends on plain dicts.

Except for the convention that a function is named after, each follows trec_eval: documents by score, tied
ones by docno descending, values for the queries that both sides have.
"""

from __future__ import annotations

from tests.programs.metrics.reference import Qrels, Rules, Run, ascending, values_of

Values = dict[str, float]


def trec_eval(qrels: Qrels, run: Run, k: int | None, measure: str) -> Values:
    """nDCG@k, P@k, AP or RR as trec_eval computes them."""
    return _values(Rules(), qrels, run, k, measure)


def _values(rules: Rules, qrels: Qrels, run: Run, k: int | None, measure: str) -> Values:
    return values_of(rules, measure.partition("@")[0], k, qrels, run)


def exponential_gain(qrels: Qrels, run: Run, k: int | None) -> Values:
    """nDCG@k with gains of 2^level - 1."""
    return _values(Rules(gain=lambda level: 2.0**level - 1), qrels, run, k, "nDCG")


def binary_gain(qrels: Qrels, run: Run, k: int | None) -> Values:
    """nDCG@k with a gain of 1 for whatever is relevant."""
    return _values(Rules(gain=lambda level: 1.0), qrels, run, k, "nDCG")


def file_order(qrels: Qrels, run: Run, k: int | None, measure: str) -> Values:
    """Tied documents keep the order of the file: a stable sort by score."""
    return _values(Rules(tie=lambda docno: 0), qrels, run, k, measure)


def ties_ascending(qrels: Qrels, run: Run, k: int | None, measure: str) -> Values:
    """Tied documents by docno, ascending."""
    return _values(Rules(tie=ascending), qrels, run, k, measure)
