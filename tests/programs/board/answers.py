"""Whether the answer of an audit is what the source says."""

from typing import Any

import numpy as np

from crosscheck.auditing.calls import parse_call
from crosscheck.axes import axes
from crosscheck.conventions import conventions
from crosscheck.evaluation.formula import with_measure_parameters
from crosscheck.explain.doubts import on_synthetic, same_everywhere
from crosscheck.names import parse_measure
from tests.programs.board import Expected


def answer_of(audit: dict[str, Any], expected: Expected) -> str:
    """``right``, ``wrong`` or ``unexplained``, with what the source says unless it is right.

    Two sets of conventions that give the same values everywhere are spellings of one. What the source does
    and no axis holds is counted as unexplained, even where the audit says so, unless the audit has the label
    that the words of the source begin with.
    """
    causes = set(audit["causes"])
    if isinstance(expected.conventions, str):
        if any(label in expected.conventions for label in causes):
            return "right"
        said = "unexplained" if "unexplained" in causes or audit["verdict"] == "uncallable" else "wrong"
        return f"{said} (the source: {expected.conventions})"
    of_axes = {axes()[axis].label for axis in audit["conventions"]}
    source = ", ".join([f"{k}={v}" for k, v in expected.conventions.items()] + sorted(expected.labels))
    source = f"(the source: {source or 'as trec_eval'})"
    if audit["verdict"] == "uncallable" or "unexplained" in causes:
        return f"unexplained {source}"
    found = [audit["conventions"], *(other["conventions"] for other in audit["alternatives"])]
    labelled = causes - of_axes == expected.labels
    by_query = not audit["call"] or parse_call(audit["call"]).by_query
    told = expected.conventions
    if labelled and any(same_values(expected.measure, told, one, by_query=by_query) for one in found):
        return "right"
    return f"wrong {source}"


def same_values(name: str, one: dict[str, Any], other: dict[str, Any], *, by_query: bool = True) -> bool:
    """Whether two sets of changes give a measure the same values, or else the same means as well."""
    if one == other:
        return True
    measure = parse_measure(name)
    base = with_measure_parameters(conventions("trec_eval-9.0.8"), measure)
    both = [base.with_changes(**each) for each in (one, other)]
    if not by_query:
        return same_everywhere(on_synthetic(measure, both[0]), *both)
    left, right = (on_synthetic(measure, each).evaluated(each) for each in both)
    return bool(
        np.array_equal(left.present, right.present)
        and np.allclose(left.values[left.present], right.values[right.present], atol=1e-9, equal_nan=True)
    )
