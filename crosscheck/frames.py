"""A function that computes measures from data frames: results and qrels are frames, and so are the values.

Any frame whose columns can be accessed by name works: pandas, polars, a pyarrow table, or a plain mapping of
column name to list. None of these libraries is imported here; returned frames are of the same type as the
results frame. The values equal those of the native measures under the same
:class:`crosscheck.conventions.Conventions`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import compress, product
from numbers import Integral, Real
from typing import Any, Generic, TypeVar, cast

import numpy as np
from msgspec import Struct

from crosscheck.axes.summaries import MISSING_QUERIES, NO_RELEVANT, MissingQueries, NoRelevant
from crosscheck.axes.ties import ORDER, TIES, Order, Ties
from crosscheck.conventions import Conventions
from crosscheck.conventions import conventions as parsed
from crosscheck.engine.conversion import cells_of, column_names
from crosscheck.engine.runs import RequestedMeasures
from crosscheck.errors import InputError, first_few, quoted
from crosscheck.evaluation.rankings import Rankings
from crosscheck.formats.dicts import qrels_of, rows_of, run_of
from crosscheck.model import Measure, Qrels, Run, Scores, display
from crosscheck.names import conventions_for
from crosscheck.rankings.changed_inputs import only_topics
from crosscheck.rankings.pairing import notes_of
from crosscheck.vectors import checked_cutoff

__all__ = ["BY_RANK", "FrameScores", "QrelsColumns", "ResultColumns", "evaluate_frames"]

Frame = TypeVar("Frame")

#: Order by the rank column, gain 2^level - 1, value 0 for a judged query without results, and no row for a
#: query without relevant documents.
BY_RANK = parsed("order=rank-column,ties=input,gain=exponential,missing_queries=zero,no_relevant=skip")


class ResultColumns(Struct, frozen=True):
    """Names of the columns of the results frame. Of ``rank`` and ``score``, only the column by which the
    conventions order documents must exist."""

    query: str = "query"
    docid: str = "docid"
    rank: str = "rank"
    score: str = "score"


class QrelsColumns(Struct, frozen=True):
    """Names of the columns of the qrels frame; the column ``rel`` must have whole numbers."""

    query: str = "query"
    docid: str = "docid"
    rel: str = "rel"


class FrameScores(Struct, Generic[Frame], frozen=True, eq=False):
    """The result of :func:`evaluate_frames`.

    Attributes:
        per_query: the query column and one column per measure (``P@5``, ``P@10``, ..., ``R@5``, ...),
            one row per query with a value, in the order of the first appearance of each query in the qrels. A
            cell is None if the query has no value of the measure.
        summary: a column ``statistic`` (count, mean, std, min, 25%, 50%, 75%, max) and one column per
            measure. The mean follows the conventions. All other statistics are computed from the column of
            ``per_query``: std with n - 1, quartiles with linear interpolation. A cell is None if there are
            too few rows for the statistic.
        notes: sentences about queries that are in only one frame, and about missing statistics.
    """

    per_query: Frame
    summary: Frame
    notes: tuple[str, ...]


def evaluate_frames(
    results: Frame,
    qrels: object,
    cutoffs: Sequence[int | None] = (5, 10, 50),
    *,
    conventions: str | Conventions = BY_RANK,
    result_columns: ResultColumns | None = None,
    qrels_columns: QrelsColumns | None = None,
) -> FrameScores[Frame]:
    """Precision, recall, reciprocal rank and nDCG at each cutoff, per query and as a summary over queries.

    Args:
        results: one row per retrieved document. Rows may come in any order.
        qrels: one row per judged document; a level of 0 or below is nonrelevant.
        cutoffs: values of k, each at least 1. None stands for the whole list, where precision is divided by
            the number of retrieved documents; the names of these columns have no ``@k``.
        conventions: a profile name, axis settings or a :class:`Conventions`. The default orders by the rank
            column and has exponential gain, and queries without relevant documents have no row;
            ``"trec_eval-9.0.8"`` orders by the score column and gives such queries 0.
        result_columns, qrels_columns: column names, if they differ from the defaults.

    Raises:
        InputError: a column or a cell is missing or unusable, a document occurs twice under a query, ids are
            text in one frame and numbers in the other, or the gain of a level is too large for a double.
        ArgumentError: a cutoff below 1.
        UsageError: unknown conventions.
    """
    every = product(("P", "R", "MRR", "nDCG"), cutoffs)
    measures = {name if k is None else f"{name}@{k}": _measure(name, k) for name, k in every}
    request = RequestedMeasures({name: (m, conventions_for(conventions, m)) for name, m in measures.items()})
    rules = [rule for _, rule in request.wanted.values()]
    of_results, of_qrels = result_columns or ResultColumns(), qrels_columns or QrelsColumns()
    run_table = FrameTable(results, "results frame")
    qrels_table = FrameTable(qrels, "qrels frame")
    for one, other in ((of_results.query, of_qrels.query), (of_results.docid, of_qrels.docid)):
        if len(run_table.kinds(one) | qrels_table.kinds(other)) > 1:
            problem = f"the columns {quoted(one)} and {quoted(other)} mix text and numbers"
            hint = "make them all text or all numbers: 1 and '1' are not the same id here"
            raise InputError(problem, path=f"{run_table.name} and {qrels_table.name}", hint=hint)
    judged, barren = _qrels(qrels_table, of_qrels), list[bytes]()
    # Also where nothing was retrieved, which would be 0.
    if all(rule[NO_RELEVANT] is NoRelevant.SKIP for rule in rules):
        counts = np.bincount(judged.topic_numbers, judged.rels > 0, len(judged.topics)).tolist()
        barren = [topic for topic, relevant in zip(judged.topics, counts, strict=True) if not relevant]
        judged = only_topics(judged, {*judged.topics} - {*barren})
    request.check_gains(judged)
    rankings = Rankings(_run(run_table, of_results, rules), judged)
    scores = request.evaluated(rankings)
    names: dict[bytes, object] = {}
    # If several spellings of an id are equal, a query may have that of the results.
    for table, column in ((qrels_table, of_qrels.query), (run_table, of_results.query)):
        for topic, name in zip(table.ids(column), table.column(column), strict=True):
            names.setdefault(topic, name)
    place = {topic: i for i, topic in enumerate(rankings.pairing.all_topics)}
    rows = [(place[topic], name) for topic, name in names.items() if topic in place]
    per_query, summary = _tables(of_results.query, rows, scores)
    notes = [*_notes(rankings, rules, barren)]
    if len(per_query[of_results.query]) < 2:
        notes.append("The standard deviation needs at least two queries.")
    return FrameScores(like(results, per_query), like(results, summary), tuple(notes))


def _measure(name: str, k: int | None) -> Measure:
    family = "RR" if name == "MRR" else name
    if k is None:
        return Measure({"P": "SetP", "R": "SetR"}.get(family, family))
    return Measure(family, checked_cutoff(k))


def _run(table: FrameTable, columns: ResultColumns, rules: Sequence[Conventions]) -> Run:
    topics, docnos, ranks = table.ids(columns.query), table.ids(columns.docid), None
    scores: list[float] = [0.0] * len(docnos)
    if any(rule[ORDER] is Order.SCORE for rule in rules):
        scores = table.cells(columns.score, number, "a number")
    if any(rule[ORDER] is Order.RANK_COLUMN or rule[TIES] is Ties.RANK_COLUMN for rule in rules):
        ranks = np.array(table.cells(columns.rank, whole, "a rank: a whole number"), np.int64)
    return run_of(rows_of(table.name, topics, docnos, scores), ranks)


def _qrels(table: FrameTable, columns: QrelsColumns) -> Qrels:
    topics, docnos = table.ids(columns.query), table.ids(columns.docid)
    if not docnos:
        raise InputError("the frame has no rows", path=table.name, expected="one row per judged document")
    levels = table.cells(columns.rel, whole, "a relevance level: a whole number")
    return qrels_of(rows_of(table.name, topics, docnos, levels))


def _tables(
    query_column: str, rows: Sequence[tuple[int, object]], evaluated: Mapping[str, Scores]
) -> tuple[dict[str, list[Any]], dict[str, list[Any]]]:
    """The columns of the values per query, and of the summary."""
    present = [scores.present for scores in evaluated.values()]
    rows = [(place, name) for place, name in rows if not evaluated or any(mask[place] for mask in present)]
    per_query: dict[str, list[Any]] = {query_column: [name for _, name in rows]}
    summary: dict[str, list[Any]] = {"statistic": ["count", "mean", "std", "min", "25%", "50%", "75%", "max"]}
    for name, scores in evaluated.items():
        cells = [float(scores.values[place]) if scores.present[place] else None for place, _ in rows]
        per_query[name] = cells
        summary[name] = _summary([cell for cell in cells if cell is not None], scores.mean)
    return per_query, summary


def _summary(values: Sequence[float], mean: float | None) -> list[float | None]:
    count = len(values)
    if not count:
        return [0.0, mean, *[None] * 6]
    with np.errstate(invalid="ignore"):  # infinite gains have no spread
        std = float(np.std(values, ddof=1)) if count > 1 else None
        return [float(count), mean, std, *np.quantile(values, (0, 0.25, 0.5, 0.75, 1)).tolist()]


def _notes(rankings: Rankings, rules: Sequence[Conventions], barren: Sequence[bytes]) -> Iterator[str]:
    pairing = rankings.pairing
    yield from notes_of(pairing)
    zero = [rule[MISSING_QUERIES] is MissingQueries.ZERO for rule in rules]
    counted = "count as 0" if all(zero) else "count as 0 in some measures" if any(zero) else "are left out"

    missing, unjudged = (
        [topic for topic in compress(pairing.all_topics, mask) if topic not in barren]
        for mask in (pairing.missing, pairing.unjudged)
    )
    for topics, what in (
        (missing, f"Judged queries without results {counted}"),
        (unjudged, "Queries of the results without judgements are left out"),
        (barren, "Queries without relevant documents are left out"),
    ):
        if topics:
            yield f"{what} ({len(topics)}): {first_few(quoted(display(topic)) for topic in topics)}."


class FrameTable:
    """Access to the columns of a frame by name, with errors that name the frame and the row (from 1)."""

    def __init__(self, frame: object, name: str) -> None:
        self.frame: Any = frame
        self.name = name
        if hasattr(frame, "collect") and not hasattr(frame, "__len__"):
            raise InputError("the frame is lazy and has no rows yet", path=name, hint="pass frame.collect()")
        if not isinstance(frame, Mapping) and not hasattr(frame, "columns"):
            problem, found = "the argument is not a frame", type(frame).__name__
            expected = "a pandas or polars frame, a pyarrow table, or a mapping of column name to list"
            raise InputError(problem, path=name, found=found, expected=expected)
        self.names = column_names(frame)

    def column(self, name: str) -> list[Any]:
        if name not in self.names:
            known = ", ".join(quoted(str(n)) for n in self.names) or "no columns"
            raise InputError(f"there is no column {quoted(name)}", path=self.name, expected=f"one of {known}")
        column = cells_of(self.frame, name)
        return list(column.tolist() if hasattr(column, "tolist") else column)

    def cells(self, name: str, convert: Callable[[Any], Any], expected: str) -> list[Any]:
        """The converted cells of a column; an error for a cell for which ``convert`` returns None."""
        cells = self.column(name)
        for row, cell in enumerate(cells):
            cells[row] = convert(cell)
            if cells[row] is None:
                problem, found = f"column {quoted(name)} has a cell that cannot be used", repr(cell)
                raise InputError(problem, path=self.name, line=row + 1, found=found, expected=expected)
        return cells

    def ids(self, name: str) -> list[bytes]:
        """A column of ids as bytes; 7 and 7.0 are the same id."""
        return cast(list[bytes], self.cells(name, _id, "an id: text without NUL, or a whole number"))

    def kinds(self, name: str) -> set[str]:
        """The types of the ids in a column: ``text``, ``numbers``, or both."""
        return {"text" if isinstance(cell, str | bytes) else "numbers" for cell in self.column(name)}


def _id(cell: Any) -> bytes | None:
    if isinstance(cell, str):
        cell = cell.encode("utf-8", "surrogatepass")
    if isinstance(cell, bytes):
        return None if b"\0" in cell else cell
    integer = whole(cell)
    return None if integer is None else b"%d" % integer


def whole(cell: Any) -> int | None:
    """The cell as an integer, or None if it is not a whole number.

    Floats such as 2.0 are accepted: pandas turns integers into floats if a column has a missing cell.
    """
    if isinstance(cell, Integral):
        return int(cell)
    value = float(cell) if isinstance(cell, Real) else math.nan
    return int(value) if value.is_integer() else None


def number(cell: Any) -> float | None:
    """The cell as a float; None for NaN or non-numbers."""
    return float(cell) if isinstance(cell, Real) and not math.isnan(cell) else None


def like(frame: Frame, columns: dict[str, list[Any]]) -> Frame:
    """A frame of the same library as ``frame``, made from columns."""
    if isinstance(frame, Mapping):
        return cast(Frame, columns)
    make: Callable[[dict[str, list[Any]]], Frame] = getattr(frame, "from_pydict", type(frame))
    return make(columns)
