"""Blocks as lines of text, laid out by rich."""

from __future__ import annotations

import io
import shlex
from collections.abc import Iterable, Iterator, Sequence, Sized

from rich.cells import cell_len
from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.table import Table as Grid
from rich.text import Text as Line

from crosscheck.errors import count
from crosscheck.report import page as blocks
from crosscheck.report._renderer import RenderOptions
from crosscheck.report.page import Block, Column, Id, Page, Status, Table, TableCell, Text
from crosscheck.report.words import clip, inert, lines, visible

#: Limits unless all is shown: lines of a finding, lines of a message, findings at the top of a report where
#: all agrees, and findings at the top of any other report.
_LINES, _MESSAGE, _GOOD, _BAD = 12, 6, 2, 5
#: The least width of a column by its kind, the gap between two columns, and the length above which names are
#: folded; all in characters.
_LEAST, _GAP, _NAME = {"id": 10, "text": 20, "status": 1}, 2, 20
_COLORS = ("green", "cyan", "yellow", "bold red", "bold yellow", "bold red", "none")
_STYLES = dict(zip(Status, _COLORS, strict=True))
#: Stand-ins for characters that the output encoding lacks.
_PLAIN = str.maketrans({"✓": "+", "✗": "x", "→": "->", "…": "...", "≈": "~", "–": "-"})


def text(page: Page, options: RenderOptions) -> str:
    """See :func:`crosscheck.report.text.render`."""
    head, foot = _printed(_verdict(page, options), options), _printed(_footer(options), options)
    said = "".join([head, *(told(one, options, 0) for one in page.blocks)]).rstrip("\n") + "\n"
    if page.brief and not options.verbose:
        said = _cut(said, _LINES - 1 - foot.count("\n"))
    return f"{said}\n{foot}"


def _printed(parts: Iterable[RenderableType], options: RenderOptions) -> str:
    """The parts one after the other, in the width, colour and encoding that the options ask for."""
    out = io.StringIO()
    console = Console(
        file=out,
        width=max(options.width, 40),
        height=100,  # with both given, rich asks neither the terminal nor the environment
        color_system="standard" if options.color else None,
        force_terminal=options.color,
        force_jupyter=False,
        no_color=not options.color,
        legacy_windows=False,
        markup=False,
        emoji=False,
        highlight=False,
    )
    for part in parts:
        console.print(part)
    said = out.getvalue() if options.color else "\n".join(map(str.rstrip, out.getvalue().split("\n")))
    try:
        said.encode(options.encoding)
    except UnicodeEncodeError:
        said = said.translate(_PLAIN).encode(options.encoding, "backslashreplace").decode(options.encoding)
    return said


def _words(text: Text) -> str:
    """A sentence on one line."""
    limit = 4000 if isinstance(text, str) else 2000
    said = "".join(clip(part, 300 if isinstance(part, Id) else limit) for part in blocks.parts(text))
    return inert(said, "\\x{}")


def _line(text: Text, indent: int = 0, style: str = "") -> RenderableType:
    return Padding(Line(_words(text), style=style), (0, 0, 0, indent), expand=False)


def _pairs(rows: Iterable[tuple[str | Line, Text]], indent: int = 0, gap: int = 1) -> RenderableType:
    """Two columns: a mark or a name, and the text about it."""
    heads = [(head if isinstance(head, Line) else Line(_words(head)), body) for head, body in rows]
    grid = Grid.grid(padding=(0, gap, 0, 0))
    grid.add_column(no_wrap=all(head.cell_len <= _NAME for head, _ in heads), overflow="fold")
    grid.add_column(overflow="fold")
    for head, body in heads:
        grid.add_row(head, Line(_words(body)))
    return Padding(grid, (0, 0, 0, indent), expand=False)


def _verdict(page: Page, options: RenderOptions) -> Iterator[RenderableType]:
    mark, findings = page.verdict.status, page.verdict.findings
    said = (_words(page.verdict.sentence), "bold")
    yield Line.assemble((f"{mark.glyph} ", _STYLES[mark]), said) if mark else Line(*said)
    if page.verdict.about:
        yield _line(page.verdict.about, 2)
    shown = findings[: None if options.verbose else _GOOD if mark is Status.AGREE else _BAD]
    if shown:
        yield Line()
        yield _pairs((Line(one.status.glyph, _STYLES[one.status]), one.text) for one in shown)
    yield from _rest(findings, shown, "finding", 2)


def _rest(all: Sized, shown: Sized, noun: str, indent: int) -> Iterator[RenderableType]:
    if rest := len(all) - len(shown):
        yield _line(f"and {count(rest, f'more {noun}')}", indent)


def _footer(options: RenderOptions) -> Iterator[RenderableType]:
    full = f"The full report is in {_paths(options.written)}" if options.written else ""
    yield Line(f"{full or '--report json writes all'}{'.' if options.verbose else ', or use --verbose.'}")


def _paths(paths: Sequence[str]) -> str:
    """The files in short: ``reports/crosscheck.json (.md, .html)``."""
    first, *others = paths
    stem = first.rpartition(".")[0]
    same = [path.removeprefix(stem) for path in others if path.startswith(f"{stem}.")]
    rest = [path for path in others if not path.startswith(f"{stem}.")]
    told = f"{first} ({', '.join(same)})" if same else first
    return ", ".join(map(visible, (told, *rest)))


def told(block: Block, options: RenderOptions, indent: int) -> str:
    """A block as text; at the top level an empty line comes first."""
    if isinstance(block, blocks.Details) and not options.verbose:
        return ""
    if isinstance(block, blocks.Section | blocks.Details):
        inner = "".join(told(one, options, indent + 2) for one in block.blocks)
        said = inner and _printed([_line(block.title, indent, "bold")], options) + inner
        if isinstance(block, blocks.Section) and block.tags and not options.verbose:
            said = _cut(said, _LINES)
    else:
        said = _printed(_parts(block, options, indent), options)
    return f"\n{said}" if said and not indent else said


def _cut(text: str, limit: int) -> str:
    """Text of at most ``limit`` lines; if lines are left out, the last line counts them."""
    held = text.splitlines(keepends=True)
    if len(held) <= limit:
        return text
    return f"{''.join(held[: limit - 1])}  … {count(len(held) - limit + 1, 'more line')}\n"


def _parts(block: Block, options: RenderOptions, indent: int) -> Iterator[RenderableType]:
    match block:
        case blocks.Paragraph():
            yield _line(block.text, indent)
        case blocks.Bullets() if block.items:
            if block.title:
                yield _line(block.title, indent)
            shown = block.items[: None if options.verbose else block.limit]
            yield _pairs((("-", item) for item in shown), indent)
            yield from _rest(block.items, shown, block.noun, indent)
        case blocks.Facts() if block.rows:
            yield _pairs(block.rows, indent, _GAP)
        case Table() if block.rows:
            yield from _table(block, options, indent)
        case blocks.RankingPair():
            yield from _table(block.table(), options, indent)
        case blocks.Command():
            if block.title:
                yield _line((*blocks.parts(block.title), ":"), indent)
            for one in _command(block.text, options.width - indent - 2):
                # It is to be copied: colons are told apart only where a line begins with them.
                begins = one.lstrip().startswith("::") or "##" in one
                yield Padding(
                    Line(inert(one, "\\x{}") if begins else one), (0, 0, 0, indent + 2), expand=False
                )
        case blocks.Message():
            held = lines(block.text)
            first = held[: None if options.verbose else _MESSAGE]
            yield from (_line(clip(one, 600), indent) for one in first)
            yield from _rest(held, first, "line", indent)
        case blocks.Matrix() if options.verbose and block.rows:
            yield _line(block.title, indent)
            yield from (_line(one, indent) for one in _matrix(block))


def _table(block: Table, options: RenderOptions, indent: int) -> Iterator[RenderableType]:
    """A table without rules; if its columns do not fit into the width, one line of words per row."""
    shown = block.rows[: None if options.verbose else block.limit]
    rows = [list(map(_cell, row)) for row in shown]
    if block.title:
        yield _line(block.title, indent)
    if _fits(block.columns, rows, max(options.width, 40) - indent):
        grid = Grid(box=None, padding=(0, _GAP, 0, 0), pad_edge=False, header_style="bold")
        for column in block.columns:
            title, number = Line(_words(column.title)), column.kind == "number"
            grid.add_column(title, justify="right" if number else "left", no_wrap=number, overflow="fold")
        for row in rows:
            grid.add_row(*map(Line, row))
        yield Padding(grid, (0, 0, 0, indent), expand=False)
    else:
        yield from (_line(_record(block.columns, row), indent) for row in rows)
    yield from _rest(block.rows, shown, block.noun, indent)


def _cell(value: TableCell) -> str:
    match value:
        case Status():
            return value.glyph
        case blocks.Figure():
            return value.text
    return inert("".join(map(clip, blocks.parts(value))), "\\x{}")


def _fits(columns: Sequence[Column], rows: Sequence[Sequence[str]], width: int) -> bool:
    """Whether the columns fit into the width if numbers stay whole and words are wrapped to ``_LEAST``."""
    least = 0
    for place, column in enumerate(columns):
        longest = max(cell_len(text) for text in (_cell(column.title), *(row[place] for row in rows)))
        least += min(longest, _LEAST.get(column.kind, longest))
    return least + _GAP * len(columns) <= width


def _record(columns: Sequence[Column], row: Sequence[str]) -> str:
    """A row as one line of text: its status, then the title and value of each column, in their order."""
    mark, said, numbers = "", "", False
    for column, value in zip(columns, row, strict=True):
        if value and column.kind == "status":
            mark = f"{value} "
        elif value:
            number, after = column.kind == "number", column.kind == "text" and numbers
            said += ": " if number and not numbers else "; " if after else ", "
            said += f"{_cell(column.title)}{':' * after} {value}".lstrip()
            numbers |= number
    return mark + said[2:]


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


def _matrix(block: blocks.Matrix) -> Iterator[str]:
    for tool, row in zip(block.rows, block.cells, strict=True):
        cells = [(measure, cell) for measure, cell in zip(block.columns, row, strict=True) if cell]
        told = [f"{cell.status.glyph} {clip(measure)} {cell.text}".rstrip() for measure, cell in cells]
        yield f"{clip(tool)}: {', '.join(told)}"
