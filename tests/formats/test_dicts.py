"""Dicts, columns, frames and JSON become runs and qrels, and dicts again, without losing a bit."""

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from crosscheck.engine.conversion import as_qrels, as_run
from crosscheck.formats.dicts import (
    json_value,
    qrels_from_columns,
    qrels_from_dict,
    qrels_from_value,
    run_from_columns,
    run_from_dict,
    run_from_value,
    text_encoding,
    to_dict,
)
from tests.formats.test_trec import shown, told
from tests.support.kept import Kept, frame

IDS = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1, max_size=12)
RUNS = st.dictionaries(
    IDS, st.dictionaries(IDS, st.floats(allow_nan=False), min_size=1, max_size=5), min_size=1, max_size=5
)
LEVELS = st.dictionaries(IDS, st.dictionaries(IDS, st.integers(-(2**63), 2**63 - 1), min_size=1), min_size=1)


def dict_of(table):
    return to_dict(table, text_encoding(table))


@given(RUNS, LEVELS)
def test_the_round_trip_is_exact(run, qrels):
    """Ids, scores and levels come back exactly, from dicts and from JSON; topics in byte order."""
    for made in (run_from_dict(run), run_from_json(json.dumps(run).encode())):
        back = dict_of(made)
        assert back == run
        assert list(back) == sorted(run, key=str.encode)
        assert all(list(back[topic]) == list(run[topic]) for topic in run)
    levels = dict_of(qrels_from_dict(qrels))
    assert levels == qrels
    assert all(type(rel) is int for held in levels.values() for rel in held.values())


def run_from_json(data):
    return run_from_value(json_value(data, "f", "JSON"), "f")


def qrels_from_json(data):
    return qrels_from_value(json_value(data, "f", "JSON"), "f")


def example(reader, **options):
    return lambda given, show=shown: told(reader(given, **options), show)


def per_subtopic(reader):
    return example(reader, needs="subtopics")


READERS = (run_from_dict, qrels_from_dict, run_from_columns, qrels_from_columns, as_run, as_qrels)
NAMES: dict[str, Any] = {one.__name__: example(one) for one in (*READERS, run_from_json, qrels_from_json)}
NAMES |= {"preferences": example(qrels_from_dict, needs="preferences")}
NAMES |= {
    "subtopics": per_subtopic(qrels_from_dict),
    "qrels_per_subtopic": per_subtopic(as_qrels),
    "columns_of_subtopics": per_subtopic(qrels_from_columns),
}
EXAMPLES = Kept(__file__, within=(NAMES,), dict_of=dict_of, frame=frame)
test_examples = EXAMPLES.test()


KEYS = st.tuples(st.sampled_from("12a"), st.sampled_from(["0", "1", "z" * 70]), st.sampled_from("uvwxyz"))


@given(st.dictionaries(KEYS, st.integers(-2, 4), min_size=1), st.randoms())
def test_judgements_per_subtopic_are_those_of_a_dict(table, shuffle):
    """Whatever the order of the rows; for other measures a document has its highest level."""
    some = [(*key, level) for key, level in table.items()]
    shuffle.shuffle(some)
    topics, subtopics, docnos, levels = map(list, zip(*some, strict=True))
    qrels = as_qrels((topics, subtopics, docnos, levels), needs="subtopics")
    highest: dict[str, dict[str, int]] = {}
    for topic, _, docno, level in some:
        known = highest.setdefault(topic, {})
        known[docno] = max(level, known.get(docno, level))
    assert dict_of(qrels) == highest
    several = any(len({row[1] for row in some if row[0] == topic}) > 1 for topic in highest)
    assert (qrels.subtopics is not None) == several
    if several:
        assert sorted(shown(qrels).split(", ")) == sorted(" ".join(map(str, row)) for row in some)
