"""The arguments of a call, made from qrels and a run."""

from __future__ import annotations

import asyncio
import inspect
from collections import namedtuple
from collections.abc import Awaitable
from functools import cache
from typing import Any

from crosscheck.auditing.calls import Argument, Call, Constant, Converted, Word, words_in
from crosscheck.auditing.words import (
    COLUMNS,
    CONVERSIONS,
    FRAMES,
    OF_JUDGEMENTS,
    ROWS,
    Materials,
    Source,
)
from crosscheck.names.spelling import spelt

__all__ = ["Materials", "as_python", "handed", "made", "record_types", "returned_by"]

_BRACKETS: dict[str, Any] = {"[]": list, "()": tuple, "{}": set}


def made(argument: Argument, source: Source) -> Any:
    """The value of one argument of a call."""
    match argument:
        case Constant(value):
            return value
        case Word("measure", _, template):
            return spelt(template, source.word("measure"))
        case Word(table) if table in FRAMES:
            import pandas as pd

            return pd.DataFrame(_rows(argument, source), columns=list(argument.columns))
        case Word(table) if table in ROWS:
            return [_record(argument)(*row) for row in _rows(argument, source)]
        case Word(name):
            return source.word(name)
        case Converted("dicts", (Word() as table,)) if table.name in ROWS:
            return [dict(zip(table.columns, row, strict=True)) for row in _rows(table, source)]
        case Converted("each", (of,)):
            return [made(of, Source(source.materials, query)) for query in source.materials.queries]
        case Converted("by_query", (of,)):
            judged = any(word.name in OF_JUDGEMENTS for word, _ in words_in(of))
            queries = [query for query in source.materials.every if (query.judged if judged else query.lines)]
            return {query.name: made(of, Source(source.materials, query)) for query in queries}
        case Converted(kind, items) if kind in _BRACKETS:
            return _BRACKETS[kind](made(item, source) for item in items)
        case Converted(kind, (of,)):
            return CONVERSIONS[kind][1](made(of, source))
    raise AssertionError(argument)


def _rows(table: Word, source: Source) -> list[tuple[Any, ...]]:
    """The rows of a table, with its own columns only."""
    at = [("query", "docid", "rank", "score", "rel").index(column) for column in COLUMNS[table.name]]
    return [tuple(row[i] for i in at) for row in source.word(table.name)]


def returned_by(function: Any, call: Call, source: Source) -> Any:
    """The value that the call picks from the result of the function."""
    value = function
    for number, step in enumerate(call.steps, 1):
        asked = value if step.method is None else getattr(value, step.method)
        positional = [made(argument, source) for argument in step.positional]
        got = asked(*positional, **{name: made(argument, source) for name, argument in step.keywords})
        value = value if got is None and number < len(call.steps) else got
    if inspect.isawaitable(value):
        value = asyncio.run(_awaited(value))
    for pick in call.picks:
        value = getattr(value, str(pick.key)) if pick.attribute else value[pick.key]
    return value


async def _awaited(value: Awaitable[Any]) -> Any:
    return await value


@cache
def _record(table: Word) -> Any:
    """The type of the named tuples for rows; a column has no name if its name is no identifier."""
    return namedtuple("Result" if "score" in COLUMNS[table.name] else "Qrel", table.columns, rename=True)


def record_types(call: Call) -> list[str]:
    """Lines of Python that define the types of the named tuples in :func:`as_python`."""
    tables = [word for argument in call.arguments if isinstance(word := argument, Word) and word.name in ROWS]
    lines = [
        f"{(name := _record(table).__name__)} = namedtuple({name!r}, {list(table.columns)}, rename=True)"
        for table in tables
    ]
    return ["from collections import namedtuple", *lines] if lines else []


def as_python(argument: Argument, source: Source) -> str:
    """The value of an argument as a Python expression; numpy, torch and pandas objects as ``array(...)``,
    ``tensor(...)``, ``Series(...)`` and ``DataFrame(...)``."""
    match argument:
        case Converted(("array" | "tensor" | "series") as kind, (of,)):
            return f"{kind.replace('series', 'Series')}({as_python(of, source)})"
        case Converted("[]", items):
            return f"[{', '.join(as_python(item, source) for item in items)}]"
    return _as_text(made(argument, source))


def _as_text(value: Any) -> str:
    """A value as a Python expression; sets sorted, so that it is the same for equal values."""
    match value:
        case set():
            return f"{{{', '.join(sorted(map(repr, value)))}}}" if value else "set()"
        case dict():
            return f"{{{', '.join(f'{key!r}: {_as_text(held)}' for key, held in value.items())}}}"
        case list():
            return f"[{', '.join(map(_as_text, value))}]"
    return f"DataFrame({value.to_dict('list')!r})" if hasattr(value, "to_dict") else repr(value)


def handed(materials: Materials) -> tuple[tuple[str, ...], ...]:
    """The arguments of each call of the function for an input; equal if contents and order are equal."""
    arguments = materials.call.arguments
    return tuple(tuple(as_python(argument, source) for argument in arguments) for source in materials.sources)
