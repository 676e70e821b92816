"""Metrics of real packages, audited and compared with what their source says.

One file in ``packages/`` per package: an adapter as a user of the package would write it. Comments say what
is installed (``requires``, ``without dependencies``, ``environment`` to share), and above each function the
measure that it is audited as and the conventions that reading the source predicts, written before the audit:
changes from trec_eval's by axis, or in parentheses why no axis holds them, and with ``+`` further labels.
``python -m tests.programs.board`` installs the packages, audits the functions and prints the table.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from tests.support.oracle import changes_of

__all__ = ["Expected", "Package", "packages"]


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
    """One file of the board. The file is read, not imported."""

    file: Path

    @property
    def name(self) -> str:
        """The file's name without ``_metrics``."""
        return self.file.stem.removesuffix("_metrics")

    @cached_property
    def text(self) -> str:
        return self.file.read_text("utf-8")

    def _said(self, word: str) -> list[str]:
        return " ".join(re.findall(rf"(?m)^# {word}: (.*)$", self.text)).split()

    @property
    def dependencies(self) -> list[str]:
        """What is installed with its dependencies."""
        return self._said("requires")

    @property
    def alone(self) -> list[str]:
        """What is installed without its dependencies."""
        return self._said("without dependencies")

    @property
    def requirement(self) -> str:
        """The audited package, with its version."""
        return [*self.alone, *self.dependencies][0]

    @property
    def environment(self) -> str:
        """The name of its environment."""
        return next(iter(self._said("environment")), self.name)

    @cached_property
    def expected(self) -> dict[str, Expected]:
        """Function -> what its source says."""
        found = {}
        for measure, said, name in re.findall(r"(?m)^#: (\S+)(.*)\ndef (\w+)", self.text):
            if said.startswith(" ("):
                found[name] = Expected(measure, said[2:-1], frozenset())
            else:
                changes = changes_of(",".join(word for word in said.split() if word[0] != "+"))
                labels = frozenset(word[1:] for word in said.split() if word[0] == "+")
                found[name] = Expected(measure, changes, labels)
        return found


def packages() -> list[Package]:
    """Every package of the board, by name."""
    return [Package(file) for file in sorted((Path(__file__).parent / "packages").glob("*_metrics.py"))]
