"""Runs and qrels as Python objects: dicts of dicts, dicts of columns, and JSON of either.

Inside crosscheck ids are bytes. Text is encoded as UTF-8 (lone surrogates of ``surrogateescape`` become the
bytes they represent); :func:`text_encoding` gives the encoding for the way back.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import chain, pairwise, repeat
from typing import Any

import numpy as np
from msgspec import Struct

from crosscheck.errors import EmptyInput, InputError, quoted
from crosscheck.formats.grouping import (
    Block,
    GroupedRows,
    identifiers,
    preferences_of,
    starts_of_topics,
)
from crosscheck.formats.numerals import INT64
from crosscheck.formats.source import parse_json
from crosscheck.model import FloatArray, IntArray, Needs, Qrels, Run, display

RUN = "a run: {topic: {docno: score}} or {query: [...], docid: [...], score: [...]}"
QRELS = "qrels: {topic: {docno: relevance}} or {query: [...], docid: [...], rel: [...]}"
_NUMBERS = (float, int, np.floating, np.integer)
#: Integers from here on are rounded to infinity.
_HUGE = 2**1024 - 2**970


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
    return _grouped(rows, _scores(rows), ranks=ranks, tag=tag).run(rows.source, rows.notes + notes)


def qrels_of(rows: Rows, subtopics: Sequence[bytes] | None = None) -> Qrels:
    column = None if subtopics is None else identifiers(subtopics)
    return _grouped(rows, _rels(rows), subtopics=column).qrels(rows.source, rows.notes)


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
    columns = (
        groups or [none] * number,
        subgroups or [none] * number,
        rows.docnos,
        _floats(rows, "level").tolist(),
    )
    return preferences_of(zip(topics, *columns, strict=True), rows.source, rows.notes)


def _grouped(rows: Rows, values: FloatArray | IntArray, **columns: Any) -> GroupedRows:
    """The rows, grouped; ``columns`` are further attributes of :class:`Block`."""
    block = Block(
        starts=np.array(rows.starts, np.int64),
        topics=rows.topics,
        docnos=identifiers(rows.docnos),
        values=values,
        lines=range(1, len(rows.docnos) + 1),
        **columns,
    )
    grouped = GroupedRows.of([block])
    if pair := grouped.repeated():
        first, second = sorted(pair)
        raise InputError(
            f"{rows.at(second)} occurs twice, in rows {first + 1} and {second + 1}",
            path=rows.source,
            expected="each document once per topic" + ("" if block.subtopics is None else " and subtopic"),
            hint="remove one of the two",
        )
    return grouped


def _scores(rows: Rows) -> FloatArray:
    rows.of_type(_NUMBERS, (bool,), "a number as score")
    scores = _floats(rows, "score")
    if (nan := np.isnan(scores)).any():
        raise rows.error(int(nan.argmax()), "a NaN score, which has no rank", "a number as score")
    return scores


def _floats(rows: Rows, noun: str) -> FloatArray:
    try:
        return np.fromiter(rows.values, np.float64, len(rows.values))
    except OverflowError:
        row = next(i for i, value in enumerate(rows.values) if isinstance(value, int) and abs(value) >= _HUGE)
        problem = f"a {noun} that is too large for a float"
        raise rows.error(row, problem, f"a number as {noun}") from None


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


def odd_ranks(found: str) -> tuple[str, ...]:
    """A note on a rank column that is not made of integers."""
    return (f"the rank column is not made of integers ({found}), so nothing orders by it",)


def several_tags(tags: Iterable[str]) -> tuple[str, ...]:
    """A note where the lines of a run have more than one tag, so that systems may have been mixed up."""
    found = list(dict.fromkeys(tags))
    if len(found) < 2:
        return ()
    named = ", ".join(map(quoted, found[:5])) + (", ..." if len(found) > 5 else "")
    return (f"the lines have {len(found)} different tags ({named}), and all count as one run",)


def run_from_columns(columns: Mapping[str, Any], source: str = "run") -> Run:
    """A run from parallel columns, the form of Hugging Face ``evaluate``.

    Args:
        columns: ``query``, ``docid`` and ``score``, and optionally ``rank`` and ``system``, whose last
            element becomes the tag; others (``q0``) are ignored. Lists, tuples, arrays or data frame columns
            of one length. Ids are str, bytes or int; integers become their decimal digits.
        source: name of the input for messages.

    Raises:
        InputError: as :func:`run_from_dict`; also a missing column or columns of different lengths.
    """
    rows, more = _rows_of_columns(columns, source, RUN, "score", ("rank", "system"))
    ranks, notes = _ranks(more["rank"])
    tag = encoded_id(more["system"][-1], source) if more["system"] else b""
    return run_of(rows, ranks, tag, (*notes, *several_tags(map(str, more["system"]))))


def qrels_from_columns(
    columns: Mapping[str, Any], source: str = "qrels", *, needs: Needs = "levels"
) -> Qrels:
    """Judgements from the columns ``query``, ``docid`` and ``rel``; as :func:`run_from_columns`.

    Args:
        needs: with ``subtopics``, also read the column ``subtopic``, if there is one; with ``preferences``
            the columns ``group`` and ``subgroup``; see :func:`crosscheck.formats.trec.read_qrels`.
    """
    optional = {"levels": (), "subtopics": ("subtopic",), "preferences": ("group", "subgroup")}[needs]
    rows, more = _rows_of_columns(columns, source, QRELS, "rel", optional)
    names = {name: encoded_ids(ids, source, integers=True) for name, ids in more.items() if ids}
    if needs == "preferences":
        return preferences_of_rows(rows, names.get("group"), names.get("subgroup"))
    return qrels_of(rows, names.get("subtopic"))


def _rows_of_columns(
    columns: Any, source: str, expected: str, value: str, optional: tuple[str, ...]
) -> tuple[Rows, dict[str, list[Any]]]:
    if not isinstance(columns, Mapping):
        raise InputError(f"a value of type {type(columns).__name__}", path=source, expected=expected)
    names = ("query", "docid", value)
    if missing := [name for name in names if name not in columns]:
        problem = f"there is no column {' and no column '.join(missing)}"
        raise InputError(problem, path=source, found=", ".join(map(str, columns)), expected=expected)
    lists = {name: _listed(columns[name], name, source) for name in (*names, *optional) if name in columns}
    if len(lengths := {len(column) for column in lists.values()}) > 1:
        found = ", ".join(f"{name}: {len(column)}" for name, column in lists.items())
        raise InputError("columns of different lengths", path=source, found=found, expected=expected)
    if lengths == {0}:
        raise EmptyInput("there is no document in it", path=source, expected=expected)
    topics, docnos = (encoded_ids(lists[name], source, integers=True) for name in ("query", "docid"))
    return rows_of(source, topics, docnos, lists[value]), {name: lists.get(name, []) for name in optional}


def rows_of(source: str, topics: Sequence[bytes], docnos: list[bytes], values: list[Any]) -> Rows:
    """Rows from columns of one length."""
    starts = starts_of_topics(topics).tolist()
    named = [topics[row] for row in starts]
    return Rows(source=source, starts=starts, topics=named, docnos=docnos, values=values)


def _listed(column: Any, name: str, source: str) -> list[Any]:
    values = column.tolist() if hasattr(column, "tolist") else column
    if not isinstance(values, list | tuple):
        problem = f"column {name} is of type {type(column).__name__}"
        raise InputError(problem, path=source, expected="a list or an array")
    return list(values)


def _ranks(ranks: list[Any]) -> tuple[IntArray | None, tuple[str, ...]]:
    if not ranks:
        return None, ()
    for rank in ranks:
        whole = isinstance(rank, int | np.integer) or (isinstance(rank, float) and rank.is_integer())
        if isinstance(rank, bool) or not whole or int(rank) not in INT64:
            return None, odd_ranks(quoted(rank) if isinstance(rank, str) else _shown(rank))
    return np.array([int(rank) for rank in ranks], np.int64), ()


def run_from_dict(mapping: Mapping[Any, Mapping[Any, Any]], source: str = "run") -> Run:
    """A run from ``{topic: {docno: score}}``.

    Args:
        mapping: ids are str or bytes; scores are Python or numpy numbers (no bools), infinities included.
            Topics without documents are left out and named in ``notes``.
        source: name of the input for messages.

    Returns:
        The run, without ranks and with an empty tag; ``lines`` is the order of the mapping.

    Raises:
        InputError: an id or score of another type, a NaN score, an id with a NUL byte, two ids with the
            same bytes, or no document at all.
    """
    return run_of(_rows_of_dict(mapping, source, RUN))


def qrels_from_dict(
    mapping: Mapping[Any, Mapping[Any, Any]], source: str = "qrels", *, needs: Needs = "levels"
) -> Qrels:
    """Judgements from ``{topic: {docno: relevance level}}``; as :func:`run_from_dict`.

    Levels are integers, bools, or floats that are whole (``1.0``); ``0.5`` is an error, and so is a level
    that does not fit into 64 bits.

    Args:
        needs: with ``subtopics``, also accept ``{topic: {subtopic: {docno: relevance level}}}``; with
            ``preferences``, ``{topic: {group: {docno: level}}}`` and ``{topic: {group: {subgroup: {docno:
            level}}}}``, with any numbers as levels.
    """
    if needs == "preferences":
        expected = "{topic: {group: {docno: level}}}, perhaps with subgroups in the groups"
        columns = _columns_of_nested(mapping, source, ("group", "subgroup"), range(2, 5), expected)
        return qrels_from_columns(columns, source, needs=needs)
    if needs == "subtopics" and _holds_subtopics(mapping):
        expected = "{topic: {subtopic: {docno: relevance}}}"
        columns = _columns_of_nested(mapping, source, ("subtopic",), range(3, 4), expected)
        return qrels_from_columns(columns, source, needs=needs)
    return qrels_of(_rows_of_dict(mapping, source, QRELS))


def _holds_subtopics(mapping: Any) -> bool:
    inner = mapping.values() if isinstance(mapping, Mapping) else ()
    held = [documents for documents in inner if isinstance(documents, Mapping)]
    return any(isinstance(value, Mapping) for documents in held for value in documents.values())


def _columns_of_nested(
    mapping: Any, source: str, between: tuple[str, ...], keys: range, expected: str
) -> dict[str, list[Any]]:
    """The columns of ``{topic: {...: {docno: level}}}``.

    Args:
        between: names of the columns of the keys between topic and docno; missing keys are empty.
        keys: the numbers of keys that a level may be under.
    """
    rows: list[tuple[Any, ...]] = []
    for path, level in _leaves(mapping):
        if len(path) not in keys:
            counted = f"{len(path)} key{'' if len(path) == 1 else 's'}"
            raise InputError(f"a level under {counted}", path=source, found=repr(level), expected=expected)
        topic, *some, docno = path
        rows.append((topic, *[*some, *[""] * len(between)][: len(between)], docno, level))
    names = ("query", *between, "docid", "rel")
    columns = zip(*rows, strict=True) if rows else [()] * len(names)
    return dict(zip(names, map(list, columns), strict=True))


def _leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _leaves(inner, (*path, key))
    else:
        yield path, value


def run_from_json(data: bytes, source: str) -> Run:
    """A run from JSON text: of a dict of columns if the dict holds an array, else of a dict of dicts."""
    value = parse_json(data, source, RUN)
    return run_from_columns(value, source) if _holds_columns(value) else run_from_dict(value, source)


def qrels_from_json(data: bytes, source: str, *, needs: Needs = "levels") -> Qrels:
    """Judgements from JSON text; as :func:`run_from_json` and :func:`qrels_from_columns`."""
    value = parse_json(data, source, QRELS)
    if _holds_columns(value):
        return qrels_from_columns(value, source, needs=needs)
    return qrels_from_dict(value, source, needs=needs)


def _holds_columns(value: Any) -> bool:
    return isinstance(value, dict) and any(isinstance(column, list) for column in value.values())


def _rows_of_dict(mapping: Any, source: str, expected: str) -> Rows:
    starts: list[int] = []
    topics: list[bytes] = []
    docnos: list[bytes] = []
    values: list[Any] = []
    empty: list[bytes] = []
    if not isinstance(mapping, Mapping):
        raise InputError(f"a value of type {type(mapping).__name__}", path=source, expected=expected)
    for key, topic, documents in zip(mapping, encoded_ids(mapping, source), mapping.values(), strict=True):
        if not isinstance(documents, Mapping):
            problem = f"topic {quoted(display(topic))}: a value of type {type(documents).__name__}"
            raise InputError(problem, path=source, found=repr(mapping[key]), expected=expected)
        if not documents:
            empty.append(topic)
            continue
        starts.append(len(docnos))
        topics.append(topic)
        docnos += encoded_ids(documents, source)
        values += documents.values()
    if not docnos:
        raise EmptyInput("there is no document in it", path=source, expected=expected)
    if len(set(topics)) < len(topics):
        raise InputError("two topic ids are the same bytes, once as text", path=source, expected=expected)
    return Rows(
        source=source, starts=starts, topics=topics, docnos=docnos, values=values, notes=_left_out(empty)
    )


def _left_out(topics: list[bytes]) -> tuple[str, ...]:
    if not topics:
        return ()
    named = ", ".join(quoted(display(topic)) for topic in topics[:5]) + (", ..." if len(topics) > 5 else "")
    return (f"topics without any document, left out: {len(topics)} ({named})",)


def text_encoding(*tables: Run | Qrels) -> str:
    """The encoding of ids as text for backends: UTF-8, or latin-1 if some id is not UTF-8.

    A run and its qrels need the same encoding, or their ids would not match, so pass both. The order of ids
    is kept: in either encoding texts compare like their bytes. In latin-1 every byte is one character.
    """
    try:
        for table in tables:
            b"\0".join([*table.topics, *table.docnos.tolist()]).decode("utf-8")
    except UnicodeDecodeError:
        return "latin-1"
    return "utf-8"


def run_to_dict(run: Run, encoding: str | None = None) -> dict[str, dict[str, float]]:
    """``{topic: {docno: score}}``, in row order.

    Args:
        run: the run.
        encoding: from :func:`text_encoding` of run and qrels; if None, of the run alone.

    Raises:
        InputError: a document occurs twice under a topic, which a dict cannot hold.
    """
    return _nested(run, run.scores.tolist(), encoding)


def qrels_to_dict(qrels: Qrels, encoding: str | None = None) -> dict[str, dict[str, int]]:
    """``{topic: {docno: relevance level}}``; as :func:`run_to_dict`."""
    return _nested(qrels, qrels.rels.tolist(), encoding)


def _nested(table: Run | Qrels, values: list[Any], encoding: str | None) -> dict[str, dict[str, Any]]:
    encoding = encoding or text_encoding(table)
    # One decoding for all ids; they hold no NUL bytes.
    docnos = b"\0".join(table.docnos.tolist()).decode(encoding).split("\0")
    offsets = table.offsets.tolist()
    result = {
        topic.decode(encoding): dict(zip(docnos[start:end], values[start:end], strict=True))
        for topic, start, end in zip(table.topics, offsets[:-1], offsets[1:], strict=True)
    }
    if sum(map(len, result.values())) < len(values):
        raise InputError("a document occurs twice under a topic", path=table.source)
    return result
