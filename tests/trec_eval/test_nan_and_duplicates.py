"""NaN scores and repeated documents, which only the command lets in."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crosscheck.axes.ties import ScorePrecision
from crosscheck.formats.grouping import identifiers
from crosscheck.model import Run
from crosscheck.trec_eval.judgements import (
    cut_topics_with_duplicates,
    duplicates,
    merge_sorted,
    with_nan_scores_ordered,
)

FLOAT32, FLOAT64 = ScorePrecision.FLOAT32, ScorePrecision.FLOAT64


def run(*topics: list[tuple[str, float]]) -> Run:
    rows = [row for topic in topics for row in topic]
    return Run(
        topics=tuple(b"%d" % i for i in range(len(topics))),
        offsets=np.cumsum([0, *map(len, topics)]),
        docnos=identifiers([docno.encode() for docno, _ in rows]),
        scores=np.array([score for _, score in rows]),
        ranks=None,
        lines=np.arange(len(rows)),
        tag=b"t",
        source="run",
    )


def ranking(given: Run) -> list[bytes]:
    """Docnos of a run of one topic, by falling score."""
    return [bytes(given.docnos[i]) for i in np.argsort(-given.scores, kind="stable")]


@given(st.lists(st.integers(0, 5)))
def test_merge_sort_sorts(items: list[int]) -> None:
    """With a comparison that is an order, it is a stable sort like any other."""
    indexed = list(enumerate(items))
    assert merge_sorted(indexed, lambda a, b: a[1] - b[1]) == sorted(indexed, key=lambda item: item[1])


@given(
    st.lists(
        st.tuples(st.text("abc", min_size=1, max_size=3), st.floats(allow_nan=False, width=32)), min_size=1
    )
)
def test_an_order_without_nan_stays(rows: list[tuple[str, float]]) -> None:
    """Scores are replaced only under topics that hold a NaN."""
    clean, broken = dict(rows), [("x", float("nan")), ("y", 1.0)]
    made = with_nan_scores_ordered(run(list(clean.items()), broken), FLOAT64, ascending=False)
    assert made.scores[: len(clean)].tolist() == list(clean.values())
    assert not np.isnan(made.scores).any()


@pytest.mark.parametrize(("ascending", "expected"), [(False, [b"c", b"b", b"a"]), (True, [b"a", b"b", b"c"])])
def test_nan_everywhere_leaves_the_order_of_docnos(ascending: bool, expected: list[bytes]) -> None:
    """To the comparison all are tied then."""
    nan = float("nan")
    made = with_nan_scores_ordered(run([("b", nan), ("a", nan), ("c", nan)]), FLOAT64, ascending=ascending)
    assert ranking(made) == expected


def test_scores_beside_a_nan_are_compared_in_the_version_s_precision() -> None:
    """Two scores that are equal as float32 only are tied in 9.0.8."""
    rows = [("a", 0.5 + 1e-9), ("b", 0.5), ("c", float("nan"))]
    assert ranking(with_nan_scores_ordered(run(rows), FLOAT32, ascending=False)) == [b"c", b"b", b"a"]
    assert ranking(with_nan_scores_ordered(run(rows), FLOAT64, ascending=False)) == [b"c", b"a", b"b"]


def test_every_topic_with_a_repeated_document_is_found() -> None:
    """By its number, with the lowest of the repeated docnos."""
    made = run(
        [("a", 1), ("b", 1)], [("d", 1), ("c", 2), ("d", 3), ("c", 4)], [("a", 1)], [("x", 1), ("x", 1)]
    )
    assert duplicates(made.docnos, made.offsets) == {1: b"c", 3: b"x"}


def test_only_topics_with_repeated_documents_are_cut() -> None:
    """The cut comes after sorting, ties included."""
    made = run([("a", 1), ("b", 2), ("c", 3)], [("a", 1), ("b", 1), ("a", 0.5)])
    cut = cut_topics_with_duplicates(made, 2, FLOAT32, ascending=False)
    assert cut.offsets.tolist() == [0, 3, 5]
    assert sorted(cut.docnos[3:].tolist()) == [b"a", b"b"]
    assert cut_topics_with_duplicates(made, 1, FLOAT32, ascending=False).docnos[3:].tolist() == [b"b"]
    assert cut_topics_with_duplicates(made, 1, FLOAT32, ascending=True).docnos[3:].tolist() == [b"a"]
