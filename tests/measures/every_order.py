"""Small runs with tied documents, and every order of each of them, written as a run without ties."""

import random
from dataclasses import dataclass
from functools import cache
from itertools import combinations, pairwise, permutations
from pathlib import Path
from typing import Any

import numpy as np

from crosscheck.axes import axes
from crosscheck.axes.base import Axis, Stage
from crosscheck.axes.judging import UNIVERSE, Universe
from crosscheck.conventions import Conventions
from crosscheck.evaluation.rankings import Rankings
from crosscheck.evaluation.summarise import evaluate
from crosscheck.formats.dicts import qrels_from_dict
from crosscheck.inputs.queries import Line, Query, to_run
from crosscheck.measures import Family
from crosscheck.model import FloatArray, Measure, Qrels
from crosscheck.names import parse_measure

__all__ = ["Orders", "measures_of", "orders", "orders_of_lines", "settings_of"]

_DOCS = "abcdef"
_LEVELS = (None, None, -1, 0, 0, 1, 1, 2, 3)
#: Tied together: how many documents stand above one another in groups.
_SHAPES = ("6", "15", "51", "24", "42", "33", "222", "141", "2", "3", "5", "12", "31")
#: Pairs of settings that are tried of each family, at random, and those that a formula treats in its own way.
_PAIRS = 12
_TOGETHER = ({"precision_denominator": "judged", "relevance_level": -1},)
#: These say how documents are tied, or nothing of runs like these.
_NOT_HERE = ("ties", "order", "ids")
_SUBTOPICS = dict(zip("abcdefxyz", ("1", "12", "2", "23", "3", "13", "12", "3", "2"), strict=True))
_LINES = Path(__file__).with_suffix(".txt").read_text("utf-8").splitlines()
_WITH_PARAMETERS = [parse_measure(line) for line in _LINES if not line.startswith("#")]

#: Documents in the order of the lines, their scores, and the judgements.
_Tied = tuple[list[str], list[float], dict[str, int]]


@dataclass(frozen=True)
class Orders:
    """Tied runs, one per query, and all orders of each.

    Attributes:
        tied: the runs, one query each.
        written: a query for each order of each of them; of: the number of its run.
        untied: one order of each of them.
    """

    tied: Rankings
    written: Rankings
    of: np.ndarray[Any, np.dtype[np.int64]]
    untied: Rankings

    def by_order(self, measure: Measure, conventions: Conventions) -> list[FloatArray]:
        """The values that the orders of each run give; NaN where a query has none."""
        values = evaluate(self.written, measure, conventions).values
        return np.split(values, np.flatnonzero(np.diff(self.of)) + 1)


@cache
def orders(seed: int, *, subtopics: bool) -> Orders:
    """One run of each shape, with random judgements; some judged documents are not retrieved."""
    rng, runs = random.Random(seed), list[_Tied]()
    for shape in _SHAPES:
        scores = _scores(shape)
        docs = rng.sample(_DOCS, len(scores))
        drawn = {doc: rng.choice(_LEVELS) for doc in (*_DOCS, "x", "y", "z")}
        levels = {doc: level for doc, level in drawn.items() if level is not None} or {"a": 1}
        runs.append((docs, scores, levels))
    return _orders(runs, subtopics)


@cache
def orders_of_lines(seed: int, *, subtopics: bool) -> Orders:
    """The same for runs with documents on several lines, and with docnos that differ in letter case only."""
    rng, runs = random.Random(seed), list[_Tied]()
    for shape in ("5", "23", "41", "122", "4"):
        scores = _scores(shape)
        docs = ["a", *rng.choices("aA", k=1), *rng.choices("abcdABC", k=len(scores) - 2)]
        rng.shuffle(docs)
        levels = {doc: rng.choice((-1, 0, 1, 1, 2)) for doc in "abcx" if rng.random() < 0.8} | {"a": 1}
        runs.append((docs, scores, levels))
    return _orders(runs, subtopics)


def _scores(shape: str) -> list[float]:
    return [float(9 - group) for group, size in enumerate(shape) for _ in range(int(size))]


def _orders(runs: list[_Tied], subtopics: bool) -> Orders:
    """Lines keep their place in the file, so that the first line of a document is the same one in every
    order. All judgements are written anew for each order."""
    tied, written, first = dict[str, Query](), dict[str, Query](), dict[str, Query]()
    levels, copies, of = dict[str, dict[str, int]](), dict[str, dict[str, int]](), list[int]()
    for number, (docs, scores, judged) in enumerate(runs):
        query = f"q{number:02d}"
        tied[query], levels[query] = _lines(docs, scores), judged
        for order in permutations(range(len(docs))):
            if all(scores[one] >= scores[other] for one, other in pairwise(order)):
                name = f"{query}-{len(of):05d}"
                place = {line: rank for rank, line in enumerate(order)}
                first[query] = written[name] = _lines(docs, [float(9 - place[i]) for i in range(len(docs))])
                copies[name] = judged
                of.append(number)
    qrels, copied = _qrels(levels, subtopics), _qrels(copies, subtopics)
    return Orders(
        tied=Rankings(to_run(tied), qrels),
        written=Rankings(to_run(written), copied),
        of=np.array(of, np.int64),
        untied=Rankings(to_run(first), qrels),
    )


def _lines(docs: list[str], scores: list[float]) -> Query:
    return Query(
        (), tuple(Line(d, i + 1, score) for i, (d, score) in enumerate(zip(docs, scores, strict=True)))
    )


def _qrels(levels: dict[str, dict[str, int]], subtopics: bool) -> Qrels:
    if not subtopics:
        return qrels_from_dict(levels)
    # Each document is judged for one or two of three subtopics, by its docno.
    nested = {
        query: {name: {doc: level for doc, level in of.items() if name in _SUBTOPICS[doc]} for name in "123"}
        for query, of in levels.items()
    }
    return qrels_from_dict(nested, needs="subtopics")


def measures_of(about: Family) -> list[Measure]:
    """With and without a cutoff where that can be, and with the parameters that change the formula."""
    given = {p.name: p.default for p in about.params if p.required}
    cutoffs: dict[str, list[int | None]] = {"none": [None], "optional": [None, 3], "required": [1, 3]}
    params = tuple(sorted(given.items()))
    plain = [Measure(about.name, cutoff=k, params=params) for k in cutoffs[about.cutoff]]
    return [*plain, *(measure for measure in _WITH_PARAMETERS if measure.family == about.name)]


def settings_of(about: Family) -> list[dict[str, Any]]:
    """Every value of every axis that the family reads, and pairs of values of axes that change judged
    rankings or the formula."""
    read = [axis for axis in axes().values() if axis.read_by(about) and axis.name not in _NOT_HERE]
    single = [{axis.name: value} for axis in read for value in _values(axis)]
    changing = [a for a in read if Stage.JUDGE <= a.stage <= Stage.FORMULA or a is UNIVERSE]
    pairs = [
        {one.name: first, other.name: second}
        for one, other in combinations(changing, 2)
        for first in _values(one)
        for second in _values(other)
    ]
    rng = random.Random(about.name)
    together = [pair for pair in _TOGETHER if pair in pairs]
    return [{}, *single, *together, *rng.sample(pairs, min(_PAIRS, len(pairs)))]


def _values(axis: Axis[Any]) -> list[Any]:
    # Documents that are appended are tied with each other, in every order of the others.
    values = [value for value in axis.values if value not in (axis.default, None, Universe.APPENDED)]
    if axis.numbers is not None:
        least = axis.numbers.least
        values += [number for number in (-2, -1, 0, 1, 2, 3, 4) if least is None or number >= least]
    return values
