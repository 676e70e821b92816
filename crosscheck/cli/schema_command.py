"""``crosscheck schema``: the JSON Schema of the result document."""

from __future__ import annotations

import click

__all__ = ["command"]


@click.command("schema")
@click.argument("study", required=False, metavar="[COMMAND]")
def command(study: str | None) -> None:
    """Print the JSON Schema of the result document (--report json).

    COMMAND is run (the default) or a study, such as compare; for any other word the studies are listed.
    """
    from crosscheck.cli.output import show
    from crosscheck.report.schema import schema
    from crosscheck.report.studies import study_schema

    show(schema() if study in (None, "run") else study_schema(study))
