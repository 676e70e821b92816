"""Claims about ids as text."""

from __future__ import annotations

from crosscheck.backends.texts import as_texts, topic_rows
from tests.backends.inputs import qrels_of, run_of


def test_both_sides_use_one_encoding() -> None:
    """A docno that is not UTF-8 on one side changes how the other side's are read, so that they meet."""
    qrels = qrels_of({"1": {"\xc3\xa9": 1}})
    assert list(as_texts(qrels, run_of({"1": {"\xc3\xa9": 1.0}})).qrels["1"]) == ["é"]
    texts = as_texts(qrels, run_of({"1": {"\xc3\xa9": 1.0, "\xff": 0.5}}))
    assert list(texts.qrels["1"]) == list(texts.run["1"])[:1] == ["\xc3\xa9"]


def test_topics_lead_back_to_their_bytes() -> None:
    """Every topic of either side, in byte order."""
    texts = as_texts(qrels_of({"b": {"a": 1}, "\xff": {"a": 1}}), run_of({"a": {"a": 1.0}, "b": {"a": 1.0}}))
    assert texts.topics == {"a": b"a", "b": b"b", "\xff": b"\xff"}


def test_topics_without_rows_are_left_out() -> None:
    """An empty dict crashes one library and shifts the results of another."""
    qrels, run = qrels_of({"1": {}, "2": {"a": 1}}), run_of({"2": {"a": 1.0}})
    assert list(as_texts(qrels, run).qrels) == ["2"]
    assert list(topic_rows(qrels)) == [(b"2", slice(0, 1))]


def test_values_are_python_numbers() -> None:
    """Extensions refuse numpy's."""
    texts = as_texts(qrels_of({"1": {"a": 2}}), run_of({"1": {"a": 0.5}}))
    assert type(texts.qrels["1"]["a"]) is int
    assert type(texts.run["1"]["a"]) is float
