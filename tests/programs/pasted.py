"""``python -m tests.programs.pasted``: what ``assert_agrees`` prints as meant is pasted, and must go green.

Asked are trec_eval with each value of each axis, and each profile, as metrics.
"""

import sys
from collections.abc import Iterator
from functools import partial

from crosscheck.axes import axes
from crosscheck.conventions import Conventions
from crosscheck.errors import CrosscheckError, UsageError
from crosscheck.measures import family
from crosscheck.measures.tied import refusal
from crosscheck.names import conventions_for, parse_measure
from crosscheck.testing import assert_agrees
from tests.programs.frame import Case, main
from tests.programs.real.planted import settings

#: Measures of which the first two that a setting changes are asked.
_MEASURES: tuple[str, ...] = ("nDCG@10", "AP", "P@5", "RR", "R@10", "bpref", "Rprec", "DCG@10", "NumRet")
_MEASURES += ("ERR@10", "SetF", "11pt_avg", "gm_map")


def _tried(metric: str, measures: list[str]) -> tuple[str, str]:
    """A word, and what is wrong; of several measures the first that it changes is asked."""
    for measure in measures:
        try:
            assert_agrees(metric, measure, timeout=120.0)
        except AssertionError as failed:
            line = str(failed).splitlines()[-1].strip()
            break
    else:
        return "agrees", ""  # nothing is printed that could be pasted
    if not line.startswith("assert_agrees("):
        return "no line", line
    try:
        eval(line, {"assert_agrees": assert_agrees})
    except (AssertionError, CrosscheckError) as failed:
        return "red", f"{line}: {' '.join(str(failed).splitlines()[:2])}"
    return "green", ""


def _cases(given: object) -> Iterator[Case]:
    for setting in settings():
        if read := [measure for measure in _MEASURES if _changes(setting, measure)]:
            kind = "value" if "=" in setting else "profile"
            yield Case(kind, setting, partial(_tried, f"native:{setting}", read[:2]))


def _changes(setting: str, measure: str) -> bool:
    """Whether a setting describes a measure, gives it values, leaves none of its axes open, and changes
    one."""
    parsed = parse_measure(measure)
    about = family(parsed.family)
    try:
        under = conventions_for(setting, parsed).known(about)
    except UsageError:
        return False
    changed = under.changes_from(Conventions())
    return not refusal(parsed, under) and any(axes()[axis].read_by(about) for axis in changed)


if __name__ == "__main__":
    sys.exit(main("tests.programs.pasted", __doc__, _cases))
