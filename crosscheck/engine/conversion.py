"""Conversion of runs and judgements from any form: paths of files, dicts, data frames, columns, rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from os import PathLike, fspath
from typing import Any, Protocol, TypeAlias, TypeGuard

from crosscheck.errors import ArgumentError, InputError, quoted
from crosscheck.formats.dicts import qrels_from_columns, qrels_from_dict, run_from_columns, run_from_dict
from crosscheck.formats.source import pyarrow_for
from crosscheck.formats.trec import read_qrels, read_run
from crosscheck.model import Needs, Qrels, Run


class Exported(Protocol):
    """A run or qrels of another package, such as ranx, that can be exported as a dict."""

    def to_dict(self) -> Mapping[Any, Mapping[Any, Any]]: ...


class Frame(Protocol):
    """A data frame of any library that can be exported as an Arrow stream."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...


#: Topics, docnos and scores (or relevance levels), as three lists or arrays of the same length.
Columns: TypeAlias = tuple[Sequence[Any], Sequence[Any], Sequence[Any]]
#: Qrels with further columns after the topics: subtopics or groups of judges, or groups and subgroups.
MoreColumns: TypeAlias = (
    tuple[Sequence[Any], Sequence[Any], Sequence[Any], Sequence[Any]]
    | tuple[Sequence[Any], Sequence[Any], Sequence[Any], Sequence[Any], Sequence[Any]]
)
#: Dicts of dicts, or a dict of columns as Hugging Face ``evaluate`` takes it.
Dicts: TypeAlias = Mapping[Any, Mapping[Any, Any]] | Mapping[str, Sequence[Any]]
#: (topic, docno, score or level), or named tuples such as ``ScoredDoc`` and ``Qrel`` of ir_measures.
Rows: TypeAlias = Iterable[tuple[Any, ...]]
QrelsLike: TypeAlias = Qrels | str | PathLike[str] | Dicts | Frame | Exported | Columns | MoreColumns | Rows
RunLike: TypeAlias = Run | str | PathLike[str] | Dicts | Frame | Exported | Columns | Rows

#: Possible names of a column, from crosscheck, ir_measures and PyTerrier. If a frame has several of them, the
#: first is used (PyTerrier's frames also have columns with the text of queries and numbers of documents).
_TOPIC = ("qid", "query_id", "topic", "query")
_DOCNO = ("docno", "doc_id", "docid")
_SCORE = ("score", "similarity")
_REL = ("rel", "relevance", "label")
#: Optional columns of a run, used only by some conventions.
_OF_RUN = {"rank": ("rank",), "system": ("system", "tag")}
_SUBTOPICS = {"subtopic": ("subtopic", "subtopic_id", "iteration", "group")}
_PREFERENCES = {"group": ("group",), "subgroup": ("subgroup",)}


def as_run(source: RunLike) -> Run:
    """Convert a run from any form that :func:`crosscheck.evaluate` takes.

    Raises:
        InputError: the input is not a valid run.
        UsageError: a data frame needs a package that is not installed.
    """
    source = plain(source)
    if isinstance(source, Run):
        return source
    if by_query(source):
        return run_from_dict(source)
    columns = _columns(source, "score", _SCORE, "run")
    return read_run(_path(source)) if columns is None else run_from_columns(columns)


def as_qrels(source: QrelsLike, *, needs: Needs = "levels") -> Qrels:
    """Convert judgements from any form that :func:`crosscheck.evaluate` takes. Errors: see :func:`as_run`.

    Args:
        source: the judgements.
        needs: the kind of judgements to read: ``levels``; ``subtopics``: also the judgements per subtopic, if
            there are any; ``preferences``. See :func:`crosscheck.formats.trec.read_qrels`.
    """
    source = plain(source)
    if isinstance(source, Qrels):
        return source
    if by_query(source):
        return qrels_from_dict(source, needs=needs)
    columns = _columns(source, "rel", _REL, "qrels", needs)
    if columns is None:
        return read_qrels(_path(source), needs=needs)
    return qrels_from_columns(columns, needs=needs)


def plain(source: Any) -> Any:
    """``source`` converted to a dict, if it is an object of a package such as ranx, or rows in a list or an
    iterator (tuples become columns, named tuples a dict of columns); anything else unchanged."""
    as_it_is = isinstance(source, str | PathLike | Mapping | tuple | Run | Qrels)
    if as_it_is or hasattr(source, "__arrow_c_stream__") or hasattr(source, "columns"):
        return source
    if hasattr(source, "to_dict"):
        return source.to_dict()
    if not isinstance(source, Iterable) or not (rows := list(source)):
        return source
    if not all(isinstance(row, tuple) and len(row) == len(rows[0]) for row in rows):
        return rows
    columns, names = tuple(zip(*rows, strict=True)), getattr(rows[0], "_fields", None)
    return columns if names is None else dict(zip(names, columns, strict=True))


def by_query(source: object) -> TypeGuard[Mapping[Any, Mapping[Any, Any]]]:
    """Whether the input is a dict ``{query: ...}``, and not a dict of columns."""
    return isinstance(source, Mapping) and not all(
        any(name in source and not isinstance(source[name], Mapping) for name in names)
        for names in (_TOPIC, _DOCNO)
    )


def file_of(source: RunLike) -> str | None:
    """The path of the run, or None if the run is not given as a path."""
    return fspath(source) if isinstance(source, str | PathLike) else None


def _path(source: Any) -> str:
    path = file_of(source)
    if path is None:
        raise ArgumentError(
            f"a run or qrels cannot be {quoted(repr(source), 60)[1:-1]}",
            hint="give a path, a dict of dicts, a data frame, a tuple of columns, or a list of rows",
        )
    return path


def _columns(
    given: Any, value: str, names: Sequence[str], source: str, needs: Needs = "levels"
) -> dict[str, Any] | None:
    """The columns of a frame, dict or tuple; None for anything else."""
    between = _PREFERENCES if needs == "preferences" else _SUBTOPICS if value == "rel" else {}
    if isinstance(given, tuple):
        if not 3 <= len(given) <= 3 + len(between):
            names = " and ".join(f"{name}s" for name in between)
            more = f"; {names} may follow the topics" if names else ""
            raise InputError(
                f"expected 3 columns, got {len(given)}",
                path=source,
                expected=f"topics, docnos, {value}s{more}",
            )
        return dict(zip(("query", *[*between][: len(given) - 3], "docid", value), given, strict=True))
    if not isinstance(given, Mapping) and not hasattr(given, "__arrow_c_stream__"):
        return None
    table = _table(given)
    wanted = {"query": _TOPIC, "docid": _DOCNO, value: names}
    present = set(column_names(table))
    extra = _OF_RUN if value == "score" else between if needs != "levels" else {}
    wanted |= {name: spellings for name, spellings in extra.items() if present & set(spellings)}
    if "rank" in wanted and not present & set(names):
        del wanted[value]
    return {name: _column(table, spellings, source) for name, spellings in wanted.items()}


def _table(frame: Any) -> Any:
    """The frame itself if its columns can be accessed by name, else its content as a pyarrow table."""
    if isinstance(frame, Mapping) or hasattr(frame, "column_names") or hasattr(frame, "columns"):
        return frame
    return pyarrow_for(f"frames such as {type(frame).__name__}").table(frame)


def column_names(table: Any) -> list[Any]:
    """The names of the columns of a frame."""
    if isinstance(table, Mapping):
        return list(table)
    return list(table.column_names if hasattr(table, "column_names") else table.columns)


def cells_of(table: Any, name: Any) -> Any:
    """A column of a frame, as a list if the library of the frame can convert it."""
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
