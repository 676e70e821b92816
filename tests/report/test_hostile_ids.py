"""Any text is shown as text in every format: ids that try to be commands, markup or control sequences."""

import json
import re
import unicodedata
from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from msgspec.structs import replace
from rich.cells import cell_len

from crosscheck.report import FORMATS, RenderOptions, render
from crosscheck.report.json_report import load
from crosscheck.report.markdown import code, prose
from crosscheck.report.markdown import render as markdown
from crosscheck.report.words import clip, visible
from crosscheck.results import identity
from tests.html.documents import STUDIES, study
from tests.html.sample import sample
from tests.html.test_hostile import IDS, named
from tests.report import samples
from tests.support.sampling import WHOLE

STARTS = range(0, len(IDS), 9)
MARKDOWN = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
PICTURED = RenderOptions(pictures="p.")
ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=60)
OURS = {"h2", "h3", "h4", "p", "strong", "code", "pre", "ul", "li", "details", "summary"}
OURS |= {"table", "thead", "tbody", "tr", "th", "td"}


def assert_inert(said: str) -> None:
    """No control character, no direction of writing, and no command that a CI server would follow."""
    odd = {c for c in said if c != "\n" and unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp")}
    assert odd <= {"\u200b"}  # breaks mentions in Markdown
    assert not [line for line in said.splitlines() if line.strip().startswith("::")]
    assert not re.search(r"##(vso)?\[", said)


@pytest.mark.parametrize("id", [*IDS, ":", "#", "::", ":::error::x", "a" * 39 + "::error::x"], ids=repr)
def test_no_format_of_a_run_holds_commands(id):
    """Text, Markdown, JUnit and JSON, as they would stand in the log of a CI job."""
    found = samples.hostile(id)
    for format in ("text", "markdown", "junit", "json"):
        assert_inert(render(found, format, RenderOptions(width=40)))
    ElementTree.fromstring(render(found, "junit"))
    assert json.loads(render(found, "json"))["comparisons"][0]["case"].encode("utf-8")


@pytest.mark.parametrize("id", [*samples.HOSTILE_IDS, "::error::x", "100%\n::error::x", "a,b:c%0A"])
def test_no_id_adds_an_annotation_or_a_property(id):
    """An id in every place of a comparison: GitHub takes one line for a command, with the same properties."""
    hostile = samples.comparison(case=id, run=id, candidate=id, message=id, cells=[samples.cell(query=id)])
    document = replace(samples.everything(), comparisons=[hostile])
    place = {identity(hostile): {"file": f"{id}/case.toml", "line": "3"}}
    text = render(document, "github", RenderOptions(places=place))
    (line,) = (line for line in text.splitlines() if line.lstrip().startswith(("::", "##[")))
    assert re.fullmatch(r"::error ([a-z]+=[^:,\n]*)(,[a-z]+=[^:,\n]*)*::[^\n]*", line)
    assert re.findall(r"[ ,]([a-z]+)=", line.split("::")[1]) == ["file", "line", "title"]


class Reader(HTMLParser):
    """A page as a parser understands it: elements with the names of their attributes, and text."""

    def __init__(self, page: str, *, html: bool = False) -> None:
        super().__init__()
        self.elements: set[str] = set()
        self.plain = ""
        self.code: list[str] = []
        self._depth = 0
        self.feed(page if html else MARKDOWN.render(page))
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.add(" ".join([tag, *sorted(name for name, _ in attrs)]))
        if tag in ("code", "pre"):
            self._depth += 1
            self.code.append("")

    def handle_endtag(self, tag: str) -> None:
        self._depth -= tag in ("code", "pre")

    def handle_data(self, data: str) -> None:
        if self._depth:
            self.code[-1] += data
        else:
            self.plain += data


@given(ANY_TEXT)
def test_any_text_is_shown_as_text_in_markdown(text):
    """As an id it comes out of a parser as its visible spelling, also inside a table; as a sentence no tag
    but the paragraph does, and no word is lost."""
    expected = visible(text) or "(empty)"
    assert Reader(f"id {code(text)} id").code == [expected]
    table = Reader(f"| a | b |\n|---|---|\n| {code(text)} | end |\n")
    assert table.code == [expected]
    assert table.plain.split() == ["a", "b", "end"]
    read = Reader(f"x {prose(text)} x")
    assert read.elements == {"p"}
    shown = read.plain.replace("\u200b", "").split()
    assert shown == ["x", *visible(re.sub(r"[ \t\r\n]+", " ", text)).split(), "x"]


@given(ANY_TEXT.map(lambda text: text[:7]))
@example("\x1f\x85\u2028")  # which Python takes for ends of lines
def test_any_text_survives_an_xml_parser(text):
    """Whatever a docno or message holds, JUnit is well formed and shows it; what the suite holds is counted,
    with the attributes that the schema of Jenkins' plugin xunit knows (junit-10.xsd)."""
    one = samples.comparison(case=text, message=f"it said {text}.", cells=[samples.cell(text)])
    root = ElementTree.fromstring(render(samples.document([one]), "junit").encode("utf-8"))
    ((properties, case),) = root
    assert (properties.tag, set(case.attrib)) == ("properties", {"name", "time", "classname"})
    for counting in (root, root[0]):
        assert [counting.get(name) for name in ("tests", "failures", "errors")] == ["1", "1", "0"]
    assert case.get("classname") == f"{visible(text)}.run.txt"
    said = "".join((case[0].text or "").split())
    assert said.count("".join(clip(text).split())) >= 2 or "\n" in text


@pytest.mark.parametrize("size", [20_000, 100_000])
@pytest.mark.parametrize("document", [samples.flood(300), samples.hostile()])
def test_markdown_stays_below_its_limit(document, size):
    """Whatever is left out is counted in words, and the page still is well-formed."""
    page = render(document, "markdown", RenderOptions(max_bytes=size))
    whole = render(document, "markdown", RenderOptions(max_bytes=10_000_000))
    assert len(page.encode("utf-8")) < size
    assert ("left out for size" in page) == (page != whole)
    assert page.count("<details>") == page.count("</details>")
    assert {element.split()[0] for element in Reader(page).elements} <= OURS


@pytest.mark.parametrize("start", STARTS)
def test_markdown_has_the_elements_of_a_page_with_plain_names(start):
    """Rendered, no element or attribute comes from an id, and there is no link but those to pictures."""
    pages = sample(14), named(IDS[start:] + IDS[:start])[0]
    plain, shown = (Reader(markdown(page, PICTURED)).elements for page in pages)
    assert shown <= plain
    assert not any(element.startswith("a ") for element in shown)


@pytest.mark.parametrize("start", STARTS if WHOLE else [27])
@pytest.mark.parametrize("kind", STUDIES)
def test_studies_hold_no_commands(kind, start):
    """In every format, with ids from this one on: only text comes of them."""
    ids = [id.replace("\0", "") for id in IDS if id == id.encode("utf-8", "ignore").decode()]
    found, beside = study(kind, *ids[start:], *ids[:start]), study(kind, "plain")
    said = {format: render(found, format) for format in FORMATS}
    for width in (40, 60, 120):
        text = render(found, "text", RenderOptions(width=width, verbose=True))
        assert_inert(text)
        assert all(line.isprintable() and cell_len(line) <= width for line in text.split("\n"))
    assert_inert(said["markdown"])
    assert all(line.startswith(("::", "crosscheck: ")) for line in said["github"].splitlines())
    assert not re.search(r"##(vso)?\[|^\s*::", said["json"] + said["junit"], re.MULTILINE)
    ElementTree.fromstring(said["junit"])
    assert all(render(load(said["json"]), format) == text for format, text in said.items())
    shapes = [Reader(render(one, "html"), html=True).elements for one in (found, beside)]
    assert shapes[0] == shapes[1]
    marked = [Reader(render(one, "markdown", PICTURED)).elements for one in (found, beside)]
    assert marked[0] <= marked[1]
    assert not any(element.startswith("a ") for element in marked[0])
