"""Pools, contributions and unjudged rates."""

import pytest

from crosscheck.errors import ArgumentError, UsageError
from crosscheck.formats.dicts import qrels_from_dict, run_from_dict
from crosscheck.model import Run
from crosscheck.statistics.pooling import PooledTopic, pool, unjudged_rate


def run(name: str, **rankings: str) -> Run:
    """A run from query=docnos in falling order, apart by blanks."""
    scores = {q[1:]: {d: -float(i) for i, d in enumerate(docs.split())} for q, docs in rankings.items()}
    return run_from_dict(scores, name)


ONE, TWO = run("one", q1="a b c d", q2="x y"), run("two", q1="b e a f")
JUDGED = qrels_from_dict({"1": {"a": 1, "b": 0, "c": -1}, "3": {"z": 1}})


def test_a_pool_is_the_union_of_the_tops_with_what_each_run_adds():
    """Each document once, topics and documents in byte order: b comes from both runs; a, x and y from one
    alone, e from the other alone. A depth beyond the runs adds nothing."""
    first, second = pool([TWO, ONE], 2).topics
    assert first == PooledTopic(b"1", (b"a", b"b", b"e"), [2, 2], [1, 1])
    assert second == PooledTopic(b"2", (b"x", b"y"), [0, 2], [0, 2])
    assert pool([ONE, TWO], 1).topics[0] == PooledTopic(b"1", (b"a", b"b"), [1, 1], [1, 1])
    assert pool([ONE, TWO], 3).topics[0].documents == (b"a", b"b", b"c", b"e")
    assert pool([ONE, TWO], 4).topics == pool([ONE, TWO], 6).topics


def test_notes_tell_of_lone_missing_and_redundant_runs():
    """A topic without results and a run without unique documents; one run alone is in the study's tests."""
    assert pool([ONE, TWO], 2).notes == ["'two' has no results for 1 of 2 topics."]
    assert pool([run("copy", q1="a b"), ONE, TWO], 2).notes == [
        "'copy' has no results for 1 of 2 topics.",
        "'copy' contributes no document that only this run has.",
        "'two' has no results for 1 of 2 topics.",
    ]


@pytest.mark.parametrize(
    ("k", "conventions", "mean", "unjudged"),
    [
        (4, "trec_eval-9.0.8", 0.5, 2),  # c (negative) and d (absent)
        (1, "trec_eval-9.0.8", 0.0, 0),
        (3, "trec_eval-9.0.8", 1 / 3, 1),
        (10, "trec_eval-9.0.8", 0.2, 2),  # divided by k as in trec_eval 10
        (10, "precision_denominator=min(k,retrieved)", 0.5, 2),
    ],
)
def test_unjudged_rate(k, conventions, mean, unjudged):
    """Topics of one side only are counted and left out."""
    found = unjudged_rate(ONE, JUDGED, k, conventions=conventions)
    assert (found.mean, found.unjudged, found.retrieved, found.topics) == (mean, unjudged, min(k, 4), 1)
    assert found.notes == [
        "Judged topics without results are left out (1).",
        "Topics of the run without judgements are left out (1).",
    ]


def test_nothing_in_common_has_no_mean_but_a_sentence():
    """A run of other topics: no values, mean None. One document alone, unjudged: all that was retrieved."""
    alone = unjudged_rate(
        run("alone", q1="d"), JUDGED, 4, conventions="precision_denominator=min(k,retrieved)"
    )
    assert alone.mean == 1.0
    found = unjudged_rate(run("other", q9="a"), JUDGED, 4)
    assert (found.topics, found.mean) == (0, None)
    assert found.notes[0] == "'other' and 'qrels' have no topic in common."


@pytest.mark.parametrize(
    ("ask", "error", "words"),
    [
        (lambda: pool([ONE], 0), ArgumentError, "at least 1"),
        (lambda: unjudged_rate(ONE, JUDGED, 0), ArgumentError, "at least 1"),
        (lambda: unjudged_rate(ONE, JUDGED, 4, conventions="unjudged=removed"), UsageError, "unjudged"),
        (lambda: unjudged_rate(ONE, JUDGED, 4, conventions="negatives=nonrelevant"), UsageError, "unjudged"),
    ],
)
def test_what_makes_no_sense_is_refused(ask, error, words):
    """No runs, no depth, and conventions that leave no unjudged document to count."""
    with pytest.raises(error, match=words):
        ask()
