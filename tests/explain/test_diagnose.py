"""Diagnosis: the label that is given is the convention that was changed, or it is not given."""

import math
import random
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

import crosscheck
from crosscheck.axes import axes, ties
from crosscheck.backends.native import native_values
from crosscheck.compare import differ
from crosscheck.conventions import AxisValue, Conventions, plain
from crosscheck.errors import InputError
from crosscheck.evaluation.rankings import Rankings
from crosscheck.evaluation.recomputer import Recomputer
from crosscheck.explain.diagnose import Diagnosed, diagnose
from crosscheck.explain.search import identify
from crosscheck.formats.dicts import qrels_from_dict, run_from_dict
from crosscheck.measures import family
from crosscheck.measures.tied import refusal
from crosscheck.model import Measure, MeasureValues, Run
from crosscheck.names import parse_measure
from crosscheck.results import Diagnosis, Recognised
from tests.support.kept import Kept, shown
from tests.support.oracle import changes_of
from tests.support.strategies import qrels_and_run
from tests.support.strength import earned

BASE = Conventions()
MEASURES = [
    *("P@5", "P@3", "R@3", "AP", "AP@3", "RR", "RR@3", "nDCG", "nDCG@3", "Rprec", "bpref", "Success@3"),
    *("IPrec@0.6", "gm_map", "ERR@3"),
]
#: Numbers of axes of numbers.
NUMBERS: dict[str, tuple[int, ...]] = {"relevance_level": (2,), "rounding": (4,), "depth": (2,)}
#: Their values cannot be told on such inputs: no document occurs twice, values are below 1, noise is noise,
#: and of fewer than three queries no other average is tried.
_OTHERWISE = ("duplicates", "unit", "result_precision", "averaging")
#: Label, axis and value of every change that can be told from the data.
CHANGES: list[tuple[str, str, AxisValue]] = [
    (one.label, one.name, plain(value))
    for one in axes().values()
    for value in (*one.values, *NUMBERS.get(one.name, ()))
    if value != one.default and one.name not in _OTHERWISE
]


def with_ranks(run: Run) -> Run:
    """The run with a rank column that contradicts scores and line order."""
    return replace(run, ranks=(np.arange(len(run.scores)) * 7 + 3) % 11)


def told(
    rankings: Rankings, measure: Measure, values: MeasureValues, base: Conventions = BASE, *,
    tolerance: float = 1e-9,
) -> Diagnosed | None:  # fmt: skip
    """The diagnosis of a candidate's values against native ones; None where they agree."""
    ours = native_values(rankings, measure, base, "reference")
    differences = differ(ours, values, tolerance=tolerance, aggregate=family(measure.family).aggregate)
    if differences.agree:
        return None
    return diagnose(Recomputer(rankings, measure, base), differences, values)


def explanations(diagnosed: Diagnosed) -> list[dict[str, AxisValue]]:
    found = diagnosed.diagnosis
    return [found.conventions, *(one.conventions for one in found.alternatives)]


def telling(axis_name: str) -> list[str]:
    """The measures that read an axis."""
    return [name for name in MEASURES if axes()[axis_name].read_by(family(parse_measure(name).family))]


@pytest.mark.one_in(5)
@pytest.mark.parametrize(("label", "axis", "value"), CHANGES)
@settings(max_examples=8)
@given(given=qrels_and_run(), data=st.data())
def test_a_changed_convention_is_found_or_is_indistinguishable(label, axis, value, given, data):
    """Values under one changed axis are explained, proved where three queries differ, and the true change is
    the cause or a listed alternative."""
    measure = parse_measure(data.draw(st.sampled_from(telling(axis))))
    rankings = Rankings(with_ranks(run_from_dict(given[1])), qrels_from_dict(given[0]))
    situation = Recomputer(rankings, measure, BASE)
    if axis == "relevance_level" and situation.judgements()[1].max(initial=0) < 2:
        return  # Nothing is relevant then, and a candidate full of zeros proves no level.
    changed = BASE.with_changes(**{axis: value})
    if refusal(measure, changed) or value not in map(plain, axes()[axis].other_options(situation)):
        return  # No tool can have these values, or here it is another name of a value.
    diagnosed = told(rankings, measure, native_values(rankings, measure, changed, "tool"))
    if diagnosed is None:
        return
    diagnosis = diagnosed.diagnosis
    assert diagnosis.strength == earned(diagnosed.diagnosis, len(diagnosed.labels))
    assert diagnosis.reproduced == diagnosis.of
    assert diagnosis.fits == len(explanations(diagnosed)) <= diagnosis.tried
    assert {axis: value} in explanations(diagnosed)
    assert len(diagnosis.causes) == 1
    assert all(labels == diagnosis.causes for labels in diagnosed.labels.values())


def deep(topics: int = 50, *, ties: bool = False, seed: int = 3, ragged: bool = False) -> Rankings:
    """Fifty queries of twenty documents, or of one to fourteen, graded 0 to 3, some unjudged and some not
    retrieved."""
    rng = random.Random(seed)
    docnos = [f"d{i:02}" for i in range(40)]
    qrels = {
        f"{t:02}": {d: rng.choice([0, 0, 1, 2, 3]) for d in rng.sample(docnos, 25)} for t in range(topics)
    }
    run = {
        topic: {
            d: float(rng.randrange(4)) if ties else 30.0 - i
            for i, d in enumerate(rng.sample(docnos, 1 + int(topic) % 14 if ragged else 20))
        }
        for topic in qrels
    }
    return Rankings(run_from_dict(run), qrels_from_dict(qrels))


def condensed() -> Rankings:
    """Ten queries with an unjudged document before the relevant one, and ten with one of a negative level."""
    numbers = [f"{t:02}" for t in range(20)]
    qrels = {t: {"a": -1, "b": 1} if t >= "10" else {"b": 1} for t in numbers}
    return Rankings(run_from_dict({t: {"a": 2.0, "b": 1.0} for t in numbers}), qrels_from_dict(qrels))


def alike() -> Rankings:
    """Thirty queries with fifteen relevant documents each: one at rank 11, and up to nine before it."""
    qrels = {f"{t:02}": {f"d{i}": 1 for i in range(15)} for t in range(30)}
    run = {
        t: {f"d{i}" if i < int(t) % 10 or i == 10 else f"x{i}": 30.0 - i for i in range(12)} for t in qrels
    }
    return Rankings(run_from_dict(run), qrels_from_dict(qrels))


def level() -> Rankings:
    """Twelve queries of eight documents with one score, of which some are relevant."""
    rng, docnos = random.Random(3), [f"d{i}" for i in range(8)]
    numbers = [f"{t:02}" for t in range(12)]
    qrels = {t: {d: int(rng.random() < 0.4) for d in docnos} | {rng.choice(docnos): 1} for t in numbers}
    run = {t: dict.fromkeys(rng.sample(docnos, 8), 1.0) for t in numbers}
    return Rankings(run_from_dict(run), qrels_from_dict(qrels))


Change = Callable[[MeasureValues], MeasureValues]


def also(values: dict[str, float], **more: Any) -> Change:
    """Other values of some queries, and no mean unless one is given."""
    new = {topic.encode(): value for topic, value in values.items()}
    return lambda of: replace(of, values={**of.values, **new}, **{"mean": None, **more})


def each(change: Callable[[float], float], **more: Any) -> Change:
    """Every value changed, without a mean."""
    return lambda of: replace(
        of, values={topic: change(v) for topic, v in of.values.items()}, **{"mean": None, **more}
    )


def mean_of_hits(of: MeasureValues) -> float:
    hits = [value for value in of.values.values() if value]
    return sum(hits) / len(hits)


def turned(of: MeasureValues) -> MeasureValues:
    """Each value at the query seven places before."""
    numbers = list(of.values.values())
    return replace(of, values=dict(zip(of.values, numbers[7:] + numbers[:7], strict=True)), mean=None)


def partly(rankings: Rankings, name: str, number: int) -> Change:
    """The reference's values of so many queries, and the planted ones of the others."""
    ours = native_values(rankings, parse_measure(name), BASE, "tool").values
    return also({topic.decode(): ours[topic] for topic in sorted(ours)[:number]})


def these(values: dict[str, float], mean: float | None = None, **more: Any) -> Change:
    """These values alone."""
    return lambda of: MeasureValues({topic.encode(): v for topic, v in values.items()}, mean, "tool", **more)


def one(judged: dict[str, int], scores: dict[str, float]) -> Rankings:
    """A single query."""
    return Rankings(run_from_dict({"1": scores}), qrels_from_dict({"1": judged}))


def per_query(rankings: Rankings, *, between: bool) -> Change:
    """Each query in turn under another rule for ties; ``between``, a hundredth of the way to the worst order:
    no order gives it."""
    rules = ["input", "docid-asc", "reverse-input", "docid-desc"]
    by_rule, worst = (
        [
            native_values(rankings, parse_measure("nDCG@10"), BASE.with_changes(ties=rule), "tool")
            for rule in of
        ]
        for of in (rules, ["worst"])
    )
    mixed = {topic: by_rule[i % 4].values[topic] for i, topic in enumerate(by_rule[0].values)}
    share = 0.01 if between else 0.0
    values = {topic: (1 - share) * v + share * worst[0].values[topic] for topic, v in mixed.items()}
    return lambda of: MeasureValues(values, None, "tool")


def said(
    rankings: Rankings, name: str, planted: str = "", change: Change | None = None, *,
    base: str = "", tolerance: float = 1e-9,
) -> str:  # fmt: skip
    """The diagnosis of a tool's values: the measure's under planted conventions, changed; with the number of
    queries of each label."""
    measure, under = parse_measure(name), BASE.with_changes(**changes_of(base))
    values = native_values(rankings, measure, under.with_changes(**changes_of(planted)), "tool")
    theirs = change(values) if change else values
    found = told(rankings, measure, theirs, under, tolerance=tolerance)
    if found is None:
        return "no difference"
    labels: dict[str, list[str]] = {}
    for topic, of in found.labels.items():
        labels.setdefault(" and ".join(of), []).append(topic.decode())
    counted = (f"{len(of)} ({', '.join(of)})" if len(of) < 3 else str(len(of)) for of in labels.values())
    queries = ", ".join(f"{label} in {number}" for label, number in zip(labels, counted, strict=True))
    return f"{shown(found.diagnosis)}\nlabels: {queries}"


def identified(planted: str, change: Change | None = None) -> list[str]:
    """The conventions that give the values of a reference with planted ones."""
    rankings, measure = deep(), parse_measure("nDCG@10")
    values = native_values(rankings, measure, BASE.with_changes(**changes_of(planted)), "tool")
    found = identify([(Recomputer(rankings, measure, BASE), change(values) if change else values)])
    return [str(of and of.changes_from(BASE)) for of in found]


#: Two queries with subtopics, in the second of which nothing is relevant.
BARREN = ["1", "1", "2", "2"], ["s", "t", "s", "t"], ["a", "b", "a", "b"], [1, 1, 0, 0]
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

    def diagnosed(self, theirs: Values) -> Diagnosis | None:
        return crosscheck.diagnose(self.qrels, self.run, "P@3", theirs)


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


def spelt(rule: str, under: str = "trec_eval-9.0.8") -> Diagnosis | None:
    """The diagnosis of values under the ids that a rule makes of those in the run."""
    name, spelling = RULES[rule]
    case = Case(name)
    return case.diagnosed({spelling(query): value for query, value in case.values(under).items()})


AP = {topic.decode(): v for topic, v in native_values(deep(), parse_measure("AP"), BASE, "").values.items()}
KEPT = Kept(__file__, within=(globals(), vars(ties)), crosscheck=crosscheck, math=math, show=shown)
test_what_is_said_of_a_difference = pytest.mark.filterwarnings("ignore::crosscheck.errors.InputWarning")(
    KEPT.test(one_in=2)
)


def test_no_set_is_proved_beside_a_formula_with_fewer_changes(monkeypatch):
    """Without it, the gain is."""
    rankings, measure = deep(), parse_measure("nDCG@10")
    values = native_values(rankings, measure, BASE.with_changes(gain="exponential"), "tool")
    of_formula = Recognised(
        formula="F", measure=None, conventions={}, strength="proved", doubt="", rivals=[], values=50
    )
    for known, strength in ((None, "proved"), ((of_formula, BASE), "consistent")):
        monkeypatch.setattr("crosscheck.explain.diagnose.recognised", lambda *_, known=known: known)
        found = told(rankings, measure, values)
        assert found is not None
        assert (found.diagnosis.strength, found.diagnosis.causes) == (strength, ["gain"])
        assert ("F would do as well" in found.diagnosis.explanation) == (known is not None)


def test_a_run_of_other_queries_is_no_bug():
    """It is refused as everywhere, unless a rule for ids gives the values; with a warning."""
    refused = pytest.raises(InputError, match="for none of the judged queries")
    with pytest.warns(UserWarning, match="topic"), refused:
        crosscheck.diagnose({"01": {"a": 1}}, {"7": {"a": 1.0}}, "RR", {"7": 1.0})


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", ["AP", "nDCG@10"])
def test_no_invented_mean_is_proved(name):
    """Of 24 means to three decimals some fit sets of conventions: these are consistent, with how many of how
    many, and the rest is unexplained."""
    rng, rankings, strengths = random.Random(name), deep(), set()
    for _ in range(24):
        mean = MeasureValues({}, round(rng.uniform(0.2, 0.7), 3), "tool", 3)
        if (diagnosed := told(rankings, parse_measure(name), mean)) is None:
            continue
        found = diagnosed.diagnosis
        strengths.add(found.strength)
        if found.strength == "consistent":
            assert (found.reproduced, found.of, found.fits) == (0, 0, 1 + len(found.alternatives))
            give = "gives" if found.fits == 1 else "give"
            sets = f"{found.fits:,} of {found.tried:,} sets of conventions {give} this mean"
            assert found.explanation.endswith(f"{sets}, or it is another run.")
        else:
            assert (found.strength, found.causes) == ("none", ["unexplained"])
    assert "consistent" in strengths
