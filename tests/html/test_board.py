"""The page of the compatibility board: found by filters, linked by cell, accessible, readable when narrow."""

from __future__ import annotations

import re

import pytest
from msgspec.structs import replace

from crosscheck.report import RenderOptions
from crosscheck.report.html import render
from tests.html.test_accessible import violations
from tests.programs.board.page import PAGE, board_page, status_of
from tests.programs.board.record import load
from tests.support.sampling import WHOLE


@pytest.fixture(scope="module")
def text() -> str:
    return PAGE.read_text("utf-8")


def test_filters_find_cells_and_an_address_shows_one(opened, text):
    """What has all of family, measure, tool and convention is left; a cell has its own address."""
    found = opened(text)
    shown = "() => [...document.querySelectorAll('[data-tags]:not([hidden])')].map((one) => one.id)"
    every = found.page.evaluate(shown)
    found.page.fill("#filter", "family:RAG measure:nDCG convention:gain* tool:AutoRAG")
    found.page.wait_for_timeout(300)
    assert found.page.evaluate(shown) == ["autorag-ndcg"]
    found.page.fill("#filter", "family:RAG convention:gain=binary")
    found.page.wait_for_timeout(300)
    board = load()
    families = {tool.name: tool.families for tool in board.tools}
    cells = [cell for cell in board.cells if cell.conventions.get("gain") == "binary"]
    some = [cell.id for cell in cells if "RAG" in families[cell.tool]]
    assert 1 < len(some) < len(every)
    assert sorted(found.page.evaluate(shown)) == sorted(re.sub(r"[^a-z0-9]", "-", id) for id in some)
    assert "pass the filter" in found.page.text_content("#counts")
    link = found.page.locator(".matrix a").first
    target = link.get_attribute("href")
    link.click()
    found.page.wait_for_timeout(100)
    assert found.page.evaluate("document.activeElement.id") == target[1:]
    assert found.complaints == []
    assert len(found.requests) == 1


def test_the_board_is_accessible(opened):
    """In both themes, with everything unfolded, nothing breaks a rule of WCAG A and AA. axe takes a minute
    for the whole page: as a sample it reads every tenth cell, and one of each status."""
    board = load()
    some = {status_of(cell): cell for cell in board.cells}
    cells = [c for n, c in enumerate(board.cells) if WHOLE or n % 10 == 0 or c in some.values()]
    named = {cell.tool for cell in cells}
    part = replace(board, cells=cells, tools=[tool for tool in board.tools if tool.name in named])
    found = opened(render(board_page(part), RenderOptions()), color_scheme="light")
    found.page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    assert violations(found) == {}
    found.page.click("#theme")
    assert violations(found, ["color-contrast"]) == {}


def test_the_board_fits_a_narrow_window(opened, text):
    """At 390 px the page is not wider than the window."""
    found = opened(text, viewport={"width": 390, "height": 800})
    found.page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    assert found.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
