"""The page of ``crosscheck ties``: how far means and queries depend on the order of tied documents."""

from __future__ import annotations

from crosscheck.report._figures import NO_VALUE, short
from crosscheck.report.page import Bullets, Figure, Id, Page, Paragraph, Section, Table, TableCell
from crosscheck.report.pages import Kind
from crosscheck.report.pages._studies import columns, page
from crosscheck.results import Number, as_float
from crosscheck.study_records import TiedMeasure, TiedQuery, TiesDocument

__all__ = ["KIND", "ties_page"]

_ABOUT = (
    "Worst and best are exact over all orders of documents with equal scores; expected is the mean over all"
    " these orders (McSherry and Najork, ECIR 2008). Where a measure has no exact form of one of these, it is"
    " left out, and the notes say so."
)


def ties_page(document: TiesDocument) -> Page:
    """Means first, then the queries of each measure, the widest interval first."""
    head = columns("@measure", "#open", "#value", "#worst", "#best", "#expected")
    rows = [_mean_row(measure) for measure in document.measures]
    return page(
        document,
        ("Ties in ", Id(document.run)),
        Section("Means", [Table("", head, rows, limit=100), Paragraph(_ABOUT)]),
        Section("Queries", [_queries(measure) for measure in document.measures]),
        Bullets("Notes", document.notes),
    )


def _mean_row(measure: TiedMeasure) -> list[TableCell]:
    figures = (measure.mean, measure.worst, measure.best, measure.expected)
    known = measure.worst is not None
    is_open = f"{len(measure.tied):,} of {measure.queries:,}" if known else "–"
    return [Id(measure.measure), is_open, *map(_figure, figures)]


def _queries(measure: TiedMeasure) -> Table:
    head = columns("@query", "#value", "#worst", "#best", "#expected")
    widest = sorted(measure.tied, key=lambda query: as_float(query.worst) - as_float(query.best))
    return Table(Id(measure.measure), head, [_query_row(query) for query in widest], limit=5, noun="query")


def _query_row(query: TiedQuery) -> list[TableCell]:
    return [Id(query.query), *map(_figure, (query.value, query.worst, query.best, query.expected))]


def _figure(value: Number | None) -> Figure:
    text = short(value)
    return Figure("–" if text == NO_VALUE else text, None if value is None else as_float(value))


KIND = Kind("ties", TiesDocument, ties_page, "ties")
