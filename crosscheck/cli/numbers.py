"""Option types for numbers."""

from __future__ import annotations

import math
from typing import Any

import click

from crosscheck.formats.source import size_of

__all__ = ["TOLERANCE", "Number", "memory_limit"]


class Number(click.FloatRange):
    """A finite number in a range: neither NaN nor infinity can be compared with."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        number = float(super().convert(value, param, ctx))
        if not math.isfinite(number):
            self.fail(f"{value!r} is not a finite number.", param, ctx)
        return number


#: An absolute tolerance; 0 requires the same bits.
TOLERANCE = Number(min=0)


class _Size(click.ParamType):  # type: ignore[type-arg] # no type parameter before click 8.2
    """A number of bytes."""

    name = "size"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        size = value if isinstance(value, int) else size_of(str(value))
        if size is None:
            self.fail(f"{value!r} is not a size such as 500M or 2G.", param, ctx)
        return size


#: The option ``--memory-limit``.
memory_limit = click.option(
    "--memory-limit",
    type=_Size(),
    metavar="SIZE",
    help="Memory one backend may use with all it starts, such as 2G (Linux).  [default: any]",
)
