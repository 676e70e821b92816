"""Claims about crosscheck.vectors: the list functions and their conventions."""

from __future__ import annotations

import doctest
import math
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crosscheck import vectors
from crosscheck.errors import ArgumentError, UsageError

TEN = [4, 4, 3, 0, 0, 1, 3, 3, 3, 0]
NINE = [3, 2, 1, 1, 3, 1, 1, 2, 1]

levels = st.lists(st.integers(0, 4), max_size=30)
cutoffs = st.integers(1, 40)


def test_printed_precision_of_the_relevance_vector_notebook() -> None:
    """[0,0,0,1] has precision 0.25, and P@1 0.0 under either denominator."""
    assert vectors.precision([0, 0, 0, 1]) == 0.25
    assert vectors.precision_at_k([0, 0, 0, 1], 1) == 0.0
    assert vectors.precision_at_k([0, 0, 0, 1], 1, precision_denominator="min(k,retrieved)") == 0.0


def test_printed_recall_of_the_relevance_vector_notebook() -> None:
    """[0,0,0,1] with R = 4 has R@1 0.0."""
    assert vectors.recall_at_k([0, 0, 0, 1], 4, 1) == 0.0


def test_printed_average_precision_of_the_relevance_vector_notebook() -> None:
    """AP over the relevant documents of the list itself comes out to the last digit."""
    rel = [0, 1, 0, 1, 1, 1, 1]
    assert vectors.average_precision(rel, ap_denominator="retrieved-relevant") == 0.5961904761904762


def test_printed_dcg_and_ndcg_of_the_relevance_vector_notebook() -> None:
    """DCG with ranks 1 and 2 undiscounted, and nDCG against the same list sorted, to the last digit."""
    assert vectors.dcg(TEN, 6, discount="jarvelin") == 10.279642067948915
    assert vectors.ndcg(TEN, 6, discount="jarvelin", ideal="retrieved") == 0.7424602308163405


def test_printed_average_precision_of_the_formula_notebook() -> None:
    """AP over all relevant documents of the query is 0.4 and 0.24, exactly."""
    assert vectors.average_precision([1, 1, 0, 0, 0, 0, 0, 0, 0, 0], 5) == 0.4
    assert vectors.average_precision([0, 1, 0, 0, 1, 0, 0, 0, 0, 1], 5) == 0.24


def test_printed_dcg_and_ndcg_of_the_formula_notebook() -> None:
    """DCG with natural logarithms, and nDCG against the top grade everywhere, to the last digit."""
    assert vectors.dcg(NINE, discount="ln-jarvelin") == 11.869906908688476
    assert vectors.ndcg(NINE, discount="ln-jarvelin", ideal="max-grade", max_grade=3) == 0.5902216528493285


def test_printed_ndcg_of_trec_eval() -> None:
    """The two-of-three example under trec_eval's conventions gives trec_eval's own digits."""
    assert vectors.ndcg([2, 3, 0, 0, 0], 5, judged=[3, 2, 1]) == 0.8174935137996165
    assert vectors.ndcg([9, 10], 5, judged=[10, 9, 8]) == 0.777975983841851
    assert vectors.ndcg([1], 5, judged=[3, 2, 1]) == 0.21000199575396408


def test_printed_exponential_ndcg() -> None:
    """Exponential gain gives the printed numbers; they were computed with ln(i)/ln(2), hence one ulp."""
    assert vectors.ndcg([2, 3, 0, 1, 2], judged=[2, 3, 1, 2], gain="exponential") == 0.8322420383257692
    assert vectors.ndcg([2, 3], 5, judged=[3, 2, 1], gain="exponential") == 0.7895959410076381
    one_hit = vectors.ndcg([1], 5, judged=[3, 2, 1], gain="exponential")
    assert abs(one_hit - 0.10646464774659968) <= math.ulp(one_hit)


def test_sets() -> None:
    """Set precision and recall count ids, once each, and F weighs them by beta or its square."""
    retrieved, relevant = ["a", "b", "b", "c", "d"], ["a", "b", "x"]
    assert vectors.set_precision(retrieved, relevant) == 0.5
    assert vectors.set_recall(retrieved, relevant) == 2 / 3
    p, r = 0.5, 2 / 3
    assert vectors.set_f_beta(retrieved, relevant) == pytest.approx(2 * p * r / (p + r), abs=1e-15)
    assert vectors.set_f_beta(retrieved, relevant, 2) == (2 + 1) * p * r / (2 * p + r)
    assert vectors.set_f_beta(retrieved, relevant, 2, weight="beta^2") == (4 + 1) * p * r / (4 * p + r)


def test_f_of_one_is_the_same_under_both_weights() -> None:
    """Beta 1 is its own square."""
    assert vectors.f_beta(0.3, 0.7) == vectors.f_beta(0.3, 0.7, weight="beta^2")


def test_precision_denominators_differ_only_on_short_lists() -> None:
    """Two documents at k = 5: 1/5 against 1/2; at k = 2 no difference."""
    assert vectors.precision_at_k([1, 0], 5) == 0.2
    assert vectors.precision_at_k([1, 0], 5, precision_denominator="min(k,retrieved)") == 0.5
    assert vectors.precision_at_k([1, 0], 2, precision_denominator="min(k,retrieved)") == 0.5


def test_precision_over_the_best_needs_the_relevant_documents() -> None:
    """One of two relevant documents: 1/2 of what is possible; without R, and over judged ones, an error."""
    assert vectors.precision_at_k([1, 0, 0], 3, 2, precision_denominator="min(k,R)") == 0.5
    for kind in ("min(k,R)", "judged"):
        with pytest.raises(UsageError, match="the list does not contain"):
            vectors.precision_at_k([1, 0, 0], 3, precision_denominator=kind)


def test_recall_denominators() -> None:
    """Recall divides by R, by min(R, k), or by the relevant documents of the whole list."""
    rel = [1, 0, 1, 1]
    assert vectors.recall_at_k(rel, 8, 2) == 1 / 8
    assert vectors.recall_at_k(rel, 8, 2, recall_denominator="min(R,k)") == 1 / 2
    assert vectors.recall_at_k(rel, 8, 2, recall_denominator="retrieved-R") == 1 / 3
    assert vectors.recall_at_k(rel, 8, recall_denominator="min(R,k)") == 3 / 8
    assert vectors.recall_at_k(rel, 8, 2, recall_denominator="k") == 1 / 2
    assert vectors.recall_at_k(rel, 8, recall_denominator="k") == 3 / 8


def test_average_precision_denominators() -> None:
    """AP@2 divides by R, by min(R, k), or by the relevant documents found."""
    rel = [1, 0, 1]
    assert vectors.average_precision(rel, 4, 2) == 1 / 4
    assert vectors.average_precision(rel, 4, 2, ap_denominator="min(R,k)") == 1 / 2
    assert vectors.average_precision(rel, k=2, ap_denominator="retrieved-relevant") == 1.0
    assert vectors.average_precision(rel, 4, ap_denominator="min(R,k)") == vectors.average_precision(rel, 4)
    assert vectors.average_precision([1], 4, 5, ap_denominator="k") == 1 / 5
    assert vectors.average_precision([1, 0, 0], 4, 2, ap_denominator="min(R,retrieved)") == 1 / 2
    assert vectors.average_precision([1], 4, 5, ap_denominator="min(R,retrieved)") == 1.0


def test_means_give_each_query_the_same_weight() -> None:
    """MAP and MRR are plain means, also where the lists differ in length."""
    assert vectors.mean_average_precision([[1], [0, 1, 0, 0]], [1, 1]) == 0.75
    assert vectors.mean_average_precision([[1], [0, 1]], ap_denominator="retrieved-relevant") == 0.75
    assert vectors.mean_reciprocal_rank([[1], [0, 1], [0]]) == 0.5
    assert vectors.mean_average_precision([]) == 0.0


def test_r_precision_divides_by_r() -> None:
    """A list shorter than R is still divided by R, and R = 0 gives 0.0."""
    assert vectors.r_precision([1, 1], 4) == 0.5
    assert vectors.r_precision([1, 0, 1], 2) == 0.5
    assert vectors.r_precision([1], 0) == 0.0


def test_reciprocal_rank_is_cut() -> None:
    """A first relevant document at rank 3 counts 1/3, and nothing with a cutoff of 2."""
    assert vectors.reciprocal_rank([0, 0, 1]) == 1 / 3
    assert vectors.reciprocal_rank([0, 0, 1], rr_cutoff=2) == 0.0


def test_relevance_level_moves_the_threshold() -> None:
    """Level 1 is relevant at threshold 1 and not at 2; linear gain does not care, binary gain does."""
    rel = [1, 2]
    assert vectors.precision(rel, relevance_level=2) == 0.5
    assert vectors.reciprocal_rank(rel, relevance_level=2) == 0.5
    assert vectors.dcg(rel, relevance_level=2) == vectors.dcg(rel)
    assert vectors.dcg(rel, gain="binary", relevance_level=2) == 1 / math.log2(3)


def test_ideal_lists() -> None:
    """Each ideal list is what its name says, on cases where they differ."""
    rel, judged, log = [1, 0], [3, 2, 1, 1], math.log2

    def ideal(kind: str, k: int | None = 3) -> float:
        return vectors.ideal_dcg(rel, k, judged=judged, max_grade=3, ideal=kind)

    assert ideal("qrels") == 3 + 2 / log(3) + 1 / log(4)
    assert ideal("untruncated") == 3 + 2 / log(3) + 1 / log(4) + 1 / log(5)
    assert ideal("hits-returned") == 3 + 2 / log(3)
    assert ideal("retrieved") == 1.0
    assert vectors.ideal_dcg([0, 1], 1, ideal="retrieved") == 1.0
    assert vectors.ideal_dcg([0, 1], 1, ideal="retrieved-at-k") == 0.0
    assert ideal("max-grade") == 3 + 3 / log(3) + 3 / log(4)
    assert ideal("max-grade", None) == ideal("max-grade-returned") == 3 + 3 / log(3)


def test_negative_levels_gain_nothing() -> None:
    """A pooled but unjudged document neither adds to DCG nor subtracts from it."""
    assert vectors.dcg([-1, 2]) == vectors.dcg([0, 2])
    assert vectors.dcg([-2, 1], gain="exponential") == 1 / math.log2(3)
    assert vectors.precision([-1, 1]) == 0.5


def test_relevance_vector_reads_unjudged_documents_as_zero() -> None:
    """Grades are looked up in rank order, and an unknown document is 0."""
    assert vectors.relevance_vector(["b", "x", "a"], {"a": 2, "b": 1}) == [1, 0, 2]


def test_empty_lists_are_zero_everywhere() -> None:
    """No function raises or returns NaN on an empty list."""
    assert vectors.precision([]) == 0.0
    assert vectors.precision_at_k([], 3, precision_denominator="min(k,retrieved)") == 0.0
    assert vectors.recall_at_k([], 0) == 0.0
    assert vectors.average_precision([], 0) == 0.0
    assert vectors.average_precision([], ap_denominator="retrieved-relevant") == 0.0
    assert vectors.reciprocal_rank([]) == 0.0
    assert vectors.ndcg([], judged=[]) == 0.0
    assert vectors.set_precision([], ["a"]) == 0.0
    assert vectors.set_recall(["a"], []) == 0.0
    assert vectors.set_f_beta([], []) == 0.0


@pytest.mark.parametrize("k", [0, -1, 2.5])
def test_a_bad_cutoff_is_a_value_error(k: int) -> None:
    """A cutoff that is no positive whole number raises ArgumentError, which is a ValueError."""
    with pytest.raises(ValueError, match="cutoff"):
        vectors.precision_at_k([1], k)
    with pytest.raises(ArgumentError, match="cutoff"):
        vectors.dcg([1], k)


@pytest.mark.parametrize("level", [math.nan, math.inf, "1", None, [1], np.array([1, 2])])
def test_a_level_that_is_no_number_is_named_with_its_rank(level: float) -> None:
    """NaN, infinity, text and lists are refused, and the message gives their rank."""
    with pytest.raises(ArgumentError, match="rank 2"):
        vectors.precision([1, level])


def test_what_a_list_cannot_know_is_asked_for() -> None:
    """AP without R, nDCG without judged levels or top grade say what to pass."""
    with pytest.raises(UsageError, match="total_relevant"):
        vectors.average_precision([1])
    with pytest.raises(UsageError, match="ideal='retrieved'"):
        vectors.ndcg([1])
    with pytest.raises(UsageError, match="max_grade"):
        vectors.ndcg([1], ideal="max-grade")
    with pytest.raises(ArgumentError, match="2 lists and 1 totals"):
        vectors.mean_average_precision([[1], [1]], [1])


def test_an_unknown_convention_lists_those_that_exist() -> None:
    """A misspelt gain or weight names the values it could take."""
    with pytest.raises(UsageError, match="exponential"):
        vectors.dcg([1], gain="exp")
    with pytest.raises(UsageError, match="beta\\^2"):
        vectors.f_beta(1, 1, weight="square")


def test_exponential_gain_beyond_double_precision_is_refused() -> None:
    """2^1024 is no double: the message says so instead of an overflow."""
    with pytest.raises(ArgumentError, match="double precision"):
        vectors.dcg([1024], gain="exponential")


def test_numpy_arrays_are_lists_too() -> None:
    """Integer, float and boolean arrays give the numbers that lists give."""
    assert vectors.precision(np.array([True, False])) == 0.5
    assert vectors.dcg(np.array(TEN), np.int64(6), discount="jarvelin") == 10.279642067948915  # type: ignore[arg-type]


@given(levels, cutoffs)
def test_precision_and_recall_count_the_same_hits(rel: list[int], k: int) -> None:
    """P@k times k is R@k times R, for any list and cutoff."""
    total = 7
    hits = sum(level >= 1 for level in rel[:k])
    assert vectors.precision_at_k(rel, k) == hits / k
    assert vectors.recall_at_k(rel, total, k) == hits / total


@given(levels, levels)
def test_ndcg_never_exceeds_one_against_its_own_documents(rel: list[int], missed: list[int]) -> None:
    """With every retrieved document among the judged ones, nDCG lies in [0, 1] (up to one ulp)."""
    assert 0.0 <= vectors.ndcg(rel, judged=rel + missed) <= 1.0 + 2**-52
    assert 0.0 <= vectors.ndcg(rel, ideal="retrieved") <= 1.0 + 2**-52


def test_importing_vectors_does_not_import_numpy() -> None:
    """The list functions are plain Python."""
    code = "import sys, crosscheck.vectors; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_examples_in_docstrings_are_true() -> None:
    """Every example of the documentation gives the number it prints."""
    found = doctest.testmod(vectors)
    assert (found.failed, found.attempted) == (0, 5)
