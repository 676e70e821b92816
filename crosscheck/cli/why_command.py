"""``crosscheck why``: which conventions give this number?"""

from __future__ import annotations

import os
from typing import Any

import click

from crosscheck.cli.study_output import Reports, study_options

__all__ = ["command"]


@click.command("why")
@click.argument("qrels")
@click.argument("given", nargs=-1, required=True, metavar="RUN... [MEASURE=NUMBER | NUMBER]...")
@click.option("--table", metavar="CSV", help="Rows of system, measure and value; a system is a run.")
@click.option("--values", metavar="FILE", help="Saved values of single queries, where there are more.")
@click.option("--qrels-candidates", metavar="FOLDER", help="Other qrels to try, such as another version.")
@study_options
def command(reports: Reports, given: tuple[str, ...], **asked: Any) -> int:
    """Find the conventions, or the changes of the input, that give printed numbers.

    Write numbers with the digits that were printed: "nDCG@10=0.4986" "AP=0.3809". A number without a measure
    tries the usual ones. Several numbers are explained together.
    """
    from crosscheck.formats.numerals import printed_number
    from crosscheck.studies import why

    def is_number(text: str) -> bool:
        return not os.path.exists(text) and ("=" in text or printed_number(text.rstrip("%")) is not None)

    numbers = [text for text in given if is_number(text)]
    runs = [text for text in given if not is_number(text)]
    with reports.of("why") as progress:
        document = why(runs=runs, numbers=numbers, progress=progress, **asked)
    reports.write(document)
    return 0 if document.distinct else 3
