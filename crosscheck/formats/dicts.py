"""Runs and qrels as Python objects: dicts of dicts, dicts of columns, and JSON of either.

Inside crosscheck ids are bytes. Text is encoded as UTF-8 (lone surrogates of ``surrogateescape`` become the
bytes they represent); :func:`text_encoding` gives the encoding for the way back.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from crosscheck.errors import EmptyInput, InputError, quoted
from crosscheck.formats.columns import qrels_from_columns, run_from_columns
from crosscheck.formats.json_text import parse_json
from crosscheck.formats.rows import QRELS, RUN, Rows, encoded_ids, qrels_of, run_of
from crosscheck.model import Needs, Qrels, Run, display

__all__ = [
    "qrels_from_columns",
    "qrels_from_dict",
    "qrels_from_json",
    "qrels_to_dict",
    "run_from_columns",
    "run_from_dict",
    "run_from_json",
    "run_to_dict",
    "text_encoding",
]


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
        return qrels_from_columns(_columns_of_preferences(mapping, source), source, needs=needs)
    if needs == "subtopics" and _holds_subtopics(mapping):
        return qrels_from_columns(_columns_of_nested(mapping, source), source, needs=needs)
    return qrels_of(_rows_of_dict(mapping, source, QRELS))


def _holds_subtopics(mapping: Any) -> bool:
    inner = mapping.values() if isinstance(mapping, Mapping) else ()
    held = [documents for documents in inner if isinstance(documents, Mapping)]
    return any(isinstance(value, Mapping) for documents in held for value in documents.values())


def _columns_of_nested(mapping: Mapping[Any, Any], source: str) -> dict[str, list[Any]]:
    rows: list[tuple[Any, Any, Any, Any]] = []
    for topic, held in mapping.items():
        for subtopic, documents in held.items() if isinstance(held, Mapping) else [("", held)]:
            if not isinstance(documents, Mapping):
                raise InputError(
                    f"a value of type {type(documents).__name__} among judgements per subtopic",
                    path=source,
                    found=repr(documents),
                    expected="{topic: {subtopic: {docno: relevance}}}",
                )
            rows += [(topic, subtopic, docno, level) for docno, level in documents.items()]
    columns = zip(*rows, strict=True) if rows else [(), (), (), ()]
    return dict(zip(("query", "subtopic", "docid", "rel"), map(list, columns), strict=True))


def _columns_of_preferences(mapping: Any, source: str) -> dict[str, list[Any]]:
    rows: list[tuple[Any, ...]] = []
    for path, level in _leaves(mapping):
        if not 2 <= len(path) <= 4:
            raise InputError(
                f"a level under {len(path)} key{'' if len(path) == 1 else 's'}",
                path=source,
                found=repr(level),
                expected="{topic: {group: {docno: level}}}, perhaps with subgroups in the groups",
            )
        topic, *groups, docno = path
        group, subgroup = [*groups, "", ""][:2]
        rows.append((topic, group, subgroup, docno, level))
    names = ("query", "group", "subgroup", "docid", "rel")
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


def _holds_columns(value: dict[str, Any]) -> bool:
    return any(isinstance(column, list) for column in value.values())


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
