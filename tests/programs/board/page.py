"""The page of the board: ``reports/compatibility.html``, one file with a section per cell."""

import re
import tomllib
from collections import Counter
from collections.abc import Iterator
from itertools import chain, groupby, starmap, zip_longest
from pathlib import Path
from typing import NamedTuple

from crosscheck.errors import count
from crosscheck.names import parse_measure
from crosscheck.report import page as block
from crosscheck.report.page import Block, Heading, Id, Page, Section, Status, Text
from crosscheck.report.tables import figures
from crosscheck.report.words import convention, in_axis_order, setting, settings
from tests.programs.board.record import BOARD, Board, Cell, Corpus, Shown, ToolRecord

PAGE = BOARD.with_suffix(".html")
#: What would surprise most people: cell -> a sentence. The first four that have a cell stand at the top.
SURPRISING = tomllib.loads(Path(__file__).with_name("surprising.toml").read_text("utf-8"))
#: Columns of the matrix, as far as there are cells; other families of measures follow.
_COLUMNS = ("nDCG", "AP", "P", "R", "RR", "Success", "Rprec", "bpref", "DCG", "SetP", "SetR", "ERR", "RBP")
_LEGEND = (
    "✓ as trec_eval 9; ≠ differs, with the number of conventions that together give every value; "
    "✗ differs, and no conventions give every value; ! could not be called; ~ ties follow no rule"
)
#: Most counterexamples of a cell that are shown, and most documents of one.
_SHOWN, _LINES = 2, 8


def status_of(cell: Cell) -> Status:
    """Whether a cell agrees, differs by known conventions, or differs otherwise."""
    if cell.verdict == "uncallable":
        return Status.ERROR
    if "unexplained" in cell.causes:
        return Status.UNEXPECTED
    return Status.AGREE if cell.verdict == "agrees" else Status.DIFFERS


def board_page(board: Board) -> Page:
    """The four surprises, tools by measures, what was installed, releases that differ, and every cell."""
    tools = {tool.name: tool for tool in board.tools}
    cells = sorted(board.cells, key=lambda cell: (tools[cell.tool].title.lower(), cell.measure, cell.id))
    counts = Counter(map(status_of, cells))
    days, known = sorted({cell.date for cell in cells}), {cell.id: cell for cell in cells}
    surprises = [(known[id], said) for id, said in SURPRISING.items() if id in known][:4]
    verdict = block.Verdict(
        None,
        f"What {len({cell.tool for cell in cells})} tools compute, in {len(cells)} measures of theirs: "
        f"{counts[Status.AGREE]} agree with trec_eval 9, "
        f"{counts[Status.DIFFERS]} differ by conventions that give all their values, "
        f"{counts[Status.UNEXPECTED]} in a way that no conventions give in full.",
        f"Each cell is the audit of one function of one release ({_span(days)}): "
        "nothing comes from documentation. What has no package is written anew, and marked as read, not run.",
        [block.Finding(status_of(cell), said, _anchor(cell)) for cell, said in surprises],
    )
    ranges = _ranges(cells, tools)
    blocks: list[Block] = [_matrix(cells, tools), _releases(ranges, tools)]
    blocks += [*(_section(cell, tools[cell.tool], _since(cell, ranges)) for cell in cells), _tools(board)]
    tool = ("crosscheck ", Id(board.crosscheck))
    return Page(kind="board", title="Which tool computes what", verdict=verdict, blocks=blocks, tool=tool)


def _anchor(cell: Cell) -> str:
    return "".join(letter if letter.isalnum() else "-" for letter in cell.id)


def _matrix(cells: list[Cell], tools: dict[str, ToolRecord]) -> block.Matrix:
    """Tools by families of measures; a tool with several functions of one has further rows."""
    current = [cell for cell in cells if "@" not in cell.id]
    families = {_family(cell): None for cell in current}
    columns = [name for name in dict.fromkeys([*_COLUMNS, *families]) if name in families]
    rows, lines = list[Id](), list[list[block.Finding | block.Figure | None]]()
    for name, some in groupby(current, key=lambda cell: cell.tool):
        held: dict[str, list[Cell]] = {}
        for cell in some:
            held.setdefault(_family(cell), []).append(cell)
        for row, line in enumerate(zip_longest(*(held.get(column, []) for column in columns))):
            rows.append(Id(tools[name].title + f" ({row + 1})" * (row > 0)))
            lines.append([None if cell is None else _finding(cell) for cell in line])
    return block.Matrix("Tools by measures", rows, [*map(Id, columns)], lines, legend=_LEGEND)


def _finding(cell: Cell) -> block.Finding:
    status, tilde = status_of(cell), "~" * cell.arbitrary
    number = str(len(cell.conventions)) if status is Status.DIFFERS and cell.conventions else ""
    return block.Finding(status, f"{number}{tilde}", _anchor(cell))


def _family(cell: Cell) -> str:
    return str(parse_measure(cell.measure).family)


class _Range(NamedTuple):
    """Releases of a package, one after the other among those that were run, with one answer: their cells."""

    package: str
    cells: dict[str, Cell]

    def __str__(self) -> str:
        return f"{self.package} {_span([*self.cells])}"

    @property
    def first(self) -> Cell:
        return next(iter(self.cells.values()))


def _span(ordered: list[str]) -> str:
    """The first, and the last if there are others."""
    return " to ".join(ordered[:1] + ordered[1:][-1:])


def _ranges(cells: list[Cell], tools: dict[str, ToolRecord]) -> list[list[_Range]]:
    """For each function of which older releases were run: its releases from old to new, by their answers."""
    older: dict[str, dict[str, Cell]] = {}
    for cell in cells:
        if "@" in cell.id:
            older.setdefault(cell.id.partition("@")[0], {})[cell.release] = cell
    found = []
    for id, some in older.items():
        package = next(iter(some)).partition("==")[0]
        run = {release.partition("==")[2]: cell for release, cell in some.items()}
        for now in (cell for cell in cells if cell.id == id):
            run[tools[now.tool].installed.get(package) or now.release.partition("==")[2]] = now
        ordered = sorted(run.items(), key=lambda one: [*map(int, re.findall(r"\d+", one[0]))])
        same = groupby(ordered, key=lambda one: _differs(one[1]))
        found.append([_Range(package, dict(one)) for _, one in same])
    return found


def _releases(ranges: list[list[_Range]], tools: dict[str, ToolRecord]) -> Block:
    """What was the same in some releases, and changed between others."""
    rows: list[list[Text]] = [
        [Id(tools[one.first.tool].title), Id(one.first.function), Id(str(one)), _differs(one.first)]
        for one in chain(*ranges)
    ]
    heads = [Heading("tool", "id", "tool"), Heading("function", "id"), Heading("releases", "id")]
    table = block.Table("", [*heads, Heading("differs from trec_eval 9")], rows, 60)
    return Section("Releases that were compared", [table], "releases") if rows else table


def _since(cell: Cell, ranges: list[list[_Range]]) -> str:
    """The releases with the answer of a cell, and the nearest ones with another."""
    for some in ranges:
        for number, one in enumerate(some):
            if cell in one.cells.values():
                beside = [*some[:number][-1:], *some[number + 1 :][:1]]
                return "; ".join([str(one), *(f"{other}: {_differs(other.first)}" for other in beside)])
    return ""


def _tools(board: Board) -> Section:
    ran = {cell.tool for cell in board.cells}
    rows = []
    for tool in sorted(board.tools, key=lambda tool: tool.title.lower()):
        about = ", ".join(f"{name} {version}" for name, version in tool.installed.items())
        if tool.failed or tool.read:
            about = f"could not be installed: {tool.failed}" if tool.failed else f"read, not run: {tool.read}"
        about = "not run yet; " * (tool.name not in ran) + about
        rows.append([Id(tool.title), Id(tool.release), ", ".join(tool.families), about])
    heads = [Heading("tool", "id", "tool"), Heading("release", "id")]
    table = block.Table("", [*heads, Heading("family"), Heading("environment")], rows, 100, "tool")
    return Section("Tools and what they were run with", [table], "tools")


def _differs(cell: Cell) -> str:
    """The differences of a cell in one line."""
    if cell.verdict == "uncallable":
        return f"could not be called: {cell.message}"
    rest = [cause for cause in cell.causes if cause in _BESIDE]
    told = [setting(*one) for one in in_axis_order(cell.conventions)] + rest
    arbitrary = ["ties in an arbitrary order"] * (cell.arbitrary and "tie-breaking" in cell.causes)
    return ", ".join([*told, *arbitrary]) or "nothing: as trec_eval"


#: Labels that no axis has.
_BESIDE = ("refuses-input", "unexplained", "cross-query-leak", "not-repeatable", "changes-input")


def _section(cell: Cell, tool: ToolRecord, since: str) -> Section:
    release = cell.release.partition("==")[2]
    named = f"{tool.title} {release}".strip() if "@" not in cell.id else f"{tool.title} with {cell.release}"
    title: Text = (Id(named), ": ", Id(cell.function), " as ", Id(cell.measure))
    facts = [*([("the same in", since)] if since else []), *_facts(cell, tool)]
    shown = [part for one in cell.shown[:_SHOWN] for part in _example(one)]
    install = f"pip install {cell.release}\n" if cell.release else ""
    more = [block.Details("Command", [block.Command(install + cell.command)])]
    tags = {
        "status": [status_of(cell).value],
        "tool": [tool.title],
        "measure": [cell.measure],
        "convention": [*starmap(setting, cell.conventions.items()), *["ties=arbitrary"] * cell.arbitrary],
        "family": tool.families,
    }
    said = ({setting(*one): None, convention(*one): None} for one in in_axis_order(cell.conventions))
    says = block.Bullets("", [": ".join(words) for words in said])
    return Section(title, [_status(cell), says, *shown, block.Facts(facts), *more], _anchor(cell), tags)


def _status(cell: Cell) -> block.Paragraph:
    strength = f" ({cell.strength}):" if cell.conventions and cell.strength else "."
    end = "; these give a part of them:" if cell.conventions else "."
    words = {
        Status.AGREE: "✓ Computes what trec_eval 9 computes.",
        Status.DIFFERS: f"≠ Differs from trec_eval 9{strength}",
        Status.UNEXPECTED: f"✗ Differs from trec_eval 9, and no set of conventions gives all its values{end}",
        Status.ERROR: f"! Could not be called: {cell.message}",
    }
    return block.Paragraph(words[status_of(cell)])


def _facts(cell: Cell, tool: ToolRecord) -> Iterator[tuple[str, Text]]:
    if cell.arbitrary:
        yield "arbitrary", "tied documents come in an order that follows no rule: another run may differ"
    if "refuses-input" in cell.causes:
        yield "refuses", "it fails on ordinary input that trec_eval evaluates"
    if cell.alternatives:
        yield "or", "; ".join(settings(other) or "as trec_eval" for other in cell.alternatives[:3])
    if cell.corpus:
        yield "on real runs", _corpus(cell.corpus)
    yield "evidence", f"read, not run: {tool.read}" if tool.read else f"run on {cell.date}"
    if cell.profile:
        yield "profile", Id(cell.profile)
    if cell.call:
        yield "called as", Id(cell.call)


def _corpus(one: Corpus) -> str:
    if not one.values:
        return f"no value: {one.message}"
    told = f"these conventions give {one.met} of {count(one.values, 'value')}"
    ties = f"; {one.tie_orders} are those of some order of tied documents" * bool(one.tie_orders)
    missed = f"; {one.missed} ({one.missed / one.values:.0%}) are missed" * bool(one.missed)
    refused = f"; {count(one.refused, 'input')} refused: {one.message}" * bool(one.refused)
    return told + ties + missed + refused


def _example(shown: Shown) -> Iterator[Block]:
    """The smallest input of a deviation, with both values."""
    queries = {**shown.run, **shown.qrels}
    several = len(queries) > 1
    rows: list[list[Text]] = []
    for query in queries:
        run, qrels = shown.run.get(query, {}), shown.qrels.get(query, {})
        for docno in {**run, **qrels}:
            held = (str(side.get(docno, "–")) for side in (qrels, run))
            rows.append([*[Id(query)] * several, Id(docno), *held])
    reference, candidate, _ = figures(shown.reference, shown.candidate)
    about = f" for query {shown.query}" if shown.query and several else ""
    values = f": trec_eval {reference.text}, here {candidate.text}{about}, on"
    title: Text = (Id(shown.cause), " in ", Id(shown.measure), values)
    heads = [Heading("query", "id")] * several + [Heading("document", "id"), Heading("level", "number")]
    if len(rows) > _LINES:
        yield block.Paragraph((*title, f" {count(len(rows), 'document')}"))
    else:
        yield block.Table(title, [*heads, Heading("score", "number")], rows, _LINES, "document")
