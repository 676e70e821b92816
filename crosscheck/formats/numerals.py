"""Numbers in text as the C library reads them: the longest numeric prefix counts, the rest is ignored.

trec_eval reads scores with ``atof`` and relevance levels with ``atol``; neither of them ever complains,
so ``abc`` is 0 and ``1.5junk`` is 1.5. Both functions here say as well whether the whole token was a
number, which is what a strict reader asks for.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from crosscheck.model import Printed

__all__ = ["FULL_PRECISION", "INT64", "PRINTED", "atof", "atofs", "atol", "printed_number", "whole_number"]

#: The relevance levels and ranks that fit into 64 bits.
INT64 = range(-(2**63), 2**63)

#: A number as evaluation programs print it: decimal, NaN or infinite, and nothing else.
PRINTED = re.compile(rb"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|[+-]?(nan|inf|infinity)", re.IGNORECASE)

#: From so many digits after the point on, a number is taken for a double in full precision.
FULL_PRECISION = 15

_DIGITS = re.compile(r"[+-]?(?=\.?\d)\d*(?:\.(\d*))?(?:[eE]([+-]?\d+))?", re.ASCII)
_DECIMAL = re.compile(rb"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
_HEXADECIMAL = re.compile(rb"[+-]?0[xX](?:[\da-fA-F]+\.?[\da-fA-F]*|\.[\da-fA-F]+)(?:[pP][+-]?\d+)?")
_INFINITY = re.compile(rb"[+-]?inf(?:inity)?", re.IGNORECASE)
_NAN = re.compile(rb"[+-]?nan(?:\([\da-zA-Z_]*\))?", re.IGNORECASE)
_INTEGER = re.compile(rb"([+-]?)0*(\d*)")


def atof(token: bytes) -> tuple[float, bool]:
    """The double that C's ``atof`` reads from a token, and whether it used the whole token.

    Decimal and hexadecimal numbers, infinities and NaN in any letter case; 0.0 where there is no number.
    Correctly rounded; beyond the range of a double it is an infinity, as in C.
    """
    if b"_" not in token:  # the only thing that Python takes in a number of its own
        try:
            return float(token), True
        except ValueError:
            pass
    if found := _HEXADECIMAL.match(token):
        return _from_hexadecimal(found[0].decode("ascii")), found.end() == len(token)
    if found := _DECIMAL.match(token) or _INFINITY.match(token):
        return float(found[0]), found.end() == len(token)
    if found := _NAN.match(token):
        return float("-nan" if token.startswith(b"-") else "nan"), found.end() == len(token)
    return 0.0, False


def atofs(tokens: Sequence[bytes]) -> tuple[Sequence[float], bool]:
    """:func:`atof` of many tokens, and whether it used the whole of each."""
    if b"_" not in b"".join(tokens):
        try:
            return list(map(float, tokens)), True
        except ValueError:
            pass
    read = [atof(token) for token in tokens]
    return [value for value, _ in read], all(complete for _, complete in read)


def _from_hexadecimal(text: str) -> float:
    try:
        return float.fromhex(text)
    except OverflowError:
        return float("-inf" if text.startswith("-") else "inf")


def atol(token: bytes) -> tuple[int, bool]:
    """The integer that C's ``strtol`` reads in base 10, and whether it used the whole token.

    0 where there is no number. It is not clamped to 64 bits: test it against :data:`INT64`.
    """
    if token.isdigit() and len(token) < 19:  # by far the most frequent form
        return int(token), True
    found = _INTEGER.match(token)
    assert found is not None  # every part of the expression may be empty
    sign, digits = found[1], found[2]
    # Python refuses to convert thousands of digits; a number of 20 is too large for 64 bits anyway.
    value = int(digits[:20] or b"0")
    number_found = found.end() > len(sign)
    return (-value if sign == b"-" else value), number_found and found.end() == len(token)


def printed_number(text: str) -> Printed | None:
    """A decimal number with the digits that it was printed with; None for any other text.

    An exponent moves the point: ``4.993e-1`` has four decimals, as ``0.4993`` has. NaN, infinities and what
    is beyond the range of a double are no printed numbers.
    """
    found = _DIGITS.fullmatch(text)
    if found is None or math.isinf(value := float(text)):
        return None
    # The exponent as a float: it may have thousands of digits.
    decimals = max(0.0, len(found[1] or "") - float(found[2] or 0))
    return Printed(value, int(decimals) if decimals < FULL_PRECISION else None)


def whole_number(token: bytes) -> int | None:
    """The integer that a token is as a whole, or None where it is none or does not fit into 64 bits."""
    value, complete = atol(token)
    return value if complete and value in INT64 else None
