"""The way from the reference's mean to the candidate's, one bar per cause."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from crosscheck.report._figures import contrast, count
from crosscheck.report.charts.chart import Chart
from crosscheck.report.charts.svg import Scale, disc, label, line, num, ring, titled

__all__ = ["Step", "waterfall"]

_WIDTH, _ROW, _LEFT, _RIGHT = 460, 46, 18, 442


@dataclass(frozen=True, slots=True)
class Step:
    """A cause, and the mean once it is added to those before it; ``kind`` is its colour."""

    cause: str
    mean: float
    kind: int = 0


def waterfall(measure: str, sides: tuple[str, str], reference: float, steps: Sequence[Step]) -> Chart:
    """From the reference's mean over every step to the last one, which is the candidate's.

    The bars are differences, so the scale need not begin at 0.
    """
    candidate = steps[-1].mean
    means = [reference, *(step.mean for step in steps)]
    low, high = min(means), max(means)
    if low > 0 and low < high - low:  # zero is near enough to be shown
        low = 0.0
    scale = Scale(low, high, _LEFT, _RIGHT)
    bottom = _ROW * (len(steps) + 2)
    parts = []
    for value, text in scale.ticks:
        x = scale(value)
        parts += [line(x, 6, x, bottom, "grid"), label(x, bottom + 16, text, "muted middle")]
    first, last = contrast(reference, candidate)[:2]
    parts += [*_end(0, f"reference: {sides[0]}", first), ring(scale(reference), 32)]
    rows = [[f"reference: {sides[0]}", first, ""]]
    before = reference
    for place, step in enumerate(steps, 1):
        y = _ROW * place
        start, end = scale(before), scale(step.mean)
        change = contrast(before, step.mean)
        parts += [
            line(start, y - 14 if place == 1 else y - 8, start, y + 38, "axis"),
            *_end(y, step.cause, change.delta),
            f'<rect class="k{step.kind % 8}" x="{num(min(start, end))}" y="{y + 25}" rx="2"'
            f' width="{num(max(abs(end - start), 1.5))}" height="14">'
            f"{titled(f'{step.cause}: {change.reference} to {change.candidate} ({change.delta})')}</rect>",
        ]
        rows.append([step.cause, change.candidate, change.delta])
        before = step.mean
    y = _ROW * (len(steps) + 1)
    parts += [
        line(scale(candidate), y - 8, scale(candidate), y + 32, "axis"),
        *_end(y, f"candidate: {sides[1]}", last),
        disc(scale(candidate), y + 32),
    ]
    rows.append([f"candidate: {sides[1]}", last, contrast(reference, candidate).delta])
    return Chart(
        "waterfall",
        f"{measure}: the mean, from {sides[0]} to {sides[1]}",
        _caption(steps, reference),
        [("", False), ("mean", True), ("change", True)],
        rows,
        _WIDTH,
        bottom + 26,
        "\n".join(parts),
    )


def _end(y: float, name: str, value: str) -> list[str]:
    return [label(_LEFT - 8, y + 17, name, "ink", 46), label(_RIGHT + 10, y + 17, value, "strong end")]


def _caption(steps: Sequence[Step], reference: float) -> str:
    change = contrast(reference, steps[-1].mean).delta or "0"
    if len(steps) == 1:
        return f"{steps[0].cause} moves the mean by {change}."
    order = "in the order of an evaluation; another order would share the same sum out otherwise"
    return f"{count(len(steps), 'cause')} together move the mean by {change}, {order}."
