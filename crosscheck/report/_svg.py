"""The parts of a drawing: a frame that reads in light and dark, escaped text, and a scale.

Colours are a help only: reference and candidate differ in shape as well, and every number that matters
stands beside its mark.
"""

from __future__ import annotations

import html
import math
from collections.abc import Iterable

from crosscheck.report._escape import clip

__all__ = ["WIDTH", "Scale", "caption", "cut", "drawing", "escaped", "label", "num"]

WIDTH = 720
_FONT = "system-ui, -apple-system, 'Segoe UI', Helvetica, Arial, sans-serif"
#: class -> (property, light, dark); contrast with the paper is at least 4.5 : 1 for everything that is read.
_COLORS = {
    "paper": ("fill", "#ffffff", "#0d1117"),
    "ink": ("fill", "#1f2328", "#e6edf3"),
    "muted": ("fill", "#59636e", "#9198a1"),
    "grid": ("stroke", "#d1d9e0", "#3d444d"),
    "link": ("stroke", "#59636e", "#9198a1"),
    "ref": ("stroke", "#0969da", "#58a6ff"),
    "cand": ("fill", "#bc4c00", "#f0883e"),
    "moved": ("stroke", "#bc4c00", "#f0883e"),
}


def drawing(name: str, title: str, description: str, height: float, parts: Iterable[str]) -> str:
    """A complete SVG file; ``description`` tells in words what the marks show."""
    light = "".join(f".{c}{{{prop}:{color}}}" for c, (prop, color, _) in _COLORS.items())
    dark = "".join(f".{c}{{{prop}:{color}}}" for c, (prop, _, color) in _COLORS.items())
    body = "\n".join(parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {num(height)}" width="{WIDTH}"'
        f' height="{num(height)}" role="img" aria-labelledby="{name}-title {name}-desc">\n'
        f'<title id="{name}-title">{escaped(title)}</title>\n'
        f'<desc id="{name}-desc">{escaped(description, 2000)}</desc>\n'
        f"<style>text{{font:12px {_FONT}}}.head{{font-size:14px;font-weight:600}}"
        f".end{{text-anchor:end}}.middle{{text-anchor:middle}}.ref{{fill:none;stroke-width:2}}"
        f".grid{{stroke-width:1}}.link{{stroke-width:2}}.moved{{stroke-width:3;fill:none}}"
        f"{light}@media (prefers-color-scheme:dark){{{dark}}}</style>\n"
        f'<rect class="paper" width="{WIDTH}" height="{num(height)}"/>\n'
        f"{label(16, 24, title, 'ink head', 90)}\n{body}\n</svg>\n"
    )


def escaped(text: str, limit: int = 200) -> str:
    """Text from outside as XML character data: nothing invisible, no markup."""
    return html.escape(clip(text, limit))


def cut(text: str, limit: int) -> str:
    """Text of at most ``limit`` characters; names often differ at their ends, so the middle is left out."""
    shown, half = clip(text, 10_000), limit // 2
    return shown if len(shown) <= limit else f"{shown[: limit - half - 1]}…{shown[-half:]}"


def label(x: float, y: float, text: str, classes: str = "ink", limit: int = 26) -> str:
    """One line of text; what is too long is cut, with the whole of it as a tooltip."""
    shown = cut(text, limit)
    whole = f"<title>{escaped(text, 400)}</title>" if "…" in shown else ""
    return f'<text x="{num(x)}" y="{num(y)}" class="{classes}">{whole}{html.escape(shown)}</text>'


def caption(y: float, text: str) -> str:
    """A line of small print."""
    return label(16, y, text, "muted", 110)


def num(value: float) -> str:
    """A coordinate with at most two decimals."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


class Scale:
    """Numbers to pixels, with a handful of round ticks."""

    def __init__(self, low: float, high: float, start: float, end: float) -> None:
        if high <= low:
            high = low + 1.0
        power = 10.0 ** math.floor(math.log10((high - low) / 4))
        step = power * next((f for f in (1, 2, 5) if (high - low) / (power * f) <= 6), 10)
        self.low, self.high = math.floor(low / step + 1e-9) * step, math.ceil(high / step - 1e-9) * step
        self._start, self._per_unit = start, (end - start) / (self.high - self.low)
        count = round((self.high - self.low) / step)
        self.ticks = [(self.low + i * step, f"{self.low + i * step:.6g}") for i in range(count + 1)]

    def __call__(self, value: float) -> float:
        return self._start + (value - self.low) * self._per_unit
