"""A metric that is not what it was asked as is recognised as what it is, or as nothing."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from math import log2
from pathlib import Path

from crosscheck.auditing import audit
from crosscheck.conventions import AxisValue, Conventions
from crosscheck.evaluation.formula import FORMULA
from crosscheck.explain.decoys import decoys
from crosscheck.harness.document import document_of
from crosscheck.names import parse_measure
from crosscheck.report import render
from tests.auditing import metrics
from tests.auditing.audited import PATIENT, found
from tests.explain import test_decoys
from tests.explain.test_decoys import hits, holds_on_fresh_inputs
from tests.support.kept import Kept

Levels = Sequence[int]


def by_rank(levels: Levels) -> float:
    return sum((level > 0) / rank for rank, level in enumerate(levels, 1))


def at_the_last(levels: Levels) -> float:
    last = max((rank for rank, level in enumerate(levels, 1) if level > 0), default=0)
    return hits(levels) / last if last else 0.0


def over(found: Sequence[float], best: Sequence[float]) -> float:
    dcg, ideal = (
        sum(max(gain, 0) / log2(rank + 1) for rank, gain in enumerate(gains, 1)) for gains in (found, best)
    )
    return dcg / ideal if ideal else 0.0


def relevant(levels: Levels) -> list[bool]:
    return [level > 0 for level in levels]


def computes(
    claimed: str, name: str, formula: Callable[[Levels, Levels], float], **changes: AxisValue
) -> str:
    """How many formulas are known for a measure; the one of this name has these values."""
    measure = parse_measure(claimed)
    every = decoys(measure, (5, 10, 100), fixed=["best_score"])
    (known,) = (known for known in every if known.name == name)
    conventions = Conventions().with_changes(**changes).having(FORMULA, known)
    assert holds_on_fresh_inputs(measure, conventions, formula, by_docno=True)
    return f"one of {len(every)}"


def first_sentence(metric: str, measure: str) -> str:
    """The first sentence of every report."""
    Path("m.py").write_text(metric)
    document = document_of(audit("m.py:f", measure, options=PATIENT))
    pages = (re.sub(r"<[^>]*>|[`\\]", "", render(document, form)) for form in ("text", "markdown", "html"))
    said = r"m\.py:f (?:is not .*? values|does not compute .*? decimals)\."
    return "\n".join(re.findall(said, " ".join(page.split()))[0] for page in pages)


NAMES = (globals(), vars(test_decoys))
FORMULAS = Kept(__file__, part=".formulas", within=NAMES)
RECOGNISED = Kept(__file__, within=NAMES, found=found, metrics=metrics)


test_a_known_formula_computes_what_it_says = FORMULAS.test()
USUAL = ("bool, gains[:k]", "hits(gains[: k - 1", "def by_chance", "round(run[q][d], 2)")
test_what_is_known_is_recognised_and_nothing_else = RECOGNISED.test(usual=USUAL)
