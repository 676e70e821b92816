"""What every report keeps to, whatever it is of: whole, the same every time, valid, and within its limits."""

import json
import re
import unicodedata
from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from msgspec.structs import replace
from rich.cells import cell_len

from crosscheck.report import FORMATS, RenderOptions, render
from crosscheck.report import page as block
from crosscheck.report.json_report import load, schema
from crosscheck.report.kinds import kind_of, page_of
from crosscheck.report.page import Section, Status, Table, flat
from tests.html import documents
from tests.report import samples, snapshots
from tests.support.sampling import WHOLE

pytest.importorskip("scipy.stats", reason="scipy is not installed")

REMEDY = "read what python -m tests.report.snapshots changes, and commit it"

OTHERS: dict[str, Callable[[], Any]] = {
    "hostile": samples.hostile,
    "flood": lambda: samples.flood(12 if WHOLE else 4),
    "nothing": lambda: samples.document([], backends=[], inputs=[]),
}


@cache
def document(name: str) -> Any:
    """A document: real ones, made up ones, and one with hostile ids."""
    if name in snapshots.DOCUMENTS:
        return snapshots.document(name)
    return OTHERS[name]() if name in OTHERS else documents.document(name)


REAL = [*snapshots.DOCUMENTS, "evidence"]
#: That of all fixtures takes seconds; the tests of its committed pages render it as well.
_MARKS = {"fixtures": [pytest.mark.whole]}
every_document = pytest.mark.parametrize(
    "name", [pytest.param(name, marks=_MARKS.get(name, [])) for name in (*REAL, *OTHERS)]
)


@pytest.mark.parametrize("name", ["drawings", *snapshots.DOCUMENTS])
def test_pages_and_drawings_are_as_they_were_read_and_found_good(name):
    """Text at 80 and at 40 columns, in full, Markdown, JUnit, annotations, SVG."""
    for file, text in snapshots.drawings() if name == "drawings" else snapshots.pages(name):
        assert text == (snapshots.FOLDER / file).read_text("utf-8"), f"{file}: {REMEDY}"


@every_document
def test_every_format_is_made_from_the_saved_document(name):
    """The same text from the JSON alone; UTF-8, with one newline at its end, nothing invisible in it."""
    held = document(name)
    saved = load(render(held, "json"))
    for format in FORMATS:
        text = render(held, format)
        assert text == render(saved, format), format
        assert text.encode("utf-8").endswith(b"\n"), format
        assert not text.endswith("\n\n"), format
        odd = {c for c in text if c != "\n" and unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp")}
        assert odd <= {"\u200b"}, format  # breaks mentions in Markdown


@every_document
def test_the_json_satisfies_its_schema(name):
    """Every document validates against the schema that crosscheck schema prints for it, and only whole."""
    printed = json.loads(schema(kind_of(document(name)).name))
    Draft202012Validator.check_schema(printed)
    content = json.loads(render(document(name), "json"))
    Draft202012Validator(printed).validate(content)
    del content["tool"]
    assert not Draft202012Validator(printed).is_valid(content)


@every_document
def test_text_fits_the_terminal(name):
    """From 40 columns on every line fits, without blanks at its end; where all is well there are at most
    thirty, the values of all tools included, and an open finding has at most twelve."""
    held, page = document(name), page_of(document(name))
    for width, verbose in ((40, False), (40, True), (120, True)):
        text = render(held, "text", RenderOptions(width=width, verbose=verbose)).splitlines()
        assert all(cell_len(line) <= width and line == line.rstrip() for line in text)
        assert verbose or not page.brief or len(text) <= 30
    assert page.brief <= (page.verdict.status is Status.AGREE)
    lines = render(held, "text").splitlines()
    for section in page.blocks:
        if isinstance(section, Section) and section.tags and flat(section.title) in lines:
            after = lines[lines.index(flat(section.title)) :]
            assert next((n for n, line in enumerate(after) if not line), len(after)) <= 12


@pytest.mark.parametrize("format", ["html", "markdown", "text"])
def test_a_block_without_content_is_left_out(format):
    """Nothing is said above nothing, however deep: neither a section nor a folded part nor a list, nor a
    drawing in text."""
    empty: list[block.Block] = [block.Bullets("no items", []), block.Paragraph(""), Table("no rows", [], [])]
    hollow = block.Details("hollow details", [*empty, Section("inner", [])])
    drawn = Section("drawing", [block.Chart("n", "dots", "t", "c", ("a", "b"), [block.Mark("q", 0.0, 1.0)])])
    nothing = [*empty, Section("hollow section", [hollow]), *[drawn] * (format != "html")]
    full = Section("full section", [block.Paragraph("words")])
    page = block.Page("run", "title", block.Verdict(Status.AGREE, "Fine."), [full])
    write = import_module(f"crosscheck.report.{format}").render
    options = RenderOptions(verbose=True)
    assert write(replace(page, blocks=[*nothing, *page.blocks]), options) == write(page, options)


def test_colour_only_adds_to_the_words_and_the_environment_has_no_say(monkeypatch):
    """With the colour codes removed the coloured report is the plain one; both depend on options only."""

    def reports() -> list[str]:
        options = [RenderOptions(width=100, color=color) for color in (False, True)]
        return [render(samples.everything(), "text", one) for one in options]

    plain, colored = before = reports()
    assert ("\x1b[" in colored, "\x1b" in plain) == (True, False)
    stripped = re.sub(r"\x1b\[[0-9;]*m", "", colored)
    assert [line.rstrip() for line in stripped.splitlines()] == plain.splitlines()
    for name, value in {"COLUMNS": "33", "TERM": "dumb", "NO_COLOR": "1", "FORCE_COLOR": "1"}.items():
        monkeypatch.setenv(name, value)
    assert reports() == before
