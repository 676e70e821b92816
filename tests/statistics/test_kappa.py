"""Claims about crosscheck.statistics.kappa: kappa against scikit-learn, the literature and bad input."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence

import numpy as np
import pytest

from crosscheck.errors import ArgumentError
from crosscheck.statistics.kappa import Weights, cohen_kappa, confusion, reading

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
