"""A page: a document as a sequence of blocks, the same for terminal, Markdown and HTML.

``run_page.py``, ``audit_page.py`` and the studies make the page of a document. A renderer turns a page into
text; it knows only blocks.
All contents of a block may come from outside, and every renderer must escape them. An :class:`Id` is shown
unchanged, as code if the format has code. A :class:`Section` is always shown; a :class:`Details` is folded,
and left out on a terminal without ``--verbose``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence, Sized
from enum import StrEnum
from typing import Any, ClassVar, Generic, Literal, TypeAlias, TypeVar

from msgspec import Struct

from crosscheck.errors import count
from crosscheck.results import Identity, RankedDocument


class Id(str):
    """Text from outside crosscheck (such as a run, query or document id), shown exactly as it is."""

    __slots__ = ()


#: A sentence: one string, or parts in their order, some of which are ids.
Text: TypeAlias = str | tuple[str, ...]


def parts(text: Text) -> tuple[str, ...]:
    """The parts of a sentence: words and ids. A plain string is a single part."""
    return (text,) if isinstance(text, str) else text


def flat(text: Text) -> str:
    """A sentence as one string."""
    return "".join(parts(text))


def phrase(template: str, *ids: str) -> tuple[str, ...]:
    """A sentence with ids in place of each ``{}``. The template must not contain text from outside."""
    pairs = zip(template.split("{}"), [*map(Id, ids), ""], strict=True)
    return tuple(part for pair in pairs for part in pair if part)


def first_sentence(text: Text) -> tuple[Text, Text]:
    """The first sentence, for a heading, and the text after it. A full stop in an id does not end a
    sentence."""
    sentence_parts = parts(text)
    for place, part in enumerate(sentence_parts):
        head, stop, tail = part.partition(". ")
        if stop and not isinstance(part, Id):
            return (*sentence_parts[:place], f"{head}."), (tail, *sentence_parts[place + 1 :])
    return text, ""


class Status(StrEnum):
    """An outcome in one word. Each outcome has its own glyph, so that readers need no colour.

    ``differs``: a difference that is reported but does not fail the run.
    """

    AGREE = "agree"
    KNOWN = "known"
    DIFFERS = "differs"
    UNEXPECTED = "unexpected"
    STALE = "stale"
    ERROR = "error"
    UNSUPPORTED = "unsupported"

    @property
    def glyph(self) -> str:
        return "✓≈≠✗⚠!–"[[*Status].index(self)]


#: What fails: a result whose verdict is one of these is not ok.
FAILING = (Status.UNEXPECTED, Status.STALE, Status.ERROR)


class Figure(Struct, frozen=True):
    """A number as text, and its exact value for sorting and for tooltips; None if there is no value."""

    text: str
    value: float | None


TableCell: TypeAlias = Text | Figure | Status


class Finding(Struct, frozen=True):
    """A sentence of the verdict, or the result of a tool on a measure over all cases, with its status.

    ``anchor``: the anchor of the section with the details; empty if there is none.
    """

    status: Status
    text: Text = ""
    anchor: str = ""


class Verdict(Struct, frozen=True):
    """The answer at the top of a page.

    Attributes:
        status: the outcome; None if it is neither good nor bad.
        sentence: the answer in one sentence.
        about: what was compared.
        findings: the findings, each in one or a few sentences.
    """

    status: Status | None
    sentence: Text
    about: Text = ""
    findings: Sequence[Finding] = ()


class Paragraph(Struct, frozen=True):
    """Running text."""

    text: Text


class Bullets(Struct, frozen=True):
    """A list of sentences under a title. Not shown if empty. A short report shows ``limit`` of them."""

    title: Text
    items: Sequence[Text]
    limit: int = 20
    noun: str = "line"


class Facts(Struct, frozen=True):
    """Rows of a name and a text about it. Not shown if there are none."""

    rows: Sequence[tuple[str, Text]]


class Made(Sequence[Any]):
    """A sequence that makes an item only when it is accessed, because a terminal may show three of 100,000
    rows."""

    def __init__(self, of: Sequence[Any], make: Callable[[Any], Any]) -> None:
        self._of, self._make = of, make

    def __len__(self) -> int:
        return len(self._of)

    def __getitem__(self, place: Any) -> Any:
        items = self._of[place]
        return [*map(self._make, items)] if isinstance(place, slice) else self._make(items)


class Heading(Struct, frozen=True):
    """A column of a table.

    Attributes:
        kind: kind of the cells; numbers are not wrapped, and are aligned on the right.
        key: key of the HTML filter for the column: ``tool``, ``measure``, ``cause``, ``case`` or ``status``;
            empty for none.
    """

    title: Text
    kind: Literal["text", "number", "id", "status"] = "text"
    key: str = ""


class Table(Struct, frozen=True):
    """A table with a title. Not shown if it has no rows.

    Attributes:
        limit: number of rows that a short report shows; it gives the number of further rows.
        noun: word for a row, such as ``query``, used with this number.
    """

    title: Text
    columns: Sequence[Heading]
    rows: Sequence[Sequence[TableCell]]
    limit: int = 20
    noun: str = "row"


class Matrix(Struct, frozen=True):
    """A matrix of tools (rows) by measures (columns); a cell is None if nothing was compared.

    Attributes:
        cells: findings for the tools, plain numbers for the reference.
        valued: whether the findings contain numbers. Such a matrix is small, and short reports also show it.
        legend: the meaning of the cells, if they are not comparisons of ``crosscheck run``.
    """

    title: Text
    rows: Sequence[Id]
    columns: Sequence[Id]
    cells: Sequence[Sequence[Finding | Figure | None]]
    valued: bool = False
    legend: str = ""

    def table(self, *, by_tool: bool = False) -> Table:
        """The matrix as a table with a row per measure (or per tool). Numbers that agree have no glyph."""

        def told(cell: Finding | Figure | None) -> TableCell:
            if not isinstance(cell, Finding):
                return cell or ""
            alone = cell.text if self.valued and cell.status is Status.AGREE else ""
            return alone or f"{cell.status.glyph} {cell.text or cell.status}"

        cells = [[told(cell) for cell in row] for row in self.cells]
        ends = (self.rows, self.columns) if by_tool else (self.columns, self.rows)
        rows = cells if by_tool else [*map(list, zip(*cells, strict=True))]
        noun = "tool" if by_tool else "measure"
        heads = [Heading(noun, "id"), *(Heading(one, "number") for one in ends[1])]
        named = [[name, *row] for name, row in zip(ends[0], rows, strict=True)]
        return Table(self.title, heads, named, 40, noun)


class Side(Struct, frozen=True):
    """One of two rankings: the name of its tool, the value of the measure, and the documents by rank."""

    title: Text
    value: Figure
    places: Sequence[RankedDocument]


class RankingPair(Struct, frozen=True):
    """A query's documents in the order of the reference and of the candidate.

    ``omitted``: documents of the ranking that neither side shows.
    """

    title: Text
    reference: Side
    candidate: Side
    omitted: int = 0


class Mark(Struct, frozen=True):
    """One mark of a chart: from the reference's value to the candidate's; both are finite.

    Attributes:
        cause: its label, for shape and colour.
        low, high: the ends of an interval around the candidate's value: the range over all orders of tied
            documents, or a confidence interval; None if not known.
    """

    label: Text
    reference: float
    candidate: float
    cause: str = ""
    low: float | None = None
    high: float | None = None

    def cells(self) -> list[TableCell]:
        """Label, both values, their difference and the cause, for a row of a table."""
        before, after = (Figure(f"{value:.4f}", value) for value in (self.reference, self.candidate))
        delta = self.candidate - self.reference
        return [self.label, before, after, Figure(f"{delta:+.4f}", delta), self.cause]


class Chart(Struct, frozen=True):
    """The numbers of a drawing, which ``report/svg.py`` draws.

    Attributes:
        name: unique on its page; the name of its file ends with it.
        kind:
            ``waterfall``: one bar per cause, from the mean of the reference to the mean of the candidate;
            ``dots``: a dot per query, the value of the reference against the value of the candidate;
            ``queries``: a line per query, from the value of the reference to the value of the candidate;
            ``ranking``: two rankings of systems, by their means in the reference and in the candidate;
            ``means``: a line per mark with its interval, in the order of the marks;
        title: heading of the drawing.
        caption: the content of the drawing in a sentence.
        sides: names of reference and candidate.
        omitted: number of marks that the chart leaves out.
    """

    name: str
    kind: Literal["waterfall", "dots", "queries", "ranking", "means"]
    title: str
    caption: str
    sides: tuple[str, str]
    marks: Sequence[Mark]
    noun: str = "query"
    omitted: int = 0

    def table(self) -> Table:
        """The numbers of the chart, a row per mark."""
        columns = [Heading(self.noun, "id"), *(Heading(one, "number") for one in (*self.sides, "delta"))]
        causes = [Heading("cause", key="cause")] * any(mark.cause for mark in self.marks)
        rows = [mark.cells()[: 4 + len(causes)] for mark in self.marks]
        return Table(self.title, [*columns, *causes], rows)


class Command(Struct, frozen=True):
    """Something to copy: a command, or a program of several lines."""

    text: str
    title: Text = ""


class Message(Struct, frozen=True):
    """Lines that a tool printed, such as a traceback, unchanged."""

    text: str


class Section(Struct, frozen=True):
    """Blocks under a heading.

    Attributes:
        anchor: unique on its page, for links; of letters, digits and hyphens.
        tags: values by which a filter finds the section, under the keys ``tool``, ``measure``, ``cause``,
            ``case`` and ``status``.
    """

    title: Text
    blocks: Sequence[Block]
    anchor: str = ""
    tags: Mapping[str, Sequence[str]] = {}


class Details(Struct, frozen=True):
    """Blocks that are folded until the reader opens them."""

    title: Text
    blocks: Sequence[Block]


Block: TypeAlias = (
    Paragraph | Bullets | Facts | Table | Matrix | RankingPair | Chart | Command | Message | Section | Details
)


def filled(block: Block) -> bool:
    """Whether a block, or a block inside it, has something to show: text, rows, items or marks."""
    if isinstance(block, Section | Details):
        return any(map(filled, block.blocks))
    held = (getattr(block, name, None) for name in ("text", "rows", "items", "marks"))
    return all(entries is None or len(entries) > 0 for entries in held)


class Page(Struct, frozen=True):
    """A document in the form that renderers show.

    Attributes:
        kind: the kind of document, such as ``run``.
        tool: name and version of the program that wrote the document.
        brief: whether a terminal should show only about two dozen lines, because the result is good.
    """

    kind: str
    title: Text
    verdict: Verdict
    blocks: Sequence[Block]
    tool: Text = ""
    brief: bool = False

    def parted(self) -> tuple[Sequence[Block], Sequence[Block]]:
        """The blocks in two parts: the numbers of all tools, which come before the findings, and the rest."""
        values = [block for block in self.blocks[:1] if isinstance(block, Matrix) and block.valued]
        return values, self.blocks[len(values) :]


def walk(blocks: Sequence[Block]) -> Iterator[Block]:
    """All blocks, including nested ones. A block comes before the blocks inside it."""
    for block in blocks:
        yield block
        if isinstance(block, Section | Details):
            yield from walk(block.blocks)


Out = TypeVar("Out")
Row = TypeVar("Row")


class RenderOptions(Struct, frozen=True, kw_only=True):
    """Settings of one rendering; each format uses the settings that apply to it.

    Attributes:
        width: columns of the terminal.
        color: whether terminal colour codes may be written.
        encoding: encoding of the output. A character that it does not have is replaced by a plain character
            or by ``\\xNN``.
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
    seconds: Mapping[Identity, float] = {}
    places: Mapping[Identity, Mapping[str, str]] = {}


class Visitor(Generic[Out]):
    """Base class of renderers. A subclass has a method for each kind of block, named in lower case; methods
    ``plain`` and ``id``, which escape the words and the ids of a sentence; and a method ``status``, which
    renders a status in a table.

    This class does what is the same in all formats: it leaves out empty lists, cuts long lists with a note,
    escapes ids and words differently, and shows two rankings as a table if the format cannot draw them.
    """

    #: The output for a block without contents, and for a kind of block that the format leaves out.
    nothing: Out
    #: A table shows this many times the rows that it shows on a terminal.
    room: ClassVar[int] = 1
    plain: Callable[[str], str]
    id: Callable[[str], str]
    status: Callable[[Status], str]

    def __init__(self, options: RenderOptions) -> None:
        self.options = options

    def visit(self, block: Block, depth: int) -> Out:
        """Render a block. ``depth`` grows inside sections; by how much depends on the format."""
        write: Callable[[Block, int], Out] | None = getattr(self, type(block).__name__.lower(), None)
        return write(block, depth) if write and filled(block) else self.nothing

    def text(self, text: Text) -> str:
        """Render a sentence in which some parts are ids (labels, docnos), in the format of this page."""
        return "".join(self.id(part) if isinstance(part, Id) else self.plain(part) for part in parts(text))

    def cell(self, value: TableCell) -> str:
        if isinstance(value, Figure):
            return value.text
        return self.status(value) if isinstance(value, Status) else self.text(value)

    def shown(self, rows: Sequence[Row], limit: int) -> Sequence[Row]:
        """The rows of a list that are shown: the first ``limit``, or all if the options ask for them."""
        return rows[: None if self.options.verbose else self.room * limit]


def more(rows: Sized, shown: Sized, noun: str) -> str:
    """How many rows are left out, such as ``and 3 more rows``; empty if none is."""
    rest = len(rows) - len(shown)
    return f"and {count(rest, f'more {noun}')}" if rest > 0 else ""
