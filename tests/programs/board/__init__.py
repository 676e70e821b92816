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
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
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


class Package:
    """One file of the board, which is read, not imported; about its own release or an older one.

    Attributes:
        name: the file's without ``_metrics``; title: the tool's own.
        dependencies, alone: what is installed with its dependencies, and without them.
        read: what was read where there is nothing to install.
        requirement: the audited package, with its version; empty if there is none.
        others: the same file about older releases.
        expected: function -> what its source says.
    """

    def __init__(self, file: Path, older: str = "") -> None:
        self.file, self.older, self.text = file, older, file.read_text("utf-8")
        said = defaultdict[str, str](str)
        for word, rest in re.findall(r"(?m)^# ([a-z ]+): (.*)$", self.text):
            said[word] = f"{said[word]} {rest}".strip()
        self.name = file.stem.removesuffix("_metrics")
        self.environment = said["environment"] or self.name
        self.dependencies, self.alone = said["requires"].split(), said["without dependencies"].split()
        self.read = said["read"]
        self.requirement = older or ("" if self.read else [*self.alone, *self.dependencies][0])
        self.title = said["title"] or self.requirement.partition("==")[0]
        self.families = said["family"].split(", ")
        self.others = [Package(file, release) for release in said["also"].split() if not older]
        cells = (self._cell(said["all"], said["call"], *found) for found in _CELL.findall(self.text))
        self.expected = {cell.function: cell for cell in cells if cell is not None}

    def _cell(self, shared: str, call: str, *found: str) -> Expected | None:
        above, name, backend, beside = found
        said: dict[str, str] = {}
        for line in [*filter(None, [beside]), *re.findall("(?m)^#: (.*)", above)]:
            release, text = re.fullmatch(r"(?:([^\s=]+==\S+) ?)?(.*)", line).groups("")
            said[release] = text
        if self.older not in said:
            return None
        measure, source, own_call = re.fullmatch(r"(\S+)(.*?)(?: call (.*))?", said[""]).groups("")
        source = said[self.older] if self.older else source.strip()
        read = _read(shared, source)
        return Expected(self, name, measure, *read, backend=backend, call=own_call or call)


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
    return [Package(file) for file in sorted((Path(__file__).parent / "packages").glob("*_metrics.py"))]


def board() -> Iterator[Expected]:
    """Every cell of the board: of a tool in a release, and a function of its file."""
    for package in packages():
        for release in (package, *package.others):
            yield from release.expected.values()
