"""Claims about crosscheck.statistics.kappa: kappa against scikit-learn, the literature and bad input."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence

import numpy as np
import pytest

from crosscheck.errors import ArgumentError
from crosscheck.statistics.kappa import Weights, agreement, cohen_kappa, confusion, reading
from tests.statistics.inputs import qrels

WEIGHTS: tuple[Weights, ...] = ("none", "linear", "quadratic")

#: Two dermatologists and 88 patients, terrible to clear: SAS/STAT User's Guide, PROC FREQ, agreement study.
SKIN = ((10, 4, 1, 0), (5, 10, 12, 2), (2, 4, 12, 5), (0, 2, 6, 13))


def lists(table: Sequence[Sequence[int]]) -> tuple[list[int], list[int]]:
    """Two lists of levels with the given confusion matrix."""
    pairs = [(i, j) for i, row in enumerate(table) for j, count in enumerate(row) for _ in range(count)]
    return [i for i, _ in pairs], [j for _, j in pairs]


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("highest", [1, 2, 4])
def test_agrees_with_scikit_learn_on_random_data(weights: Weights, highest: int) -> None:
    """All three kappas equal scikit-learn's to 1e-12, for two to five levels."""
    metrics = pytest.importorskip("sklearn.metrics", reason="scikit-learn is not installed")
    for seed in range(20):
        random = np.random.default_rng(seed)
        first = random.integers(0, highest + 1, 60)
        second = np.where(random.random(60) < 0.6, first, random.integers(0, highest + 1, 60))
        expected = metrics.cohen_kappa_score(first, second, weights=None if weights == "none" else weights)
        found = cohen_kappa(first.tolist(), second.tolist(), weights=weights)
        assert found.value is not None
        assert math.isclose(found.value, expected, abs_tol=1e-12)


def test_distances_are_places_on_the_scale_as_in_scikit_learn() -> None:
    """Levels 0, 1, 4 are one place apart each, unless the scale says that there are more in between."""
    metrics = pytest.importorskip("sklearn.metrics", reason="scikit-learn is not installed")
    first, second = [0, 1, 4, 4, 0, 1, 4], [0, 4, 1, 4, 0, 1, 0]
    scale = [0, 1, 2, 3, 4]
    without = cohen_kappa(first, second, weights="linear").value
    within = cohen_kappa(first, second, weights="linear", levels=scale).value
    assert without == pytest.approx(metrics.cohen_kappa_score(first, second, weights="linear"), abs=1e-12)
    assert within == pytest.approx(
        metrics.cohen_kappa_score(first, second, weights="linear", labels=scale), abs=1e-12
    )
    assert without != within


def test_unweighted_kappa_of_the_literature() -> None:
    """Manning, Raghavan and Schütze, Introduction to Information Retrieval (2008), table 8.2: 300 documents
    relevant to both judges, 70 to neither, 20 and 10 disputed: P(A) = 0.925, P(E) = 0.665, kappa = 0.776."""
    found = cohen_kappa(*lists(((300, 20), (10, 70))))
    assert found.value is not None
    assert (found.observed, found.expected) == (0.925, 0.665)
    assert f"{found.value:.3f}" == "0.776"
    assert found.documents == 400


def test_linear_kappa_of_the_literature() -> None:
    """The dermatologists of the SAS guide: simple kappa 0.3449, weighted (linear) kappa 0.5082."""
    simple, weighted = cohen_kappa(*lists(SKIN)), cohen_kappa(*lists(SKIN), weights="linear")
    assert f"{simple.value:.4f}" == "0.3449"
    assert f"{weighted.value:.4f}" == "0.5082"


def test_quadratic_kappa_is_the_intraclass_form() -> None:
    """Fleiss and Cohen (Educ. Psychol. Meas. 33, 1973): with quadratic weights kappa is 1 minus the mean
    square of the differences over what it would be for independent assessors."""
    first, second = lists(SKIN)
    n = len(first)
    between = sum((x - y) ** 2 for x, y in zip(first, second, strict=True)) / n
    by_chance = sum((x - y) ** 2 for x in first for y in second) / n**2
    found = cohen_kappa(first, second, weights="quadratic")
    assert found.value == pytest.approx(1 - between / by_chance, abs=1e-14)


def test_kappa_follows_from_its_own_agreement_and_chance() -> None:
    """(P(A) - P(E)) / (1 - P(E)) of the record gives the value of the record, under any weights."""
    for weights in WEIGHTS:
        found = cohen_kappa(*lists(SKIN), weights=weights)
        assert found.observed is not None
        assert found.expected is not None
        assert found.value == pytest.approx(
            (found.observed - found.expected) / (1 - found.expected), abs=1e-14
        )


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (1.0, "total agreement"),
        (0.9, "almost perfect agreement"),
        (0.8, "substantial agreement"),
        (0.5, "moderate agreement"),
        (0.4, "fair agreement"),
        (0.1, "slight agreement"),
        (0.0, "no better than chance"),
        (-0.2, "worse than chance"),
    ],
)
def test_reading(value: float, words: str) -> None:
    """1 is total agreement, 0 is chance, below 0 is worse, and the bands lie in between."""
    assert reading(value) == words


def test_total_agreement_chance_and_worse_than_chance() -> None:
    """The three landmarks come out exactly: 1, 0 and below 0."""
    assert cohen_kappa([0, 1, 0, 1], [0, 1, 0, 1]).value == 1.0
    assert cohen_kappa([0, 0, 1, 1], [0, 1, 0, 1]).value == 0.0
    assert cohen_kappa([0, 1], [1, 0]).value == -1.0


def test_a_single_level_throughout_has_no_kappa_but_a_reason() -> None:
    """Everything judged the same by both: 0/0 is None with a sentence, and nothing warns."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for weights in WEIGHTS:
            found = cohen_kappa([1, 1, 1], [1, 1, 1], weights=weights)
            assert found.value is None
            assert found.reading == ""
            assert found.note is not None
            assert "same level" in found.note


def test_no_documents_have_no_kappa_but_a_reason() -> None:
    """Empty lists: None and a sentence."""
    found = cohen_kappa([], [])
    assert (found.value, found.documents) == (None, 0)
    assert found.note == "No document was judged by both assessors."


def test_lists_of_different_length_are_refused() -> None:
    """One assessor short of a judgement is an error, as are levels off the scale and unknown weights."""
    with pytest.raises(ArgumentError, match="2 judgements and the second 1"):
        cohen_kappa([0, 1], [0])
    with pytest.raises(ArgumentError, match="level 3"):
        confusion([3], [0], [0, 1])
    with pytest.raises(ArgumentError, match="cubic"):
        cohen_kappa([0], [0], weights="cubic")  # type: ignore[arg-type]


def test_confusion_rows_are_the_first_assessor() -> None:
    """One row per level of the first, one column per level of the second."""
    assert confusion([0, 0, 1, 2], [0, 1, 1, 0], [0, 1, 2]) == ((1, 1, 0), (0, 1, 0), (1, 0, 0))


FIRST = qrels(
    {"1": {"a": 1, "b": 0, "c": 2, "d": 0, "e": 1}, "2": {"a": 0, "b": 0}, "3": {"x": 1}}, "first.txt"
)
SECOND = qrels({"1": {"a": 1, "b": 1, "c": 2, "d": 0, "f": 0}, "2": {"a": 0, "b": 0}}, "second.txt")


def test_documents_judged_by_one_only_are_counted_and_left_out() -> None:
    """Kappa is over the shared documents; the others are in the counts and in a sentence."""
    found = agreement(FIRST, SECOND)
    total = found.total
    assert (total.documents, total.only_first, total.only_second) == (6, 2, 1)
    assert found.levels == [0, 1, 2]
    assert found.confusion == [[3, 1, 0], [0, 1, 0], [0, 0, 1]]
    expected = cohen_kappa([1, 0, 2, 0, 0, 0], [1, 1, 2, 0, 0, 0])
    assert total.unweighted == expected
    assert "Judged only in 'first.txt', and left out: documents 2, whole topics 1." in found.notes
    assert "Judged only in 'second.txt', and left out: documents 1, whole topics 0." in found.notes


def test_topics_are_reported_one_by_one() -> None:
    """Each topic of either side has its own record; one side's topics are listed."""
    found = agreement(FIRST, SECOND)
    assert [topic.topic for topic in found.topics] == ["1", "2", "3"]
    assert found.topics[0].unweighted == cohen_kappa([1, 0, 2, 0], [1, 1, 2, 0])
    assert found.topics[1].unweighted.value is None
    assert found.topics[2].documents == 0
    assert (found.topics_first, found.topics_second) == (["3"], [])
    assert any("1 of 2 topics" in note for note in found.notes)


def test_overlap_is_shared_relevant_over_all_relevant() -> None:
    """Topic 1: a and c relevant to both, b to one: 2/3; topic 2 has nothing relevant and no overlap."""
    found = agreement(FIRST, SECOND)
    assert found.topics[0].overlap == 2 / 3
    assert found.topics[1].overlap is None
    assert agreement(FIRST, SECOND, relevance_level=2).total.overlap == 1.0


def test_weighted_kappas_of_topics_use_the_scale_of_all_topics() -> None:
    """A topic without level 1 still has it between 0 and 2."""
    one = qrels({"1": {"a": 0, "b": 2, "c": 2}, "2": {"a": 1}})
    two = qrels({"1": {"a": 0, "b": 0, "c": 2}, "2": {"a": 1}})
    found = agreement(one, two).topics[0]
    assert found.linear == cohen_kappa([0, 2, 2], [0, 0, 2], weights="linear", levels=[0, 1, 2])


def test_negative_levels_are_no_judgements() -> None:
    """A pooled but unjudged document counts on neither side, and a sentence says how many there are."""
    found = agreement(qrels({"1": {"a": 1, "b": -1}}, "x"), qrels({"1": {"a": 1, "b": 0}}, "y"))
    assert (found.total.documents, found.total.only_second) == (1, 1)
    assert "'x' holds negative levels (1): they count as not judged." in found.notes


def test_one_assessor_is_recognised() -> None:
    """The same judgements twice, or judgements on one side only, are said to be one assessor."""
    again = agreement(FIRST, FIRST)
    assert again.total.unweighted.value == 1.0
    assert any("one assessor twice" in note for note in again.notes)
    alone = agreement(FIRST, qrels({"1": {"a": -1}}, "empty"))
    assert alone.total.unweighted.value is None
    assert "'empty' holds no judgements: kappa needs two assessors." in alone.notes


def test_no_shared_document_is_a_sentence() -> None:
    """Two assessors of different documents agree on nothing that could be measured."""
    found = agreement(qrels({"1": {"a": 1}}), qrels({"1": {"b": 1}}))
    assert (found.total.unweighted.value, found.total.overlap) == (None, None)
    assert "No document was judged by both assessors." in found.notes
