"""Claims about crosscheck.vectors: the list functions and their conventions."""

import doctest
import math
import subprocess
import sys

import numpy as np
import pytest

from crosscheck import vectors
from crosscheck.errors import ArgumentError, UsageError
from tests.support.rows import claims, is_true

NAMES = vars(vectors) | {
    "TEN": [4, 4, 3, 0, 0, 1, 3, 3, 3, 0],
    "NINE": [3, 2, 1, 1, 3, 1, 1, 2, 1],
    "SETS": (["a", "b", "b", "c", "d"], ["a", "b", "x"]),
    "log2": math.log2,
    "array": np.array,
    "near": lambda a, b: abs(a - b) <= math.ulp(a),
}


@claims("""
# trec_eval, and the notebook's exponential gain: it takes ln(i) / ln(2), hence one ulp.
ndcg([2, 3, 0, 0, 0], 5, judged=[3, 2, 1]) == 0.8174935137996165
ndcg([2, 3, 0, 1, 2], judged=[2, 3, 1, 2], gain="exponential") == 0.8322420383257692
near(ndcg([1], 5, judged=[3, 2, 1], gain="exponential"), 0.10646464774659968)
# Sets count ids once.
set_precision(*SETS) == 0.5
set_recall(*SETS) == 2 / 3
# Means give each query the same weight.
mean_average_precision([[1], [0, 1, 0, 0]], [1, 1]) == 0.75
mean_average_precision([[1], [0, 1]], ap_denominator="retrieved-relevant") == 0.75
mean_reciprocal_rank([[1], [0, 1], [0]]) == 0.5
# Unknown documents are 0.
relevance_vector(["b", "x", "a"], {"a": 2, "b": 1}) == [1, 0, 2]
# Empty lists are 0 everywhere.
precision([]) == reciprocal_rank([]) == ndcg([], judged=[]) == mean_average_precision([]) == 0.0
precision_at_k([], 3, precision_denominator="min(k,retrieved)") == recall_at_k([], 0) == 0.0
average_precision([], 0) == average_precision([], ap_denominator="retrieved-relevant") == 0.0
set_precision([], ["a"]) == set_recall(["a"], []) == set_f_beta([], []) == r_precision([1], 0) == 0.0
# Arrays are lists too.
precision(array([True, False])) == 0.5
dcg(array(TEN), array(6)[()], discount="jarvelin") == 10.279642067948915
""")
def test_values(claim):
    assert is_true(claim, NAMES)


@pytest.mark.parametrize(
    ("asked", "error", "message"),
    [
        *((lambda k=k: vectors.precision_at_k([1], k), ValueError, "cutoff") for k in (0, -1, 2.5)),
        *((lambda k=k: vectors.dcg([1], k), ArgumentError, "cutoff") for k in (0, -1, 2.5)),
        *(
            (lambda level=level: vectors.precision([1, level]), ArgumentError, "rank 2")
            for level in (0.5, 2**63, math.nan, math.inf, "1", None, [1], np.array([1, 2]))
        ),
        *(
            (lambda level=level: vectors.precision([1], relevance_level=level), UsageError, "a whole number")
            for level in (0.5, 2**63)
        ),
        *(
            (lambda of=of: vectors.precision_at_k([1], 3, precision_denominator=of), UsageError, "list")
            for of in ("min(k,R)", "judged")
        ),
        (lambda: vectors.average_precision([1]), UsageError, "total_relevant"),
        (lambda: vectors.ndcg([1]), UsageError, "ideal='retrieved'"),
        (lambda: vectors.ndcg([1], ideal="max-grade"), UsageError, "max_grade"),
        (lambda: vectors.mean_average_precision([[1], [1]], [1]), ArgumentError, "2 lists, 1 numbers"),
        (lambda: vectors.dcg([1], gain="exp"), UsageError, "exponential"),
        (lambda: vectors.f_beta(1, 1, weight="square"), UsageError, "beta\\^2"),
        (lambda: vectors.dcg([1024], gain="exponential"), ArgumentError, "double precision"),
        (lambda: vectors.average_precision([1, 1, 1], 2), ArgumentError, "3 documents of level 1 or more"),
        (lambda: vectors.recall_at_k([2, 1], 1), ArgumentError, "and its query 1"),
        (lambda: vectors.ndcg([3, 3], 2, judged=[3, 1]), ArgumentError, "2 documents of level 3 or more"),
    ],
)
def test_what_makes_no_sense_is_an_error(asked, error, message):
    """It says what is wrong, and where there is a choice, what there is."""
    with pytest.raises(error, match=message):
        asked()


def test_importing_vectors_does_not_import_numpy():
    """The list functions are plain Python."""
    code = "import sys, crosscheck.vectors; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_examples_in_docstrings_are_true():
    """Every example of the documentation gives the number it prints."""
    found = doctest.testmod(vectors)
    assert (found.failed, found.attempted) == (0, 5)
