"""Claims about crosscheck.frames: the data-frame measures, for every kind of frame."""

import math
from typing import Any

import pytest

from crosscheck.errors import CrosscheckError, InputError
from crosscheck.frames import BY_RANK, evaluate_frames

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


def test_a_query_without_relevant_documents_follows_the_conventions():
    """No row by default, also where nothing was retrieved, and a note; else 0, or NaN, which reaches the mean
    and the quartiles."""
    results = {"query": ["1", "2"], "docid": ["a", "a"], "rank": [1, 1]}
    qrels = {"query": ["1", "2"], "docid": ["a", "a"], "rel": [1, 0]}

    def found(no_relevant):
        return evaluate_frames(results, qrels, [5], conventions=BY_RANK.with_changes(no_relevant=no_relevant))

    assert (found("zero").per_query["MRR@5"], found("zero").notes) == ([1.0, 0.0], ())
    judged = {"query": ["1", "2", "3"], "docid": ["a", "a", "a"], "rel": [1, 0, -1]}
    by_default = evaluate_frames(results, judged, [5])
    assert by_default.per_query["query"] == ["1"]
    mean = by_default.summary["statistic"].index("mean")
    assert by_default.summary["MRR@5"][mean] == 1.0
    left_out = "Queries without relevant documents are left out (2): '2', '3'."
    assert by_default.notes == (left_out, "The standard deviation needs at least two queries.")
    assert math.isnan(found("nan").per_query["MRR@5"][1])
    assert all(math.isnan(value) for value in found("nan").summary["MRR@5"][1:])


def test_queries_without_judgements_are_left_out_and_named():
    """They have no row. The std of one row is missing, not 0, and a note says why. A cutoff of None measures
    the whole list: precision then divides by the number retrieved."""
    results = {"query": ["1", "1", "1", "9"], "docid": ["a", "x", "y", "a"], "rank": [1, 2, 3, 1]}
    found = evaluate_frames(results, {"query": ["1", "1"], "docid": ["a", "b"], "rel": [1, 1]}, [5, None])
    assert list(found.per_query) == ["query", "P@5", "P", "R@5", "R", "MRR@5", "MRR", "nDCG@5", "nDCG"]
    assert [found.per_query[name] for name in ("query", "P", "R", "P@5")] == [["1"], [1 / 3], [0.5], [0.2]]
    assert found.summary["P@5"][found.summary["statistic"].index("std")] is None
    assert found.notes == (
        "Queries of the results without judgements are left out (1): '9'.",
        "The standard deviation needs at least two queries.",
    )


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


ONE: dict[str, list[Any]] = {"query": ["q"], "docid": ["a"], "rank": [1], "rel": [1]}
#: A second row of the results, with one cell that cannot be used.
SECOND = {"query": "q", "docid": "b", "rank": 2}


@pytest.mark.parametrize(
    ("results", "qrels", "more", "message"),
    [
        *(
            ({name: [*ONE[name], {**SECOND, column: cell}[name]] for name in SECOND}, ONE, {}, message)
            for column, cell, message in (
                ("query", None, "mix text and numbers"),
                ("docid", math.nan, "mix text and numbers"),
                ("docid", "a\0b", r"(?s)results frame:2.*'docid'.*NUL"),
                ("rank", 1.5, r"(?s)results frame:2.*'rank'.*1\.5.*whole number"),
                ("rank", "first", r"(?s)results frame:2.*'rank'.*'first'.*whole number"),
                ("docid", "a", r"results frame: .*'a' occurs twice, in rows 1 and 2"),
            )
        ),
        (ONE, {**ONE, "rel": [0.5]}, {}, r"(?s)qrels frame:1.*'rel'.*0\.5"),
        (ONE, {name: held * 2 for name, held in ONE.items()}, {}, r"qrels frame: .*'a' occurs twice"),
        (ONE, {**ONE, "query": [0]}, {}, "mix text and numbers"),
        (ONE, {name: [] for name in ONE}, {}, "no rows"),
        (ONE, 7, {}, r"(?s)not a frame.*'int'"),
        (ONE, ONE, {"cutoffs": [0]}, "at least 1"),
        (ONE, ONE, {"conventions": "nobody"}, "no profile"),
    ],
)
def test_what_cannot_be_used_is_refused(results, qrels, more, message):
    """The message names the frame, the row, the column, the cell and what was expected; nothing is rounded,
    and query 0 and query '0' do not silently never meet."""
    with pytest.raises(CrosscheckError, match=message):
        evaluate_frames(results, qrels, **more)


def test_a_lazy_frame_is_told_to_collect():
    """A polars LazyFrame has no rows yet."""
    polars = pytest.importorskip("polars", reason="polars is not installed")
    with pytest.raises(InputError, match="collect"):
        evaluate_frames(polars.LazyFrame(RESULTS), QRELS)
