"""Bars: the steps from the reference's mean to the candidate's."""

from __future__ import annotations

from crosscheck.report.charts.svg import Drawing, Scale, disc, kinds, label, line, rect, ring, ticks_across
from crosscheck.report.page import Chart, flat
from crosscheck.report.tables import contrast

_WIDTH, _ROW, _LEFT, _RIGHT = 460, 46, 24, 372


def waterfall(chart: Chart) -> Drawing:
    """One bar per mark, each from where the last one ended.

    The bars are differences, so the scale need not begin at 0.
    """
    marks = chart.marks
    means = [value for mark in marks for value in (mark.reference, mark.candidate)]
    low, high = min(means), max(means)
    if 0 < low < high - low:  # zero is near enough to be shown
        low = 0.0
    scale = Scale(low, high, _LEFT, _RIGHT)
    bottom = _ROW * (len(marks) + 2)
    first, last = marks[0].reference, marks[-1].candidate
    ends = contrast(first, last)
    parts = [
        *ticks_across(scale, 6, bottom),
        *_line(0, f"reference: {chart.sides[0]}", ends.reference),
        ring(scale(first), 32),
    ]
    colors = kinds(flat(mark.label) for mark in marks)
    for place, mark in enumerate(marks, 1):
        y, cause = _ROW * place, flat(mark.label)
        start, end = scale(mark.reference), scale(mark.candidate)
        said = contrast(mark.reference, mark.candidate)
        what = f"{cause}: {said.reference} to {said.candidate} ({said.delta})"
        wide = max(abs(end - start), 1.5)
        parts.append(line(start, y - (8 if place == 1 else 7), start, y + 39, "axis"))
        parts += _line(y, cause, said.delta)
        parts.append(rect(min(start, end), y + 25, wide, 14, f"k{colors[cause]}", what))
    y = _ROW * (len(marks) + 1)
    parts.append(line(scale(last), y - 7, scale(last), y + 26, "axis"))
    parts += [*_line(y, f"candidate: {chart.sides[1]}", ends.candidate), disc(scale(last), y + 32)]
    return Drawing(chart.title, chart.caption, _WIDTH, bottom + 26, parts)


def _line(y: float, name: str, value: str) -> list[str]:
    return [label(_LEFT - 12, y + 17, name, "ink", 44), label(_WIDTH - 12, y + 32, value, "strong end")]
