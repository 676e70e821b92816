"""Metrics of real packages, audited and compared with what their source says.

One file in ``packages/`` per package: its requirement (a script header of PEP 723), an adapter as a user
of the package would write it, and in ``EXPECTED`` for each of its functions the measure that it is audited
as and the conventions that reading the source predicts, written before the audit.
``python -m tests.programs.board`` installs the packages, audits the functions and prints the table.
"""

from __future__ import annotations

import ast
import re
import tomllib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

__all__ = ["PACKAGES", "Expected", "Package", "packages"]

PACKAGES = Path(__file__).parent / "packages"


@dataclass(frozen=True)
class Expected:
    """What the source says about one function of an adapter.

    Attributes:
        measure: the measure that the function is audited as.
        conventions: its conventions as changes from trec_eval's, by axis; or a text that says why no axis
            holds them, for which the right answer is ``unexplained``.
        labels: further labels that the audit must find, such as ``refuses-input``.
    """

    measure: str
    conventions: dict[str, str | int] | str
    labels: frozenset[str]


@dataclass(frozen=True)
class Package:
    """One file of the board."""

    file: Path

    @property
    def name(self) -> str:
        """The file's name without ``_metrics``."""
        return self.file.stem.removesuffix("_metrics")

    @cached_property
    def header(self) -> dict[str, Any]:
        """The script header: ``dependencies``, the audited package first, and under ``tool.board`` an
        ``environment`` to share and ``no-deps``, what is installed without its dependencies."""
        block = re.search(r"(?m)^# /// script\n((?:#.*\n)+?)# ///$", self.file.read_text("utf-8"))
        if block is None:
            raise ValueError(f"{self.file} has no script header")
        return tomllib.loads(re.sub(r"(?m)^# ?", "", block[1]))

    @property
    def board(self) -> dict[str, Any]:
        """The table ``tool.board`` of the header."""
        return dict(self.header.get("tool", {}).get("board", {}))

    @property
    def requirement(self) -> str:
        """The audited package, with its version."""
        return str([*self.board.get("no-deps", ()), *self.header["dependencies"]][0])

    @property
    def environment(self) -> str:
        """The name of its environment."""
        return str(self.board.get("environment", self.name))

    @cached_property
    def expected(self) -> dict[str, Expected]:
        """Function -> what its source says. The file is read, not imported."""
        for node in ast.parse(self.file.read_text("utf-8")).body:
            if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "EXPECTED":
                said = ast.literal_eval(node.value)
                return {
                    name: Expected(measure, conventions, frozenset(labels))
                    for name, (measure, conventions, *labels) in said.items()
                }
        raise ValueError(f"{self.file} has no EXPECTED")


def packages() -> list[Package]:
    """Every package of the board, by name."""
    return [Package(file) for file in sorted(PACKAGES.glob("*_metrics.py"))]
