"""Values that a candidate does not have, for reasons of a convention and for none."""

from __future__ import annotations

import random

import crosscheck
from crosscheck.results import Diagnosis

Values = dict[str, float]

RNG = random.Random(8)
QUERIES = [f"q{n}" for n in range(40)]
QRELS = {query: {f"d{i}": int(RNG.random() < 0.2) for i in range(12)} for query in QUERIES}
RUN = {query: {f"d{i}": float(RNG.randint(1, 3)) for i in range(15)} for query in QUERIES}


def values(under: str) -> Values:
    made = crosscheck.evaluate(QRELS, RUN, ["P@3"], conventions=under)
    return {query: made[query]["P@3"] for query in QUERIES if query in made}


def diagnosed(theirs: Values) -> Diagnosis:
    found = crosscheck.diagnose(QRELS, RUN, "P@3", theirs)
    assert found is not None
    return found


def test_an_output_that_ends_early_is_no_convention() -> None:
    """Queries without hits are among the lost ones, too; that is no reason for the others."""
    theirs = {query: value for query, value in values("trec_eval-9.0.8").items() if query in QUERIES[:6]}
    assert sum(value == 0 for value in values("trec_eval-9.0.8").values()) > 10
    found = diagnosed(theirs)
    assert (found.strength, found.causes, found.reproduced, found.of) == ("none", ["unexplained"], 6, 40)
    assert found.explanation == (
        "no value for 34 queries of 40, and no convention is a reason for that; the others agree: is the "
        "output complete?"
    )


def test_what_else_differs_is_explained_on_the_other_queries() -> None:
    theirs = {query: value for query, value in values("ties=docid-asc").items() if query not in QUERIES[20:]}
    found = diagnosed(theirs)
    assert (found.strength, found.causes) == ("per-query", ["tie-breaking", "unexplained"])
    assert (found.conventions, found.reproduced, found.of) == ({"ties": "docid-asc"}, 20, 40)


def test_queries_that_a_convention_drops_are_not_left_out() -> None:
    """Also where one query more has no value: most are the convention's."""
    theirs = values("missing_queries=dropped-without-hits")
    assert len(theirs) < 30
    found = diagnosed(theirs)
    assert (found.strength, found.causes) == ("proved", ["missing-queries"])
    lost = next(query for query, value in theirs.items() if value)
    found = diagnosed({query: value for query, value in theirs.items() if query != lost})
    assert (found.strength, found.causes) == ("per-query", ["missing-queries", "unexplained"])
    assert found.reproduced == found.of - 1 == 39
