"""The number of queries that the mean is divided by."""

from __future__ import annotations

from enum import StrEnum

from crosscheck.axes.base import Axis, Example, Mask, PassedAs, Stage, View

__all__ = ["QUERY_SET", "QuerySet"]


class QuerySet(StrEnum):
    """The queries whose number divides the sum: those with a value, all judged ones, or all of the run.

    Sums (``NumQ``, ``NumRel``, ``NumRet``) count all that is known about these queries. A geometric mean over
    all judged queries uses its floor for queries without results.
    """

    RUN_AND_QRELS = "run-and-qrels"
    QRELS = "qrels"
    RUN = "run"


def _gate(view: View) -> Mask:
    # Queries that found nothing may be left out as well, and then the sets differ.
    return view.missing | view.unjudged | view.may_find_nothing


QUERY_SET = Axis(
    name="query_set",
    default=QuerySet.RUN_AND_QRELS,
    stage=Stage.SUMMARISE,
    position=3,
    label="query-set",
    priority=20,
    summary="the mean is divided by another number of queries",
    phrases={
        QuerySet.RUN_AND_QRELS: "the mean or sum is over the queries that have a value",
        QuerySet.QRELS: "the mean or sum is over all judged queries",
        QuerySet.RUN: "the mean or sum is over all queries of the run",
    },
    contrast="the summary is over {found} instead of {base}",
    verb="summarises over {found}, not over {base}",
    short={
        QuerySet.RUN_AND_QRELS: "the queries that have a value",
        QuerySet.QRELS: "all judged queries",
        QuerySet.RUN: "all queries of the run, judged or not",
    },
    prose="""\
The sum over queries is divided by the queries that have a value (trec_eval), by all judged queries without
giving the others a value (trec_eval 9 -c), or by all queries of the run, even those without judgements
(trectools). Every query agrees; only the mean, or the sum of counts such as num_rel, does not.
""",
    example=Example(
        qrels=("1 0 a 1",),
        run=("1 Q0 a 1 0.5 tag", "2 Q0 b 1 0.5 tag"),
        values=(("RR", "", 1.0), ("RR", "query_set=run", 0.5)),
        says="Mean RR = {} over query 1; {} divided by the two queries of the run.",
    ),
    way_out="say which queries the mean includes, and how many they are.",
    needs="judged queries without results and queries of the run without judgements, not equally many",
    matters=lambda family: not family.is_sum or family.elsewhere is not None,
    tried=lambda view: [QuerySet.RUN_AND_QRELS, QuerySet.QRELS, QuerySet.RUN],
    gate=_gate,
    on_mean=True,
    fixed_when_passed=PassedAs.ONE_QUERY,
)
