"""Dicts, columns, frames and JSON become runs and qrels, and dicts again, without losing a bit."""

import json
import math
from collections import namedtuple
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crosscheck.engine.conversion import as_qrels, as_run
from crosscheck.errors import InputError
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
from crosscheck.formats.trec import read_qrels, read_run
from tests.formats.test_trec import columns, shown, told
from tests.support.kept import REMEDY, Kept

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


#: Rows as ir_measures has them, and with fields in an order of its own; and a run as ranx has it.
Qrel = namedtuple("Qrel", "query_id doc_id relevance iteration")
ScoredDoc = namedtuple("ScoredDoc", "doc_id query_id score")
EXPORTED = SimpleNamespace(to_dict=lambda: {"1": {"a": 2}})


def run_from_json(data):
    return run_from_value(json_value(data, "f", "JSON"), "f")


def qrels_from_json(data):
    return qrels_from_value(json_value(data, "f", "JSON"), "f")


def example(reader, **options):
    return lambda given, show=shown: told(reader(given, **options), show)


READERS = (run_from_dict, qrels_from_dict, run_from_columns, qrels_from_columns, as_run, as_qrels)
EXAMPLES = Kept(
    __file__,
    **{reader.__name__: example(reader) for reader in (*READERS, run_from_json, qrels_from_json)},
    preferences=example(qrels_from_dict, needs="preferences"),
    subtopics=example(qrels_from_dict, needs="subtopics"),
    columns_of_subtopics=example(qrels_from_columns, needs="subtopics"),
    columns=columns,
    np=np,
    math=math,
    Qrel=Qrel,
    ScoredDoc=ScoredDoc,
    EXPORTED=EXPORTED,
)


def test_examples():
    """Rows, or the topic and the document, or the column, that cannot be used; never a traceback."""
    assert EXAMPLES.anew() == EXAMPLES.read(), REMEDY


#: Topic, subtopic, docno and level.
Row = tuple[str, str, str, int]
ROWS: list[Row] = [("2", "b", "x", 1), ("1", "b", "x", 0), ("1", "a", "y", 2), ("1", "a", "x", 3)]
BY_SUBTOPIC = "1 b x 0, 1 a x 3, 1 a y 2, 2 b x 1"

KEYS = st.tuples(st.sampled_from("12a"), st.sampled_from(["0", "1", "z" * 70]), st.sampled_from("uvwxyz"))


@given(st.dictionaries(KEYS, st.integers(-2, 4), min_size=1), st.randoms())
def test_judgements_per_subtopic_are_those_of_a_dict(table, shuffle):
    """Whatever the order of the rows; for other measures a document has its highest level."""
    some = [(*key, level) for key, level in table.items()]
    shuffle.shuffle(some)
    qrels = as_qrels(tuple(map(list, zip(*some, strict=True))), needs="subtopics")
    highest: dict[str, dict[str, int]] = {}
    for topic, _, docno, level in some:
        known = highest.setdefault(topic, {})
        known[docno] = max(level, known.get(docno, level))
    assert dict_of(qrels) == highest
    several = any(len({row[1] for row in some if row[0] == topic}) > 1 for topic in highest)
    assert (qrels.subtopics is not None) == several
    if several:
        assert sorted(shown(qrels).split(", ")) == sorted(" ".join(map(str, row)) for row in some)


def frame(library, columns):
    module = pytest.importorskip(library, reason=f"{library} is not installed")
    return (getattr(module, "DataFrame", None) or module.table)(columns)


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
@pytest.mark.parametrize(
    "names",
    [
        ("query", "subtopic", "docid", "rel", "score"),
        ("query_id", "iteration", "doc_id", "relevance", "score"),
        ("qid", "subtopic_id", "docno", "label", "score"),
    ],
)
def test_frames_of_any_library_are_read(library, names):
    """With our names of columns, ir_measures', pyndeval's and PyTerrier's; subtopics may be absent."""
    columns = list(map(list, zip(*ROWS, strict=True)))
    qrels = frame(library, dict(zip(names, columns, strict=False)))
    assert shown(as_qrels(qrels, needs="subtopics")) == BY_SUBTOPIC
    topics, _, docnos, levels = (column[:3] for column in columns)
    run = frame(library, dict(zip((names[0], names[2], names[4]), (topics, docnos, levels), strict=True)))
    assert shown(as_run(run)) == "1 x 0.0, 1 y 2.0, 2 x 1.0"
    plain = frame(library, dict(zip((names[0], names[2], names[3]), (topics, docnos, levels), strict=True)))
    assert shown(as_qrels(plain, needs="subtopics")) == "1 x 0, 1 y 2, 2 x 1"
    terrier = {"query": ["some words"] * 3, "qid": topics, "docid": [7, 8, 9], "docno": docnos}
    terrier["rank"] = [2, 0, 1]
    assert shown(as_run(frame(library, terrier))) == "1 x 0.0, 1 y -1.0, 2 x -2.0"
    with pytest.raises(InputError, match="no column docno"):
        as_run(frame(library, {"query": ["1"], "text": ["a"], "score": [1.0]}))


def test_paths_records_and_streams_are_taken(tmp_path):
    """A path as text or Path, what readers return, and a stream that only speaks the Arrow interface."""
    table = {"1": {"a": 1.0, "b": 2.0}, "2": {"c": 1.5}}
    (tmp_path / "run").write_text("1 Q0 a 2 1.0 t\n1 Q0 b 1 2.0 t\n2 Q0 c 1 1.5 t\n")
    given: list[Any] = [tmp_path / "run", str(tmp_path / "run"), as_run(table), table]
    pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    columns = pyarrow.table({"query": ["1", "1", "2"], "docid": ["a", "b", "c"], "score": [1.0, 2.0, 1.5]})

    class Stream:
        def __arrow_c_stream__(self, requested_schema=None):
            return columns.__arrow_c_stream__(requested_schema)

    for run in (*given, Stream()):
        assert shown(as_run(run)) == "1 a 1.0, 1 b 2.0, 2 c 1.5"


def test_ids_that_are_not_utf8_become_latin1_everywhere(tmp_path):
    """One encoding for run and qrels keeps them joined."""
    (tmp_path / "run").write_bytes(b"q Q0 \xc3\xa9 1 2 t\nq Q0 \xff 2 1 t\n\xe9 Q0 a 1 1 t\n")
    (tmp_path / "qrels").write_bytes(b"q 0 \xc3\xa9 1\n")
    run, qrels = read_run(str(tmp_path / "run")), read_qrels(str(tmp_path / "qrels"))
    assert (text_encoding(qrels), text_encoding(qrels, run)) == ("utf-8", "latin-1")
    assert dict_of(qrels) == {"q": {"é": 1}}
    assert to_dict(qrels, "latin-1") == {"q": {"\xc3\xa9": 1}}
    assert dict_of(run) == {"q": {"\xc3\xa9": 2.0, "\xff": 1.0}, "\xe9": {"a": 1.0}}


def test_a_duplicate_cannot_hide_in_a_dict(tmp_path):
    """A run read without strictness may hold a document twice; a dict would silently drop one."""
    (tmp_path / "run").write_bytes(b"q Q0 a 1 2 t\nq Q0 a 2 1 t\n")
    with pytest.raises(InputError, match="twice"):
        dict_of(read_run(str(tmp_path / "run"), strict=False))
