"""The formats as a whole: names, determinism."""

from __future__ import annotations

import pytest

from crosscheck import report
from crosscheck.errors import UsageError
from crosscheck.report import RenderOptions, json_report
from tests.report import samples

PLAIN = ("json", "junit", "markdown", "text")
SAMPLES = ("everything", "hostile", "flood")


def test_formats_are_sorted_by_name() -> None:
    """The help and messages list them in this order."""
    assert list(report.FORMATS) == sorted(report.FORMATS)


def test_default_paths_are_all_different() -> None:
    """Each format has its own default file, named as the documentation names it."""
    paths = [report.default_path(name) for name in report.FORMATS]
    assert len(set(paths)) == len(paths)
    assert report.default_path("json") == "reports/crosscheck.json"
    assert report.default_path("junit") == "reports/crosscheck.xml"
    assert report.default_path("markdown") == "reports/crosscheck.md"
    assert report.default_path("text") == "reports/crosscheck.txt"


def test_unknown_format_is_a_usage_error_that_helps() -> None:
    """A misspelt format names the likely one and lists all."""
    with pytest.raises(UsageError, match="did you mean markdown") as error:
        report.render(samples.everything(), "markdwon")
    assert all(name in str(error.value) for name in report.FORMATS)


@pytest.mark.parametrize("name", PLAIN)
@pytest.mark.parametrize("sample", SAMPLES)
def test_reports_are_deterministic_utf8(name: str, sample: str) -> None:
    """Any document gives the same text twice, which is UTF-8 and ends in exactly one newline."""
    make = getattr(samples, sample)
    text = report.render(make(), name)
    assert text == report.render(make(), name)
    assert text.encode("utf-8").endswith(b"\n")
    assert not text.endswith("\n\n")


@pytest.mark.parametrize("name", PLAIN)
@pytest.mark.parametrize("sample", SAMPLES)
def test_reports_are_the_same_from_a_saved_document(name: str, sample: str) -> None:
    """Everything else can be made from the JSON report: nothing depends on what JSON does not hold."""
    document = getattr(samples, sample)()
    saved = json_report.load(report.render(document, "json"))
    assert report.render(saved, name) == report.render(document, name)


@pytest.mark.parametrize("name", PLAIN)
def test_an_empty_document_can_be_rendered(name: str) -> None:
    """A run that compared nothing still gives a report in every format."""
    empty = samples.document([], backends=[], inputs=[])
    assert report.render(empty, name, RenderOptions(verbose=True))


@pytest.mark.parametrize("name", ["junit", "markdown", "text"])
def test_reports_for_people_hold_no_raw_control_characters(name: str) -> None:
    """Ids with control characters, escape sequences or text direction marks are spelt out."""
    text = report.render(samples.hostile(), name, RenderOptions(verbose=True))
    assert all(c.isprintable() or c == "\n" for c in text)
    assert "\\x1b[31m" in text.replace("&#92;", "\\").replace("&#91;", "[")
