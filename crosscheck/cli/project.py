"""``[tool.crosscheck]`` in ``pyproject.toml``: settings for options that the command line leaves out."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any, NamedTuple, get_args

from crosscheck.cli.output import say
from crosscheck.errors import UsageError, quoted
from crosscheck.formats.toml_table import Table, read_table
from crosscheck.harness.exit_codes import FailOn
from crosscheck.names import parse_measures

__all__ = ["Project", "read_project"]

FILE = "pyproject.toml"


class Project(NamedTuple):
    """The settings of a project; a missing setting is empty or None."""

    backends: tuple[str, ...] = ()
    measures: tuple[str, ...] = ()
    fail_on: FailOn | None = None
    timeout: float | None = None


def read_project(*, quiet: bool) -> Project:
    """The settings in the working directory, or in the nearest folder above it that has settings.

    Settings in a case folder are not read, because a case is data and backends are code.

    Raises:
        InputError: invalid TOML, an unknown key (with a suggestion), or a value that cannot be used.
    """
    for path in _files(os.getcwd()):
        tool = read_table(path).tables("tool", single=True)
        found = [table for part in tool for table in part.tables("crosscheck", single=True)]
        if not found:
            continue
        shown = quoted(os.path.relpath(path), 4096)[1:-1]
        if any(name.startswith("qrels") for name in os.listdir(os.path.dirname(path))):
            say(f"{shown} is not read, because it is in a case folder")
            continue
        project = _project(found[0])
        if not quiet:
            say(f"settings of {shown}: {', '.join(found[0].content)}")
        return project
    return Project()


def _files(folder: str) -> Iterator[str]:
    while True:
        path = os.path.join(folder, FILE)
        if os.path.isfile(path):
            yield path
        if folder == os.path.dirname(folder):
            return
        folder = os.path.dirname(folder)


def _project(table: Table) -> Project:
    table.only("backends", "measures", "fail-on", "timeout")
    timeout, measures = table.number("timeout"), table.strings("measures")
    if timeout is not None and timeout <= 0:
        table.wrong("timeout", "a number of seconds above 0")
    try:
        parse_measures(measures)
    except UsageError as error:
        table.wrong("measures", "names of measures", problem=error.message, hint=error.hint)
    fail_on: Any = table.choice("fail-on", get_args(FailOn), "one of")
    return Project(table.strings("backends"), measures, fail_on, timeout)
