"""The compatibility board: which tool computes what, each cell a run.

One file in ``packages/`` per tool: an adapter as a user of the tool would write it. Its comments say what
is installed (``requires``, ``without dependencies``, ``environment`` to share), of which ``family`` the tool
is, and releases in which it counts otherwise (``also: pandas==2.3.3``). A script without a package is
``read``: it is written anew from its behaviour.

Above each function, or each backend of crosscheck, stands the measure that it is audited as, and the
conventions that reading the source predicts, written before the audit: changes from trec_eval's by axis, or
in parentheses why no axis holds them. ``+`` begins a further label, ``@`` the profile that describes the
function, ``call`` the line of its call (else it is the file's, and where that has none, the audit finds it),
``pandas==2.3.3`` the line of another release. A line that begins with blanks continues the one before.

``python -m tests.programs.board`` installs the tools, audits the functions, and writes
``reports/compatibility.json`` and ``.html``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from tests.support.cases import ROOT
from tests.support.oracle import changes_of

#: Where somebody looks for a tool.
FAMILIES = ("IR", "recommenders", "RAG", "learning to rank", "torch", "general")


@dataclass(frozen=True)
class Expected:
    """What the source says about one function of an adapter.

    Attributes:
        conventions: its conventions as changes from trec_eval's, by axis; or a text that says why no axis
            holds them, for which the right answer is ``unexplained``.
        labels: further labels that the audit must find, such as ``refuses-input``.
        target: the id of a backend, empty for a function of the file.
    """

    measure: str
    conventions: dict[str, str | int] | str
    labels: frozenset[str]
    target: str = ""
    profile: str = ""
    call: str = ""


@dataclass(frozen=True)
class Package:
    """One file of the board, which is read, not imported; about its own release or an older one."""

    file: Path
    older: str = ""

    @property
    def name(self) -> str:
        """The file's name without ``_metrics``."""
        return self.file.stem.removesuffix("_metrics")

    @cached_property
    def text(self) -> str:
        return self.file.read_text("utf-8")

    def _lines(self, word: str) -> list[str]:
        return re.findall(rf"(?m)^# {word}: (.*)$", self.text)

    def _said(self, word: str) -> list[str]:
        return " ".join(self._lines(word)).split()

    @property
    def dependencies(self) -> list[str]:
        """What is installed with its dependencies."""
        return self._said("requires")

    @property
    def alone(self) -> list[str]:
        """What is installed without its dependencies."""
        return self._said("without dependencies")

    @property
    def read(self) -> str:
        """What was read where there is nothing to install."""
        return " ".join(self._lines("read"))

    @property
    def requirement(self) -> str:
        """The audited package, with its version; empty if there is none."""
        return self.older or ("" if self.read else [*self.alone, *self.dependencies][0])

    @property
    def title(self) -> str:
        """The tool's own name."""
        return " ".join(self._lines("title")) or self.requirement.partition("==")[0]

    @property
    def families(self) -> list[str]:
        return [one.strip() for one in ",".join(self._lines("family")).split(",")]

    @property
    def environment(self) -> str:
        """The name of its environment."""
        return next(iter(self._said("environment")), self.name)

    @property
    def others(self) -> list[Package]:
        """The same file about older releases."""
        return [replace(self, older=release) for release in self._said("also")]

    @cached_property
    def expected(self) -> dict[str, Expected]:
        """Function -> what its source says."""
        found = {}
        pattern = r"(?m)^((?:#: .*\n)+)(?:def (\w+)|(\w+) = \"(.*)\")"
        for lines, function, constant, target in re.findall(pattern, self.text):
            said, call = {}, " ".join(self._lines("call"))
            for line in lines.replace("\n#:   ", " ").splitlines():
                if line.startswith("#: call "):
                    call = line[8:]
                    continue
                release = re.match(r"#: ([^\s=]+==\S+) ?(.*)", line)
                said[release[1] if release else ""] = release[2] if release else line[3:]
            if self.older not in said:
                continue
            measure = said[""].split()[0]
            source = said[self.older] if self.older else said[""].removeprefix(measure).strip()
            one = _expected(measure, source)
            found[function or constant] = replace(one, target=target, call=call)
        return found

    def id(self, function: str) -> str:
        """The name of a cell."""
        return f"{self.name}.{function}" + f"@{self.older}" * bool(self.older)

    def target(self, function: str) -> str:
        """What is audited: a backend, or a function of the file by its path in this checkout."""
        return self.expected[function].target or f"{self.file.relative_to(ROOT)}:{function}"


def _expected(measure: str, source: str) -> Expected:
    words = source.split()
    profile = next((word[1:] for word in words if word[0] == "@"), "")
    if source.startswith("("):
        return Expected(measure, source[1:].rpartition(")")[0], frozenset(), profile=profile)
    changes = changes_of(",".join(word for word in words if word[0] not in "+@"))
    labels = frozenset(word[1:] for word in words if word[0] == "+")
    return Expected(measure, changes, labels, profile=profile)


def packages() -> list[Package]:
    """Every tool of the board, by name."""
    return [Package(file) for file in sorted((Path(__file__).parent / "packages").glob("*_metrics.py"))]


def board() -> Iterator[tuple[Package, str]]:
    """Every cell of the board: a tool in a release, and a function of its file."""
    for package in packages():
        for release in (package, *package.others):
            for function in release.expected:
                yield release, function
