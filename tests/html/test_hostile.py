"""Ids that try to be markup, script, commands or directions of writing are text in the HTML report."""

from collections.abc import Sequence

import pytest

from crosscheck.report import RenderOptions
from crosscheck.report.html import render
from crosscheck.report.page import Page
from crosscheck.report.words import lines, visible
from tests.html.conftest import Opened
from tests.html.sample import sample
from tests.report.samples import HOSTILE_IDS

IDS = (
    *filter(None, HOSTILE_IDS), "<img src=x onerror=alert(1)>", "<svg onload=alert(1)>",
    "</script><script>alert(1)</script>", "</style><style>*{display:none}</style>", "</title><h1>title</h1>",
    "</pre><b>pre</b>", "<!-- comment", "<![CDATA[x]]>", '"><script>alert(1)</script>',
    "' onmouseover='alert(1)", '" autofocus onfocus=alert(1) x="', "javascript:alert(1)",
    "data:text/html,<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;", "&#60;script&#62;",
    "{{ 7 * 7 }}", "{% include 'page.html' %}", "${alert(1)}", "`${alert(1)}`",
    "</textarea><script>alert(1)</script>", "</svg><script>alert(1)</script>", "</table><iframe src=//x>",
    "<base href=//example.com/>", "<meta http-equiv=refresh content=0>",
    "<form action=//example.com><input name=x>", "<details open ontoggle=alert(1)>",
    "<a href=javascript:alert(1)>click</a>", "::error file=x::y", "::set-output name=x::y", "##[command]x",
    "##vso[task.complete result=Failed]", '=HYPERLINK("//x")', "+1+cmd|' /C calc'!A0", "@SUM(1)",
    "\u202ertl\u202c", "\u2066isolate\u2069", "\x1b]8;;http://x\x07link\x1b]8;;\x07", "\u2028line\u2029",
    "__proto__", "constructor",
)  # fmt: skip

_SHAPE = """() => [...document.querySelectorAll('*')].filter((one) => !one.closest('svg'))
    .map((one) => [one.tagName, ...one.getAttributeNames().sort()].join(' '))"""
_SCRIPTABLE = """() => [...document.querySelectorAll('*')].flatMap((one) => one.getAttributeNames()
    .filter((name) => name.startsWith('on') || ['style', 'src', 'action', 'xlink:href'].includes(name)
        || (name === 'href' && !one.getAttribute(name).startsWith('#')))
    .map((name) => `${one.tagName} ${name}`))"""


def used(found: Opened) -> list[str]:
    """The elements of the page after its controls were used, with the names of their attributes."""
    found.page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    found.page.locator(".rest button").first.click()
    found.page.locator(".table th button").first.click()
    shape: list[str] = found.page.evaluate(_SHAPE)
    return sorted(shape)  # other ids sort otherwise


def named(ids: Sequence[str]) -> tuple[Page, dict[str, str]]:
    """A page in which every name begins with one of the ids, each name with the next one; and the names."""
    names: dict[str, str] = {}

    def name(plain: str) -> str:
        return names.setdefault(plain, f"{ids[len(names) % len(ids)]}{plain}")

    return sample(14, name), names


@pytest.mark.parametrize("start", range(0, 54, 18))
def test_hostile_ids_are_text(opened, start):
    """With all of them, each in other places every time, the elements are those of a page with plain ids."""
    plain = used(opened(render(named(["plain"])[0], RenderOptions())))
    page, names = named(IDS[start:] + IDS[:start])
    found = opened(render(page, RenderOptions()))
    assert used(found) == plain
    assert found.page.evaluate(_SCRIPTABLE) == []
    assert found.complaints == []
    assert len(found.requests) == 1
    said = found.page.evaluate("document.body.textContent")
    # Commands and messages have lines.
    shown = {n: lines(name) if n in ("command", "message") else [visible(name)] for n, name in names.items()}
    assert [part for parts in shown.values() for part in parts if part not in said] == []


@pytest.mark.parametrize("id", ["a b", "status:known", "__proto__", "constructor", "<b>", 'a"b', "a\\"])
def test_a_hostile_id_is_filtered_by(opened, id):
    """Presets work with any id, also one that needs quotes or looks like a token or a property."""
    found = opened(render(named([id])[0], RenderOptions()))
    found.page.click("#more summary")
    button = found.page.locator("#facets button").filter(has_text="hf-evaluate")
    button.click()
    assert found.page.inner_text("#counts") == "1 of 3 findings pass the filter."
    button.click()
    assert found.page.input_value("#filter") == ""
