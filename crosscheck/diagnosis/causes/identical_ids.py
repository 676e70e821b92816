"""A retrieved document that has the id of its own query."""

from __future__ import annotations

import numpy as np

from crosscheck.conventions import IdenticalIds
from crosscheck.diagnosis.base import Cause, Situation
from crosscheck.formats.grouping import identifiers
from crosscheck.measures.base import Family
from crosscheck.model import BoolArray

__all__ = ["CAUSE"]


def _gate(situation: Situation) -> BoolArray:
    return situation.where_rows(
        lambda run: np.asarray(run.docnos == np.repeat(identifiers(list(run.topics)), np.diff(run.offsets)))
    )


def _applies(family: Family) -> bool:
    return family.name not in ("NumRel", "NumQ")


CAUSE = Cause(
    label="identical-ids",
    axis="identical_ids",
    priority=26,
    summary="a document with the id of its own query is taken out of the ranking",
    prose="""\
Where queries are documents of the collection (ArguAna, Quora), a run finds the query itself first. BEIR takes
a document with the id of its query out of the run before it calls trec_eval; trec_eval knows no such rule.

    qrels: 7 0 a 1          run: 7 Q0 7 1 2.0 tag
                                 7 Q0 a 2 1.0 tag

RR = 0.5; 1.0 once document 7 is taken out.
Way out: take such documents out when the run is written.""",
    needs="retrieved documents that have the id of their query",
    applies=_applies,
    options=lambda situation: list(IdenticalIds),
    gate=_gate,
    describe=lambda base, found: (
        "documents with the id of their own query are taken out"
        if found == IdenticalIds.REMOVED
        else "documents with the id of their own query stay"
    ),
)
