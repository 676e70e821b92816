"""Inputs that are made for a metric: what fresh ones hold, which are ordinary, and what is left of them."""

from __future__ import annotations

import math
from typing import Any

import pytest

from crosscheck.auditing.metric import Needs
from crosscheck.axes.ids import IDS
from crosscheck.inputs.queries import Line, Probe, Query, reordered, smallest, where_ids_meet
from crosscheck.inputs.realistic import fresh_probes, oddities, ordinary
from tests.support.kept import Kept


def query(judged: Any, retrieved: Any) -> Query:
    """A query of documents with levels, or of level 1; and with scores, or of 9 and below."""
    levels = dict.fromkeys(judged.split(), 1) if isinstance(judged, str) else judged
    ranked = retrieved.split() if isinstance(retrieved, str) else retrieved
    scores = ranked if isinstance(ranked, dict) else {d: 9.0 - rank for rank, d in enumerate(ranked, 1)}
    lines = (Line(docno, rank, score) for rank, (docno, score) in enumerate(scores.items(), 1))
    return Query(tuple(levels.items()), tuple(lines))


def of(**queries: Query) -> Probe:
    return Probe("", tuple(queries.items()), None)


def told(given: Query) -> str:
    """What is odd about a query."""
    return "ordinary" if ordinary(of(q=given)) else ", ".join(oddities("q", given))


def met(rule: str, **queries: Query) -> str:
    """The queries of which a rule about ids leaves open which document or query counts."""
    return " ".join(sorted(where_ids_meet(of(**queries), IDS.parse(rule))))


def moved(rule: str, **queries: Query) -> str:
    """The queries in which a rule about ids changes the order of tied documents."""
    return " ".join(sorted(reordered(of(**queries), IDS.parse(rule))))


def written(probe: Probe) -> str:
    """Judgements and lines of each query."""
    lines = {name: [(line.docno, line.rank, line.score) for line in of.lines] for name, of in probe.queries}
    return "\n".join(f"{name}: {dict(of.judged)}, lines {lines[name]}" for name, of in probe.queries)


def both(docno: str, probe: Probe) -> bool:
    """Whether a document is relevant and retrieved in the last query."""
    left = probe.queries[-1][1]
    return dict(left.judged).get(docno, 0) > 0 and docno in left.docnos


KEPT = Kept(__file__, within=(globals(),), Needs=Needs, smallest=smallest, math=math)
test_what_is_made_of_queries_and_said_of_them = KEPT.test()


@pytest.mark.parametrize("cutoff", [None, 1, 5, 100])
def test_what_fresh_inputs_hold(cutoff):
    """Every kind that real data has, with any cutoff; the same seed gives the same inputs."""
    probes = fresh_probes(3, cutoff)
    assert probes == fresh_probes.__wrapped__(3, cutoff)
    queries = [query for probe in probes for _, query in probe.queries]
    levels = [{level for _, level in query.judged} for query in queries]
    assert set().union(*levels) >= {-2, -1, 0, 1, 2, 3, 4, 5, 8, 10, 30}
    assert {3} in levels
    k = cutoff or 10
    assert {len(query.lines) for query in queries} >= {1, max(k - 1, 1), k, k + 1, 16, 17, 41, 1100}
    assert {1, 12, 31, 47, 263} <= {len(probe.queries) for probe in probes}  # odd numbers as well
    assert max(sum(len(query.lines) for _, query in p.queries) for p in probes if len(p.queries) > 1) > 10_000
    scores = [line.score for query in queries for line in query.lines]
    assert min(scores) < -1e6 < 1e9 < max(scores)
    assert any(-1e4 < score < -1000 for score in scores)
    assert any(0 < abs(score) < 1e-9 for score in scores)
    docnos = {line.docno for query in queries for line in query.lines}
    for kind in (lambda d: len(d) > 20, lambda d: not d.isascii(), str.isdigit):
        assert any(map(kind, docnos))
    last = [query.lines[-2:] for query in queries if len(query.lines) > 1]
    tied = [(one.docno, other.docno) for one, other in last if one.score == other.score]
    assert any(one != other and one[:20] == other[:20] for one, other in tied)
    ids = [[name for name, _ in probe.queries] for probe in probes]
    ids += [[docno for docno, _ in query.judged] for query in queries] + [query.docnos for query in queries]
    assert all(len({*some}) == len(some) for some in ids)
