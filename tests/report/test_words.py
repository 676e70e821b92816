"""Untrusted text, conventions and numbers in words."""

import pytest

from crosscheck.axes import axes
from crosscheck.axes.base import AxisValue, plain
from crosscheck.report.words import convention, visible


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("FT911-3", "FT911-3"),
        ("dócnö 文書", "dócnö 文書"),
        ("a\tb\nc\x00", "a\\x09b\\x0ac\\x00"),
        ("\x7f\x9b", "\\x7f\\x9b"),
        ("\udcff", "\\xff"),
        ("\ud800", "\\ud800"),
        ("\u202e\ufeff\ufffe", "\\u202e\\ufeff\\ufffe"),
        ("\U000e0041", "\\U000e0041"),
    ],
)
def test_invisible_characters_are_spelt(text, shown):
    """Letters stay; control characters, half pairs, marks and noncharacters are written as numbers."""
    assert visible(text) == shown


ENUMERATED: list[tuple[str, AxisValue]] = [(a.name, plain(v)) for a in axes().values() for v in a.values]
NUMBERED: list[tuple[str, AxisValue]] = [(axis.name, 3) for axis in axes().values() if axis.numbers]


@pytest.mark.parametrize(("axis", "value"), [*ENUMERATED, *NUMBERED])
def test_every_axis_value_has_its_sentence(axis, value):
    """No convention is reported as a bare setting; numbers stand in their sentence, no two share one."""
    sentence = convention(axis, value)
    assert " " in sentence
    assert "=" not in sentence
    assert "{n}" not in sentence
    assert not isinstance(value, int) or "3" in sentence
    assert [one for one in (*ENUMERATED, *NUMBERED) if convention(*one) == sentence] == [(axis, value)]
