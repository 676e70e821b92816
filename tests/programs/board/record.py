"""The records of the board, and their file: ``reports/compatibility.json``."""

from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from tests.support.cases import ROOT

BOARD = ROOT / "reports" / "compatibility.json"


class Corpus(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """On parts of real runs: values and means, those that the conventions give, of the others those of some
    order of the tied documents; inputs without a value, and what the tool said instead."""

    values: int = 0
    met: int = 0
    tie_orders: int = 0
    refused: int = 0
    message: str = ""

    @property
    def missed(self) -> int:
        return self.values - self.met - self.tie_orders


class Shown(Struct, frozen=True, kw_only=True):
    """The smallest input on which a tool differs from trec_eval; scores that are not finite are text. Its
    measure may have a smaller cutoff than the cell's; no query means the mean."""

    cause: str
    measure: str
    qrels: dict[str, dict[str, int]]
    run: dict[str, dict[str, Any]]
    query: str | None
    reference: Any
    candidate: Any
    explanation: str


class Cell(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A measure of a tool in one release, ``name==version``; what an audit has is as in the audit.

    Attributes:
        observed: axes whose value an input decided.
        arbitrary: whether values depend on an order of ties that follows no rule, or change from run to run.
        source: whether the audit says what the source says: ``right``, ``wrong``, ``unexplained``.
    """

    id: str
    tool: str
    function: str
    release: str
    measure: str
    verdict: str
    command: str
    date: str
    call: str = ""
    causes: list[str] = []
    conventions: dict[str, Any] = {}
    strength: str | None = None
    alternatives: list[dict[str, Any]] = []
    observed: list[str] = []
    arbitrary: bool = False
    source: str = ""
    profile: str = ""
    message: str = ""
    shown: list[Shown] = []
    corpus: Corpus | None = None

    @property
    def answer(self) -> dict[str, Any]:
        """What must be the same in every run of the program on the same release."""
        kept = ("measure", "verdict", "causes", "conventions", "arbitrary")
        return {name: getattr(self, name) for name in kept}


class ToolRecord(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A tool: its file and its own name, what is installed (or why not) beside which versions of packages
    that may matter, or what was read instead."""

    name: str
    title: str
    families: list[str]
    about: str
    release: str = ""
    installed: dict[str, str] = {}
    failed: str = ""
    read: str = ""


class Board(Struct, frozen=True, kw_only=True):
    """``reports/compatibility.json``."""

    schema_version: int = 1
    crosscheck: str
    reference: str
    tools: list[ToolRecord]
    cells: list[Cell]


def load(path: Path = BOARD) -> Board:
    """The board in a file."""
    return msgspec.json.decode(path.read_bytes(), type=Board)


def save(board: Board) -> None:
    """Write a board, a line per value, so that a change of it can be read. Lines of runs keep their order."""
    told = msgspec.json.format(msgspec.json.encode(board), indent=1)
    BOARD.write_bytes(told + b"\n")
