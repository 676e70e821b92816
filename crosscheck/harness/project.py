"""The settings of the project in which crosscheck is called."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple, get_args

from crosscheck.errors import UsageError, quoted
from crosscheck.formats.toml_table import TomlTable, read_table
from crosscheck.harness.document import FailOn
from crosscheck.names import parse_measures


class Project(NamedTuple):
    """``[tool.crosscheck]`` in ``pyproject.toml``: settings for what a command, or pytest, leaves open;
    a missing setting is empty or None."""

    backends: tuple[str, ...] = ()
    measures: tuple[str, ...] = ()
    fail_on: FailOn | None = None
    timeout: float | None = None


def read_project(say: Callable[[str], None], *, quiet: bool) -> Project:
    """The settings in the working directory, or in the nearest folder above it that has settings.

    Settings in a case folder are not read, because a case is data and backends are code.

    Args:
        say: called with a message on a file that is not read and, unless ``quiet``, on the one that is.

    Raises:
        InputError: invalid TOML, an unknown key (with a suggestion), or a value that cannot be used.
    """
    for path in _files():
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


def _files() -> Iterator[str]:
    """The paths of ``pyproject.toml``, from the working directory upwards."""
    folder = Path.cwd()
    paths = (str(one / "pyproject.toml") for one in (folder, *folder.parents))
    return filter(os.path.isfile, paths)


def _project(table: TomlTable) -> Project:
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
