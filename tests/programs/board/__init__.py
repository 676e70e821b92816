"""The compatibility board: which tool computes what, each cell a run.

``tools.toml`` has a table per tool: what it is (``about``), what is installed (``requires``, and ``alone``
without dependencies; ``environment`` to share), of which ``family`` it is, and releases in which it counts
otherwise (``also``). A script without a package is ``read``: it is written anew from its behaviour. Functions
as a user of the tool would write them stand under ``code``, with what each returns, after what they use; a
file in ``packages/`` defines them, for commands to name. A ``backend`` of ours needs none.

Beside each function stands the measure that it is audited as, and the conventions that reading the source
predicts, written before the audit: changes from trec_eval's by axis, or in parentheses why no axis does.
``+`` begins a further label, ``@`` the profile that describes the function, ``backend`` and ``call`` its own
(else they are the tool's, and where that has no call, the audit finds it). What ``all`` functions share is
said once. ``pandas==2.3.3`` begins the line of another release.

``python -m tests.programs.board`` installs the tools, audits the functions, and writes
``reports/compatibility.json`` and ``.html``.
"""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from tests.support.cases import ROOT
from tests.support.oracle import changes_of

#: Where somebody looks for a tool.
FAMILIES = ("IR", "recommenders", "RAG", "learning to rank", "torch", "general")
_FOLDER = Path(__file__).parent
#: A release; measure, what the source says, backend and call.
_RELEASE = re.compile(r"(?:([^\s=]+==\S+) ?)?(.*)")
_CELL = re.compile(r"(\S+)(.*?)(?: backend (\S+))?(?: call (.*))?")


@dataclass(frozen=True)
class Expected:
    """What the source says about one function of a tool: a cell.

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

    @property
    def key(self) -> str:
        """What a cell depends on: the code of its tool and of what tools share, what is installed, measure,
        call."""
        package = self.package
        code = [file.read_text("utf-8") for file in (package.file, package.file.with_name("shapes.py"))]
        about = [
            *code,
            *package.code.values(),
            *package.alone,
            *package.dependencies,
            self.measure,
            self.call,
        ]
        return hashlib.sha256("\n".join(about).encode()).hexdigest()

    def answer(self, folder: Path) -> Path:
        """The file of what its audit found."""
        return folder / f"{self.id}.answer.json"


class Package:
    """A tool of the board; about its own release or an older one.

    Attributes:
        file: where its functions are; what tools share, where it needs none. title: the tool's own name.
        code: what its functions use, and what each returns.
        dependencies, alone: what is installed with its dependencies, and without them.
        read: what was read where there is nothing to install.
        requirement: the audited package, with its version; empty if there is none.
        others: the same tool about older releases.
        expected: function -> what its source says.
    """

    def __init__(self, name: str, said: dict[str, Any], older: str = "") -> None:
        self.name, self.older = name, older
        file = _FOLDER / "packages" / f"{name}_metrics.py"
        self.file = file if file.exists() else file.with_name("shapes.py")
        self.about = " ".join(said["about"].split())
        self.code: dict[str, str] = said.get("code", {})
        self.environment = said.get("environment", name)
        self.dependencies, self.alone = (said.get(of, "").split() for of in ("requires", "alone"))
        self.read = said.get("read", "")
        self.requirement = older or ("" if self.read else [*self.alone, *self.dependencies][0])
        self.title = said.get("title") or self.requirement.partition("==")[0]
        self.families = said["family"].split(", ")
        self.others = [Package(name, said, release) for release in said.get("also", "").split() if not older]
        cells = (self._cell(said, *cell) for cell in said["cells"].items())
        self.expected = {cell.function: cell for cell in cells if cell is not None}

    def _cell(self, said: dict[str, Any], name: str, lines: str | list[str]) -> Expected | None:
        lines = [lines] if isinstance(lines, str) else lines
        by_release = dict(_parts(_RELEASE, line) for line in lines)
        if self.older not in by_release:
            return None
        measure, source, backend, call = _parts(_CELL, by_release[""])
        read = _read(said.get("all", ""), by_release[self.older] if self.older else source.strip())
        backend, call = backend or said.get("backend", ""), call or said.get("call", "")
        return Expected(self, name, measure, *read, backend=backend, call=call)


def _parts(pattern: re.Pattern[str], text: str) -> Any:
    """The groups of a pattern that the whole text follows."""
    found = pattern.fullmatch(text)
    assert found, text
    return found.groups("")


def _read(shared: str, source: str) -> tuple[dict[str, str | int] | str, frozenset[str], str]:
    """Conventions, labels and profile; ``shared`` holds unless a text says why no axis does."""
    told, _, rest = source.removeprefix("(").rpartition(")") if source[:1] == "(" else ("", "", source)
    words = [*shared.split(), *rest.split()]
    profile = next((word[1:] for word in reversed(words) if word[0] == "@"), "")
    changes = changes_of(",".join(word for word in words if word[0] not in "+@"))
    labels = () if told else (word[1:] for word in words if word[0] == "+")
    return told or changes, frozenset(labels), profile


@cache
def packages() -> list[Package]:
    """Every tool of the board, by name."""
    return [Package(*one) for one in tomllib.loads((_FOLDER / "tools.toml").read_text("utf-8")).items()]


def board() -> Iterator[Expected]:
    """Every cell of the board: of a tool in a release, and a function of its file."""
    for package in packages():
        for release in (package, *package.others):
            yield from release.expected.values()
