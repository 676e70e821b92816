"""Fields read eight bytes at a time are what Python reads from the same bytes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from crosscheck.formats import blocks
from crosscheck.formats.blocks import PADDING, decimals, fixed_width, integers, starts_of_runs
from crosscheck.model import IntArray

IDS = st.lists(st.binary(min_size=1, max_size=64).map(lambda b: bytes(max(c, 33) for c in b)), min_size=1)
DECIMALS = st.from_regex(r"-?[0-9]{0,10}(\.[0-9]{0,26})?", fullmatch=True).filter(bool)


def fields(tokens: Sequence[bytes], filler: int) -> tuple[blocks.WordArray, IntArray, IntArray]:
    """Tokens separated by blanks, in a buffer whose padding holds any byte."""
    text = b" ".join(tokens)
    size = (len(text) + 2 * PADDING + 7) // 8 * 8
    buffer = np.full(size, filler, np.uint8)
    buffer[PADDING : PADDING + len(text)] = np.frombuffer(text, np.uint8)
    lengths = np.array([len(token) for token in tokens])
    starts = PADDING + np.cumsum(lengths + 1) - lengths - 1
    return buffer.view(np.uint64), starts, starts + lengths


@given(IDS, st.integers(0, 255))
def test_fixed_width_ids_are_the_fields(ids: list[bytes], filler: int) -> None:
    """No byte of a neighbouring field or of the padding gets into an id."""
    memory, starts, ends = fields(ids, filler)
    column = fixed_width(memory, starts, ends - starts)
    assert column.tolist() == ids
    assert column.dtype.itemsize % 8 == 0


@given(st.lists(st.sampled_from([b"1", b"11", b"1234567", b"12345678", b"123456789", b"q" * 64]), min_size=1))
def test_starts_of_runs_are_the_changes(ids: list[bytes]) -> None:
    """A run of equal fields starts exactly where a field differs from the one before it."""
    memory, starts, ends = fields(ids, ord("1"))
    expected = [i for i in range(len(ids)) if i == 0 or ids[i] != ids[i - 1]]
    assert starts_of_runs(memory, starts, ends - starts).tolist() == expected


@given(st.lists(DECIMALS.map(str.encode), min_size=1), st.integers(0, 255))
@example([b"9007199254740993.0", b"0.5"], 48)
@example([b"0." + b"0" * zeros + b"123" for zeros in range(15, 24)], 0)
@example([b"99999999.99999999999", b"18446744073709551615", b".0"], 46)
def test_understood_decimals_are_correctly_rounded(tokens: list[bytes], filler: int) -> None:
    """Where a decimal is understood it is bit for bit what Python's correctly rounded float gives."""
    memory, starts, ends = fields(tokens, filler)
    values, understood = decimals(memory, starts, ends)
    for token, value, sure in zip(tokens, values.tolist(), understood.tolist(), strict=True):
        if sure:
            assert value.hex() == float(token).hex()


@given(
    st.integers(0, 24),
    st.lists(st.tuples(st.booleans(), st.integers(0, 9_999_999), st.integers(0, 10**24 - 1)), min_size=1),
)
def test_decimals_with_one_number_of_places_are_correctly_rounded(
    places: int, numbers: list[tuple[bool, int, int]]
) -> None:
    """Scores printed alike, as most files have them, are right, and understood where 15 digits are enough."""
    tokens = [
        (f"{'-' * minus}{whole}" + (f".{fraction % 10**places:0{places}d}" if places else "")).encode()
        for minus, whole, fraction in numbers
    ]
    memory, starts, ends = fields(tokens, ord("7"))
    values, understood = decimals(memory, starts, ends)
    for token, value, sure in zip(tokens, values.tolist(), understood.tolist(), strict=True):
        assert sure or len(token.strip(b"-")) > 16
        assert not sure or value.hex() == float(token).hex()


def halfway_cases(count: int) -> list[bytes]:
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


def test_decimals_next_to_a_halfway_case_are_correctly_rounded_or_declined() -> None:
    """The two decimals around the middle of two doubles are never rounded the wrong way."""
    tokens = halfway_cases(4000)
    memory, starts, ends = fields(tokens, 0)
    values, understood = decimals(memory, starts, ends)
    expected = np.array([float(token) for token in tokens])
    assert (values[understood] == expected[understood]).all()


def test_usual_scores_are_understood() -> None:
    """Six decimals, sixteen digits and integers take the fast way where floats wider than doubles exist."""
    tokens = [b"14.123456", b"-3", b"0", b"12345678", b"-0.4820330048251339", b".5", b"7."]
    memory, starts, ends = fields(tokens, 0)
    values, understood = decimals(memory, starts, ends)
    if np.finfo(np.longdouble).nmant >= 63:
        assert understood.all()
    assert values[understood].tolist() == [
        float(t) for t, sure in zip(tokens, understood, strict=True) if sure
    ]


def test_without_wider_floats_long_decimals_are_declined(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where long double is no wider than double, long mantissas are left to Python and short ones are not."""
    monkeypatch.setattr(blocks, "_LONG_IS_WIDER", False)
    memory, starts, ends = fields([b"0.12345678901234567", b"0.5"], 0)
    values, understood = decimals(memory, starts, ends)
    assert understood.tolist() == [False, True]
    assert values[1] == 0.5


@pytest.mark.parametrize(
    "token", [b"-", b".", b"-.", b"1e5", b"+1", b"1.2.3", b"abc", b"123456789", b"1,5", b"\xff"]
)
def test_other_forms_are_declined(token: bytes) -> None:
    """The vectorised arithmetic never gives a value to text that is not a plain decimal."""
    memory, starts, ends = fields([b"1", token, b"2"], ord("5"))
    assert decimals(memory, starts, ends)[1].tolist() == [True, False, True]


@given(st.lists(st.from_regex(rb"[-+]?[0-9a]{0,10}", fullmatch=True).filter(bool), min_size=1))
def test_understood_integers_are_what_python_reads(tokens: list[bytes]) -> None:
    """An optional minus and one to eight digits are understood, and nothing else is."""
    memory, starts, ends = fields(tokens, ord("3"))
    values, understood = integers(memory, starts, ends)
    for token, value, sure in zip(tokens, values.tolist(), understood.tolist(), strict=True):
        digits = token.removeprefix(b"-")
        assert sure == (digits.isdigit() and len(digits) <= 8)
        if sure:
            assert value == int(token)
