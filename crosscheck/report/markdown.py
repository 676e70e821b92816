"""A page as GitHub-flavoured Markdown, for the summary of a CI job: the verdict first, what matters unfolded.

Everything that comes from outside is written so that GitHub's renderer shows it and nothing else: no
markup, no HTML, no mention of a person, no link.
"""

from __future__ import annotations

import html
from collections.abc import Iterator, Sequence
from typing import TypeVar

from crosscheck.errors import count
from crosscheck.report import page as blocks
from crosscheck.report._markdown_text import code, html_code, image, prose
from crosscheck.report._renderer import Renderer, RenderOptions
from crosscheck.report.page import Block, Column, Id, Page, Status, Table, TableCell, Text, parts
from crosscheck.report.words import clip, inert, lines

_Row = TypeVar("_Row")

#: Most findings at the top, and most tools that stand side by side in a table of measures and tools.
_FINDINGS, _ABREAST = 10, 6
#: Most lines of a message or a program.
_LINES = 60
#: A table shows this many times the rows that it shows on a terminal.
_ROOM = 4


def render(page: Page, options: RenderOptions) -> str:
    """The page in fewer than ``options.max_bytes`` bytes of UTF-8; what does not fit is counted."""
    verdict = page.verdict
    mark = f"{verdict.status.glyph} " if verdict.status else ""
    head, others = blocks.first_sentence(verdict.sentence)
    shown = verdict.findings[: None if options.verbose else _FINDINGS]
    items = [f"- {one.status.glyph} {words(one.text)}" for one in shown]
    found = _listed(items, len(verdict.findings), "finding")
    full = f"Full report: {', '.join(map(code, options.written))}" if options.written else ""
    said = [f"## {mark}{words(head)}", words(others), words(verdict.about), found, full]
    writer = _Writer(options, options.max_bytes - 1000 - sum(len(part.encode()) + 2 for part in said))
    said += [text for block in page.blocks for text in writer.block(block, 3)]
    if writer.omitted:
        left_out = count(writer.omitted, "part")
        said.append(f"**{left_out} left out for size; the JSON report has everything.**")
    return "\n\n".join(part for part in said if part) + "\n"


def _listed(items: list[str], total: int, noun: str) -> str:
    """The items of a list as text; if ``total`` is larger, a last item counts the ones left out."""
    more = [f"- and {count(total - len(items), f'more {noun}')}"] if total > len(items) else []
    return "\n".join([*items, *more])


def words(text: Text) -> str:
    """A sentence as Markdown, with its ids as code."""
    return "".join(map(_words, parts(text))).strip(" ")


def _words(part: str) -> str:
    return code(part) if isinstance(part, Id) else prose(part, 4000)


class _Writer:
    """Writes blocks as Markdown up to a number of bytes; ``omitted`` counts the parts that do not fit."""

    def __init__(self, options: RenderOptions, room: int) -> None:
        self._options = options
        self._room = room
        self.omitted = 0

    def block(self, block: Block, level: int) -> list[str]:
        """The parts of a block, to be joined by empty lines; none if they do not fit."""
        if isinstance(block, blocks.Section | blocks.Details):
            head, tail = f"{'#' * level} {words(block.title)}", ""
            if isinstance(block, blocks.Details):
                title = parts(block.title)
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
            case blocks.Paragraph():
                yield words(block.text)
            case blocks.Bullets() if block.items:
                if block.title:
                    yield words(block.title)
                items = [f"- {words(item)}" for item in self._some(block.items, block.limit)]
                yield _listed(items, len(block.items), block.noun)
            case blocks.Facts() if block.rows:
                yield "\n".join(f"- {words(name)}: {words(text)}" for name, text in block.rows)
            case Table() if block.rows:
                yield from self._table(block)
            case blocks.Matrix() if block.rows and block.columns:
                yield from self._table(_upright(block))
            case blocks.RankingPair():
                yield from self._table(block.table())
            case blocks.Chart() if self._options.pictures is not None:
                yield image(block, self._options.pictures)
            case blocks.Command():
                yield f"{words(block.title)}{':' if block.title else ''}\n{_verbatim(block.text)}".strip()
            case blocks.Message():
                yield _verbatim(block.text)

    def _some(self, rows: Sequence[_Row], limit: int) -> Sequence[_Row]:
        return rows[: None if self._options.verbose else _ROOM * limit]

    def _table(self, block: Table) -> Iterator[str]:
        if block.title:
            yield words(block.title)
        shown = self._some(block.rows, block.limit)
        head = [f"| {' | '.join(words(column.title) for column in block.columns)} |"]
        head.append(f"|{'|'.join('--:' if c.kind == 'number' else '---' for c in block.columns)}|")
        yield "\n".join([*head, *(f"| {' | '.join(map(_cell, row))} |" for row in shown)])
        if rest := len(block.rows) - len(shown):
            yield f"**and {count(rest, f'more {block.noun}')}**"


def _cell(value: TableCell) -> str:
    match value:
        case Status():
            return f"{value.glyph} {value.value}"
        case blocks.Figure():
            return value.text
    return words(value)


def _upright(block: blocks.Matrix) -> Table:
    """The matrix as a table with a row per measure and a column per tool, as pages are longer than wide."""
    shown = block.cells[:_ABREAST]
    columns = [Column("measure", "id"), *(Column(tool) for tool in block.rows[:_ABREAST])]
    rows: list[list[TableCell]] = [
        [measure, *("" if c is None else f"{c.status.glyph} {c.text or c.status}" for c in cells)]
        for measure, *cells in zip(block.columns, *shown, strict=True)
    ]
    left_out = len(block.rows) - len(shown)
    more = f" ({left_out:,} more tools in the JSON report)" if left_out else ""
    return Table((*parts(block.title), more), columns, rows)


def _verbatim(text: str) -> str:
    """Text as preformatted lines; beyond ``_LINES`` lines, only how many more there are."""
    held = lines(text)
    shown = [inert(html.escape(clip(line, 500)), "&#x{};") for line in held[:_LINES]]
    rest = [f"… {count(len(held) - _LINES, 'more line')}"] if len(held) > _LINES else []
    return "<pre>{}</pre>".format("\n".join([*shown, *rest]))


RENDERER = Renderer("markdown", "md", render)
