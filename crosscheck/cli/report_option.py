"""``--report`` of commands that compare; its help lists the existing formats."""

from __future__ import annotations

import click

__all__ = ["ReportOption"]


class ReportOption(click.Option):
    """An option whose help is created on request, because it imports the renderers."""

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        from crosscheck.report import formats

        *others, last = formats()
        self.help = f"{', '.join(others)} or {last}, repeatable; PATH - is stdout."
        return super().get_help_record(ctx)
