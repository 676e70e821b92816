"""Claims about crosscheck.studies.agreement: two assessors, and what is left out."""

from __future__ import annotations

from pathlib import Path

import pytest

from crosscheck.errors import UsageError
from crosscheck.report import render
from crosscheck.studies import compare_qrels

#: Manning, Raghavan and Schütze, Introduction to Information Retrieval, table 8.2: kappa 0.776.
IIR = [(1, 1)] * 300 + [(1, 0)] * 20 + [(0, 1)] * 10 + [(0, 0)] * 70


def judged(levels: list[int]) -> dict[str, dict[str, int]]:
    return {"1": {f"d{i:03}": level for i, level in enumerate(levels)}}


def test_the_textbook_example_comes_out() -> None:
    """400 documents of the textbook: kappa 0.776, substantial, with the confusion matrix as printed."""
    document = compare_qrels(judged([a for a, _ in IIR]), judged([b for _, b in IIR]))
    assert document.total.unweighted.value == pytest.approx(0.776, abs=5e-4)
    assert document.confusion == [[70, 10], [20, 300]]
    assert "370 got the same level. Cohen's kappa is 0.7761: substantial agreement." in document.summary
    assert document.total.overlap == pytest.approx(300 / 330)


def test_what_one_assessor_alone_judged_is_counted_and_left_out() -> None:
    """Documents and topics of one side enter no number and are told."""
    first = {"1": {"a": 1, "b": 0, "c": 1}, "2": {"x": 1}}
    second = {"1": {"a": 1, "b": 0}}
    document = compare_qrels(first, second)
    assert (document.total.documents, document.total.only_first) == (2, 2)
    assert document.topics_first == ["2"]
    text = " ".join(render(document, "text").split())
    assert "2 documents judged by one alone are left out." in text
    assert "No kappa: no document judged by both (1 topic)." in text


@pytest.mark.parametrize(
    ("first", "second", "sentence"),
    [
        ([1, 1], [1, 1], "Cohen's kappa is undefined: Both assessors gave all 2 documents the same level"),
        ([0, 0], [0, 0], "Neither calls a document relevant, so there is no overlap."),
    ],
)
def test_an_undefined_number_has_its_sentence(first: list[int], second: list[int], sentence: str) -> None:
    """One level throughout and nothing relevant: a reason, and no NaN anywhere."""
    document = compare_qrels(judged(first), judged(second))
    assert sentence in document.summary
    for format in ("text", "markdown", "json"):
        assert "nan" not in render(document, format).lower()


def test_one_assessor_is_no_comparison(tmp_path: Path) -> None:
    """One file twice is refused; two inputs without a common document say that nothing was compared."""
    with pytest.raises(UsageError, match="needs the qrels of two assessors"):
        compare_qrels("qrels", "qrels")
    document = compare_qrels({"1": {"a": 1}}, {"1": {"b": 1}})
    assert document.summary == "Nothing was compared: no document was judged by both assessors."


def test_the_same_judgements_twice_raise_the_question() -> None:
    """Equal judgements from two inputs: total agreement, and the question whether it is one assessor."""
    document = compare_qrels(judged([0, 1, 2]), judged([0, 1, 2]))
    assert "total agreement" in document.summary
    assert any("is this one assessor twice?" in note for note in document.notes)
