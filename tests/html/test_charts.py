"""Drawings say what they show, are well-formed whatever is in them, and their colours can be read."""

import re
from xml.etree import ElementTree

import pytest

from crosscheck.report import RenderOptions
from crosscheck.report.html import render
from crosscheck.report.page import Chart, Mark, Page, RankingPair, Status, Verdict, walk
from crosscheck.report.svg import CHART_STYLE, DARK, LIGHT, draw
from tests.html.sample import sample
from tests.report.samples import HOSTILE_IDS

SVG = "{http://www.w3.org/2000/svg}"
BLOCKS = [block for block in walk(sample().blocks) if isinstance(block, Chart | RankingPair)][:6]


def elements(block: Chart | RankingPair) -> ElementTree.Element:
    return ElementTree.fromstring(draw(block).file())


def texts(block: Chart | RankingPair) -> list[str]:
    """What can be read in a drawing, without tooltips."""
    found = elements(block).iter(f"{SVG}text")
    return ["".join([text.text or "", *(tip.tail or "" for tip in text)]) for text in found]


@pytest.mark.parametrize("block", BLOCKS, ids=lambda b: getattr(b, "kind", "rankings"))
def test_a_drawing_says_what_it_shows(block):
    """Its file is an image with a title and a description, and every class in it has a style; the name of a
    chart, with which its file ends, is unique."""
    names = [block.name for block in walk(sample().blocks) if isinstance(block, Chart)]
    assert len(names) == len(set(names))
    root = elements(block)
    assert root.get("role") == "img"
    title, caption = draw(block).title, draw(block).caption
    assert [root.findtext(f"{SVG}title"), root.findtext(f"{SVG}desc")] == [title, caption]
    used = {name for part in root.iter() for name in (part.get("class") or "").split()}
    assert used <= set(re.findall(r"\.chart \.([\w-]+)", CHART_STYLE)) | {"ink"}


@pytest.mark.parametrize("id", [id for id in HOSTILE_IDS if id], ids=repr)
def test_no_id_breaks_a_drawing(id):
    """With any id in every place for text, the drawing has the same elements as with a plain one."""

    def shape(name: str) -> list[str]:
        blocks = [b for b in walk(sample(6, lambda _: name).blocks) if isinstance(b, Chart | RankingPair)]
        # Long names are cut and have the whole as a tooltip.
        return [part.tag for b in blocks for part in elements(b).iter() if part.tag != f"{SVG}title"]

    assert shape(id) == shape("plain")


def test_charts_draw_what_fits_and_count_the_rest():
    """Of thousands of marks so many are drawn, and how many are not is said inside the drawing; texts are
    cut to its width."""
    marks = [Mark(str(n), 0.0, n / 4000) for n in range(4000)]
    most = {"dots": 1500, "queries": 25, "ranking": 40, "means": 25}
    for kind in ("dots", "queries", "ranking", "means"):
        chart = Chart("n", kind, "t" * 500, "c" * 500, ("left", "right"), marks)
        drawn, said = draw(chart), texts(chart)
        assert len(drawn.file()) < 600_000
        assert any(f"{4000 - most[kind]:,} more not drawn" in text for text in said), kind
        assert max(map(len, said)) < drawn.width / 6, kind
        places = re.findall(r'<text x="[^"]*" y="([^"]*)"', "".join(drawn.parts))
        assert max(map(float, places)) < drawn.height, kind


def test_the_table_below_a_drawing_is_cut_and_says_so():
    """It has all of five hundred rows, 80 of them in the file's text, and the first five hundred of more."""
    for count, cut in ((500, False), (501, True)):
        marks = [Mark(str(n), 0.0, float(n)) for n in range(count)]
        chart = Chart("n", "queries", "t", "c", ("left", "right"), marks)
        page = render(Page("run", "t", Verdict(Status.AGREE, "Fine."), [chart]), RenderOptions())
        assert ("The first 500 of 501" in page, "420 more rows" in page) == (cut, True)


@pytest.mark.parametrize(
    ("low", "high"),
    [
        *((0.0, 0.0), (3.0, 3.0), (-0.5, 0.5), (0.2580, 0.2581)),
        *((0.1, 0.1 + 1.4e-17), (1e308, -1e308), (0.0, 5e-324)),
    ],
)
def test_any_two_numbers_have_a_scale(low, high):
    """Whatever the values are, every kind of chart draws them inside of itself."""
    marks = [Mark("a", low, high, "cause", min(low, high), max(low, high)), Mark("b", high, low)]
    for kind in ("waterfall", "dots", "queries", "ranking", "means"):
        drawn = draw(Chart("n", kind, "t", "c", ("left", "right"), marks))
        numbers = [float(x) for part in drawn.parts for x in re.findall(r' c?x="([^"]*)"', part)]
        assert all(0 <= x <= drawn.width for x in numbers), kind
        assert "nan" not in drawn.file()


def luminance(color: str) -> float:
    parts = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def ratio(a: str, b: str) -> float:
    light, dark = sorted((luminance(a), luminance(b)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("tokens", [LIGHT, DARK], ids=["light", "dark"])
def test_text_and_marks_can_be_read(tokens):
    """Text reaches 4.5 : 1 on everything it stands on, marks 3 : 1."""
    for text in ("ink", "muted", "accent"):
        for ground in ("paper", "desk", "accent-soft"):
            assert ratio(tokens[text], tokens[ground]) >= 4.5, (text, ground)
    for status in Status:
        assert ratio(tokens[status], tokens[f"{status}-bg"]) >= 4.5, status
    for mark in ("ref", "cand", "link", *(f"k{n}" for n in range(8))):
        assert ratio(tokens[mark], tokens["paper"]) >= 3, mark
