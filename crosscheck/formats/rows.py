"""Rows of Python values for a run or qrels, with the checks that files do not need."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from contextlib import suppress
from itertools import chain, pairwise, repeat
from typing import Any

import numpy as np
from msgspec import Struct

from crosscheck.errors import InputError, quoted
from crosscheck.formats.grouping import Grouping, group, identifiers
from crosscheck.formats.numerals import INT64
from crosscheck.formats.preferences import preferences_of
from crosscheck.formats.subtopics import find_repeated, numbered, per_subtopic
from crosscheck.model import FloatArray, IdArray, IntArray, Qrels, Run, display

__all__ = [
    "QRELS",
    "RUN",
    "Rows",
    "encoded_id",
    "encoded_ids",
    "preferences_of_rows",
    "qrels_of",
    "run_of",
    "several_tags",
]

RUN = "a run: {topic: {docno: score}} or {query: [...], docid: [...], score: [...]}"
QRELS = "qrels: {topic: {docno: relevance}} or {query: [...], docid: [...], rel: [...]}"
_NUMBERS = (float, int, np.floating, np.integer)


class Rows(Struct, frozen=True, kw_only=True, eq=False):
    """Rows in input order: topics change at ``starts``; ``values`` are scores or levels, not yet checked."""

    source: str
    starts: Sequence[int]
    topics: Sequence[bytes]
    docnos: list[bytes]
    values: list[Any]
    notes: tuple[str, ...] = ()

    def at(self, row: int) -> str:
        topic = self.topics[bisect_right(self.starts, row) - 1]
        return f"topic {quoted(display(topic))}, document {quoted(display(self.docnos[row]))}"

    def error(self, row: int, problem: str, expected: str) -> InputError:
        message = f"{self.at(row)}: {problem}"
        return InputError(message, path=self.source, found=_shown(self.values[row]), expected=expected)

    def of_type(self, allowed: tuple[type, ...], refused: tuple[type, ...], expected: str) -> None:
        """Raise an error at the first value of another type."""
        wrong = {
            k for k in set(map(type, self.values)) if not issubclass(k, allowed) or issubclass(k, refused)
        }
        if wrong:
            row = next(row for row, value in enumerate(self.values) if type(value) in wrong)
            raise self.error(row, f"a value of type {type(self.values[row]).__name__}", expected)


def _shown(value: Any) -> str:
    try:
        return repr(value)
    except ValueError:  # Python refuses to print thousands of digits
        return "an integer of thousands of digits"


def run_of(rows: Rows, ranks: IntArray | None = None, tag: bytes = b"", notes: tuple[str, ...] = ()) -> Run:
    scores = _scores(rows)
    grouping, docnos = _grouped(rows)
    return Run(
        topics=grouping.topics,
        offsets=grouping.offsets,
        docnos=docnos,
        scores=grouping.apply(scores),
        ranks=None if ranks is None else grouping.apply(ranks),
        lines=grouping.order,
        tag=tag,
        source=rows.source,
        notes=rows.notes + notes,
    )


def qrels_of(rows: Rows, subtopics: Sequence[bytes] | None = None) -> Qrels:
    rels = _rels(rows)
    number, names = (None, ()) if subtopics is None else numbered(identifiers(subtopics))
    grouping, docnos = _grouped(rows, number)
    qrels = Qrels(
        topics=grouping.topics,
        offsets=grouping.offsets,
        docnos=docnos,
        rels=grouping.apply(rels),
        source=rows.source,
        notes=rows.notes,
    )
    return qrels if number is None else per_subtopic(qrels, grouping.apply(number), names)


def preferences_of_rows(
    rows: Rows, groups: Sequence[bytes] | None = None, subgroups: Sequence[bytes] | None = None
) -> Qrels:
    """Qrels with preferences from rows whose values are levels; without groups there is one judge."""
    rows.of_type(_NUMBERS, (), "a number as level")
    number, none = len(rows.docnos), b""
    topics = chain.from_iterable(
        repeat(topic, end - start)
        for topic, (start, end) in zip(rows.topics, pairwise([*rows.starts, number]), strict=True)
    )
    columns = (groups or [none] * number, subgroups or [none] * number, rows.docnos, map(float, rows.values))
    return preferences_of(zip(topics, *columns, strict=True), rows.source, rows.notes)


def _grouped(rows: Rows, subtopics: IntArray | None = None) -> tuple[Grouping, IdArray]:
    grouping = group(np.array(rows.starts, np.int64), rows.topics, len(rows.docnos))
    docnos = grouping.apply(identifiers(rows.docnos))
    inside = None if subtopics is None else grouping.apply(subtopics)
    if pair := find_repeated(docnos, grouping.offsets, inside):
        first, second = sorted(int(grouping.order[row]) for row in pair)
        raise InputError(
            f"{rows.at(second)} occurs twice, in rows {first + 1} and {second + 1}",
            path=rows.source,
            expected="each document once per topic" + ("" if inside is None else " and subtopic"),
            hint="remove one of the two",
        )
    return grouping, docnos


def _scores(rows: Rows) -> FloatArray:
    expected = "a number as score"
    rows.of_type(_NUMBERS, (bool,), expected)
    try:
        scores = np.fromiter(rows.values, np.float64, len(rows.values))
    except OverflowError:
        row = next(row for row, value in enumerate(rows.values) if _overflows(value))
        raise rows.error(row, "a score that is too large for a float", expected) from None
    if (nan := np.isnan(scores)).any():
        raise rows.error(int(nan.argmax()), "a NaN score, which has no rank", expected)
    return scores


def _overflows(value: Any) -> bool:
    try:
        float(value)
    except OverflowError:
        return True
    return False


def _rels(rows: Rows) -> IntArray:
    expected = "a whole number as relevance level"
    rows.of_type((*_NUMBERS, np.bool_), (), expected)
    if set(map(type, rows.values)) == {int}:
        with suppress(OverflowError):  # the loop finds the row
            return np.fromiter(rows.values, np.int64, len(rows.values))
    for row, value in enumerate(rows.values):
        if isinstance(value, float | np.floating) and not float(value).is_integer():
            raise rows.error(row, "a relevance level that is not a whole number", expected)
        if int(value) not in INT64:
            raise rows.error(row, "a relevance level that does not fit into 64 bits", expected)
    return np.fromiter(map(int, rows.values), np.int64, len(rows.values))


def encoded_ids(ids: Iterable[Any], source: str, *, integers: bool = False) -> list[bytes]:
    """Ids as bytes; integers become their digits, if integers are allowed.

    Raises:
        InputError: an id of another type, without UTF-8 form, or with a NUL byte.
    """
    ids = list(ids)
    try:
        result = [name.encode() for name in ids]
    except (AttributeError, UnicodeEncodeError):  # bytes, integers, surrogates, or an error
        result = [encoded_id(name, source, integers=integers) for name in ids]
    if b"\0" in b"".join(result):
        found = next(name for name in result if b"\0" in name)
        raise InputError("an id with a NUL byte", path=source, found=found, expected="text without NUL")
    return result


def encoded_id(name: Any, source: str, *, integers: bool = True) -> bytes:
    """One id as bytes; as :func:`encoded_ids`."""
    if isinstance(name, bytes):
        return bytes(name)
    if isinstance(name, str):
        try:
            return name.encode("utf-8", "surrogateescape")
        except UnicodeEncodeError:
            raise InputError("an id that UTF-8 cannot hold", path=source, found=name) from None
    if integers and isinstance(name, int | np.integer) and not isinstance(name, bool):
        return str(int(name)).encode()
    allowed = "text, bytes or an integer" if integers else "text or bytes"
    problem = f"an id of type {type(name).__name__}"
    raise InputError(problem, path=source, found=repr(name), expected=allowed)


def several_tags(tags: Iterable[str]) -> tuple[str, ...]:
    """A note where the lines of a run have more than one tag, so that systems may have been mixed up."""
    found = list(dict.fromkeys(tags))
    if len(found) < 2:
        return ()
    named = ", ".join(map(quoted, found[:5])) + (", ..." if len(found) > 5 else "")
    return (f"the lines have {len(found)} different tags ({named}), and all count as one run",)
