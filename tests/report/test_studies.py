"""The reports of the studies: width, escaping, JSON and its schema."""

from __future__ import annotations

import json
from functools import cache

import pytest
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]

from crosscheck.errors import UsageError
from crosscheck.report import FORMATS, RenderOptions, render
from crosscheck.report.json_report import load, schema
from crosscheck.report.kinds import page_of
from crosscheck.report.page import charts
from crosscheck.studies.agreement import agreement
from crosscheck.studies.base import StudyDocument
from crosscheck.studies.compare import compare
from crosscheck.studies.describe import describe
from crosscheck.studies.gate import gate
from crosscheck.studies.impact import impact
from crosscheck.studies.pool import pool
from crosscheck.studies.rundiff import rundiff
from crosscheck.studies.tools import tools
from crosscheck.studies.why import why
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
        impact(qrels, runs, candidate="native:gain=exponential", measures=["nDCG@3", "P@3"]),
        compare(qrels, runs, measures=["nDCG@3", "P@3"]),
        agreement(qrels, other),
        pool(runs, 2, qrels=qrels),
        tools(qrels, runs, ["nDCG@3"], find_causes=True),
        why(qrels, {name: runs[name] for name in list(runs)[:1]}, ["P@3=0.5", "nDCG@3=0.5"]),
        describe("beir", ["nDCG@3", "AP@3"]),
        rundiff(qrels, *list(runs.values())[:2], ["nDCG@3"]),
        gate(qrels, *reversed(runs.values()), ["nDCG@3", "P@3"], test="t"),
    ]


#: Inputs refuse NUL and surrogates, so they never get here.
HOSTILE = tuple(
    text.replace("\0", "")
    for text in samples.HOSTILE_IDS
    if not any(0xD800 <= ord(c) <= 0xDFFF for c in text)
)


@pytest.mark.parametrize("study", range(9))
def test_the_text_fits_eighty_columns_and_says_where_the_json_is(study: int) -> None:
    """No line is wider than the terminal, and the last line names the report or how to get one."""
    document = documents("")[study]
    plain = render(document, "text")
    assert max(map(len, plain.splitlines())) <= 80
    assert plain.rstrip().endswith("--report json writes all, or use --verbose.")
    written = render(document, "text", RenderOptions(written=("reports/x.json",)))
    assert written.rstrip().endswith("The full report is in reports/x.json, or use --verbose.")


@pytest.mark.parametrize("study", range(9))
def test_plain_words_come_first(study: int) -> None:
    """The paragraph stands before the first table, in text and in Markdown."""
    document = documents("")[study]
    text = " ".join(render(document, "text").split())
    assert text.removeprefix("✓ ").removeprefix("≠ ").startswith(document.summary)
    lines = render(document, "markdown").splitlines()
    assert lines[0].startswith("## ")
    assert not any(line.startswith("|") for line in lines[:3])


@pytest.mark.parametrize("study", range(9))
@pytest.mark.parametrize("names", [("",), HOSTILE], ids=["plain", "hostile"])
def test_the_json_satisfies_its_schema(study: int, names: tuple[str, ...]) -> None:
    """Every document validates against the schema that crosscheck schema prints for it."""
    document = documents(*names)[study]
    printed = json.loads(schema(document.study))
    Draft202012Validator.check_schema(printed)
    content = json.loads(render(document, "json"))
    Draft202012Validator(printed).validate(content)
    assert list(content)[:2] == ["schema_version", "study"]
    assert content["summary"]
    del content["summary"]
    assert not Draft202012Validator(printed).is_valid(content)


def test_pictures_are_linked_only_where_they_are_written() -> None:
    """Markdown for a file links its pictures relatively; for stdout it links none."""
    impact = documents("")[0]
    names = [chart.name for chart in charts(page_of(impact))]
    assert names == ["1-ranking", "1-queries"]
    page = render(impact, "markdown", RenderOptions(pictures="my report."))
    assert all(f"](my%20report.{name}.svg)" in page for name in names)
    assert ".svg" not in render(impact, "markdown")


def test_an_unknown_format_or_document_is_refused() -> None:
    """The message lists those that exist."""
    with pytest.raises(UsageError, match="no report format 'pdf'"):
        render(documents("")[0], "pdf")
    with pytest.raises(UsageError, match="no study 'pdf'"):
        schema("pdf")


@pytest.mark.parametrize("format", FORMATS)
def test_a_saved_study_gives_the_same_report(format: str) -> None:
    """Every format can be made from the JSON alone."""
    for document in documents(""):
        assert render(load(render(document, "json")), format) == render(document, format)


@pytest.mark.parametrize("format", FORMATS)
def test_a_report_is_the_same_every_time(format: str) -> None:
    """Rendering is a pure function of the document."""
    for document in documents(""):
        assert render(document, format) == render(document, format)
