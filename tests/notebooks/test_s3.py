"""Everything that notebook S3 prints, through crosscheck.notebooks.s3, to the last bit."""

from __future__ import annotations

import doctest

import pytest

from crosscheck.notebooks import s3
from tests.notebooks import shape
from tests.targets import s3 as written

NINE = [3, 2, 1, 1, 3, 1, 1, 2, 1]


def test_printed_numbers() -> None:
    """Under the notebook's names and without any option."""
    assert s3.average_precision([1, 1, 0, 0, 0, 0, 0, 0, 0, 0], 5) == 0.4
    assert s3.average_precision([0, 1, 0, 0, 1, 0, 0, 0, 0, 1], 5) == 0.24
    assert s3.average_precision(ranked_list=[1, 1], total_relevant_doc=5) == 0.4
    assert s3.dcg(NINE, 3) == s3.dcg(ranked_list=NINE, max_relevance=3) == 11.869906908688476
    assert s3.ndcg(ranked_list=NINE, max_relevance=3) == s3.ndcg(NINE, 3) == 0.5902216528493285
    assert s3.dcg(NINE) == 11.869906908688476
    assert s3.ndcg(NINE) == s3.ndcg(NINE, max_relevance=3) == 0.5902216528493285


@pytest.mark.parametrize("name", ["average_precision", "dcg", "ndcg"])
def test_signatures_are_the_notebooks(name: str) -> None:
    """Names, order and defaults of the arguments."""
    assert shape(getattr(s3, name)) == shape(getattr(written, name))


def test_the_highest_level_is_that_of_the_scale() -> None:
    """Half of the value against an ideal list of twice the level."""
    assert s3.ndcg(NINE, max_relevance=6) == 0.5902216528493285 / 2


def test_sets() -> None:
    """Precision, recall, and F with the square of beta; 0.0 where the notebook divides by 0."""
    retrieved, relevant = {"a", "b"}, {"b", "c", "d", "e"}
    assert (s3.precision(retrieved, relevant), s3.recall(retrieved, relevant)) == (0.5, 0.25)
    assert s3.f_beta(0.5, 0.25, beta=2) == 5 * 0.125 / 2.25
    assert s3.f_beta(0, 0) == s3.average_precision([1], 0) == s3.precision([], relevant) == 0.0


def test_examples() -> None:
    """Those of the docstrings."""
    assert doctest.testmod(s3).failed == 0
