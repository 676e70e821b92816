"""Numbers in text as the C library reads them: the longest numeric prefix counts and the rest is ignored.

trec_eval reads scores with ``atof`` and relevance levels with ``atol``. Neither reports errors, so ``abc`` is
0 and ``1.5junk`` is 1.5. The functions here also return whether the whole token was a number, for strict
readers.
"""

import math
import re
from collections.abc import Sequence

from crosscheck.model import Printed

#: The relevance levels and ranks that fit into 64 bits.
INT64 = range(-(2**63), 2**63)

#: A number as printed by evaluation programs: decimal, NaN or infinite.
PRINTED = re.compile(rb"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|[+-]?(nan|inf|infinity)", re.IGNORECASE)

#: From this many digits after the point on, a number counts as a double in full precision.
FULL_PRECISION = 15

_DIGITS = re.compile(r"[+-]?(?=\.?\d)\d*(?:\.(\d*))?(?:[eE]([+-]?\d+))?", re.ASCII)
_DECIMAL = re.compile(rb"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
_HEXADECIMAL = re.compile(rb"[+-]?0[xX](?:[\da-fA-F]+\.?[\da-fA-F]*|\.[\da-fA-F]+)(?:[pP][+-]?\d+)?")
_INFINITY = re.compile(rb"[+-]?inf(?:inity)?", re.IGNORECASE)
_NAN = re.compile(rb"[+-]?nan(?:\([\da-zA-Z_]*\))?", re.IGNORECASE)
_INTEGER = re.compile(rb"([+-]?)0*(\d*)")


def atof(token: bytes) -> tuple[float, bool]:
    """The double that C's ``atof`` reads from a token, and whether it used the whole token.

    It reads decimal and hexadecimal numbers, infinities and NaN in any letter case. The double is correctly
    rounded, infinite beyond the range of a double, and 0.0 if there is no number.
    """
    if b"_" not in token:  # the only character that Python accepts in numbers and C does not
        try:
            return float(token), True
        except ValueError:
            pass
    if match := _HEXADECIMAL.match(token):
        return _from_hexadecimal(match[0].decode("ascii")), match.end() == len(token)
    if match := _DECIMAL.match(token) or _INFINITY.match(token):
        return float(match[0]), match.end() == len(token)
    if match := _NAN.match(token):
        return float("-nan" if token.startswith(b"-") else "nan"), match.end() == len(token)
    return 0.0, False


def atofs(tokens: Sequence[bytes]) -> tuple[Sequence[float], bool]:
    """:func:`atof` for many tokens: the numbers, and whether every token was a number as a whole."""
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

    The integer is 0 if there is no number. It may not fit in 64 bits: see :data:`INT64`.
    """
    if token.isdigit() and len(token) < 19:  # by far the most frequent form
        return int(token), True
    match = _INTEGER.match(token)
    assert match is not None  # every part of the expression may be empty
    sign, digits = match[1], match[2]
    # Python refuses to convert thousands of digits; a number of 20 is too large for 64 bits anyway.
    value = int(digits[:20] or b"0")
    return (-value if sign == b"-" else value), len(sign) < match.end() == len(token)


def clamped(value: int) -> int:
    """The nearest number that fits into 64 bits."""
    return min(max(value, INT64.start), INT64.stop - 1)


def printed_number(text: str) -> Printed | None:
    """A decimal number with its printed digits; None for any other text.

    An exponent moves the point: ``4.993e-1`` has four decimals, like ``0.4993``. NaN, infinities and numbers
    beyond the range of a double give None.
    """
    match = _DIGITS.fullmatch(text)
    if match is None or math.isinf(value := float(text)):
        return None
    # The exponent as a float: it may have thousands of digits.
    decimals = max(0.0, len(match[1] or "") - float(match[2] or 0))
    return Printed(value, int(decimals) if decimals < FULL_PRECISION else None)


def whole_number(token: bytes) -> int | None:
    """The integer that the token spells; None if it is not an integer or does not fit in 64 bits."""
    value, complete = atol(token)
    return value if complete and value in INT64 else None
