"""Ids that try to be commands, markup or control sequences are text in every format."""

from __future__ import annotations

import json
import re
import unicodedata
from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest
from markdown_it import MarkdownIt

from crosscheck.report import FORMATS, RenderOptions, render
from crosscheck.report.markdown import render as markdown
from crosscheck.report.text import render as text
from tests.html.documents import STUDIES, study
from tests.html.sample import sample
from tests.html.test_hostile import IDS
from tests.report import samples

STARTS = range(0, len(IDS), 9)


def page_texts(start: int, verbose: bool) -> dict[str, str]:
    """A page in which every name begins with one of the ids, as text and as Markdown."""
    names: dict[str, str] = {}

    def name(plain: str) -> str:
        return names.setdefault(plain, f"{IDS[(start + len(names)) % len(IDS)]}{plain}")

    page = sample(14, name)
    options = [RenderOptions(width=width, verbose=verbose, pictures="p.") for width in (40, 80)]
    texts = {f"text {one.width}": text(page, one) for one in options}
    return texts | {"markdown": markdown(page, options[1])}


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
    reader = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    plain = _Elements(reader.render(markdown(sample(14), RenderOptions(pictures="p."))))
    shown = reader.render(page_texts(start, False)["markdown"])
    assert _Elements(shown).found <= plain.found
    assert "<a " not in shown


def study_reports(start: int) -> None:
    """Every study in every format, with ids from this one on: only text comes of them."""
    ids = [id.replace("\0", "") for id in IDS if id == id.encode("utf-8", "ignore").decode()]
    reader = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    for kind in STUDIES:
        found, beside = study(kind, *ids[start:], *ids[:start]), study(kind, "plain")
        said = {format: render(found, format) for format in FORMATS}
        for width in (40, 60, 120):
            text = render(found, "text", RenderOptions(width=width, verbose=True))
            assert_inert(text)
            assert all(c.isprintable() or c == "\n" for c in text)
        assert_inert(said["markdown"])
        assert all(line.startswith(("::", "crosscheck: ")) for line in said["github"].splitlines())
        assert not re.search(r"##(vso)?\[|^\s*::", said["json"] + said["junit"], re.MULTILINE)
        ElementTree.fromstring(said["junit"])
        shapes = [_Elements(render(one, "html")).found for one in (found, beside)]
        assert shapes[0] == shapes[1]
        options = RenderOptions(pictures="p.")
        marked = [_Elements(reader.render(render(one, "markdown", options))).found for one in (found, beside)]
        assert marked[0] <= marked[1]
        assert not any(element.startswith("a ") for element in marked[0])


def test_studies_hold_no_commands():
    """Nine of the ids; ``python -m tests.report.test_hostile_ids`` tries all of them."""
    study_reports(27)


if __name__ == "__main__":
    for start in STARTS:
        study_reports(start)
        print(f"{start}: passed")
