"""Measures of data frames: results and qrels as frames in, one row per query and a summary out.

Any frame whose columns can be accessed by name works: pandas, polars, a pyarrow table, or a plain mapping of
column name to list. None of these libraries is imported here; returned frames are of the same type as the
results frame. The numbers are those of the native measures, so every axis of
:class:`crosscheck.conventions.Conventions` applies.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, Generic, TypeVar

import numpy as np
from msgspec import Struct

from crosscheck.axes.summaries import MISSING_QUERIES, NO_RELEVANT, MissingQueries, NoRelevant
from crosscheck.axes.ties import ORDER, TIES, Order, Ties
from crosscheck.conventions import Conventions
from crosscheck.conventions import conventions as parsed
from crosscheck.engine.runs import RequestedMeasures
from crosscheck.errors import ArgumentError, InputError, quoted
from crosscheck.evaluation.rankings import Rankings
from crosscheck.formats.dicts import qrels_of, rows_of, run_of
from crosscheck.frames.tables import FrameTable, like, number, whole
from crosscheck.model import BoolArray, Measure, Qrels, Run, Scores, display
from crosscheck.names import conventions_for
from crosscheck.rankings.changed_inputs import only_topics
from crosscheck.rankings.pairing import notes_of

__all__ = ["BY_RANK", "FrameScores", "QrelsColumns", "ResultColumns", "evaluate_frames"]

Frame = TypeVar("Frame")

#: Order by the rank column, gain 2^level - 1, value 0 for a judged query without results, and no row for a
#: query without relevant documents.
BY_RANK = parsed("order=rank-column,ties=input,gain=exponential,missing_queries=zero,no_relevant=skip")

_STATISTICS = ("count", "mean", "std", "min", "25%", "50%", "75%", "max")
_QUARTILES = (0, 0.25, 0.5, 0.75, 1)


class ResultColumns(Struct, frozen=True):
    """Names of the columns of the results frame. Only those needed by the order of the conventions must
    exist."""

    query: str = "query"
    docid: str = "docid"
    rank: str = "rank"
    score: str = "score"


class QrelsColumns(Struct, frozen=True):
    """Names of the columns of the qrels frame; ``rel`` holds whole numbers."""

    query: str = "query"
    docid: str = "docid"
    rel: str = "rel"


class FrameScores(Struct, Generic[Frame], frozen=True, eq=False):
    """The result of :func:`evaluate_frames`.

    Attributes:
        per_query: the query column and one column per measure (``P@5``, ``P@10``, ..., ``R@5``, ...),
            one row per query with a value, in the order in which the qrels name them first. A measure without
            a value for the query is missing in its row.
        summary: a column ``statistic`` (count, mean, std, min, 25%, 50%, 75%, max) and one per measure. The
            mean follows the conventions; the others are computed from the column of ``per_query``: std with n
            - 1, quartiles with linear interpolation. A statistic of too few rows is missing.
        notes: sentences about queries that only one frame has, and about missing statistics.
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
    """Precision, recall, reciprocal rank and nDCG at every cutoff, per query and summarised.

    Args:
        results: one row per retrieved document. Rows may come in any order.
        qrels: one row per judged document; a level of 0 or below is nonrelevant.
        cutoffs: values of k, each at least 1; None measures the whole list, and precision then divides by
            the number retrieved. The columns of None carry no ``@k``.
        conventions: a profile name, axis settings or a :class:`Conventions`. The default orders by the rank
            column and has exponential gain, and queries without relevant documents have no row;
            ``"trec_eval-9.0.8"`` orders by the score column and gives such queries 0.
        result_columns, qrels_columns: column names, if they differ from the defaults.

    Raises:
        InputError: a column or a cell is missing or unusable, a document occurs twice under a query, the ids
            of one frame are text and those of the other numbers, or the gain of a level is too large for a
            double.
        ArgumentError: a cutoff below 1.
        UsageError: unknown conventions.
    """
    measures = dict(chain.from_iterable(zip(*(_measures(k).items() for k in cutoffs), strict=True)))
    request = RequestedMeasures({name: (m, conventions_for(conventions, m)) for name, m in measures.items()})
    rules = [rule for _, rule in request.wanted.values()]
    of_results, of_qrels = result_columns or ResultColumns(), qrels_columns or QrelsColumns()
    run_table = FrameTable(results, "results frame")
    qrels_table = FrameTable(qrels, "qrels frame")
    for one, other in ((of_results.query, of_qrels.query), (of_results.docid, of_qrels.docid)):
        _check_kinds(run_table, one, qrels_table, other)
    judged, barren = _qrels(qrels_table, of_qrels), list[bytes]()
    if all(
        rule[NO_RELEVANT] is NoRelevant.SKIP for rule in rules
    ):  # also where nothing was retrieved, which would be 0
        judged, barren = _with_relevant(judged)
    request.check_gains(judged)
    rankings = Rankings(_run(run_table, of_results, rules), judged)
    found = request.evaluated(rankings)
    names: dict[bytes, object] = {}
    # If several spellings of an id are equal, a query may have that of the results.
    for table, column in ((qrels_table, of_qrels.query), (run_table, of_results.query)):
        for topic, name in zip(table.ids(column), table.column(column), strict=True):
            names.setdefault(topic, name)
    place = {topic: i for i, topic in enumerate(rankings.pairing.all_topics)}
    rows = [(place[topic], name) for topic, name in names.items() if topic in place]
    return _scores(results, of_results.query, rows, found, tuple(_notes(rankings, rules, barren)))


def _with_relevant(qrels: Qrels) -> tuple[Qrels, list[bytes]]:
    """The qrels of the queries with relevant documents, and the ids of the other queries."""
    counts = np.bincount(qrels.topic_numbers, qrels.rels > 0, len(qrels.topics)).tolist()
    barren = [topic for topic, relevant in zip(qrels.topics, counts, strict=True) if not relevant]
    return only_topics(qrels, {*qrels.topics} - {*barren}), barren


_FAMILIES = {"P": "P", "R": "R", "MRR": "RR", "nDCG": "nDCG"}


def _measures(k: int | None) -> dict[str, Measure]:
    if k is None:
        return {name: Measure({"P": "SetP", "R": "SetR"}.get(name, of)) for name, of in _FAMILIES.items()}
    if k < 1:
        raise ArgumentError(f"a cutoff is at least 1, not {k!r}")
    return {f"{name}@{k}": Measure(family, int(k)) for name, family in _FAMILIES.items()}


def _check_kinds(run: FrameTable, one: str, qrels: FrameTable, other: str) -> None:
    kinds = run.kinds(one) | qrels.kinds(other)
    if len(kinds) > 1:
        raise InputError(
            f"the columns {quoted(one)} and {quoted(other)} mix text and numbers",
            path=f"{run.name} and {qrels.name}",
            hint="make them all text or all numbers: 1 and '1' are not the same id here",
        )


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
        raise InputError("there are no judgements in it", path=table.name)
    levels = table.cells(columns.rel, whole, "a relevance level: a whole number")
    return qrels_of(rows_of(table.name, topics, docnos, levels))


def _scores(
    results: Frame,
    query_column: str,
    rows: Sequence[tuple[int, object]],
    found: Mapping[str, Scores],
    notes: tuple[str, ...],
) -> FrameScores[Frame]:
    present = [scores.present for scores in found.values()]
    rows = [(place, name) for place, name in rows if not found or any(mask[place] for mask in present)]
    per_query: dict[str, list[Any]] = {query_column: [name for _, name in rows]}
    summary: dict[str, list[Any]] = {"statistic": list(_STATISTICS)}
    for name, scores in found.items():
        cells = [float(scores.values[place]) if scores.present[place] else None for place, _ in rows]
        per_query[name] = cells
        summary[name] = _summary([cell for cell in cells if cell is not None], scores.mean)
    if len(rows) < 2:
        notes += ("The standard deviation needs at least two queries.",)
    return FrameScores(like(results, per_query), like(results, summary), notes)


def _summary(values: Sequence[float], mean: float | None) -> list[float | None]:
    count = len(values)
    if not count:
        return [0.0, mean, *[None] * 6]
    with np.errstate(invalid="ignore"):  # infinite gains have no spread
        std = float(np.std(values, ddof=1)) if count > 1 else None
        return [float(count), mean, std, *np.quantile(values, _QUARTILES).tolist()]


def _notes(rankings: Rankings, rules: Sequence[Conventions], barren: Sequence[bytes]) -> Iterator[str]:
    pairing = rankings.pairing
    yield from notes_of(pairing)
    zero = [rule[MISSING_QUERIES] is MissingQueries.ZERO for rule in rules]
    counted = "count as 0" if all(zero) else "count as 0 in some measures" if any(zero) else "are left out"

    def of(mask: BoolArray) -> list[bytes]:
        return [topic for topic, marked in zip(pairing.all_topics, mask, strict=True) if marked]

    for topics, what in (
        (of(pairing.missing), f"Judged queries without results {counted}"),
        (
            [topic for topic in of(pairing.unjudged) if topic not in barren],
            "Queries of the results without judgements are left out",
        ),
        (barren, "Queries without relevant documents are left out"),
    ):
        if topics:
            some = ", ".join(quoted(display(name)) for name in topics[:5]) + ", ..." * (len(topics) > 5)
            yield f"{what} ({len(topics)}): {some}."
