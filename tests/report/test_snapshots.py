"""Whole pages, character for character, and what every one of them keeps to."""

from __future__ import annotations

import pytest
from rich.cells import cell_len

from crosscheck.report import RenderOptions, render
from crosscheck.report.kinds import page_of
from crosscheck.report.page import Section, Status
from tests.report.snapshots import DOCUMENTS, FOLDER, document, pages

REMEDY = "read what python -m tests.report.snapshots changes, and commit it"


@pytest.mark.parametrize("name", DOCUMENTS)
def test_pages_are_as_they_were_read_and_found_good(name: str) -> None:
    """Text at 80 and at 40 columns, and Markdown."""
    for file, text in pages(name):
        assert text == (FOLDER / file).read_text("utf-8"), REMEDY


def test_no_snapshot_is_left_over() -> None:
    """Every file is compared with something."""
    assert {p.name for p in FOLDER.iterdir()} == {file for name in DOCUMENTS for file, _ in pages(name)}


@pytest.mark.parametrize("name", DOCUMENTS)
@pytest.mark.parametrize("verbose", [False, True])
def test_nothing_is_wider_than_the_terminal(name: str, verbose: bool) -> None:
    """From 40 columns on every line fits, without blanks at its end."""
    for width in (40, 80, 120):
        for line in render(document(name), "text", RenderOptions(width=width, verbose=verbose)).splitlines():
            assert cell_len(line) <= width
            assert line == line.rstrip()


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_good_page_is_a_dozen_lines(name: str) -> None:
    """Where all is well, nobody reads more than twelve lines, also in a narrow terminal."""
    page = page_of(document(name))
    for width in (40, 80):
        lines = render(document(name), "text", RenderOptions(width=width)).splitlines()
        assert not page.brief or len(lines) <= 12
    assert page.brief <= (page.verdict.status is Status.AGREE)


@pytest.mark.parametrize("name", DOCUMENTS)
def test_the_answer_comes_first(name: str) -> None:
    """The verdict is the first line; where something is wrong, tool, cause, measure and query follow."""
    page = page_of(document(name))
    first = render(document(name), "text").splitlines()[:15]
    sentence = page.verdict.sentence
    words = "".join((sentence,) if isinstance(sentence, str) else sentence).split()
    assert (
        first[0].split()[1 if page.verdict.status else 0 :]
        == words[: len(first[0].split()) - bool(page.verdict.status)]
    )
    if page.verdict.findings and page.verdict.status is Status.UNEXPECTED:
        told = " ".join(" ".join(first).split())
        opening = page.verdict.findings[0].text
        assert " ".join("".join(opening).split())[:80] in told


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_finding_is_a_dozen_lines(name: str) -> None:
    """A longer one says how much is left out."""
    held = document(name)
    for section in page_of(held).blocks:
        if isinstance(section, Section) and section.tags:
            text = render(held, "text").splitlines()
            title = "".join(section.title)
            start = text.index(title)
            length = next((n for n, line in enumerate(text[start:]) if not line), len(text))
            assert length <= 12
