"""Ids that are written differently and taken for the same."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from crosscheck.conventions import AxisValue, Ids
from crosscheck.diagnosis.base import Cause, Situation
from crosscheck.model import BoolArray, IdArray
from crosscheck.rankings.inputs import normalised

__all__ = ["CAUSE"]


def _meets(ids: Ids, run: set[bytes], qrels: set[bytes]) -> bool:
    """Whether ids meet that are not the same bytes, within one side or across both."""
    every = run | qrels
    return len({normalised(identifier, ids) for identifier in every}) < len(every)


def _options(situation: Situation) -> Sequence[AxisValue]:
    pairing = situation.rankings.pairing

    def found() -> list[AxisValue]:
        def distinct(column: IdArray) -> set[bytes]:
            return set(np.unique(column).tolist())

        docnos = distinct(pairing.run.docnos), distinct(pairing.qrels.docnos)
        topics = set(pairing.run.topics), set(pairing.qrels.topics)
        return [ids for ids in (Ids.CASE, Ids.INT, Ids.STRIP) if _meets(ids, *docnos) or _meets(ids, *topics)]

    return [*situation.rankings.remembered("ids that meet", found), Ids.EXACT]


def _gate(situation: Situation) -> BoolArray:
    size = len(situation.rankings.pairing.universe)
    return np.full(size, len(_options(situation)) > 1 or situation.base.ids is not Ids.EXACT)


_WORDS = {
    "exact": "ids are compared byte for byte",
    "case": "ids are compared without regard to letter case",
    "strip": "blanks around ids do not count",
    "int": "ids are compared as integers",
}

CAUSE = Cause(
    label="id-normalisation",
    axis="ids",
    priority=28,
    summary="ids of queries or documents that are spelt differently are taken for the same",
    prose="""\
trec_eval compares ids byte by byte. Hugging Face evaluate and MS MARCO's script read query ids as integers,
so 01 and 1 are one query; databases and loaders change letter case or trim blanks.

    qrels: 1 0 DocA 1       run: 1 Q0 doca 1 2.0 tag
                                 1 Q0 DocB 2 1.0 tag

RR = 0.0 byte for byte; 1.0 without regard to letter case.
Way out: write the ids of the collection unchanged.""",
    needs="ids that differ in letter case, in leading zeros, or in blanks around them",
    applies=lambda family: True,
    options=_options,
    gate=_gate,
    on_mean=True,
    describe=lambda base, found: f"{_WORDS[str(found)]} (reference: {_WORDS[str(base)]})",
)
