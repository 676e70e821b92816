"""All queries as dots, the reference's value against the candidate's."""

from __future__ import annotations

from collections import Counter

from crosscheck.errors import count
from crosscheck.report.charts.svg import Drawing, Scale, dot, kinds, label, line, num, ticks_across
from crosscheck.report.page import Chart, Mark, flat
from crosscheck.report.tables import contrast

_LEFT, _RIGHT, _TOP, _BOTTOM = 56, 446, 12, 402
#: Most dots that are drawn, and most lines of the legend.
_DOTS, _LEGEND = 1500, 8


def dots(chart: Chart) -> Drawing:
    """A dot per mark, with one scale for both axes; whiskers span the values over all orders of ties."""
    shown = sorted(chart.marks, key=lambda mark: -abs(mark.candidate - mark.reference))[:_DOTS]
    values = [v for m in shown for v in (m.reference, m.candidate, m.low, m.high) if v is not None]
    low, high = min(values), max(values)
    low = 0.0 if 0 <= low <= high - low else low
    across, up = Scale(low, high, _LEFT, _RIGHT), Scale(low, high, _BOTTOM, _TOP)
    parts = ticks_across(across, _TOP, _BOTTOM)
    for value, text in up.ticks:
        parts.append(line(_LEFT, up(value), _RIGHT, up(value), "grid"))
        parts.append(label(_LEFT - 8, up(value) + 4, text, "muted end"))
    middle = (_TOP + _BOTTOM) / 2
    parts += [
        line(_LEFT, _BOTTOM, _RIGHT, _TOP, "diagonal"),
        label((_LEFT + _RIGHT) / 2, _BOTTOM + 37, f"{chart.sides[0]} (reference)", "middle", 48),
        f'<g transform="translate(12 {middle:.0f}) rotate(-90)">',
        label(0, 0, f"{chart.sides[1]} (candidate)", "middle", 48),
        "</g>",
    ]
    colors = kinds(mark.cause for mark in chart.marks)
    for mark in shown:
        if mark.low is not None and mark.high is not None:
            parts.append(_whisker(across(mark.reference), up(mark.low), up(mark.high)))
    for mark in reversed(shown):  # the largest differences on top
        x, y = across(mark.reference), up(mark.candidate)
        parts.append(dot(x, y, colors[mark.cause], _said(mark, chart.noun)))
    found = Counter(mark.cause for mark in chart.marks).most_common(_LEGEND)
    bottom = _BOTTOM + 64
    for cause, number in found if any(cause for cause, _ in found) else []:
        parts.append(dot(_LEFT + 6, bottom - 4, colors[cause]))
        said = f"{cause or 'no difference'}: {count(number, chart.noun)}"
        parts.append(label(_LEFT + 20, bottom, said, "ink", 58))
        bottom += 20
    rest = len(chart.marks) - len(shown) + chart.omitted
    if rest:
        parts.append(label(_RIGHT, bottom, f"{rest:,} more not drawn", "muted end"))
        bottom += 20
    return Drawing(chart.title, chart.caption, 460, bottom - 10, parts)


def _said(mark: Mark, noun: str) -> str:
    values = contrast(mark.reference, mark.candidate)
    text = f"{noun} {flat(mark.label)}: {values.reference} to {values.candidate} ({values.delta})"
    return f"{text}, {mark.cause}" if mark.cause else text


def _whisker(x: float, low: float, high: float) -> str:
    caps = "".join(f"M{num(x - 3)} {num(y)}h6" for y in (low, high))
    return f'<path class="whisker" d="M{num(x)} {num(low)}V{num(high)}{caps}"/>'
