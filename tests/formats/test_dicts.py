"""Dicts, columns and JSON become runs and qrels, and become dicts again, without losing a bit."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crosscheck.errors import InputError
from crosscheck.formats.dicts import (
    qrels_from_columns,
    qrels_from_dict,
    qrels_from_json,
    qrels_to_dict,
    run_from_columns,
    run_from_dict,
    run_from_json,
    run_to_dict,
    text_encoding,
)
from crosscheck.formats.trec import read_qrels, read_run

IDS = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=12)
RUNS = st.dictionaries(
    IDS, st.dictionaries(IDS, st.floats(allow_nan=False), min_size=1, max_size=5), min_size=1, max_size=5
)


# ---- dicts ---------------------------------------------------------------------------------------------


@given(RUNS)
def test_a_run_survives_the_round_trip(run: dict[str, dict[str, float]]) -> None:
    """Ids and scores come back exactly; topics in byte order, documents in their own order."""
    back = run_to_dict(run_from_dict(run))
    assert back == run
    assert list(back) == sorted(run, key=str.encode)
    assert all(list(back[topic]) == list(run[topic]) for topic in run)


@given(st.dictionaries(IDS, st.dictionaries(IDS, st.integers(-(2**63), 2**63 - 1), min_size=1), min_size=1))
def test_qrels_survive_the_round_trip(qrels: dict[str, dict[str, int]]) -> None:
    """Relevance levels come back as Python integers, however large."""
    back = qrels_to_dict(qrels_from_dict(qrels))
    assert back == qrels
    assert all(type(rel) is int for levels in back.values() for rel in levels.values())


def test_a_run_from_a_dict_has_no_ranks() -> None:
    """A dict says nothing of ranks and tags; its order is the input order."""
    run = run_from_dict({"b": {"x": 1, "a": 2}, "a": {"y": 3}}, "mine")
    assert run.topics == (b"a", b"b")
    assert run.docnos.tolist() == [b"y", b"x", b"a"]
    assert run.lines.tolist() == [2, 0, 1]
    assert (run.ranks, run.tag, run.source, run.notes) == (None, b"", "mine", ())


def test_numbers_may_be_numpys() -> None:
    """Any numpy or Python number is a score or level; a whole float and a bool are levels."""
    scores = {"a": np.float32(0.1), "b": np.int64(2), "c": np.float64("inf"), "d": 3, "e": np.uint8(4)}
    assert run_from_dict({"q": scores}).scores.tolist() == [float(np.float32(0.1)), 2.0, math.inf, 3.0, 4.0]
    levels = {"a": np.int8(-1), "b": 2.0, "c": True, "d": np.float32(3), "e": np.bool_(False)}
    assert qrels_from_dict({"q": levels}).rels.tolist() == [-1, 2, 1, 3, 0]


def test_ids_may_be_bytes() -> None:
    """bytes, str and surrogateescape text of the same id are the same id."""
    run = run_from_dict({b"q": {b"\xff": 1.0, "é": 2.0, np.str_("n"): 3.0, "\udc80": 4.0}})
    assert run.docnos.tolist() == [b"\xff", "é".encode(), b"n", b"\x80"]


def test_topics_without_documents_are_left_out_and_named() -> None:
    """An empty topic has no row; nothing is lost silently."""
    run = run_from_dict({"a": {}, "b": {"x": 1.0}, "c": {}})
    assert run.topics == (b"b",)
    assert run.notes == ("topics without any document, left out: 2 ('a', 'c')",)


@pytest.mark.parametrize(
    ("value", "parts"),
    [
        ({"q": {"a": 1.0, "b": math.nan}}, ["topic 'q', document 'b'", "NaN"]),
        ({"q": {"a": 1.0}, "r": {"b": "2"}}, ["topic 'r', document 'b'", "type str"]),
        ({"q": {"a": None}}, ["topic 'q', document 'a'", "type NoneType"]),
        ({"q": {"a": True}}, ["topic 'q', document 'a'", "type bool"]),
        ({"q": {"a": 10**400}}, ["topic 'q', document 'a'", "too large"]),
        ({"q": {"a": 10**5000}}, ["topic 'q', document 'a'", "thousands of digits"]),
        ({"q": {"a": 1j}}, ["type complex"]),
        ({"q": {1: 1.0}}, ["an id of type int", "found:    '1'"]),
        ({7: {"a": 1.0}}, ["an id of type int"]),
        ({"q": {"a\0": 1.0}}, ["NUL"]),
        ({"q": {"\ud800": 1.0}}, ["UTF-8"]),
        ({"q": {"a": 1.0, b"a": 2.0}}, ["topic 'q', document 'a'", "rows 1 and 2"]),
        ({"q": {"a": 1.0}, b"q": {"b": 2.0}}, ["same bytes"]),
        ({"q": [("a", 1.0)]}, ["topic 'q'", "type list"]),
        ([("q", {})], ["type list"]),
        ({}, ["no document"]),
        ({"q": {}}, ["no document"]),
    ],
)
def test_a_bad_run_dict_is_named(value: Any, parts: list[str]) -> None:
    """The error names the input, the topic and the document."""
    with pytest.raises(InputError) as caught:
        run_from_dict(value, "my run")
    text = str(caught.value)
    assert text.startswith("my run: ")
    assert all(part in text for part in parts)


@pytest.mark.parametrize("level", [0.5, math.nan, math.inf, "1", None, 2**63, -(2**63) - 1, 1e300])
def test_a_bad_level_is_named(level: Any) -> None:
    """Nothing is rounded: a level that is no integer of 64 bits is an error."""
    with pytest.raises(InputError, match="topic 'q', document 'b'"):
        qrels_from_dict({"q": {"a": 1, "b": level}})


def test_ids_that_are_not_utf8_become_latin1_everywhere(tmp_path: Path) -> None:
    """One encoding for run and qrels keeps them joined, and keeps byte order."""
    (tmp_path / "run").write_bytes(b"q Q0 \xc3\xa9 1 2 t\nq Q0 \xff 2 1 t\n\xe9 Q0 a 1 1 t\n")
    (tmp_path / "qrels").write_bytes(b"q 0 \xc3\xa9 1\n")
    run, qrels = read_run(str(tmp_path / "run")), read_qrels(str(tmp_path / "qrels"))
    assert text_encoding(qrels) == "utf-8"
    assert text_encoding(qrels, run) == "latin-1"
    assert qrels_to_dict(qrels) == {"q": {"é": 1}}
    assert qrels_to_dict(qrels, "latin-1") == {"q": {"\xc3\xa9": 1}}
    assert run_to_dict(run) == {"q": {"\xc3\xa9": 2.0, "\xff": 1.0}, "\xe9": {"a": 1.0}}


@given(st.lists(st.binary(min_size=1, max_size=4), min_size=2))
def test_both_encodings_keep_byte_order(ids: list[bytes]) -> None:
    """Texts sort like the bytes they represent, so ties are broken the same way."""
    assert [text.encode("latin-1") for text in sorted(i.decode("latin-1") for i in ids)] == sorted(ids)
    valid = [i for i in ids if i.decode("utf-8", "replace").encode() == i]
    assert [text.encode() for text in sorted(i.decode() for i in valid)] == sorted(valid)


def test_a_duplicate_cannot_hide_in_a_dict(tmp_path: Path) -> None:
    """A run read without strictness may hold a document twice; a dict would silently drop one."""
    (tmp_path / "run").write_bytes(b"q Q0 a 1 2 t\nq Q0 a 2 1 t\n")
    with pytest.raises(InputError, match="twice"):
        run_to_dict(read_run(str(tmp_path / "run"), strict=False))


# ---- columns -------------------------------------------------------------------------------------------


def test_columns_are_what_evaluate_takes() -> None:
    """Integer queries become their digits; ranks and the last system are kept."""
    run = run_from_columns(
        {
            "query": np.array([2, 2, 1]),
            "q0": ["Q0"] * 3,
            "docid": ["x", "y", "x"],
            "rank": (1, 2, 1.0),
            "score": np.array([3, 2, 1], np.float32),
            "system": ["s", "s", "last"],
        }
    )
    assert run.topics == (b"1", b"2")
    assert run.docnos.tolist() == [b"x", b"x", b"y"]
    assert run.scores.tolist() == [1, 3, 2]
    assert run.ranks is not None
    assert run.ranks.tolist() == [1, 1, 2]
    assert run.lines.tolist() == [2, 0, 1]
    assert run.tag == b"last"
    qrels = qrels_from_columns({"query": ["2", "1", "2"], "docid": [7, 8, 9], "rel": [1, 0, 2.0]})
    assert qrels_to_dict(qrels) == {"1": {"8": 0}, "2": {"7": 1, "9": 2}}


def test_ranks_that_are_not_integers_are_noted() -> None:
    """As in a file: such a rank column orders nothing."""
    run = run_from_columns({"query": [1], "docid": ["a"], "score": [1.0], "rank": ["first"]})
    assert run.ranks is None
    assert any("rank column" in note for note in run.notes)
    assert run_from_columns({"query": [1], "docid": ["a"], "score": [1.0]}).notes == ()


@pytest.mark.parametrize(
    ("change", "part"),
    [
        ({"score": None}, "no column score"),
        ({"score": [1.0]}, "different lengths"),
        ({"rank": [1, 2, 3]}, "different lengths"),
        ({"docid": ["a", "a"]}, "rows 1 and 2"),
        ({"score": [1.0, math.nan]}, "topic '1', document 'b'"),
        ({"query": [1, 1.5]}, "an id of type float"),
        ({"query": [1, True]}, "an id of type bool"),
        ({"docid": "ab"}, "column docid is of type str"),
        ({"query": [], "docid": [], "score": []}, "no document"),
    ],
)
def test_bad_columns_are_named(change: dict[str, Any], part: str) -> None:
    """A missing, short or wrongly typed column is an error of its own."""
    columns = {"query": [1, 1], "docid": ["a", "b"], "score": [1.0, 2.0]} | change
    with pytest.raises(InputError, match=part):
        run_from_columns({name: column for name, column in columns.items() if column is not None})


# ---- JSON ----------------------------------------------------------------------------------------------


@given(RUNS)
def test_json_is_the_same_as_the_dict(run: dict[str, dict[str, float]]) -> None:
    """Infinities included: Python's JSON writes them bare."""
    assert run_to_dict(run_from_json(json.dumps(run).encode(), "f")) == run


@pytest.mark.parametrize(
    ("text", "part"),
    [
        (b'{"q": {"a": 1, "b": 2, "a": 3}}', "found:    'a'"),
        (b'{"q": {"a": 1}, "q": {"b": 1}}', "found:    'q'"),
        (b'{"q":\n {"a": 1,}}', "f:2: invalid JSON"),
        (b'{"q": {"\xff": 1}}', "not UTF-8"),
        (b'{"q": {"a": NaN}}', "topic 'q', document 'a': a NaN score"),
        (b'{"q": {"a": null}}', "type NoneType"),
        (b'{"q": 1}', "topic 'q': a value of type int"),
        (b'{"query": ["1"], "docid": ["a"]}', "no column score"),
        (b"{" + b'"a":{' * 100_000, "JSON"),
        (b'{"q": {"a": ' + b"9" * 5000 + b"}}", "usable JSON"),
    ],
)
def test_bad_json_is_named(text: bytes, part: str) -> None:
    """No JSON, one key twice, or values of other types: always an input error with the file's name."""
    with pytest.raises(InputError) as caught:
        run_from_json(text, "f")
    assert str(caught.value).startswith("f")
    assert part in str(caught.value)


def test_qrels_in_json() -> None:
    """The same two forms for judgements."""
    assert qrels_to_dict(qrels_from_json(b'{"1": {"a": 1.0, "b": -1}}', "f")) == {"1": {"a": 1, "b": -1}}
    with pytest.raises(InputError, match="not a whole number"):
        qrels_from_json(b'{"1": {"a": 0.5}}', "f")
