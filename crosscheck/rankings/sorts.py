"""Functions that sort the rows of a run, among them the sorting algorithms of the C library and of numba."""

import re
from collections.abc import Callable, Sequence
from typing import TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from crosscheck.model import BoolArray, FloatArray, IdArray, IntArray

_NUMBER, _INTEGER = re.compile(rb"[0-9]+"), re.compile(rb"-?[0-9]+")


def _size(digits: bytes) -> bytes:
    """A sort key for a number given as digits of any length. The byte order of keys is the numeric order."""
    digits = digits.lstrip(b"0")
    return (len(digits) + 1).to_bytes(4) + digits


def _numeric(docno: bytes) -> bytes:
    if not _INTEGER.fullmatch(docno):
        return b"\3" + docno
    size = _size(docno.removeprefix(b"-"))
    negative = docno.startswith(b"-") and size != _size(b"")
    # A negative number with more or higher digits is lower.
    return b"\1" + bytes(255 - byte for byte in size) if negative else b"\2" + size


def text_of(docno: bytes) -> str:
    """A docno as text. A byte that is not UTF-8 becomes a lone surrogate."""
    return docno.decode("utf-8", "surrogateescape")


#: Name of an order -> its sort key. ``natural``: digits compare as numbers, the text between them as bytes.
#: ``folded``: letter case is ignored. ``numeric``: integers compare as numbers and come before all other ids.
#: ``length``: shorter ids come first, ids of equal length compare as bytes.
DOCNO_KEYS: dict[str, Callable[[bytes], bytes]] = {
    # The NUL sorts a number before all text at the same place.
    "natural": lambda docno: _NUMBER.sub(lambda number: b"\0" + _size(number[0]), docno),
    "folded": lambda docno: text_of(docno).lower().encode("utf-8", "surrogateescape"),
    "numeric": _numeric,
    "length": lambda docno: len(text_of(docno)).to_bytes(4) + docno,
}


def unlike_bytes(docnos: IdArray, order: str) -> BoolArray:
    """Mask of the docnos that may sort differently under ``order`` than by their bytes. All further docnos
    sort by their bytes."""
    if docnos.dtype.kind != "S" or not len(docnos):
        return np.ones(len(docnos), np.bool_)
    text = np.ascontiguousarray(docnos).view(np.uint8).reshape(len(docnos), -1)
    digit = (text >= 0x30) & (text <= 0x39)
    match order:
        case "natural":  # if all ids have digits in the same columns, the numbers have equal lengths
            odd = digit != digit[0]
        case "numeric":
            return np.asarray((digit | (text == ord("-")) | (text == 0)).all(axis=1))
        case "folded":
            odd = (text >= 0x80) | (text >= ord("A")) & (text <= ord("Z"))
        case _:
            odd = (text == 0) | (text >= 0x80)
    return np.asarray(odd.any(axis=1))


def docno_keys(docnos: IdArray, order: str) -> IdArray:
    """A sort key for each docno. The byte order of the keys is the order named ``order`` of the docnos;
    docnos that are equal in this order have equal keys."""
    key = DOCNO_KEYS[order]
    if order != "numeric" or docnos.dtype.kind != "S":
        return np.array(list(map(key, docnos.tolist())), docnos.dtype.kind)
    # Most docnos are not integers, and on these numpy is ten times as fast.
    integers = np.flatnonzero(unlike_bytes(docnos, order))
    keys = np.char.add(b"\3", docnos).astype(f"S{docnos.dtype.itemsize + len(_size(b'')) + 1}")
    keys[integers] = list(map(key, docnos[integers].tolist()))
    return keys


_SIGN = np.uint32(1 << 31)
Keys: TypeAlias = npt.NDArray[np.float64] | npt.NDArray[np.float32] | npt.NDArray[np.int64]


def single(values: FloatArray) -> npt.NDArray[np.float32]:
    """The values in single precision. Values beyond it become infinite, and so equal."""
    with np.errstate(over="ignore"):
        return values.astype(np.float32)


def sorted_by(topic: IntArray, key: Keys) -> IntArray:
    """Indices that sort rows by topic, then by key. Equal rows keep input order. No key may be NaN."""
    if key.dtype != np.float32:
        return np.lexsort((key, topic))
    # Topic and key are combined in one number, which takes a third of the time. The bits of floats sort like
    # integers, except for negative floats, whose order is reversed, and for -0.0, which becomes 0.0.
    bits = (key + np.float32(0.0)).view(np.uint32)
    bits = np.where(bits >= _SIGN, ~bits, bits | _SIGN)
    return np.argsort(topic.astype(np.uint64) << np.uint64(32) | bits, kind="stable")


_Item = TypeVar("_Item")


def merge_sorted(items: Sequence[_Item], compare: Callable[[_Item, _Item], float]) -> list[_Item]:
    """Sort as glibc's merge sort does: split at n // 2, and take the left item first if neither is smaller.

    Args:
        compare: returns a negative number if its first argument comes first; need not be transitive.
    """
    if len(items) < 2:
        return list(items)
    half = len(items) // 2
    left, right = merge_sorted(items[:half], compare), merge_sorted(items[half:], compare)
    merged: list[_Item] = []
    i = j = 0
    while i < len(left) and j < len(right):
        if compare(left[i], right[j]) <= 0:
            merged.append(left[i])
            i += 1
        else:
            merged.append(right[j])
            j += 1
    return merged + left[i:] + right[j:]


#: numba sorts parts shorter than this by insertion, which keeps the order of equal keys.
_SHORT = 16


def quicksort_order(keys: Sequence[float]) -> list[int]:
    """Indices that sort the keys, smallest first, with equal keys in the order in which numba's ``argsort``
    leaves them (input order for fewer than 16 keys).

    Source: the quicksort of numba 0.68.1
    (numba/misc/quicksort.py); the order was compared with ranx's.

    Args:
        keys: numbers, none of them NaN.
    """
    order = list(range(len(keys)))
    parts = [(0, len(keys) - 1)]
    while parts:
        low, high = parts.pop()
        if high - low + 1 < _SHORT:
            order[low : high + 1] = sorted(order[low : high + 1], key=keys.__getitem__)
        else:
            middle = _partition(keys, order, low, high)
            parts += [(low, middle - 1), (middle + 1, high)]
    return order


def _partition(keys: Sequence[float], order: list[int], low: int, high: int) -> int:
    """Move smaller keys before the pivot and larger ones after it; return the position of the pivot."""
    middle = (low + high) // 2
    for a, b in ((low, middle), (middle, high), (low, middle)):  # the median of three comes to the middle
        if keys[order[b]] < keys[order[a]]:
            order[a], order[b] = order[b], order[a]
    pivot = keys[order[middle]]
    order[middle], order[high] = order[high], order[middle]
    i, j = low, high - 1
    while True:
        while i < high and keys[order[i]] < pivot:
            i += 1
        while j >= low and pivot < keys[order[j]]:
            j -= 1
        if i >= j:
            break
        order[i], order[j] = order[j], order[i]  # keys that equal the pivot are swapped as well
        i, j = i + 1, j - 1
    order[i], order[high] = order[high], order[i]
    return i
