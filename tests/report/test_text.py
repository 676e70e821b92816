"""The terminal report."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from rich.cells import cell_len

from crosscheck.report import RenderOptions, render
from tests.report import samples

PLAIN = RenderOptions(written=("reports/crosscheck.json", "reports/crosscheck.md"))


def _words(text: str) -> str:
    """The text on one line, so that a sentence is found wherever it was wrapped."""
    return " ".join(text.split())


def test_it_tells_what_was_compared_with_what() -> None:
    """Cases, runs, the reference, the candidates with their engines, and what is not here."""
    text = _words(render(samples.everything(), "text", PLAIN))
    assert "2 cases, 2 runs, 11 measures, 52 query rankings" in text
    assert "reference pytrec_eval 0.5.11: trec_eval 9.0.8 (C), through pytrec_eval-terrier 0.5.11" in text
    assert "candidate hf-evaluate 0.4.6: trectools 0.0.50, through evaluate 0.4.6" in text
    assert "not available trec_eval: no program named trec_eval on PATH; build it from" in text


def test_candidates_without_a_record_are_named_too() -> None:
    """Saved values are a candidate although no backend computed them here."""
    one = samples.agreement(candidate="published")
    text = render(samples.document([one]), "text", PLAIN)
    assert "numbers that came with the cases: published" in text
    assert "✓  published" in text


def test_many_saved_numbers_are_counted_together() -> None:
    """A dozen recorded files do not flood the table of candidates, unless everything is asked for."""
    many = samples.document([samples.agreement(candidate=f"recorded:{i}.json") for i in range(12)])
    assert "✓  saved numbers (12)        12     12" in render(many, "text", PLAIN)
    assert "✓  recorded:11.json         1      1" in render(many, "text", replace(PLAIN, verbose=True))


def test_every_reference_is_called_one() -> None:
    """A backend that is the reference of one case only is not listed as a candidate."""
    one = samples.agreement(reference="native")
    text = _words(render(samples.document([one]), "text", PLAIN))
    assert "reference pytrec_eval 0.5.11" in text
    assert "reference native 0.1.0" in text


def test_it_counts_what_agrees_per_candidate() -> None:
    """One row per candidate, with only the columns that hold anything."""
    text = _words(render(samples.everything(), "text", PLAIN))
    assert "candidate compared agree known UNEXPECTED STALE ERROR unsupported" in text
    assert "✓ native 4 4 0 0 0 0 0 ✗ hf-evaluate 11 1 2 4 1 1 2" in text
    good = _words(render(samples.document([samples.agreement()]), "text", PLAIN))
    assert "candidate compared agree UNEXPECTED ✓ hf-evaluate 1 1 0" in good


def test_an_undeclared_mismatch_is_told_in_full() -> None:
    """Means, delta, cause, evidence, convention, alternative, queries and the documents that swap."""
    text = render(samples.document([samples.comparison()]), "text", PLAIN)
    flat = _words(text)
    assert "✗ UNEXPECTED hf-evaluate against pytrec_eval: tie-breaking" in flat
    assert "P@10 0.2580 0.2600 +0.0020 1 of 50" in flat
    assert "cause tie-breaking: ties are ordered by the rank column instead of by docno" in flat
    assert "evidence proved: these conventions reproduce 50 of 50 queries" in flat
    assert "convention ties=rank-column" in flat
    assert "or what fits this data just as well: rank-order: order=rank-column (documents are ranked" in flat
    assert "Queries that differ most in P@10, s2-tied-scores / run.txt" in flat
    assert "14 0.2000 0.3000 +0.1000 tie-breaking" in flat
    assert "FBIS3-10082 11.25 1 11 → 10" in flat
    assert "FT911-2048 11.25 not judged 9 → 12" in flat


def test_what_is_consistent_says_how_much_it_is() -> None:
    """Cause and evidence of a mean alone and of two queries; their conventions are no part of something."""
    text = render(samples.document([samples.mean_only(), samples.two_queries()]), "text", PLAIN)
    flat = _words(text)
    assert "7 of 212 sets of conventions give this mean, or it is another run." in flat
    assert (
        "evidence consistent, not proved: these conventions reproduce the mean, the only number there is; "
        "another reason is not excluded convention ties=rank-column" in flat
    )
    assert "Only means were compared." in flat
    assert "only 2 queries differ." in flat
    assert (
        "evidence consistent, not proved: these conventions reproduce 50 of 50 queries; "
        "2 of 96 sets of conventions do convention ties=rank-column" in flat
    )
    assert "0 of 0" not in flat


def test_a_known_mismatch_is_short_unless_asked() -> None:
    """Candidate, cause, place and reason; everything else only in the verbose report."""
    known = samples.document([samples.comparison(expected=True, reason="trectools does that")])
    short, full = (render(known, "text", replace(PLAIN, verbose=v)) for v in (False, True))
    assert "tie-breaking 1 s2-tied-scores: trectools does that" in _words(short)
    assert "FBIS3-10082" not in short
    assert "FBIS3-10082" in full


def test_known_mismatches_fold_by_candidate_and_cause() -> None:
    """One line tells how often a cause is known, with the first case and reason and how many more."""
    known = [samples.comparison(case=f"c{i}", expected=True, reason=f"r{i % 2}") for i in range(5)]
    text = _words(render(samples.document(known), "text", PLAIN))
    assert "≈ known hf-evaluate cause times declared tie-breaking 5 c0 and 4 more cases: r0" in text


def test_stale_failed_and_unsupported_comparisons_are_named() -> None:
    """Each says what it is in a word, where it happened, and the message that came with it."""
    text = _words(render(samples.everything(), "text", PLAIN))
    assert "! STALE hf-evaluate 1 comparison s2-tied-scores / run.txt: P@20 reason: ties at rank 20" in text
    assert "✗ ERROR hf-evaluate 1 comparison missing-queries / run.gz: nDCG KeyError: '0'" in text
    assert "– unsupported hf-evaluate: SetF, SetP" in text


def test_a_surprise_that_is_no_mismatch_is_shown() -> None:
    """An outcome that nobody expected is never left out, even where nothing differs."""
    text = _words(render(samples.document([samples.agreement(expected=False, message="odd")]), "text", PLAIN))
    assert "✗ UNEXPECTED hf-evaluate match, 1 comparison s2-tied-scores / run.txt: P@10 odd" in text


def test_queries_of_one_side_only_are_counted_and_named() -> None:
    """Nothing is lost silently: missing and unjudged queries, and notes on the input files."""
    text = _words(render(samples.everything(), "text", PLAIN))
    assert "missing-queries / run.gz: 1 query judged, but without results in the run: 2 " in text
    assert "25 queries in the run, but without judgements: 100, 101, 102" in text
    assert "109 and 15 more" in text
    assert "the qrels start with a byte order mark" in text
    assert "query ids were mapped to integers one to one (1 comparison)" in text


def test_queries_without_a_value_are_told_apart_from_zero() -> None:
    """A query that one side has no value for is not shown as 0."""
    text = _words(render(samples.everything(), "text", PLAIN))
    assert "pytrec_eval has none where the other has one: query 2" in text
    assert "2 no value 0.0000 missing-queries" in text


def test_a_difference_of_the_mean_alone_is_explained() -> None:
    """Where all queries agree, the report says that only the mean differs."""
    one = samples.comparison(cells=[], matches=50, mismatches=0)
    text = render(samples.document([one]), "text", PLAIN)
    assert "mean only" in text
    assert "No single query differs; only the mean does." in text


def test_float_noise_is_measured_in_steps() -> None:
    """A difference of a few units in the last place says so; a large one does not."""
    noise = samples.comparison(max_ulp=2)
    assert "2 ULP" in render(samples.document([noise]), "text", PLAIN)
    assert "ULP" not in render(samples.document([samples.comparison()]), "text", PLAIN)


def test_the_same_story_is_told_once() -> None:
    """Ninety comparisons with one cause fold into one block that says what it leaves out."""
    text = render(samples.flood(), "text", PLAIN)
    assert text.count("✗ UNEXPECTED") == 1
    assert "82 more comparisons in the JSON report" in text
    assert "and 24 more: P@5, P@10, nDCG@10" in _words(text)
    assert "3,595 more query values in the JSON report" in text
    assert len(text.splitlines()) < 70


def test_without_a_json_report_it_says_how_to_get_one() -> None:
    """What is left out can always be found: the report names the option that writes it."""
    text = render(samples.flood(), "text", RenderOptions())
    assert "82 more comparisons: --report json has them all" in text
    assert "in the JSON report" not in text


def test_the_verdict_ends_the_report() -> None:
    """The result, the command that explains the cause, and where the full report is."""
    text = _words(render(samples.everything(), "text", PLAIN))
    verdict = text[text.index(" Verdict ") :]
    assert "✗ Not as expected: 4 comparisons differ without being declared" in verdict
    assert "crosscheck explain tie-breaking" in verdict
    assert text.endswith("The full report is in reports/crosscheck.json (also reports/crosscheck.md).")


def test_no_story_is_dropped_silently() -> None:
    """Beyond twenty different stories the rest is counted; verbose tells them all."""
    many = [samples.comparison(candidate=f"python:m{i}", message=f"m{i}") for i in range(23)]
    short = render(samples.document(many), "text", PLAIN)
    assert short.count("✗ UNEXPECTED") == 20
    assert "3 more differences in the JSON report" in short
    assert render(samples.document(many), "text", replace(PLAIN, verbose=True)).count("✗ UNEXPECTED") == 23


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
    text = render(samples.document([one]), "text", PLAIN)
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
    assert ("x UNEXPECTED" in text) == (encoding != "utf-8")
    assert ("\\u6587\\u66f8" in text) == (encoding != "utf-8")
