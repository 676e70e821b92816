"""``crosscheck trec_eval``: a drop-in for the command trec_eval."""

from __future__ import annotations

import sys
from typing import Any

import click

__all__ = ["command"]


class _Unparsed(click.Command):
    """Passes every word on: the options are trec_eval's, with getopt's rules and not click's."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        ctx.params = {"arguments": tuple(args)}
        return []

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        return None


@click.command("trec_eval", cls=_Unparsed, add_help_option=False)
def command(**given: Any) -> int:
    """Evaluate a run as trec_eval does: its options, output and exit codes (-h lists them)."""
    from crosscheck.trec_eval.command import trec_eval

    return trec_eval(given["arguments"], sys.stdout.buffer, sys.stderr)
