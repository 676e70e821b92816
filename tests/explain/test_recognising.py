"""Values of another measure, of another cutoff or of a formula are recognised as that, and others are not."""

import math
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
from msgspec.structs import replace

from crosscheck.backends.native import native_values
from crosscheck.compare import differ
from crosscheck.conventions import Conventions, conventions
from crosscheck.evaluation.rankings import Rankings
from crosscheck.evaluation.recomputer import Recomputer
from crosscheck.explain.diagnose import Diagnosed, diagnose
from crosscheck.explain.fresh import with_fresh_inputs
from crosscheck.model import MeasureValues
from crosscheck.names import parse_measure
from crosscheck.results import FreshInputs
from tests.explain.test_decoys import COLLECTIONS, collection
from tests.support.kept import Kept, shown

RANKINGS = collection(7, (0, 0, 1, 2, 3), 0.7, 16, 10**6, queries=30)
#: Few documents are tied.
FEW_TIES = collection(7, (0, 0, 1, 2, 3), 0.7, 16, 300, queries=30)
#: Lists of nine documents.
NINE = collection(*COLLECTIONS[2])


def with_one_relevant(rankings: Rankings) -> Rankings:
    """The rankings with the judgement of one relevant document of each query, and no others."""
    qrels = rankings.pairing.qrels
    levels = np.zeros_like(qrels.rels)
    for start, end in pairwise(qrels.offsets.tolist()):
        place = start + int(np.argmax(qrels.rels[start:end]))
        levels[place] = qrels.rels[place]
    return Rankings(rankings.pairing.run, replace(qrels, rels=levels))


def with_high_levels(rankings: Rankings) -> Rankings:
    """The rankings with another level above 4, in place of 2, in each third query."""
    qrels = rankings.pairing.qrels
    levels = qrels.rels.copy()
    for level, (start, end) in enumerate([*pairwise(qrels.offsets.tolist())][::3], start=5):
        levels[start:end][levels[start:end] == 2] = level
    return Rankings(rankings.pairing.run, replace(qrels, rels=levels))


def cut(decimals: int) -> Callable[[float], float]:
    """The function that cuts a value after a number of decimals."""
    return lambda value: math.floor(value * 10**decimals) / 10**decimals


def half(value: float) -> float:
    """The value in half precision."""
    return float(np.float16(value))


def table(above: int) -> str:
    """Gains 1, 3 and 5 of the first levels; ``above`` of the others."""
    return "{1:1,2:3,3:5," + ",".join(f"{level}:{above}" for level in range(4, 15)) + "}"


def diagnosed(
    asked: str,
    given: str,
    settings: str = "",
    *,
    value: Callable[[float], float] = float,
    queries: int = 30,
    only_mean: bool = False,
    of: Rankings = RANKINGS,
) -> Diagnosed:
    """The diagnosis of values of the second measure, changed by ``value``, that are called the first."""
    rankings = of.of_topics(frozenset(of.pairing.all_topics[:queries]))
    measure, base = parse_measure(asked), Conventions()
    ours = native_values(rankings, measure, base, "reference")
    own = native_values(rankings, parse_measure(given), conventions(settings or Conventions()), "candidate")
    values = {topic: value(number) for topic, number in own.values.items()}
    theirs = MeasureValues({} if only_mean else values, sum(values.values()) / len(values), "candidate")
    return diagnose(Recomputer(rankings, measure, base), differ(ours, theirs), theirs)


def told(*given: str, **changed: Any) -> str:
    """What is said of such values; see :func:`diagnosed`."""
    diagnosis = diagnosed(*given, **changed).diagnosis
    said = [f"{diagnosis.strength}: {', '.join(diagnosis.causes)}", diagnosis.explanation]
    return "\n".join([*said, *([shown(diagnosis.recognised)] if diagnosis.recognised else [])])


def asked_anew(fresh: FreshInputs) -> str:
    """What is said of a recognised measure after a test on fresh inputs."""
    diagnosis = with_fresh_inputs(diagnosed("P@10", "P@7").diagnosis, fresh)
    assert diagnosis.recognised
    return f"{diagnosis.explanation}\n{shown(diagnosis.recognised)}"


KEPT = Kept(__file__, within=(globals(),))


@KEPT.each()
def test_values_are_recognised(given):
    KEPT.holds(given)
