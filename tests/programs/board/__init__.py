"""The compatibility board: which tool computes what, each cell a run.

One file in ``packages/`` per tool: an adapter as a user of the tool would write it. Its comments say what
is installed (``requires``, ``without dependencies``, ``environment`` to share), of which ``family`` the tool
is, and releases in which it counts otherwise (``also: pandas==2.3.3``). A script without a package is
``read``: it is written anew from its behaviour.

Above or beside each function, or each backend of crosscheck, stands the measure that it is audited as, and
the conventions that reading the source predicts, written before the audit: changes from trec_eval's by axis,
or in parentheses why no axis holds them. ``+`` begins a further label, ``@`` the profile that describes the
function, ``call`` its call (else it is the file's, and where that has none, the audit finds it). What ``all``
functions of a file share is said once. ``pandas==2.3.3`` begins the line of another release.

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
#: Lines above a function or a name, the name, the backend that it stands for, and what is said beside it.
_CELL = re.compile(r'(?m)^(?=#: |.*  #: )((?:#: .*\n)*)(?:def )?(\w+)(?: = "(.*)")?.*?(?:  #: (.*))?$')


@dataclass(frozen=True)
class Expected:
    """What the source says about one function of an adapter: a cell.

    Attributes:
        conventions: its conventions as changes from trec_eval's, by axis; or a text that says why no axis
            holds them, for which the right answer is ``unexplained``.
        labels: further labels that the audit must find, such as ``refuses-input``.
        backend: its id, empty for a function of the file.
    """

    package: Package
    function: str
    measure: str
    conventions: dict[str, str | int] | str
    labels: frozenset[str]
    profile: str = ""
    backend: str = ""
    call: str = ""

    @property
    def id(self) -> str:
        """The name of the cell."""
        return f"{self.package.name}.{self.function}" + f"@{self.package.older}" * bool(self.package.older)

    @property
    def target(self) -> str:
        """What is audited: a backend, or a function of the file by its path in this checkout."""
        return self.backend or f"{self.package.file.relative_to(ROOT)}:{self.function}"


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
        shared = " ".join(self._lines("all"))
        for above, name, backend, beside in _CELL.findall(self.text):
            said: dict[str, str] = {}
            for line in [*filter(None, [beside]), *re.findall("(?m)^#: (.*)", above)]:
                release, text = re.fullmatch(r"(?:([^\s=]+==\S+) ?)?(.*)", line).groups("")
                said[release] = text
            if self.older in said:
                measure, source, call = re.fullmatch(r"(\S+)(.*?)(?: call (.*))?", said[""]).groups("")
                source = said[self.older] if self.older else source.strip()
                called = {"backend": backend, "call": call or " ".join(self._lines("call"))}
                found[name] = Expected(self, name, measure, *_read(shared, source), **called)
        return found


def _read(shared: str, source: str) -> tuple[dict[str, str | int] | str, frozenset[str], str]:
    """Conventions, labels and profile; ``shared`` holds unless a text says why no axis does."""
    told, _, rest = source.removeprefix("(").rpartition(")") if source[:1] == "(" else ("", "", source)
    words = [*shared.split(), *rest.split()]
    profile = next((word[1:] for word in reversed(words) if word[0] == "@"), "")
    changes = changes_of(",".join(word for word in words if word[0] not in "+@"))
    labels = () if told else (word[1:] for word in words if word[0] == "+")
    return told or changes, frozenset(labels), profile


def packages() -> list[Package]:
    """Every tool of the board, by name."""
    return [Package(file) for file in sorted((Path(__file__).parent / "packages").glob("*_metrics.py"))]


def board() -> Iterator[Expected]:
    """Every cell of the board: of a tool in a release, and a function of its file."""
    for package in packages():
        for release in (package, *package.others):
            yield from release.expected.values()
