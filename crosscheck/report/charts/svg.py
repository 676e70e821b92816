"""A drawing, and its parts: escaped text, coordinates, marks and a scale."""

from __future__ import annotations

import html
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from crosscheck.report.charts.colors import file_style
from crosscheck.report.words import clip

#: Outlines of the marks around (0, 0), about ten wide: causes differ in shape as well as in colour.
_SHAPES = (
    "M0-5A5 5 0 1 1 0 5A5 5 0 1 1 0-5Z",
    "M-4.5-4.5H4.5V4.5H-4.5Z",
    "M0-6L5.6 4.2H-5.6Z",
    "M0-6.4L6.4 0L0 6.4L-6.4 0Z",
    "M0 6L5.6-4.2H-5.6Z",
    "M-1.9-5.6H1.9V-1.9H5.6V1.9H1.9V5.6H-1.9V1.9H-5.6V-1.9H-1.9Z",
    "M-5.2-2.6L-2.6-5.2L0-2.6L2.6-5.2L5.2-2.6L2.6 0L5.2 2.6L2.6 5.2L0 2.6L-2.6 5.2L-5.2 2.6L-2.6 0Z",
    "M0-3A3 3 0 1 1 0 3A3 3 0 1 1 0-3Z",
)


def escaped(text: str, limit: int = 200) -> str:
    """Text from outside as XML character data: nothing invisible, no markup."""
    return html.escape(clip(text, limit))


def cut(text: str, limit: int) -> str:
    """Text of at most ``limit`` characters; names often differ at their ends, so the middle is left out."""
    shown, half = clip(text, 10_000), limit // 2
    return shown if len(shown) <= limit else f"{shown[: limit - half - 1]}…{shown[-half:]}"


def titled(text: str) -> str:
    """An SVG ``title`` element, which viewers show as a tooltip."""
    return f"<title>{escaped(text, 400)}</title>"


def label(x: float, y: float, text: str, classes: str = "ink", limit: int = 26) -> str:
    """One line of text, cut to ``limit`` characters; a cut line has the whole text as its tooltip."""
    shown = cut(text, limit)
    whole = titled(text) if "…" in shown else ""
    return f'<text x="{num(x)}" y="{num(y)}" class="{classes}">{whole}{html.escape(shown)}</text>'


def line(x: float, y: float, to_x: float, to_y: float, classes: str) -> str:
    """A straight line."""
    return f'<path class="{classes}" d="M{num(x)} {num(y)}L{num(to_x)} {num(to_y)}"/>'


def rect(x: float, y: float, width: float, height: float, classes: str, title: str = "") -> str:
    """A bar, with a tooltip."""
    at = f'x="{num(x)}" y="{num(y)}" width="{num(width)}" height="{num(height)}"'
    return f'<rect class="{classes}" {at} rx="1.5">{titled(title)}</rect>'


def kinds(causes: Iterable[str]) -> dict[str, int]:
    """The number of each cause, for its colour and shape; the empty cause (none) is a small grey dot."""
    named = sorted(set(causes) - {""})
    return {"": len(_SHAPES) - 1} | {cause: place % (len(_SHAPES) - 1) for place, cause in enumerate(named)}


def dot(x: float, y: float, kind: int, title: str = "") -> str:
    """The mark of a cause."""
    at = f'class="dot k{kind}" transform="translate({num(x)} {num(y)})" d="{_SHAPES[kind]}"'
    return f"<path {at}>{titled(title)}</path>" if title else f"<path {at}/>"


def ring(x: float, y: float) -> str:
    """The mark of the reference."""
    return f'<circle class="ref" cx="{num(x)}" cy="{num(y)}" r="5"/>'


def disc(x: float, y: float) -> str:
    """The mark of the candidate."""
    return f'<circle class="cand" cx="{num(x)}" cy="{num(y)}" r="5"/>'


def num(value: float) -> str:
    """A coordinate with at most two decimals."""
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


#: Larger numbers are drawn at the edge, because their differences could overflow.
_LARGEST = 1e300


class Scale:
    """A map from numbers to pixels; ``ticks``: a few round numbers as (value, text)."""

    def __init__(self, low: float, high: float, start: float, end: float) -> None:
        low, high = max(low, -_LARGEST), min(high, _LARGEST)
        size = max(abs(low), abs(high))
        if high - low <= max(1e-9 * size, 1e-290):  # all at one place
            pad = size / 2 if size > 1e-290 else 1.0
            low, high = low - pad, high + pad
        power = 10.0 ** math.floor(math.log10((high - low) / 4))
        step = power * next((f for f in (1, 2, 5) if (high - low) / (power * f) <= 6), 10)
        self.low, self.high = math.floor(low / step + 1e-9) * step, math.ceil(high / step - 1e-9) * step
        self._start, self._per_unit = start, (end - start) / (self.high - self.low)
        count = round((self.high - self.low) / step)
        self.ticks = [(self.low + i * step, _text(self.low + i * step, step)) for i in range(count + 1)]

    def __call__(self, value: float) -> float:
        return self._start + (min(max(value, self.low), self.high) - self.low) * self._per_unit


def _text(value: float, step: float) -> str:
    """The text of a tick with as many decimals as the step has: 0.2580 and 0.2585 for the step 0.0005."""
    if abs(value) < step / 2:
        return "0"
    return f"{value:.{max(0, min(12, -math.floor(math.log10(step))))}f}" if step < 1 else f"{value:g}"


def ticks_across(scale: Scale, top: float, bottom: float) -> list[str]:
    """Upright lines at the ticks, with their numbers below."""
    parts = []
    for value, text in scale.ticks:
        x = scale(value)
        parts += [line(x, top, x, bottom, "grid"), label(x, bottom + 17, text, "muted middle")]
    return parts


@dataclass(frozen=True, slots=True)
class Drawing:
    """SVG elements with their size in pixels, and a title and a caption that describe them."""

    title: str
    caption: str
    width: float
    height: float
    parts: Sequence[str]

    def file(self) -> str:
        """The drawing as a file of its own, with its title above and its caption below."""
        width, height = num(self.width), num(self.height + 64)
        body = "\n".join(self.parts)
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}"'
            f' height="{height}" role="img" aria-labelledby="title desc">\n'
            f'<title id="title">{escaped(self.title)}</title>\n'
            f'<desc id="desc">{escaped(self.caption, 2000)}</desc>\n'
            f'<style>{file_style()}</style>\n<rect class="paper" width="{width}" height="{height}"/>\n'
            f"{label(16, 24, self.title, 'head', int(self.width / 7.5))}\n"
            f'<g transform="translate(0 38)">\n{body}\n</g>\n'
            f"{label(16, self.height + 54, self.caption, 'muted', int(self.width / 6.2))}\n</svg>\n"
        )
