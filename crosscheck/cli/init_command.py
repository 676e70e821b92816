"""``crosscheck init``: a first case, and a workflow that compares it."""

from __future__ import annotations

import os
import re

import click

from crosscheck.cli.output import say, write_text
from crosscheck.errors import UsageError, quoted

__all__ = ["command"]

_FOLDER = "cases/first"
_CASE = {
    "qrels": "1 0 d1 2\n1 0 d2 0\n1 0 d3 1\n2 0 d1 1\n2 0 d4 3\n",
    "run.txt": "1 Q0 d2 1 3.5 first\n1 Q0 d1 2 2.5 first\n1 Q0 d3 3 1.5 first\n"
    "2 Q0 d1 1 9.0 first\n2 Q0 d4 2 8.0 first\n2 Q0 d5 3 7.0 first\n",
    "case.toml": 'description = "put your qrels and run here"\nmeasures = ["nDCG@10", "AP", "RR", "P@5"]\n',
}
_WORKFLOW = ".github/workflows/crosscheck.yml"
_STEPS = """\
name: crosscheck
on:
  push:
  pull_request:
permissions: {}
jobs:
  crosscheck:
    runs-on: ubuntu-latest
    permissions:
      contents: read
    steps:
      - uses: actions/checkout@11bd71901bbe5b1630ceea73d27597364c9af683 # v4.2.2
        with:
          persist-credentials: false
      - uses: ACTION
        with:
          paths: cases/
"""


@click.command("init")
@click.option(
    "--action",
    metavar="OWNER/REPOSITORY@COMMIT",
    help="Write the workflow too, with the action of this repository of crosscheck.",
)
def command(action: str | None) -> int:
    """Write a first case, and a GitHub workflow, in the working directory.

    The case is cases/first; the workflow is .github/workflows/crosscheck.yml and compares cases/. What
    exists is left as it is. The action is named by its whole commit, so that nobody can change it later.
    """
    if action is not None and not re.fullmatch(r"[\w.-]+/[\w.-]+@[0-9a-f]{40}", action, re.ASCII):
        raise UsageError(f"{quoted(action)} is no action", hint="OWNER/REPOSITORY@COMMIT, 40 hex digits")
    _write(_FOLDER, {f"{_FOLDER}/{name}": text for name, text in _CASE.items()})
    if action is None:
        say("no workflow without --action OWNER/REPOSITORY@COMMIT")
    else:
        _write(_WORKFLOW, {_WORKFLOW: _STEPS.replace("ACTION", action)})
    say("next: crosscheck cases/")
    return 0


def _write(place: str, files: dict[str, str]) -> None:
    """Write the files, or none of them if the path ``place`` exists already."""
    if os.path.lexists(place):
        say(f"{place} exists and is left as it is")
        return
    for path, text in files.items():
        write_text(path, text, typed=False)
        say(f"wrote {path}")
