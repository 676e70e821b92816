"""Formulas that no axis expresses, on runs: ``python -m tests.programs.real.formulas``. None may be proved.

The exception is a set of conventions that equals the formula on fresh inputs as well.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import partial

from crosscheck.conventions import Conventions
from crosscheck.evaluation.rankings import Rankings
from crosscheck.model import MeasureValues
from crosscheck.names import parse_measure
from tests.explain.test_diagnose import told
from tests.explain.test_rivals import FORMULAS, holds_on_fresh_inputs, values
from tests.programs.frame import Case, main
from tests.programs.real.runs import parts


def _tried(rankings: Rankings, name: str, by_docno: bool) -> tuple[str, str]:
    claimed, formula = FORMULAS[name]
    measure, found = parse_measure(claimed), values(rankings, formula, by_docno=by_docno)
    diagnosed = told(rankings, measure, MeasureValues(found, sum(found.values()) / len(found), "tool"))
    if diagnosed is None:
        return "no difference", ""
    under = diagnosed.diagnosis.conventions
    false = diagnosed.diagnosis.strength == "proved" and not holds_on_fresh_inputs(
        measure, Conventions(**under), formula, by_docno=by_docno
    )
    return diagnosed.diagnosis.strength, f"{claimed} is none of {under}" if false else ""


def _cases(given: object) -> Iterator[Case]:
    for where, rankings in parts():
        for name in FORMULAS if where.startswith("made") or where.endswith("#0") else ():
            for by_docno in (True, False):
                trial = partial(_tried, rankings, name, by_docno)
                yield Case(where, f"{where} {name}, by docno: {by_docno}", trial)


if __name__ == "__main__":
    sys.exit(main("tests.programs.real.formulas", __doc__, _cases))
