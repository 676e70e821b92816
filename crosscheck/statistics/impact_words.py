"""The impact of a disagreement in plain words: one paragraph, and notes on what is not known."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from crosscheck.errors import quoted
from crosscheck.results import Impact, SignificanceChange, SwappedPair
from crosscheck.statistics.paired import PairedTest

__all__ = ["TEST_NAMES", "notes", "summary"]

TEST_NAMES = {
    "sign": "sign test",
    "wilcoxon": "Wilcoxon signed-rank test",
    "t": "paired t-test",
    "randomisation": "randomisation test",
}


def summary(found: Impact) -> str:
    """An impact in one paragraph, starting with the answer."""
    measured = f"{quoted(found.candidate)[1:-1]} instead of {quoted(found.reference)[1:-1]}"
    if not found.changed:
        same = f"Nothing changes: {found.measure} has the same {found.values:,} values"
        return f"{same} under {measured}, so every conclusion stays."
    parts = [_answer(found, measured), _ranking(found), _significance(found), _means(found), _queries(found)]
    return " ".join(part for part in parts if part)


def _answer(found: Impact, measured: str) -> str:
    moved = f"{found.changed:,} of {_count(found.values, 'value')} of {found.measure}"
    verb = "changes" if found.changed == 1 else "change"
    where = f"{moved} {verb} under {measured}"
    if found.affected is None:
        return f"No conclusion can be compared, although {where}."
    if found.affected:
        return f"Conclusions change: {where}."
    return f"No conclusion changes, although {where}."


def _ranking(found: Impact) -> str:
    ranked = sum(1 for s in found.systems if s.reference_rank is not None and s.candidate_rank is not None)
    if ranked < 2:
        return ""
    tau = "" if found.tau.value is None else f" (Kendall's {found.tau.name} {found.tau.value:.3f}"
    if tau and found.tau_ap.value is not None:
        tau += f", {found.tau_ap.name} {found.tau_ap.value:.3f}"
    tau += ")" if tau else ""
    if not found.swaps:
        return f"The ranking of the {ranked} systems stays the same{tau}."
    pairs = ranked * (ranked - 1) // 2
    told = "; ".join(_swap(swap) for swap in found.swaps[:3])
    more = f"; and {len(found.swaps) - 3} more" if len(found.swaps) > 3 else ""
    return (
        f"The ranking of the {ranked} systems changes: {len(found.swaps)} of {_count(pairs, 'pair')}"
        f"{tau}: {told}{more}."
    )


def _swap(swap: SwappedPair) -> str:
    better, worse = quoted(swap.better), quoted(swap.worse)
    match swap.change:
        case "swapped":
            return f"{worse} overtakes {better}"
        case "now tied":
            return f"{worse} draws level with {better}"
        case "no longer tied":
            return f"{worse} gets ahead of {better}, with which it was tied"


def _significance(found: Impact) -> str:
    if found.reference_significant is None and found.candidate_significant is None:
        return ""
    correction = f"{found.correction} over {_count(found.pairs, 'pair')}"
    how = f"{TEST_NAMES[found.test]}, {correction}, level {found.alpha:g}"
    if not found.significance:
        held = found.reference_significant or 0
        return f"No significant difference appears or vanishes ({held} before and after; {how})."
    told = "; ".join(_change(change) for change in found.significance[:3])
    more = f"; and {len(found.significance) - 3} more" if len(found.significance) > 3 else ""
    counts = _joined(
        f"{number} {kind}"
        for kind, number in (
            (kind, sum(c.change == kind for c in found.significance))
            for kind in ("vanished", "appeared", "reversed")
        )
        if number
    )
    return f"Significant differences change: {counts} ({how}): {told}{more}."


def _change(change: SignificanceChange) -> str:
    p = f"p {_p(change.reference_p)} before, {_p(change.candidate_p)} now"
    return f"{quoted(change.a)} and {quoted(change.b)} ({p})"


def _p(value: float | None) -> str:
    return "none" if value is None else "below 0.0001" if value < 0.0001 else f"{value:.4f}"


def _means(found: Impact) -> str:
    moved = [s for s in found.systems if s.difference is not None]
    if not moved:
        return ""
    farthest = max(moved, key=lambda s: abs(s.difference or 0.0))
    if not farthest.difference:
        return "No mean moves."
    return (
        f"The mean that moves farthest is that of {quoted(farthest.run)}: "
        f"{farthest.reference_value:.4f} to {farthest.candidate_value:.4f} ({farthest.difference:+.4f})."
    )


def _queries(found: Impact) -> str:
    named = _joined(quoted(move.query) for move in found.queries[:3])
    of = f"of the {found.moved:,} that move, " if found.moved > 3 else ""
    return f"Queries that cause it: {of}most of all {named}." if named else ""


def notes(
    found: Impact, left_out: Sequence[str], tests: Sequence[PairedTest] | None, unpaired: int
) -> list[str]:
    """Results that could not be computed, with the reasons.

    Args:
        left_out: systems for which one side has no values.
        tests: all tests of both sides, None if scipy is missing.
        unpaired: number of queries that some pair of systems cannot use.
    """
    said = [f"{quoted(name)} is left out: only one side has values of it." for name in left_out]
    said += [
        f"{quoted(system.run)} has no mean that is a number, so it is in no ranking."
        for system in found.systems
        if system.reference_value is None or system.candidate_value is None
    ]
    if len(found.systems) < 2:
        said.append(f"A ranking needs at least two systems, not {len(found.systems)}.")
    if tests is None:
        said.append("Significance was not tested: scipy is not installed (pip install 'crosscheck[stats]').")
    else:
        said += dict.fromkeys(test.note for test in tests if test.note is not None)
    if unpaired:
        said.append(
            f"{_count(unpaired, 'query')} without a value in some run: no test between it and another run"
            " uses them."
        )
    for system in found.systems:
        if system.reference_queries != system.candidate_queries:
            said.append(
                f"{quoted(system.run)} has {_count(system.reference_queries, 'value')} on one side and"
                f" {system.candidate_queries:,} on the other: its two means are over different queries."
            )
    return said


def _count(number: int, noun: str) -> str:
    if number == 1:
        return f"1 {noun}"
    return f"{number:,} {noun[:-1]}ies" if noun.endswith("ery") else f"{number:,} {noun}s"


def _joined(parts: Iterable[str]) -> str:
    *first, last = [*parts] or [""]
    return f"{', '.join(first)} and {last}" if first else last
