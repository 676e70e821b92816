"""The markdown report, read back with a markdown parser."""

from __future__ import annotations

import itertools
import re
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from crosscheck.report import RenderOptions, render
from crosscheck.report.markdown import code, prose
from crosscheck.report.words import visible
from crosscheck.results import BackendRecord, Document
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


def _table(markdown: str, first: str) -> list[list[str]]:
    """The rows of the table whose head starts so, as lists of cells; escaped bars do not occur."""
    lines = markdown.splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith(first))
    rows = []
    for line in lines[start + 2 :]:
        if not line.startswith("|"):
            break
        rows.append([cell.strip() for cell in line.strip("|").split("|")])
    return rows


def test_the_verdict_comes_first() -> None:
    """A reader sees the result before anything else, as a word beside a glyph, then the findings."""
    lines = render(samples.everything(), "markdown").splitlines()
    assert lines[0].startswith("## ✗ Not as expected: 4 comparisons differ without being declared")
    first = next(line for line in lines if line.startswith("- "))
    why = "ties are ordered by the rank column instead of by docno, highest first"
    told = f"differs by `tie-breaking` ({why}): `P@10` 0.2600 instead of 0.2580 (1 of 50 queries; proved)."
    assert first.startswith(f"- ✗ `hf-evaluate` {told}")
    good = render(samples.document([samples.agreement()]), "markdown")
    assert good.startswith("## ✓ As expected.\n")


def test_measures_and_tools_are_a_table_that_grows_downwards() -> None:
    """A row per measure and a column per tool, of which there are six at most; nowhere are there twelve."""
    many = [samples.comparison(candidate=f"python:m{i}") for i in range(9)]
    backends = [
        BackendRecord(id=c.candidate, version="", available=True, engine="", reason=None) for c in many
    ]
    page = render(samples.document(many, backends=backends), "markdown")
    (row,) = _table(page, "| measure | `python:m0`")
    assert row == ["`P@10`", *["✗ 1 q"] * 6]
    assert "3 more tools in the JSON report" in page
    for document in (samples.everything(), samples.flood()):
        assert max(line.count("|") for line in render(document, "markdown").splitlines()) < 12


def test_what_failed_is_not_folded_away() -> None:
    """Means, queries and evidence of an unexpected difference stand open, documents and alternatives folded;
    all of a declared one is. A mean alone counts no queries, but the sets of conventions that fit."""
    page = render(samples.document([samples.comparison()]), "markdown")
    opened, _, folded = page.partition("<details>")
    for said in (
        "### `hf-evaluate`: `tie-breaking`",
        "| `P@10` | 0.2580 | 0.2600 | +0.0020 | 1 of 50 |",
        "| `14` | 0.2000 | 0.3000 | +0.1000 | `tie-breaking` |",
        "- evidence: proved: these conventions reproduce 50 of 50 queries",
        "would tell them apart",
    ):
        assert said in opened
    assert "| `FT911-2048` | 11.25 | not judged | 9 | 12 |" in folded
    assert "`rank-order`: order=rank-column (documents are ordered by the rank column" in folded
    known = render(samples.document([samples.comparison(expected=True)]), "markdown")
    assert "50 of 50 queries" not in known[: known.index("<details>")]
    mean = render(samples.document([samples.mean_only()]), "markdown")
    assert "7 of 212 sets of conventions give this mean, or it is another run" in mean
    assert "these conventions reproduce the mean, the only number there is" in mean
    assert "- conventions: `ties=rank-column`" in mean
    assert "0 of 0" not in mean


def test_full_reports_are_named() -> None:
    """The page says where the files of this run are."""
    page = render(samples.everything(), "markdown", RenderOptions(written=("a|b.json", "r.md")))
    assert "Full report: <code>a&#124;b&#46;json</code>, `r.md`" in page


def test_hostile_ids_bring_no_markup() -> None:
    """The page holds our tags only, every id can be read in it, and all tables keep their columns."""
    read = _Reader(render(samples.hostile(), "markdown"))
    assert read.tags <= OURS
    for text in samples.HOSTILE_IDS:
        assert (visible(text) or "(empty)") in read.code
    lines = render(samples.hostile(), "markdown").splitlines()
    for place, line in enumerate(lines):
        if line.startswith("|") and line.strip("|-: ") == "":
            size = line.count("|")
            rows = itertools.takewhile(lambda row: row.startswith("|"), lines[place + 1 :])
            assert {row.count("|") for row in rows} == {size}


def test_hostile_prose_makes_no_mentions_and_no_links() -> None:
    """Outside code nothing is left that GitHub would turn into a mention, an issue or a link."""
    plain = "".join(_Reader(render(samples.hostile(), "markdown")).plain)
    assert "everyone" in plain
    assert not re.search(r"@\w|#\d|://|www\.", plain)


@given(ANY_TEXT)
def test_code_shows_any_id_exactly(text: str) -> None:
    """An id comes out of a markdown parser as its visible spelling, also inside a table."""
    expected = visible(text) or "(empty)"
    assert _Reader(f"id {code(text)} id").code == [expected]
    table = _Reader(f"| a | b |\n|---|---|\n| {code(text)} | end |\n")
    assert table.code == [expected]
    assert "".join(table.plain).split() == ["a", "b", "end"]


@given(ANY_TEXT)
def test_prose_shows_any_text_as_text(text: str) -> None:
    """A sentence from outside stays a sentence: no tag but the paragraph, no word lost."""
    read = _Reader(f"x {prose(text)} x")
    assert read.tags == {"p"}
    shown = "".join(read.plain).replace("\u200b", "").split()
    assert shown == ["x", *visible(re.sub(r"[ \t\r\n]+", " ", text)).split(), "x"]


@pytest.mark.parametrize("size", [20_000, 100_000])
@pytest.mark.parametrize("document", [samples.flood(300), samples.hostile()])
def test_the_page_stays_below_its_limit(document: Document, size: int) -> None:
    """Whatever is left out is counted in words, and the page still is well-formed markdown."""
    page = render(document, "markdown", RenderOptions(max_bytes=size))
    whole = render(document, "markdown", RenderOptions(max_bytes=10_000_000))
    assert len(page.encode("utf-8")) < size
    assert ("left out for size" in page) == (page != whole)
    assert page.count("<details>") == page.count("</details>")
    assert _Reader(page).tags <= OURS


def test_what_is_left_out_is_counted() -> None:
    """Rows shown and rows left out add up to all."""
    page = render(samples.flood(300), "markdown")
    rows = _table(page, "| measure | reference |")
    left_out = re.search(r"\*\*and ([\d,]+) more comparisons\*\*", page)
    assert left_out is not None
    assert len(rows) + int(left_out[1].replace(",", "")) == 900
