"""The value of a query of the run without judgements."""

from __future__ import annotations

from enum import StrEnum

from crosscheck.axes.base import Axis, Example, Mask, PassedAs, Stage, View

__all__ = ["UNJUDGED_QUERIES", "UnjudgedQueries"]


class UnjudgedQueries(StrEnum):
    """Value of a query of the run without judgements.

    - ``dropped``: no value.
    - ``no-relevant``: that of a query without relevant documents, 0.0 unless ``no_relevant`` says otherwise.
    """

    DROPPED = "dropped"
    NO_RELEVANT = "no-relevant"


def _gate(view: View) -> Mask:
    return view.unjudged


UNJUDGED_QUERIES = Axis(
    name="unjudged_queries",
    default=UnjudgedQueries.DROPPED,
    stage=Stage.SUMMARISE,
    position=7,
    label="unjudged-queries",
    priority=21,
    summary="a query of the run without judgements counts as 0",
    phrases={
        UnjudgedQueries.DROPPED: "queries of the run without judgements have no value",
        UnjudgedQueries.NO_RELEVANT: (
            "queries of the run without judgements count as queries without relevant documents"
        ),
    },
    contrast="a query of the run without judgements counts as {found} instead of {base}",
    verb="treats a query of the run without judgements as {found}, not as {base}",
    short={
        UnjudgedQueries.DROPPED: "one to leave out",
        UnjudgedQueries.NO_RELEVANT: "one without relevant documents",
    },
    prose="""\
A run may hold queries without judgements, such as those of a larger test collection. trec_eval leaves them
out. A metric that goes over the queries of the run, and takes the judgements of an unknown one as empty,
gives them 0, which lowers the mean. Judge or remove them: nothing is known about these queries.
""",
    example=Example(
        qrels=("1 0 a 1",),
        run=("1 Q0 a 1 0.5 tag", "2 Q0 b 1 0.5 tag"),
        values=(("RR", "", 1.0), ("RR", "unjudged_queries=no-relevant", 0.5)),
        says="Mean RR = {} over query 1; {} when query 2, which has no judgements, counts as 0.",
    ),
    way_out="remove queries without judgements from the run before measuring.",
    needs="queries of the run without judgements",
    matters=lambda family: not family.is_sum,
    tried=lambda view: [UnjudgedQueries.NO_RELEVANT, UnjudgedQueries.DROPPED],
    gate=_gate,
    on_mean=True,
    fixed_when_passed=PassedAs.ONE_QUERY,
)
