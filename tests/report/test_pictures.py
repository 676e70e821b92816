"""The pictures: well-formed, readable in light and dark, told in words, and safe with any id."""

from __future__ import annotations

import re
from dataclasses import replace
from xml.etree import ElementTree

import pytest
from crosscheck.report._document_pictures import document_pictures
from crosscheck.report._pictures import Picture, Row, differences, dumbbells, impact_pictures, ranking
from crosscheck.report._svg import Scale

from crosscheck.impact_records import Impact, QueryMove, RankCorrelation, SystemMove
from tests.report import samples

SVG = "{http://www.w3.org/2000/svg}"


def system(run: str, before: float, after: float, ranks: tuple[int, int]) -> SystemMove:
    return SystemMove(run, before, after, after - before, *ranks, 10, 10, 4)


def sample_impact(
    names: tuple[str, str] = ("bm25", "dense"), queries: tuple[str, ...] = ("14", "7")
) -> Impact:
    """Two systems that swap, because of some queries."""
    return Impact(
        measure="nDCG@10",
        reference="pytrec_eval",
        candidate="native:gain=exponential",
        affected=True,
        systems=[system(names[0], 0.42, 0.35, (1, 2)), system(names[1], 0.4, 0.38, (2, 1))],
        tau=RankCorrelation("tau_b", -1.0, None),
        tau_ap=RankCorrelation("tau_AP,a", -1.0, None),
        swaps=[],
        test="t",
        alpha=0.05,
        pairs=1,
        reference_significant=0,
        candidate_significant=0,
        significance=[],
        values=20,
        changed=4,
        moved=2,
        queries=[QueryMove(q, 0.3, names[0], 0.5, 0.2) for q in queries],
        notes=[],
        summary="Conclusions change.",
        case="case",
    )


def rows(count: int) -> list[Row]:
    return [Row(f"q{i}", 0.5, 0.5 + (i - count // 2) / (2 * count)) for i in range(count)]


SIDES = ("pytrec_eval", "hf-evaluate")


def drawn() -> list[Picture]:
    return [
        *impact_pictures(sample_impact()),
        dumbbells("P@10", rows(60), SIDES),
        differences("P@10", rows(500), SIDES),
    ]


def texts(svg: str) -> str:
    return " ".join("".join(node.itertext()) for node in ElementTree.fromstring(svg).iter(f"{SVG}text"))


@pytest.mark.parametrize("picture", drawn(), ids=lambda p: p.name)
def test_a_picture_is_told_in_words_and_follows_the_colour_scheme(picture: Picture) -> None:
    """Title and description are there and referred to; colours exist for light and dark, on a paper."""
    root = ElementTree.fromstring(picture.svg)
    ids = {node.get("id") for node in root.iter() if node.get("id")}
    assert root.get("role") == "img"
    assert set((root.get("aria-labelledby") or "").split()) <= ids
    description = root.findtext(f"{SVG}desc") or ""
    assert len(description) > 40
    assert "prefers-color-scheme:dark" in picture.svg
    assert root.find(f"{SVG}rect").get("class") == "paper"  # type: ignore[union-attr]


@pytest.mark.parametrize("picture", drawn(), ids=lambda p: p.name)
def test_a_picture_loads_nothing_and_runs_nothing(picture: Picture) -> None:
    """No script, no link, no external resource, no style attribute."""
    tags = {node.tag.removeprefix(SVG) for node in ElementTree.fromstring(picture.svg).iter()}
    assert tags <= {"svg", "title", "desc", "style", "rect", "text", "line", "circle"}
    assert not re.search(r"(href|url\(|@import|style=|on\w+=)", picture.svg)


@pytest.mark.parametrize("picture", drawn(), ids=lambda p: p.name)
def test_every_mark_lies_inside_the_picture(picture: Picture) -> None:
    """No circle, bar or text starts outside of the frame."""
    root = ElementTree.fromstring(picture.svg)
    width, height = float(root.get("width") or 0), float(root.get("height") or 0)
    for node in root.iter():
        for name, limit in (("x", width), ("cx", width), ("x1", width), ("x2", width)):
            assert 0 <= float(node.get(name, 0)) <= limit
        for name, limit in (("y", height), ("cy", height), ("y1", height), ("y2", height)):
            assert 0 <= float(node.get(name, 0)) <= limit


def test_dumbbells_show_the_largest_differences_with_their_numbers() -> None:
    """The query that differs most comes first with its signed difference; what is cut is counted."""
    picture = dumbbells("P@10", [Row("small", 0.5, 0.51), Row("large", 0.9, 0.1)], SIDES)
    words = texts(picture.svg)
    assert words.index("large") < words.index("small")
    assert "-0.8000" in words
    assert "35 more queries not drawn" in texts(dumbbells("P@10", rows(60), SIDES).svg)


def test_bars_are_in_order_and_on_the_right_side_of_zero() -> None:
    """Differences fall from left to right; gains stand above the zero line, losses below."""
    picture = differences("P@10", [Row("b", 0.5, 0.4), Row("a", 0.2, 0.6), Row("c", 0.1, 0.2)], SIDES)
    bars = [n for n in ElementTree.fromstring(picture.svg).iter(f"{SVG}rect") if n.get("class") == "cand"]
    assert [n.findtext(f"{SVG}title") for n in bars] == ["a: +0.4000", "c: +0.1000", "b: -0.1000"]
    ends = [float(n.get("y", 0)) + float(n.get("height", 0)) for n in bars]
    assert ends[0] == pytest.approx(ends[1], abs=0.02)
    assert float(bars[2].get("y", 0)) == pytest.approx(ends[0], abs=0.02)


def test_the_ranking_marks_systems_that_change_rank_without_colour_alone() -> None:
    """Systems that swap carry a star, and the star is explained."""
    words = texts(ranking(sample_impact()).svg)
    assert "0.3800  dense *" in words
    assert "* another rank than before" in words


@pytest.mark.parametrize("text", samples.HOSTILE_IDS)
def test_hostile_ids_stay_text(text: str) -> None:
    """Whatever an id holds, the file is XML, holds no new element, and shows the id spelt out."""
    impact = sample_impact((text, "other"), (text,))
    for picture in impact_pictures(replace(impact, measure=text, reference=text)):
        root = ElementTree.fromstring(picture.svg.encode("utf-8"))
        tags = {node.tag.removeprefix(SVG) for node in root.iter()}
        assert tags <= {"svg", "title", "desc", "style", "rect", "text", "line", "circle"}


def test_pictures_of_a_document_are_those_of_surprises() -> None:
    """Unexpected mismatches are drawn, known ones and agreements are not; impacts are."""
    document = samples.everything()
    names = [picture.name for picture in document_pictures(document)]
    assert names[:2] == ["1-queries", "1-differences"]
    assert len(set(names)) == len(names)
    assert not document_pictures(samples.document([samples.agreement()]))
    with_impact = samples.document([samples.agreement()], impacts=[sample_impact()])
    assert [p.name for p in document_pictures(with_impact)] == [
        "impact-1-ranking",
        "impact-1-queries",
        "impact-1-differences",
    ]


@pytest.mark.parametrize(
    ("low", "high"), [(0.0, 0.0), (0.0, 1.0), (-0.37, 0.002), (0.0, 12345.0), (0, 1e-12)]
)
def test_a_scale_covers_its_range_with_few_ticks(low: float, high: float) -> None:
    """Every value lies between the ends, and there are between 2 and 9 ticks."""
    scale = Scale(low, high, 100, 500)
    assert 99.9 <= scale(low) <= scale(high) <= 500.1
    assert 2 <= len(scale.ticks) <= 9
