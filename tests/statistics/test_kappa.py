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


def test_words_for_a_kappa():
    """1, 0 and below 0, which a kappa is exactly; the bands of Landis and Koch, each with both ends."""
    assert kappa([0, 1, 0, 1], [0, 1, 0, 1]).reading == reading(1.0) == "total agreement"
    assert kappa([0, 0, 1, 1], [0, 1, 0, 1]).reading == reading(0.0) == "no better than chance"
    assert kappa([0, 1], [1, 0]).reading == reading(-0.001) == "worse than chance"
    names = ("slight", "fair", "moderate", "substantial", "almost perfect")
    bands = [(0.001, 0.2), (0.201, 0.4), (0.401, 0.6), (0.601, 0.8), (0.801, 0.999)]
    for name, ends in zip(names, bands, strict=True):
        assert set(map(reading, ends)) == {f"{name} agreement"}


@pytest.mark.parametrize("weights", WEIGHTS)
def test_what_has_no_kappa_has_a_reason(weights):
    """Everything judged the same by both would be 0/0; and there may be no documents."""
    same, none = kappa([1, 1, 1], [1, 1, 1], weights=weights), kappa([], [], weights=weights)
    assert (same.value, same.reading, same.documents) == (None, "", 3)
    assert same.note == "Both assessors gave all 3 documents the same level, so kappa is undefined."
    assert (none.value, none.documents, none.note) == (None, 0, "No document was judged by both assessors.")
