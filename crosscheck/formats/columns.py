"""Runs and qrels as parallel columns, the form of Hugging Face ``evaluate``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from crosscheck.errors import EmptyInput, InputError, quoted
from crosscheck.formats.numerals import INT64
from crosscheck.formats.rows import (
    QRELS,
    RUN,
    Rows,
    encoded_id,
    encoded_ids,
    preferences_of_rows,
    qrels_of,
    run_of,
    several_tags,
)
from crosscheck.model import IntArray, Needs, Qrels, Run

__all__ = ["qrels_from_columns", "run_from_columns"]


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
    topics = encoded_ids(lists["query"], source, integers=True)
    starts = [0, *(row for row in range(1, len(topics)) if topics[row] != topics[row - 1])]
    docnos = encoded_ids(lists["docid"], source, integers=True)
    rows = Rows(
        source=source,
        starts=starts,
        topics=[topics[row] for row in starts],
        docnos=docnos,
        values=lists[value],
    )
    return rows, {name: lists.get(name, []) for name in optional}


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
            note = f"the rank column is not made of integers ({quoted(repr(rank))}), so nothing orders by it"
            return None, (note,)
    return np.array([int(rank) for rank in ranks], np.int64), ()
