"""The pytest plugin: ``--crosscheck DIR`` collects every comparison of the cases in a folder.

Only the standard library and pytest are imported until cases are asked for.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import crosscheck.testing

__all__: list[str] = []

_CASES, _BACKENDS = "crosscheck_cases", "crosscheck_backends"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options ``--crosscheck`` and ``--crosscheck-backend``, and the ini settings for the same."""
    group = parser.getgroup("crosscheck")
    group.addoption(
        "--crosscheck",
        action="append",
        default=[],
        metavar="DIR",
        help="Collect the cases in this folder: one test per run, backend and measure. Repeatable.",
    )
    group.addoption(
        "--crosscheck-backend",
        action="append",
        default=[],
        metavar="ID",
        help="Compare these backends, which must be there; else the default ones. Repeatable.",
    )
    parser.addini(_CASES, "Folders of cases, collected where pytest is called without paths.", "paths")
    parser.addini(_BACKENDS, "Backends to compare, as --crosscheck-backend.", "linelist")


def pytest_configure(config: pytest.Config) -> None:
    """Set the folder of failed audits, and add the folders of cases to the paths that are collected."""
    cache = getattr(config, "cache", None)
    crosscheck.testing.failures = None if cache is None else lambda: cache.mkdir("crosscheck")
    if hasattr(config, "workerinput"):
        return  # a worker of pytest-xdist is handed the folders by its controller
    named = [os.path.abspath(folder) for folder in config.getoption("--crosscheck")]
    if config.args_source is not pytest.Config.ArgsSource.ARGS:
        named += [str(folder) for folder in config.getini(_CASES)]
    if named:
        from crosscheck.errors import InputError
        from crosscheck.formats.cases import find_cases

        try:
            find_cases(named)
        except InputError as error:
            raise pytest.UsageError(str(error)) from None
    config.args += [folder for folder in dict.fromkeys(named) if folder not in config.args]


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """The case of a ``case.toml``, or of a qrels file without a ``case.toml`` beside it; else None."""
    config = parent.config
    folders = [*map(Path, config.getoption("--crosscheck")), *config.getini(_CASES)]
    if not folders:
        return None
    is_case = file_path.name == "case.toml"
    if not is_case and (not file_path.name.startswith("qrels") or (file_path.parent / "case.toml").exists()):
        return None
    if not any(file_path.is_relative_to(os.path.abspath(folder)) for folder in folders):
        return None
    from crosscheck.testing.collection import CaseFile

    backends = config.getoption("--crosscheck-backend") or config.getini(_BACKENDS)
    file: pytest.Collector = CaseFile.from_parent(parent, path=file_path, backends=tuple(backends))
    return file
