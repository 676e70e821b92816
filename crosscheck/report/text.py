"""A page for a terminal, laid out by rich: the verdict first, then every finding in at most twelve lines."""

import io
import itertools
import shlex
from collections.abc import Iterable, Iterator, Sequence, Sized
from typing import Any

from rich.cells import cell_len
from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.table import Table as Grid
from rich.text import Text as Line

from crosscheck.errors import count
from crosscheck.report import page as blocks
from crosscheck.report.page import Block, Figure, Heading, Section, Status, Table, TableCell, Text
from crosscheck.report.tables import side_by_side
from crosscheck.report.words import clip, inert, lines, visible

#: Limits unless all is shown: lines of a finding, lines below the answer where all agrees, lines of a
#: message, findings at the top of a report where
#: all agrees, and findings at the top of any other report.
_LINES, _BRIEF, _MESSAGE, _GOOD, _BAD = 12, 16, 6, 2, 5
#: The least width of a column by its kind, the gap between two columns, and the length above which names are
#: folded; all in characters.
_LEAST, _GAP, _NAME = {"id": 10, "text": 20, "status": 1}, 2, 20
#: With width and height given, rich asks neither the terminal nor the environment.
_ALWAYS: Any = {"height": 100, "force_jupyter": False, "legacy_windows": False}
_COLORS = ("green", "cyan", "yellow", "bold red", "bold yellow", "bold red", "none")
_STYLES = dict(zip(Status, _COLORS, strict=True))
#: Stand-ins for characters that the output encoding lacks.
_PLAIN = str.maketrans({"✓": "+", "✗": "x", "→": "->", "…": "...", "≈": "~", "–": "-"})


def render(page: blocks.Page, options: blocks.RenderOptions) -> str:
    """The page as text, at most ``options.width`` (or 40, if that is more) columns wide.

    Without colour it holds no control sequence at all, so it reads the same in a file or a pipe.
    Characters that ``options.encoding`` lacks are replaced by plain ones or spelt ``\\xNN``.
    """
    writer = _Terminal(options)
    full = f"The full report is in {_paths(options.written)}" if options.written else ""
    more = f"{full or '--report json writes all'}{'.' if options.verbose else ', or use --verbose.'}"
    foot = writer.printed([Line(more)])
    values, others = page.parted()
    head = writer.printed(writer.verdict(page))
    numbers = "".join(writer.visit(block, 0) for block in values)
    body = [writer.printed(writer.findings(page)), *(writer.visit(block, 0) for block in others)]
    body = [part for part in body if part.strip()]
    if page.brief and not options.verbose:
        body = _first(body, _BRIEF)
    return "".join([head, numbers, *body]).rstrip("\n") + f"\n\n{foot}"


def written(some: Iterable[Block], width: int = 120) -> str:
    """The blocks as plain text, without blank lines at either end."""
    writer = _Terminal(blocks.RenderOptions(width=width))
    return "".join(writer.visit(one, 0) for one in some).strip("\n")


class _Terminal(blocks.Visitor[str]):
    """Writes blocks as lines of text; the depth of a block is its indent in characters."""

    nothing = ""

    def printed(self, renderables: Iterable[RenderableType]) -> str:
        """The renderables one after the other, in the width, colour and encoding of the options."""
        out, color = io.StringIO(), self.options.color
        shown: Any = {"color_system": "standard" if color else None, "force_terminal": color}
        console = Console(file=out, width=max(self.options.width, 40), no_color=not color, **shown, **_ALWAYS)
        for renderable in renderables:
            console.print(renderable)
        text = out.getvalue()
        if not color:
            text = "\n".join(map(str.rstrip, text.split("\n")))
        encoding = self.options.encoding
        try:
            text.encode(encoding)
        except UnicodeEncodeError:
            text = text.translate(_PLAIN).encode(encoding, "backslashreplace").decode(encoding)
        return text

    def verdict(self, page: blocks.Page) -> Iterator[RenderableType]:
        mark = page.verdict.status
        glyph = (f"{mark.glyph} ", _STYLES[mark]) if mark else ""
        yield Line.assemble(glyph, (self.text(page.verdict.sentence), "bold"))
        if page.verdict.about:
            yield self.line(page.verdict.about, 2)

    def findings(self, page: blocks.Page) -> Iterator[RenderableType]:
        findings = page.verdict.findings
        shown = self.shown(findings, _GOOD if page.verdict.status is Status.AGREE else _BAD)
        if shown:
            yield Line()
            yield self.pairs(((Line(one.status.glyph, _STYLES[one.status]), one.text) for one in shown), 0)
        yield from self.rest(findings, shown, "finding", 2)

    def plain(self, text: str) -> str:
        return clip(text, 4000)

    def id(self, text: str) -> str:
        return clip(text, 300)

    def status(self, status: Status) -> str:
        return status.glyph

    def text(self, text: Text) -> str:
        return inert(super().text(text), "\\x{}")

    def cell(self, value: TableCell) -> str:
        if isinstance(value, Status | Figure):
            return super().cell(value)
        parts = (clip(part, 200 if isinstance(part, blocks.Id) else 1000) for part in blocks.parts(value))
        return inert("".join(parts), "\\x{}")

    def line(self, text: Text, indent: int, style: str = "") -> RenderableType:
        return Padding(Line(self.text(text), style=style), (0, 0, 0, indent), expand=False)

    def pairs(self, rows: Iterable[tuple[Text | Line, Text]], indent: int, gap: int = 1) -> RenderableType:
        """Two columns: a mark or a name, and the text about it."""
        heads = [(head if isinstance(head, Line) else Line(self.text(head)), body) for head, body in rows]
        grid = Grid.grid(padding=(0, gap, 0, 0))
        grid.add_column(no_wrap=all(head.cell_len <= _NAME for head, _ in heads), overflow="fold")
        grid.add_column(overflow="fold")
        for head, body in heads:
            grid.add_row(head, Line(self.text(body)))
        return Padding(grid, (0, 0, 0, indent), expand=False)

    def rest(self, rows: Sized, shown: Sized, noun: str, indent: int) -> Iterator[RenderableType]:
        if left_out := blocks.more(rows, shown, noun):
            yield self.line(left_out, indent)

    def visit(self, block: Block, depth: int) -> str:
        """A block as text; at the top level an empty line comes first."""
        text = super().visit(block, depth)
        return f"\n{text}" if text and not depth else text

    def section(self, block: Section, depth: int) -> str:
        text = self.inside(block, depth)
        return _cut(text, _LINES) if block.tags and not self.options.verbose else text

    def details(self, block: blocks.Details, depth: int) -> str:
        return self.inside(block, depth) if self.options.verbose else ""

    def inside(self, block: Section | blocks.Details, depth: int) -> str:
        inner = "".join(self.visit(one, depth + 2) for one in block.blocks)
        return inner and self.printed([self.line(block.title, depth, "bold")]) + inner

    def paragraph(self, block: blocks.Paragraph, depth: int) -> str:
        return self.printed([self.line(block.text, depth)])

    def bullets(self, block: blocks.Bullets, depth: int) -> str:
        shown = self.shown(block.items, block.limit)
        title = [self.line(block.title, depth)] if block.title else []
        items = self.pairs((("-", item) for item in shown), depth)
        return self.printed([*title, items, *self.rest(block.items, shown, block.noun, depth)])

    def facts(self, block: blocks.Facts, depth: int) -> str:
        return self.printed([self.pairs(block.rows, depth, _GAP)])

    def rankingpair(self, block: blocks.RankingPair, depth: int) -> str:
        return self.table(side_by_side(block), depth)

    def command(self, block: blocks.Command, depth: int) -> str:
        renderables = [self.line((*blocks.parts(block.title), ":"), depth)] if block.title else []
        for one in _command(block.text, self.options.width - depth - 2):
            # Users copy the text, so it is escaped only if a CI log would read it as a command ("::", "##").
            line = Line(inert(one, "\\x{}") if one.lstrip().startswith("::") or "##" in one else one)
            renderables.append(Padding(line, (0, 0, 0, depth + 2), expand=False))
        return self.printed(renderables)

    def message(self, block: blocks.Message, depth: int) -> str:
        held = lines(block.text)
        shown = self.shown(held, _MESSAGE)
        text = (self.line(clip(one, 600), depth) for one in shown)
        return self.printed([*text, *self.rest(held, shown, "line", depth)])

    def matrix(self, block: blocks.Matrix, depth: int) -> str:
        """A matrix with a row per tool or, if that is too wide, with a row per measure."""
        if not (block.valued or self.options.verbose):
            return ""
        tools = block.table(by_tool=True)
        return self.table(tools if self.fits(tools, depth) else block.table(), depth)

    def fits(self, block: Table, depth: int) -> bool:
        """Whether the columns fit into the width: numbers stay whole, words are wrapped to ``_LEAST``."""
        cells = [[column.title for column in block.columns], *self.shown(block.rows, block.limit)]
        longest = [max(map(cell_len, map(self.cell, column))) for column in zip(*cells, strict=True)]
        kinds = [column.kind for column in block.columns]
        least = (min(size, _LEAST.get(kind, size)) for kind, size in zip(kinds, longest, strict=True))
        return sum(least) + _GAP * len(kinds) <= max(self.options.width, 40) - depth

    def table(self, block: Table, depth: int) -> str:
        """A table without rules; if its columns do not fit into the width, one line of words per row."""
        shown = self.shown(block.rows, block.limit)
        rows = [list(map(self.cell, row)) for row in shown]
        renderables = [self.line(block.title, depth)] if block.title else []
        if self.fits(block, depth):
            grid = Grid(box=None, padding=(0, _GAP, 0, 0), pad_edge=False, header_style="bold")
            for column in block.columns:
                title, number = Line(self.text(column.title)), column.kind == "number"
                grid.add_column(title, justify="right" if number else "left", no_wrap=number, overflow="fold")
            for row in rows:
                grid.add_row(*map(Line, row))
            renderables.append(Padding(grid, (0, 0, 0, depth), expand=False))
        else:
            titles = [self.cell(column.title) for column in block.columns]
            renderables += (self.line(_record(block.columns, titles, row), depth) for row in rows)
        return self.printed([*renderables, *self.rest(block.rows, shown, block.noun, depth)])


def _paths(paths: Sequence[str]) -> str:
    """The files in short: ``reports/crosscheck.json (.md, .html)``."""
    first, *others = paths
    stem = first.rpartition(".")[0]
    same = [path.removeprefix(stem) for path in others if path.startswith(f"{stem}.")]
    rest = [path for path in others if not path.startswith(f"{stem}.")]
    return ", ".join(map(visible, (f"{first} ({', '.join(same)})" if same else first, *rest)))


def _first(parts: Sequence[str], limit: int) -> list[str]:
    """The first parts with at most ``limit`` lines together, but at least one part. If parts are left out, a
    last line gives the number of their lines."""
    sizes = [*itertools.accumulate(part.count("\n") for part in parts)]
    kept = max(sum(size <= limit for size in sizes), 1)
    rest = sizes[-1] - sizes[kept - 1] if parts else 0
    return [*parts[:kept], *([f"\n… {count(rest, 'more line')}\n"] if rest else [])]


def _cut(text: str, limit: int) -> str:
    """Text of at most ``limit`` lines. If lines are left out, the last line gives their number."""
    held = text.splitlines(keepends=True)
    if len(held) <= limit:
        return text
    return f"{''.join(held[: limit - 1])}  … {count(len(held) - limit + 1, 'more line')}\n"


def _record(columns: Sequence[Heading], titles: Sequence[str], row: Sequence[str]) -> str:
    """A row as one line of text: its status, then the title and value of each column, in their order."""
    mark, text, numbers = "", "", False
    for column, title, value in zip(columns, titles, row, strict=True):
        if value and column.kind == "status":
            mark = f"{value} "
        elif value:
            number, after = column.kind == "number", column.kind == "text" and numbers
            text += ": " if number and not numbers else "; " if after else ", "
            text += f"{title}{':' * after} {value}".lstrip()
            numbers |= number
    return mark + text[2:]


def _command(text: str, width: int) -> list[str]:
    """The lines of a shell command, broken by backslashes where it is too wide; a program is unchanged."""
    if "\n" in text:
        return lines(text)
    held = [""]
    for word in map(shlex.quote, shlex.split(text)):
        if held[-1] and len(held[-1]) + len(word) + 3 > width:
            held[-1] += " \\"
            held.append(f"  {visible(word)}")
        else:
            held[-1] += f"{' ' * bool(held[-1])}{visible(word)}"
    return held
