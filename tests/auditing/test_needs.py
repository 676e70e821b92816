"""Inputs that have what a metric needs, and what it does where it finds nothing."""

from __future__ import annotations

import math
from collections.abc import Sequence

from crosscheck.auditing import audit
from crosscheck.auditing.metric import Needs
from crosscheck.inputs.queries import Line, Probe, Query

SHORT = Query((("a", 2), ("b", 0), ("c", 1)), (Line("a", 1, 3.0), Line("b", 2, -1.0)))
PROBE = Probe("a short list", (("1", SHORT),), "1")


def test_short_lists_end_with_unjudged_documents() -> None:
    """They rank below all others, and the judgements stay."""
    ((_, query),) = Needs(documents=4).given(PROBE).queries
    assert query.lines == (*SHORT.lines, Line("more1", 3, -2.0), Line("more2", 4, -3.0))
    assert query.judged == SHORT.judged
    assert Needs(documents=2).given(PROBE) == PROBE


def test_relevant_documents_that_were_not_retrieved_are_left_out() -> None:
    """Of those that were, and of the nonrelevant ones, all judgements stay; a query keeps one judgement."""
    ((_, query),) = Needs(retrieved=True).given(PROBE).queries
    assert query == Query((("a", 2), ("b", 0)), SHORT.lines)
    missed = Probe("", (("1", Query((("c", 1),), SHORT.lines)),), "1")
    ((_, query),) = Needs(retrieved=True).given(missed).queries
    assert query.judged == (("a", 0),)


def _mean_of_precisions(ranked_ids: Sequence[str], relevant_ids: Sequence[str], k: int = 10) -> float:
    found = [place for place, docno in enumerate(ranked_ids[:k], start=1) if docno in relevant_ids]
    precisions = [number / place for number, place in enumerate(found, start=1)]
    return round(sum(precisions) / len(precisions), 4) if precisions else math.nan


def test_a_metric_of_one_query_may_be_nan_where_it_finds_nothing() -> None:
    """The call cannot pass queries without results, but a query that found nothing."""
    found = audit(_mean_of_precisions, "AP@10")
    assert found.conventions == {
        "ap_denominator": "retrieved-relevant",
        "missing_queries": "dropped-nan-without-hits",
        "no_relevant": "nan",
        "rounding": 4,
    }
    assert found.strength == "proved"
    (finding,) = (f for f in found.fingerprint if f.axis == "missing_queries")
    assert finding.status == "decided"
