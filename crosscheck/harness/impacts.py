"""The effect of the mismatches of a case on conclusions about its systems."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from crosscheck.harness.fresh import Answer
from crosscheck.measures import family
from crosscheck.model import Measure, MeasureValues
from crosscheck.results import Comparison, Impact

__all__ = ["case_impacts"]


def case_impacts(
    case: str,
    evaluated: Mapping[str, Mapping[str, Mapping[Measure, Answer]]],
    comparisons: Sequence[Comparison],
    measures: Sequence[Measure],
) -> list[Impact]:
    """One impact per measure and candidate that mismatches on some run, if there are several runs.

    Args:
        case: name of the case.
        evaluated: run -> backend id -> measure -> values or failure. A system that fails on one side is not
            ranked, and a note says so.
        comparisons: the comparisons of the case; those with saved numbers give no impact.
    """
    if len(evaluated) < 2:
        return []
    from crosscheck.statistics.impact import impact  # most cases have one run and do not wait for it

    differing = {(c.measure, c.reference, c.candidate) for c in comparisons if c.outcome == "mismatch"}
    found = []
    for measure in measures:
        for name, reference, candidate in sorted(differing):
            if name == str(measure):
                sides = [_values(evaluated, id, measure) for id in (reference, candidate)]
                if all(sides):
                    found.append(
                        impact(
                            *sides,
                            measure=name,
                            names=(reference, candidate),
                            aggregate=family(measure.family).aggregate,
                            case=case,
                        )
                    )
    return found


def _values(
    evaluated: Mapping[str, Mapping[str, Mapping[Measure, Answer]]], backend: str, measure: Measure
) -> dict[str, MeasureValues]:
    answers = {run: values.get(backend, {}).get(measure) for run, values in evaluated.items()}
    return {run: answer for run, answer in answers.items() if isinstance(answer, MeasureValues)}
