"""The runs of a study, with unique names."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from os import PathLike, fspath
from pathlib import Path
from typing import Any, TypeAlias

from crosscheck import __version__
from crosscheck.engine.conversion import RunLike, as_run, by_query
from crosscheck.errors import UsageError, quoted
from crosscheck.model import Measure, Run
from crosscheck.names import DEFAULT_MEASURES, parse_measures
from crosscheck.results import Tool

__all__ = ["TOOL", "RunsLike", "joined", "named_runs", "parsed_measures"]

#: Runs by name; or paths of runs, which are named after their files; or a single run.
RunsLike: TypeAlias = Mapping[str, RunLike] | Sequence[str | Path] | RunLike

TOOL = Tool("crosscheck", __version__)


def named_runs(
    runs: RunsLike, *, at_least: int, what: str, read: Callable[[RunLike], Run] = as_run
) -> dict[str, Run]:
    """Read the runs and give them unique names.

    Args:
        at_least: the number of runs needed; what: the study that needs the runs, for the message.
        read: reads one run.

    Raises:
        UsageError: too few runs, or one file twice.
        InputError: a file cannot be used.
    """
    given = _named(runs)
    if len(given) < at_least:
        raise UsageError(f"{what} needs at least {at_least} runs, not {len(given)}")
    return {str(name): read(run) for name, run in given.items()}


def _named(runs: Any) -> Mapping[str, RunLike]:
    """Runs by name; a single run is named after its file, or "run" if it is in memory."""
    if isinstance(runs, str | PathLike):
        return _by_name([fspath(runs)])
    if isinstance(runs, Mapping):
        inner = [found for row in runs.values() if isinstance(row, Mapping) for found in row.values()]
        several = by_query(runs) and all(isinstance(found, Mapping) for found in inner)
        return runs if several else {"run": runs}
    if isinstance(runs, Sequence) and all(isinstance(one, str | PathLike) for one in runs):
        return _by_name([fspath(path) for path in runs])
    return {"run": runs}


def _by_name(paths: Sequence[str]) -> dict[str, str]:
    twice = next((path for path in paths if paths.count(path) > 1), None)
    if twice is not None:
        raise UsageError(f"the run {quoted(twice)} is given twice", hint="name each run once")
    short = [os.path.basename(path) for path in paths]
    return {name if short.count(name) == 1 else path: path for name, path in zip(short, paths, strict=True)}


def parsed_measures(names: Sequence[str]) -> tuple[Measure, ...]:
    """The requested measures, else the default measures."""
    return parse_measures(names or DEFAULT_MEASURES)


def joined(parts: Sequence[str]) -> str:
    """``a``, ``a and b``, ``a, b and c``."""
    *first, last = [*parts] or [""]
    return f"{', '.join(first)} and {last}" if first else last
