"""Conversion of runs and qrels from and to Python objects: dicts of dicts, dicts of columns, or JSON.

Inside crosscheck ids are bytes. Ids that the user passes as text are encoded as UTF-8; a lone surrogate, by
which Python's ``surrogateescape`` represents an invalid byte, becomes that byte. :func:`text_encoding`
returns the encoding by which ids become text again.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from crosscheck.errors import EmptyInput, InputError, first_few, quoted
from crosscheck.formats import grouping
from crosscheck.formats.forms import SPELLINGS, Noun, fields_of, place_of, unnamed
from crosscheck.formats.numerals import INT64, atof
from crosscheck.formats.reference_reader import MAYBE_SWAPPED
from crosscheck.formats.source import BOM, parse_json
from crosscheck.model import FloatArray, IntArray, Needs, Qrels, Run, display

RUN = "a run: {topic: {docno: score}} or {query: [...], docid: [...], score: [...]}"
QRELS = "qrels: {topic: {docno: relevance}} or {query: [...], docid: [...], rel: [...]}"
_REMOVE = "remove one of the two rows"
_NUMBERS = (float, int, np.floating, np.integer)


class Rows(Struct, frozen=True, kw_only=True, eq=False):
    """Rows of a run or of qrels, in input order.

    Attributes:
        source: name of the input, for messages.
        starts: the rows at which the topic changes.
        topics: the topic that begins at each of ``starts``.
        docnos: the document of each row.
        values: the score or relevance level of each row, not yet checked.
        notes: remarks on the input.
    """

    source: str
    starts: Sequence[int]
    topics: Sequence[bytes]
    docnos: list[bytes]
    values: list[Any]
    notes: tuple[str, ...] = ()

    def at(self, row: int) -> str:
        topic = self.topics[bisect_right(self.starts, row) - 1]
        return f"topic {quoted(display(topic))}, document {quoted(display(self.docnos[row]))}"

    def error(self, row: int, problem: str, expected: str | None, hint: str | None = None) -> InputError:
        message, found = f"{self.at(row)}: {problem}", _shown(self.values[row])
        return InputError(message, path=self.source, found=found, expected=expected, hint=hint)

    def check_types(self, allowed: tuple[type, ...], excluded: tuple[type, ...], expected: str) -> None:
        """Raise InputError for the first value whose type is not in ``allowed``, or is in ``excluded``."""
        types = set(map(type, self.values))
        wrong = {one for one in types if not issubclass(one, allowed) or issubclass(one, excluded)}
        if wrong:
            row, value = next(pair for pair in enumerate(self.values) if type(pair[1]) in wrong)
            quotes = isinstance(value, str) and atof(value.encode("utf-8", "replace"))[1]
            hint = "give numbers, not text: without quotes" if quotes else None
            raise self.error(row, f"expected {expected}, got {_type(value)}", None, hint)


def _type(value: object) -> str:
    return "None" if value is None else type(value).__name__


def _shown(value: Any) -> str:
    with suppress(ValueError):  # Python refuses to print thousands of digits
        return value if isinstance(value, str) else repr(value)
    return "an integer of thousands of digits"


def run_of(rows: Rows, ranks: IntArray | None = None, tag: bytes = b"", notes: tuple[str, ...] = ()) -> Run:
    return _grouped(rows, _scores(rows), ranks=ranks, tag=tag).run(rows.source, rows.notes + notes)


def qrels_of(rows: Rows, subtopics: Sequence[bytes] | None = None) -> Qrels:
    column = None if subtopics is None else grouping.identifiers(subtopics)
    return _grouped(rows, _rels(rows), subtopics=column).qrels(rows.source, rows.notes)


def _grouped(rows: Rows, values: FloatArray | IntArray, **columns: Any) -> grouping.GroupedRows:
    """The rows, grouped by topic. ``values`` are the checked scores or levels, and ``columns`` further
    attributes of :class:`Block`."""
    if b"" in rows.topics:
        raise InputError("the id of a query is empty", path=rows.source, expected="an id")
    starts, docnos = np.array(rows.starts, np.int64), grouping.identifiers(rows.docnos)
    lines = range(1, len(docnos) + 1)
    block = grouping.Block(
        starts=starts, topics=rows.topics, docnos=docnos, values=values, lines=lines, **columns
    )
    grouped = grouping.GroupedRows.of([block])
    if pair := grouped.repeated():
        first, second = sorted(pair)
        problem = f"{rows.at(second)} occurs twice, in rows {first + 1} and {second + 1}"
        expected = "each document once per topic" + ("" if block.subtopics is None else " and subtopic")
        raise InputError(problem, path=rows.source, expected=expected, hint=_REMOVE)
    return grouped


def _scores(rows: Rows) -> FloatArray:
    rows.check_types(_NUMBERS, (bool,), "a number as score")
    scores = _floats(rows, "score")
    if (nan := np.isnan(scores)).any():
        raise rows.error(int(nan.argmax()), "the score is NaN, which has no rank", "a number as score")
    return scores


def _floats(rows: Rows, noun: str) -> FloatArray:
    try:
        return np.fromiter(rows.values, np.float64, len(rows.values))
    except OverflowError:
        huge = 2**1024 - 2**970  # the smallest integer that is too large for a float
        row = next(i for i, value in enumerate(rows.values) if isinstance(value, int) and abs(value) >= huge)
        problem = f"the {noun} is too large for a float"
        raise rows.error(row, problem, f"a number as {noun}") from None


def _rels(rows: Rows) -> IntArray:
    expected = "a whole number as relevance level"
    rows.check_types((*_NUMBERS, np.bool_), (), expected)
    if set(map(type, rows.values)) == {int}:
        with suppress(OverflowError):  # the loop below finds the row of the error
            return np.fromiter(rows.values, np.int64, len(rows.values))
    for row, value in enumerate(rows.values):
        if isinstance(value, float | np.floating) and not float(value).is_integer():
            raise rows.error(row, "the relevance level is not a whole number", expected, MAYBE_SWAPPED)
        if int(value) not in INT64:
            raise rows.error(row, "the relevance level does not fit into 64 bits", expected)
    return np.fromiter(map(int, rows.values), np.int64, len(rows.values))


def encoded_ids(ids: Iterable[Any], source: str) -> list[bytes]:
    """Ids as bytes; integers become their digits.

    Raises:
        InputError: an id is not text, bytes or an integer, cannot be encoded as UTF-8, or holds a NUL byte.
    """
    ids = list(ids)
    try:
        result = [name.encode() for name in ids]
    except (AttributeError, UnicodeEncodeError):  # some ids are bytes, integers, or text with surrogates
        result = [encoded_id(name, source) for name in ids]
    if b"\0" in b"".join(result):
        id = next(name for name in result if b"\0" in name)
        raise InputError("an id contains a NUL byte", path=source, found=id, expected="text without NUL")
    return result


def encoded_id(name: Any, source: str) -> bytes:
    """One id as bytes, as by :func:`encoded_ids`, but without an error for NUL bytes."""
    if isinstance(name, bytes):
        return bytes(name)
    if isinstance(name, str):
        try:
            return name.encode("utf-8", "surrogateescape")
        except UnicodeEncodeError:
            problem = "an id cannot be encoded as UTF-8 (it contains a lone surrogate)"
            raise InputError(problem, path=source, found=name, hint="pass the id as bytes") from None
    if isinstance(name, int | np.integer) and not isinstance(name, bool):
        return str(int(name)).encode()
    problem = f"an id has the type {type(name).__name__}"
    raise InputError(problem, path=source, found=repr(name), expected="text, bytes or an integer")


def odd_ranks(example: str) -> tuple[str, ...]:
    """The note on a rank column in which ``example`` is not an integer."""
    return (f"the rank column contains a value that is not an integer ({example}), so it is ignored",)


def several_tags(tags: Iterable[str]) -> tuple[str, ...]:
    """The note on a run whose lines have different tags, which may be the runs of several systems."""
    different = dict.fromkeys(tags)
    if len(different) < 2:
        return ()
    named = first_few(map(quoted, different))
    return (f"the lines have {len(different)} different tags ({named}); they are read as one run",)


def run_from_columns(columns: Mapping[str, Any], source: str = "run") -> Run:
    """A run from parallel columns, the form of Hugging Face ``evaluate``.

    Args:
        columns: ``query``, ``docid``, ``score`` or ``rank`` or both, and optionally ``system``, whose last
            element becomes the tag; any other column (``q0``) is ignored. Columns are lists, tuples, arrays
            or data frame columns of the same length. Ids are str, bytes or int; integers become their decimal
            digits.
        source: name of the input for messages.

    Raises:
        InputError: as by :func:`run_from_dict`; also if a column is missing, columns differ in length, or
            there are no scores and two documents of a query have the same rank.
    """
    by_rank = "rank" in columns and "score" not in columns
    if by_rank:
        ranks = _listed(columns["rank"], "rank", source)
        negative = [-r if isinstance(r, _NUMBERS) and not isinstance(r, bool) else r for r in ranks]
        columns = {**columns, "score": negative}
    rows, more = _rows_of_columns(columns, source, RUN, "score", ("rank", "system"))
    numbers, notes = _ranks(more["rank"])
    tag = encoded_id(more["system"][-1], source) if more["system"] else b""
    run = run_of(rows, numbers, tag, (*notes, *several_tags(map(str, more["system"]))))
    if by_rank:
        if grouping.tied_ranks(run):
            problem = "two documents of a query have the same rank, and there are no scores"
            raise InputError(problem, path=source, expected="each rank once per query")
        note = "there are no scores: a document's score is its rank, negative"
        run = replace(run, notes=(*run.notes, note))
    return run


def qrels_from_columns(
    columns: Mapping[str, Any], source: str = "qrels", *, needs: Needs = "levels"
) -> Qrels:
    """Judgements from the columns ``query``, ``docid`` and ``rel``.

    Args:
        columns, source: as for :func:`run_from_columns`.
        needs: the kind of judgements, see :func:`crosscheck.formats.trec.read_qrels`. With ``subtopics``, the
            column ``subtopic`` is also read if there is one, and with ``preferences`` the columns ``group``
            and ``subgroup``.
    """
    optional = {"levels": (), "subtopics": ("subtopic",), "preferences": ("group", "subgroup")}[needs]
    rows, more = _rows_of_columns(columns, source, QRELS, "rel", optional)
    names = {name: encoded_ids(ids, source) for name, ids in more.items() if ids}
    if needs != "preferences":
        return qrels_of(rows, names.get("subtopic"))
    rows.check_types(_NUMBERS, (), "a number as level")
    levels, none = _floats(rows, "level").tolist(), [b""] * len(rows.docnos)
    topics = np.repeat(grouping.identifiers(rows.topics), np.diff(rows.starts, append=len(none))).tolist()
    groups, subgroups = (names.get(name, none) for name in optional)
    return grouping.preferences_of(zip(topics, groups, subgroups, rows.docnos, levels, strict=True), source)


def _rows_of_columns(
    columns: Mapping[str, Any], source: str, expected: str, value: str, optional: tuple[str, ...]
) -> tuple[Rows, dict[str, list[Any]]]:
    names = ("query", "docid", value)
    if missing := [name for name in names if name not in columns]:
        problem = f"there is no column {' and no column '.join(missing)}"
        raise InputError(problem, path=source, found=", ".join(map(str, columns)), expected=expected)
    lists = {name: _listed(columns[name], name, source) for name in (*names, *optional) if name in columns}
    if len(lengths := {len(column) for column in lists.values()}) > 1:
        counted = ", ".join(f"{name}: {len(column)}" for name, column in lists.items())
        raise InputError("the columns have different lengths", path=source, found=counted, expected=expected)
    if lengths == {0}:
        raise _no_document(source, expected)
    topics, docnos = (encoded_ids(lists[name], source) for name in ("query", "docid"))
    return rows_of(source, topics, docnos, lists[value]), {name: lists.get(name, []) for name in optional}


def rows_of(source: str, topics: Sequence[bytes], docnos: list[bytes], values: list[Any]) -> Rows:
    """Rows from columns of the same length."""
    starts = grouping.starts_of_topics(topics).tolist()
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
        mapping: ids are str, bytes or int; scores are Python or numpy numbers (infinity is allowed, bool is
            not). Topics without documents are left out and named in ``notes``.
        source: name of the input for messages.

    Returns:
        The run, without ranks and with an empty tag. Its ``lines`` are positions in the mapping.

    Raises:
        InputError: an id or score has a type that is not allowed, a score is NaN, an id has a NUL byte, the
            id of a query is empty, two ids have the same bytes, or there is no document at all.
    """
    return run_of(_rows_of_dict(mapping, source, RUN))


def qrels_from_dict(
    mapping: Mapping[Any, Mapping[Any, Any]], source: str = "qrels", *, needs: Needs = "levels"
) -> Qrels:
    """Judgements from ``{topic: {docno: relevance level}}``.

    Levels are integers, bools, or whole floats (``1.0``). ``0.5`` is an error, and so is a level
    that does not fit in 64 bits. Ids and ``source`` are as in :func:`run_from_dict`.

    Args:
        needs: the kind of judgements. With ``subtopics``, ``{topic: {subtopic: {docno: relevance level}}}``
            is also accepted; with ``preferences``, ``{topic: {group: {docno: level}}}`` and ``{topic: {group:
            {subgroup: {docno: level}}}}``, with any numbers as levels.
    """
    if needs == "preferences":
        expected = "{topic: {group: {docno: level}}} or {topic: {group: {subgroup: {docno: level}}}}"
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
    """The columns of the nested mapping ``{topic: {...: {docno: level}}}``.

    Args:
        between: column names for the keys between topic and docno. Where a key is missing, the column holds
            an empty text.
        keys: the allowed numbers of keys that lead to a level, topic and docno included.
        expected: the allowed forms, for messages.
    """
    rows: list[tuple[Any, ...]] = []
    for path, level in _leaves(mapping):
        if len(path) not in keys:
            problem = f"a level is nested under {len(path)} key{'' if len(path) == 1 else 's'}"
            raise InputError(problem, path=source, found=repr(level), expected=expected)
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


def run_from_value(value: Any, source: str) -> Run:
    """A run from a dict of dicts, a dict of columns, or a list of objects with named fields."""
    value = _merged(value, source)
    columns = columns_of(value, source, "run")
    return run_from_dict(value, source) if columns is None else run_from_columns(columns, source)


def qrels_from_value(value: Any, source: str, *, needs: Needs = "levels") -> Qrels:
    """Judgements from a dict of dicts, a dict of columns, or a list of objects with named fields. ``needs``
    is explained in :func:`qrels_from_dict`."""
    value = _merged(value, source)
    columns = columns_of(value, source, "qrels")
    if columns is None:
        return qrels_from_dict(value, source, needs=needs)
    return qrels_from_columns(columns, source, needs=needs)


def _merged(value: Any, source: str) -> Any:
    """One dict from a list of dicts of dicts (as in JSON lines with one query per line). Any other value is
    returned unchanged."""
    if not isinstance(value, list) or not all(_nests(one) for one in value) or not value:
        return value
    merged: dict[Any, Any] = {}
    for number, one in enumerate(value, 1):
        for topic, documents in one.items():
            if merged.setdefault(topic, documents) is not documents:
                problem, hint = f"topic {quoted(topic)} occurs again in row {number}", _REMOVE
                raise InputError(problem, path=source, expected="each topic once", hint=hint)
    return merged


def _nests(value: Any) -> bool:
    held = value.values() if isinstance(value, dict) else ()
    return bool(held) and all(isinstance(inner, dict) for inner in held)


def json_value(data: bytes, source: str, expected: str) -> Any:
    """The value of JSON text. For JSON lines, the list of the objects on all lines."""
    lines = [(n, line) for n, line in enumerate(data.removeprefix(BOM).split(b"\n"), 1) if line.strip()]
    if len(lines) > 1 and lines[0][1].rstrip().endswith(b"}"):
        try:
            parse_json(lines[0][1], source, expected)
        except InputError:
            pass
        else:
            return [parse_json(line, source, expected, number) for number, line in lines]
    return parse_json(data, source, expected)


_RECORDS = 'write the table as a list of rows, as df.to_json(orient="records") does'
#: What to write in place of JSON that holds neither a run nor qrels.
_WAYS_OUT: Mapping[Noun, str] = {
    "run": 'write {topic: {docno: score}}, or rows such as [{"qid": "1", "docid": "a", "score": 2.5}]',
    "qrels": 'write {topic: {docno: level}}, or rows such as [{"qid": "1", "docid": "a", "relevance": 1}]',
}
#: Field -> the name of its column, if that differs.
_COLUMN = {"topic": "query", "docno": "docid", "relevance": "rel", "tag": "system", "iteration": "subtopic"}


def columns_of(value: Any, source: str, noun: Noun) -> dict[str, Any] | None:
    """The columns of a table, renamed to the names that :func:`run_from_columns` expects.

    Args:
        value: a dict of columns, a list of objects with named fields, or one such object.
        source: name of the input for messages.
        noun: whether the table is a run or qrels.

    Returns:
        Column name -> column; None if the value is not a table.

    Raises:
        InputError: a needed column is missing under all its known names, or an object lacks a field that the
            first object has.
    """
    rows = value if isinstance(value, list) else [value]
    first = rows[0] if rows else None
    if not isinstance(first, dict):
        return None
    fields = fields_of(list(map(str, first)), noun)
    if fields and first is value and all(isinstance(column, dict) for column in value.values()):
        problem = "the columns of a table are dicts, with an index in each"
        raise InputError(problem, path=source, found=", ".join(map(str, first)), hint=_RECORDS)
    columns_given = first is value and any(isinstance(column, list) for column in value.values())
    nested = not fields or any(isinstance(inner, dict) for inner in first.values())
    if first is value and nested and not columns_given:
        return None  # a dict of dicts
    if not fields:
        error = unnamed(list(first), source, noun)
        if not columns_given or place_of(list(first), SPELLINGS["topic"]) is None:
            error.hint = _RECORDS if {"columns", "data"} <= first.keys() else _WAYS_OUT[noun]
        raise error
    named = {_COLUMN.get(field, field): name for name, field in zip(first, fields, strict=True) if field}
    if columns_given:
        return {column: value[name] for column, name in named.items()}
    for number, row in enumerate(rows, 1):
        for name in named.values():
            if not isinstance(row, dict) or name not in row:
                problem, expected = f"row {number} has no {quoted(name)}", f"as in row 1: {', '.join(first)}"
                raise InputError(problem, path=source, found=_shown(row), expected=expected)
    return {column: [row[name] for row in rows] for column, name in named.items()}


def _rows_of_dict(mapping: Any, source: str, expected: str) -> Rows:
    starts = list[int]()
    topics, docnos, empty = list[bytes](), list[bytes](), list[bytes]()
    values = list[Any]()
    if not isinstance(mapping, Mapping):
        problem = f"{expected.partition(':')[0]} must be a mapping, not {_type(mapping)}"
        raise InputError(problem, path=source, expected=expected)
    for key, topic, documents in zip(mapping, encoded_ids(mapping, source), mapping.values(), strict=True):
        if not isinstance(documents, Mapping):
            problem = f"topic {quoted(display(topic))}: the value must be a mapping, not {_type(documents)}"
            raise InputError(problem, path=source, found=repr(mapping[key]), expected=expected)
        if not documents:
            empty.append(topic)
            continue
        starts.append(len(docnos))
        topics.append(topic)
        docnos += encoded_ids(documents, source)
        values += documents.values()
    if not docnos:
        raise _no_document(source, expected)
    if len(set(topics)) < len(topics):
        twice = next(topic for topic in topics if topics.count(topic) > 1)
        problem = "two topic ids are spelt alike, such as 1 and '1'"
        raise InputError(problem, path=source, found=twice, expected=expected)
    notes: tuple[str, ...] = ()
    if empty:
        named = first_few(quoted(display(topic)) for topic in empty)
        notes = (f"topics without any document are left out: {len(empty)} ({named})",)
    return Rows(source=source, starts=starts, topics=topics, docnos=docnos, values=values, notes=notes)


def _no_document(source: str, expected: str) -> EmptyInput:
    return EmptyInput("there is no document in this input", path=source, expected=expected)


def text_encoding(*tables: Run | Qrels) -> str:
    """The encoding by which ids become text for backends: UTF-8, or latin-1 if some id is not valid UTF-8.

    Pass a run together with its qrels, because ids in different encodings would not match. Both encodings
    keep the byte order of ids. In latin-1 every byte is one character.
    """
    try:
        for table in tables:
            b"\0".join([*table.topics, *table.docnos.tolist()]).decode("utf-8")
        return "utf-8"
    except UnicodeDecodeError:
        return "latin-1"


def to_dict(table: Run | Qrels, encoding: str) -> dict[str, dict[str, Any]]:
    """``{topic: {docno: score or relevance level}}``, in row order.

    Args:
        encoding: the result of :func:`text_encoding`.

    Raises:
        InputError: a document occurs twice under a topic.
    """
    # All ids are decoded at once, separated by NUL bytes, which no id contains.
    docnos = b"\0".join(table.docnos.tolist()).decode(encoding).split("\0")
    values = (table.scores if isinstance(table, Run) else table.rels).tolist()
    result = {
        topic.decode(encoding): dict(zip(docnos[rows], values[rows], strict=True))
        for topic, rows in table.rows_of_topics()
    }
    if sum(map(len, result.values())) < len(values):
        raise InputError("a document occurs twice under a topic", path=table.source)
    return result
