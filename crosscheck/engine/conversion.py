"""Conversion of runs and judgements from any form: paths of files, dicts, data frames, columns, rows."""

from collections.abc import Iterable, Mapping, Sequence
from os import PathLike, fspath
from typing import Any, Protocol, TypeAlias, TypeGuard

from crosscheck.errors import ArgumentError, InputError, in_short
from crosscheck.formats.dicts import qrels_from_columns, qrels_from_dict, run_from_columns, run_from_dict
from crosscheck.formats.forms import SPELLINGS, place_of
from crosscheck.formats.source import pyarrow_for
from crosscheck.formats.trec import read_qrels, read_run
from crosscheck.model import Needs, Qrels, Run


class Exported(Protocol):
    """A run or qrels of another package, such as ranx, that can be exported as a dict."""

    def to_dict(self) -> Mapping[Any, Mapping[Any, Any]]: ...


class Frame(Protocol):
    """A data frame of any library that can be exported as an Arrow stream."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...


#: A list or an array.
Cells: TypeAlias = Sequence[Any]
#: Topics, docnos and scores (or relevance levels), as three lists or arrays of the same length.
Columns: TypeAlias = tuple[Cells, Cells, Cells]
#: Qrels with further columns after the topics: subtopics or groups of judges, or groups and subgroups.
MoreColumns: TypeAlias = tuple[Cells, Cells, Cells, Cells] | tuple[Cells, Cells, Cells, Cells, Cells]
#: Dicts of dicts, or a dict of columns as Hugging Face ``evaluate`` takes it.
Dicts: TypeAlias = Mapping[Any, Mapping[Any, Any]] | Mapping[str, Sequence[Any]]
#: (topic, docno, score or level), named tuples such as ``ScoredDoc`` and ``Qrel`` of ir_measures, or dicts.
Rows: TypeAlias = Iterable[tuple[Any, ...]] | Iterable[Mapping[str, Any]]
QrelsLike: TypeAlias = Qrels | str | PathLike[str] | Dicts | Frame | Exported | Columns | MoreColumns | Rows
RunLike: TypeAlias = Run | str | PathLike[str] | Dicts | Frame | Exported | Columns | Rows

#: Possible names of a column, as in files; but levels are no scores, so that swapped frames are found.
_TOPIC, _DOCNO, _SCORE = SPELLINGS["topic"], SPELLINGS["docno"], SPELLINGS["score"]
_REL = [name for name in SPELLINGS["relevance"] if name not in _SCORE]
#: Optional columns of a run, used only by some conventions.
_OF_RUN = {"rank": SPELLINGS["rank"], "system": ["system", "tag"]}
_SUBTOPICS = {"subtopic": ["subtopic", "subtopicid", "iteration", "group"]}
_PREFERENCES = {"group": ["group"], "subgroup": ["subgroup"]}


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
    iterator (tuples become columns, named tuples and dicts a dict of columns); anything else unchanged."""
    as_it_is = isinstance(source, str | PathLike | Mapping | tuple | Run | Qrels)
    if as_it_is or hasattr(source, "__arrow_c_stream__") or hasattr(source, "columns"):
        return source
    if hasattr(source, "to_dict"):
        return source.to_dict()
    if not isinstance(source, Iterable):
        return source
    if not (rows := list(source)):
        return {}
    if all(isinstance(row, Mapping) and row.keys() == rows[0].keys() for row in rows):
        return {name: [row[name] for row in rows] for name in rows[0]}
    if not all(isinstance(row, tuple) and len(row) == len(rows[0]) for row in rows):
        return rows
    columns, names = tuple(zip(*rows, strict=True)), getattr(rows[0], "_fields", None)
    return columns if names is None else dict(zip(names, columns, strict=True))


def by_query(source: object) -> TypeGuard[Mapping[Any, Mapping[Any, Any]]]:
    """Whether the input is a dict ``{query: ...}``, and not a dict of columns."""
    if not isinstance(source, Mapping):
        return False
    columns = [name for name, held in source.items() if not isinstance(held, Mapping)]
    return any(place_of(columns, names) is None for names in (_TOPIC, _DOCNO))


def file_of(source: RunLike) -> str | None:
    """The path of the run, or None if the run is not given as a path."""
    return fspath(source) if isinstance(source, str | PathLike) else None


def _path(source: Any) -> str:
    path = file_of(source)
    if path is None:
        hint = "give a path, a dict of dicts, a data frame, a tuple of columns, or a list of rows"
        raise ArgumentError(f"a run or qrels cannot be {in_short(source)}", hint=hint)
    return path


def _columns(
    given: Any, value: str, names: list[str], source: str, needs: Needs = "levels"
) -> dict[str, Any] | None:
    """The columns of a frame, dict or tuple; None for anything else."""
    between = _PREFERENCES if needs == "preferences" else _SUBTOPICS if value == "rel" else {}
    if isinstance(given, tuple):
        if not 3 <= len(given) <= 3 + len(between):
            further = " and ".join(f"{name}s" for name in between)
            more = f"; {further} may follow the topics" if further else ""
            expected = f"topics, docnos, {value}s{more}"
            raise InputError(f"expected 3 columns, got {len(given)}", path=source, expected=expected)
        return dict(zip(("query", *[*between][: len(given) - 3], "docid", value), given, strict=True))
    if not isinstance(given, Mapping) and not hasattr(given, "__arrow_c_stream__"):
        return None
    table = _table(given)
    present = column_names(table)
    wanted = {"query": _TOPIC, "docid": _DOCNO, value: names}
    extra = _OF_RUN if value == "score" else between if needs != "levels" else {}
    wanted |= {name: spelt for name, spelt in extra.items() if place_of(present, spelt) is not None}
    if "rank" in wanted and place_of(present, names) is None:
        del wanted[value]
    places = {name: place_of(present, spelt) for name, spelt in wanted.items()}
    missing = next((name for name, place in places.items() if place is None), None)
    if missing is not None:
        other, hint = (_REL, "is it qrels?") if value == "score" else (_SCORE, "is it a run? Qrels are first")
        swapped = missing == value and place_of(present, other) is not None
        *most, last = wanted[missing] + (SPELLINGS["rank"] if missing == "score" else [])
        problem, found = f"there is no column {wanted[missing][0]}", ", ".join(map(str, present))
        expected, way_out = f"a column named {', '.join(most)} or {last}", hint if swapped else None
        raise InputError(problem, path=source, found=found, expected=expected, hint=way_out)
    return {name: cells_of(table, present[place]) for name, place in places.items() if place is not None}


def _table(frame: Any) -> Any:
    """The frame itself if its columns can be accessed by name, else its content as a pyarrow table."""
    if isinstance(frame, Mapping) or hasattr(frame, "column_names") or hasattr(frame, "columns"):
        return frame
    arrow = pyarrow_for(f"frames such as {type(frame).__name__}")
    try:
        return arrow.table(frame)
    except arrow.ArrowInvalid:  # a stream of one column without a name
        return _path(frame)


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
