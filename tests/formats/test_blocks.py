"""The fast block reader is the plain parser, on any bytes, and so are its errors."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from crosscheck.errors import InputError
from crosscheck.formats import blocks, reference_reader
from crosscheck.formats.grouping import GroupedRows
from crosscheck.formats.reference_reader import QRELS_LINES, RUN_LINES, Rules

RULES = st.builds(Rules, strict=st.booleans(), comments=st.booleans(), subtopics=st.booleans())
BLANK = st.sampled_from([b" ", b"\t"])
ODD_BLANK = st.sampled_from([b" ", b"\t", b"  ", b" \t ", b"\r", b"\v", b"\f", b""])
ID = st.one_of(
    st.sampled_from(
        [b"1", b"2", b"10", b"q", b"\xff\x80", b"#1", b"\x1c", b"\x85", b"\xc2\xa0", b"d" * 64, b"d" * 65]
    ),
    st.binary(min_size=1, max_size=20).map(lambda b: bytes(max(c, 33) for c in b)),
)
GOOD_NUMBER = st.sampled_from([b"1", b"0", b"-1", b"2", b"12345678", b"+3"])
ODD_NUMBER = st.sampled_from(
    [b"1", b"0", b"-1", b"2.5", b"0.123456", b"-0.0", b"12345678", b"123456789", b"0.1028061925688567",
     b"1234567.12345678901234567890", b"1e5", b"1e999", b"inf", b"nan", b"-nan", b"0x1p3", b"abc", b"1.5junk",
     b"1_0", b"+3", b".", b"-", b".5", b"5.", b"9223372036854775807", b"9223372036854775808", b"-9" * 20]
)  # fmt: skip


NUMBER = st.one_of(GOOD_NUMBER, GOOD_NUMBER, GOOD_NUMBER, ODD_NUMBER)


def lines(columns: Sequence[st.SearchStrategy[bytes]]) -> st.SearchStrategy[bytes]:
    """Text of mostly regular lines of these columns, with everything thrown in that a file may hold."""

    @st.composite
    def line(draw: st.DrawFn) -> bytes:
        if draw(st.integers(0, 5)):
            return draw(BLANK).join(draw(column) for column in columns)
        more = [draw(column) for column in columns] + draw(st.lists(ID, max_size=2))
        few = more[: draw(st.integers(0, len(more)))] if draw(st.booleans()) else more
        return draw(ODD_BLANK) + b"".join(token + draw(ODD_BLANK) for token in few)

    odd = st.sampled_from([b"", b" ", b"\r", b"# x", b" # x", b"q 0 d\x00 1", b"\xef\xbb\xbf1 0 d 1"])
    several = st.lists(st.one_of(line(), line(), line(), odd), max_size=30)
    return st.builds(
        lambda some, end: b"\n".join(some) + end, several, st.sampled_from([b"", b"\n", b"\r\n"])
    )


RUN_TEXT = st.one_of(st.binary(), lines([ID, ID, ID, NUMBER, NUMBER, ID]))
QRELS_TEXT = st.one_of(st.binary(), lines([ID, ID, ID, NUMBER]))


def rows_of_run(parts: Sequence[Any]) -> list[tuple[object, ...]]:
    """Every row with its topic, exactly: doubles as bits."""
    rows: list[tuple[object, ...]] = []
    for part in parts:
        bounds = [*part.starts.tolist(), len(part.docnos)]
        topics = [t for t, a, b in zip(part.topics, bounds, bounds[1:], strict=False) for _ in range(a, b)]
        values = part.values.view(np.int64).tolist()
        rows += zip(part.lines, topics, part.docnos.tolist(), values, strict=True)
    return rows


def outcome(read: Any) -> object:
    """The result of reading: the rows and other fields of a block, or the text of the error."""
    try:
        parts = [part for part in read() if part is not None]
    except InputError as error:
        return str(error)
    odd = [getattr(part, "odd_rank", None) for part in parts]
    ranks = [getattr(part, "ranks", None) for part in parts]
    known = (
        None
        if any(o is not None for o in odd)
        else [int(r) for part in ranks if part is not None for r in part]
    )
    tag = getattr(parts[-1], "tag", None) if parts else None
    columns = [getattr(part, "subtopics", None) for part in parts]
    subtopics = [name for column in columns if column is not None for name in column.tolist()]
    return rows_of_run(parts), known, next((o for o in odd if o is not None), None), tag, subtopics


@settings(max_examples=400, deadline=None)
@given(RUN_TEXT, RULES, st.sampled_from([1, 50, 1000, 1 << 20]))
@example(b"1 0 d 1 2 t\n1 0 e 2 1 t", Rules(), 1)
@example(b"1 0 d 1 2 t\n1 0 e 2 nan t\n", Rules(), 1000)
@example(b"1 0 d 1 2 t\n1 0 e 2 2x t\n", Rules(), 1000)
@example(b"1 0 d 1 2\n1 0 d 1 2 t more\n", Rules(), 1000)
@example(b"1 0 d x 2 t\n1 0 d 1 2 t\n", Rules(), 1)
def test_run_blocks_are_the_plain_parser(text: bytes, rules: Rules, size: int) -> None:
    """Whatever the bytes and the block size: same rows, same bits, same notes, or the same error text."""
    fast = outcome(lambda: blocks.read_blocks(io.BytesIO(text), "f", RUN_LINES, rules, size))
    assert fast == outcome(lambda: [reference_reader.block(text, "f", RUN_LINES, rules)])


@settings(max_examples=400, deadline=None)
@given(QRELS_TEXT, RULES, st.sampled_from([1, 50, 1000, 1 << 20]))
@example(b"1 0 d 1\n1 0 d 1.5\n", Rules(), 1000)
@example(b"1 0 d\n1 0 d 1 2\n", Rules(), 1000)
def test_qrels_blocks_are_the_plain_parser(text: bytes, rules: Rules, size: int) -> None:
    """The same for qrels."""
    fast = outcome(lambda: blocks.read_blocks(io.BytesIO(text), "f", QRELS_LINES, rules, size))
    assert fast == outcome(lambda: [reference_reader.block(text, "f", QRELS_LINES, rules)])


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("blanks", b"1 0 d 1 2.5 t\n" * 5),
        ("tabs", b"1\t0\td\t1\t2.5\tt\n" * 5),
        ("crlf", b"1 0 d 1 2.5 t\r\n" * 5),
        ("aligned", b" 1  0\t d 1   2.5 t \n" * 5),
        ("exponents", b"1 0 d 1 2.5e-3 t\n" * 5),
        ("no final newline", b"1 0 d 1 2.5 t\n1 0 e 1 2.5 t"),
    ],
)
def test_common_layouts_never_need_the_plain_parser(
    name: str, text: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Layouts that real files have are read by the fast path."""

    def refuse(*_: object) -> None:
        raise AssertionError(f"{name}: the plain parser was called")

    monkeypatch.setattr(reference_reader, "block", refuse)
    assert sum(
        len(block.docnos) for block in blocks.read_blocks(io.BytesIO(text), "f", RUN_LINES, Rules())
    ) in (2, 5)


def test_a_topic_that_spans_blocks_is_one_topic() -> None:
    """Blocks are cut at lines, not at topics; grouping puts the parts together again."""
    text = b"".join(b"1 0 d%d 1 2 t\n" % i for i in range(100))
    parts = list(blocks.read_blocks(io.BytesIO(text), "f", RUN_LINES, Rules(), 200))
    grouping = GroupedRows.of(parts).grouping
    assert len(parts) > 5
    assert grouping.topics == (b"1",)
    assert grouping.offsets.tolist() == [0, 100]


def test_yielded_columns_survive_the_next_block() -> None:
    """The buffer is used again for every block; no column of an earlier block may point into it."""
    text = b"".join(b"%d 0 doc%d %d %d.5 tag\n" % (i // 7, i, i, i) for i in range(300))
    parts = list(blocks.read_blocks(io.BytesIO(text), "f", RUN_LINES, Rules(), 100))
    assert [docno for part in parts for docno in part.docnos.tolist()] == [b"doc%d" % i for i in range(300)]
    assert [score for part in parts for score in part.values.tolist()] == [i + 0.5 for i in range(300)]
