"""The study of worst, best and expected values over all orders of tied documents."""

from __future__ import annotations

from crosscheck.report import RenderOptions, render
from crosscheck.studies.ties import ties


def test_the_study_sums_up_means_and_queries() -> None:
    """Query 1 hangs on its tie, query 2 does not; the text says so."""
    qrels = {"1": {"a": 1, "b": 0}, "2": {"c": 1}}
    run = {"1": {"a": 1.0, "b": 1.0}, "2": {"c": 1.0}}
    document = ties(qrels, run, ["RR"])
    (measure,) = document.measures
    assert (measure.mean, measure.worst, measure.best, measure.expected) == (0.75, 0.75, 1.0, 0.875)
    (query,) = measure.tied
    assert (query.query, query.value, query.worst, query.best, query.expected) == ("1", 0.5, 0.5, 1.0, 0.75)
    text = " ".join(render(document, "text", RenderOptions()).split())
    assert "RR is open on most queries, 1 of 2" in text
    assert "anywhere from 0.7500 to 1.0000" in text


def test_a_measure_without_exact_forms_is_left_out_by_name() -> None:
    """infAP has no order that is known to be best, IPrec no expected value: notes and page say so, and
    the summary claims nothing of infAP."""
    qrels, run = {"1": {"a": 1, "b": 0}}, {"1": {"a": 1.0, "b": 1.0}}
    document = ties(qrels, run, ["infAP", "IPrec@0.5"])
    inferred, interpolated = document.measures
    assert (inferred.worst, inferred.best, inferred.tied) == (None, None, [])
    assert inferred.expected is not None
    assert (interpolated.worst, interpolated.best, interpolated.expected) == (0.5, 1.0, None)
    first, second = document.notes
    assert first.startswith("infAP cannot be computed under ties=best")
    assert second.startswith("IPrec@0.5 cannot be computed under ties=average")
    text = render(document, "text", RenderOptions())
    assert "infAP cannot be computed under ties=best" in " ".join(text.split())
    row = next(line for line in text.splitlines() if line.split()[:1] == ["infAP"])
    assert row.split()[1] == "–"
    alone = ties(qrels, run, ["infAP"])
    assert alone.summary == "Of no measure here are the best and the worst order of tied documents known."


def test_without_ties_nothing_is_open() -> None:
    """A run without equal scores has one value only, and the summary says that."""
    document = ties({"1": {"a": 1}}, {"1": {"a": 2.0, "b": 1.0}})
    assert not any(measure.tied for measure in document.measures)
    assert document.summary == "No value depends on the order of documents with equal scores."


def test_precision_of_scores_decides_what_is_tied() -> None:
    """Scores that only differ in double precision are tied for trec_eval 9 and not for trec_eval 10."""
    qrels, run = {"1": {"a": 1, "b": 0}}, {"1": {"a": 1.00000001, "b": 1.0}}
    nine = ties(qrels, run, ["RR"])
    ten = ties(qrels, run, ["RR"], conventions="trec_eval-10")
    assert [len(d.measures[0].tied) for d in (nine, ten)] == [1, 0]
