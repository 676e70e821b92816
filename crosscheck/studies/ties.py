"""Show the worst, best and expected value of every query over all orders of documents with equal
scores.

The score precision of the conventions decides which documents are tied.
"""

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from msgspec import Struct

from crosscheck.axes.ties import SCORE_PRECISION, TIES, WITHOUT_ORDER
from crosscheck.conventions import Conventions
from crosscheck.engine.conversion import QrelsLike, RunLike, as_run
from crosscheck.evaluation.rankings import Rankings
from crosscheck.evaluation.recomputer import Recomputer
from crosscheck.evaluation.sentence import sentences
from crosscheck.evaluation.summarise import summary_of
from crosscheck.explain.ties import TieRange, range_of
from crosscheck.harness.document import made_by
from crosscheck.measures import family
from crosscheck.model import FloatArray, Measure, display
from crosscheck.names import conventions_for
from crosscheck.rankings.pairing import notes_of
from crosscheck.report.page import Id, Page, Paragraph, Section, Table
from crosscheck.report.tables import NONE, table
from crosscheck.report.words import file
from crosscheck.results import Number, as_float, number, optional
from crosscheck.studies.base import OnQrels, geometric, judged_by, study, study_page
from crosscheck.studies.options import CONVENTIONS, MEASURES, QRELS, run_file


class TiedQuery(Struct, frozen=True):
    """The value of one query over all orders of tied documents; ``expected`` is null if no exact formula is
    known."""

    query: str
    value: Number
    worst: Number
    best: Number
    expected: Number | None


class TiedMeasure(Struct, frozen=True):
    """One measure over all orders of tied documents.

    Attributes:
        queries: number of queries with a value.
        tied: the queries whose value depends on the order; empty if ``worst`` and ``best`` are null.
        mean: mean over the queries with a value, with tied documents in the order that the conventions give.
        worst, best, expected: mean of the worst, best and expected values of these queries; null, with a note
            in the document, if no exact formula is known for the measure.
    """

    measure: str
    queries: int
    mean: Number | None
    worst: Number | None
    best: Number | None
    expected: Number | None
    tied: list[TiedQuery]


class TiesDocument(OnQrels, frozen=True, kw_only=True):
    """The result of ``crosscheck ties``, as written to JSON. ``score_precision``: the precision in which
    scores were compared."""

    study: Literal["ties"] = "ties"
    run: str
    score_precision: str
    measures: list[TiedMeasure]


def ties(
    qrels: QrelsLike,
    run: RunLike,
    measures: Sequence[str] = (),
    *,
    conventions: str | Conventions = "trec_eval-9.0.8",
) -> TiesDocument:
    """Worst, best and expected value of every query over all orders of tied documents.

    Args:
        qrels, run: as for :func:`crosscheck.evaluate`.
        measures: their names; empty for the default measures.
        conventions: the conventions of the values. ``score_precision`` decides which documents are tied.

    Raises:
        InputError: an input cannot be used.
        UsageError: an unknown measure, profile, axis or value.
    """
    judged, wanted = judged_by(qrels, measures)
    specs = {measure: conventions_for(conventions, measure) for measure in wanted}
    ranked = as_run(run)
    rankings = Rankings(ranked, judged)
    ranges = {measure: range_of(Recomputer(rankings, measure, spec)) for measure, spec in specs.items()}
    measured = [_measure(rankings, measure, over) for measure, over in ranges.items()]
    return TiesDocument(
        **made_by(),
        qrels=judged.source,
        run=ranked.source,
        score_precision=", ".join(dict.fromkeys(str(spec[SCORE_PRECISION]) for spec in specs.values())),
        measures=measured,
        notes=[
            *notes_of(rankings.pairing),
            *(f"{why}." for over in ranges.values() for why in over.refused),
            *(f"The values of queries in {name} are logarithms." for name in geometric(measured)),
        ],
        summary=_summary(measured, [str(m) for m, spec in specs.items() if spec[TIES] in WITHOUT_ORDER]),
        sentences=sentences({one.measure: one.queries for one in measured}, conventions),
    )


def _measure(rankings: Rankings, measure: Measure, over: TieRange) -> TiedMeasure:
    aggregate, topics = family(measure.family).aggregate, rankings.pairing.all_topics
    arrays = (over.value, over.worst, over.best, over.expected)

    def summary(values: FloatArray | None) -> Number | None:
        return None if values is None else optional(summary_of(values[over.present], aggregate))

    def of_query(i: int) -> list[Any]:
        return [None if values is None else number(values[i]) for values in arrays]

    tied = [TiedQuery(display(topics[i]), *of_query(i)) for i in np.flatnonzero(over.open).tolist()]
    mean, worst, best, expected = map(summary, arrays)
    return TiedMeasure(str(measure), int(over.present.sum()), mean, worst, best, expected, tied)


def _summary(measures: Sequence[TiedMeasure], orderless: Sequence[str]) -> str:
    """The first sentence of the report. ``orderless``: the measures whose conventions give tied documents no
    order."""
    if not any(measure.queries for measure in measures):
        return "Nothing was computed: the run has results for none of the judged queries."
    known = [measure for measure in measures if measure.worst is not None]
    if not known:
        return "The best and the worst order of tied documents are not known for any of these measures."
    moved = [measure for measure in measures if measure.tied]
    if not moved:
        text, end = "No value", "depends on the order of documents with equal scores"
        if len(known) == len(measures):
            return f"{text} {end}."
        return f"{text} of {len(known)} of {len(measures)} measures {end}; of the others it is not known."
    most = max(moved, key=lambda m: len(m.tied))
    wide = max(moved, key=lambda m: as_float(m.best or 0.0) - as_float(m.worst or 0.0))
    several = len(measures) > 1
    unknown = f" (of {len(measures) - len(known)} it is not known)" * (len(known) < len(measures))
    of_all = f"values of {len(moved)} of {len(measures)} measures{unknown}, most of all "
    what = of_all if several else "the value "
    on = f"of {most.measure} on {len(most.tied):,} of {most.queries:,} queries"
    text = f"The order of documents with equal scores decides {what}{on}."
    if most.measure in orderless:
        text = f"These conventions give tied documents no order; where they have one, it decides {what}{on}."
    low, high = (as_float(end or 0.0) for end in (wide.worst, wide.best))
    its = f"The mean of {wide.measure}" if several else "Its mean"
    return f"{text} {its} may lie anywhere from {low:.4f} to {high:.4f}."


_ABOUT = (
    "Worst and best are exact over all orders of documents with equal scores; expected is the mean over all"
    " these orders (McSherry and Najork, ECIR 2008). Where a measure has no exact form of one of these, it is"
    " left out, and the notes say so."
)
_EXTREMES = ("#worst", "#best", "#expected")


def _page(document: TiesDocument) -> Page:
    """Means first, then the queries of each measure, the widest interval first."""
    means = table("", document.measures, "@measure", ("#open", _open), "#value=mean", *_EXTREMES, limit=100)
    queries = Section("Queries", [*map(_queries, document.measures)])
    title = ("Ties in ", file(document.run))
    return study_page(document, title, Section("Means", [means, Paragraph(_ABOUT)]), queries)


def _open(measure: TiedMeasure) -> str:
    return NONE if measure.worst is None else f"{len(measure.tied):,} of {measure.queries:,}"


def _queries(measure: TiedMeasure) -> Table:
    widest = sorted(measure.tied, key=lambda query: as_float(query.worst) - as_float(query.best))
    return table(Id(measure.measure), widest, "@query", "#value", *_EXTREMES, limit=5, noun="query")


STUDY = study(
    TiesDocument,
    ties,
    _page,
    *(QRELS, run_file(), MEASURES, CONVENTIONS),
    code=lambda document: 0 if any(measure.queries for measure in document.measures) else 3,
)
