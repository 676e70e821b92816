"""Ids that try to be commands, markup or control sequences are text in every format."""

import json
import re
import unicodedata
from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest
from markdown_it import MarkdownIt
from rich.cells import cell_len

from crosscheck.report import FORMATS, RenderOptions, render
from crosscheck.report.json_report import load
from crosscheck.report.markdown import render as markdown
from tests.html.documents import STUDIES, study
from tests.html.sample import sample
from tests.html.test_hostile import IDS, named
from tests.report import samples
from tests.support.sampling import WHOLE

STARTS = range(0, len(IDS), 9)
READER = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])


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


class _Elements(HTMLParser):
    """The elements of a page, with the names of their attributes."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: set[str] = set()
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.add(" ".join([tag, *sorted(name for name, _ in attrs)]))


@pytest.mark.parametrize("start", STARTS)
def test_markdown_has_the_elements_of_a_page_with_plain_names(start):
    """Rendered, no element or attribute comes from an id, and there is no link but those to pictures."""
    plain = _Elements(READER.render(markdown(sample(14), RenderOptions(pictures="p."))))
    shown = READER.render(markdown(named(IDS[start:] + IDS[:start])[0], RenderOptions(pictures="p.")))
    assert _Elements(shown).found <= plain.found
    assert "<a " not in shown


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
    shapes = [_Elements(render(one, "html")).found for one in (found, beside)]
    assert shapes[0] == shapes[1]
    options = RenderOptions(pictures="p.")
    marked = [_Elements(READER.render(render(one, "markdown", options))).found for one in (found, beside)]
    assert marked[0] <= marked[1]
    assert not any(element.startswith("a ") for element in marked[0])
