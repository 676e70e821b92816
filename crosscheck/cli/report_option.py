"""``--report``, whose help lists the formats that exist, and the other options of studies."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

__all__ = ["common_options", "report_option"]


class _ReportOption(click.Option):
    """An option whose help is created on request, because it imports the renderers."""

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        from crosscheck.report import formats

        *others, last = formats()
        self.help = f"{', '.join(others)} or {last}, repeatable; PATH - is stdout."
        return super().get_help_record(ctx)


def report_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """``--report FORMAT[=PATH]``, as every command takes it that makes a document."""
    option = click.option("--report", "reports", cls=_ReportOption, multiple=True, metavar="FORMAT[=PATH]")
    return option(command)


def common_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options that all studies share."""
    for option in (
        click.option("--quiet", is_flag=True, help="No progress on stderr."),
        click.option("--verbose", is_flag=True, help="Show every row of every table."),
        report_option,
    ):
        command = option(command)
    return command
