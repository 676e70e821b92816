"""Values that no convention made: ``python -m tests.programs.real.invented``. None may be proved."""

import argparse
import math
import random
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import partial

from crosscheck.backends.native import native_values
from crosscheck.compare import differ
from crosscheck.conventions import Conventions
from crosscheck.evaluation.rankings import Rankings
from crosscheck.evaluation.recomputer import Recomputer
from crosscheck.explain.diagnose import diagnose
from crosscheck.model import MeasureValues
from crosscheck.names import parse_measure
from tests.programs.frame import Case, main
from tests.programs.real.runs import parts

BASE = Conventions()
MEASURES = ("nDCG@10", "AP", "P@10", "R@20", "RR", "bpref", "Rprec", "Success@5")

Values = dict[bytes, float]


def _shuffled(values: Values, rng: random.Random) -> Values:
    dealt = list(values.values())
    rng.shuffle(dealt)
    return dict(zip(values, dealt, strict=True))


#: Kind -> from the reference's values, and those of all measures, to others.
KINDS: dict[str, Callable[[Values, Mapping[str, Values], random.Random], Values]] = {
    "dealt to other queries": lambda own, every, rng: _shuffled(own, rng),
    "any numbers": lambda own, every, rng: {topic: rng.random() for topic in own},
    "tenths": lambda own, every, rng: {topic: rng.randrange(11) / 10 for topic in own},
    "drawn from the right ones": lambda own, every, rng: {t: rng.choice(list(own.values())) for t in own},
    "0": lambda own, every, rng: dict.fromkeys(own, 0.0),
    "1": lambda own, every, rng: dict.fromkeys(own, 1.0),
    "the mean": lambda own, every, rng: dict.fromkeys(own, sum(own.values()) / len(own)),
    "root": lambda own, every, rng: {topic: math.sqrt(value) for topic, value in own.items()},
    "square": lambda own, every, rng: {topic: value**2 for topic, value in own.items()},
    "mean with P@10": lambda own, every, rng: {t: (v + every["P@10"][t]) / 2 for t, v in own.items()},
    "product with RR": lambda own, every, rng: {t: v * every["RR"][t] for t, v in own.items()},
    "another measure": lambda own, every, rng: dict(every[rng.choice(MEASURES)]),
    "the next query's": lambda own, every, rng: dict(
        zip(own, [*own.values()][1:] + [*own.values()][:1], strict=True)
    ),
    "a tenth of them wrong": lambda own, every, rng: {
        topic: rng.random() if rng.random() < 0.1 else value for topic, value in own.items()
    },
}


def invented(name: str, rankings: Rankings, seed: object) -> tuple[str, str]:
    """The strength of what is said of an invention on a run, and what is wrong: that it is proved.

    Measure and kind are drawn at random, and whether there is a mean."""
    rng = random.Random(f"{name} {seed}")
    every = {of: native_values(rankings, parse_measure(of), BASE, "native") for of in MEASURES}
    right = {of: found.values for of, found in every.items()}
    while True:
        of, kind = rng.choice(MEASURES), rng.choice(list(KINDS))
        values = KINDS[kind](right[of], right, rng)
        mean = sum(values.values()) / len(values) if rng.random() < 0.5 else None
        theirs = MeasureValues(values, mean, "tool")
        differences = differ(every[of], theirs)
        if not differences.agree:
            situation = Recomputer(rankings, parse_measure(of), BASE)
            found = diagnose(situation, differences, theirs).diagnosis
            return found.strength, f"{of}, {kind}: {found}" if found.strength == "proved" else ""


def _cases(given: argparse.Namespace) -> Iterator[Case]:
    for name, rankings in parts():
        for number in range(given.each):
            yield Case(name, f"{name} {number}", partial(invented, name, rankings, f"{given.seed} {number}"))


if __name__ == "__main__":
    sys.exit(main("tests.programs.real.invented", __doc__, _cases, each=20))
