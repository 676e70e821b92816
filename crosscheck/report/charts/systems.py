"""The ranking of the systems before and after."""

from __future__ import annotations

from crosscheck.impact_records import Impact
from crosscheck.report._figures import contrast, count
from crosscheck.report.charts.chart import Chart
from crosscheck.report.charts.svg import cut, disc, label, line, ring

__all__ = ["systems"]

_WIDTH, _ROW, _TOP = 720, 24, 56
#: Systems drawn in a ranking.
_SYSTEMS = 40


def systems(impact: Impact) -> Chart | None:
    """The systems by their means on either side, joined by lines; one that changes rank is thicker.

    None where fewer than two have a mean on both sides.
    """
    ranked = [s for s in impact.systems if s.reference is not None and s.candidate is not None]
    if len(ranked) < 2:
        return None
    shown = ranked[:_SYSTEMS]
    left, right = 250, _WIDTH - 250
    # Places, not means: the order is what is shown, and names never overlap.
    before = {s.run: place for place, s in enumerate(shown)}
    by_candidate = sorted(shown, key=lambda s: (s.candidate_rank or 0, before[s.run]))
    after = {s.run: place for place, s in enumerate(by_candidate)}
    parts = [
        label(left + 6, 24, f"{impact.reference} (reference)", "strong end", 38),
        label(right - 6, 24, f"{impact.candidate} (candidate)", "strong", 38),
    ]
    lines, rows = [], []
    for s in shown:
        y, to = _TOP + _ROW * before[s.run], _TOP + _ROW * after[s.run]
        moved = s.reference_rank != s.candidate_rank
        lines.append(line(left, y, right, to, "moved" if moved else "drift"))
        parts += [
            ring(left, y),
            disc(right, to),
            label(left - 14, y + 4, f"{cut(s.run, 22)}  {s.reference:.4f}", "ink end", 34),
            label(right + 14, to + 4, f"{s.candidate:.4f}  {cut(s.run, 22)}{' *' * moved}", "ink", 36),
        ]
        means = contrast(s.reference, s.candidate)
        rows.append([s.run, str(s.reference_rank), str(s.candidate_rank), *means])
    moves = sum(s.reference_rank != s.candidate_rank for s in shown)
    caption = f"{count(moves, 'system')} of {len(shown):,} {'changes' if moves == 1 else 'change'} rank (*)."
    if not moves:
        caption = f"None of {count(len(shown), 'system')} changes rank."
    if len(ranked) > len(shown):
        caption += f" {count(len(ranked) - len(shown), 'more system')} not drawn."
    return Chart(
        "ranking",
        f"{impact.measure}: ranking of the systems before and after",
        caption,
        [
            ("system", False),
            ("rank", True),
            ("rank now", True),
            ("mean", True),
            ("now", True),
            ("change", True),
        ],
        rows,
        _WIDTH,
        _TOP + _ROW * len(shown),
        "\n".join([*sorted(lines, key=lambda part: "moved" in part), *parts]),
    )
