"""Values that no convention made: ``python -m tests.programs.real.invented``. None may be proved."""

from __future__ import annotations

import argparse
import math
import random
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from crosscheck.backends.native import native_values
from crosscheck.compare import differ
from crosscheck.conventions import Conventions
from crosscheck.evaluation.rankings import Rankings
from crosscheck.evaluation.recomputer import Recomputer
from crosscheck.explain.diagnose import diagnose
from crosscheck.model import MeasureValues
from crosscheck.names import parse_measure
from crosscheck.results import Diagnosis
from tests.programs.real.runs import MADE, PARTS, parts

__all__ = ["KINDS", "Invented", "invented"]

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
        zip(own, [*list(own.values())[1:], next(iter(own.values()))], strict=True)
    ),
    "a tenth of them wrong": lambda own, every, rng: {
        topic: rng.random() if rng.random() < 0.1 else value for topic, value in own.items()
    },
}


class Invented(NamedTuple):
    """One invention, and what was said of it."""

    where: str
    kind: str
    found: Diagnosis

    @property
    def wrong(self) -> bool:
        return self.found.strength == "proved"


def invented(name: str, rankings: Rankings, count: int, seed: int = 0) -> Iterator[Invented]:
    """Some inventions on one run: measures and kinds drawn at random, with or without a mean."""
    rng = random.Random(f"{name} {seed}")
    every = {of: native_values(rankings, parse_measure(of), BASE, "native") for of in MEASURES}
    right = {of: found.values for of, found in every.items()}
    while count > 0:
        of, kind = rng.choice(MEASURES), rng.choice(list(KINDS))
        values = KINDS[kind](right[of], right, rng)
        mean = sum(values.values()) / len(values) if rng.random() < 0.5 else None
        theirs = MeasureValues(values, mean, "tool")
        differences = differ(every[of], theirs)
        if not differences.agree:
            count -= 1
            situation = Recomputer(rankings, parse_measure(of), BASE)
            yield Invented(f"{name} {of}", kind, diagnose(situation, differences, theirs).diagnosis)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.programs.real.invented", description=__doc__)
    parser.add_argument("--each", type=int, default=20, metavar="N", help="inventions on each part of a run")
    parser.add_argument("--seed", type=int, default=0, metavar="N")
    parser.add_argument("collections", nargs="*", choices=[*MADE, *PARTS, []], help="all by default")
    given = parser.parse_args()
    counted: Counter[str] = Counter()
    for name, rankings in parts(*given.collections):
        for found in invented(name, rankings, given.each, given.seed):
            counted[found.found.strength] += 1
            if found.wrong:
                print(f"proved: {found.where}, {found.kind}: {found.found}", flush=True)
        print(f"{name}: {dict(counted)}", file=sys.stderr, flush=True)
    print(dict(counted))
    return int(counted["proved"] > 0)


if __name__ == "__main__":
    sys.exit(main())
