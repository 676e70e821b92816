"""Option types for numbers."""

from __future__ import annotations

import math
from typing import Any

import click

__all__ = ["TOLERANCE", "Number"]


class Number(click.FloatRange):
    """A finite number in a range: neither NaN nor infinity can be compared with."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        number = float(super().convert(value, param, ctx))
        if not math.isfinite(number):
            self.fail(f"{value!r} is not a finite number.", param, ctx)
        return number


#: An absolute tolerance; 0 asks for the same bits.
TOLERANCE = Number(min=0)
