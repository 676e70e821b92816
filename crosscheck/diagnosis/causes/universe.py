"""Which documents exist for a query."""

from __future__ import annotations

import numpy as np

from crosscheck.conventions import Universe
from crosscheck.diagnosis.base import Cause, Situation
from crosscheck.measures.base import Family
from crosscheck.model import BoolArray

__all__ = ["CAUSE"]

_BLIND = frozenset(
    (
        "P",
        "Success",
        "RR",
        "DCG",
        "NumRet",
        "NumRelRet",
        "NumQ",
        "num_nonrel_judged_ret",
        "SetP",
        "Judged",
        "unj",
    )
)


def _gate(situation: Situation) -> BoolArray:
    judged = situation.judged
    return situation.over_universe(np.asarray(judged.count(judged.topic) < judged.count(judged.pool_topic)))


def _applies(family: Family) -> bool:
    return family.name not in _BLIND


CAUSE = Cause(
    label="universe",
    axis="universe",
    priority=24,
    summary="only retrieved documents exist: relevant ones that were not retrieved count nowhere",
    prose="""\
trec_eval takes the relevant documents, and the ideal ranking, from the qrels. Functions that get two lists of
labels and scores (scikit-learn, torchmetrics, XGBoost, LightGBM) know nothing beyond the list: R, the ideal
ranking and every denominator shrink to what was retrieved.

    qrels: 1 0 a 1          run: 1 Q0 a 1 2.0 tag
           1 0 b 1

R@1 = 0.5; 1.0 where b, which was not retrieved, does not exist.
Way out: pass the judged documents that were not retrieved as well, behind all others.""",
    needs="relevant documents that were not retrieved, in several measures (recall and R-precision show it)",
    applies=_applies,
    options=lambda situation: list(Universe),
    gate=_gate,
    describe=lambda base, found: (
        "only the retrieved documents exist"
        if found == Universe.RETRIEVED
        else "all documents of the qrels exist, retrieved or not"
    ),
)
