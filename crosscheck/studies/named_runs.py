"""The runs of a study, with unique names."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

from crosscheck import __version__
from crosscheck.engine.conversion import RunLike, as_run
from crosscheck.errors import UsageError, quoted
from crosscheck.model import Measure, Run
from crosscheck.names import DEFAULT_MEASURES, parse_measures
from crosscheck.results import Tool

__all__ = ["TOOL", "RunsLike", "joined", "named_runs", "parsed_measures"]

#: Runs by name, or paths, whose names are those of their files.
RunsLike: TypeAlias = Mapping[str, RunLike] | Sequence[str | Path]

TOOL = Tool("crosscheck", __version__)


def named_runs(
    runs: RunsLike, *, at_least: int, what: str, read: Callable[[RunLike], Run] = as_run
) -> dict[str, Run]:
    """Read the runs and give them unique names.

    Args:
        at_least: the number needed; what: the study that needs them, for the message.
        read: reads one of them.

    Raises:
        UsageError: too few runs, or one file twice.
        InputError: a file cannot be used.
    """
    given = runs if isinstance(runs, Mapping) else _by_name([str(path) for path in runs])
    if len(given) < at_least:
        raise UsageError(f"{what} needs at least {at_least} runs, not {len(given)}")
    return {str(name): read(run) for name, run in given.items()}


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
