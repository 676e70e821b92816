"""The terminal's renderer of pages; whole pages are in test_snapshots.py."""

from __future__ import annotations

import re

import pytest
from msgspec.structs import replace
from rich.cells import cell_len

from crosscheck.report import RenderOptions, render
from tests.report import samples

PLAIN = RenderOptions(written=("reports/crosscheck.json", "reports/crosscheck.md"))


def _words(text: str) -> str:
    """The text on one line, so that a sentence is found wherever it was wrapped."""
    return " ".join(text.split())


def _full(*comparisons: object, **changes: object) -> str:
    made = samples.document(list(comparisons), **changes)  # type: ignore[arg-type]
    return _words(render(made, "text", replace(PLAIN, verbose=True)))


def test_many_saved_numbers_are_counted_together() -> None:
    """A dozen recorded files do not flood the table of tools, and are told apart from backends."""
    assert "numbers that came with the cases: published" in _full(samples.agreement(candidate="published"))
    many = [samples.agreement(candidate=f"recorded:{i}.json") for i in range(12)]
    text = render(samples.document(many), "text", PLAIN)
    assert "✓ saved numbers (12) 12 12" in _words(text)
    assert "recorded:11.json" not in text


def test_every_reference_is_called_one() -> None:
    """A backend that is the reference of one case only is not listed as a candidate."""
    text = _full(samples.agreement(reference="native"))
    assert "reference pytrec_eval 0.5.11" in text
    assert "reference native 0.1.0" in text


def test_a_difference_can_be_seen_again() -> None:
    """Where its files are known, the verbose page holds the command for its worst query."""
    inputs = samples.inputs(qrels_path="a/qrels", run_path="a/run.txt")
    text = _full(samples.comparison(), inputs=[inputs])
    assert "crosscheck a/qrels a/run.txt -m P@10 -b hf-evaluate --query 14" in text


def test_a_known_mismatch_is_short_unless_asked() -> None:
    """A number in the table; tool, cause, place and reason only in the verbose report."""
    known = samples.comparison(expected=True, reason="trectools does that")
    assert "trectools" not in render(samples.document([known]), "text", PLAIN)
    assert "hf-evaluate tie-breaking 1 s2-tied-scores: trectools does that" in _full(known)


def test_known_mismatches_fold_by_candidate_and_cause() -> None:
    """One line tells how often a cause is known, with the first case and reason and how many more."""
    known = [samples.comparison(case=f"c{i}", expected=True, reason=f"r{i % 2}") for i in range(5)]
    assert "hf-evaluate tie-breaking 5 c0 and 4 more cases: r0" in _full(*known)


def test_a_difference_of_the_mean_alone_is_told() -> None:
    """Where all queries agree, the page says that no query differs."""
    text = _full(samples.comparison(cells=[], matches=50, mismatches=0))
    assert "mean only" in text
    assert "(only the mean; proved)" in text


def test_float_noise_is_measured_in_steps() -> None:
    """A difference of a few units in the last place says so; a large one does not."""
    assert "2 ULP" in _full(samples.comparison(max_ulp=2))
    assert "ULP" not in _full(samples.comparison())


def test_a_tool_that_only_informs_fails_nothing() -> None:
    """The verdict is good, says why, and the finding is told all the same."""
    one = samples.comparison(informs=True)
    text = _words(render(samples.document([one, samples.agreement(candidate="native")]), "text", PLAIN))
    assert text.startswith("✓ As expected.")
    assert "1 differs in a tool that nobody named, which informs and fails nothing" in text
    assert "≠ hf-evaluate differs by tie-breaking (ties are ordered by the rank column" in text


def test_the_same_story_is_told_once() -> None:
    """Ninety comparisons with one cause are one finding that says what it leaves out."""
    text = render(samples.flood(), "text", PLAIN)
    assert text.count("✗ hf-evaluate differs by") == 1
    assert "Also P@10, nDCG@10 in 30 runs." in _words(text)
    assert len(text.splitlines()) < 30


def test_findings_beyond_the_first_are_counted() -> None:
    """Beyond five findings the rest is counted; verbose tells them all."""
    many = [samples.comparison(candidate=f"python:m{i}") for i in range(23)]
    short = render(samples.document(many), "text", PLAIN)
    assert short.count("✗ python:m") == 5
    assert "and 18 more findings" in short
    verbose = render(samples.document(many), "text", replace(PLAIN, verbose=True))
    assert verbose.count(" differs by tie-breaking (ties") == 23


def test_without_a_json_report_it_says_how_to_get_one() -> None:
    """The page says where to find all that it leaves out."""
    assert "--report json writes all" in render(samples.flood(), "text", RenderOptions())
    assert render(samples.flood(), "text", PLAIN).endswith(
        "The full report is in reports/crosscheck.json (.md), or use --verbose.\n"
    )


@pytest.mark.parametrize("sample", ["everything", "hostile", "flood"])
@pytest.mark.parametrize("width", [40, 80, 120])
def test_no_line_is_wider_than_the_terminal(sample: str, width: int) -> None:
    """Everything wraps; piped text has no trailing blanks."""
    document = getattr(samples, sample)()
    for line in render(document, "text", replace(PLAIN, width=width, verbose=True)).splitlines():
        assert cell_len(line) <= width
        assert line == line.rstrip()


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
