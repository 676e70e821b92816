"""The lines: names, widths, four decimals as C's printf rounds them, and the signs of NaN."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from crosscheck.trec_eval.printing import _numbers, number
from tests.support.kept import Kept


@given(st.lists(st.floats() | st.floats(0, 10) | st.integers(0, 100_000).map(lambda i: i / 10_000 + 5e-5)))
def test_the_table_of_texts_changes_nothing(values):
    """A long column gives the same texts as one number at a time, halves and odd values included."""
    padded = [*values, *[0.25] * 1000]
    assert _numbers(np.array(padded)) == [number(value) for value in padded]


EXAMPLES = Kept(__file__, number=number)
test_examples = EXAMPLES.test()
