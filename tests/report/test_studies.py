"""The reports of the studies: width, escaping, JSON and its schema."""

from __future__ import annotations

import json
from functools import cache

import pytest
from crosscheck.report.studies import pictures, render_study, studies, study_path, study_schema
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]
from markdown_it import MarkdownIt

from crosscheck.errors import UsageError
from crosscheck.report import RenderOptions
from crosscheck.studies import compare_conclusions, compare_qrels, compare_runs, pool_runs
from crosscheck.study_records import StudyDocument
from tests.report import samples
from tests.studies.examples import Qrels, Runs, gain_flips_two_systems

pytest.importorskip("scipy.stats", reason="scipy is not installed")


def renamed(names: list[str]) -> tuple[Qrels, Runs]:
    """The example whose systems flip, with other ids for queries, documents and runs."""
    qrels, runs = gain_flips_two_systems()

    def id(text: str, place: int) -> str:
        return f"{names[place % len(names)]}{text}"

    def turned(table: dict[str, dict[str, float]]) -> dict[str, dict[str, float]]:
        return {
            id(q, i): {id(d, i + j): v for j, (d, v) in enumerate(sorted(row.items()))}
            for i, (q, row) in enumerate(table.items())
        }

    judged = {q: {d: int(v) for d, v in row.items()} for q, row in turned(qrels).items()}  # type: ignore[arg-type]
    return judged, {id(run, i): turned(table) for i, (run, table) in enumerate(runs.items())}


@cache
def documents(*names: str) -> list[StudyDocument]:
    """One document of each study."""
    qrels, runs = renamed(list(names))
    other = {q: {d: min(v + 1, 3) for d, v in list(row.items())[1:]} for q, row in qrels.items()}
    return [
        compare_conclusions(qrels, runs, candidate="native:gain=exponential", measures=["nDCG@3", "P@3"]),
        compare_runs(qrels, runs, measures=["nDCG@3", "P@3"]),
        compare_qrels(qrels, other),
        pool_runs(runs, 2, qrels=qrels),
    ]


#: Inputs refuse NUL and surrogates, so they never get here.
HOSTILE = tuple(
    text.replace("\0", "")
    for text in samples.HOSTILE_IDS
    if not any(0xD800 <= ord(c) <= 0xDFFF for c in text)
)


@pytest.mark.parametrize("study", range(4))
def test_the_text_fits_eighty_columns_and_says_where_the_json_is(study: int) -> None:
    """No line is wider than the terminal, and the last line names the report or how to get one."""
    document = documents("")[study]
    plain = render_study(document, "text")
    assert max(map(len, plain.splitlines())) <= 80
    assert plain.rstrip().endswith("--report json[=PATH] writes everything as JSON.")
    written = render_study(document, "text", RenderOptions(written=("reports/x.json",)))
    assert written.rstrip().endswith("The full report is in reports/x.json.")


@pytest.mark.parametrize("study", range(4))
def test_plain_words_come_first(study: int) -> None:
    """The paragraph stands before the first table, in text and in Markdown."""
    document = documents("")[study]
    text = " ".join(render_study(document, "text").split())
    assert document.summary in text
    assert text.index(document.summary) < 200
    lines = render_study(document, "markdown").splitlines()
    assert lines[0].startswith("## ")
    assert next(i for i, line in enumerate(lines) if line.startswith("|")) > 2


@pytest.mark.parametrize("study", range(4))
@pytest.mark.parametrize("names", [("",), HOSTILE], ids=["plain", "hostile"])
def test_the_json_satisfies_its_schema(study: int, names: tuple[str, ...]) -> None:
    """Every document validates against the schema that crosscheck schema prints for it."""
    document = documents(*names)[study]
    schema = json.loads(study_schema(document.study))
    Draft202012Validator.check_schema(schema)
    content = json.loads(render_study(document, "json"))
    Draft202012Validator(schema).validate(content)
    assert list(content)[:2] == ["schema_version", "study"]
    assert content["summary"]
    del content["summary"]
    assert not Draft202012Validator(schema).is_valid(content)


@pytest.mark.parametrize("study", range(4))
def test_hostile_ids_do_nothing_in_markdown(study: int) -> None:
    """Ids with markup, mentions or control characters make no element and no link of their own."""
    document = documents(*HOSTILE)[study]
    options = RenderOptions(pictures="page.")
    html = (
        MarkdownIt("commonmark", {"html": True})
        .enable("table")
        .render(render_study(document, "markdown", options))
    )
    assert "<script" not in html
    assert "<a " not in html
    assert html.count("<img ") == len(pictures(document))
    assert not any(ord(c) < 32 and c != "\n" for c in html)


@pytest.mark.parametrize("study", range(4))
def test_hostile_ids_do_nothing_on_a_terminal(study: int) -> None:
    """No control character of an id reaches the terminal."""
    text = render_study(documents(*HOSTILE)[study], "text")
    assert not any((ord(c) < 32 and c != "\n") or ord(c) == 0x7F for c in text)


def test_pictures_are_linked_only_where_they_are_written() -> None:
    """Markdown for a file links its pictures relatively; for stdout it links none."""
    impact = documents("")[0]
    names = [picture.name for picture in pictures(impact)]
    assert names == ["1-ranking", "1-queries", "1-differences"]
    page = render_study(impact, "markdown", RenderOptions(pictures="my report."))
    assert all(f"](my%20report.{name}.svg)" in page for name in names)
    assert ".svg" not in render_study(impact, "markdown")


def test_an_unknown_format_or_study_is_refused() -> None:
    """The message lists those that exist."""
    with pytest.raises(UsageError, match="no report format 'junit'"):
        render_study(documents("")[0], "junit")
    with pytest.raises(UsageError, match="no report format 'junit'"):
        study_path("impact", "junit")
    with pytest.raises(UsageError, match="agreement, compare, impact, pool"):
        study_schema("run")
    assert {study_path(study, "json") for study in studies()} == {f"reports/{s}.json" for s in studies()}


@pytest.mark.parametrize("format", ["text", "markdown", "json"])
def test_a_report_is_the_same_every_time(format: str) -> None:
    """Rendering is a pure function of the document."""
    for document in documents(""):
        assert render_study(document, format) == render_study(document, format)
