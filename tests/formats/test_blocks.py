"""The fast block reader is the plain parser, on any bytes, and so are its errors."""

import io

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from crosscheck.errors import InputError
from crosscheck.formats import blocks, reference_reader
from crosscheck.formats.blocks import PADDING, decimals, integers
from crosscheck.formats.reference_reader import QRELS_LINES, RUN_LINES, Layout, Rules
from tests.support.kept import Absent, Kept

RULES = st.builds(Rules, strict=st.booleans(), comments=st.booleans(), subtopics=st.booleans())
BLANK = st.sampled_from([b" ", b"\t"])
ODD_BLANK = st.sampled_from([b" ", b"\t", b"  ", b" \t ", b"\r", b"\v", b"\f", b""])
ODD_IDS = [b"1", b"2", b"10", b"q", b"\xff\x80", b"#1", b"\x1c", b"\x85", b"\xc2\xa0", b"d" * 64, b"d" * 65]
ANY_ID = st.binary(min_size=1, max_size=20).map(lambda b: bytes(max(c, 33) for c in b))
ID = st.one_of(st.sampled_from(ODD_IDS), ANY_ID)
GOOD_NUMBER = st.sampled_from([b"1", b"0", b"-1", b"2", b"12345678", b"+3"])
ODD_NUMBER = st.sampled_from(
    [b"1", b"0", b"-1", b"2.5", b"0.123456", b"-0.0", b"12345678", b"123456789", b"0.1028061925688567",
     b"1234567.12345678901234567890", b"1e5", b"1e999", b"inf", b"nan", b"-nan", b"0x1p3", b"abc", b"1.5junk",
     b"1_0", b"+3", b".", b"-", b".5", b"5.", b"9223372036854775807", b"9223372036854775808", b"-9" * 20]
)  # fmt: skip

NUMBER = st.one_of(GOOD_NUMBER, GOOD_NUMBER, GOOD_NUMBER, ODD_NUMBER)


def lines(columns):
    """Text of mostly regular lines of these columns, with everything thrown in that a file may hold."""

    @st.composite
    def line(draw):
        if draw(st.integers(0, 5)):
            return draw(BLANK).join(draw(column) for column in columns)
        more = [draw(column) for column in columns] + draw(st.lists(ID, max_size=2))
        few = more[: draw(st.integers(0, len(more)))] if draw(st.booleans()) else more
        return draw(ODD_BLANK) + b"".join(token + draw(ODD_BLANK) for token in few)

    odd = st.sampled_from([b"", b" ", b"\r", b"# x", b" # x", b"q 0 d\x00 1", b"\xef\xbb\xbf1 0 d 1"])
    several = st.lists(st.one_of(line(), line(), line(), odd), max_size=30)
    ends = st.sampled_from([b"", b"\n", b"\r\n"])
    return st.builds(lambda some, end: b"\n".join(some) + end, several, ends)


def outcome(read):
    """The result of reading: every row with its topic, doubles as bits, or the text of the error."""
    try:
        parts = [part for part in read() if part is not None]
    except InputError as error:
        return str(error)
    rows: list[tuple[object, ...]] = []
    for part in parts:
        bounds = [*part.starts.tolist(), len(part.docnos)]
        topics = [t for t, a, b in zip(part.topics, bounds, bounds[1:], strict=False) for _ in range(a, b)]
        values = part.values.view(np.int64).tolist()
        rows += zip(part.lines, topics, part.docnos.tolist(), values, strict=True)
    odd = next((part.odd_rank for part in parts if part.odd_rank is not None), None)
    ranks = [int(r) for part in parts if part.ranks is not None for r in part.ranks] if odd is None else None
    second = [name for part in parts if part.subtopics is not None for name in part.subtopics.tolist()]
    return rows, ranks, odd, parts[-1].tag if parts else None, second


RUN_TEXT = st.one_of(st.binary(), lines([ID, ID, ID, NUMBER, NUMBER, ID]))
LAYOUTS = [
    Layout(noun=noun, columns=tuple(columns.split()), hint=lambda *_: "")
    for noun, columns in [
        ("run", "topic docno rank"), ("run", "topic docno rank score"), ("run", "docno _ topic score"),
        ("run", "tag topic docno score"),
        ("qrels", "topic docno"), ("qrels", "topic docno relevance"), ("qrels", "topic iteration docno"),
    ]
]  # fmt: skip


def text_of(layout):
    columns = [NUMBER if name in ("rank", "score", "relevance") else ID for name in layout.columns]
    return st.tuples(st.just(layout), st.one_of(st.binary(), lines(columns)))


TEXTS = st.one_of(
    st.sampled_from(LAYOUTS).flatmap(text_of),
    st.tuples(st.just(RUN_LINES), RUN_TEXT),
    st.tuples(st.just(QRELS_LINES), st.one_of(st.binary(), lines([ID, ID, ID, NUMBER]))),
)


@settings(max_examples=300, deadline=None)
@given(TEXTS, RULES, st.sampled_from([1, 50, 1000, 1 << 20]))
@example((RUN_LINES, b"1 0 d 1 2 t\n1 0 e 2 1 t"), Rules(), 1)
@example((RUN_LINES, b"1 0 d 1 2 t\n1 0 e 2 nan t\n"), Rules(), 1000)
@example((RUN_LINES, b"1 0 d 1 2 t\n1 0 e 2 2x t\n"), Rules(), 1000)
@example((RUN_LINES, b"1 0 d 1 2\n1 0 d 1 2 t more\n"), Rules(), 1000)
@example((RUN_LINES, b"1 0 d x 2 t\n1 0 d 1 2 t\n"), Rules(), 1)
@example((LAYOUTS[3], b"s 1 d 1\nt 1 e 2\n"), Rules(), 1000)
@example((QRELS_LINES, b"1 0 d 1\n1 0 d 1.5\n"), Rules(), 1000)
@example((QRELS_LINES, b"1 0 d\n1 0 d 1 2\n"), Rules(), 1000)
def test_blocks_are_the_plain_parser(given, rules, size):
    """Whatever the bytes and the block size: same rows, same bits, same notes, or the same error text."""
    layout, text = given
    fast = outcome(lambda: blocks.read_blocks(io.BytesIO(text), "f", layout, rules, size))
    assert fast == outcome(lambda: [reference_reader.block(text, "f", layout, rules)])
    read = blocks.read_blocks(io.BytesIO(text), "f", layout, rules, size, with_ranks=False)
    without = outcome(lambda: read)
    assert without == fast or (without[0], *without[3:]) == (fast[0], *fast[3:])


@pytest.mark.parametrize(
    "text",
    [
        b"1 0 d 1 2.5 t\n" * 5,
        b"1\t0\td\t1\t2.5\tt\n" * 5,
        b"1 0 d 1 2.5 t\r\n" * 5,
        b" 1  0\t d 1   2.5 t \n" * 5,
        b"1 0 d 1 2.5e-3 t\n" * 5,
        b"1 0 d 1 2.5 t\n1 0 e 1 2.5 t",
    ],
)
def test_common_layouts_never_need_the_plain_parser(text, monkeypatch):
    """Layouts that real files have are read by the fast path."""
    monkeypatch.setattr(reference_reader, "block", None)
    read = blocks.read_blocks(io.BytesIO(text), "f", RUN_LINES, Rules())
    assert sum(len(block.docnos) for block in read) == len(text.splitlines())


AFTER = st.just("") | st.text("0123456789", max_size=26).map(".{}".format)
DECIMALS = st.builds("{}{}{}".format, st.sampled_from(["", "-"]), st.text("0123456789", max_size=10), AFTER)


def fields(tokens, filler):
    """Tokens separated by blanks, in a buffer whose padding holds any byte."""
    text = b" ".join(tokens)
    size = (len(text) + 2 * PADDING + 7) // 8 * 8
    buffer = np.full(size, filler, np.uint8)
    buffer[PADDING : PADDING + len(text)] = np.frombuffer(text, np.uint8)
    lengths = np.array([len(token) for token in tokens])
    starts = PADDING + np.cumsum(lengths + 1) - lengths - 1
    return buffer.view(np.uint64), starts, starts + lengths


def halfway_cases(count):
    """Decimals of up to 19 digits next to the middle between two neighbouring doubles."""
    random = np.random.default_rng(0)
    found: list[bytes] = []
    while len(found) < count:
        low = float(random.uniform(0.001, 1000.0))
        places = int(random.integers(12, 17))
        # The middle of two doubles, in units of the last decimal place, by exact integer arithmetic.
        p, q = low.as_integer_ratio()
        r, s = np.nextafter(low, np.inf).item().as_integer_ratio()
        middle = (p * s + r * q) * 10**places // (2 * q * s)
        for mantissa in (middle, middle + 1):
            digits = f"{mantissa:0{places + 1}d}"
            found.append(f"{digits[:-places]}.{digits[-places:]}".encode())
    return found


@given(st.lists(DECIMALS.filter(bool).map(str.encode), min_size=1), st.integers(0, 255))
@example([b"9007199254740993.0", b"0.5"], 48)
@example([b"0." + b"0" * zeros + b"123" for zeros in range(15, 24)], 0)
@example([b"99999999.99999999999", b"18446744073709551615", b".0"], 46)
@example(halfway_cases(4000), 0)
def test_understood_decimals_are_correctly_rounded(tokens, filler):
    """Where a decimal is understood it is bit for bit what Python's correctly rounded float gives."""
    memory, starts, ends = fields(tokens, filler)
    values, understood = decimals(memory, starts, ends)
    for token, value, sure in zip(tokens, values.tolist(), understood.tolist(), strict=True):
        if sure:
            assert value.hex() == float(token).hex()


def understood(read, *tokens, wide=True):
    """What is read of each token where floats are wider than doubles, or are not."""
    if wide and np.finfo(np.longdouble).nmant < 63:
        raise Absent
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(blocks, "_LONG_IS_WIDER", wide)
        held = zip(tokens, *read(*fields(tokens, ord("5"))), strict=True)
    return ", ".join(f"{token.decode('latin-1')}: {value if sure else 'not'}" for token, value, sure in held)


EXAMPLES = Kept(__file__, understood=understood, decimals=decimals, integers=integers)
test_examples = EXAMPLES.test()
