"""Orders of docnos other than by their bytes: orders that people and programs use for names with numbers."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np

from crosscheck.model import IdArray, IntArray

__all__ = ["DOCNO_KEYS", "docno_places"]


_NUMBER, _INTEGER = re.compile(rb"([0-9]+)"), re.compile(rb"-?[0-9]+")


def _size(digits: bytes) -> tuple[int, bytes]:
    """The digits of a number as a sortable key in numeric order; int() refuses very long ones."""
    digits = digits.lstrip(b"0")
    return len(digits), digits


def _natural(docno: bytes) -> list[bytes | tuple[int, bytes]]:
    # Even parts are text, odd parts are numbers.
    return [_size(part) if i % 2 else part for i, part in enumerate(_NUMBER.split(docno))]


def _folded(docno: bytes) -> bytes:
    return _text(docno).lower().encode("utf-8", "surrogateescape")


def _numeric(docno: bytes) -> tuple[bool, int, tuple[int, bytes], bytes]:
    if not _INTEGER.fullmatch(docno):
        return True, 0, (0, b""), docno
    length, digits = _size(docno.removeprefix(b"-"))
    if not docno.startswith(b"-"):
        return False, 1, (length, digits), b""
    # More digits, or higher ones, make a negative number lower.
    return False, 0 if digits else 1, (-length, bytes(255 - digit for digit in digits)), b""


def _length(docno: bytes) -> tuple[int, bytes]:
    return len(_text(docno)), docno


def _text(docno: bytes) -> str:
    return docno.decode("utf-8", "surrogateescape")


#: Sort keys by the name of the order. ``natural``: runs of digits compare as numbers, what is between them as
#: bytes. ``folded``: without regard to letter case. ``numeric``: integers as numbers, before all other ids.
#: ``length``: shorter ids first, those of equal length as bytes.
DOCNO_KEYS: dict[str, Callable[[bytes], Any]] = {
    "natural": _natural,
    "folded": _folded,
    "numeric": _numeric,
    "length": _length,
}


def docno_places(docnos: IdArray, order: str) -> IntArray:
    """Position of each docno among the distinct docnos in an order; the same for docnos that the order treats
    as equal."""
    distinct, inverse = np.unique(docnos, return_inverse=True)
    keys = list(map(DOCNO_KEYS[order], distinct.tolist()))
    place = [0] * len(keys)
    ascending = sorted(range(len(keys)), key=keys.__getitem__)
    for before, after in pairwise(ascending):
        place[after] = place[before] + (keys[before] != keys[after])
    return np.array(place, np.int64)[inverse]
