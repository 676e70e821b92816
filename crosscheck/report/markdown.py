"""A page as GitHub-flavoured Markdown, for the summary of a CI job: first the verdict; details are folded.

Text from outside is escaped, so that GitHub shows it as it is: without markup, HTML, mentions or links.
"""

import html
import re
from collections.abc import Sequence
from urllib.parse import quote

from msgspec.structs import replace

from crosscheck.errors import count
from crosscheck.report import page as blocks
from crosscheck.report.page import Block, Id, Section, Status, Table, Text
from crosscheck.report.tables import side_by_side
from crosscheck.report.words import clip, inert, lines

#: The largest numbers of findings at the top, and of tools side by side in a table of measures and tools.
_FINDINGS, _ABREAST = 10, 6
#: The largest number of lines of a message or a program.
_LINES = 60
_RISKY = re.compile(r"[`|\\]|^\s|\s$|::|##(?:vso)?\[")
_PUNCTUATION = re.compile(r"[!-,./:-@\[-`{-~]")


def render(page: blocks.Page, options: blocks.RenderOptions) -> str:
    """The page in fewer than ``options.max_bytes`` bytes of UTF-8. The number of parts left out is given."""
    verdict, findings = page.verdict, page.verdict.findings
    writer = _Markdown(options)
    mark = f"{verdict.status.glyph} " if verdict.status else ""
    head, others = blocks.first_sentence(verdict.sentence)
    shown = findings[: None if options.verbose else _FINDINGS]
    items = [f"{one.status.glyph} {writer.text(one.text)}" for one in shown]
    listed = _listed(items, blocks.more(findings, shown, "finding"))
    full = f"Full report: {', '.join(map(code, options.written))}" if options.written else ""
    top = [f"## {mark}{writer.text(head)}", writer.text(others), writer.text(verdict.about)]
    writer.left = options.max_bytes - 1000
    values, rest = page.parted()
    top += [part for block in values for part in writer.visit(block, 3)]
    top += [listed, full]
    writer.left -= sum(len(part.encode()) + 2 for part in top)
    text = [*top, *(part for block in rest for part in writer.visit(block, 3))]
    if writer.omitted:
        text.append(f"**{count(writer.omitted, 'part')} left out for size; the JSON report has everything.**")
    return "\n\n".join(filter(None, text)) + "\n"


def _listed(items: Sequence[str], rest: str) -> str:
    """The items of a list as text; the last item is ``rest``, which says how many items are left out."""
    return "\n".join(f"- {item}" for item in (*items, *filter(None, [rest])))


class _Markdown(blocks.Visitor[list[str]]):
    """Writes blocks as parts separated by empty lines, up to a number of bytes. ``depth`` is the level of
    headings.

    Attributes:
        left: number of bytes that may still be written.
        omitted: number of parts that did not fit.
    """

    room, nothing = 4, []

    def __init__(self, options: blocks.RenderOptions) -> None:
        super().__init__(options)
        self.left = self.omitted = 0

    def plain(self, text: str) -> str:
        return prose(text, 4000)

    def id(self, text: str) -> str:
        return code(text)

    def text(self, text: Text) -> str:
        return super().text(text).strip(" ")

    def status(self, status: Status) -> str:
        return f"{status.glyph} {status.value}"

    def visit(self, block: Block, depth: int) -> list[str]:
        written = super().visit(block, depth)
        return written if isinstance(block, Section | blocks.Details) else [*filter(self.takes, written)]

    def takes(self, part: str) -> bool:
        """Whether a part still fits. Updates ``left`` if it fits, else ``omitted``."""
        size = len(part.encode()) + 2
        fits = size <= self.left
        self.left -= size * fits
        self.omitted += not fits
        return fits

    def section(self, block: Section, depth: int) -> list[str]:
        return self.inside(block, depth, f"{'#' * depth} {self.text(block.title)}")

    def details(self, block: blocks.Details, depth: int) -> list[str]:
        summary = "".join(_html_code(t) if isinstance(t, Id) else prose(t) for t in blocks.parts(block.title))
        return self.inside(block, depth, f"<details>\n<summary>{summary}</summary>", "</details>")

    def inside(self, block: Section | blocks.Details, depth: int, head: str, *tail: str) -> list[str]:
        if not self.takes(head + "".join(tail)):
            return []
        inner = [part for one in block.blocks for part in self.visit(one, depth + 1)]
        return [head, *inner, *tail] if inner else []

    def paragraph(self, block: blocks.Paragraph, depth: int) -> list[str]:
        return [self.text(block.text)]

    def bullets(self, block: blocks.Bullets, depth: int) -> list[str]:
        shown = self.shown(block.items, block.limit)
        items = _listed([*map(self.text, shown)], blocks.more(block.items, shown, block.noun))
        return [self.text(block.title), items] if block.title else [items]

    def facts(self, block: blocks.Facts, depth: int) -> list[str]:
        return [_listed([f"{self.text(name)}: {self.text(text)}" for name, text in block.rows], "")]

    def table(self, block: Table, depth: int) -> list[str]:
        shown = self.shown(block.rows, block.limit)
        kinds = ("--:" if column.kind == "number" else "---" for column in block.columns)
        titles = " | ".join(self.text(column.title) for column in block.columns)
        head = [f"| {titles} |", f"|{'|'.join(kinds)}|"]
        rows = [f"| {' | '.join(map(self.cell, row))} |" for row in shown]
        title = [self.text(block.title)] if block.title else []
        rest = blocks.more(block.rows, shown, block.noun)
        return [*title, "\n".join([*head, *rows]), *([f"**{rest}**"] if rest else [])]

    def matrix(self, block: blocks.Matrix, depth: int) -> list[str]:
        left_out = max(len(block.rows) - _ABREAST, 0)
        rest = f" ({left_out:,} more tools in the JSON report)" if left_out else ""
        title = (*blocks.parts(block.title), rest)
        shown = replace(block, title=title, rows=block.rows[:_ABREAST], cells=block.cells[:_ABREAST])
        return self.table(shown.table(), depth)

    def rankingpair(self, block: blocks.RankingPair, depth: int) -> list[str]:
        return self.table(side_by_side(block), depth)

    def chart(self, block: blocks.Chart, depth: int) -> list[str]:
        """A relative link to the drawing, which is a file in the folder of the Markdown file."""
        if self.options.pictures is None:
            return []
        file = quote(f"{self.options.pictures}{block.name}.svg")
        return [f"![{prose(f'{block.title}: {block.caption}')}]({file})"]

    def command(self, block: blocks.Command, depth: int) -> list[str]:
        return [f"{self.text(block.title)}{':' if block.title else ''}\n{_verbatim(block.text)}".strip()]

    def message(self, block: blocks.Message, depth: int) -> list[str]:
        return [_verbatim(block.text)]


def _verbatim(text: str) -> str:
    """Text as preformatted lines; beyond ``_LINES`` lines, only how many more there are."""
    held = lines(text)
    shown = [inert(html.escape(clip(line, 500)), "&#x{};") for line in held[:_LINES]]
    rest = [f"… {count(len(held) - _LINES, 'more line')}"] if len(held) > _LINES else []
    return "<pre>{}</pre>".format("\n".join([*shown, *rest]))


def code(text: str) -> str:
    """An id in code type, exactly as it is; GitHub makes no mention or link of code."""
    safe = clip(text) or "(empty)"
    return f"`{safe}`" if not _RISKY.search(safe) else _html_code(text)


def _html_code(text: str) -> str:
    """An id as a ``<code>`` element, for text that backticks cannot hold: punctuation as HTML references."""
    return f"<code>{_PUNCTUATION.sub(_reference, clip(text) or '(empty)')}</code>"


def _reference(character: re.Match[str]) -> str:
    return f"&#{ord(character[0])};"


def prose(text: str, limit: int = 1000) -> str:
    """A sentence from outside as plain text: no markup, no HTML, no mentions, no links.

    GitHub looks for mentions and bare links after it has resolved references, so a zero-width space breaks
    mentions and links as well. An underscore before a letter stays, because it cannot end emphasis.
    """
    one_line = re.sub(r"[ \t\r\n]+", " ", text)
    plain = re.sub(r"[\\`*\[\]<>#|~$&]|_(?![^\W_])", _reference, clip(one_line, limit))
    for syntax, broken in (("@", "&#64;&#8203;"), ("&#35;", "&#35;&#8203;"), ("://", "&#58;&#8203;//")):
        plain = plain.replace(syntax, broken)
    return inert(re.sub(r"(?i)\b(www)\.", r"\1&#8203;.", plain), "&#x{};")
