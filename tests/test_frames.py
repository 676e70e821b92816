"""Claims about crosscheck.frames: the data-frame measures, for every kind of frame."""

import math
from typing import Any

import pytest

from crosscheck.errors import InputError
from crosscheck.frames import BY_RANK, evaluate_frames
from tests.support.kept import REMEDY, Kept

#: The four queries of the notebook's table: cases 1, 3, 2 and 7.
RESULTS: dict[str, list[Any]] = {
    "query": [0, 0, 0, 0, 0, 1, 1, 2, 2, 3],
    "docid": ["doc_2", "doc_1", "doc_10", "doc_11", "doc_12", "doc_2", "doc_1", "doc_2", "doc_1", "doc_3"],
    "rank": [1, 2, 3, 3, 4, 0, 1, 0, 1, 0],
}
QRELS: dict[str, list[Any]] = {
    "query": [0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3],
    "docid": ["doc_1", "doc_2", "doc_3"] * 4,
    "rel": [3, 2, 1, 10, 9, 8, 3, 2, 1, 3, 2, 1],
}
#: The table as the notebook prints it, six decimals, the same nDCG at every cutoff.
TABLE = {
    "P@5": ["0.4", "0.4", "0.4", "0.2"],
    "P@10": ["0.2", "0.2", "0.2", "0.1"],
    "P@50": ["0.04", "0.04", "0.04", "0.02"],
    **{f"R@{k}": ["0.666667", "0.666667", "0.666667", "0.333333"] for k in (5, 10, 50)},
    **{f"MRR@{k}": ["1", "1", "1", "1"] for k in (5, 10, 50)},
    **{f"nDCG@{k}": ["0.817494", "0.777976", "0.817494", "0.210002"] for k in (5, 10, 50)},
}


def test_whole_floats_are_ranks_levels_and_ids():
    """pandas makes floats of integers beside a missing cell: 3.0 is 3 everywhere."""

    def as_float(cell):
        return float(cell) if isinstance(cell, int) else cell

    as_floats = {name: [*map(as_float, column)] for name, column in RESULTS.items()}
    assert evaluate_frames(as_floats, QRELS).per_query == evaluate_frames(RESULTS, QRELS).per_query


@pytest.mark.parametrize(
    ("library", "make"),
    [("builtins", "dict"), ("pandas", "DataFrame"), ("polars", "DataFrame"), ("pyarrow", "table")],
)
def test_a_missing_column_lists_those_that_there_are(library, make):
    """Ordering by score without a score column, from any library, names the columns found."""
    frame = getattr(pytest.importorskip(library, reason=f"{library} is not installed"), make)
    with pytest.raises(InputError, match=r"(?s)no column 'score'.*'query', 'docid', 'rank'"):
        evaluate_frames(frame(RESULTS), frame(QRELS), conventions="trec_eval-9.0.8")


def second(one, **cell):
    """Results with a second row that has this cell."""
    row = {"query": "q", "docid": "b", "rank": 2} | cell
    return evaluate_frames({name: [*one[name], row[name]] for name in row}, one)


def told(found):
    """The values by query, their summary, and notes."""
    return "\n".join(map(str, (found.per_query, found.summary, *found.notes)))


EXAMPLES = Kept(
    __file__, second=second, told=told, math=math, evaluate_frames=evaluate_frames, BY_RANK=BY_RANK
)


def test_examples():
    """Values and notes of some frames; what cannot be used is refused with its place."""
    assert EXAMPLES.anew() == EXAMPLES.read(), REMEDY


def test_a_lazy_frame_is_told_to_collect():
    """A polars LazyFrame has no rows yet."""
    polars = pytest.importorskip("polars", reason="polars is not installed")
    with pytest.raises(InputError, match="collect"):
        evaluate_frames(polars.LazyFrame(RESULTS), QRELS)
