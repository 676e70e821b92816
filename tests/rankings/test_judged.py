"""Depth, unjudged and negative documents."""

from __future__ import annotations

from crosscheck.axes.judging import Negatives, Unjudged
from crosscheck.conventions import Conventions
from crosscheck.evaluation.rankings import Rankings
from crosscheck.formats.dicts import qrels_from_dict, run_from_dict
from crosscheck.rankings.changed_inputs import only_topics

QRELS = qrels_from_dict({"1": {"a": 1, "b": 0, "n": -1, "z": 2}})
RUN = run_from_dict({"1": {"u": 9.0, "a": 8.0, "n": 7.0, "v": 6.0, "b": 5.0}})


def entries(conventions: Conventions) -> tuple[list[tuple[int, int]], int]:
    judged = Rankings(RUN, QRELS).judged(conventions)
    return list(zip(judged.rank.tolist(), judged.rel.tolist(), strict=True)), int(judged.num_ret[0])


def test_unjudged_documents_keep_their_ranks() -> None:
    """By default an unjudged document takes up a rank."""
    assert entries(Conventions()) == ([(2, 1), (3, -1), (5, 0)], 5)


def test_removing_unjudged_documents_also_removes_negative_ones() -> None:
    """As trec_eval -J: what is left moves up and only it counts as retrieved."""
    assert entries(Conventions(unjudged=Unjudged.REMOVED)) == ([(1, 1), (2, 0)], 2)


def test_depth_cuts_before_unjudged_documents_are_removed() -> None:
    """As trec_eval: -M before -J."""
    both = Conventions(depth=3, unjudged=Unjudged.REMOVED)
    assert entries(both) == ([(1, 1)], 1)
    assert entries(Conventions(depth=0)) == ([], 0)


def test_negative_levels_can_be_read_as_nonrelevant() -> None:
    """Then they are judged documents of level 0, retrieved and in the pool."""
    judged = Rankings(RUN, QRELS).judged(Conventions(negatives=Negatives.NONRELEVANT))
    assert judged.rel.tolist() == [1, 0, 0]
    assert judged.num_nonrel(1).tolist() == [2]
    assert Rankings(RUN, QRELS).judged(Conventions()).num_nonrel(1).tolist() == [1]


def test_selecting_topics_keeps_rows_together() -> None:
    """A selection holds exactly the rows of its topics."""
    run = run_from_dict({"1": {"a": 1.0}, "2": {"b": 1.0, "c": 2.0}, "3": {"d": 1.0}})
    qrels = qrels_from_dict({"1": {"a": 1}, "2": {"c": 1}, "3": {"d": 1}})
    some = only_topics(run, {b"3", b"2"})
    assert (some.topics, some.docnos.tolist()) == ((b"2", b"3"), [b"b", b"c", b"d"])
    assert some.lines.tolist() == [1, 2, 3]
    assert only_topics(qrels, {b"1"}).docnos.tolist() == [b"a"]
