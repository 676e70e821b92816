"""Numbers in text are what the C library makes of them."""

import ctypes
import math
import platform
import struct

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from crosscheck.formats.numerals import atof, atofs, atol, printed_number, whole_number

needs_glibc = pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="the reference is glibc's strtod")

TOKENS = st.one_of(
    st.text("0123456789.eE+-xXpPaAbfnNiItTyY()_,", max_size=24),
    st.from_regex(r"[+-]?[0-9]{0,25}\.?[0-9]{0,25}([eE][+-]?[0-9]{0,4})?", fullmatch=True),
    st.from_regex(r"[+-]?0[xX][0-9a-fA-F]{0,20}\.?[0-9a-fA-F]{0,20}([pP][+-]?[0-9]{0,5})?", fullmatch=True),
    st.from_regex(r"[+-]?([iI]nf(inity)?|[nN]a[nN](\([a-z0-9_]*\)?)?)[a-z]?", fullmatch=True),
    st.floats().map(repr),
).map(str.encode)


def same_double(a, b):
    """Equal bits, or both NaN of the same sign."""
    nan = math.isnan(a) and math.isnan(b) and math.copysign(1, a) == math.copysign(1, b)
    return nan or struct.pack("d", a) == struct.pack("d", b)


@needs_glibc
@example(b"-nan(1)")
@example(b"+nan(1)x")
@given(TOKENS)
def test_atof_is_strtod(token):
    """Any token gives the double that C's strtod gives, and is complete when strtod stops at its end."""
    strtod = ctypes.CDLL(None).strtod
    strtod.restype, strtod.argtypes = ctypes.c_double, [ctypes.c_char_p, ctypes.POINTER(ctypes.c_char_p)]
    rest = ctypes.c_char_p()
    expected = strtod(token, ctypes.byref(rest))
    value, complete = atof(token)
    assert same_double(value, expected)
    assert complete == (token != b"" and rest.value == b"")


@given(st.lists(TOKENS | st.floats().map(repr).map(str.encode), max_size=8))
def test_many_tokens_are_read_as_one_by_one(tokens):
    """atofs gives what atof gives of each token, and is complete where all of them are."""
    values, complete = atofs(tokens)
    one_by_one = [atof(token) for token in tokens]
    assert all(same_double(a, b) for a, (b, _) in zip(values, one_by_one, strict=True))
    assert complete == all(whole for _, whole in one_by_one)


def digits(text):
    number = printed_number(text)
    return None if number is None else (float(number), number.decimals)


@pytest.mark.parametrize(
    ("read", "token", "expected"),
    [
        # The documented oddities of atof hold on every platform, not only where glibc is at hand.
        *((atof, token, (value, False)) for token, value in (
            (b"abc", 0.0), (b"1.5junk", 1.5), (b"1,9", 1.0), (b"1_0", 1.0), (b"1e", 1.0), (b"0x", 0.0),
            ("１".encode(), 0.0), (b"", 0.0),
        )),
        *((atof, token, (value, True)) for token, value in (
            (b"0x0B", 11.0), (b"-.5", -0.5), (b"5.", 5.0), (b"INF", math.inf), (b"-infinity", -math.inf),
            (b"nan(7)", math.nan), (b"1e999", math.inf), (b"-0x1p99999", -math.inf),
        )),
        # Relevance levels that are no integers are cut; Python's limit on digits is never met.
        (atol, b"1.9", (1, False)), (atol, b"abc", (0, False)), (atol, b"0x5", (0, False)),
        (atol, b"1e3", (1, False)), (atol, b"+2", (2, True)), (atol, b"0" * 10_000 + b"7", (7, True)),
        # A rank counts only when the whole token is an integer of 64 bits.
        *((whole_number, token, number) for token, number in (
            (b"12", 12), (b"-3", -3), (b"+4", 4), (b"1.0", None), (b"Q0", None), (b"-", None),
            (b"9223372036854775807", 2**63 - 1), (b"9223372036854775808", None),
            (b"-9223372036854775808", -(2**63)), (b"9" * 10_000, None), (b"-" + b"9" * 10_000, None),
        )),
        # Zeros at the end count, an exponent moves the point, from 15 decimals on it is full precision.
        *((digits, text, (value, decimals)) for text, value, decimals in (
            ("0.4993", 0.4993, 4), ("0.50", 0.5, 2), (".499", 0.499, 3), ("49.9", 49.9, 1), ("1", 1.0, 0),
            ("1.", 1.0, 0), ("-0.10", -0.1, 2), ("+0.0", 0.0, 1), ("4.993e-1", 0.4993, 4), ("1e-3", 1e-3, 3),
            ("4.993E+2", 499.3, 1), ("5e2", 500.0, 0), ("0.12345678901234", 0.12345678901234, 14),
            ("0.123456789012345", 0.123456789012345, None), ("0." + "3" * 10_000, 1 / 3, None),
            ("0.5" + "0" * 10_000, 0.5, None), ("1e-" + "9" * 10_000, 0.0, None),
            ("0e" + "9" * 10_000, 0.0, 0),
        )),
        # Other text is no printed number, and neither is what no double holds.
        *((digits, text, None) for text in (
            *("", " ", ".", "e5", "abc", "0.4x", "0,4", "0_4", "0x1p3", "49.9%", "--1", "1e", "1 2", "0.5\n"),
            *("nan", "inf", "-Infinity", "1e400", "9" * 10_000, "1e" + "9" * 10_000, "\u0660.\u0665"),
        )),
    ],
    ids=lambda value: getattr(value, "__name__", repr(value))[:30],
)  # fmt: skip
def test_numbers_in_text(read, token, expected):
    """The longest prefix counts, and whether it is the whole token is known."""
    assert repr(read(token)) == repr(expected)
