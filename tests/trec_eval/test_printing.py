"""The lines: names, widths, four decimals as C's printf rounds them, and the signs of NaN."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crosscheck.trec_eval.printing import _numbers, number


@given(st.lists(st.floats() | st.floats(0, 10) | st.integers(0, 100_000).map(lambda i: i / 10_000 + 5e-5)))
def test_the_table_of_texts_changes_nothing(values):
    """A long column gives the same texts as one number at a time, halves and odd values included."""
    padded = [*values, *[0.25] * 1000]
    assert _numbers(np.array(padded)) == [number(value) for value in padded]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.5, b"0.5000"),
        (0.00005, b"0.0001"),
        (0.00015, b"0.0001"),
        (-0.0, b"-0.0000"),
        (123.456, b"123.4560"),
        (math.inf, b"   inf"),
        (-math.inf, b"  -inf"),
        (math.nan, b"   nan"),
        (-math.nan, b"  -nan"),
        (-11.5129254649702, b"-11.5129"),
    ],
)
def test_numbers_are_printed_as_printf_prints_them(value, text):
    """%6.4f, rounded from the binary value, with a sign for NaN."""
    assert number(value) == text
