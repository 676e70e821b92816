"""A page of a study: paragraphs, lists and tables, written once and rendered as text and as Markdown."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeAlias, TypeVar

from crosscheck.report._console import printed
from crosscheck.report._escape import clip, visible
from crosscheck.report._figures import count
from crosscheck.report._markdown_text import code, image, prose
from crosscheck.report._pictures import Picture
from crosscheck.report._renderer import RenderOptions
from crosscheck.study_records import StudyDocument

if TYPE_CHECKING:
    from rich.console import RenderableType

__all__ = ["Block", "Bullets", "Id", "Page", "Paragraph", "StudyPage", "Table", "as_markdown", "as_text"]


class Id(str):
    """Text from outside (a run, query or document id), shown exactly as it is."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Running text; ids in it are quoted."""

    text: str


@dataclass(frozen=True, slots=True)
class Bullets:
    """A list of sentences under a title, left out where it is empty."""

    title: str
    items: Sequence[str]


@dataclass(frozen=True, slots=True)
class Table:
    """A table with a title; left out where it has no rows.

    Attributes:
        head: (title, whether it holds numbers) of each column.
        limit: rows shown unless everything is asked for; the others are counted.
        noun: what a row is, for that count.
    """

    title: str
    head: Sequence[tuple[str, bool]]
    rows: Sequence[Sequence[str]]
    limit: int = 20
    noun: str = "row"


Block: TypeAlias = Paragraph | Bullets | Table | Picture


@dataclass(frozen=True, slots=True)
class Page:
    """A title, the findings in one paragraph, sections of (title, blocks), and the pictures in them."""

    title: str
    summary: str
    sections: Sequence[tuple[str, Sequence[Block]]]

    def pictures(self) -> list[Picture]:
        return [block for _, blocks in self.sections for block in blocks if isinstance(block, Picture)]


_D = TypeVar("_D", bound=StudyDocument)


@dataclass(frozen=True, slots=True)
class StudyPage(Generic[_D]):
    """A study as its reports see it: the record that its JSON is made of, and the page of such a record."""

    document: type[_D]
    page: Callable[[_D], Page]


def as_text(page: Page, options: RenderOptions) -> str:
    """The page for a terminal: the findings, the tables, and where the JSON is."""
    return printed(_renderables(page, options), options)


def _renderables(page: Page, options: RenderOptions) -> Iterator[RenderableType]:
    from rich.text import Text

    from crosscheck.report._terminal_blocks import indented

    yield Text(clip(page.title, 400), style="bold")
    yield Text()
    yield Text(clip(page.summary, 4000))
    for title, blocks in page.sections:
        shown = [block for block in blocks if not _empty(block) and not isinstance(block, Picture)]
        if title and shown:
            yield Text()
            yield Text(clip(title), style="bold")
        for block in shown:
            yield Text()
            for part in _block_text(block, options):
                yield indented(part, 2)
    yield Text()
    if options.written:
        yield Text(f"The full report is in {', '.join(map(visible, options.written))}.")
    else:
        yield Text("--report json[=PATH] writes everything as JSON.")


def _block_text(block: Block, options: RenderOptions) -> Iterator[RenderableType]:
    from rich.text import Text

    from crosscheck.report._terminal_blocks import table

    match block:
        case Paragraph():
            yield Text(clip(block.text, 4000))
        case Bullets():
            yield Text(block.title)
            yield from (Text(f"- {clip(item, 1000)}") for item in block.items)
        case Table():
            shown = block.rows if options.verbose else block.rows[: block.limit]
            if block.title:
                yield Text(clip(block.title, 400))
            yield table(block.head, [[clip(cell) for cell in row] for row in shown])
            if len(shown) < len(block.rows):
                yield Text(_rest(block, len(shown)))


def _rest(block: Table, shown: int) -> str:
    return f"{count(len(block.rows) - shown, f'more {block.noun}')}: the JSON report has them all."


def _empty(block: Block) -> bool:
    match block:
        case Table():
            return not block.rows
        case Bullets():
            return not block.items
    return False


def as_markdown(page: Page, options: RenderOptions) -> str:
    """The page as GitHub-flavoured Markdown; pictures are linked where ``options.pictures`` says so."""
    parts = [f"## {prose(page.title)}", prose(page.summary, 4000)]
    if options.written:
        parts.append(f"Full report: {', '.join(map(code, options.written))}")
    for title, blocks in page.sections:
        shown = [part for block in blocks if not _empty(block) for part in _block_markdown(block, options)]
        if title and shown:
            parts.append(f"### {prose(title)}")
        parts += shown
    return "\n\n".join(parts) + "\n"


def _block_markdown(block: Block, options: RenderOptions) -> Iterator[str]:
    match block:
        case Paragraph():
            yield prose(block.text, 4000)
        case Bullets():
            yield f"{prose(block.title)}\n\n" + "\n".join(f"- {prose(item)}" for item in block.items)
        case Table():
            yield from _markdown_table(block, options)
        case Picture():
            if options.pictures is not None:
                yield image(block, options.pictures)


def _markdown_table(block: Table, options: RenderOptions) -> Iterator[str]:
    if block.title:
        yield prose(block.title)
    shown = block.rows if options.verbose else block.rows[: 5 * block.limit]
    lines = [
        f"| {' | '.join(prose(title) for title, _ in block.head)} |",
        f"|{'|'.join('--:' if numeric else '---' for _, numeric in block.head)}|",
        *(f"| {' | '.join(code(c) if isinstance(c, Id) else prose(c) for c in row)} |" for row in shown),
    ]
    yield "\n".join(lines)
    if len(shown) < len(block.rows):
        yield f"**{_rest(block, len(shown))}**"
