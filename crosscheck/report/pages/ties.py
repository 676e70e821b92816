"""The page of ``crosscheck ties``: how far means and queries depend on the order of tied documents."""

from __future__ import annotations

from crosscheck.report.page import Id, Page, Paragraph, Section, Table
from crosscheck.report.pages import Kind, study_page
from crosscheck.report.tables import NONE, table
from crosscheck.report.words import file
from crosscheck.results import as_float
from crosscheck.study_records.ties import TiedMeasure, TiesDocument

_ABOUT = (
    "Worst and best are exact over all orders of documents with equal scores; expected is the mean over all"
    " these orders (McSherry and Najork, ECIR 2008). Where a measure has no exact form of one of these, it is"
    " left out, and the notes say so."
)
_EXTREMES = ("#worst", "#best", "#expected")


def ties_page(document: TiesDocument) -> Page:
    """Means first, then the queries of each measure, the widest interval first."""
    means = table("", document.measures, "@measure", ("#open", _open), "#value=mean", *_EXTREMES, limit=100)
    return study_page(
        document,
        ("Ties in ", file(document.run)),
        Section("Means", [means, Paragraph(_ABOUT)]),
        Section("Queries", [_queries(measure) for measure in document.measures]),
    )


def _open(measure: TiedMeasure) -> str:
    return NONE if measure.worst is None else f"{len(measure.tied):,} of {measure.queries:,}"


def _queries(measure: TiedMeasure) -> Table:
    widest = sorted(measure.tied, key=lambda query: as_float(query.worst) - as_float(query.best))
    return table(Id(measure.measure), widest, "@query", "#value", *_EXTREMES, limit=5, noun="query")


KIND = Kind("ties", TiesDocument, ties_page, "ties")
