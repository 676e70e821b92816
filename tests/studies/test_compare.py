"""Claims about crosscheck.studies.compare: systems, tests and letters."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec import to_builtins

from crosscheck.errors import InputError, UsageError
from crosscheck.report import render
from crosscheck.studies.compare import compare
from tests.studies.examples import nothing_changes, ranked, ties_make_significance_vanish

pytest.importorskip("scipy.stats", reason="scipy is not installed")


def numbers(value: Any) -> Iterator[float]:
    """Every float inside a record."""
    if isinstance(value, float):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from numbers(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from numbers(item)


def test_a_significantly_better_system_carries_the_letter_of_the_other() -> None:
    """The mean of the winner is followed by the loser's letter, in the table and in the record."""
    qrels, runs = ties_make_significance_vanish()
    document = compare(qrels, runs, measures=["RR"])
    scores = {score.run: score for score in document.measures[0].systems}
    assert scores["tied"].better_than == ["plain"]
    assert scores["plain"].better_than == []
    text = render(document, "text")
    assert "b  tied   1.0000 a" in text
    assert "'tied' is significantly better than 'plain' on RR." in " ".join(text.split())
    assert "| `tied` | 1.0000 a |" in render(document, "markdown")


def test_all_four_tests_are_there_with_assumption_and_correction() -> None:
    """Each pair has sign, Wilcoxon, t and randomisation test, each with what it assumes and Holm's p."""
    qrels, runs = ties_make_significance_vanish()
    runs["third"] = {q: ranked("n", "m", "o", "z") for q in qrels}
    (measure,) = compare(qrels, runs, measures=["RR"]).measures
    assert [(p.a, p.b) for p in measure.pairs] == [("plain", "tied"), ("plain", "third"), ("tied", "third")]
    for pair in measure.pairs:
        assert [test.name for test in pair.tests] == ["sign", "wilcoxon", "t", "randomisation"]
        for test in pair.tests:
            assert test.assumption
            assert test.method
            if test.p is not None:
                assert test.p_holm is not None
                assert test.p <= test.p_holm <= 1


def test_a_baseline_is_compared_with_every_other_run() -> None:
    """With a baseline, only its pairs are made and corrected for."""
    qrels, runs = ties_make_significance_vanish()
    runs["third"] = {q: ranked("n", "z") for q in qrels}
    document = compare(qrels, runs, measures=["RR"], baseline="tied")
    assert [(p.a, p.b) for p in document.measures[0].pairs] == [("tied", "plain"), ("tied", "third")]


@pytest.mark.parametrize(
    ("runs", "note"),
    [
        ({name: {"1": ranked("d0", "d1"), "2": ranked("d2")} for name in "ab"},
         "The two systems have the same value on all 2 queries: nothing to test."),
        ({"a": {"1": ranked("d0", "d1")}, "b": {"1": ranked("d1", "d0")}},
         "There is one query only, and a test needs at least two."),
        ({"a": {"1": ranked("d0")}, "b": {"2": ranked("d2")}}, "The two systems have no query in common."),
        ({"a": {q: ranked("d1") for q in "12345"}, "b": {q: ranked("d1") for q in "123"}},
         "2 queries only in 'a' left out: there is nothing to pair."),
    ],
)  # fmt: skip
def test_what_cannot_be_tested_has_a_sentence_and_no_nan(runs: dict[str, Any], note: str) -> None:
    """Identical runs, one query, unpaired queries: a note each, null instead of NaN, dashes in the table."""
    qrels = nothing_changes()[0]
    document = compare(qrels, runs, measures=["P@2"])
    (measure,) = document.measures
    assert note in measure.notes
    assert not any(math.isnan(value) for value in numbers(to_builtins(document)))
    for format in ("text", "markdown", "json"):
        assert "nan" not in render(document, format).lower()
    if measure.pairs[0].significant is None:
        assert "o pair could be tested" in document.summary


def test_deciding_test_and_level_are_choices() -> None:
    """The sign test at another level decides what is called significant."""
    qrels, runs = ties_make_significance_vanish()
    strict = compare(qrels, runs, measures=["RR"], test="sign", alpha=0.0001)
    assert strict.measures[0].pairs[0].significant is False
    assert "sign test" in strict.summary
    assert compare(qrels, runs, measures=["RR"], test="sign").measures[0].pairs[0].significant is True


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"baseline": "nobody"}, "there is no run 'nobody'"),
        ({"test": "anova"}, "there is no test 'anova'"),
        ({"alpha": 0.0}, "between 0 and 1"),
        ({"confidence": 95}, "between 0 and 1"),
        ({"backend": "nobody"}, "there is no backend"),
        ({"runs": ["/absent/a", "/absent/b"]}, "there is no such file"),
    ],
)
def test_calls_that_make_no_sense_are_refused(change: dict[str, Any], message: str) -> None:
    """Each is one sentence that names what is wrong."""
    qrels, runs = nothing_changes()
    with pytest.raises((UsageError, InputError), match=message):
        compare(qrels, **({"runs": runs, "measures": ["P@2"]} | change))


def test_runs_of_one_file_name_keep_apart(tmp_path: Path) -> None:
    """Two files of the same name in different folders are called by their paths."""
    for folder in ("x", "y"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "run").write_text("1 Q0 d0 1 1.0 t\n2 Q0 d1 1 1.0 t\n")
    paths = [str(tmp_path / "x" / "run"), str(tmp_path / "y" / "run")]
    assert compare(nothing_changes()[0], paths, measures=["P@1"]).runs == paths
