"""The terminal's renderer of pages; whole pages are in test_formats.py."""

from __future__ import annotations

import re

import pytest
from msgspec.structs import replace

from crosscheck.report import RenderOptions, render
from crosscheck.results import Comparison
from tests.report import samples

PLAIN = RenderOptions(written=("reports/crosscheck.json", "reports/crosscheck.md"))


def _words(text: str) -> str:
    """The text on one line, so that a sentence is found wherever it was wrapped."""
    return " ".join(text.split())


C, A = samples.comparison, samples.agreement
KNOWN = [C(case=f"c{i}", expected=True, reason=f"r{i % 2}") for i in range(5)]
#: Claim -> comparisons, words of the short page, words of the verbose page, words that are in neither.
SAID: dict[str, tuple[list[Comparison], list[str], list[str], list[str]]] = {
    "saved numbers are told from backends": (
        [A(candidate="published")], [], ["numbers that came with the cases: published"], [],
    ),
    "a dozen recorded files share a row": (
        [A(candidate=f"recorded:{i}.json") for i in range(12)], ["✓ saved numbers (12) 12 12"], [], [],
    ),
    "every reference is called one": (
        [A(reference="native")], [], ["reference pytrec_eval 0.5.11", "reference native 0.1.0"], [],
    ),
    "a difference can be seen again": (
        [C()], [], ["crosscheck a/qrels a/run.txt -m P@10 -b hf-evaluate --query 14"], ["ULP"],
    ),
    "known mismatches fold by candidate and cause": (
        KNOWN, [], ["hf-evaluate tie-breaking 5 c0 and 4 more cases: r0"], [],
    ),
    "a difference of the mean alone is told": (
        [C(cells=[], matches=50, mismatches=0)], ["(only the mean; proved)", "mean only"], [], [],
    ),
    "float noise is measured in steps": ([C(max_ulp=2)], [], ["2 ULP"], []),
    "a tool that only informs fails nothing": (
        [C(informs=True), A(candidate="native")],
        ["✓ As expected.", "1 differs in a tool that nobody named, which informs and fails nothing",
         "≠ hf-evaluate differs by tie-breaking (ties are ordered by the rank column"], [], [],
    ),
    "the same story is told once": (
        samples.flood().comparisons, ["Also P@10, nDCG@10 in 30 runs."], [], [],
    ),
    "findings beyond the fifth are counted": (
        [C(candidate=f"python:m{i}") for i in range(23)],
        ["✗ python:m4 differs", "and 18 more findings"], ["✗ python:m22 differs"], [],
    ),
}  # fmt: skip


@pytest.mark.parametrize("claim", SAID)
def test_the_page_says(claim: str) -> None:
    """The words of each page, on one line so that they are found wherever they are wrapped."""
    comparisons, short, full, neither = SAID[claim]
    inputs = [samples.inputs(qrels_path="a/qrels", run_path="a/run.txt")]
    document = samples.document(comparisons, inputs=inputs)
    pages = [_words(render(document, "text", replace(PLAIN, verbose=verbose))) for verbose in (False, True)]
    for page, here, there in ((pages[0], short, full), (pages[1], full, [])):
        assert [words for words in here if words not in page] == []
        assert [words for words in (*there, *neither) if words in page] == []
    assert render(document, "text", PLAIN).count(" differs by tie-breaking (ties") <= 5


def test_without_a_json_report_it_says_how_to_get_one() -> None:
    """The page says where to find all that it leaves out."""
    assert "--report json writes all" in render(samples.flood(), "text", RenderOptions())
    assert render(samples.flood(), "text", PLAIN).endswith(
        "The full report is in reports/crosscheck.json (.md), or use --verbose.\n"
    )


def test_numbers_are_never_cut() -> None:
    """Seventeen digits on both sides fit into eighty columns beside long ids, or wrap whole."""
    pair = (0.42010951172205624, 0.4201095117220563)
    one = samples.comparison(case="c" * 60, cells=[samples.cell("q" * 60, *pair)])
    for width in (40, 80):
        text = render(samples.document([one]), "text", replace(PLAIN, width=width, verbose=True))
        assert all(repr(value) in text for value in pair)
        assert text.replace("\n", "").replace(" ", "").count("q" * 20) > 0


def test_colour_only_adds_to_the_words() -> None:
    """With the colour codes removed the coloured report is the plain one."""
    plain = render(samples.everything(), "text", PLAIN)
    colored = render(samples.everything(), "text", replace(PLAIN, color=True))
    assert "\x1b[" in colored
    assert "\x1b" not in plain
    stripped = re.sub(r"\x1b\[[0-9;]*m", "", colored)
    assert [line.rstrip() for line in stripped.splitlines()] == plain.splitlines()


def test_the_environment_has_no_say(monkeypatch: pytest.MonkeyPatch) -> None:
    """The text depends on the document and the options only."""
    wide = replace(PLAIN, width=100)
    plain, colored = (render(samples.everything(), "text", replace(wide, color=c)) for c in (False, True))
    for name, value in {"COLUMNS": "33", "TERM": "dumb", "NO_COLOR": "1", "FORCE_COLOR": "1"}.items():
        monkeypatch.setenv(name, value)
    assert render(samples.everything(), "text", wide) == plain
    assert render(samples.everything(), "text", replace(wide, color=True)) == colored


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "utf-8"])
def test_it_can_be_written_in_any_encoding(encoding: str) -> None:
    """A terminal without the glyphs gets plain ones; an id that it lacks is spelt out."""
    one = samples.comparison(cells=[samples.cell("文書")])
    text = render(samples.document([one]), "text", replace(PLAIN, encoding=encoding))
    text.encode(encoding)
    assert ("x hf-evaluate" in text) == (encoding != "utf-8")
    assert ("\\u6587\\u66f8" in text) == (encoding != "utf-8")
