"""What all measures of a candidate say together, in the reports."""

from __future__ import annotations

import pytest
from crosscheck.report._tools import folded, sentence

from crosscheck.report import RenderOptions, render
from crosscheck.results import ToolConventions
from tests.report import samples


def found(**changes: object) -> ToolConventions:
    given: dict[str, object] = {
        "case": "c",
        "run": "run.txt",
        "candidate": "tool",
        "conventions": {"ties": "input"},
        "causes": ["tie-breaking"],
        "measures": ["AP", "RR"],
        "rest": {},
    }
    return ToolConventions(**{**given, **changes})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({}, "ties=input reproduces 2 of 2 measures."),
        (
            {"rest": {"bpref": ["bpref-form"], "P@5": []}},
            "ties=input reproduces 2 of 4 measures; not bpref (bpref-form), P@5 (agrees with the reference).",
        ),
        ({"conventions": {}}, "no single change does better than the reference's own conventions"),
    ],
)
def test_the_sentence_names_conventions_and_the_rest(changes: dict[str, object], said: str) -> None:
    """The set that explains most comes first, then the measures that it does not explain."""
    assert sentence(found(**changes)).startswith(said)


def test_equal_findings_are_told_once() -> None:
    """Runs of which the same is true stand behind one sentence."""
    document = samples.document([], tools=[found(), found(run="other.txt")])
    assert [len(places) for _, places in folded(document)] == [2]


@pytest.mark.parametrize("format", ["text", "markdown"])
def test_reports_show_it_and_escape_ids(format: str) -> None:
    """Both reports for readers hold the sentence, and no raw control character of a name."""
    text = render(
        samples.document([samples.comparison()], tools=[found(run="a\x1b[31m.txt")]), format, RenderOptions()
    )
    assert "ties=input reproduces" in text
    assert "\x1b[31m" not in text
    assert "say together" in text
