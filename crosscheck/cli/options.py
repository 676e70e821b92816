"""A command from its function and its parameters, and the options that several commands have."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, TypeAlias

import click

from crosscheck.formats.source import size_of
from crosscheck.studies.options import Number, flag, option, with_format

if TYPE_CHECKING:
    from crosscheck.backends.base import Options


_Function: TypeAlias = Callable[[SimpleNamespace], Any]


def command(*parameters: click.Parameter, epilog: str | None = None) -> Callable[[_Function], click.Command]:
    """Decorator that makes a command of a function: its name and docstring are those of the command. The
    function gets the values of all arguments and options as one object, by their names."""

    def made(function: _Function) -> click.Command:
        return click.Command(
            function.__name__,
            callback=lambda **given: function(SimpleNamespace(**given)),
            params=with_format(parameters),
            help=inspect.getdoc(function),
            epilog=epilog,
        )

    return made


def size(value: str) -> int:
    """The number of bytes that ``value`` says; its name is the metavar of the option."""
    number = size_of(value)
    if number is None:
        raise click.BadParameter(f"{value!r} is not a size such as 500M or 2G.")
    return number


class _ReportOption(click.Option):
    """``--report``. Its help text is made only when help is printed, because that imports the reports."""

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        from crosscheck.report import FORMATS

        *others, last = FORMATS
        self.help = f"{', '.join(others)} or {last}, repeatable; PATH - is stdout."
        return super().get_help_record(ctx)


REPORT = _ReportOption(["--report", "reports"], multiple=True, metavar="FORMAT[=PATH]")
IN_FULL = flag("--verbose", "Show everything in full.")
QUIET = flag("--quiet", "No progress on stderr.")


def limits(help: str, default: float | None = None) -> tuple[click.Option, ...]:
    """The options of foreign code, named like the fields of backends' ``Options``.

    Args:
        help: help text of ``--timeout``, the seconds that the code may take.
    """
    memory = "Memory one backend may use with all it starts, such as 2G (Linux).  [default: any]"
    return (
        option("--timeout", help, Number(min=0, min_open=True), default),
        option("--memory-limit memory", memory, size),
        option("--trec-eval-bin", "The C program, for the backend trec_eval.", "PATH", "trec_eval"),
    )


def limited(asked: SimpleNamespace, timeout: float, **more: Any) -> Options:
    """The settings of backends that :func:`limits` and ``more`` give."""
    from crosscheck.backends.base import Options

    return Options(trec_eval_bin=asked.trec_eval_bin, timeout=timeout, memory=asked.memory, **more)


def fail_on(help: str, default: str | None = None) -> click.Option:
    """``--fail-on``: the results that end with exit code 1."""
    return option("--fail-on", help, click.Choice(["unexpected", "mismatch", "never"]), default)
