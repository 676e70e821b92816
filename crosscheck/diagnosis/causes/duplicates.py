"""A document twice in one ranking."""

from __future__ import annotations

import numpy as np

from crosscheck.conventions import Duplicates
from crosscheck.diagnosis.base import Cause, Situation
from crosscheck.measures.base import Family
from crosscheck.model import BoolArray, Run

__all__ = ["CAUSE"]


def _repeated(run: Run) -> BoolArray:
    found = np.zeros(len(run.docnos), np.bool_)
    for start, end in zip(run.offsets[:-1].tolist(), run.offsets[1:].tolist(), strict=True):
        found[start:end] = len(set(run.docnos[start:end].tolist())) < end - start
    return found


def _gate(situation: Situation) -> BoolArray:
    if situation.rankings.pairing.run.unique:
        return np.zeros(len(situation.rankings.pairing.universe), np.bool_)
    return situation.where_rows(_repeated)


def _applies(family: Family) -> bool:
    return family.name not in ("NumRel", "NumQ")


_WORDS = {
    "error": "a document that stands twice is refused",
    "first": "of a document that stands twice the first line counts",
    "last": "of a document that stands twice the last line counts",
    "each": "a document that stands twice counts twice",
}

CAUSE = Cause(
    label="duplicates",
    axis="duplicates",
    priority=27,
    summary="of a document that stands twice in a ranking the first, the last or each line counts",
    prose="""\
trec_eval refuses a run with a document twice under one query. Tools that read it into a dictionary keep the
last line (pytrec_eval, ranx), others the first, and data-frame joins count it each time (trectools,
cwl_eval), which makes AP larger than 1.

    qrels: 1 0 a 1          run: 1 Q0 a 1 3.0 tag
                                 1 Q0 b 2 2.0 tag
                                 1 Q0 a 3 1.0 tag

RR = 0.5 by the last line of a, 1.0 by its first; AP = 1.6667 where both count.
Way out: write each document once.""",
    needs="documents that stand twice, relevant ones among them",
    applies=_applies,
    options=lambda situation: [Duplicates.EACH, Duplicates.FIRST, Duplicates.LAST],
    gate=_gate,
    describe=lambda base, found: f"{_WORDS[str(found)]} (reference: {_WORDS[str(base)]})",
)
