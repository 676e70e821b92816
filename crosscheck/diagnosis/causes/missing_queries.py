"""A judged query without results is left out, or counted as 0."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from crosscheck.conventions import AxisValue, MissingQueries
from crosscheck.diagnosis.base import Cause, Situation
from crosscheck.model import BoolArray

__all__ = ["CAUSE"]


def _gate(situation: Situation) -> BoolArray:
    return np.asarray(situation.may_find_nothing | situation.rankings.pairing.missing)


def _options(situation: Situation) -> Sequence[AxisValue]:
    options = [
        MissingQueries.ZERO,
        MissingQueries.DROPPED,
        MissingQueries.NAN,
        MissingQueries.NAN_WITHOUT_HITS,
        MissingQueries.DROPPED_WITHOUT_HITS,
    ]
    # A measure that looks at the whole ranking cannot tell the last two apart.
    looks_at_a_part = situation.measure.cutoff is not None or situation.measure.family == "Rprec"
    return [*options, MissingQueries.DROPPED_WITHOUT_RELEVANT] if looks_at_a_part else options


_WORDS = {
    "dropped": "judged queries without results get no value",
    "zero": "judged queries without results count as 0",
    "nan": "judged queries without results count as NaN, and so does the mean",
    "nan-without-hits": "queries for which nothing relevant was found count as NaN, and so does the mean",
    "dropped-without-hits": "queries for which nothing relevant was found get no value",
    "dropped-without-relevant": "queries for which nothing relevant was retrieved at any rank get no value",
}

CAUSE = Cause(
    label="missing-queries",
    axis="missing_queries",
    priority=11,
    summary="a judged query without results is left out, or counted as 0",
    prose="""\
A run may return nothing for a judged query. trec_eval 9 averages over the queries that the run has; with -c,
and in ir_measures, BEIR's own measures or MS MARCO's script, such a query counts as 0. Other tools also drop
queries for which nothing relevant was found, or make them NaN and the mean with them (trectools called by
ir_measures). The values of other queries agree; the mean does not.

    qrels: 1 0 a 1          run: 1 Q0 a 1 0.5 tag
           2 0 b 1

Mean RR = 1.0 over the queries of the run; 0.5 when query 2 counts as 0.
Way out: report the mean over all judged queries (trec_eval -c), and how many had no results.""",
    needs="judged queries that the run has no results for, and some for which it found nothing relevant",
    applies=lambda family: True,
    options=_options,
    gate=_gate,
    on_mean=True,
    describe=lambda base, found: f"{_WORDS[str(found)]} (reference: {_WORDS[str(base)]})",
)
