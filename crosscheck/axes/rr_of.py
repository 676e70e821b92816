"""The documents whose ranks enter reciprocal rank."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from crosscheck.axes.base import Axis, AxisValue, Example, Mask, Stage, View

__all__ = ["RR_OF", "RrOf"]


class RrOf(StrEnum):
    """The documents whose ranks enter reciprocal rank.

    ``every``: the mean of 1 / rank over all relevant documents, 0 for those that were not found.
    ``every-retrieved``: the mean over the relevant documents that were found. ``highest-level``: the first
    document of the query's highest relevance level.
    """

    FIRST = "first"
    EVERY = "every"
    EVERY_RETRIEVED = "every-retrieved"
    HIGHEST_LEVEL = "highest-level"


def _gate(view: View) -> Mask:
    return view.over_all_topics((view.found() > 0) & (view.judged.num_rel(view.relevance_level) > 1))


def _options(view: View) -> Sequence[AxisValue]:
    _, rel = view.judgements()
    relevant = rel[rel >= max(view.relevance_level, 0)].tolist()
    graded = [RrOf.HIGHEST_LEVEL] if len(set(relevant)) > 1 else []
    return [*graded, RrOf.EVERY, RrOf.EVERY_RETRIEVED, RrOf.FIRST]


RR_OF = Axis(
    name="rr_of",
    default=RrOf.FIRST,
    stage=Stage.FORMULA,
    position=14,
    weighs=True,
    label="rr-of",
    priority=41,
    summary="reciprocal rank takes every relevant document, or one of the highest level, not the first",
    phrases={
        RrOf.FIRST: "reciprocal rank is that of the first relevant document",
        RrOf.EVERY: "reciprocal rank is the mean of 1 / rank over all relevant documents",
        RrOf.EVERY_RETRIEVED: "reciprocal rank is the mean of 1 / rank over the relevant documents found",
        RrOf.HIGHEST_LEVEL: "reciprocal rank is that of the first document of the query's highest level",
    },
    contrast="reciprocal rank is taken of {found} instead of {base}",
    verb="takes the reciprocal rank of {found}, not of {base}",
    short={
        RrOf.FIRST: "the first relevant document",
        RrOf.EVERY: "all relevant documents (their mean)",
        RrOf.EVERY_RETRIEVED: "the relevant documents found (their mean)",
        RrOf.HIGHEST_LEVEL: "the first document of the query's highest level",
    },
    prose="""\
trec_eval's recip_rank is 1 / rank of the first relevant document. Some code takes the mean over all relevant
documents, or over those it found, which lowers the value of queries with many relevant documents. Other code
takes the first document of the query's highest level.
""",
    example=Example(
        qrels=("1 0 a 1", "1 0 b 2", "1 0 c 1"),
        run=("1 Q0 a 1 2.0 tag", "1 Q0 b 2 1.0 tag"),
        values=(
            ("RR", "", 1.0),
            ("RR", "rr_of=every", 0.5),
            ("RR", "rr_of=every-retrieved", 0.75),
            ("RR", "rr_of=highest-level", 0.5),
        ),
        says="RR = {}; {} over all three relevant documents, {} over the two found, {} of b alone.",
    ),
    way_out="use the first relevant document.",
    needs="queries with several relevant documents of two levels, not all of them retrieved",
    tried=_options,
    gate=_gate,
)
