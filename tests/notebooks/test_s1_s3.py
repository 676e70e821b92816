"""Everything that notebooks S1 and S3 print, under their names and without any option, to the last bit."""

import numpy as np
import pytest

from crosscheck import vectors
from crosscheck.notebooks import s1, s2, s3
from tests.notebooks import shape
from tests.support.rows import claims, is_true
from tests.targets import s1 as written1
from tests.targets import s2 as written2
from tests.targets import s3 as written3

NAMES = {
    "s1": s1,
    "s3": s3,
    "vectors": vectors,
    "array": np.array,
    "GRADED": [4, 4, 3, 0, 0, 1, 3, 3, 3, 0],
    "NINE": [3, 2, 1, 1, 3, 1, 1, 2, 1],
}


@claims("""
s1.precision_at_k(relevance=[0, 0, 0, 1], k=1) == s1.recall_at_k([0, 0, 0, 1], 4, 1) == 0.0
s1.recall_at_k(relevance=array([0, 0, 0, 1]), number_relevant_documents=4, k=4) == 0.25
s1.mean_average_precision(queries_relevances=array([[1, 0], [0, 1]])) == 0.75
s1.average_precision(relevance=[0, 1, 0, 1, 1, 1, 1]) == 0.5961904761904762
s1.dcg_at_k(relevance=GRADED, k=6) == 10.279642067948915
s1.ndcg_at_k(relevance=GRADED, k=6) == s1.ndcg_at_k(array(GRADED), 6) == 0.7424602308163405
# crosscheck.vectors has the names as well; its conventions are arguments.
vectors.dcg_at_k(relevance=GRADED, k=6, discount="jarvelin") == 10.279642067948915
vectors.ndcg_at_k(relevance=GRADED, k=6, discount="jarvelin", ideal="retrieved") == 0.7424602308163405
# Today's other names are further keywords.
s1.recall_at_k([1], total_relevant=2, k=1) == 0.5
# Short and empty lists, nothing relevant, lists without members; only level 1 counts in AP.
s1.precision(relevance=[0, 0, 0, 1]) == s1.precision_at_k([0, 0, 0, 1], 10) == 0.25
s1.precision([]) == s1.precision_at_k([], 5) == s1.average_precision([]) == 0.0
s1.recall_at_k([1], 0, 5) == s1.mean_average_precision([]) == s1.ndcg_at_k([0, 0], 5) == 0.0
s1.mean_average_precision([[1], [0, 1], [0]]) == s1.average_precision([2, 1]) == 0.5
s3.average_precision([0, 1, 0, 0, 1, 0, 0, 0, 0, 1], 5) == 0.24
s3.average_precision(ranked_list=[1, 1], total_relevant_doc=5) == 0.4
s3.dcg(NINE) == s3.dcg(NINE, 3) == s3.dcg(ranked_list=NINE, max_relevance=3) == 11.869906908688476
s3.ndcg(NINE) == s3.ndcg(NINE, 3) == s3.ndcg(ranked_list=NINE, max_relevance=3) == 0.5902216528493285
# The highest level is that of the scale: half of the value against an ideal list of twice the level.
s3.ndcg(NINE, max_relevance=6) == 0.5902216528493285 / 2
# Sets; F with the square of beta; 0.0 where the notebook divides by 0.
s3.precision({"a", "b"}, {"b", "c", "d", "e"}) == 0.5
s3.recall({"a", "b"}, {"b", "c", "d", "e"}) == 0.25
s3.f_beta(0.5, 0.25, beta=2) == 5 * 0.125 / 2.25
s3.f_beta(0.5, 0.25) == 1 / 3
s3.f_beta(0, 0) == s3.average_precision([1], 0) == s3.precision([], {"b"}) == 0.0
""")
def test_values(claim):
    assert is_true(claim, NAMES)


@pytest.mark.parametrize(
    ("ours", "written", "name"),
    [
        # The notebook's precision has a level as well.
        *((s1, written1, name) for name in sorted({*s1.__all__} - {"precision"})),
        *((s2, written2, name) for name in s2.__all__),
        *((s3, written3, name) for name in ("average_precision", "dcg", "ndcg")),
    ],
)
def test_signatures_are_the_notebooks(ours, written, name):
    """Names, order and defaults of the arguments."""
    assert shape(getattr(ours, name)) == shape(getattr(written, name))


def test_k_below_one_is_a_value_error():
    """As in the notebook."""
    for call in (s1.precision_at_k, s1.dcg_at_k, s1.ndcg_at_k, lambda one, k: s1.recall_at_k(one, 1, k)):
        with pytest.raises(ValueError, match="at least 1"):
            call([1], 0)
