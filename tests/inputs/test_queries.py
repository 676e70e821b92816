"""Queries of which a rule about ids leaves open which document or query counts."""

from crosscheck.axes.ids import Ids
from crosscheck.inputs.queries import Line, Probe, Query, where_ids_meet


def query(judged, retrieved):
    lines = tuple(Line(docno, rank, 9.0 - rank) for rank, docno in enumerate(retrieved.split(), 1))
    return Query(tuple((docno, 1) for docno in judged.split()), lines)


def met(rule, **queries):
    return set(where_ids_meet(Probe("", tuple(queries.items()), None), rule))


def test_documents_meet_within_the_qrels_or_within_the_run():
    """A judged document and a retrieved one with another spelling are what the rule is about."""
    given = {"a": query("1 01", "x"), "b": query("x", "1 01"), "c": query("1", "01"), "d": query("A a", "x")}
    assert met(Ids.EXACT, **given) == set()
    assert met(Ids.INT, **given) == {"a", "b"}
    assert met(Ids.CASE, **given) == {"d"}


def test_queries_meet_within_the_qrels_or_within_the_run():
    """Both of two judged queries, or of two with results; a query judged under one id and run under another
    is one query."""
    assert met(Ids.CASE, q=query("x", "x"), Q=query("x", "")) == {"q", "Q"}
    assert met(Ids.CASE, q=query("", "x"), Q=query("", "x")) == {"q", "Q"}
    assert met(Ids.CASE, q=query("x", ""), Q=query("", "x")) == set()


def test_one_relevant_document_is_left():
    """The first of a level that counts; what is not relevant stays."""
    judged = (("n", 0), ("low", 1), ("first", 2), ("x", -1), ("high", 3))
    (one,) = Probe("", (("q", Query(judged, ())),), None).with_one_relevant(2).queries
    assert one == ("q", Query((("n", 0), ("low", 1), ("first", 2), ("x", -1)), ()))
