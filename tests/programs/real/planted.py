"""Values planted on real runs, and invented: ``python -m tests.programs.real.planted``.

First every profile, every value of every axis, and pairs of these: all must be explained, or be one value for
every query, which is said. Then sets of up to three axes at random. Of these, what is proved must be the
planted set, but for axes that change nothing there, or the same in other words: ``depth=5`` is
``rr_cutoff=5`` to RR. Where it is consistent, such a set must be among the explanations that
are listed, unless fewer changes fit as well. At last values that no convention made: none may be proved.
"""

import argparse
import random
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial
from itertools import combinations
from math import sqrt  # noqa: F401  # the text file uses it
from pathlib import Path

import numpy as np

from crosscheck.axes import axes
from crosscheck.axes.base import AxisValue
from crosscheck.backends.native import native_values
from crosscheck.compare import differ
from crosscheck.conventions import Conventions, profiles
from crosscheck.errors import CrosscheckError
from crosscheck.evaluation.rankings import Rankings
from crosscheck.evaluation.recomputer import Recomputer
from crosscheck.explain.diagnose import diagnose
from crosscheck.formats.dicts import qrels_from_dict, run_from_dict
from crosscheck.measures import family
from crosscheck.model import Measure, MeasureValues
from crosscheck.names import conventions_for, parse_measure
from crosscheck.results import Diagnosis
from tests.programs.frame import Case, main
from tests.programs.real.runs import parts

BASE = Conventions()
MEASURES = ("nDCG@10", "AP", "P@10", "R@20", "RR", "bpref", "Rprec", "nDCG", "AP@20", "Success@5", "ERR@10")
#: Those of invented values.
INVENTED = ("nDCG@10", "AP", "P@10", "R@20", "RR", "bpref", "Rprec", "Success@5")
#: Fewer queries that differ say too little.
LEAST = 3

Values = dict[bytes, float]


def _explained(
    rankings: Rankings, measure: Measure, theirs: MeasureValues, least: int = 0
) -> Diagnosis | None:
    """What is said of values that differ from the reference's, and for so many queries."""
    ours = native_values(rankings, measure, BASE, "native")
    differences = differ(ours, theirs, aggregate=family(measure.family).aggregate)
    if differences.agree or int((~differences.match).sum()) < least:
        return None
    return diagnose(Recomputer(rankings, measure, BASE), differences, theirs).diagnosis


def planted(name: str, rankings: Rankings, seed: object) -> tuple[str, str]:
    """The strength of what is found where a set of conventions is planted, and what is wrong with it.

    The set is drawn at random from all axes that can matter to a measure there."""
    rng = random.Random(f"{name} {seed}")
    while True:
        measure = parse_measure(rng.choice(MEASURES))
        situation = Recomputer(rankings, measure, BASE)
        options = _options(situation)
        size = rng.randint(1, min(3, len(options)))
        changes = {axis: rng.choice(options[axis]) for axis in rng.sample(list(options), size)}
        try:
            theirs = native_values(rankings, measure, BASE.with_changes(**changes), "native")
        except CrosscheckError:
            continue
        if found := _explained(rankings, measure, theirs, LEAST):
            wrong = _wrong(situation, changes, found)
            return found.strength, f"{measure}: {changes} is {found}" if wrong else ""


#: Values of the axes of numbers: usual ones.
NUMBERS = {"relevance_level": (2, 3), "exact_level": (1, 2, 3), "depth": (5, 100)}
NUMBERS |= {"judged_depth": (5, 10, 100), "rr_cutoff": (5, 10), "rounding": (2, 4)}


def settings() -> Iterator[str]:
    """Every profile, and every value of every axis but the reference's."""
    yield from profiles()
    for axis in axes().values():
        for value in (*axis.values, *NUMBERS.get(axis.name, ())):
            if value != axis.default:
                yield f"{axis.name}={'none' if value is None else value}"


def told(rankings: Rankings, spec: str, measures: Sequence[str] = MEASURES) -> tuple[str, str]:
    """The strengths of what is found where conventions are planted, and for which measures nothing is."""
    strengths, wrong = set[str](), list[str]()
    for measure in map(parse_measure, measures):
        try:
            theirs = native_values(rankings, measure, conventions_for(spec, measure), "native")
        except CrosscheckError:  # the tool does not have the measure, or the measure no such value
            continue
        if found := _explained(rankings, measure, theirs):
            strengths.add(found.strength)
            if found.strength not in ("proved", "consistent") and not found.rivals:
                wrong.append(f"{measure} is {found}")
    return ", ".join(sorted(strengths)) or "no difference", "; ".join(wrong)


def _wrong(situation: Recomputer, changes: dict[str, AxisValue], found: Diagnosis) -> bool:
    listed = [found.conventions, *(other.conventions for other in found.alternatives)]
    fitting = [c for c in listed if c and c.items() <= changes.items()]
    if found.strength == "proved":
        others = Recomputer(_of_all_kinds(), situation.measure, BASE)  # the same there in other words?
        return found.conventions not in fitting and not _alike(others, found.conventions, changes)
    if found.strength == "consistent":
        return not fitting and len(found.conventions) >= _needed(situation, changes)
    return True


def _alike(situation: Recomputer, *sets: dict[str, AxisValue]) -> bool:
    """Whether two sets of changes give the same values and the same mean."""
    found = (situation.evaluated(BASE.with_changes(**changes)) for changes in sets)
    one, other = (np.append(of.values, of.mean or 0.0) for of in found)
    return bool(np.allclose(one, other, rtol=0, atol=1e-9, equal_nan=True))


@cache
def _of_all_kinds() -> Rankings:
    """Long and short lists, with many relevant documents and with few, much judged and little."""
    rng, names = random.Random(0), [f"d{i:03}" for i in range(300)]
    run, qrels = dict[str, dict[str, float]](), dict[str, dict[str, int]]()
    for query in map(str, range(600)):
        docnos = rng.sample(names, rng.choice([1, 2, 4, 9, 10, 11, 25, 60]))
        judged, relevant, top = rng.choice([0.2, 0.7, 1.0]), rng.choice([0.03, 0.2, 0.6]), rng.choice([1, 3])
        run[query] = {d: float(rng.randrange(rng.choice([3, 400]))) for d in docnos}
        qrels[query] = {
            d: rng.randint(1, top) if rng.random() < relevant else rng.choice([0, 0, 0, -1])
            for d in (*docnos, *rng.sample(names, 5))
            if rng.random() < judged
        } | {"must": 1}
    return Rankings(run_from_dict(run), qrels_from_dict(qrels))


def _options(situation: Recomputer) -> dict[str, list[AxisValue]]:
    return {
        axis.name: options
        for axis in axes().values()
        if axis.read_by(situation.family) and np.any(axis.gate(situation))
        if (options := axis.other_options(situation))
    }


def _needed(situation: Recomputer, changes: dict[str, AxisValue]) -> int:
    """The size of the smallest part of the changes that gives the same values."""
    parts = (part for size in range(len(changes)) for part in combinations(changes.items(), size))
    return next((len(part) for part in parts if _alike(situation, dict(part), changes)), len(changes))


#: Kind -> from the reference's values, and those of all measures, to others: the lines of the text file.
KINDS: dict[str, Callable[[Values, Mapping[str, Values], random.Random], Values]] = {
    kind: eval(f"lambda own, every, rng: {others}")
    for line in Path(__file__).with_suffix(".txt").read_text("utf-8").splitlines()
    for kind, others in [line.split(" => ")]
}


def invented(name: str, rankings: Rankings, seed: object) -> tuple[str, str]:
    """The strength of what is said of an invention on a run, and what is wrong: that it is proved.

    Measure and kind are drawn at random, and whether there is a mean."""
    rng = random.Random(f"{name} {seed}")
    every = {of: native_values(rankings, parse_measure(of), BASE, "native").values for of in INVENTED}
    while True:
        of, kind = rng.choice(INVENTED), rng.choice(list(KINDS))
        values = KINDS[kind](every[of], every, rng)
        mean = sum(values.values()) / len(values) if rng.random() < 0.5 else None
        if found := _explained(rankings, parse_measure(of), MeasureValues(values, mean, "tool")):
            return found.strength, f"{of}, {kind}: {found}" if found.strength == "proved" else ""


def _cases(given: argparse.Namespace) -> Iterator[Case]:
    single = list(settings())
    for name, rankings in parts():
        pairs = list(combinations((spec for spec in single if "=" in spec), 2))
        pairs = [pair for pair in pairs if pair[0].partition("=")[0] != pair[1].partition("=")[0]]
        chosen = random.Random(f"{name} {given.seed}").sample(pairs, min(5 * given.each, len(pairs)))
        for spec in (*single, *map(",".join, chosen)):
            yield Case(name, f"{name} {spec}", partial(told, rankings, spec))
        for number in range(given.each):
            seed = f"{given.seed} {number}"
            yield Case(name, f"{name} {number}", partial(planted, name, rankings, seed))
            yield Case(name, f"{name} {number}, invented", partial(invented, name, rankings, seed))


if __name__ == "__main__":
    sys.exit(main("tests.programs.real.planted", __doc__, _cases, each=20))
