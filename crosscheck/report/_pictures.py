"""Pictures of a disagreement: the queries, their differences in order, and the ranking of the systems.

Each is a pure function from numbers to a whole SVG file.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from crosscheck.impact_records import Impact
from crosscheck.report._escape import clip
from crosscheck.report._figures import contrast, count
from crosscheck.report._svg import WIDTH, Scale, caption, cut, drawing, escaped, label, num
from crosscheck.results import Comparison, as_float

__all__ = [
    "Picture",
    "Row",
    "comparison_pictures",
    "differences",
    "dumbbells",
    "impact_pictures",
    "numbered",
    "ranking",
]

#: Queries drawn one by one, bars drawn side by side, systems drawn in a ranking.
_QUERIES, _BARS, _SYSTEMS = 25, 300, 40
_ROW = 22


@dataclass(frozen=True, slots=True)
class Picture:
    """A drawing that is written beside a Markdown file.

    Attributes:
        name: ends its file name; alt: says what it shows; svg: the drawing itself.
    """

    name: str
    alt: str
    svg: str


@dataclass(frozen=True, slots=True)
class Row:
    """One query (or query and run), with both values; both are finite."""

    label: str
    reference: float
    candidate: float

    @property
    def difference(self) -> float:
        return self.candidate - self.reference


def numbered(pictures: Sequence[Picture], place: int) -> list[Picture]:
    """The pictures with names that start with a number, for several sets of them side by side."""
    return [replace(picture, name=f"{place}-{picture.name}") for picture in pictures]


def impact_pictures(impact: Impact) -> list[Picture]:
    """The ranking before and after, the queries that move most and their differences in order."""
    if not impact.changed:
        return []
    rows = [
        Row(f"{move.query} ({move.run})", move.reference, move.candidate)
        for move in impact.queries
        if move.reference is not None and move.candidate is not None
    ]
    sides = (impact.reference, impact.candidate)
    ranked = [s.run for s in impact.systems if s.reference is not None and s.candidate is not None]
    drawn = [ranking(impact)] if len(ranked) > 1 else []
    if rows:
        drawn += [dumbbells(f"{impact.measure}: queries that move most", rows, sides)]
        drawn += [differences(f"{impact.measure}: their differences in order", rows, sides)]
    return drawn


def comparison_pictures(comparison: Comparison) -> list[Picture]:
    """The queries on which reference and candidate differ, and their differences in order."""
    rows = []
    for cell in comparison.cells:
        if cell.reference is not None and cell.candidate is not None:
            row = Row(cell.query, as_float(cell.reference), as_float(cell.candidate))
            if math.isfinite(row.reference) and math.isfinite(row.candidate):
                rows.append(row)
    if not rows:
        return []
    sides = (comparison.reference, comparison.candidate)
    where = f"{comparison.measure} of {comparison.case} / {comparison.run}"
    return [dumbbells(where, rows, sides), differences(where, rows, sides)]


def dumbbells(title: str, rows: Sequence[Row], sides: tuple[str, str]) -> Picture:
    """One line per query from the reference's value (ring) to the candidate's (disc), largest first."""
    shown = sorted(rows, key=lambda row: -abs(row.difference))[:_QUERIES]
    values = [value for row in shown for value in (row.reference, row.candidate)]
    scale = Scale(min(0.0, *values), max(values), 230, WIDTH - 90)
    top, bottom = 70, 70 + _ROW * len(shown)
    parts = [*_legend(44, sides), *_axis(scale, top - 8, bottom)]
    for place, row in enumerate(shown):
        y = top + _ROW * place + 8
        x, to = scale(row.reference), scale(row.candidate)
        parts += [
            label(222, y + 4, row.label, "ink end", 30),
            f'<line class="link" x1="{num(x)}" x2="{num(to)}" y1="{num(y)}" y2="{num(y)}"/>',
            _ring(x, y),
            f'<circle class="cand" cx="{num(to)}" cy="{num(y)}" r="4"/>',
            label(WIDTH - 16, y + 4, contrast(row.reference, row.candidate).delta, "muted end"),
        ]
    rest = len(rows) - len(shown)
    more = f"{count(rest, 'more query')} not drawn. " if rest else ""
    parts.append(caption(bottom + 36, f"{more}Right: candidate minus reference."))
    said = "; ".join(f"{clip(r.label)}: {r.reference:.4f} to {r.candidate:.4f}" for r in shown)
    alt = f"{title}: from {sides[0]} to {sides[1]}, {count(len(shown), 'query')}"
    return Picture("queries", alt, drawing("queries", title, f"{alt}. {said}", bottom + 50, parts))


def differences(title: str, rows: Sequence[Row], sides: tuple[str, str]) -> Picture:
    """One bar per query, candidate minus reference, from the largest gain to the largest loss."""
    ordered = sorted(rows, key=lambda row: -row.difference)
    half = _BARS // 2
    shown = ordered if len(ordered) <= _BARS else [*ordered[:half], *ordered[-half:]]
    sizes = [row.difference for row in shown]
    scale = Scale(min(0.0, *sizes), max(0.0, *sizes), 250, 60)
    left, right = 70, WIDTH - 16
    parts = [label(16, 44, f"{cut(sides[1], 40)} minus {cut(sides[0], 40)}, one bar per query", "muted", 110)]
    for value, text in scale.ticks:
        at = num(scale(value))
        parts.append(f'<line class="grid" x1="{left}" x2="{right}" y1="{at}" y2="{at}"/>')
        parts.append(label(left - 6, scale(value) + 4, text, "muted end"))
    zero = scale(0.0)
    parts.append(f'<line class="link" x1="{left}" x2="{right}" y1="{num(zero)}" y2="{num(zero)}"/>')
    step = (right - left) / len(shown)
    wide = min(40.0, max(1.0, step * 0.8))
    for place, row in enumerate(shown):
        y = scale(row.difference)
        x = left + step * place + (step - wide) / 2
        what = f"{row.label}: {contrast(row.reference, row.candidate).delta}"
        parts.append(
            f'<rect class="cand" x="{num(x)}" y="{num(min(y, zero))}" width="{num(wide)}"'
            f' height="{num(max(abs(y - zero), 0.5))}"><title>{escaped(what)}</title></rect>'
        )
    gains, losses = sum(size > 0 for size in sizes), sum(size < 0 for size in sizes)
    first, last = ordered[0], ordered[-1]
    ends = f"From {first.label} ({first.difference:+.4f}) to {last.label} ({last.difference:+.4f})"
    rest = (
        f"; {count(len(ordered) - len(shown), 'query')} in the middle not drawn"
        if len(shown) < len(ordered)
        else ""
    )
    parts.append(caption(278, f"{ends}. Higher on {gains:,}, lower on {losses:,}{rest}."))
    alt = f"{title}: {sides[1]} minus {sides[0]}, higher on {gains:,} and lower on {losses:,} queries"
    return Picture("differences", alt, drawing("differences", title, f"{alt}. {ends}.", 292, parts))


def ranking(impact: Impact) -> Picture:
    """The systems by their means on either side, joined by lines; a system that changes rank is thicker."""
    systems = [s for s in impact.systems if s.reference is not None and s.candidate is not None][:_SYSTEMS]
    height = 96 + _ROW * len(systems)
    left, right = 250, WIDTH - 250
    # Places, not means: the order is what is shown, and names never overlap.
    before = {s.run: place for place, s in enumerate(systems)}
    by_candidate = sorted(systems, key=lambda s: (s.candidate_rank or 0, before[s.run]))
    after = {s.run: place for place, s in enumerate(by_candidate)}
    parts = [
        label(left - 10, 52, clip(impact.reference), "muted end", 36),
        label(right + 10, 52, clip(impact.candidate), "muted", 36),
    ]
    for s in systems:
        y, to = 76 + _ROW * before[s.run], 76 + _ROW * after[s.run]
        moved = s.reference_rank != s.candidate_rank
        mark = " *" if moved else ""
        parts += [
            f'<line class="{"moved" if moved else "link"}" x1="{left}" x2="{right}" y1="{y}" y2="{to}"/>',
            _ring(left, y),
            f'<circle class="cand" cx="{right}" cy="{to}" r="5"/>',
            label(left - 12, y + 4, f"{cut(s.run, 22)}  {s.reference:.4f}", "ink end", 34),
            label(right + 12, to + 4, f"{s.candidate:.4f}  {cut(s.run, 22)}{mark}", "ink", 36),
        ]
    rest = len(impact.systems) - len(systems)
    more = f"; {count(rest, 'more system')} not drawn" if rest else ""
    parts.append(caption(height - 8, f"* another rank than before{more}"))
    title = f"{impact.measure}: ranking of the systems before and after"
    said = "; ".join(
        f"{clip(s.run)}: rank {s.reference_rank} ({s.reference:.4f})"
        f" to {s.candidate_rank} ({s.candidate:.4f})"
        for s in systems
    )
    alt = f"{title}, by {impact.reference} and by {impact.candidate}"
    return Picture("ranking", alt, drawing("ranking", title, f"{alt}. {said}", height, parts))


def _legend(y: float, sides: tuple[str, str]) -> list[str]:
    return [
        _ring(22, y),
        label(34, y + 4, f"reference: {clip(sides[0])}", "ink", 46),
        f'<circle class="cand" cx="372" cy="{num(y)}" r="5"/>',
        label(384, y + 4, f"candidate: {clip(sides[1])}", "ink", 46),
    ]


def _ring(x: float, y: float) -> str:
    """The mark of the reference; the paper covers the line behind it."""
    at = f'cx="{num(x)}" cy="{num(y)}" r="5"'
    return f'<circle class="paper" {at}/><circle class="ref" {at}/>'


def _axis(scale: Scale, top: float, bottom: float) -> list[str]:
    parts = []
    for value, text in scale.ticks:
        x = num(scale(value))
        parts.append(f'<line class="grid" x1="{x}" x2="{x}" y1="{num(top)}" y2="{num(bottom)}"/>')
        parts.append(label(scale(value), bottom + 16, text, "muted middle"))
    return parts
