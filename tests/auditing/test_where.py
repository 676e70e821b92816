"""In which queries, or inputs, values are wrong, told by conditions on them."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from crosscheck.auditing.metric import Asked, native_answer
from crosscheck.auditing.where import Places
from crosscheck.conventions import Conventions
from crosscheck.inputs.queries import Query
from crosscheck.inputs.realistic import fresh_probes
from crosscheck.names import parse_measure


@pytest.fixture(scope="module")
def answers() -> list[Asked]:
    measure, base = parse_measure("P@5"), Conventions()
    return [Asked(p, native_answer(p.qrels, p.run, measure, base), measure) for p in fresh_probes(0, 5)]


def test_a_mean_has_no_place_among_queries(answers):
    """Means that are wrong over several queries are said to be wrong over two or more, and no more is said if
    a few of them happen to be right."""
    several = [one.probe for one in answers if len(one.probe.queries) > 1]
    for wrong in (several, [probe for number, probe in enumerate(several) if number % 20]):
        found = Places(5, ()).where(answers, wrong, Conventions())
        assert found is not None
        assert (found.of_what, found.conditions) == ("inputs", ["2 or more queries in the input"])


def _hits(query: Query) -> list[int]:
    """The ranks of the relevant documents of a query whose lines are in order of score."""
    relevant = {docno for docno, level in query.judged if level > 0}
    return [rank for rank, docno in enumerate(query.docnos, 1) if docno in relevant]


@pytest.mark.parametrize(
    ("wrong", "passed", "conditions"),
    [
        (lambda query: any(line.score < 0 for line in query.lines), {"scores"}, ["negative scores"]),
        (lambda query: any(line.score < 0 for line in query.lines), {"docnos"}, None),
        (lambda query: len(query.lines) < 9 and _hits(query), (),
         ["at most 8 retrieved documents", "relevant documents retrieved"]),
        (lambda query: len(_hits(query)) == 1, (), ["exactly 1 relevant document retrieved"]),
        (lambda query: _hits(query)[-1:] == [1], (), ["a last relevant document at rank 1"]),
        (lambda query: max(dict(query.judged).values(), default=0) > 9 and _hits(query)[:1] != [3], (),
         ["a highest level of 10 or more"]),
    ],
)  # fmt: skip
def test_where_queries_are_wrong(answers, wrong, passed, conditions):
    """Two conditions are named if they alone leave no exception, and the first leaves several; parts that no
    call passes are not named."""
    probes = [replace(one.probe, reads=q) for one in answers for q, of in one.probe.queries if wrong(of)]
    found = Places(5, passed).where(answers, probes, Conventions())
    assert (found and found.conditions) == conditions
