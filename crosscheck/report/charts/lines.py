"""Lines from the reference's value to the candidate's: queries by value, systems by rank."""

from __future__ import annotations

from crosscheck.report.charts.svg import Drawing, Scale, cut, disc, label, line, ring, ticks_across
from crosscheck.report.page import Chart, flat
from crosscheck.report.tables import contrast

_WIDTH, _ROW = 720, 24
#: Most queries and most systems that are drawn.
_QUERIES, _SYSTEMS = 25, 40


def queries(chart: Chart) -> Drawing:
    """One line per mark from the reference's value (ring) to the candidate's (disc), largest first."""
    shown = sorted(chart.marks, key=lambda mark: -abs(mark.candidate - mark.reference))[:_QUERIES]
    values = [value for mark in shown for value in (mark.reference, mark.candidate)]
    scale = Scale(min(0.0, *values), max(values), 230, _WIDTH - 90)
    top, bottom = 34, 38 + _ROW * len(shown)
    parts = [
        ring(22, 12),
        label(34, 16, f"reference: {chart.sides[0]}", "ink", 46),
        disc(372, 12),
        label(384, 16, f"candidate: {chart.sides[1]}", "ink", 46),
        *ticks_across(scale, top, bottom),
    ]
    for place, mark in enumerate(shown):
        y = top + _ROW * place + 14
        x, to = scale(mark.reference), scale(mark.candidate)
        delta = contrast(mark.reference, mark.candidate).delta
        parts += [
            label(222, y + 4, flat(mark.label), "ink end", 30),
            line(x, y, to, y, "drift"),
            ring(x, y),
            disc(to, y),
            label(_WIDTH - 16, y + 4, delta, "muted end"),
        ]
    rest = len(chart.marks) - len(shown)
    if rest:
        parts.append(label(_WIDTH - 16, bottom + 36, f"{rest:,} more not drawn", "muted end"))
    return Drawing(chart.title, chart.caption, _WIDTH, bottom + (44 if rest else 26), parts)


def systems(chart: Chart) -> Drawing:
    """Systems by their means on either side, joined by lines; one that changes rank is thicker."""
    shown = sorted(chart.marks, key=lambda mark: -mark.reference)[:_SYSTEMS]
    left, right, top = 250, _WIDTH - 250, 52
    means = [mark.reference for mark in shown], [mark.candidate for mark in shown]
    by_candidate = sorted(shown, key=lambda mark: -mark.candidate)
    # Places, not means: the order is what is shown, and names never overlap.
    after = {id(mark): place for place, mark in enumerate(by_candidate)}
    parts = [
        label(left + 6, 20, f"{chart.sides[0]} (reference)", "strong end", 38),
        label(right - 6, 20, f"{chart.sides[1]} (candidate)", "strong", 38),
    ]
    lines = []
    for place, mark in enumerate(shown):
        y, to = top + _ROW * place, top + _ROW * after[id(mark)]
        moved = _rank(mark.reference, means[0]) != _rank(mark.candidate, means[1])
        lines.append(line(left, y, right, to, "moved" if moved else "drift"))
        name = cut(flat(mark.label), 22)
        parts += [
            ring(left, y),
            disc(right, to),
            label(left - 14, y + 4, f"{name}  {mark.reference:.4f}", "ink end", 34),
            label(right + 14, to + 4, f"{mark.candidate:.4f}  {name}{' *' * moved}", "ink", 36),
        ]
    bottom = top + _ROW * len(shown)
    rest = len(chart.marks) - len(shown) + chart.omitted
    note = "* another rank than before" + (f"; {rest:,} more not drawn" if rest else "")
    parts.append(label(_WIDTH / 2, bottom + 10, note, "muted middle", 60))
    ordered = sorted(lines, key=lambda part: '"moved"' in part)
    return Drawing(chart.title, chart.caption, _WIDTH, bottom + 20, [*ordered, *parts])


def _rank(value: float, values: list[float]) -> int:
    """The number of values above this one: its rank from 0, which equal values share."""
    return sum(other > value for other in values)
