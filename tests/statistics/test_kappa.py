"""Cohen's kappa against scikit-learn, the literature and bad input."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import pytest

from crosscheck.statistics.agreement import Kappa, Weights, confusion, kappa_of, reading

WEIGHTS: tuple[Weights, ...] = ("none", "linear", "quadratic")


def kappa(
    first: Sequence[int],
    second: Sequence[int],
    weights: Weights = "none",
    levels: Iterable[int] | None = None,
) -> Kappa:
    """Cohen's kappa of two assessors, on the levels that occur unless a scale is given."""
    scale = sorted({*first, *second} if levels is None else levels)
    return kappa_of(confusion(first, second, scale), weights)


@pytest.mark.parametrize("weights", WEIGHTS)
def test_agrees_with_scikit_learn(weights):
    """For two to five levels, also where levels are missing: distances are places on the scale, and
    (P(A) - P(E)) / (1 - P(E)) of the record gives its value."""
    metrics = pytest.importorskip("sklearn.metrics", reason="scikit-learn is not installed")
    theirs = None if weights == "none" else weights
    for seed in range(40):
        random, scale = np.random.default_rng(seed), [0, 1, 4, 5, 7][: 2 + seed % 4]
        first = random.choice(scale, 60)
        second = np.where(random.random(60) < 0.6, first, random.choice(scale, 60))
        for levels in (None, range(8)):
            found = kappa(first.tolist(), second.tolist(), weights=weights, levels=levels)
            labels = None if levels is None else list(levels)
            expected = metrics.cohen_kappa_score(first, second, weights=theirs, labels=labels)
            assert found.value == pytest.approx(expected, abs=1e-12)
            assert found.observed is not None
            assert found.expected is not None
            ratio = (found.observed - found.expected) / (1 - found.expected)
            assert ratio == pytest.approx(found.value, abs=1e-12)


@pytest.mark.parametrize(
    ("first", "second", "value", "words"),
    [
        ([0, 1, 0, 1], [0, 1, 0, 1], 1.0, "total agreement"),
        ([0, 0, 1, 1], [0, 1, 0, 1], 0.0, "no better than chance"),
        ([0, 1], [1, 0], -1.0, "worse than chance"),
    ],
)
def test_landmarks_are_exact(first, second, value, words):
    """1, 0 and below 0, with their words."""
    found = kappa(first, second)
    assert (found.value, found.reading, found.note) == (value, words, None)


def test_bands_of_the_reading():
    """Those of Landis and Koch, each with its upper end."""
    names = ("slight", "fair", "moderate", "substantial", "almost perfect")
    for name, low, high in zip(
        names, (0.01, 0.21, 0.41, 0.61, 0.81), (0.2, 0.4, 0.6, 0.8, 0.99), strict=True
    ):
        assert reading(low) == reading(high) == f"{name} agreement"


@pytest.mark.parametrize("weights", WEIGHTS)
def test_what_has_no_kappa_has_a_reason(weights):
    """Everything judged the same by both would be 0/0; and there may be no documents."""
    same, none = kappa([1, 1, 1], [1, 1, 1], weights=weights), kappa([], [], weights=weights)
    assert (same.value, same.reading, same.documents) == (None, "", 3)
    assert same.note == "Both assessors gave all 3 documents the same level, so kappa is undefined."
    assert (none.value, none.documents, none.note) == (None, 0, "No document was judged by both assessors.")
