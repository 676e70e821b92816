"""Arguments and options as short declarations, and those that several commands have."""

from __future__ import annotations

import math
from typing import Any

import click


class Number(click.FloatRange):
    """A finite number in a range; NaN and infinity are refused."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        number = float(super().convert(value, param, ctx))
        if not math.isfinite(number):
            self.fail(f"{value!r} is not a finite number.", param, ctx)
        return number


def argument(name: str, metavar: str | None = None, **more: Any) -> click.Argument:
    """A positional argument; ``name``: that of the function's parameter."""
    return click.Argument([name], metavar=metavar, **more)


def several(name: str, metavar: str) -> click.Argument:
    """One positional argument or more."""
    return argument(name, metavar, nargs=-1, required=True)


def option(names: str, help: str, kind: Any = None, default: Any = None, **more: Any) -> click.Option:
    """An option.

    Args:
        names: ``-k --cutoff``, and the name of the function's parameter if it is another.
        kind: what its metavar is if that is a text, else its type.
        default: shown in the help; None for no default.
    """
    more |= {"metavar": kind} if isinstance(kind, str) else {"type": kind}
    more |= {} if default is None else {"default": default, "show_default": True}
    return click.Option(names.split(), help=help, **more)


def flag(names: str, help: str) -> click.Option:
    """An option without a value."""
    return click.Option(names.split(), is_flag=True, help=help)


#: A whole number above 0.
COUNT = click.IntRange(min=1)
#: An absolute tolerance; 0 asks for the same bits.
TOLERANCE = Number(min=0)
QRELS = argument("qrels")
MEASURES = option("-m --measures", "Measure or group, repeatable; or a,b,c.", "MEASURE", multiple=True)
CONVENTIONS = option(
    "--conventions",
    "A profile, AXIS=VALUE,... or both, as `crosscheck profiles` takes them.",
    "SPEC",
    "trec_eval-9.0.8",
)


def significance(default: str = "t") -> tuple[click.Option, click.Option]:
    """``--test`` and ``--alpha``, which define significance; ``default`` is the default test."""
    tests = click.Choice(["sign", "wilcoxon", "t", "randomisation"])
    return (
        option("--test", "Decides what is significant.", tests, default),
        option("--alpha", "Level of significance.", float, 0.05),
    )
