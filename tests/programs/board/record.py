"""The records of the board, and their file: ``reports/compatibility.json``."""

from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from tests.support.cases import ROOT

BOARD = ROOT / "reports" / "compatibility.json"


class Corpus(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What the conventions of a cell give on parts of real runs.

    Attributes:
        values: values of queries, and means; met: those that the conventions give within the tool's own
            precision; tie_orders: of the others, values of some order of the tied documents.
        refused: inputs without a value; message: what the tool said instead.
    """

    values: int = 0
    met: int = 0
    tie_orders: int = 0
    refused: int = 0
    message: str = ""

    @property
    def missed(self) -> int:
        return self.values - self.met - self.tie_orders


class Shown(Struct, frozen=True, kw_only=True):
    """The smallest input on which a tool differs from trec_eval.

    Attributes:
        cause: the label of the deviation; qrels, run: the input, with scores that are not finite as text.
        query: the query, None for the mean.
        measure: the measure of both values, whose cutoff may be smaller than the cell's.
        reference, candidate: trec_eval's value and the tool's, None for no value.
    """

    cause: str
    measure: str
    qrels: dict[str, dict[str, int]]
    run: dict[str, dict[str, Any]]
    query: str | None
    reference: Any
    candidate: Any
    explanation: str


class Cell(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A measure of a tool in one release.

    Attributes:
        id: the cell's anchor on the page; release: the requirement, as ``name==version``.
        verdict, causes, conventions, strength, alternatives, call: as in an audit.
        observed: axes whose value an input decided.
        arbitrary: whether values depend on an order of ties that follows no rule, or change from run to run.
        source: whether the audit says what the source says: ``right``, ``wrong``, ``unexplained``.
        profile: the profile of crosscheck that describes the function.
        command: what made the answer, after installing the tool; date: the day.
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
    """A tool of the board.

    Attributes:
        name: its file; title: its own name; release: what is installed, empty for what was only read.
        installed: packages of its environment that may matter, with their versions; failed: why it could not
            be installed.
        read: what was read instead.
    """

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


def load(path: Path = BOARD) -> Board | None:
    """The board in a file, None if there is none."""
    return msgspec.json.decode(path.read_bytes(), type=Board) if path.exists() else None


def save(board: Board, path: Path = BOARD) -> None:
    """Write a board, a line per value, so that a change of it can be read. Lines of runs keep their order."""
    told = msgspec.json.format(msgspec.json.encode(board), indent=1)
    path.write_bytes(told + b"\n")
