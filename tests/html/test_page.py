"""The HTML report in a real browser: it asks for nothing, and all of it works by mouse and by keyboard."""

import json
import math
import re
from typing import Any

import pytest
from msgspec.structs import replace

from crosscheck.report import RenderOptions
from crosscheck.report.html import render
from crosscheck.report.kinds import page_of
from crosscheck.report.page import Id, Page, Section, Status, Table, Verdict, walk
from crosscheck.report.tables import figure, table
from tests.html.conftest import Opened
from tests.html.documents import page
from tests.html.sample import TOOLS, sample
from tests.programs.board.page import PAGE as BOARD
from tests.programs.board.record import load
from tests.report.snapshots import document

PAGE = render(sample(), RenderOptions())


def headings(found: Opened) -> list[str]:
    """The findings that are in sight."""
    return found.texts("section[data-tags] h2")


def first_column(found: Opened, table: int = 0) -> list[str]:
    return found.texts(f".table >> nth={table} >> tbody tr td:first-child")


def press(found: Opened, *keys: str) -> None:
    for key in keys:
        found.page.keyboard.press(key)


def type_filter(found: Opened, text: str) -> None:
    found.page.fill("#filter", text)
    found.page.press("#filter", "Enter")


def test_it_asks_for_nothing_and_complains_about_nothing(opened):
    """Opening, filtering, sorting and following links make no request, no message and no style attribute; the
    page's own JavaScript stays below 30 kB, in one script."""
    (script,) = re.findall(r"<script>(.*?)</script>", PAGE, re.DOTALL)
    assert 5_000 < len(script.encode()) < 30_000
    found = opened(PAGE)
    type_filter(found, "tool:native")
    found.page.click(".table th button >> nth=0")
    found.page.click("#theme")
    found.page.click(".matrix a >> nth=0")
    assert [url for url in found.requests if not url.startswith("file:")] == []
    assert len(found.requests) == 1
    assert found.complaints == []
    assert found.page.locator("[style]").count() == 0


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


def test_numbers_that_json_lacks_are_no_values_in_the_data():
    """Of a table with more rows than are written out: the script reads these rows as JSON."""
    values = [1.0, math.inf, -math.inf, math.nan] * 25
    cells = {1.0: Status.AGREE, math.inf: (Id("q<1>"), " more"), -math.inf: figure(0.5)}
    rows = table("", values, ("#value", figure), ("cell", lambda value: cells.get(value, "words")))
    written = render(Page("run", "title", Verdict(Status.AGREE, "Fine."), [rows]), RenderOptions())
    (data,) = re.findall('id="data">(.*)</script>', written)
    column, other = json.loads(data, parse_constant=pytest.fail)["x1"]["columns"]
    assert column["value"][:4] == [1.0, None, None, None]
    assert column["text"][:4] == ["1.0000", "Infinity", "-Infinity", "NaN"]
    status, parts = {"status": "agree", "glyph": "✓"}, {"parts": [{"id": "q<1>"}, " more"]}
    assert other == {"cells": [status, parts, "0.5000", "words"], "where": [0, 1, 2, 3] * 25}


def test_it_reads_without_javascript(opened):
    """Verdict, matrix, findings and the first rows are there, and what is not is said; no dead controls."""
    found = opened(PAGE, java_script_enabled=False)
    assert found.page.locator("h1").inner_text() == "2 of 27 comparisons differ: verdict"
    assert found.page.locator(".matrix td a").count() == 3
    assert (len(found.texts("section.card h2")), len(first_column(found))) == (2, 12)
    rest = "33 more query values: shown with JavaScript, and in the JSON report"
    assert rest in found.page.inner_text(".rest >> nth=0")
    for control in ("#filters", "#theme", ".copy", ".issue", "th button"):
        assert not found.page.locator(control).first.is_visible(), control
    assert "need JavaScript" in found.page.inner_text("footer")


FILTERS = {
    "tool:native": ["native"],
    "tool:native tool:ir-measures": ["native", "ir-measures"],
    "tool:native status:known": [],
    "status:known": ["ir-measures"],
    "cause:rank-order": ["native"],
    'case:"case-1" status:unexpected': ["native"],
    "measure:nDCG@10": ["native", "ir-measures"],
    "measure:nDCG": [],
    "measure:nDCG*": ["native", "ir-measures"],
    "IR-MEAS": ["ir-measures"],
    "nowhere": [],
    "colour:red": [],
    "": ["native", "ir-measures"],
}


def test_filters_keep_the_findings_that_pass(opened):
    """The same key twice is either of them, different keys are both, words are searched; counts follow, and
    an unknown value is said. A column with a key is filtered by it, and words look into rows that are not
    written out."""
    found = opened(PAGE)
    for query, tools in FILTERS.items():
        type_filter(found, query)
        assert [text.split(":")[0] for text in headings(found)] == tools, query
        folded = found.page.locator("section.part[data-tags]:not([hidden])").count()
        said = f"{len(tools) + folded} of 3 findings pass the filter" if query else "3 findings"
        said += {
            "measure:nDCG": '; there is no measure "nDCG" here',
            "colour:red": '; "colour" is no key of the filter'
            " (status, tool, measure, cause, convention, family, case)",
        }.get(query, "")
        said += "."
        assert found.page.inner_text("#counts") == said, query
        assert found.page.locator("#empty").is_visible() == (not tools and not folded), query
    type_filter(found, "tool:native case:case-1")
    assert set(found.texts(".table >> nth=0 >> tbody tr td:nth-child(2)")) == {"case-1"}
    assert "22 of 45 pass the filter" in found.page.inner_text(".rest >> nth=0")
    type_filter(found, "tool:native tie-breaking")
    assert first_column(found) == ["0", "9", "18", "27", "36"]


def test_the_filter_is_in_the_address(opened):
    """An address with a filter opens filtered, typing changes it, Back is not filled with keystrokes."""
    found = opened(PAGE, "#?status%3Aknown")
    assert [text.split(":")[0] for text in headings(found)] == ["ir-measures"]
    assert found.page.input_value("#filter") == "status:known"
    before = found.page.evaluate("history.length")
    type_filter(found, 'tool:native case:"a b"')
    assert found.page.evaluate("decodeURIComponent(location.hash)") == '#?tool:native case:"a b"'
    assert found.page.evaluate("history.length") == before
    found.page.click("#clear")
    assert found.page.evaluate("location.hash") == ""


def test_presets_count_and_toggle(opened):
    """A preset says how many findings it keeps, sets its token and takes it back; all tokens are listed."""
    found = opened(PAGE)
    presets = found.page.locator("#presets button")
    assert presets.all_inner_texts() == ["unexpected 1", "known 1", "stale 1"]
    for token, pressed in (("status:known", "true"), ("", "false")):
        presets.nth(1).click()
        assert found.page.input_value("#filter") == token
        assert presets.nth(1).get_attribute("aria-pressed") == pressed
    found.page.click("#more summary")
    found.page.click("#facets button:has-text('hf-evaluate')")
    assert found.page.input_value("#filter") == "tool:hf-evaluate"
    options = set(found.page.eval_on_selector_all("#tokens option", "all => all.map((one) => one.value)"))
    assert {f"tool:{tool}" for tool in TOOLS} <= options
    assert {"status:known", "measure:nDCG@10", "case:case-1", "cause:gain"} <= options


def test_tables_sort_by_numbers_and_words_over_all_rows(opened):
    """A column sorts all rows, not only those shown; what has no number stays at the end both ways."""
    found = opened(PAGE)
    button = found.page.locator(".table >> nth=0 >> th button >> nth=3")
    values = [(q * 53 % 97) / 97 for q in range(1, 45)]
    for order, reverse in (("descending", True), ("ascending", False)):
        button.click()
        shown = found.texts(".table >> nth=0 >> tbody tr td:nth-child(4)")
        assert shown == [f"{v:.4f}" for v in sorted(values, reverse=reverse)][:12]
        assert found.page.locator("th[aria-sort]").get_attribute("aria-sort") == order
    found.page.click(".rest button >> nth=0")
    assert found.texts(".table >> nth=0 >> tbody tr td:nth-child(4)")[-1] == "no value"
    found.page.click(".table >> nth=0 >> th button >> nth=0")
    found.page.click(".table >> nth=0 >> th button >> nth=0")
    assert first_column(found) == [str(q) for q in range(45)]  # 9 before 10


def test_more_rows_are_shown_on_demand(opened):
    """The button shows the rest, which look as those that were written, and hands on the focus."""
    found = opened(PAGE)
    written = found.page.locator(".table >> nth=0 >> tbody tr >> nth=1").inner_html()
    found.page.click(".rest button >> nth=0")
    assert first_column(found) == [str(q) for q in range(45)]
    assert found.page.evaluate("document.activeElement.cells[0].textContent") == "12"
    assert found.page.locator(".table >> nth=0 >> tbody tr >> nth=1").inner_html() == re.sub(
        r' data-v="[^"]*"', "", written
    )
    assert found.page.locator(".rest >> nth=0").inner_text() == ""


def test_a_cell_of_the_matrix_leads_to_its_finding(opened):
    """By a click, by Enter or by an address, also where the finding is folded; the filter stays in it."""
    assert opened(PAGE, "#finding-3").page.locator("#finding-3 h3 >> nth=0").is_visible()
    found = opened(PAGE)
    found.page.click(".matrix a >> nth=2")
    assert found.page.evaluate("document.activeElement.id || location.hash.slice(1)") == "finding-3"
    assert found.page.locator("#finding-3 h3 >> nth=0").is_visible()
    type_filter(found, "status:known")
    found.page.focus(".matrix a >> nth=1")
    press(found, "Enter")
    assert found.page.evaluate("location.hash") == "#?status%3Aknown#finding-2"
    assert found.page.evaluate("document.activeElement.id") == "finding-2"
    # A finding that the filter hides is shown all the same.
    found.page.click(".matrix a >> nth=0")
    assert found.page.locator("#finding-1 h2").is_visible()
    assert found.page.input_value("#filter") == ""


def test_a_label_leads_to_what_it_means(opened):
    """In a run and in an audit, by a link that opens the folded explanation with its way out; also in the
    rows of a table that are made when they are asked for."""
    for name, label in (("evidence", "rank-order"), ("audit", "gain")):
        found = opened(render(page(name), RenderOptions()))
        found.page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        link = found.page.locator(f"main a[href='#label-{label}']").first
        found.page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = false; })")
        link.dispatch_event("click")
        assert "Way out:" in found.page.inner_text(f"#label-{label} pre")
        assert found.page.locator(f"#label-{label} pre").is_visible()
    found = opened(render(page_of(document("line-order")), RenderOptions()))
    found.page.locator("#finding-1 .rest button").first.click()
    assert found.page.locator("#finding-1 td a[href='#label-tie-breaking']").count() == 39


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
        assert ground(found) == color
        found.page.click("#theme")
        kept_by_the_browser(found, "crosscheck-theme", {"false": "dark", "true": "light"}[pressed])
    assert ground(found) == light


def kept_by_the_browser(found: Opened, name: str, value: str) -> None:
    """Wait until another page sees what this page keeps: a page hands it to the browser a moment later."""
    other = found.page.context.new_page()
    other.goto(found.page.url)
    other.wait_for_function("([name, value]) => localStorage.getItem(name) === value", arg=[name, value])
    other.close()


def test_everything_is_reached_by_keyboard(opened):
    """Tab goes from the first link through every control in order and leaves the page again."""
    found = opened(PAGE)
    press(found, "Tab")
    assert found.page.evaluate("document.activeElement.textContent") == "Skip to the answer"
    press(found, "Enter", "Tab")
    assert found.page.evaluate("document.activeElement.closest('main') !== null")
    found = opened(PAGE)
    found.page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    found.page.evaluate("window.seen = new Set()")
    for _ in range(500):
        press(found, "Tab")
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


def test_the_keys_of_the_filter(opened):
    """Ctrl+K goes to the filter, Escape clears it; a heading sorts by Enter and by Space."""
    found = opened(PAGE)
    press(found, "Control+k")
    found.page.keyboard.type("status:known")
    press(found, "Enter")
    assert len(headings(found)) == 1
    press(found, "Escape")
    assert len(headings(found)) == 2
    found.page.focus(".table th button >> nth=2")
    press(found, "Enter")
    assert found.page.locator("th[aria-sort]").get_attribute("aria-sort") == "descending"
    press(found, " ")
    assert found.page.locator("th[aria-sort]").get_attribute("aria-sort") == "ascending"


def test_printing_shows_what_is_folded_in_dark_on_white(opened):
    """On paper there are no controls, nothing is folded, and the dark theme stays on the screen."""
    found = opened(PAGE, color_scheme="dark")
    found.page.emulate_media(media="print")
    assert ground(found) == "rgb(255, 255, 255)"
    assert found.page.evaluate("getComputedStyle(document.body).color") == "rgb(27, 31, 39)"
    for control in ("#filters", "#theme", ".contents", ".copy"):
        assert not found.page.locator(control).first.is_visible(), control
    assert found.page.evaluate("document.querySelector('details:not([open]) > .inside dd').checkVisibility()")
    assert found.page.locator("th button").first.is_visible()  # the head of a table is one
    document = found.page.pdf()
    assert document.startswith(b"%PDF")
    found.page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert found.page.locator("details:not([open])").count() == 0
    found.page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert found.page.locator("details:not([open])").count() > 0


def test_a_finding_is_copied_as_markdown(opened):
    """The copy has heading, facts, the first rows and the command; ids are code, markup is escaped."""
    text = render(sample(45, lambda name: f"{name}<b>@all|`" if name == "native" else name), RenderOptions())
    found = opened(text, permissions=["clipboard-read", "clipboard-write"])
    found.page.click(".issue >> nth=0")
    found.page.locator("#said").filter(has_text="Finding copied.").wait_for(state="attached")
    said: str = found.page.evaluate("navigator.clipboard.readText()")
    assert said.startswith(
        "### `` native<b>@all\\|` ``: `rank-order`\n\n"
        "✗ unexpected `` native<b>@all\\|` `` differs on `nDCG@10`\n\n- evidence: proved\n"
    )
    assert "| query | case / run | reference | candidate | cause |" in said
    assert "| `1` | `case-1` | 0.3663 | 0.5464 | rank-order |" in said
    assert "```\ncrosscheck command --query 38\n```" in said
    found.page.click(".copy >> nth=0")
    found.page.locator("#said").filter(has_text="Command copied.").wait_for(state="attached")
    assert found.page.evaluate("navigator.clipboard.readText()") == "crosscheck command --query 38"


def test_a_hundred_thousand_rows_open_and_filter_quickly(opened):
    """Opening, filtering and sorting take no time one would notice; bounds leave room for a slow machine."""
    page = sample(33_334)
    tables = [one for one in walk(page.blocks) if isinstance(one, Section) and one.tags]
    blocks = [replace(one, blocks=[b for b in one.blocks if isinstance(b, Table)]) for one in tables]
    found = opened(render(replace(page, blocks=blocks), RenderOptions()))
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
