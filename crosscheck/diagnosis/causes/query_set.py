"""The number of queries that the mean is divided by."""

from __future__ import annotations

import numpy as np

from crosscheck.conventions import QuerySet
from crosscheck.diagnosis.base import Cause, Situation, averaged
from crosscheck.measures.base import Family
from crosscheck.model import BoolArray

__all__ = ["CAUSE"]


def _gate(situation: Situation) -> BoolArray:
    pairing = situation.rankings.pairing
    # Queries that found nothing may be left out as well, and then the sets differ.
    return np.asarray(pairing.missing | pairing.unjudged | situation.may_find_nothing)


def _applies(family: Family) -> bool:
    # Other counts add nothing for queries that only one side has.
    return averaged(family) or family.name in ("NumQ", "NumRel", "NumRet")


_WORDS = {
    "run-and-qrels": "the queries that have a value",
    "qrels": "all judged queries",
    "run": "all queries of the run, judged or not",
}

CAUSE = Cause(
    label="query-set",
    axis="query_set",
    priority=20,
    summary="the mean is divided by another number of queries",
    prose="""\
The sum over queries is divided by the queries that have a value (trec_eval), by all judged queries without
giving the others a value (trec_eval 9 -c), or by all queries of the run, even those nobody judged
(trectools). Every query agrees; only the mean, or the sum of counts such as num_rel, does not.

    qrels: 1 0 a 1          run: 1 Q0 a 1 0.5 tag
                                 2 Q0 b 1 0.5 tag

Mean RR = 1.0 over query 1; 0.5 divided by the two queries of the run.
Way out: say over which queries the mean runs, and how many they are.""",
    needs="judged queries without results and queries of the run without judgements, not equally many",
    applies=_applies,
    options=lambda situation: [QuerySet.RUN_AND_QRELS, QuerySet.QRELS, QuerySet.RUN],
    gate=_gate,
    on_mean=True,
    describe=lambda base, found: f"the summary is over {_WORDS[str(found)]} instead of {_WORDS[str(base)]}",
)
