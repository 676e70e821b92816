"""Claims about crosscheck.studies.agreement: two assessors, and what is left out."""

import pytest

from crosscheck.formats.dicts import qrels_from_dict as qrels
from crosscheck.report import render
from crosscheck.studies.agreement import agreement
from tests.statistics.test_agreement import kappa

#: Manning, Raghavan and Schütze, Introduction to Information Retrieval, table 8.2: kappa 0.776.
IIR = [(1, 1)] * 300 + [(1, 0)] * 20 + [(0, 1)] * 10 + [(0, 0)] * 70


def judged(levels: list[int]) -> dict[str, dict[str, int]]:
    return {"1": {f"d{i:03}": level for i, level in enumerate(levels)}}


def test_the_textbook_example_comes_out():
    """400 documents of the textbook: kappa 0.776, substantial, with the confusion matrix as printed."""
    document = agreement(judged([a for a, _ in IIR]), judged([b for _, b in IIR]))
    assert document.total.unweighted.value == pytest.approx(0.776, abs=5e-4)
    assert document.confusion == [[70, 10], [20, 300]]
    assert (
        "gave 370 of them the same level. Cohen's kappa is 0.7761: substantial agreement." in document.summary
    )
    assert document.total.overlap == pytest.approx(300 / 330)


@pytest.mark.parametrize(
    ("first", "second", "sentences"),
    [
        ({"1": {"a": 1, "b": 1}}, {"1": {"a": 1, "b": 1}},
         ["Cohen's kappa is undefined: Both assessors gave all 2 documents the same level",
          "Both sides hold the same judgements: is this one assessor twice?"]),
        ({"1": {"a": 0, "b": 0}}, {"1": {"a": 0, "b": 0}},
         ["Neither calls a document relevant, so there is no overlap."]),
        ({"1": {"a": 1}}, {"1": {"b": 1}},
         ["Nothing was compared: no document was judged by both assessors.",
          "No document was judged by both assessors."]),
        ({"1": {"a": 1}}, {"1": {"a": -1}}, ["holds no judgements: kappa needs two assessors."]),
    ],
)  # fmt: skip
def test_an_undefined_number_has_its_sentence(first, second, sentences):
    """One level throughout, nothing relevant, nothing in common: a reason, and no NaN anywhere."""
    document = agreement(first, second)
    said = " ".join([document.summary, *document.notes])
    assert [sentence for sentence in sentences if sentence not in said] == []
    assert document.total.unweighted.value is None
    for format in ("text", "markdown", "json"):
        assert "nan" not in render(document, format).lower()


FIRST = qrels(
    {"1": {"a": 1, "b": 0, "c": 2, "d": 0, "e": 1}, "2": {"a": 0, "b": 0}, "3": {"x": 1}}, "first.txt"
)
SECOND = qrels({"1": {"a": 1, "b": 1, "c": 2, "d": 0, "f": 0}, "2": {"a": 0, "b": 0}}, "second.txt")


def test_documents_judged_by_one_only_are_counted_and_left_out():
    """Kappa is over the shared documents; the others are in the counts and in a sentence."""
    found = agreement(FIRST, SECOND)
    total = found.total
    assert (total.documents, total.only_first, total.only_second) == (6, 2, 1)
    assert found.levels == [0, 1, 2]
    assert found.confusion == [[3, 1, 0], [0, 1, 0], [0, 0, 1]]
    expected = kappa([1, 0, 2, 0, 0, 0], [1, 1, 2, 0, 0, 0])
    assert total.unweighted == expected
    assert "Only 'first.txt' judges 2 documents, among them 1 whole topic: left out." in found.notes
    assert "Only 'second.txt' judges 1 document: left out." in found.notes


def test_negative_levels_are_no_judgements():
    """A pooled but unjudged document counts on neither side, and a sentence says how many there are."""
    found = agreement(qrels({"1": {"a": 1, "b": -1}}, "x"), qrels({"1": {"a": 1, "b": 0}}, "y"))
    assert (found.total.documents, found.total.only_second) == (1, 1)
    assert "'x' holds negative levels (1): they count as not judged." in found.notes
