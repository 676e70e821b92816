"""Values of a metric against those expected: what is a lack of precision."""

from __future__ import annotations

import pytest

from crosscheck.auditing.checking import _Compared, _one_sided
from crosscheck.auditing.metric import Asked
from crosscheck.inputs.queries import Line, Probe, Query
from crosscheck.model import MeasureValues
from crosscheck.names import parse_measure

_LINES = tuple(Line(f"d{i}", i, 10.0 - i) for i in range(1, 4))

ONE = Probe("", (("1", Query((("d1", 1),), _LINES)),), "1")


def answered(value: float) -> Asked:
    return Asked(ONE, MeasureValues({b"1": value}, None, "metric"), parse_measure("P@1"))


@pytest.mark.parametrize(("low", "high", "one_sided"), [(20, 0, True), (19, 0, False), (20, 1, False)])
def test_twenty_values_off_in_one_direction_are_no_lack_of_precision(low, high, one_sided):
    """``P/(k + 1e-6)`` is too low everywhere, rounding is not; nineteen values can be so by chance."""
    values = [_Compared(answered(0.5 + sign * 2e-7), 0.5, True) for sign in [-1] * low + [1] * high]
    assert _one_sided(values) is one_sided
