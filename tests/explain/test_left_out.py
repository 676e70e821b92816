"""Values that a candidate lacks, or has under other ids: what a convention gives, and what is left."""

import random
from collections.abc import Callable

import pytest

import crosscheck
from crosscheck.errors import InputError
from crosscheck.results import Diagnosis

Values = dict[str, float]
Name = Callable[[int], str]
#: Rule -> the id of a query in the run, and its spelling by the candidate.
RULES: dict[str, tuple[Name, Callable[[str], str]]] = {
    "int": (lambda n: f"0{n}", lambda query: str(int(query))),
    "case": (lambda n: f"Q{n}", str.lower),
    "strip": (lambda n: f" q{n} ", str.strip),
    "query-suffix": (lambda n: f"2010-{n}", lambda query: query.partition("-")[2]),
}


class Case:
    """Forty queries with tied documents, a fifth of which are relevant."""

    def __init__(self, name: Name = str) -> None:
        rng = random.Random(8)
        self.queries = [name(n) for n in range(1, 41)]
        self.qrels = {query: {f"d{i}": int(rng.random() < 0.2) for i in range(12)} for query in self.queries}
        self.run = {query: {f"d{i}": float(rng.randint(1, 3)) for i in range(15)} for query in self.queries}

    def values(self, under: str = "trec_eval-9.0.8") -> Values:
        made = crosscheck.evaluate(self.qrels, self.run, ["P@3"], conventions=under)
        return {query: made[query]["P@3"] for query in self.queries if query in made}

    def diagnosed(self, theirs: Values) -> Diagnosis:
        found = crosscheck.diagnose(self.qrels, self.run, "P@3", theirs)
        assert found is not None
        return found


CASE = Case()


def test_an_output_that_ends_early_is_no_convention():
    """Queries without hits are among the lost ones, too; that is no reason for the others."""
    ours = CASE.values()
    assert sum(value == 0 for value in ours.values()) > 10
    found = CASE.diagnosed({query: ours[query] for query in CASE.queries[:6]})
    assert (found.strength, found.causes, found.reproduced, found.of) == ("none", ["unexplained"], 6, 40)
    assert found.explanation == (
        "no value for 34 queries of 40, which no convention explains; the others agree: is the "
        "output complete?"
    )


def test_what_else_differs_is_explained_on_the_other_queries():
    theirs = CASE.values("ties=docid-asc")
    found = CASE.diagnosed({query: theirs[query] for query in CASE.queries[:20]})
    assert (found.strength, found.causes) == ("per-query", ["unexplained", "tie-breaking"])
    assert found.explanation.startswith("no value for 20 queries of 40, which no convention explains")
    assert (found.conventions, found.reproduced, found.of) == ({"ties": "docid-asc"}, 20, 40)


def test_queries_that_a_convention_drops_are_not_left_out():
    """Also where one query more has no value: most are the convention's."""
    theirs = CASE.values("missing_queries=dropped-without-hits")
    assert len(theirs) < 30
    found = CASE.diagnosed(theirs)
    assert (found.strength, found.causes) == ("proved", ["missing-queries"])
    lost = next(query for query, value in theirs.items() if value)
    found = CASE.diagnosed({query: value for query, value in theirs.items() if query != lost})
    assert (found.strength, found.causes) == ("per-query", ["missing-queries", "unexplained"])
    assert found.reproduced == found.of - 1 == 39


@pytest.mark.parametrize("number", [1, 2, 3])
def test_a_few_values_are_explained_as_far_as_they_go(number):
    """They are not "the same for every query", and many conventions that drop queries would keep so few. Of
    three that are the same it is said."""
    ours, theirs = CASE.values(), CASE.values("ties=docid-asc")
    alike = [query for query in CASE.queries if ours[query] != theirs[query] == 1 / 3][:number]
    found = CASE.diagnosed({query: theirs[query] for query in alike})
    if number == 3:
        assert "the candidate has 0.333333 for every query" in found.explanation
    else:
        lost = f"no value for {40 - number} queries of 40, which no convention explains"
        assert found.explanation.startswith(lost)
        assert (found.causes, found.reproduced) == (["unexplained", "tie-breaking"], number)


def test_few_queries_may_keep_a_value_where_a_convention_drops_all_others():
    """Exactly these: it explains every value that is missing."""
    hits = [query for query, value in CASE.values().items() if value][:2]
    run = {q: row if q in hits else dict.fromkeys("xy", 1.0) for q, row in CASE.run.items()}
    theirs = crosscheck.evaluate(CASE.qrels, run, ["P@3"], conventions="missing_queries=dropped-without-hits")
    assert list(theirs) == hits
    found = crosscheck.diagnose(CASE.qrels, run, "P@3", {query: row["P@3"] for query, row in theirs.items()})
    assert found is not None
    assert (found.causes, found.reproduced) == (["missing-queries"], 40)


@pytest.mark.parametrize("rule", RULES)
def test_values_under_other_ids_are_explained_by_the_rule_that_makes_them_meet(rule):
    """What differs besides is explained as well."""
    name, spelt = RULES[rule]
    case = Case(name)
    for under, labels, changes in (
        ("trec_eval-9.0.8", [], {}),
        ("ties=docid-asc", ["tie-breaking"], {"ties": "docid-asc"}),
    ):
        theirs = {spelt(query): value for query, value in case.values(under).items()}
        found = case.diagnosed(theirs)
        assert (found.strength, found.causes) == ("proved", ["id-normalisation", *labels])
        assert found.conventions == {"ids": rule, **changes}


def test_ids_that_no_rule_makes_meet_are_refused():
    """Also where a rule joins two queries: 01 and 001 are both in the run, and whose value 1 has, nobody can
    say."""
    theirs = {f"other {query}": value for query, value in CASE.values().items()}
    with pytest.raises(InputError, match="values has a query that is neither in qrels nor in run"):
        crosscheck.diagnose(CASE.qrels, CASE.run, "P@3", theirs)
    qrels = {"01": {"a": 1}, "001": {"a": 1}}
    run = {query: {"b": 2.0, "a": 1.0} for query in qrels}
    with pytest.raises(InputError, match="values has a query"):
        crosscheck.diagnose(qrels, run, "AP", {"1": 0.5})


def test_a_run_of_other_queries_is_no_bug():
    """It is refused as everywhere, unless a rule for ids gives the values."""
    qrels, run = {"01": {"a": 1}}, {"7": {"a": 1.0}}
    refused = pytest.raises(InputError, match="for none of the judged queries")
    with pytest.warns(UserWarning, match="topic"), refused:
        crosscheck.diagnose(qrels, run, "RR", {"7": 1.0})
    with pytest.warns(UserWarning, match="topic"):
        explained = crosscheck.diagnose(qrels, {"1": run["7"]}, "RR", {"1": 1.0})
    assert explained is not None
    assert explained.causes == ["id-normalisation"]
