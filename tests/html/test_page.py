"""The HTML report in a real browser: it asks for nothing, and all of it works by mouse and by keyboard."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from msgspec.structs import replace

from crosscheck.report import RenderOptions
from crosscheck.report.html import render
from crosscheck.report.kinds import page_of
from crosscheck.report.page import Facts, Section, Table, walk
from tests.html.conftest import Open, Opened, launched, pages
from tests.html.documents import NAMES, page
from tests.html.sample import sample
from tests.programs.board.page import PAGE as BOARD
from tests.programs.board.record import load
from tests.report.snapshots import document
from tests.support.kept import Answer, answered, cases, write

PLAIN = RenderOptions()
PAGE = render(sample(), PLAIN)
HOSTILE = "native<b>@all|`"
OUTPUTS = sorted((Path(__file__).parent / "outputs").glob("*.txt"))
REMEDY = "run `python -m tests.html.test_page`, read what changed, and commit it"


#: What is in sight, and what the browser knows of it.
_STATE = """() => {
    const all = (selector, of = document) => [...of.querySelectorAll(selector)];
    const seen = (selector, of) => all(selector, of).filter((one) => one.checkVisibility());
    const said = (one) => (one?.innerText ?? '').trim().replace(/\\s+/g, ' ');
    const focus = document.activeElement, rest = seen('.rest')[0], table = all('.table')[0];
    return {
        address: decodeURIComponent(location.hash),
        history: history.length,
        filter: document.getElementById('filter')?.value ?? '',
        counts: said(document.getElementById('counts')),
        empty: seen('#empty').map(said).join(),
        findings: seen('section[data-tags]').map((one) => said(one.querySelector('h2, h3'))).join(', '),
        pressed: all('#filters [aria-pressed=true]').map((one) => one.textContent).join(', '),
        sorted: all('th[aria-sort]').map((one) => `${said(one)} ${one.ariaSort}`).join(', '),
        rest: rest ? said(rest) : '',
        focus: focus === document.body ? '' : focus.id || `${focus.localName} ${said(focus)}`,
        rows: seen('tbody tr', table).map((row) => all('td', row).map(said).join(' | ')),
    };
}"""


def named(name: str) -> str:
    """A page: that with every block, the same with a name that is no name, or that of a document."""
    if name.startswith("sample"):
        return (
            PAGE if name == "sample" else render(sample(45, lambda of: of.replace("native", HOSTILE)), PLAIN)
        )
    return render(page(name) if name in NAMES else page_of(document(name)), PLAIN)


def steps(open_page: Open) -> Answer:
    """Calls of a reader who uses the page; kept is what each changes in the state of the page. Nothing is
    asked for, and nothing complained about."""
    found = open_page(PAGE)
    before: dict[str, Any] = {}

    def said(call: str) -> str:
        nonlocal found, before
        page = found.page
        verb, _, what = call.partition(" ")
        if verb in ("html", "texts"):
            shown = page.locator(what)
            return str(shown.inner_html()) if verb == "html" else ", ".join(shown.all_text_contents())
        if verb == "run":
            return json.dumps(page.evaluate(what))
        if verb == "copied":  # this is said once it is in the clipboard
            page.locator("#said").filter(has_text=what).wait_for(state="attached")
            return str(page.evaluate("navigator.clipboard.readText()"))
        if verb == "open":
            name, _, settings = what.partition(" ")
            text, at = (PAGE, name) if name.startswith("#") else (named(name), "")
            found, before = open_page(text, at, **json.loads(settings or "{}")), {}
        elif verb in ("filter", "type"):  # into the filter, or where the focus is; no part of it is applied
            page.fill("#filter", what) if verb == "filter" else page.keyboard.insert_text(what)
            page.keyboard.press("Enter")
        elif verb == "media":
            page.emulate_media(media=what)
        else:
            {"click": page.click, "focus": page.focus, "press": page.keyboard.press}[verb](what)
        now = found.page.evaluate(_STATE)
        changed = {name: value for name, value in now.items() if before.get(name, "") != value}
        before = now
        rows = changed.pop("rows", ())
        assert (len(found.requests), found.complaints) == (1, [])
        return "\n".join(
            [*(f"{name}: {value}" for name, value in changed.items()), *(f"  {row}" for row in rows)]
        )

    return said


@cases(*OUTPUTS)
def test_the_page_does_what_was_read_and_found_good(opened, block):
    assert answered(block, steps(opened)) == block, REMEDY


def test_narrow_blocks_stand_side_by_side():
    """Two and more of them; one alone has the whole width."""
    facts = Facts([("name", "value")])
    pages = (replace(sample(), blocks=[Section("some", [facts] * number)]) for number in (1, 2, 3))
    assert [render(one, PLAIN).count('class="pair"') for one in pages] == [0, 1, 1]


def test_the_script_of_the_page_is_one_and_small():
    (script,) = re.findall(r"<script>(.*?)</script>", PAGE, re.DOTALL)
    assert 5_000 < len(script.encode()) < 30_000


def test_nothing_else_may_run_in_it(opened):
    """A script, a handler, a style or a request that gets in regardless is stopped by the policy."""
    found = opened(PAGE)
    found.page.evaluate(
        """() => {
            window.ran = [];
            const add = (name, text) => { const e = document.createElement(name); e.textContent = text;
                document.body.append(e); };
            add('script', 'window.ran.push("script")');
            add('style', 'body { display: none }');
            const div = document.createElement('div');
            div.innerHTML = '<img src="https://example.com/x.png" onerror="ran.push(1)"><a style="top:0">';
            document.body.append(div);
        }"""
    )
    found.page.wait_for_timeout(100)
    assert found.page.evaluate("window.ran") == []
    assert found.page.locator("body").is_visible()
    assert any("script-src" in text for text in found.complaints)
    assert any("style-src" in text for text in found.complaints)
    assert any("img-src" in text or "example.com" in text for text in found.complaints)


def ground(found: Opened) -> str:
    color: str = found.page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
    return color


def test_the_theme_is_the_systems_until_it_is_chosen(opened):
    """The system decides, the button changes it, and the choice is there when the file is opened again."""
    light, dark = (ground(opened(PAGE, color_scheme=scheme)) for scheme in ("light", "dark"))
    found = opened(PAGE, color_scheme="light")
    for pressed, color in (("false", light), ("true", dark)):
        assert found.page.locator("#theme").get_attribute("aria-pressed") == pressed
        assert ground(found) == color != {light: dark, dark: light}[color]
        found.page.reload()
        for _ in range(50):  # a page that was open already is told of the choice a moment later
            if ground(found) == color:
                break
            found.page.wait_for_timeout(100)
            found.page.reload()
        assert ground(found) == color
        found.page.click("#theme")
        kept_by_the_browser(found, "crosscheck-theme", {"false": "dark", "true": "light"}[pressed])
    assert ground(found) == light


def kept_by_the_browser(found: Opened, name: str, value: str) -> None:
    """Wait until another page sees what this page keeps: a page hands it to the browser a moment later."""
    for _ in range(100):  # a page that is open already may not be told of it
        with found.page.context.new_page() as other:
            other.goto(found.page.url)
            if other.evaluate("name => localStorage.getItem(name)", name) == value:
                return
        found.page.wait_for_timeout(100)
    pytest.fail(f"{name} is not {value}")


def test_everything_is_reached_by_keyboard(opened):
    """Tab goes from the first link through every control in order and leaves the page again."""
    found = opened(PAGE)
    found.page.keyboard.press("Tab")
    assert found.page.evaluate("document.activeElement.textContent") == "Skip to the answer"
    found.page.keyboard.press("Enter")
    found.page.keyboard.press("Tab")
    assert found.page.evaluate("document.activeElement.closest('main') !== null")
    found = opened(PAGE)
    found.page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    found.page.evaluate("window.seen = new Set()")
    for _ in range(500):
        found.page.keyboard.press("Tab")
        if found.page.evaluate("document.activeElement === document.body"):
            break
        reached = found.page.evaluate("window.seen.add(document.activeElement).size")
    else:
        pytest.fail("the page is not left")
    focusable = "a[href], button, input, summary, pre[tabindex], .scroll"
    missed = found.page.evaluate(
        f"[...document.querySelectorAll('{focusable}')]"
        ".filter((one) => one.checkVisibility() && !window.seen.has(one)).map((one) => one.outerHTML)"
    )
    assert missed == []
    assert reached > 100


def test_a_hundred_thousand_rows_open_and_filter_quickly(opened):
    """Opening, filtering and sorting take no time one would notice; bounds leave room for a slow machine."""
    page = sample(33_334)
    tables = [one for one in walk(page.blocks) if isinstance(one, Section) and one.tags]
    blocks = [replace(one, blocks=[b for b in one.blocks if isinstance(b, Table)]) for one in tables]
    found = opened(render(replace(page, blocks=blocks), PLAIN))
    timed: dict[str, Any] = found.page.evaluate(
        """() => {
            const now = () => performance.now();
            const time = (work) => { const from = now(); work(); return now() - from; };
            const filter = document.getElementById('filter');
            const ask = (text) => () => {
                filter.value = text;
                filter.form.requestSubmit();
                document.body.offsetHeight;
            };
            const loaded = performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd;
            return { loaded, key: time(ask('case:case-1')), word: time(ask('3333')),
                sort: time(() => document.querySelector('.table th button').click()) };
        }"""
    )
    assert found.texts(".table >> nth=0 >> tbody tr td:first-child")[:1] != []
    print({name: round(taken) for name, taken in timed.items()})
    assert timed["loaded"] < 10_000
    assert max(timed["key"], timed["word"], timed["sort"]) < 2_000
    assert found.complaints == []


def test_filters_of_the_board_find_cells_and_an_address_shows_one(opened):
    """What has all of family, measure, tool and convention is left; a cell has its own address."""
    found = opened(BOARD.read_text("utf-8"))
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


@contextmanager
def session() -> Iterator[Answer]:
    """A page that is used as in a test."""
    with launched() as browser, TemporaryDirectory() as folder, pages(browser, Path(folder)) as open_page:
        yield steps(open_page)


if __name__ == "__main__":
    write(OUTPUTS, session)
