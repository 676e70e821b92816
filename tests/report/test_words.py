"""Untrusted text, conventions and numbers in words."""

from typing import Any

import pytest

from crosscheck.axes import axes
from crosscheck.axes.base import AxisValue, plain
from crosscheck.errors import count
from crosscheck.report.tables import EXACT, begun, contrast, contrasts, p_value
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


@pytest.mark.parametrize(
    ("reference", "candidate", "shown"),
    [
        (0.25800000000000006, 0.26, ("0.2580", "0.2600", "+0.0020")),
        (0.3, 0.2, ("0.3000", "0.2000", "-0.1000")),
        (0.0, 1.0, ("0.0000", "1.0000", "+1.0000")),
        (0.1234, 0.1237, ("0.123400", "0.123700", "+0.000300")),
        (0.12344, 0.12346, ("0.123440", "0.123460", "+0.000020")),
        (0.3, 0.30000000000000004, ("0.3", "0.30000000000000004", "+5.6e-17")),
        (1000.0, 1001.0, ("1000", "1001", "+1")),
        (0.5, 0.5, ("0.5000", "0.5000", "0")),
        (1e300, 0.0, ("1e+300", "0.0", "-1e+300")),
        (0.5, "NaN", ("0.5000", "NaN", "")),
        ("Infinity", 0.5, ("Infinity", "0.5000", "")),
        (None, 0.0, ("no value", "0.0000", "")),
        (None, "NaN", ("no value", "NaN", "")),
        (None, None, ("no value", "no value", "")),
    ],
)
def test_contrast_shows_the_difference(reference, candidate, shown):
    """Two numbers get as many digits as their difference needs; absent, NaN and 0.0 look different."""
    assert contrast(reference, candidate) == shown


@pytest.mark.parametrize(
    ("reference", "candidate", "decimals", "shown"),
    [
        (0.19757, 0.19, (None, 2), ("0.1976", "0.19", "-0.0076")),
        (0.19757, 0.2, (None, 1), ("0.1976", "0.2", "+0.0024")),
        (0.1976, 0.1975, (4, 4), ("0.1976", "0.1975", "-0.0001")),
        (0.1976, 0.197512, (4, 6), ("0.1976", "0.197512", "-0.000088")),
        (0.1976, 0.2, (4, None), ("0.1976", "0.2000", "+0.0024")),
        (12.0, 13.0, (0, 2), ("12", "13", "+1")),
        (0.5, "NaN", (4, 4), ("0.5000", "NaN", "")),
        (None, 0.25, (None, 2), ("no value", "0.25", "")),
    ],
)
def test_no_digits_are_shown_that_were_not_printed(reference, candidate, decimals, shown):
    """Each side has at most its own decimals, alone and in a column that needs more."""
    assert contrast(reference, candidate, decimals) == shown
    wide = contrasts([(reference, candidate, decimals), (0.8013, 0.80133, EXACT)])[0]
    for text, known in zip(wide, decimals, strict=False):
        assert known is None or len(text.partition(".")[2]) <= known


def test_a_column_has_as_many_decimals_as_its_pair_that_needs_most():
    """Whole numbers, NaN and numbers that need all their digits are shown as on their own."""
    several = [(0.8013, 0.80133), (0.8013, 0.2), (None, 0.5), (1e300, "NaN")]
    pairs: list[Any] = [(*pair, EXACT) for pair in several]
    assert [(text.reference, text.candidate) for text in contrasts(pairs)] == [
        *(("0.801300", "0.801330"), ("0.801300", "0.200000"), ("no value", "0.500000"), ("1e+300", "NaN"))
    ]
    pairs = [(0.3, 0.30000000000000004, EXACT), (0.3, 0.3, EXACT)]
    assert [text.reference for text in contrasts(pairs)] == ["0.3", "0.3000"]


def test_many_digits_are_begun():
    """A mark says that there are more; few digits, no number and exponents are whole."""
    values = (1 / 3, -0.30000000000000004, 0.33333, 0.6, 12345678901.0, 1e-12, 1.234567891e-08, "NaN", None)
    told = ["0.3333…", "-0.3000…", "0.33333", "0.6", "12345678901.0", "1e-12", "1.234567891e-08", "NaN"]
    assert [begun(value) for value in values] == [*told, "no value"]


def test_a_p_value_has_four_decimals_or_is_below_them():
    """The least that is printed is 0.0001; what could not be tested has a dash."""
    assert [p_value(p) for p in (1.0, 0.05, 1e-4, 9.9e-5, 0.0, None)] == [
        *("1.0000", "0.0500", "0.0001", "<.0001", "<.0001", "–")
    ]


def test_counts_agree_with_their_noun():
    """One is singular, all others plural, thousands are grouped."""
    assert [count(n, "query") for n in (0, 1, 2000)] == ["0 queries", "1 query", "2,000 queries"]
    assert count(2, "run") == "2 runs"
