"""``crosscheck schema``: the JSON Schema of the result document."""

from __future__ import annotations

import click

__all__ = ["command"]


@click.command("schema")
def command() -> None:
    """Print the JSON Schema of the result document (--report json)."""
    from crosscheck.cli.output import show
    from crosscheck.report.schema import schema

    show(schema())
