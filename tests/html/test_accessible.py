"""axe-core finds no violation of WCAG A and AA, with the policy of the page in force.

axe is evaluated as a debugger evaluates, which the policy of the page does not concern; the policy stays.
"""

from collections.abc import Sequence
from functools import cache
from importlib import resources
from typing import Any

import pytest
from msgspec.structs import replace

from crosscheck.report import RenderOptions
from crosscheck.report.html import render
from crosscheck.report.page import Page
from tests.html.conftest import Opened
from tests.html.documents import NAMES
from tests.html.documents import page as page_named
from tests.html.sample import sample
from tests.programs.board.page import board_page, status_of
from tests.programs.board.record import load
from tests.support.sampling import WHOLE

_RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22a", "wcag22aa"]


@cache
def axe() -> str:
    return resources.files("axe_playwright_python").joinpath("axe.min.js").read_text("utf-8")


def violations(found: Opened, rules: Sequence[str] = _RULES) -> dict[str, list[str]]:
    """Rule -> elements that break it; the page keeps its policy."""
    found.page.evaluate(axe())
    result: dict[str, Any] = found.page.evaluate(
        "(rules) => axe.run({ runOnly: rules, resultTypes: ['violations'] })", list(rules)
    )
    assert result["passes"]
    return {one["id"]: [node["html"] for node in one["nodes"]] for one in result["violations"]}


def board() -> Page:
    """The page of the compatibility board. axe takes a minute for the whole of it: as a sample it has every
    25th cell, and one of each status."""
    whole = load()
    some = {status_of(cell): cell for cell in whole.cells}
    cells = [c for n, c in enumerate(whole.cells) if WHOLE or n % 25 == 0 or c in some.values()]
    named = {cell.tool for cell in cells}
    tools = [tool for tool in whole.tools if tool.name in named]
    return board_page(replace(whole, cells=cells, tools=tools))


def shown(name: str) -> Page:
    """A page by its name: that with every block, the board, or that of a document."""
    return board() if name == "board" else sample(6 if WHOLE else 3) if name == "blocks" else page_named(name)


@pytest.mark.parametrize(
    "name", ["blocks", "board", *(pytest.param(name, marks=pytest.mark.one_in(4)) for name in NAMES)]
)
def test_no_violation(opened, name):
    """In both themes, with everything unfolded, nothing breaks a rule."""
    found = opened(render(shown(name), RenderOptions()), color_scheme="light")
    found.page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    assert violations(found) == {}
    found.page.click("#theme")
    assert violations(found, ["color-contrast"]) == {}
    assert found.complaints == []


#: The numbers whose parts stand in two lines, without those inside of ids.
_BROKEN = """() => {
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), broken = [];
    for (let text; (text = texts.nextNode());) {
        if (text.parentElement.closest('code, pre, button, .is-id')) continue;
        for (const found of text.data.matchAll(/(?<![\\w-])-?[0-9][0-9,.]*(e-[0-9]+)?/g)) {
            const range = document.createRange();
            range.setStart(text, found.index);
            range.setEnd(text, found.index + found[0].length);
            const lines = [...range.getClientRects()].filter((one) => one.width);
            if (new Set(lines.map((one) => Math.round(one.top))).size > 1) broken.push(found[0]);
        }
    }
    return broken;
}"""


@pytest.mark.parametrize("name", ["board", *NAMES])
def test_numbers_stay_whole_in_a_narrow_window(opened, name):
    """At 390 px no number is cut in two, and the page is not wider than the window."""
    found = opened(render(shown(name), RenderOptions()), viewport={"width": 390, "height": 800})
    found.page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    assert found.page.evaluate(_BROKEN) == []
    assert found.page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_breach_is_found(opened):
    """axe does run on these pages: a control without a name is a violation."""
    found = opened(render(sample(6), RenderOptions()))
    found.page.evaluate("document.getElementById('theme').textContent = ''")
    assert list(violations(found)) == ["button-name"]
