"""Inputs that are made for a metric: what fresh ones hold, which are ordinary, and what a metric needs."""

from __future__ import annotations

import math

import pytest
from msgspec.structs import replace

from crosscheck.auditing.metric import Needs
from crosscheck.inputs.queries import Line, Probe, Query
from crosscheck.inputs.realistic import fresh_probes, oddities, ordinary

ONE = Probe("", (("1", Query((("a", 1),), (Line("a", 1, 1.0),))),), "1")


@pytest.mark.parametrize(
    ("query", "odd"),
    [
        (Query((("a", 1),), (Line("a", 1, 1.0),)), []),
        (Query((("a", 4), ("b", 0)), (Line("c", 1, -1e30),)), []),
        (Query((("a", 0),), (Line("a", 1, 1.0),)), ["nothing relevant"]),
        (Query((("a", 5),), (Line("a", 1, 1.0),)), ["levels above 4"]),
        (Query((("a", 1), ("b", -1)), (Line("a", 1, 1.0),)), ["negative levels"]),
        (Query((("a", 1),), (Line("a", 1, math.nan),)), ["scores that are not finite"]),
        (Query((("a", 1),), ()), ["no results"]),
        (Query((), (Line("a", 1, 1.0),)), ["nothing relevant"]),
        (Query((("a b", 1),), (Line("a b", 1, 1.0),)), ["ids with blanks"]),
    ],
)
def test_ordinary(query, odd):
    """Judged, something relevant, levels 0 to 4, finite scores, one document or more, ids without blanks."""
    assert [*oddities("1", query)] == odd
    assert ordinary(replace(ONE, queries=(("1", query),))) is (not odd)


def _tied_at_the_end(query: Query) -> bool:
    return len(query.lines) > 1 and query.lines[-1].score == query.lines[-2].score


@pytest.mark.parametrize("cutoff", [None, 1, 5, 100])
def test_what_fresh_inputs_hold(cutoff):
    """Every kind that real data has, with any cutoff; the same seed gives the same inputs."""
    probes = fresh_probes(3, cutoff)
    assert probes == fresh_probes.__wrapped__(3, cutoff)
    queries = [query for probe in probes for _, query in probe.queries]
    levels = {level for query in queries for _, level in query.judged}
    assert levels >= {-2, -1, 0, 1, 2, 3, 4, 5, 8, 10, 30}
    lengths = {len(query.lines) for query in queries}
    k = cutoff or 10
    assert lengths >= {1, max(k - 1, 1), k, k + 1, 16, 17, 41, 1100}
    assert {1, 12, 31, 47, 263} <= {len(probe.queries) for probe in probes}  # odd numbers as well
    assert max(sum(len(query.lines) for _, query in p.queries) for p in probes if len(p.queries) > 1) > 10_000
    assert {(3,)} < {tuple({level for _, level in query.judged}) for query in queries}
    scores = [line.score for query in queries for line in query.lines]
    assert any(-1000 > score > -1e4 for score in scores)
    assert min(scores) < -1e6 < 0 < max(scores)
    assert any(0 < abs(score) < 1e-9 for score in scores)
    assert any(score > 1e9 for score in scores)
    docnos = {line.docno for query in queries for line in query.lines}
    assert any(len(docno) > 20 for docno in docnos)
    assert any(not docno.isascii() for docno in docnos)
    assert any(docno.isdigit() for docno in docnos)
    tied = [query.docnos[-2:] for query in queries if query.lines[-1:] and _tied_at_the_end(query)]
    assert any(one != other and one[:20] == other[:20] for one, other in tied)
    for probe in probes:
        assert len(dict(probe.queries)) == len(probe.queries)
        for _, query in probe.queries:
            assert len({docno for docno, _ in query.judged}) == len(query.judged)
            assert len({line.docno for line in query.lines}) == len(query.lines)


SHORT = Query((("a", 2), ("b", 0), ("c", 1)), (Line("a", 1, 3.0), Line("b", 2, -1.0)))
SHORT_LIST = Probe("a short list", (("1", SHORT),), "1")


def test_short_lists_end_with_unjudged_documents():
    """They rank below all others, and the judgements stay."""
    ((_, query),) = Needs(documents=4).given(SHORT_LIST).queries
    assert query.lines == (*SHORT.lines, Line("more1", 3, -2.0), Line("more2", 4, -3.0))
    assert query.judged == SHORT.judged
    assert Needs(documents=2).given(SHORT_LIST) == SHORT_LIST


def test_relevant_documents_that_were_not_retrieved_are_left_out():
    """Of those that were, and of the nonrelevant ones, all judgements stay; a query keeps one judgement."""
    ((_, query),) = Needs(retrieved=True).given(SHORT_LIST).queries
    assert query == Query((("a", 2), ("b", 0)), SHORT.lines)
    missed = Probe("", (("1", Query((("c", 1),), SHORT.lines)),), "1")
    ((_, query),) = Needs(retrieved=True).given(missed).queries
    assert query.judged == (("a", 0),)
