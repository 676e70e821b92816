"""All queries, the reference's value against the candidate's."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from crosscheck.report._figures import contrast, count
from crosscheck.report.charts.chart import Chart
from crosscheck.report.charts.svg import Scale, label, line, mark

__all__ = ["Dot", "dots"]

_LEFT, _RIGHT, _TOP, _BOTTOM = 56, 446, 12, 402
#: Dots and legend lines that are drawn.
_DOTS, _LEGEND = 1500, 8


@dataclass(frozen=True, slots=True)
class Dot:
    """One query; ``band`` is what any order of its tied documents gives, worst and best."""

    query: str
    reference: float
    candidate: float
    cause: str = ""
    band: tuple[float, float] | None = None

    @property
    def difference(self) -> float:
        return self.candidate - self.reference


def dots(measure: str, sides: tuple[str, str], found: Sequence[Dot], *, equal: int = 0) -> Chart | None:
    """A dot per query that differs, with the diagonal on which ``equal`` others are.

    None where no query has two finite values.
    """
    finite = [dot for dot in found if math.isfinite(dot.reference) and math.isfinite(dot.candidate)]
    if not finite:
        return None
    shown = sorted(finite, key=lambda dot: -abs(dot.difference))[:_DOTS]
    bands = [value for dot in shown for value in dot.band or () if math.isfinite(value)]
    values = [*bands, *(dot.reference for dot in shown), *(dot.candidate for dot in shown)]
    low = min(values)
    low = 0.0 if 0 <= low <= (max(values) - low) else low
    across, up = Scale(low, max(values), _LEFT, _RIGHT), Scale(low, max(values), _BOTTOM, _TOP)
    kinds = {cause: place for place, (cause, _) in enumerate(Counter(d.cause for d in shown).most_common())}
    parts = []
    for value, text in across.ticks:
        x, y = across(value), up(value)
        parts += [
            line(x, _TOP, x, _BOTTOM, "grid"),
            line(_LEFT, y, _RIGHT, y, "grid"),
            label(x, _BOTTOM + 17, text, "muted middle"),
            label(_LEFT - 8, y + 4, text, "muted end"),
        ]
    parts.append(line(_LEFT, _BOTTOM, _RIGHT, _TOP, "diagonal"))
    parts.append(label((_LEFT + _RIGHT) / 2, _BOTTOM + 37, f"{sides[0]} (reference)", "middle", 48))
    parts.append(f'<g transform="translate(12 {(_TOP + _BOTTOM) / 2:.0f}) rotate(-90)">')
    parts.append(label(0, 0, f"{sides[1]} (candidate)", "middle", 48) + "</g>")
    for dot in shown:
        if dot.band and all(map(math.isfinite, dot.band)):
            parts += _whisker(across(dot.reference), up(dot.band[0]), up(dot.band[1]))
    for dot in reversed(shown):  # the largest differences on top
        said = contrast(dot.reference, dot.candidate)
        what = f"query {dot.query}: {said.reference} to {said.candidate} ({said.delta}) {dot.cause}".rstrip()
        parts.append(mark(across(dot.reference), up(dot.candidate), kinds[dot.cause], what))
    bottom = _BOTTOM + 60
    if any(kinds):
        for cause, place in list(kinds.items())[:_LEGEND]:
            number = sum(dot.cause == cause for dot in shown)
            parts.append(mark(_LEFT + 6, bottom - 4, place))
            parts.append(
                label(_LEFT + 20, bottom, f"{cause or 'no cause'}: {count(number, 'query')}", "ink", 58)
            )
            bottom += 20
    return Chart(
        "queries",
        f"{measure}: {sides[1]} against {sides[0]}, query by query",
        _caption(found, shown, equal, bool(bands)),
        [("query", False), ("reference", True), ("candidate", True), ("change", True), ("cause", False)],
        [[d.query, *contrast(d.reference, d.candidate), d.cause] for d in shown],
        460,
        bottom,
        "\n".join(parts),
    )


def _whisker(x: float, worst: float, best: float) -> list[str]:
    return [
        line(x, worst, x, best, "whisker"),
        line(x - 3, worst, x + 3, worst, "whisker"),
        line(x - 3, best, x + 3, best, "whisker"),
    ]


def _caption(found: Sequence[Dot], shown: Sequence[Dot], equal: int, bands: bool) -> str:
    more, less = sum(d.difference > 0 for d in shown), sum(d.difference < 0 for d in shown)
    text = f"Higher on {count(more, 'query')}, lower on {less:,}."
    if equal:
        text += f" {equal:,} more agree and lie on the diagonal, not drawn."
    if bands:
        text += " Whiskers: what any order of the tied documents gives."
    finite = sum(math.isfinite(dot.reference) and math.isfinite(dot.candidate) for dot in found)
    if finite > len(shown):
        text += f" The {len(shown):,} largest differences of {finite:,} are drawn."
    if finite < len(found):
        text += f" {count(len(found) - finite, 'query')} without two numbers not drawn."
    return text
