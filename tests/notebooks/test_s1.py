"""Everything that notebook S1 prints, through crosscheck.notebooks.s1, to the last bit."""

from __future__ import annotations

import doctest

import numpy as np
import pytest

from crosscheck import vectors
from crosscheck.errors import ArgumentError
from crosscheck.notebooks import s1
from tests.notebooks import shape
from tests.targets import s1 as written

GRADED = [4, 4, 3, 0, 0, 1, 3, 3, 3, 0]


def test_printed_numbers() -> None:
    """Under the notebook's names and without any option."""
    assert s1.precision(relevance=[0, 0, 0, 1]) == 0.25
    assert s1.precision_at_k(relevance=[0, 0, 0, 1], k=1) == 0.0
    assert s1.recall_at_k([0, 0, 0, 1], 4, 1) == 0.0
    assert s1.recall_at_k(relevance=np.array([0, 0, 0, 1]), number_relevant_documents=4, k=4) == 0.25
    assert s1.mean_average_precision(queries_relevances=np.array([[1, 0], [0, 1]])) == 0.75
    assert s1.ndcg_at_k(np.array(GRADED), 6) == 0.7424602308163405
    assert s1.average_precision(relevance=[0, 1, 0, 1, 1, 1, 1]) == 0.5961904761904762
    assert s1.dcg_at_k(relevance=GRADED, k=6) == 10.279642067948915
    assert s1.ndcg_at_k(relevance=GRADED, k=6) == 0.7424602308163405


@pytest.mark.parametrize("name", sorted({*s1.__all__} - {"precision"}))  # precision has a level, by keyword
def test_signatures_are_the_notebooks(name: str) -> None:
    """Names, order and defaults of the arguments; today's other names are further keywords."""
    assert shape(getattr(s1, name)) == shape(getattr(written, name))
    assert s1.recall_at_k([1], total_relevant=2, k=1) == 0.5  # type: ignore[call-arg]


def test_the_same_numbers_from_the_list_functions() -> None:
    """``crosscheck.vectors`` has the names as well; its conventions are arguments."""
    assert vectors.dcg_at_k(relevance=GRADED, k=6, discount="jarvelin") == 10.279642067948915
    found = vectors.ndcg_at_k(relevance=GRADED, k=6, discount="jarvelin", ideal="retrieved")
    assert found == 0.7424602308163405


def test_random_lists_have_the_values_of_the_notebook() -> None:
    """Binary and graded lists, short and empty ones. In precision and recall a document counts or does not;
    the notebook adds levels up, which is the same for lists of 0 and 1."""
    random = np.random.default_rng(5)
    for _ in range(100):
        levels = random.integers(0, 4, random.integers(0, 12)).tolist()
        binary, k = [int(level > 1) for level in levels], int(random.integers(1, 14))
        assert s1.precision(binary) == written.precision(binary)
        assert s1.precision_at_k(binary, k) == written.precision_at_k(binary, k)
        assert s1.recall_at_k(binary, 5, k) == written.recall_at_k(binary, 5, k)
        assert s1.average_precision(binary) == pytest.approx(written.average_precision(binary), rel=1e-15)
        assert s1.dcg_at_k(levels, k) == written.dcg_at_k(levels, k)
        assert s1.ndcg_at_k(levels, k) == written.ndcg_at_k(levels, k)


def test_edges() -> None:
    """Short and empty lists, nothing relevant, lists without members; only level 1 counts in AP."""
    assert s1.precision_at_k([0, 0, 0, 1], 10) == 0.25
    assert s1.precision([]) == s1.precision_at_k([], 5) == s1.average_precision([]) == 0.0
    assert s1.recall_at_k([1], 0, 5) == s1.mean_average_precision([]) == s1.ndcg_at_k([0, 0], 5) == 0.0
    assert s1.mean_average_precision([[1], [0, 1], [0]]) == 0.5
    assert s1.average_precision([2, 1]) == 0.5


@pytest.mark.parametrize("function", [s1.precision_at_k, s1.dcg_at_k, s1.ndcg_at_k])
def test_k_below_one_is_a_value_error(function: object) -> None:
    """As in the notebook."""
    assert issubclass(ArgumentError, ValueError)
    with pytest.raises(ValueError, match="at least 1"):
        function([1], 0)  # type: ignore[operator]
    with pytest.raises(ValueError, match="at least 1"):
        s1.recall_at_k([1], 1, -1)


def test_examples() -> None:
    """Those of the docstrings."""
    assert doctest.testmod(s1).failed == 0
