"""Runs and judgements from any form that a Python program has: files, dicts, data frames, columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike, fspath
from typing import Any, Protocol, TypeAlias, TypeGuard

from crosscheck.errors import ArgumentError, InputError, UsageError, quoted
from crosscheck.formats.dicts import qrels_from_columns, qrels_from_dict, run_from_columns, run_from_dict
from crosscheck.formats.trec import read_qrels, read_run
from crosscheck.model import Needs, Qrels, Run


class Frame(Protocol):
    """A data frame of any library: it can be exported as an Arrow stream."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...


#: Topics, docnos and scores (or relevance levels) as three lists or arrays of one length.
Columns: TypeAlias = tuple[Sequence[Any], Sequence[Any], Sequence[Any]]
#: Qrels with further columns after the topics: subtopics or groups of judges, or groups and subgroups.
MoreColumns: TypeAlias = (
    tuple[Sequence[Any], Sequence[Any], Sequence[Any], Sequence[Any]]
    | tuple[Sequence[Any], Sequence[Any], Sequence[Any], Sequence[Any], Sequence[Any]]
)
#: Dicts of dicts, or a dict of columns as Hugging Face ``evaluate`` takes it.
Dicts: TypeAlias = Mapping[Any, Mapping[Any, Any]] | Mapping[str, Sequence[Any]]
QrelsLike: TypeAlias = Qrels | str | PathLike[str] | Dicts | Frame | Columns | MoreColumns
RunLike: TypeAlias = Run | str | PathLike[str] | Dicts | Frame | Columns

#: Names that a column may have: crosscheck's, ir_measures' and PyTerrier's.
_TOPIC = ("query", "query_id", "qid", "topic")
_DOCNO = ("docid", "doc_id", "docno")
_SCORE = ("score", "similarity")
_REL = ("rel", "relevance", "label")
#: Optional columns of a run, which only some conventions use.
_OF_RUN = {"rank": ("rank",), "system": ("system", "tag")}
_SUBTOPICS = {"subtopic": ("subtopic", "subtopic_id", "iteration", "group")}
_PREFERENCES = {"group": ("group",), "subgroup": ("subgroup",)}


def as_run(given: RunLike) -> Run:
    """A run from any form that :func:`crosscheck.evaluate` takes.

    Raises:
        InputError: the input is not a valid run.
        UsageError: a data frame needs a package that is not installed.
    """
    if isinstance(given, Run):
        return given
    if by_query(given):
        return run_from_dict(given)
    columns = _columns(given, "score", _SCORE, "run")
    return read_run(_path(given)) if columns is None else run_from_columns(columns)


def as_qrels(given: QrelsLike, *, needs: Needs = "levels") -> Qrels:
    """Judgements from any form that :func:`crosscheck.evaluate` takes; errors as :func:`as_run`.

    Args:
        needs: with ``subtopics``, also read judgements per subtopic, if there are any; with
            ``preferences``, read preferences; see :func:`crosscheck.formats.trec.read_qrels`.
    """
    if isinstance(given, Qrels):
        return given
    if by_query(given):
        return qrels_from_dict(given, needs=needs)
    columns = _columns(given, "rel", _REL, "qrels", needs)
    if columns is None:
        return read_qrels(_path(given), needs=needs)
    return qrels_from_columns(columns, needs=needs)


def by_query(given: object) -> TypeGuard[Mapping[Any, Mapping[Any, Any]]]:
    """Whether the input is a dict by query, and not a dict of columns with names for topics and docnos."""
    return isinstance(given, Mapping) and not all(
        any(name in given and not isinstance(given[name], Mapping) for name in names)
        for names in (_TOPIC, _DOCNO)
    )


def file_of(given: RunLike) -> str | None:
    """The path of a run that is given as a path, else None."""
    return fspath(given) if isinstance(given, str | PathLike) else None


def _path(given: Any) -> str:
    path = file_of(given)
    if path is None:
        raise ArgumentError(
            f"{quoted(repr(given), 60)[1:-1]} is neither a run nor qrels",
            hint="give a path, a dict of dicts, a data frame, or a tuple of columns",
        )
    return path


def _columns(
    given: Any, value: str, names: Sequence[str], source: str, needs: Needs = "levels"
) -> dict[str, Any] | None:
    """The columns of a frame, dict or tuple, or None where it is none of these."""
    between = _PREFERENCES if needs == "preferences" else _SUBTOPICS if value == "rel" else {}
    if isinstance(given, tuple):
        if not 3 <= len(given) <= 3 + len(between):
            names = " and ".join(f"{name}s" for name in between)
            more = f"; {names} may follow the topics" if names else ""
            raise InputError(
                f"a tuple of {len(given)}",
                path=source,
                expected=f"three columns: topics, docnos, {value}s{more}",
            )
        return dict(zip(("query", *[*between][: len(given) - 3], "docid", value), given, strict=True))
    if not isinstance(given, Mapping) and not hasattr(given, "__arrow_c_stream__"):
        return None
    table = _table(given)
    wanted = {"query": _TOPIC, "docid": _DOCNO, value: names}
    present = set(column_names(table))
    extra = _OF_RUN if value == "score" else between if needs != "levels" else {}
    wanted |= {name: spellings for name, spellings in extra.items() if present & set(spellings)}
    return {name: _column(table, spellings, source) for name, spellings in wanted.items()}


def _table(frame: Any) -> Any:
    """The frame itself if its columns can be read by name, else a pyarrow table of it."""
    if isinstance(frame, Mapping) or hasattr(frame, "column_names") or hasattr(frame, "columns"):
        return frame
    try:
        import pyarrow
    except ImportError:
        raise UsageError(
            f"reading a {type(frame).__name__} as an Arrow stream needs pyarrow",
            hint="pip install pyarrow",
        ) from None
    return pyarrow.table(frame)


def column_names(table: Any) -> list[Any]:
    """The names of the columns of a frame."""
    if isinstance(table, Mapping):
        return list(table)
    return list(table.column_names if hasattr(table, "column_names") else table.columns)


def cells_of(table: Any, name: Any) -> Any:
    """A column of a frame; a list where its library can make one."""
    column = table[name]
    to_list = getattr(column, "to_pylist", None) or getattr(column, "to_list", None)
    return column if to_list is None else list(to_list())


def _column(table: Any, names: Sequence[str], source: str) -> Any:
    present = column_names(table)
    for name in names:
        if name in present:
            return cells_of(table, name)
    raise InputError(
        f"there is no column {names[0]}",
        path=source,
        found=", ".join(map(str, present)),
        expected=f"a column named {', '.join(names[:-1])} or {names[-1]}",
    )
