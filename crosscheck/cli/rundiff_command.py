"""``crosscheck rundiff``: why do two runs of the same system differ?"""

from __future__ import annotations

from typing import Any

import click

from crosscheck.cli import options
from crosscheck.cli.study_output import Reports, study_options

__all__ = ["command"]


@click.command("rundiff")
@click.argument("qrels")
@click.argument("theirs")
@click.argument("ours")
@options.measures
@options.conventions
@study_options
def command(reports: Reports, **asked: Any) -> int:
    """Show why OURS differs from THEIRS: two runs of the same system.

    One property of OURS after the other is taken into THEIRS: queries, depth, documents, ties and digits of
    the scores, order. The parts sum to the difference.
    """
    from crosscheck.studies import rundiff

    with reports.of("rundiff"):
        document = rundiff(**asked)
    reports.write(document)
    return 0
