"""Formulas that no axis expresses, on runs: ``python -m tests.programs.real.formulas``. None may be proved.

The exception is a set of conventions that equals the formula on fresh inputs as well.
"""

from __future__ import annotations

import sys
from collections import Counter

from crosscheck.conventions import Conventions
from crosscheck.model import MeasureValues
from crosscheck.names import parse_measure
from tests.explain.test_diagnose import told
from tests.explain.test_rivals import FORMULAS, holds_on_fresh_inputs, values
from tests.programs.real.runs import parts


def main() -> int:
    counted: Counter[str] = Counter()
    for where, rankings in parts():
        if not where.endswith("#0"):
            continue
        for name, (claimed, formula) in FORMULAS.items():
            measure = parse_measure(claimed)
            for by_docno in (True, False):
                found = values(rankings, formula, by_docno=by_docno)
                mean = sum(found.values()) / len(found)
                diagnosed = told(rankings, measure, MeasureValues(found, mean, "tool"))
                if diagnosed is None:
                    counted["no difference"] += 1
                    continue
                diagnosis = diagnosed.diagnosis
                strength = diagnosis.strength
                if strength == "proved":
                    under = Conventions(**diagnosis.conventions)
                    if not holds_on_fresh_inputs(measure, under, formula, by_docno=by_docno):
                        strength = "proved falsely"
                        print(f"{where} {claimed}, {name}: {diagnosis.conventions}", flush=True)
                counted[strength] += 1
        print(f"{where}: {dict(counted)}", file=sys.stderr, flush=True)
    print(dict(counted))
    return int(counted["proved falsely"] > 0)


if __name__ == "__main__":
    sys.exit(main())
