"""Values reported under other ids than those of the run: the rule by which they meet, and what is left."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping

import pytest

import crosscheck
from crosscheck.errors import InputError

RULES: dict[str, tuple[Callable[[int], str], Callable[[str], str]]] = {
    "int": (lambda n: f"0{n}", lambda query: str(int(query))),
    "case": (lambda n: f"Q{n}", str.lower),
    "strip": (lambda n: f" q{n} ", str.strip),
    "query-suffix": (lambda n: f"2010-{n}", lambda query: query.partition("-")[2]),
}


def inputs(name: Callable[[int], str]) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]]:
    rng = random.Random(5)
    qrels = {name(n): {f"d{i}": int(rng.random() < 0.3) for i in range(12)} for n in range(1, 9)}
    return qrels, {query: {f"d{i}": rng.choice((1.0, 2.0, 3.0)) for i in range(15)} for query in qrels}


def values(
    qrels: Mapping[str, Mapping[str, int]], run: Mapping[str, Mapping[str, float]], under: str
) -> dict[str, float]:
    made = crosscheck.evaluate(qrels, run, ["AP"], conventions=under)
    return {query: made[query]["AP"] for query in qrels}


@pytest.mark.parametrize("rule", RULES)
def test_values_that_are_equal_but_for_their_ids_are_so_explained(rule: str) -> None:
    name, spelt = RULES[rule]
    qrels, run = inputs(name)
    theirs = {spelt(query): value for query, value in values(qrels, run, "trec_eval-9.0.8").items()}
    found = crosscheck.diagnose(qrels, run, "AP", theirs)
    assert found is not None
    assert (found.strength, found.causes, found.conventions) == (
        "proved",
        ["id-normalisation"],
        {"ids": rule},
    )


@pytest.mark.parametrize("rule", RULES)
def test_what_differs_besides_is_explained_as_well(rule: str) -> None:
    name, spelt = RULES[rule]
    qrels, run = inputs(name)
    theirs = {spelt(query): value for query, value in values(qrels, run, "ties=docid-asc").items()}
    found = crosscheck.diagnose(qrels, run, "AP", theirs)
    assert found is not None
    assert found.causes == ["id-normalisation", "tie-breaking"]
    assert found.conventions == {"ids": rule, "ties": "docid-asc"}


def test_ids_that_no_rule_makes_meet_are_refused() -> None:
    qrels, run = inputs(str)
    theirs = {f"other {query}": value for query, value in values(qrels, run, "trec_eval-9.0.8").items()}
    with pytest.raises(InputError, match="a value for a query that neither qrels nor run have"):
        crosscheck.diagnose(qrels, run, "AP", theirs)


def test_a_rule_that_joins_two_queries_explains_nothing() -> None:
    """01 and 1 are both in the run: whose value 1 has, nobody can say."""
    qrels = {"01": {"a": 1}, "001": {"a": 1}}
    run = {query: {"b": 2.0, "a": 1.0} for query in qrels}
    with pytest.raises(InputError, match="a value for a query"):
        crosscheck.diagnose(qrels, run, "AP", {"1": 0.5})
