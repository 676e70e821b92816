"""Untrusted text, and conventions in words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crosscheck.axes import axes
from crosscheck.axes.base import AxisValue, plain
from crosscheck.report.words import clip, convention, lines, settings, visible

TEXT = st.text(st.characters(exclude_categories=()))


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
def test_invisible_characters_are_spelt(text: str, shown: str) -> None:
    """Letters stay; control characters, half pairs, marks and noncharacters are written as numbers."""
    assert visible(text) == shown


@given(TEXT)
def test_visible_text_is_one_printable_line(text: str) -> None:
    """Whatever comes in, the result can be printed on one line and written as UTF-8."""
    assert visible(text).isprintable()
    assert visible(text).encode("utf-8").decode("utf-8") == visible(text)
    assert visible(visible(text)) == visible(text)


def test_long_text_is_cut_and_says_so() -> None:
    """A cut text tells its length; a short one is left alone."""
    assert clip("x" * 1000, 10) == "xxxxxxxxxx… (1,000 characters)"
    assert clip("x" * 10, 10) == "x" * 10


def test_messages_keep_their_lines_and_nothing_else() -> None:
    """Line ends separate lines; other control characters do not."""
    assert lines("\nfirst\r\n  second\x0b\x1c\n") == ["first", "  second\\x0b\\x1c"]
    assert lines("") == [""]


ENUMERATED: list[tuple[str, AxisValue]] = [(a.name, plain(v)) for a in axes().values() for v in a.values]
NUMBERED: list[tuple[str, AxisValue]] = [(axis.name, 3) for axis in axes().values() if axis.numbers]


@pytest.mark.parametrize(("axis", "value"), [*ENUMERATED, *NUMBERED])
def test_every_axis_value_has_its_sentence(axis: str, value: AxisValue) -> None:
    """No convention is reported as a bare setting; numbers stand in their sentence, no two share one."""
    sentence = convention(axis, value)
    assert " " in sentence
    assert "=" not in sentence
    assert "{n}" not in sentence
    assert not isinstance(value, int) or "3" in sentence
    assert [one for one in (*ENUMERATED, *NUMBERED) if convention(*one) == sentence] == [(axis, value)]


def test_settings_come_in_the_order_of_the_axes() -> None:
    """The order does not depend on how the document was built."""
    changed: dict[str, AxisValue] = {"rounding": None, "zeal": 1, "gain": "binary", "order": "input"}
    assert settings(changed) == "order=input,gain=binary,rounding=none,zeal=1"
