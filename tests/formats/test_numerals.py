"""Numbers in text are what the C library makes of them."""

import ctypes
import math
import platform
import struct

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from crosscheck.formats.numerals import atof, atofs, atol, printed_number, whole_number
from tests.support.kept import Kept, each

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


EXAMPLES = Kept(__file__, each=each, digits=digits, atof=atof, atol=atol, whole_number=whole_number)
test_examples = EXAMPLES.test()
