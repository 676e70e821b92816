"""A metric that is not what it was asked as is recognised as what it is, or as nothing."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from math import log2

import pytest
from jsonschema import Draft202012Validator

from crosscheck.conventions import AxisValue, Conventions
from crosscheck.evaluation.formula import FORMULA
from crosscheck.explain.decoys import decoys
from crosscheck.names import parse_measure
from crosscheck.report.json_report import schema
from tests.auditing import metrics
from tests.auditing.audited import found
from tests.cli.command import crosscheck
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


NAMES = (globals(), vars(test_decoys))
FORMULAS = Kept(__file__, part=".formulas", within=NAMES)
RECOGNISED = Kept(__file__, within=NAMES, found=found, metrics=metrics)


@FORMULAS.each()
def test_a_known_formula_computes_what_it_says(given):
    FORMULAS.holds(given)


@pytest.mark.one_in(3)
@RECOGNISED.each()
def test_a_known_formula_is_recognised(given):
    """And what is nothing known is not."""
    RECOGNISED.holds(given)


def test_every_report_begins_with_what_it_is(tmp_path):
    """Text, Markdown and HTML say it in their first sentence, and JSON as a record."""
    source = "def f(gains, k, num_rel): return 2 * sum(map(bool, gains[:k])) / (k + num_rel)\n"
    (tmp_path / "m.py").write_text(source)
    reports = "--report text --report json=a.json --report markdown=a.md --report html=a.html"
    done = crosscheck(tmp_path, "audit", "m.py:f", "-m", "P@10", "--quiet", *reports.split())
    assert done.code == 1
    document = json.loads((tmp_path / "a.json").read_text("utf-8"))
    Draft202012Validator(json.loads(schema("audit"))).validate(document)
    known, causes = document["audit"]["recognised"], document["audit"]["causes"]
    assert (known["formula"], known["strength"], causes) == ("F1@10", "proved", ["unexplained"])
    said = f"is not P@10: it is F1@10 (proved): it gives all {known['values']:,} values."
    files = [(tmp_path / name).read_text("utf-8") for name in ("a.md", "a.html")]
    for text in (done.out, files[0], re.sub(r"<[^>]*>", "", files[1])):
        assert said in " ".join(text.replace("`", "").replace("\\", "").split())
