"""The way through the blocks of a page that all formats share, and the settings of one rendering."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence, Sized
from typing import ClassVar, Generic, TypeVar

from msgspec import Struct

from crosscheck.errors import count
from crosscheck.report.page import Block, Figure, Id, Status, TableCell, Text, filled, parts

Out = TypeVar("Out")
Row = TypeVar("Row")


class RenderOptions(Struct, frozen=True, kw_only=True):
    """Settings of one rendering; each format uses the settings that apply to it.

    Attributes:
        width: columns of the terminal.
        color: whether terminal colour codes may be written.
        encoding: encoding of the output; characters that it lacks become plain ones or ``\\xNN``.
        verbose: show known differences and long lists in full.
        written: paths of the reports written in the same call, the most complete one first.
        pictures: prefix of the file names of pictures, for a report that links to pictures (markdown); None
            if no pictures are written.
        max_bytes: size that a report with a size limit (markdown) stays below.
        seconds: (case, run, measure, candidate) -> seconds that the comparison took. They are not in the
            document, which must be the same for the same input.
        places: (case, run, measure, candidate) -> ``file`` and, if known, ``line`` of the annotation of the
            comparison.
    """

    width: int = 80
    color: bool = False
    encoding: str = "utf-8"
    verbose: bool = False
    written: tuple[str, ...] = ()
    pictures: str | None = None
    max_bytes: int = 900_000
    seconds: Mapping[tuple[str, str, str, str], float] = {}
    places: Mapping[tuple[str, str, str, str], Mapping[str, str]] = {}


class Visitor(ABC, Generic[Out]):
    """Writes blocks in one format; a subclass has a method for each kind of block, in lower case.

    What all formats share is here: lists without entries are left out, long ones are cut and say so, ids are
    told from words, and two rankings are a table where they are not drawn.
    """

    #: A table shows this many times the rows that it shows on a terminal.
    room: ClassVar[int] = 1

    def __init__(self, options: RenderOptions) -> None:
        self.options = options

    def visit(self, block: Block, depth: int) -> Out:
        """A block in this format; ``depth`` grows inside sections, by as much as the format likes."""
        write: Callable[[Block, int], Out] = getattr(self, type(block).__name__.lower(), self.nothing)
        return write(block, depth) if filled(block) else self.nothing(block, depth)

    @abstractmethod
    def nothing(self, block: Block, depth: int) -> Out:
        """The output for a block that the format leaves out."""

    @abstractmethod
    def plain(self, text: str) -> str:
        """Words of a sentence, made safe."""

    @abstractmethod
    def id(self, text: str) -> str:
        """An id in a sentence, made safe."""

    @abstractmethod
    def status(self, status: Status) -> str:
        """A status in a table."""

    def text(self, text: Text) -> str:
        """A sentence with its ids."""
        return "".join(self.id(part) if isinstance(part, Id) else self.plain(part) for part in parts(text))

    def cell(self, value: TableCell) -> str:
        match value:
            case Status():
                return self.status(value)
            case Figure():
                return value.text
        return self.text(value)

    def shown(self, rows: Sequence[Row], limit: int) -> Sequence[Row]:
        """The rows of a list that are written out, all of them if the options say so."""
        return rows[: None if self.options.verbose else self.room * limit]


def more(rows: Sized, shown: Sized, noun: str) -> str:
    """How many rows are left out, such as ``and 3 more rows``; empty for none."""
    rest = len(rows) - len(shown)
    return f"and {count(rest, f'more {noun}')}" if rest > 0 else ""
