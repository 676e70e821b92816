"""A page as GitHub-flavoured Markdown, for the summary of a CI job: the verdict first, what matters unfolded.

Everything that comes from outside is written so that GitHub's renderer shows it and nothing else: no
markup, no HTML, no mention of a person, no link.
"""

from __future__ import annotations

import html
from collections.abc import Iterator, Sequence

from crosscheck.report._cells import side_by_side
from crosscheck.report._escape import clip, lines
from crosscheck.report._figures import count
from crosscheck.report._markdown_text import code, html_code, image, prose
from crosscheck.report._renderer import Renderer, RenderOptions
from crosscheck.report.page import (
    Block,
    Bullets,
    Chart,
    Column,
    Command,
    Details,
    Facts,
    Figure,
    Id,
    Matrix,
    Message,
    Page,
    Paragraph,
    Rankings,
    Section,
    Status,
    Table,
    TableCell,
    Text,
)

__all__ = ["RENDERER", "render"]

#: Findings at the top, and tools that stand beside each other in a table of measures and tools.
_FINDINGS, _ABREAST = 10, 6
#: Rows beyond the limit of a table that there is room for, unlike on a terminal.
_ROOM = 4


def render(page: Page, options: RenderOptions) -> str:
    """The page in fewer than ``options.max_bytes`` bytes of UTF-8; what does not fit is counted."""
    verdict = page.verdict
    mark = f"{verdict.status.glyph} " if verdict.status else ""
    head, others = _first_sentence(verdict.sentence)
    parts = [f"## {mark}{words(head)}", words(others), words(verdict.about)]
    shown = verdict.findings if options.verbose else verdict.findings[:_FINDINGS]
    items = [f"- {one.status.glyph} {words(one.text)}" for one in shown]
    if rest := len(verdict.findings) - len(shown):
        items.append(f"- and {count(rest, 'more finding')}")
    parts.append("\n".join(items))
    if options.written:
        parts.append(f"Full report: {', '.join(map(code, options.written))}")
    writer = _Writer(options, options.max_bytes - 1000 - sum(len(part.encode()) + 2 for part in parts))
    parts += [text for block in page.blocks for text in writer.block(block, 3)]
    if writer.omitted:
        parts.append(
            f"**{count(writer.omitted, 'part')} left out for size; the JSON report has everything.**"
        )
    return "\n\n".join(part for part in parts if part) + "\n"


def _first_sentence(text: Text) -> tuple[Text, Text]:
    """The first sentence, for a heading, and the others."""
    parts = (text,) if isinstance(text, str) else text
    for place, part in enumerate(parts):
        head, stop, tail = part.partition(". ")
        if stop and not isinstance(part, Id):
            return (*parts[:place], f"{head}."), (tail, *parts[place + 1 :])
    return text, ""


def words(text: Text) -> str:
    """A sentence with its ids in the type of code."""
    if isinstance(text, str):
        return _words(text)
    return "".join(map(_words, text)).strip(" ")


def _words(part: str) -> str:
    return code(part) if isinstance(part, Id) else prose(part, 4000)


class _Writer:
    """Writes blocks as long as there is room."""

    def __init__(self, options: RenderOptions, room: int) -> None:
        self._options = options
        self._room = room
        self.omitted = 0

    def block(self, block: Block, level: int) -> list[str]:
        """The parts of a block, with empty lines to go between; none where there is no room."""
        if isinstance(block, Section | Details):
            head, tail = f"{'#' * level} {words(block.title)}", ""
            if isinstance(block, Details):
                title = (block.title,) if isinstance(block.title, str) else block.title
                summary = "".join(html_code(t) if isinstance(t, Id) else prose(t) for t in title)
                head, tail = f"<details>\n<summary>{summary}</summary>", "</details>"
            if not self._takes(head + tail):
                return []
            inner = [text for one in block.blocks for text in self.block(one, level + 1)]
            return [head, *inner, *([tail] if tail else [])] if inner else []
        return [text for text in self._parts(block) if self._takes(text)]

    def _takes(self, text: str) -> bool:
        size = len(text.encode()) + 2
        if size > self._room:
            self.omitted += 1
            return False
        self._room -= size
        return True

    def _parts(self, block: Block) -> Iterator[str]:
        match block:
            case Paragraph():
                yield words(block.text)
            case Bullets() if block.items:
                if block.title:
                    yield words(block.title)
                shown = self._some(block.items, block.limit)
                rest = len(block.items) - len(shown)
                more = [f"- and {count(rest, f'more {block.noun}')}"] if rest else []
                yield "\n".join([*(f"- {words(item)}" for item in shown), *more])
            case Facts() if block.rows:
                yield "\n".join(f"- {name}: {words(text)}" for name, text in block.rows)
            case Table() if block.rows:
                yield from self._table(block)
            case Matrix() if block.rows and block.columns:
                yield from self._table(_upright(block))
            case Rankings():
                yield from self._table(side_by_side(block))
            case Chart() if self._options.pictures is not None:
                yield image(block, self._options.pictures)
            case Command():
                yield f"{words(block.title)}{':' if block.title else ''}\n{_verbatim(block.text)}".strip()
            case Message():
                yield _verbatim(block.text)

    def _some(self, rows: Sequence[Text], limit: int) -> Sequence[Text]:
        return rows if self._options.verbose else rows[: _ROOM * limit]

    def _table(self, block: Table) -> Iterator[str]:
        if block.title:
            yield words(block.title)
        shown = block.rows if self._options.verbose else block.rows[: _ROOM * block.limit]
        head = [f"| {' | '.join(words(column.title) for column in block.columns)} |"]
        head.append(f"|{'|'.join('--:' if c.kind == 'number' else '---' for c in block.columns)}|")
        yield "\n".join([*head, *(f"| {' | '.join(map(_cell, row))} |" for row in shown)])
        if rest := len(block.rows) - len(shown):
            yield f"**and {count(rest, f'more {block.noun}')}**"


def _cell(value: TableCell) -> str:
    match value:
        case Status():
            return f"{value.glyph} {value.value}"
        case Figure():
            return value.text
    return words(value)


def _upright(block: Matrix) -> Table:
    """A row per measure and a column per tool: pages are longer than wide."""
    tools = [tool for tool, row in zip(block.rows, block.cells, strict=True)][:_ABREAST]
    columns = [Column("measure", "id"), *(Column(tool) for tool in tools)]
    rows: list[list[TableCell]] = []
    for place, measure in enumerate(block.columns):
        held = [row[place] for row in block.cells[:_ABREAST]]
        told = ["" if cell is None else f"{cell.status.glyph} {cell.text or cell.status}" for cell in held]
        rows.append([measure, *told])
    left_out = len(block.rows) - len(tools)
    return Table(
        f"{block.title}{f' ({left_out:,} more tools in the JSON report)' if left_out else ''}", columns, rows
    )


def _verbatim(text: str) -> str:
    said = "\n".join(html.escape(clip(line, 500)) for line in lines(text)[:60])
    return f"<pre>{said}</pre>"


RENDERER = Renderer("markdown", "md", render)
