"""The counterexamples of a report: for each deviation, and for each kind of input that nothing explains."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from crosscheck.audit_records import Counterexample
from crosscheck.auditing.counterexamples import Found, Hunt
from crosscheck.auditing.differences import REFUSES, UNEXPLAINED, Differences
from crosscheck.auditing.leaks import LEAK
from crosscheck.axes import likeliest
from crosscheck.axes.ties import TIES
from crosscheck.conventions import AxisValue, Conventions
from crosscheck.diagnosis.causes import causes

__all__ = ["examples"]

_NO_RULE = "ties are ordered by no known rule: some order of the tied documents gives exactly this value"


def examples(
    hunt: Hunt,
    base: Conventions,
    found: Conventions,
    differences: Differences,
    shown: Callable[[Found, str, str, str], Counterexample],
) -> list[Counterexample]:
    """The smallest inputs found that show each deviation of a metric.

    Args:
        found: the metric's conventions.
        shown: makes the record from a counterexample, its label, its explanation and a note.
    """
    made = [
        *_of_no_rule(hunt, differences),
        *_of_axes(hunt, base, found),
        *_of_differences(hunt, differences),
    ]
    return [shown(example, *words) for example, *words in made if example is not None]


_Made = tuple[Found | None, str, str, str]


def _of_no_rule(hunt: Hunt, differences: Differences) -> Iterator[_Made]:
    yield hunt.of_nothing_known(differences.tied), TIES.label, _NO_RULE, ""


def _of_axes(hunt: Hunt, base: Conventions, found: Conventions) -> Iterator[_Made]:
    changed = found.changes_from(base)
    for axis in likeliest():
        if axis.name in changed:
            sides = base.plain(axis.name), changed[axis.name]
            note = _depth_note(sides) if axis.name in ("depth", "rr_cutoff") else ""
            yield hunt.of_axis(axis.name), axis.label, axis.describe(*sides), note


def _of_differences(hunt: Hunt, differences: Differences) -> Iterator[_Made]:
    leak, refused, unexplained, beyond = differences[:4]
    if leak is not None:
        example = hunt.as_it_is(leak) if len(leak.queries) == 2 else hunt.of_nothing_known([leak])
        yield example, LEAK, causes()[LEAK].summary, ""
    if refused:
        example = hunt.of_refusal([refusal.probe for refusal in refused])
        said = (example.seen.error if example is not None else None) or "it gives no value"
        yield example, REFUSES, f"{causes()[REFUSES].summary}: {said}", ""
    if unexplained or beyond is not None:
        example = hunt.of_nothing_known(unexplained) if unexplained else beyond
        yield example, UNEXPLAINED, causes()[UNEXPLAINED].summary, ""


def _depth_note(sides: Sequence[AxisValue]) -> str:
    rank = min(side for side in sides if isinstance(side, int))
    return f"it takes {rank + 1} retrieved documents to show: up to rank {rank} nothing differs"
