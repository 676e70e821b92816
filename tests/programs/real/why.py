"""``python -m tests.programs.real.why``: planted and invented numbers, for ``crosscheck why``.

A planted set must be among the first three answers wherever fewer than ten fit, and so must a planted change
of the input. For invented numbers "another run" must be the first answer.
"""

import argparse
import random
import sys
from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

from msgspec.structs import replace

from crosscheck.conventions import Conventions
from crosscheck.errors import CrosscheckError
from crosscheck.evaluation.rankings import Rankings
from crosscheck.evaluation.recomputer import Recomputer
from crosscheck.evaluation.summarise import evaluate
from crosscheck.explain.search import single_changes
from crosscheck.formats.grouping import identifiers
from crosscheck.model import Measure
from crosscheck.names import parse_measure
from crosscheck.rankings.changed_inputs import changed_inputs
from crosscheck.studies.why import WhyDocument, why
from tests.programs.frame import Case, main, of_seeds
from tests.programs.real.runs import parts

MEASURES = ("nDCG@10", "nDCG@20", "AP", "P@10", "RR", "R@100", "bpref", "Rprec", "nDCG", "AP@100")


Numbers = dict[str, float]


class Planted(NamedTuple):
    """Numbers, where they are from, and the input that they are to be explained on."""

    about: str
    rankings: Rankings
    numbers: Numbers


def means(rankings: Rankings, measures: list[Measure], conventions: Conventions) -> Numbers | None:
    """The means under a set of conventions; None where one is missing or no number."""
    try:
        found = {str(m): evaluate(rankings, m, conventions).mean for m in measures}
    except CrosscheckError:
        return None
    kept = {name: mean for name, mean in found.items() if mean is not None and 0 < mean < 1}
    return kept if len(kept) == len(measures) else None


def options(rankings: Rankings, measure: Measure) -> list[dict[str, object]]:
    """Single changes that can matter to a measure here, but for those of printed digits."""
    view = Recomputer(rankings, measure, Conventions())
    changes = [dict[str, object](c.changes_from(Conventions())) for c in single_changes(view)]
    return [c for c in changes if not {"rounding", "result_precision"} & c.keys()]


def spelt(numbers: Numbers) -> dict[str, str]:
    """As printed, with four decimals."""
    return {name: f"{float(value):.4f}" for name, value in numbers.items()}


def planted(rng: random.Random, name: str, rankings: Rankings, measures: list[Measure]) -> Planted | None:
    """Numbers of one changed axis, or of two, that trec_eval does not print."""
    chosen: dict[str, object] = {}
    for _ in range(rng.choice((1, 1, 2))):
        chosen |= rng.choice(options(rankings, rng.choice(measures)))
    found = means(rankings, measures, Conventions(**chosen))  # type: ignore[arg-type]
    return _unlike(f"{name} {chosen}", rankings, measures, found)


def _unlike(about: str, given: Rankings, measures: list[Measure], found: Numbers | None) -> Planted | None:
    """Numbers that trec_eval does not print of what is given."""
    plain = means(given, measures, Conventions())
    return Planted(about, given, found) if found and (plain is None or spelt(found) != spelt(plain)) else None


def changed(rng: random.Random, name: str, rankings: Rankings, measures: list[Measure]) -> Planted | None:
    """Numbers of trec_eval on a changed input, told of the input before the change."""
    run, qrels = rankings.pairing.run, rankings.pairing.qrels
    about = rng.choice(("usual", "a prefix", "passages"))
    given, measured, docnos = rankings, rankings, run.docnos.tolist()
    if about == "usual":
        one = rng.choice(list(changed_inputs(run, qrels)))
        about, measured = one.says, Rankings(one.run, one.qrels)
    else:
        prefixed = [b"collection:" + docno for docno in docnos]
        passages = [b"%s#%d" % (docno, i % 7) for i, docno in enumerate(docnos)]
        others = identifiers(prefixed if about == "a prefix" else passages)
        given = Rankings(replace(run, docnos=others), qrels)
    return _unlike(f"{name} {about}", given, measures, means(measured, measures, Conventions()))


def invented(rng: random.Random, name: str, rankings: Rankings, measures: list[Measure]) -> Planted | None:
    """Numbers of no run: near those of trec_eval, or anywhere."""
    if not (plain := means(rankings, measures, Conventions())):
        return None
    near = {m: abs(v + rng.choice((-1, 1)) * rng.uniform(0.004, 0.15)) for m, v in plain.items()}
    return Planted(f"{name} {near}", rankings, near)


def place(found: WhyDocument, numbers: dict[str, float]) -> int:
    """The place of the answer that predicts these numbers, from 1; 0 if it is not listed."""
    for at, answer in enumerate(found.answers, 1):
        pairs = zip(map(float, answer.values), numbers.values(), strict=not answer.another)
        if not answer.another and all(abs(value - wanted) < 1e-9 for value, wanted in pairs):
            return at
    return 0


def tried(kind: str, seed: int, *collections: str) -> tuple[str, str]:
    """Numbers of a kind on a part of some collections, or of all, and of one to three measures: a word, and
    what is told where the answers are not as they must be."""
    rng, inputs, case = random.Random(str(seed)), list(parts(*collections)), None
    while case is None:
        measures = [parse_measure(m) for m in rng.sample(MEASURES, rng.randint(1, 3))]
        case = KINDS[kind](rng, *rng.choice(inputs), measures)
    given = case.rankings.pairing
    found = why(given.qrels, {"run": given.run}, spelt(case.numbers))
    at = place(found, case.numbers)
    if found.answers[0].another if kind == "invented" else 0 < at <= 3 or found.fitting >= 10:
        return "right", ""
    line = f"{case.about} {spelt(case.numbers)}: place {at}, {found.fitting} of {found.distinct} fit"
    return "not right", f"{line}, another first: {found.answers[0].another}"


def _cases(given: argparse.Namespace) -> Iterator[Case]:
    for kind in KINDS:
        yield from of_seeds(kind, partial(tried, kind), given)


KINDS = {"planted": planted, "changed": changed, "invented": invented}
if __name__ == "__main__":
    sys.exit(main("tests.programs.real.why", __doc__, _cases, each=40))
