"""HTML: a page as one file that loads no other file and runs only the script that it contains.

A content security policy allows this script and the style by their hashes, so that markup in an id does
nothing even if it is not escaped. Without JavaScript the page is readable; only filters, sorting, and the
later rows of a long table need JavaScript. Elements are made by :func:`_element`, which escapes its values.
"""

import base64
import hashlib
import itertools
import json
import re
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import groupby
from typing import Any

from markupsafe import Markup
from msgspec.structs import replace

from crosscheck.errors import count
from crosscheck.registry import STUDIES
from crosscheck.report import page as blocks
from crosscheck.report.page import Block, Figure, Heading, Id, Section, Status, Table, TableCell, Text
from crosscheck.report.svg import CHART_STYLE, DARK, FONT, LIGHT, asset, draw, escaped, num, variables
from crosscheck.report.tables import below_each_other
from crosscheck.report.words import clip, lines

#: Characters after which text from outside is cut, most characters of a heading, and characters of the
#: longest text that can be read in a narrow column.
_LIMIT, _HEADLINE, _SHORT = 4000, 120, 40
#: The largest number of rows in the table of the numbers of a drawing.
_NUMBERS = 500
#: The largest number of columns of a table beside something else.
_COLUMNS = 7
#: Kinds of charts that are shown side by side with charts or narrow tables.
_NARROW = ("waterfall", "dots", "means")
#: The parts of the one script, in their order.
_SCRIPTS = ("theme", "tables", "filters", "copying", "start")


def render(page: blocks.Page, options: blocks.RenderOptions) -> str:
    """The page as a whole HTML file."""
    style, script = _style(), _script()
    allowed = f"style-src '{_hash(style)}'; script-src '{_hash(script)}'"
    policy = f"default-src 'none'; {allowed}; base-uri 'none'; form-action 'none'"
    writer, status = _Html(options, page), page.verdict.status
    sections = [block for block in page.blocks if isinstance(block, Section) and block.anchor]
    link = '<li><a href="#{0}" data-for="{0}">{1}</a></li>\n'
    links = _each(link, ((one.anchor, _cut(one.title)) for one in sections))
    whole = Markup(asset("page.html")).format(
        policy=policy,
        mark=f"{status.glyph} " if status else "",
        title=_cut(page.title),
        style=Markup(style),
        script=Markup(script),
        kind=_cut(page.kind),
        indexed=" indexed" if len(sections) > 1 else "",
        contents=_named("contents", links=links) if len(sections) > 1 else "",
        status=f" {status.value}" if status else "",
        verdict=writer.verdict(page),
        body=writer.cards(page.parted()[1]),
        tool=writer.text(page.tool),
        data=_json(writer.data),
    )
    return str(whole)


@cache
def _style() -> str:
    light, dark = variables(LIGHT), variables(DARK)
    return (
        f":root{{--font:{FONT};{light}}}"
        f"@media screen and (prefers-color-scheme:dark){{:root:not([data-theme=light]){{{dark}}}}}"
        f"@media screen{{:root[data-theme=dark]{{{dark}}}}}\n{CHART_STYLE}\n{asset('style.css')}"
    )


@cache
def _script() -> str:
    scripts = "\n".join(asset(f"{name}.js") for name in _SCRIPTS)
    return f"'use strict';\n(() => {{\n{scripts}}})();\n"


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def _json(value: object) -> Markup:
    """A value as JSON, escaped for a script element."""
    text = json.dumps(value, sort_keys=True)
    return Markup(re.sub("[<>&']", lambda match: f"\\u{ord(match[0]):04x}", text))


def _cut(text: Text) -> str:
    """A sentence as a string, without invisible characters, and cut if it is very long."""
    return clip(blocks.flat(text), _LIMIT)


def _element(markup: str, *values: object, **named: object) -> Markup:
    """The markup with the values in its placeholders. Values are escaped, unless they are markup."""
    return Markup(markup).format(*values, **named)


_join = Markup().join


def _each(markup: str, rows: Iterable[Sequence[object]]) -> Markup:
    """The same markup for each row of values."""
    return _join(_element(markup, *row) for row in rows)


@cache
def _elements() -> dict[str, str]:
    """The elements of several lines, by name."""
    _, *parts = re.split("<!-- (.*) -->\n", asset("elements.html"))
    return {name: text.removesuffix("\n") for name, text in zip(parts[::2], parts[1::2], strict=True)}


def _named(name: str, /, **values: object) -> Markup:
    return _element(_elements()[name], **values)


#: What does not break at its hyphens: numbers and versions in sentences; ids of at most so many letters.
_UNBROKEN, _WHOLE = re.compile(r"\b\d+(?:\.\d+)?e-\d+|\btrec_eval-[\d.]+\d(?:-c)?"), 28


class _Html(blocks.Visitor[Markup]):
    """Writes blocks as elements; the depth of a block is that of its heading: 2, or 3 within another block.

    Attributes:
        data: id of a long table -> all its rows, for the script.
    """

    room, nothing = 4, Markup()

    def __init__(self, options: blocks.RenderOptions, page: blocks.Page) -> None:
        super().__init__(options)
        self.anchors = {block.anchor for block in blocks.walk(page.blocks) if isinstance(block, Section)}
        self.leads = {one.anchor: one for one in page.verdict.findings if one.anchor}
        self.data: dict[str, Any] = {}
        self.ids = map("x{}".format, itertools.count(1))

    def plain(self, text: str) -> Markup:
        return Markup(_UNBROKEN.sub(r'<span class="whole">\g<0></span>', str(Markup.escape(_cut(text)))))

    def id(self, text: str, links: bool = True) -> Markup:
        """An id as code, or the labels in an id such as ``a + b`` as links, if the page explains them all."""
        labels = text.split(" + ")
        if links and all(f"label-{label}" in self.anchors for label in labels):
            link = '<a class="label-link" href="#label-{0}"><code class="whole">{0}</code></a>'
            return Markup(" + ").join(_element(link, label) for label in labels)
        shown = _cut(text)
        return _element('<code class="{}">{}</code>', "whole" if len(shown) <= _WHOLE else "long", shown)

    def text(self, text: Text, links: bool = True) -> Markup:
        held = blocks.parts(text)
        return _join(self.id(one, links) if isinstance(one, Id) else self.plain(one) for one in held)

    def optional(self, markup: str, text: Text) -> Markup:
        """An element with a sentence; nothing if the sentence is empty."""
        return _element(markup, self.text(text)) if text else Markup()

    def status(self, status: Status) -> Markup:
        badge = '<span class="status {0}"><span aria-hidden="true">{1}</span> {0}</span>'
        return _element(badge, status.value, status.glyph)

    def verdict(self, page: blocks.Page) -> Markup:
        """The answer at the top of the page, with its findings."""
        sentence, about, status = page.verdict.sentence, page.verdict.about, page.verdict.status
        first, rest = blocks.first_sentence(sentence) if len(_cut(sentence)) > _HEADLINE else (sentence, "")
        stamp = '<p class="stamp"><span class="glyph" aria-hidden="true">{}</span> {}</p>'
        word = status.value if status and page.kind not in STUDIES else ""
        findings = _join(map(self.finding, page.verdict.findings))
        return (
            (_element(stamp, status.glyph, word) if status else Markup())
            + self.optional('<p class="subject">{}</p>', page.title if page.title != about else "")
            + _element('<h1 id="answer">{}</h1>\n', self.text(first))
            + self.optional("<p>{}</p>", rest)
            + self.optional('<p class="about">{}</p>', about)
            + self.all(page.parted()[0], 2)
            + (_element('<ul class="answers">\n{}</ul>\n', findings) if findings else Markup())
        )

    def finding(self, one: blocks.Finding) -> Markup:
        why = ' <a href="#{}">Why<span class="hidden">: {}</span></a>'
        link = _element(why, one.anchor, _cut(one.text)) if one.anchor else ""
        return _element("<li>{}<span>{}{}</span></li>\n", self.status(one.status), self.text(one.text), link)

    def cards(self, all: Sequence[Block]) -> Markup:
        """The blocks of a page as cards. A section, a matrix or details is a card of its own; consecutive
        blocks of other kinds share a card."""
        own = (blocks.Matrix, Section, blocks.Details)
        groups = groupby(filter(blocks.filled, all), lambda block: isinstance(block, own))
        element = {True: "{}\n", False: '<div class="card">\n{}\n</div>\n'}
        return _join(_element(element[alone], self.all(some, 2)) for alone, some in groups)

    def all(self, inner: Iterable[Block], depth: int, unfolded: bool = False) -> Markup:
        """Consecutive blocks, narrow blocks side by side. ``unfolded``: whether details are open."""

        def one(block: Block) -> Markup:
            if isinstance(block, blocks.Details):
                return self.details(block, depth, unfolded)
            return self.visit(block, depth)

        made = []
        for narrow, some in groupby(filter(blocks.filled, inner), _is_narrow):
            held = [*map(one, some)]
            pair = narrow and (len(held) > 1 or "<figure" in held[0])
            made.append(_element('<div class="pair">\n{}</div>\n' if pair else "{}", _join(held)))
        return _join(made)

    def section(self, block: Section, depth: int) -> Markup:
        tags = {key: [*map(_cut, names)] for key, names in block.tags.items()}
        copied, lead = tags and block.anchor, self.leads.get(block.anchor)
        said = '<p class="lead">{} {}</p>'
        heading = {"depth": depth, "title": self.text(block.title), "copy": _named("copy") if copied else ""}
        return _named(
            "section",
            anchor=_element('id="{}" tabindex="-1" ', block.anchor) if block.anchor else "",
            kind="card" if depth == 2 else "part",
            tags=_element(' data-tags="{}"', str(_json(tags))) if tags else "",
            heading=_named("heading", **heading) if block.title else "",
            lead=_element(said, self.status(lead.status), self.text(lead.text)) if lead else "",
            blocks=self.all(block.blocks, 3, bool(tags)),
        )

    def details(self, block: blocks.Details, depth: int, unfolded: bool = False) -> Markup:
        return _named(
            "details",
            unfolded=" open" if unfolded else "",
            card=Markup(' class="card"') if depth == 2 else "",
            title=self.text(block.title, links=False),
            blocks=self.all(block.blocks, 3),
        )

    def title(self, title: Text, id: str) -> dict[str, object]:
        """The title above a table, with the attributes by which screen readers name the table."""
        return {
            "title": _element('<p class="label" id="{}-c">{}</p>', id, self.text(title)) if title else "",
            "titled": _element(' aria-labelledby="{}-c"', id) if title else "",
        }

    def paragraph(self, block: blocks.Paragraph, depth: int) -> Markup:
        return _element("<p>{}</p>\n", self.text(block.text))

    def bullets(self, block: blocks.Bullets, depth: int) -> Markup:
        items = _each("<li>{}</li>\n", ([self.text(item)] for item in block.items))
        return self.optional(_TITLE, block.title) + _element("<ul>\n{}</ul>\n", items)

    def facts(self, block: blocks.Facts, depth: int) -> Markup:
        rows = ((_cut(name), self.text(text)) for name, text in block.rows)
        return _element("<dl>\n{}</dl>\n", _each("<div><dt>{}</dt><dd>{}</dd></div>\n", rows))

    def command(self, block: blocks.Command, depth: int) -> Markup:
        return _named("command", title=self.optional(_TITLE, block.title), text="\n".join(lines(block.text)))

    def message(self, block: blocks.Message, depth: int) -> Markup:
        return _element('<pre class="message" tabindex="0">{}</pre>\n', "\n".join(lines(block.text)))

    def table(self, block: Table, depth: int) -> Markup:
        return self.grid(block) + "\n"

    def grid(self, block: Table) -> Markup:
        id, room = next(self.ids), self.room * block.limit
        shown, left_out = block.rows[:room], len(block.rows) - room
        if left_out > 0:
            columns = zip(block.columns, zip(*block.rows, strict=True), strict=True)
            self.data[id] = {"limit": room, "columns": [_column(*column) for column in columns]}
        kinds = [column.kind for column in block.columns]
        return _named(
            "table",
            id=id,
            name=_cut(block.title) or "Table",
            kind="wordy" if _wordy(kinds, shown) else "plain",
            columns=_join(map(self.heading, block.columns)),
            rows=_each("<tr>{}</tr>\n", ([_join(map(self.field, row, kinds))] for row in shown)),
            rest=_named("rest", rows=count(left_out, f"more {block.noun}")) if left_out > 0 else "",
            **self.title(block.title, id),
        )

    def heading(self, column: Heading) -> Markup:
        key = _element(' data-key="{}"', column.key) if column.key else ""
        title = self.text(column.title or column.key or "name", links=False)
        return _element('<th scope="col" class="is-{}"{}>{}</th>\n', column.kind, key, title)

    def field(self, cell: TableCell, kind: str) -> Markup:
        """A cell of a table; numbers and statuses are shown as such in any column."""
        if isinstance(cell, Figure):
            exact = "" if cell.value is None else _element(' data-v="{0}" title="{0}"', cell.value)
            return _element('<td class="is-number"{}>{}</td>', exact, _cut(cell.text))
        if isinstance(cell, Status):
            return _element('<td class="is-status">{}</td>', self.status(cell))
        return _element('<td class="is-{}">{}</td>', kind, self.text(cell))

    def matrix(self, block: blocks.Matrix, depth: int) -> Markup:
        id, columns = next(self.ids), ([self.text(name)] for name in block.columns)
        statuses = {one.status for row in block.cells for one in row if isinstance(one, blocks.Finding)}
        legend = [f"{status.glyph} {_MEANS[status]}" for status in Status if status in statuses]
        legend += [] if block.valued else ["q: queries that differ"]
        legend = [block.legend] if block.legend else legend
        cells = (_join(map(self.result, row)) for row in block.cells)
        rows = zip(map(self.text, block.rows), cells, strict=True)
        return _named(
            "matrix",
            name=_cut(block.title) or "Tools by measures",
            columns=_each('<th scope="col">{}</th>', columns),
            rows=_each('<tr><th scope="row">{}</th>{}</tr>\n', rows),
            legend="; ".join(legend),
            card="" if block.valued else " card",
            **self.title(block.title, id),
        )

    def result(self, cell: blocks.Finding | Figure | None) -> Markup:
        if cell is None:
            return _named("not compared")
        if isinstance(cell, Figure):
            return _element('<td class="plain"><span>{}</span></td>', cell.text)
        inside = '<b><span aria-hidden="true">{}</span>{}</b> <i class="hidden">{}</i>'
        words = f" {_cut(cell.text)}" if cell.text else ""
        result = _element(inside, cell.status.glyph, words, cell.status.value)
        link = '<a href="#{}">{}</a>' if cell.anchor else "<span>{1}</span>"
        return _element('<td class="{}">{}</td>', cell.status.value, _element(link, cell.anchor, result))

    def chart(self, block: blocks.Chart, depth: int) -> Markup:
        return self.figure(block, block.table(), "narrow" if block.kind in _NARROW else "wide")

    def rankingpair(self, block: blocks.RankingPair, depth: int) -> Markup:
        return self.figure(block, below_each_other(block), "wide")

    def figure(self, block: blocks.Chart | blocks.RankingPair, numbers: Table, size: str) -> Markup:
        """A drawing with its caption, and its numbers as a table."""
        id, drawing, total = next(self.ids), draw(block), len(numbers.rows)
        cut = f"The first {_NUMBERS:,} of {total:,}" if total > _NUMBERS else ""
        return _named(
            "figure",
            size=size,
            title=_element(_TITLE, self.text(block.title)),
            name=_cut(block.title),
            id=id,
            width=num(drawing.width),
            height=num(drawing.height),
            # The texts of a drawing are escaped.
            drawn=Markup(escaped(drawing.title)),
            described=Markup(escaped(drawing.caption, 2000)),
            drawing=Markup("\n".join(drawing.parts)),
            caption=_cut(drawing.caption),
            numbers=self.grid(replace(numbers, title=cut, rows=numbers.rows[:_NUMBERS])),
        )


#: Status -> its meaning in the legend of a matrix.
_MEANS = {
    Status.AGREE: "agrees with the reference",
    Status.KNOWN: "differs as declared",
    Status.DIFFERS: "differs, in a tool that was not asked for",
    Status.UNEXPECTED: "differs, and is not declared",
    Status.STALE: "is declared, and no longer happens",
    Status.ERROR: "failed",
    Status.UNSUPPORTED: "has no such measure",
}
_TITLE = '<p class="label">{}</p>'


def _is_narrow(block: Block) -> bool:
    """Whether a block is so narrow that two fit side by side: a small chart, or a table of a few numbers."""
    if isinstance(block, Table):
        return len(block.columns) <= _COLUMNS and all(column.kind != "text" for column in block.columns)
    return isinstance(block, blocks.Facts) or (isinstance(block, blocks.Chart) and block.kind in _NARROW)


def _wordy(kinds: Sequence[str], rows: Sequence[Sequence[TableCell]]) -> bool:
    """Whether a table has texts so long that a narrow window must show them below the numbers."""
    cells = [cell for row in rows for cell, kind in zip(row, kinds, strict=True) if kind == "text"]
    return any(isinstance(cell, str | tuple) and len(_cut(cell)) > _SHORT for cell in cells)


def _column(column: Heading, cells: Sequence[TableCell]) -> dict[str, Any]:
    """A column as data for the script.

    If all cells are numbers: the ``text`` and the ``value`` of each row. Otherwise: ``cells``, each different
    cell once, and ``where``, the index into ``cells`` for each row.
    """
    figures = [cell for cell in cells if isinstance(cell, Figure)]
    if len(figures) == len(cells):
        # JSON has no NaN and no infinity, which sort like no value.
        numbers = (f.value if f.value is not None and abs(f.value) < float("inf") else None for f in figures)
        return {"text": [f.text for f in figures], "value": [*numbers]}
    places: dict[tuple[type, TableCell], int] = {}  # the type tells an id from the same words
    where = [places.setdefault((type(cell), cell), len(places)) for cell in cells]
    return {"cells": [_data(cell) for _, cell in places], "where": where}


def _data(cell: TableCell) -> Any:
    if isinstance(cell, Status):
        return {"status": cell.value, "glyph": cell.glyph}
    if isinstance(cell, Figure):
        return cell.text
    if isinstance(cell, tuple):
        return {"parts": [_data(part) for part in cell]}
    return {"id": _cut(cell)} if isinstance(cell, Id) else _cut(cell)
