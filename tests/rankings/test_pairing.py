"""Joining a run with its qrels."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from crosscheck.formats.dicts import qrels_from_dict, run_from_dict
from crosscheck.formats.grouping import hashed, seeds
from crosscheck.rankings.pairing import HashIndex, Pairing, homes_within
from tests.support.strategies import qrels_and_run

IDS = st.lists(st.binary(min_size=1, max_size=80).filter(lambda b: b"\0" not in b), min_size=1, max_size=30)


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


@given(IDS, IDS)
def test_hashes_do_not_depend_on_the_column(left, right):
    """An id hashes alike in columns of different width and dtype; only ids meet that are equal, or differ in
    the bit of letter case or in blanks at the end."""
    wide = np.array(left, object)
    narrow = np.array([*right, left[0][:60], left[0][:50].swapcase() + b" "], "S")
    topics = [seeds(np.zeros(len(ids), np.int64)) for ids in (wide, narrow)]
    keys = [hashed(ids, of) for ids, of in zip((wide, narrow), topics, strict=True)]
    places = [homes_within(one, np.zeros(1, np.int64), np.array([len(wide)])) for one in keys]
    rows, entries = HashIndex(keys[0], places[0]).matches(keys[1], places[1])
    met = {(narrow[r], wide[e]) for r, e in zip(rows.tolist(), entries.tolist(), strict=True)}

    def caseless(id):
        return (id.upper() if len(id) > 64 else bytes(byte & 0xDF for byte in id)).rstrip(b"\0")

    assert met == {(n, w) for n in narrow.tolist() for w in left if caseless(n) == caseless(w)}
