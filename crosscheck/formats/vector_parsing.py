"""Parsing of text fields eight bytes at a time, for many fields at once.

All functions take ``words``, a view of a byte buffer as unsigned 64-bit words, and byte positions in that
buffer. The buffer must have at least :data:`PADDING` bytes before the first and after the last field. The
first byte of a word is the lowest one, as on little-endian machines.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from crosscheck.formats.grouping import LONGEST_FIXED_ID
from crosscheck.model import FloatArray, IdArray, IntArray

__all__ = ["PADDING", "WordArray", "decimals", "fixed_width", "integers", "load", "starts_of_runs"]

WordArray: TypeAlias = npt.NDArray[np.uint64]
BoolArray: TypeAlias = npt.NDArray[np.bool_]

PADDING = LONGEST_FIXED_ID + 64

_ALL = (1 << 64) - 1
#: Masks of the first and of the last 0 to 8 bytes of a word.
_FIRST = np.array([(1 << 8 * count) - 1 for count in range(9)], np.uint64)
_LAST = np.array([_ALL ^ (_ALL >> 8 * count) for count in range(9)], np.uint64)


def _each_byte(value: int) -> np.uint64:
    return np.uint64(int.from_bytes(bytes([value] * 8)))


def load(words: WordArray, positions: IntArray) -> WordArray:
    """The eight bytes that start at each position, as one word each."""
    # Two aligned reads and shifts are twice as fast as one unaligned gather. A shift by 64 gives 0.
    index = positions >> 3
    shift = (positions & 7).view(np.uint64)
    shift <<= 3
    result = words.take(index)
    result >>= shift
    index += 1
    rest = words.take(index)
    np.subtract(64, shift, out=shift)
    rest <<= shift
    result |= rest
    return result


def _padded(words: WordArray, starts: IntArray, lengths: IntArray, word: int) -> WordArray:
    """The ``word``-th eight bytes of each field, zero beyond its end."""
    result = load(words, starts + 8 * word if word else starts)
    left = _bytes_in(lengths, word)
    if left.min() < 8:
        result &= _FIRST.take(left)
    return result


def _bytes_in(lengths: IntArray, word: int) -> IntArray:
    """Number of bytes of each field in its ``word``-th eight bytes."""
    if word:
        lengths = np.maximum(lengths - 8 * word, 0)
    return np.minimum(lengths, 8)


def _shared(numbers: IntArray) -> IntArray:
    """An array of one element if all numbers are equal, else the numbers."""
    return numbers[:1] if (numbers == numbers[0]).all() else numbers


def fixed_width(words: WordArray, starts: IntArray, lengths: IntArray) -> IdArray:
    """Fields of at most 64 bytes as a byte string array whose width is a multiple of 8."""
    lengths = _shared(lengths)
    count = (int(lengths.max()) + 7) // 8
    if count == 1:
        return _padded(words, starts, lengths, 0).view("S8")
    columns = np.empty((len(starts), count), np.uint64)
    for word in range(count):
        columns[:, word] = _padded(words, starts, lengths, word)
    return columns.view(f"S{8 * count}").ravel()


def starts_of_runs(words: WordArray, starts: IntArray, lengths: IntArray) -> IntArray:
    """Indices of the fields that differ from the field before, and 0; a field has at most 64 bytes."""
    lengths = _shared(lengths)
    differs = np.zeros(len(starts), np.bool_)
    differs[0] = True
    for word in range((int(lengths.max()) + 7) // 8):
        part = _padded(words, starts, lengths, word)
        differs[1:] |= part[1:] != part[:-1]
    return np.flatnonzero(differs)


# ---- numbers -------------------------------------------------------------------------------------------

_HIGH_HALVES, _DIGIT_HALVES, _SIX = _each_byte(0xF0), _each_byte(0x30), _each_byte(0x06)
_LOW_HALVES = _each_byte(0x0F)
_POINTS, _ONES, _TOP_BITS = _each_byte(ord(".")), _each_byte(0x01), _each_byte(0x80)

_TENS = np.array([10**power for power in range(9)], np.uint64)
#: Bounds below which a number with 0 to 8 more digits fits into 64 bits.
_ROOM = np.array([(1 << 64) // 10**power - 1 for power in range(9)], np.uint64)
_FLOAT_TENS = np.array([10.0**power for power in range(23)])  # exact up to 10**22
_LONG = np.longdouble
_LONG_TENS = np.cumprod([_LONG(1), *[_LONG(10)] * 24])  # exact in a mantissa of 64 bits
_LONG_IS_WIDER = np.finfo(_LONG).nmant >= 63


def _all_digits(word: WordArray, mask: WordArray) -> BoolArray:
    """Whether all bytes under the mask are digits; ``word`` is zero elsewhere."""
    # The upper half of a digit is 3, and stays 3 when 6 is added.
    expected = _DIGIT_HALVES & mask
    result: BoolArray = (word & _HIGH_HALVES) == expected
    result &= ((word + (_SIX & mask)) & _HIGH_HALVES) == expected
    return result


def _number(word: WordArray) -> WordArray:
    """The number spelt by eight digits; leading zero bytes count as zeros."""
    # Pairs of digits, then of pairs, then of fours: lower bytes are the more significant digits.
    word = word & _LOW_HALVES
    word = (word * np.uint64(1 + (10 << 8))) >> np.uint64(8)
    word = ((word & np.uint64(0x00FF00FF00FF00FF)) * np.uint64(1 + (100 << 16))) >> np.uint64(16)
    return ((word & np.uint64(0x0000FFFF0000FFFF)) * np.uint64(1 + (10_000 << 32))) >> np.uint64(32)


def _digits_before_point(word: WordArray) -> IntArray:
    """Number of bytes before the first point of each word, 8 if it has none."""
    zero_at_point = word ^ _POINTS
    # The lowest byte whose top bit ends up set here is the first zero byte; the bits below it count 8 each.
    top = (zero_at_point - _ONES) & ~zero_at_point & _TOP_BITS
    return (np.bitwise_count((top - np.uint64(1)) & ~top) >> 3).astype(np.int64)


def _without_sign(words: WordArray, starts: IntArray) -> tuple[BoolArray, IntArray, WordArray]:
    """A mask of the fields that start with a minus, the position of each number without its minus, and the
    eight bytes from that position on."""
    head = load(words, starts)
    negative: BoolArray = (head & _FIRST[1]) == ord("-")
    if negative.any():
        starts = starts + negative
        head = load(words, starts)
    return negative, starts, head


def integers(words: WordArray, starts: IntArray, ends: IntArray) -> tuple[IntArray, BoolArray]:
    """The integers spelt by the fields, and a mask of the fields that were understood.

    Understood: an optional minus and one to eight digits. The numbers of other fields are undefined.
    """
    negative, starts, _ = _without_sign(words, starts)
    lengths = ends - starts
    mask = _LAST.take(_bytes_in(lengths, 0))
    word = load(words, ends - 8) & mask
    understood = _all_digits(word, mask)
    understood &= (lengths > 0) & (lengths <= 8)
    value = _number(word).view(np.int64)
    if negative.any():
        np.negative(value, out=value, where=negative)
    return value, understood


def decimals(words: WordArray, starts: IntArray, ends: IntArray) -> tuple[FloatArray, BoolArray]:
    """The correctly rounded doubles spelt by the fields, and a mask of the fields that were understood.

    Understood: an optional minus, up to 8 digits, and optionally a point and up to 24 digits, if all digits
    together are below 2**64. The values of other fields are undefined.
    """
    negative, starts, head = _without_sign(words, starts)
    lengths = ends - starts
    before = np.minimum(_digits_before_point(head), lengths)
    # Scores are mostly printed with the same number of decimals.
    after = _shared(np.maximum(lengths - before - 1, 0))
    digits = before + after
    # A point after the first eight bytes is not seen.
    understood = ((before < 8) | (lengths <= 8)) & (digits > 0)
    head <<= ((8 - before) << 3).view(np.uint64)
    if digits.max() <= 8:
        # The digits of both sides form one word.
        head >>= (after << 3).view(np.uint64)
        head |= load(words, ends - 8) & _LAST.take(after)
        understood &= _all_digits(head, _LAST.take(digits))
        value = _number(head).astype(np.float64) / _FLOAT_TENS.take(after)
    else:
        understood &= _all_digits(head, _LAST.take(before))
        understood &= after <= 24
        may_overflow = bool(digits.max() > 19)
        value = _with_decimals(words, _number(head), ends, np.minimum(after, 24), understood, may_overflow)
    if negative.any():
        np.negative(value, out=value, where=negative)
    return value, understood


def _with_decimals(
    words: WordArray,
    mantissa: WordArray,
    ends: IntArray,
    after: IntArray,
    understood: BoolArray,
    may_overflow: bool,
) -> FloatArray:
    """Doubles from their integer part and the ``after`` digits that end at ``ends``.

    Args:
        mantissa: the integer parts.
        after: 0 to 24 each, or one number for all.
        understood: set to False for fields with other characters than digits, or with too many digits.
        may_overflow: whether all digits together may be 2**64 or more.
    """
    for word in reversed(range((int(after.max()) + 7) // 8)):
        count = _bytes_in(after, word)
        mask = _LAST.take(count)
        digits = load(words, ends - 8 * (word + 1)) & mask
        understood &= _all_digits(digits, mask)
        if may_overflow:
            understood &= mantissa < _ROOM.take(count)
        mantissa = mantissa * _TENS.take(count) + _number(digits)

    short = (mantissa < np.uint64(1 << 53)) & (after <= 22)
    # Both are exact as doubles, so that one division rounds correctly.
    value: FloatArray = mantissa.astype(np.float64) / _FLOAT_TENS.take(np.minimum(after, 22))
    long = np.flatnonzero(understood & ~short)
    if len(long):
        places = np.broadcast_to(after, value.shape)[long]
        value[long], understood[long] = _long_division(mantissa[long], places)
    return value


def _long_division(mantissa: WordArray, places: IntArray) -> tuple[FloatArray, BoolArray]:
    """``mantissa / 10**places`` as correctly rounded doubles, and which of them are certain."""
    if not _LONG_IS_WIDER:
        return mantissa.astype(np.float64), np.zeros(len(mantissa), np.bool_)
    quotient = mantissa.astype(_LONG) / _LONG_TENS.take(places)
    # The true quotient lies between the two neighbours; if both round to the same double, so does it.
    below = np.nextafter(quotient, _LONG(0)).astype(np.float64)
    above = np.nextafter(quotient, _LONG(np.inf)).astype(np.float64)
    return below, below == above
