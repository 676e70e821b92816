"""The Markdown report, read back with a parser; whole pages are in test_formats.py."""

import re
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from crosscheck.report import RenderOptions, render
from crosscheck.report.markdown import code, prose
from crosscheck.report.words import visible
from tests.report import samples

ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=60)
OURS = {"h2", "h3", "h4", "p", "strong", "code", "pre", "ul", "li", "details", "summary"}
OURS |= {"table", "thead", "tbody", "tr", "th", "td"}


class _Reader(HTMLParser):
    """Tags, and text inside and outside code, of a page."""

    def __init__(self, markdown: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: set[str] = set()
        self.plain: list[str] = []
        self.code: list[str] = []
        self._depth = 0
        self.feed(MarkdownIt("commonmark", {"html": True}).enable("table").render(markdown))
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        if tag in ("code", "pre"):
            self._depth += 1
            self.code.append("")

    def handle_endtag(self, tag: str) -> None:
        self._depth -= tag in ("code", "pre")

    def handle_data(self, data: str) -> None:
        if self._depth:
            self.code[-1] += data
        else:
            self.plain.append(data)


@given(ANY_TEXT)
def test_any_text_is_shown_as_text(text):
    """As an id it comes out of a parser as its visible spelling, also inside a table; as a sentence no tag
    but the paragraph does, and no word is lost."""
    expected = visible(text) or "(empty)"
    assert _Reader(f"id {code(text)} id").code == [expected]
    table = _Reader(f"| a | b |\n|---|---|\n| {code(text)} | end |\n")
    assert table.code == [expected]
    assert "".join(table.plain).split() == ["a", "b", "end"]
    read = _Reader(f"x {prose(text)} x")
    assert read.tags == {"p"}
    shown = "".join(read.plain).replace("\u200b", "").split()
    assert shown == ["x", *visible(re.sub(r"[ \t\r\n]+", " ", text)).split(), "x"]


@pytest.mark.parametrize("size", [20_000, 100_000])
@pytest.mark.parametrize("document", [samples.flood(300), samples.hostile()])
def test_the_page_stays_below_its_limit(document, size):
    """Whatever is left out is counted in words, and the page still is well-formed markdown."""
    page = render(document, "markdown", RenderOptions(max_bytes=size))
    whole = render(document, "markdown", RenderOptions(max_bytes=10_000_000))
    assert len(page.encode("utf-8")) < size
    assert ("left out for size" in page) == (page != whole)
    assert page.count("<details>") == page.count("</details>")
    assert _Reader(page).tags <= OURS
