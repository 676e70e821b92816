"""Options that several commands have, and the types of their values."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import click

from crosscheck.formats.source import size_of

__all__ = [
    "TOLERANCE",
    "Number",
    "conventions",
    "measures",
    "memory_limit",
    "quiet",
    "report",
    "significance",
    "timeout",
    "trec_eval_bin",
]


class Number(click.FloatRange):
    """A finite number in a range; NaN and infinity are refused."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        number = float(super().convert(value, param, ctx))
        if not math.isfinite(number):
            self.fail(f"{value!r} is not a finite number.", param, ctx)
        return number


#: An absolute tolerance; 0 asks for the same bits.
TOLERANCE = Number(min=0)


class _Size(click.ParamType):  # type: ignore[type-arg] # no type parameter before click 8.2
    """A number of bytes."""

    name = "size"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        size = value if isinstance(value, int) else size_of(str(value))
        if size is None:
            self.fail(f"{value!r} is no size such as 500M or 2G.", param, ctx)
        return size


class _ReportOption(click.Option):
    """``--report``. Its help text is made only when help is printed, because that imports the reports."""

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        from crosscheck.report import FORMATS

        *others, last = FORMATS
        self.help = f"{', '.join(others)} or {last}, repeatable; PATH - is stdout."
        return super().get_help_record(ctx)


report = click.option("--report", "reports", cls=_ReportOption, multiple=True, metavar="FORMAT[=PATH]")
measures = click.option(
    "-m", "--measures", multiple=True, metavar="MEASURE", help="Measure or group, repeatable; or a,b,c."
)
conventions = click.option(
    "--conventions",
    default="trec_eval-9.0.8",
    show_default=True,
    metavar="SPEC",
    help="A profile, AXIS=VALUE,... or both, as `crosscheck profiles` takes them.",
)
memory_limit = click.option(
    "--memory-limit",
    type=_Size(),
    metavar="SIZE",
    help="Memory one backend may use with all it starts, such as 2G (Linux).  [default: any]",
)
trec_eval_bin = click.option(
    "--trec-eval-bin",
    default="trec_eval",
    show_default=True,
    metavar="PATH",
    help="The C program, for the backend trec_eval.",
)
quiet = click.option("--quiet", is_flag=True, help="No progress on stderr.")


def timeout(help: str, default: float | None = None) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """The option ``--timeout``: the seconds that foreign code may take; ``help`` is its help text."""
    kind = Number(min=0, min_open=True)
    return click.option("--timeout", type=kind, default=default, show_default=True, help=help)


def significance(*, default: str = "t") -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """The options ``--test`` and ``--alpha``, which define significance; ``default`` is the default test."""
    test = click.option(
        "--test",
        type=click.Choice(["sign", "wilcoxon", "t", "randomisation"]),
        default=default,
        show_default=True,
        help="Decides what is significant.",
    )
    alpha = click.option(
        "--alpha", type=float, default=0.05, show_default=True, help="Level of significance."
    )
    return lambda command: test(alpha(command))
