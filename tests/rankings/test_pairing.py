"""Joining a run with its qrels."""

from hypothesis import given
from hypothesis import strategies as st

from crosscheck.formats.dicts import qrels_from_dict, run_from_dict
from crosscheck.rankings.pairing import Pairing
from tests.support.strategies import qrels_and_run


@given(qrels_and_run(), st.sampled_from([0, 9]))
def test_the_join_finds_exactly_the_judged_rows(given, more):
    """Each retrieved document is paired with its level if and only if it is judged for its topic, whether it
    has few judgements or many; every topic is there once, as measured, missing or unjudged, in byte order."""
    qrels, run = {q: row | {f"m{i}": i for i in range(more)} for q, row in given[0].items()}, given[1]
    pairing = Pairing.of(run_from_dict(run), qrels_from_dict(qrels))
    joined = zip(pairing.topic.tolist(), pairing.rows.tolist(), pairing.rels.tolist(), strict=True)
    docnos = [bytes(docno).decode() for docno in pairing.run.docnos]
    found = {(pairing.topics[t].decode(), docnos[row]): level for t, row, level in joined}
    assert found == {(t, d): qrels[t][d] for t in run for d in run[t] if t in qrels and d in qrels[t]}
    topics = sorted(qrels.keys() | run.keys(), key=str.encode)
    assert [topic.decode() for topic in pairing.all_topics] == topics
    assert pairing.measured.tolist() == [topic in qrels and topic in run for topic in topics]
    assert pairing.missing.tolist() == [topic not in run for topic in topics]
    assert pairing.unjudged.tolist() == [topic not in qrels for topic in topics]
