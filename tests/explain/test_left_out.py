"""Values that a candidate lacks, or has under other ids: what a convention gives, and what is left."""

import random
from collections.abc import Callable, Iterable

import pytest

import crosscheck
from crosscheck.errors import InputError
from crosscheck.results import Diagnosis
from tests.support.kept import Kept, shown

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
OURS, ASCENDING = CASE.values(), CASE.values("ties=docid-asc")
WITHOUT_HITS = CASE.values("missing_queries=dropped-without-hits")
#: Queries with one value under the other order of ties, which is none of ours.
ALIKE = [query for query in CASE.queries if OURS[query] != ASCENDING[query] == 1 / 3]
HITS = [query for query, value in OURS.items() if value]
#: A run in which only two queries find anything.
TWO = {query: row if query in HITS[:2] else dict.fromkeys("xy", 1.0) for query, row in CASE.run.items()}


def only(values: Values, queries: Iterable[str]) -> Values:
    return {query: values[query] for query in queries}


def found(of_two: str) -> Values:
    """The values of the run in which two queries find anything."""
    made = crosscheck.evaluate(CASE.qrels, TWO, ["P@3"], conventions=of_two)
    return {query: row["P@3"] for query, row in made.items()}


def spelt(rule: str, under: str = "trec_eval-9.0.8") -> Diagnosis:
    """The diagnosis of values under the ids that a rule makes of those in the run."""
    name, spelling = RULES[rule]
    case = Case(name)
    return case.diagnosed({spelling(query): value for query, value in case.values(under).items()})


KEPT = Kept(__file__, TypeError, ValueError, within=(globals(),), show=shown)


@KEPT.each()
@pytest.mark.filterwarnings("ignore::crosscheck.errors.InputWarning")
def test_what_is_said_of_values_that_are_not_there(given):
    """What a convention leaves out is explained by it; the rest is not, and the other queries are."""
    KEPT.holds(given)


def test_the_cases_are_what_they_are_said_to_be():
    """Queries without hits are among the lost ones, too; that is no reason for the others."""
    assert sum(value == 0 for value in OURS.values()) > 10
    assert len(WITHOUT_HITS) < 30
    assert list(found("missing_queries=dropped-without-hits")) == HITS[:2]


def test_a_run_of_other_queries_is_no_bug():
    """It is refused as everywhere, unless a rule for ids gives the values; with a warning."""
    qrels, run = {"01": {"a": 1}}, {"7": {"a": 1.0}}
    refused = pytest.raises(InputError, match="for none of the judged queries")
    with pytest.warns(UserWarning, match="topic"), refused:
        crosscheck.diagnose(qrels, run, "RR", {"7": 1.0})
