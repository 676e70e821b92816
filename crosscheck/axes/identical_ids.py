"""A retrieved document whose docno is the id of its own query."""

from __future__ import annotations

from enum import StrEnum

from crosscheck.axes.base import Axis, Example, PassedAs, Stage

__all__ = ["IDENTICAL_IDS", "IdenticalIds"]


class IdenticalIds(StrEnum):
    """Handling of a retrieved document whose docno is the id of its own query."""

    KEPT = "kept"
    REMOVED = "removed"


IDENTICAL_IDS = Axis(
    name="identical_ids",
    default=IdenticalIds.KEPT,
    stage=Stage.READ,
    position=3,
    label="identical-ids",
    priority=26,
    summary="a document with the id of its own query is removed from the ranking",
    phrases={
        IdenticalIds.KEPT: "a document with the id of its own query stays in the ranking",
        IdenticalIds.REMOVED: "a document with the id of its own query is removed",
    },
    contrast="{found}",
    short={
        IdenticalIds.REMOVED: "documents with the id of their own query are removed",
        IdenticalIds.KEPT: "documents with the id of their own query stay",
    },
    prose="""\
Where queries are documents of the collection (ArguAna, Quora), a run finds the query itself first. BEIR
removes a document with the id of its query from the run before it calls trec_eval; trec_eval has no such
rule.
""",
    example=Example(
        qrels=("7 0 a 1",),
        run=("7 Q0 7 1 2.0 tag", "7 Q0 a 2 1.0 tag"),
        values=(("RR", "", 0.5), ("RR", "identical_ids=removed", 1.0)),
        says="RR = {}; {} once document 7 is taken out.",
    ),
    way_out="remove such documents when writing the run.",
    needs="retrieved documents that have the id of their query",
    gate=lambda view: view.own_ids,
    fixed_when_passed=PassedAs.ONE_QUERY,
)
