"""``crosscheck impact``: does a disagreement change any conclusion?"""

from __future__ import annotations

from typing import Any

import click

from crosscheck.cli import options
from crosscheck.cli.study_output import Reports, study_options

__all__ = ["command"]


@click.command("impact")
@click.argument("qrels")
@click.argument("runs", nargs=-1, required=True, metavar="RUN RUN...")
@click.option(
    "--reference", default="native", show_default=True, metavar="ID", help="Backend or conventions."
)
@click.option(
    "--candidate",
    required=True,
    metavar="ID",
    help="The alternative, such as native:gain=exponential.",
)
@options.measures
@options.significance()
@study_options
def command(reports: Reports, **asked: Any) -> int:
    """Does measuring by --candidate change any conclusion about the systems?

    Whether their ranking changes, whether a significant difference appears or vanishes, how far the
    means move, and which queries cause it.
    """
    from crosscheck.studies import compare_conclusions

    with reports.of("impact") as progress:
        document = compare_conclusions(**asked, progress=progress)
    reports.write(document)
    return 0 if document.impacts else 3
