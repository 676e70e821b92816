"""The pytest plugin: ``--crosscheck DIR`` collects every comparison of the cases in a folder.

The plugin is loaded in every run of pytest, so only the standard library is imported until a run has cases.
"""

from __future__ import annotations

import os
from pathlib import Path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    import pytest

#: Makes and returns the folder of failed audits in pytest's cache; None outside of pytest.
failures: Callable[[], Path] | None = None

_CASES, _BACKENDS = "crosscheck_cases", "crosscheck_backends"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options ``--crosscheck`` and ``--crosscheck-backend``, and the ini settings for the same."""
    for name, metavar, meaning in (
        ("", "DIR", "Collect the cases in this folder: one test per run, backend and measure. Repeatable."),
        ("-backend", "ID", "Compare these backends, which must be there; else the default ones. Repeatable."),
    ):
        group = parser.getgroup("crosscheck")
        group.addoption(f"--crosscheck{name}", action="append", default=[], metavar=metavar, help=meaning)
    parser.addini(_CASES, "Folders of cases, collected where pytest is called without paths.", "paths")
    parser.addini(_BACKENDS, "Backends to compare, as --crosscheck-backend.", "linelist")


def pytest_configure(config: pytest.Config) -> None:
    """Set the folder of failed audits, and add the folders of cases to the paths that are collected."""
    global failures
    cache = getattr(config, "cache", None)
    failures = None if cache is None else lambda: cache.mkdir("crosscheck")
    if hasattr(config, "workerinput"):
        return  # a worker of pytest-xdist is handed the folders by its controller
    named = [os.path.abspath(folder) for folder in config.getoption("--crosscheck")]
    if config.args_source is not config.ArgsSource.ARGS:
        named += [str(folder) for folder in config.getini(_CASES)]
    if named:
        import pytest

        from crosscheck.errors import InputError
        from crosscheck.formats.cases import find_cases

        try:
            find_cases(named)
        except InputError as error:
            raise pytest.UsageError(str(error)) from None
    config.args += [folder for folder in dict.fromkeys(named) if folder not in config.args]


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """The case of a ``case.toml``, or of a qrels file in a folder without a ``case.toml``; else None."""
    config, beside = parent.config, file_path.parent / "case.toml"
    folders = [*map(Path, config.getoption("--crosscheck")), *config.getini(_CASES)]
    is_case = (file_path.name.startswith("qrels") and not beside.exists()) or file_path.name == "case.toml"
    if not is_case or not any(file_path.is_relative_to(os.path.abspath(folder)) for folder in folders):
        return None
    from crosscheck.testing.collection import CaseFile

    file: pytest.Collector = CaseFile.from_parent(parent, path=file_path)
    return file
