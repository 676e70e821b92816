"""``crosscheck schema``: the JSON Schema of the result document."""

from __future__ import annotations

import click

__all__ = ["command"]


@click.command("schema")
@click.argument("study", required=False, metavar="[COMMAND]")
def command(study: str | None) -> None:
    """Print the JSON Schema of the result document (--report json).

    COMMAND is run (the default), audit or a study, such as compare; for any other word they are listed.
    """
    from crosscheck.cli.output import show
    from crosscheck.report.schema import schema_of_kind

    show(schema_of_kind(study or "run"))
