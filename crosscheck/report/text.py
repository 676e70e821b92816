"""A page for a terminal: the verdict first, then every finding in at most twelve lines."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from crosscheck.report._console import printed
from crosscheck.report._escape import clip, lines, visible
from crosscheck.report._figures import count
from crosscheck.report._renderer import Renderer, RenderOptions
from crosscheck.report.page import (
    Block,
    Bullets,
    Chart,
    Command,
    Details,
    Facts,
    Finding,
    Id,
    Matrix,
    Message,
    Page,
    Paragraph,
    Rankings,
    Section,
    Status,
    Table,
    Text,
)

if TYPE_CHECKING:
    from rich.console import RenderableType

__all__ = ["RENDERER", "render"]

#: Lines of a finding, and findings told at the top of a good report and of another.
_LINES, _GOOD, _BAD = 12, 2, 5
_STYLES = {
    Status.AGREE: "green",
    Status.KNOWN: "cyan",
    Status.DIFFERS: "yellow",
    Status.UNEXPECTED: "bold red",
    Status.STALE: "bold yellow",
    Status.ERROR: "bold red",
    Status.UNSUPPORTED: "none",
}


def render(page: Page, options: RenderOptions) -> str:
    """The page as text, at most ``options.width`` columns wide (never below 40).

    Without colour it holds no control sequence at all, so it reads the same in a file or a pipe.
    Characters that ``options.encoding`` lacks are replaced by plain ones or spelt ``\\xNN``.
    """
    head, foot = _verdict(page, options), _footer(options)
    body = "".join(_block(block, options, 0) for block in page.blocks).rstrip("\n")
    if page.brief and not options.verbose:
        body = _cut(body, _LINES - 1 - head.count("\n") - foot.count("\n"))
    return "\n".join(part for part in (f"{head}{body}".rstrip("\n") + "\n", foot))


def _printed(parts: Iterator[RenderableType], options: RenderOptions) -> str:
    return printed(parts, options)


def plain(text: Text) -> str:
    """A sentence on one line; ids that hold nothing are told in words."""
    if isinstance(text, str):
        return clip(text, 4000)
    return "".join(clip(part, 300 if isinstance(part, Id) else 2000) for part in text)


def _verdict(page: Page, options: RenderOptions) -> str:
    from rich.text import Text as Line

    def parts() -> Iterator[RenderableType]:
        mark = page.verdict.status
        told = (plain(page.verdict.sentence), "bold")
        yield Line.assemble((f"{mark.glyph} ", _STYLES[mark]), told) if mark else Line(told[0])
        if page.verdict.about:
            yield _indented(Line(plain(page.verdict.about)), 2)
        findings = page.verdict.findings
        limit = _GOOD if mark is Status.AGREE else _BAD
        shown = findings if options.verbose else findings[:limit]
        if shown:
            yield Line()
            yield _marked(shown)
        if rest := len(findings) - len(shown):
            yield _indented(Line(f"and {count(rest, 'more finding')}"), 2)

    return _printed(parts(), options)


def _marked(findings: object) -> RenderableType:
    from rich.table import Table as Grid
    from rich.text import Text as Line

    grid = Grid.grid(padding=(0, 1, 0, 0))
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    for one in findings:  # type: ignore[attr-defined]
        assert isinstance(one, Finding)
        grid.add_row(Line(one.status.glyph, style=_STYLES[one.status]), Line(plain(one.text)))
    return grid


def _footer(options: RenderOptions) -> str:
    from rich.text import Text as Line

    said = (
        f"The full report is in {_paths(options.written)}" if options.written else "--report json writes all"
    )
    more = "." if options.verbose else ", or use --verbose."
    return _printed(iter([Line(said + more)]), options)


def _paths(paths: Sequence[str]) -> str:
    """The files in short: ``reports/crosscheck.json (.md, .html)``."""
    first, *others = paths
    stem = first.rpartition(".")[0]
    same = [path.removeprefix(stem) for path in others if path.startswith(f"{stem}.")]
    rest = [path for path in others if not path.startswith(f"{stem}.")]
    told = f"{first} ({', '.join(same)})" if same else first
    return ", ".join(map(visible, (told, *rest)))


def _block(block: Block, options: RenderOptions, indent: int) -> str:
    """A block as lines, with an empty one before it at the top."""
    if isinstance(block, Details) and not options.verbose:
        return ""
    if isinstance(block, Section | Details):
        inner = "".join(_block(one, options, indent + 2) for one in block.blocks)
        if not inner:
            return ""
        text = _printed(_heading(block.title, indent), options) + inner
        if isinstance(block, Section) and block.tags and not options.verbose:
            text = _cut(text, _LINES)
    else:
        text = _printed(_parts(block, options, indent), options)
    return f"\n{text}" if text and not indent else text


def _heading(title: Text, indent: int) -> Iterator[RenderableType]:
    from rich.text import Text as Line

    yield _indented(Line(plain(title), style="bold"), indent)


def _cut(text: str, limit: int) -> str:
    """Text of at most so many lines, the last of which says how many are left out."""
    held = text.splitlines(keepends=True)
    if len(held) <= limit:
        return text
    return (
        "".join(held[: limit - 1]) + f"  … {count(len(held) - limit + 1, 'more line')}\n" if limit > 4 else ""
    )


def _parts(block: Block, options: RenderOptions, indent: int) -> Iterator[RenderableType]:
    from rich.text import Text as Line

    def line(text: str) -> RenderableType:
        return _indented(Line(text), indent)

    match block:
        case Paragraph():
            yield line(plain(block.text))
        case Bullets() if block.items:
            if block.title:
                yield line(plain(block.title))
            shown = block.items if options.verbose else block.items[: block.limit]
            yield from (line(f"- {plain(item)}") for item in shown)
            if rest := len(block.items) - len(shown):
                yield line(f"{count(rest, f'more {block.noun}')}")
        case Facts() if block.rows:
            yield _indented(_grid(block), indent)
        case Table() if block.rows:
            yield from _table(block, options, indent)
        case Command():
            if block.title:
                yield line(f"{plain(block.title)}:")
            yield from (
                _indented(Line(one), indent + 2) for one in _command(block.text, options.width - indent - 2)
            )
        case Message():
            yield from (line(clip(one, 600)) for one in lines(block.text)[: None if options.verbose else 6])
        case Matrix() if options.verbose:
            yield from (line(one) for one in _matrix(block))
        case Rankings():
            yield from _table(_side_by_side(block), options, indent)
        case Chart():
            return


def _grid(block: Facts) -> RenderableType:
    from rich.table import Table as Grid
    from rich.text import Text as Line

    grid = Grid.grid(padding=(0, 2, 0, 0))
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    for label, body in block.rows:
        grid.add_row(Line(label), Line(plain(body)))
    return grid


def _table(block: Table, options: RenderOptions, indent: int) -> Iterator[RenderableType]:
    """Without lines; where the columns do not fit beside each other, one record after the other."""
    from rich.table import Table as Grid
    from rich.text import Text as Line

    from crosscheck.report._cells import cell, fits, record

    shown = block.rows if options.verbose else block.rows[: block.limit]
    rows = [[cell(value) for value in row] for row in shown]
    if block.title:
        yield _indented(Line(plain(block.title)), indent)
    if fits(block.columns, rows, max(options.width, 40) - indent):
        grid = Grid(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="bold")
        for column in block.columns:
            number = column.kind == "number"
            title = Line(plain(column.title))
            grid.add_column(title, justify="right" if number else "left", no_wrap=number, overflow="fold")
        for row in rows:
            grid.add_row(*map(Line, row))
        yield _indented(grid, indent)
    else:
        for row in rows:
            yield _indented(Line(record(block.columns, row)), indent)
    if rest := len(block.rows) - len(shown):
        yield _indented(Line(f"and {count(rest, f'more {block.noun}')}"), indent)


def _command(text: str, width: int) -> list[str]:
    """A command on as many lines as it needs, still to be copied; a program as it is."""
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


def _matrix(block: Matrix) -> Iterator[str]:
    for tool, row in zip(block.rows, block.cells, strict=True):
        told = [
            f"{cell.status.glyph} {clip(measure)} {cell.text}".rstrip()
            for measure, cell in zip(block.columns, row, strict=True)
            if cell is not None
        ]
        yield f"{clip(tool)}: {', '.join(told)}"


def _side_by_side(block: Rankings) -> Table:
    from crosscheck.report._cells import side_by_side

    return side_by_side(block)


def _indented(what: RenderableType, columns: int) -> RenderableType:
    from rich.padding import Padding

    return Padding(what, (0, 0, 0, columns), expand=False)


RENDERER = Renderer("text", "txt", render)
