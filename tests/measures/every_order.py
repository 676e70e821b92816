"""Small runs with tied documents, and every order of each of them, written as a run without ties."""

from __future__ import annotations

import random
from dataclasses import dataclass
from itertools import combinations, pairwise, permutations
from typing import Any

import numpy as np

from crosscheck.axes import axes
from crosscheck.axes.base import Axis, Stage
from crosscheck.axes.judging import UNIVERSE, Universe
from crosscheck.conventions import Conventions
from crosscheck.evaluation.rankings import Rankings
from crosscheck.evaluation.summarise import evaluate
from crosscheck.formats.dicts import qrels_from_dict, run_from_dict
from crosscheck.inputs.queries import Line, Query, to_run
from crosscheck.measures import Family
from crosscheck.model import FloatArray, Measure, Qrels

__all__ = ["Orders", "measures_of", "orders", "orders_of_lines", "settings_of"]

_DOCS = "abcdef"
_LEVELS = (None, None, -1, 0, 0, 1, 1, 2, 3)
#: Tied together: how many documents stand above one another in groups.
_SHAPES = ("6", "15", "51", "24", "42", "33", "222", "141", "2", "3", "5", "12", "31")
#: Pairs of settings that are tried of each family.
_PAIRS = 12
#: These say how documents are tied, or nothing of runs like these.
_NOT_HERE = ("ties", "order", "ids")
_SUBTOPICS = dict(zip("abcdefxyz", ("1", "12", "2", "23", "3", "13", "12", "3", "2"), strict=True))
#: What some measures take, beside what they must be given.
_PARAMETERS: dict[str, list[dict[str, Any]]] = {
    "nDCG": [
        {"gains": ((1, 3.0), (2, 9.0))},
        {"gains": ((-1, 2.0), (0, -1.0), (1, 3.0))},
        {"judged_only": True},
    ],
    "DCG": [{"gains": ((-1, 2.0), (0, -1.0), (1, 3.0))}],
    "rbp": [{"gains": ((-1, 2.0), (0, -1.0), (1, 3.0))}, {"p": 0.5}],
    "Rndcg": [{"gains": ((1, 3.0), (2, 9.0))}],
    "ndcg_rel": [{"gains": ((1, 3.0), (2, 9.0))}],
    "RBP": [{"p": 1.0}, {"p": 0.3}],
    "ERR": [{"max_rel": 1}, {"max_rel": 2}],
    "IPrec": [{"recall": 0.0}, {"recall": 0.4}, {"recall": 1.0}],
    "11pt_avg": [{"points": (0.5, 0.2)}, {"points": (0.3, 0.6)}],
    "Rprec_mult": [{"multiple": 0.4}, {"multiple": 2.0}],
    "SetF": [{"beta": 0.5}],
    "utility": [{"coefficients": (-1.0, 2.0, 1.0, 0.5), "N": 10.0}],
    "Compat": [{"p": 0.5, "normalize": False}],
    "alpha_nDCG": [{"alpha": 0.0}, {"alpha": 1.0}],
    "AP": [{"judged_only": True}],
}


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


def orders(seed: int, *, subtopics: bool) -> Orders:
    """One run of each shape, with random judgements; some judged documents are not retrieved."""
    rng = random.Random(seed)
    tied: dict[str, dict[str, float]] = {}
    written: dict[str, dict[str, float]] = {}
    first: dict[str, dict[str, float]] = {}
    of: list[int] = []
    levels: dict[str, dict[str, int]] = {}
    copies: dict[str, dict[str, int]] = {}
    for number, shape in enumerate(_SHAPES):
        query = f"q{number:02d}"
        scores = [float(9 - group) for group, size in enumerate(shape) for _ in range(int(size))]
        docs = rng.sample(_DOCS, len(scores))
        tied[query] = dict(zip(docs, scores, strict=True))
        drawn = {doc: rng.choice(_LEVELS) for doc in (*_DOCS, "x", "y", "z")}
        levels[query] = {doc: level for doc, level in drawn.items() if level is not None} or {"a": 1}
        # All judgements are written anew for each order.
        for order in permutations(docs):
            if all(tied[query][one] >= tied[query][other] for one, other in pairwise(order)):
                name = f"{query}-{len(of):05d}"
                written[name] = {doc: float(9 - rank) for rank, doc in enumerate(order)}
                copies[name] = levels[query]
                of.append(number)
                first[query] = written[name]
    return Orders(
        Rankings(run_from_dict(tied), _qrels(levels, subtopics)),
        Rankings(run_from_dict(written), _qrels(copies, subtopics)),
        np.array(of, np.int64),
        Rankings(run_from_dict(first), _qrels(levels, subtopics)),
    )


def orders_of_lines(seed: int, *, subtopics: bool) -> Orders:
    """The same for runs with documents on several lines, and with docnos that differ in letter case only.

    Lines keep their place in the file, so that the first line of a document is the same one in every order.
    """
    rng, several = random.Random(seed), ("5", "23", "41", "122", "4")
    tied, written, first = dict[str, Query](), dict[str, Query](), dict[str, Query]()
    levels: dict[str, dict[str, int]] = {}
    copies: dict[str, dict[str, int]] = {}
    of: list[int] = []
    for number, shape in enumerate(several):
        query = f"q{number:02d}"
        scores = [float(9 - group) for group, size in enumerate(shape) for _ in range(int(size))]
        docs = ["a", *rng.choices("aA", k=1), *rng.choices("abcdABC", k=len(scores) - 2)]
        rng.shuffle(docs)
        tied[query] = _lines(docs, scores)
        levels[query] = {doc: rng.choice((-1, 0, 1, 1, 2)) for doc in "abcx" if rng.random() < 0.8} | {"a": 1}
        for order in permutations(range(len(docs))):
            if all(scores[one] >= scores[other] for one, other in pairwise(order)):
                name = f"{query}-{len(of):05d}"
                place = {line: rank for rank, line in enumerate(order)}
                first[query] = written[name] = _lines(docs, [float(9 - place[i]) for i in range(len(docs))])
                copies[name] = levels[query]
                of.append(number)
    return Orders(
        Rankings(to_run(tied), _qrels(levels, subtopics)),
        Rankings(to_run(written), _qrels(copies, subtopics)),
        np.array(of, np.int64),
        Rankings(to_run(first), _qrels(levels, subtopics)),
    )


def _lines(docs: list[str], scores: list[float]) -> Query:
    return Query(
        (), tuple(Line(d, i + 1, score) for i, (d, score) in enumerate(zip(docs, scores, strict=True)))
    )


def _qrels(levels: dict[str, dict[str, int]], subtopics: bool) -> Qrels:
    if not subtopics:
        return qrels_from_dict(levels)
    # Each document is judged for one or two of three subtopics, by its docno.
    return qrels_from_dict(
        {
            query: {
                name: {doc: level for doc, level in of.items() if name in _SUBTOPICS[doc]} for name in "123"
            }
            for query, of in levels.items()
        },
        needs="subtopics",
    )


def measures_of(about: Family) -> list[Measure]:
    """With and without a cutoff where that can be, and with the parameters that change the formula."""
    given = {p.name: p.default for p in about.params if p.required}
    cutoffs = {"none": [None], "optional": [None, 3], "required": [1, 3]}[about.cutoff]
    plain = [Measure(about.name, cutoff=k, params=tuple(sorted(given.items()))) for k in cutoffs]
    more = [tuple(sorted({**given, **changed}.items())) for changed in _PARAMETERS.get(about.name, [])]
    return [*plain, *(Measure(about.name, cutoff=cutoffs[-1], params=params) for params in more)]


def settings_of(about: Family) -> list[dict[str, Any]]:
    """Every value of every axis that the family reads, and pairs of values of axes that change judged
    rankings or the formula."""
    read = [axis for axis in axes().values() if axis.read_by(about) and axis.name not in _NOT_HERE]
    single = [{axis.name: value} for axis in read for value in _values(axis)]
    pairs = [
        {one.name: first, other.name: second}
        for one, other in combinations(
            [a for a in read if Stage.JUDGE <= a.stage <= Stage.FORMULA or a is UNIVERSE], 2
        )
        for first in _values(one)
        for second in _values(other)
    ]
    rng = random.Random(about.name)
    return [{}, *single, *rng.sample(pairs, min(_PAIRS, len(pairs)))]


def _values(axis: Axis[Any]) -> list[Any]:
    # Documents that are appended are tied with each other, in every order of the others.
    values = [value for value in axis.values if value not in (axis.default, None, Universe.APPENDED)]
    if axis.numbers is not None:
        least = axis.numbers.least
        values += [number for number in (-2, -1, 0, 1, 2, 3, 4) if least is None or number >= least]
    return values
