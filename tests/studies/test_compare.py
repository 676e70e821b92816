"""Claims about crosscheck.studies.compare: systems and tests."""

import pytest

from crosscheck.report import render
from crosscheck.report.json_report import load
from crosscheck.report.kinds import page_of
from crosscheck.report.page import Chart, walk
from crosscheck.studies.compare import compare, letter
from tests.studies.examples import nothing_changes, ranked, ties_make_significance_vanish

pytest.importorskip("scipy.stats", reason="scipy is not installed")


def test_each_of_many_systems_has_a_letter():
    """That of a system stands after the means that are significantly better, as snapshots show."""
    assert [letter(place) for place in (0, 25, 26, 51, 52, 702)] == ["a", "z", "aa", "az", "ba", "aaa"]


def test_all_pairs_or_those_of_a_baseline_have_all_four_tests():
    """Each pair has sign, Wilcoxon, t and randomisation test, each with what it assumes and Holm's p."""
    qrels, runs = ties_make_significance_vanish()
    runs["third"] = {q: ranked("n", "m", "o", "z") for q in qrels}
    for baseline, expected in (
        (None, [("plain", "tied"), ("plain", "third"), ("tied", "third")]),
        ("tied", [("tied", "plain"), ("tied", "third")]),
    ):
        (measure,) = compare(qrels, runs, measures=["RR"], baseline=baseline).measures
        assert [(pair.a, pair.b) for pair in measure.pairs] == expected
        for pair in measure.pairs:
            assert [test.name for test in pair.tests] == ["sign", "wilcoxon", "t", "randomisation"]
            for test in pair.tests:
                assert (bool(test.assumption), bool(test.method)) == (True, True)
                assert test.p is None or test.p <= (test.p_holm or 0.0) <= 1


def test_a_mean_that_is_nan_is_read_back():
    """And has no place in the drawing."""
    runs = {"one": {"1": {"a": 1.0}}, "other": {"1": {"b": 1.0}}}
    document = compare({"1": {"a": 0}}, runs, measures=["RR"], backend="native:no_relevant=nan")
    assert [system.mean for system in document.measures[0].systems] == ["NaN", "NaN"]
    assert load(document.to_json()) == document
    assert not any(block.marks for block in walk(page_of(document).blocks) if isinstance(block, Chart))


@pytest.mark.parametrize("baseline", ["plain", "tied"])
def test_the_whiskers_of_a_mean_are_around_it(baseline):
    """The interval of a difference is drawn on the side of the run, whichever of the pair it is."""
    qrels, runs = ties_make_significance_vanish()
    document = compare(qrels, runs, measures=["RR"], baseline=baseline)
    (chart,) = [block for block in walk(page_of(document).blocks) if isinstance(block, Chart)]
    low, mean, high = next((m.low, m.candidate, m.high) for m in chart.marks if m.low is not None)
    assert low is not None
    assert high is not None
    assert low < mean < high
    (pair,) = document.measures[0].pairs
    assert pair.interval is not None
    assert high - low == pytest.approx(pair.interval[1] - pair.interval[0])


@pytest.mark.parametrize(
    ("runs", "note"),
    [
        ({name: {"1": ranked("d0", "d1"), "2": ranked("d2")} for name in "abc"},
         ("'a' and 'b'; 'a' and 'c'; 'b' and 'c': The two systems have the same value on all 2 "
         "queries, so there is no test.")),
        ({name: {"1": ranked("d0", "d1"), "2": ranked("d2")} for name in "abcd"},
         ("'a' and 'b'; 'a' and 'c'; 'a' and 'd'; 3 more pairs: The two systems have the same value on all 2 "
         "queries, so there is no test.")),
        ({"a": {"1": ranked("d0")}, "b": {"2": ranked("d2")}}, "The two systems have no query in common."),
        ({"a": {q: ranked("d1") for q in "12345"}, "b": {q: ranked("d1") for q in "123"}},
         "2 queries left out that only 'a' has."),
    ],
)  # fmt: skip
def test_what_cannot_be_tested_has_a_sentence_and_no_nan(runs, note):
    """Identical runs, nothing or a part in common: a note each, null instead of NaN, dashes in the table."""
    document = compare(nothing_changes()[0], runs, measures=["P@2"])
    (measure,) = document.measures
    assert note in measure.notes
    for format in ("text", "markdown", "json"):
        assert "nan" not in render(document, format).lower()
    assert (measure.pairs[0].significant is None) == ("o pair could be tested" in document.summary)
