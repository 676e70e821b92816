"""The value of a judged query without results."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from crosscheck.axes.base import Axis, AxisValue, Example, Mask, PassedAs, Stage, View

__all__ = ["DROPPED_IF_NOTHING", "MISSING_QUERIES", "NAN_IF_NOTHING", "MissingQueries"]


class MissingQueries(StrEnum):
    """Value of a judged query without results.

    - ``dropped``: no value.
    - ``zero``: 0.0.
    - ``nan``: NaN.
    - ``nan-without-hits``: NaN, also for a query with relevant documents that found none of them.
    - ``dropped-nan-without-hits``: no value, and NaN for a query with relevant documents that found none of
      them.
    - ``dropped-without-hits``: no value, nor for a query that found nothing.
    - ``dropped-without-relevant``: no value, nor for a query with nothing relevant in its whole ranking.

    A query found nothing if no relevant document is among those that the measure looks at: down to its
    cutoff, or down to rank R for R-precision.
    """

    DROPPED = "dropped"
    ZERO = "zero"
    NAN = "nan"
    NAN_WITHOUT_HITS = "nan-without-hits"
    DROPPED_NAN_WITHOUT_HITS = "dropped-nan-without-hits"
    DROPPED_WITHOUT_HITS = "dropped-without-hits"
    DROPPED_WITHOUT_RELEVANT = "dropped-without-relevant"


#: The values under which a query that found nothing is NaN.
NAN_IF_NOTHING = (MissingQueries.NAN_WITHOUT_HITS, MissingQueries.DROPPED_NAN_WITHOUT_HITS)
#: The values under which a query that found nothing has no value.
DROPPED_IF_NOTHING = (MissingQueries.DROPPED_WITHOUT_HITS, MissingQueries.DROPPED_WITHOUT_RELEVANT)


def _gate(view: View) -> Mask:
    return view.may_find_nothing | view.missing


def _options(view: View) -> Sequence[AxisValue]:
    options = [
        MissingQueries.ZERO,
        MissingQueries.DROPPED,
        MissingQueries.NAN,
        MissingQueries.NAN_WITHOUT_HITS,
        MissingQueries.DROPPED_NAN_WITHOUT_HITS,
        MissingQueries.DROPPED_WITHOUT_HITS,
    ]
    # For a measure that looks at the whole ranking, the last two are the same.
    looks_at_a_part = view.measure.cutoff is not None or view.family.to_r
    return [*options, MissingQueries.DROPPED_WITHOUT_RELEVANT] if looks_at_a_part else options


MISSING_QUERIES = Axis(
    name="missing_queries",
    default=MissingQueries.DROPPED,
    stage=Stage.SUMMARISE,
    position=1,
    label="missing-queries",
    priority=11,
    summary="a judged query without results is left out, or counted as 0",
    phrases={
        MissingQueries.DROPPED: "judged queries without results have no value",
        MissingQueries.ZERO: "judged queries without results count as 0",
        MissingQueries.NAN: "judged queries without results are NaN (not a number), and so is the mean",
        MissingQueries.NAN_WITHOUT_HITS: (
            "queries that found nothing relevant are NaN (not a number), and so is the mean"
        ),
        MissingQueries.DROPPED_NAN_WITHOUT_HITS: (
            "queries with results that found nothing relevant are NaN (not a number), and so is the mean"
        ),
        MissingQueries.DROPPED_WITHOUT_HITS: "queries that found nothing relevant have no value",
        MissingQueries.DROPPED_WITHOUT_RELEVANT: (
            "queries whose whole ranking holds nothing relevant have no value"
        ),
    },
    short={
        MissingQueries.DROPPED: "judged queries without results get no value",
        MissingQueries.NAN: "judged queries without results count as NaN, and so does the mean",
        MissingQueries.NAN_WITHOUT_HITS: (
            "queries for which nothing relevant was found count as NaN, and so does the mean"
        ),
        MissingQueries.DROPPED_NAN_WITHOUT_HITS: (
            "queries with results among which nothing relevant was found count as NaN, and so does the mean"
        ),
        MissingQueries.DROPPED_WITHOUT_HITS: "queries for which nothing relevant was found get no value",
        MissingQueries.DROPPED_WITHOUT_RELEVANT: (
            "queries for which nothing relevant was retrieved at any rank get no value"
        ),
    },
    cited={
        MissingQueries.DROPPED: "queries with results",
        MissingQueries.ZERO: "judged queries (0 without results)",
    },
    prose="""\
A run may return nothing for a judged query. trec_eval 9 averages over the queries that the run has; with -c,
and in ir_measures, BEIR's own measures or MS MARCO's script, such a query counts as 0. Other tools also drop
queries for which nothing relevant was found, or make them NaN and the mean with them (trectools called by
ir_measures; the mean of no precisions in numpy). The values of other queries agree; the mean does not.
""",
    example=Example(
        qrels=("1 0 a 1", "2 0 b 1"),
        run=("1 Q0 a 1 0.5 tag",),
        values=(("RR", "", 1.0), ("RR", "missing_queries=zero", 0.5)),
        says="Mean RR = {} over the queries of the run; {} when query 2 counts as 0.",
    ),
    way_out="report the mean over all judged queries (trec_eval -c), and how many had no results.",
    needs="judged queries that the run has no results for, and some for which it found nothing relevant",
    matters=lambda family: True,
    tried=_options,
    gate=_gate,
    on_mean=True,
    fixed_when_passed=PassedAs.ONE_QUERY,
    shown_by_one=(
        MissingQueries.DROPPED_NAN_WITHOUT_HITS,
        MissingQueries.DROPPED_WITHOUT_HITS,
        MissingQueries.DROPPED_WITHOUT_RELEVANT,
    ),
)
