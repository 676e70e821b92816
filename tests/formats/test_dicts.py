"""Dicts, columns, frames and JSON become runs and qrels, and dicts again, without losing a bit."""

import json
import math
from collections import namedtuple
from functools import partial
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
from tests.formats.test_trec import shown

IDS = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=12)
RUNS = st.dictionaries(
    IDS, st.dictionaries(IDS, st.floats(allow_nan=False), min_size=1, max_size=5), min_size=1, max_size=5
)
LEVELS = st.dictionaries(IDS, st.dictionaries(IDS, st.integers(-(2**63), 2**63 - 1), min_size=1), min_size=1)


def dict_of(table):
    return to_dict(table, text_encoding(table))


@given(RUNS, LEVELS)
def test_the_round_trip_is_exact(run, qrels):
    """Ids, scores and levels come back exactly, from dicts and from JSON; topics in byte order."""
    for made in (run_from_dict(run), run_from_json(json.dumps(run).encode(), "f")):
        back = dict_of(made)
        assert back == run
        assert list(back) == sorted(run, key=str.encode)
        assert all(list(back[topic]) == list(run[topic]) for topic in run)
    levels = dict_of(qrels_from_dict(qrels))
    assert levels == qrels
    assert all(type(rel) is int for held in levels.values() for rel in held.values())


RANKED = {
    "query": np.array([2, 2, 1]), "q0": ["Q0"] * 3, "docid": ["x", "y", "x"], "rank": (1, 2, 3.0),
    "score": np.array([3, 2, 1], np.float32), "system": ["s", "s", "last"],
}  # fmt: skip


def from_json(read, data, source):
    return read(json_value(data, source, ""), source)


preferences = partial(qrels_from_dict, needs="preferences")
subtopics, columns_of_subtopics = (
    partial(f, needs="subtopics") for f in (qrels_from_dict, qrels_from_columns)
)
run_from_json, qrels_from_json = partial(from_json, run_from_value), partial(from_json, qrels_from_value)


def test_what_belongs_to_the_rows():
    """A dict has neither ranks nor tag; columns may have both, and what is odd is noted."""
    run = run_from_dict({"b": {"x": 1, "a": 2}, "c": {}, "a": {"y": 3}}, "mine")
    assert (run.lines.tolist(), run.ranks, run.tag, run.source) == ([2, 0, 1], None, b"", "mine")
    assert run.notes == ("topics without any document are left out: 1 ('c')",)
    run = run_from_columns(RANKED)
    assert run.ranks is not None
    assert (run.lines.tolist(), run.ranks.tolist(), run.tag) == ([2, 0, 1], [3, 1, 2], b"last")
    assert run.notes == ("the lines have 2 different tags ('s', 'last'); they are read as one run",)
    for odd in ("x", True, 1.5, 2**63):
        run = run_from_columns({"query": [1], "docid": ["a"], "score": [1.0], "rank": [odd]})
        said = f"the rank column contains a value that is not an integer ({odd!r}), so it is ignored"
        assert (run.ranks, run.notes) == (None, (said,))


#: Rows as ir_measures has them, and with fields in an order of its own; and a run as ranx has it.
Qrel = namedtuple("Qrel", "query_id doc_id relevance iteration")
ScoredDoc = namedtuple("ScoredDoc", "doc_id query_id score")
EXPORTED = SimpleNamespace(to_dict=lambda: {"1": {"a": 2}})

NUMBERS = {"a": np.float32(0.1), "b": np.int64(2), "c": np.float64("inf"), "d": 3, "e": np.uint8(4)}
KINDS = {"a": np.int8(-1), "b": 2.0, "c": True, "d": np.float32(3), "e": np.bool_(False)}
LISTS = {"query": ["2", "1", "2"], "docid": [7, 8, 9], "rel": [1, 0, 2.0]}


@pytest.mark.parametrize(
    ("read", "given", "expected"),
    [
        (run_from_dict, {"q": NUMBERS}, f"q a {float(np.float32(0.1))}, q b 2.0, q c inf, q d 3.0, q e 4.0"),
        (qrels_from_dict, {"q": KINDS}, "q a -1, q b 2, q c 1, q d 3, q e 0"),
        (run_from_dict, {b"q": {b"\xff": 1, "é": 2, "\udc80": 4}}, r"q \xff 1.0, q é 2.0, q \x80 4.0"),
        (run_from_columns, RANKED, "1 x 1.0, 2 x 3.0, 2 y 2.0"),
        (qrels_from_columns, LISTS, "1 8 0, 2 7 1, 2 9 2"),
        (as_qrels, (["2", "1"], ["a", "b"], [1, 0]), "1 b 0, 2 a 1"),
        (as_run, (np.array([2, 1]), np.array(["a", "b"]), np.array([1.5, 2])), "1 b 2.0, 2 a 1.5"),
        (as_run, {"qid": ["1"], "docno": ["a"], "similarity": [2]}, "1 a 2.0"),
        (as_run, {"query-id": ["1"], "Document": ["a"], "position": [2]}, "1 a -2.0"),
        (run_from_dict, {1: {10: 1, np.int64(2): 3}}, "1 10 1.0, 1 2 3.0"),
        (as_run, {"qid": [1, 1], "docno": ["a", "b"], "rank": [2, np.float64(1)]}, "1 a -2.0, 1 b -1.0"),
        (as_run, {"qid": [1], "docno": ["a"], "rank": [2], "score": [0.5]}, "1 a 0.5"),
        (as_run, iter([("1", "a", 1.5), (1, "b", 2)]), "1 a 1.5, 1 b 2.0"),
        (as_run, [ScoredDoc(doc_id="a", query_id="1", score=1.5)], "1 a 1.5"),
        (as_qrels, iter([Qrel("1", "a", 2, "0")]), "1 a 2"),
        (as_run, [{"qid": "1", "docno": "a", "score": 2}, {"qid": 1, "docno": "b", "score": 1}],
         "1 a 2.0, 1 b 1.0"),
        (as_qrels, EXPORTED, "1 a 2"),
        (preferences, {"1": {"g": {"s": {"x": -1.5, "y": 2.9}, "t": {"x": 1}}}}, "1 x 1, 1 y 2"),
    ],
)  # fmt: skip
def test_objects_become_rows(read, given, expected):
    """Any Python or numpy number, ids as text, bytes or integers, columns of any name in use, rows."""
    assert shown(read(given)) == expected


COLUMNS: dict[str, Any] = {"query": [1, 1], "docid": ["a", "b"], "score": [1.0, 2.0]}
PER_SUBTOPIC = {"query": [1, 1], "subtopic": ["a", "a"], "docid": ["x", "x"], "rel": [1, 0]}


@pytest.mark.parametrize(
    ("read", "given", "said"),
    [
        (run_from_dict, {"q": {"a": 1.0, "b": math.nan}}, "run: topic 'q', document 'b': the score is NaN"),
        (run_from_dict, {"q": {"a": 1.0}, "r": {"b": "2"}}, "'b': expected a number as score, got str"),
        (run_from_dict, {"q": {"a": None}}, "topic 'q', document 'a': expected a number as score, got None"),
        (run_from_dict, {"q": {"a": True}}, "expected a number as score, got bool"),
        (run_from_dict, {"q": {"a": 2**1024 - 2**970 - 1, "b": 2**1024 - 2**970}},
         "document 'b': the score is too large for a float|expected: a number as score"),
        (run_from_dict, {"q": {"a": 10**5000}}, "an integer of thousands of digits"),
        (run_from_dict, {"q": {1.0: 1}}, "an id has the type float|found:    '1.0'|expected: text, bytes"),
        (run_from_dict, {True: {"a": 1.0}}, "an id has the type bool"),
        (run_from_dict, {7: {"a": 1.0}, "7": {"b": 1.0}}, "two topic ids are spelt alike"),
        (run_from_dict, {7: {1: 1.0, "1": 2.0}}, "topic '7', document '1' occurs twice"),
        (as_run, {"qid": [1, 1], "docno": [1, 2], "rank": [1, "x"]}, "'2': expected a number as score"),
        (run_from_dict, {"q": {"a\0": 1.0}}, "an id contains a NUL byte"),
        (run_from_dict, {"q": {"\ud800": 1.0}}, "an id cannot be encoded as UTF-8"),
        (run_from_dict, {"q": [("a", 1.0)]}, "topic 'q': the value must be a mapping, not list"),
        (run_from_dict, {"q": {}}, "there is no document in this input"),
        *((qrels_from_dict, {"q": {"a": 1, "b": level}}, "topic 'q', document 'b'")
          for level in (0.5, math.nan, math.inf, "1", None, 2**63, -(2**63) - 1, 1e300)),
        (run_from_columns, {"query": [], "docid": []}, "there is no column score"),
        (run_from_columns, COLUMNS | {"score": [1.0]}, "the columns have different lengths|docid: 2, s"),
        (run_from_columns, COLUMNS | {"docid": ["a", "a"]}, "rows 1 and 2"),
        (run_from_columns, COLUMNS | {"query": [1, 1.5]}, "an id has the type float"),
        (run_from_columns, COLUMNS | {"docid": "ab"}, "column docid is of type str"),
        (run_from_columns, {"query": [], "docid": [], "score": []}, "there is no document in this input"),
        (run_from_json, b'{"q": {"a": 1, "b": 2, "a": 3}}', "f: one key twice|found:    'a'"),
        (run_from_json, b'{"q":\n {"a": 1,}}', "f:2: invalid JSON"),
        (run_from_json, b'{"q": {"\xff": 1}}', "f: invalid JSON: the text is not UTF-8"),
        (run_from_json, b"[1]", "must be a mapping, not list"),
        (run_from_json, b'{"query": ["1"], "docid": ["a"]}', "not the columns of a run|qid, docid, score"),
        (run_from_json, b'{"1": ["a", "b"], "2": ["c"]}', "columns of a run|write {topic: {docno: score}}"),
        (qrels_from_json, b'[{"qid": "1", "results": []}]', "columns of qrels|write {topic: {docno: level}}"),
        (run_from_json, b'{"columns": ["qid"], "index": [0], "data": [[1]]}', 'orient="records"'),
        (run_from_json, b'{"qid": {"0": "1"}, "docid": {"0": "a"}, "score": {"0": 2}}', 'orient="records"'),
        (run_from_json, b'{"1": {"a": "2.5"}}', "expected a number as score, got str|without quotes"),
        (run_from_json, b"{" + b'"a":{' * 100_000, "JSON"),
        (run_from_json, b'{"q": {"a": ' + b"9" * 5000 + b"}}", "the JSON cannot be read"),
        (qrels_from_json, b'{"1": {"a": 0.5}}', "level is not a whole number|were qrels and run swapped?"),
        (as_run, ([], []), "expected 3 columns, got 2|topics, docnos, scores"),
        (as_run, ([1], ["a"], [1.0], [2]), "expected 3 columns, got 4"),
        (as_qrels, ([], []), "expected 3 columns, got 2|subtopics may follow the topics"),
        (as_run, {"qid": ["1"], "docid": ["a"], "x": [1]}, "no column score|sim, rank or position"),
        (as_run, {"qid": ["1"], "docid": ["a"], "rel": [1]}, "no column score|is it qrels?"),
        (as_qrels, {"qid": ["1"], "docid": ["a"], "score": [1]}, "no column rel|is it a run?"),
        (as_run, iter(()), "there is no document in this input"),
        (preferences, {"1": {"x": 1.5, "y": 10**400}}, "document 'y': the level is too large for a float"),
        (subtopics, {"1": {"a": {"x": 1}, "b": 2}}, "a level is nested under 2 keys"),
        (subtopics, {"1": {"a": {"x": 1}}, "2": 3}, "a level is nested under 1 key\n"),
        (subtopics, {"1": {"a": {"x": 0.5}}}, "not a whole number"),
        (subtopics, {"1": {"a": {}}}, "there is no document in this input"),
        (columns_of_subtopics, PER_SUBTOPIC | {"docid": "xx"}, "column docid is of type str"),
        (columns_of_subtopics, PER_SUBTOPIC, "per topic and subtopic"),
    ],
)  # fmt: skip
def test_what_cannot_be_used_is_named(read, given, said):
    """The input, the topic and the document, or the column; never a traceback, nothing is rounded."""
    with pytest.raises(InputError) as caught:
        read(given, "f") if isinstance(given, bytes) else read(given)
    text = str(caught.value).replace("one key occurs twice in a JSON object", "one key twice")
    assert [part for part in said.split("|") if part not in text] == []


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
