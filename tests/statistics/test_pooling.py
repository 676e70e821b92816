"""Claims about crosscheck.statistics.pooling: pools, contributions and unjudged rates."""

from __future__ import annotations

from itertools import pairwise

import pytest

from crosscheck.errors import ArgumentError, UsageError
from crosscheck.statistics.pooling import pool, unjudged_rate
from tests.statistics.inputs import qrels, run

ONE = run({"1": "a b c d", "2": "x y"}, "one")
TWO = run({"1": "b e a f"}, "two")


def test_a_pool_is_the_union_of_the_tops() -> None:
    """Depth 2 of two runs: each document once, topics and documents in byte order."""
    found = pool([ONE, TWO], 2)
    assert found.topics == (b"1", b"2")
    assert found.documents == ((b"a", b"b", b"e"), (b"x", b"y"))
    assert found.sizes == (3, 2)


def test_contributions_and_unique_contributions_are_counted_per_topic() -> None:
    """b comes from both runs; a, x and y from one alone, e from the other alone."""
    one, two = pool([ONE, TWO], 2).members
    assert (one.tag, one.contributed, one.unique) == (b"one", (2, 2), (1, 2))
    assert (two.tag, two.contributed, two.unique) == (b"two", (2, 0), (1, 0))


def test_a_deeper_pool_holds_the_shallower_one() -> None:
    """Every document of depth k is in depth k + 1, and a depth beyond the runs adds nothing."""
    pools = [pool([ONE, TWO], depth) for depth in range(1, 7)]
    for shallow, deep in pairwise(pools):
        for few, many in zip(shallow.documents, deep.documents, strict=True):
            assert set(few) <= set(many)
    assert pools[3].documents == pools[5].documents


def test_tied_documents_at_the_edge_follow_the_conventions() -> None:
    """Three tied documents at depth 1: the last docno under trec_eval's rule, the first under the reverse."""
    tied = run({"1": {"a": 1.0, "c": 1.0, "b": 1.0}})
    assert pool([tied], 1).documents == ((b"c",),)
    assert pool([tied], 1, conventions="ties=docid-asc").documents == ((b"a",),)
    assert pool([tied], 2, conventions="ties=input").documents == ((b"a", b"c"),)


def test_notes_tell_of_lone_missing_and_redundant_runs() -> None:
    """One run alone, a topic without results and a run without unique documents are each a sentence."""
    assert any("one run" in note for note in pool([ONE], 3).notes)
    notes = pool([ONE, TWO], 2).notes
    assert "'two.txt' has no results for 1 of 2 topics." in notes
    copies = pool([ONE, run({"1": "a b"}, "copy")], 2).notes
    assert "'copy.txt' contributes no document that another run does not." in copies


def test_a_pool_needs_a_run_and_a_depth() -> None:
    """No runs and a depth below 1 are refused."""
    with pytest.raises(ArgumentError, match="at least one run"):
        pool([], 10)
    with pytest.raises(ArgumentError, match="at least 1"):
        pool([ONE], 0)


JUDGED = qrels({"1": {"a": 1, "b": 0, "c": -1}, "3": {"z": 1}})


def test_unjudged_rate_divides_by_k_as_trec_eval_10_does() -> None:
    """Of a b c d at 4, c (negative) and d (absent) are unjudged: 2/4; a short list is divided by k too."""
    assert unjudged_rate(ONE, JUDGED, 4).mean == 0.5
    assert unjudged_rate(ONE, JUDGED, 2).mean == 0.0
    assert unjudged_rate(ONE, JUDGED, 10).mean == 0.2


def test_unjudged_rate_can_divide_by_what_was_retrieved() -> None:
    """Under min(k, retrieved) the four retrieved documents at k = 10 give 2/4."""
    found = unjudged_rate(ONE, JUDGED, 10, conventions="precision_denominator=min(k,retrieved)")
    assert found.mean == 0.5
    assert (found.unjudged, found.retrieved, found.mean) == (2, 4, 0.5)


def test_topics_of_one_side_only_are_counted_and_left_out() -> None:
    """Topic 2 is unjudged as a whole and topic 3 has no results: neither enters the mean."""
    found = unjudged_rate(ONE, JUDGED, 4)
    assert (found.topics, found.mean) == (1, 0.5)
    assert found.notes == [
        "Judged topics without results are left out (1).",
        "Topics of the run without judgements are left out (1).",
    ]


def test_nothing_in_common_has_no_mean_but_a_sentence() -> None:
    """A run of other topics: no values, mean None."""
    found = unjudged_rate(run({"9": "a"}), JUDGED, 4)
    assert (found.topics, found.mean) == (0, None)
    assert any("no topic in common" in note for note in found.notes)


def test_conventions_that_hide_unjudged_documents_are_refused() -> None:
    """A removed unjudged document, or a negative level read as nonrelevant, cannot be counted."""
    for conventions in ("unjudged=removed", "negatives=nonrelevant"):
        with pytest.raises(UsageError, match="unjudged"):
            unjudged_rate(ONE, JUDGED, 4, conventions=conventions)
    with pytest.raises(ArgumentError, match="at least 1"):
        unjudged_rate(ONE, JUDGED, 0)
