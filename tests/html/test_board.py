"""The page of the compatibility board: found by filters, linked by cell."""

from __future__ import annotations

import re

from tests.programs.board.page import PAGE
from tests.programs.board.record import load


def test_filters_find_cells_and_an_address_shows_one(opened):
    """What has all of family, measure, tool and convention is left; a cell has its own address."""
    found = opened(PAGE.read_text("utf-8"))
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
