"""Queries that a candidate leaves out for no reason that a convention gives, as an output that ends early
does."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
from msgspec.structs import replace

from crosscheck.compare import Differences, align
from crosscheck.diagnosis.answers import UNEXPLAINED
from crosscheck.diagnosis.wording import Diagnosed
from crosscheck.evaluation.recomputer import Recomputer
from crosscheck.hypotheses.evidence import Evidence
from crosscheck.hypotheses.screening import part_of
from crosscheck.hypotheses.search import Search
from crosscheck.model import MeasureValues
from crosscheck.results import Diagnosis

__all__ = ["left_out", "on_the_rest", "with_left_out"]


def left_out(situation: Recomputer, candidate: MeasureValues) -> frozenset[bytes]:
    """Queries that only the reference has a value for, and whose absence no change of conventions gives.

    A change counts only if it keeps every value that the candidate has and gives at least half of the
    absences: queries without relevant documents may be among those lost by an output that ends early, too.
    Empty if reference and candidate have no query in common, or the candidate spells ids differently.
    """
    topics = situation.rankings.pairing.all_topics
    present = align(candidate, topics).present
    ours = situation.evaluated(situation.base).present
    lost, kept = ours & ~present, ours & present
    if not lost.any() or not kept.any() or not candidate.values.keys() <= set(topics):
        return frozenset()
    most = int(lost.sum()) // 2
    for there in Search(Evidence(situation, align(candidate, topics)), lost).presences():
        if there[kept].all() and (left := lost & there).sum() <= most:
            lost, most = left, int(left.sum()) - 1
            if most < 0:
                return frozenset()
    return frozenset(topics[i] for i in np.flatnonzero(lost).tolist())


def on_the_rest(situation: Recomputer, without: Collection[bytes]) -> Recomputer:
    """A recomputer of the same measure for all queries except ``without``."""
    if not without:
        return situation
    topics = situation.rankings.pairing.all_topics
    others = [i for i, topic in enumerate(topics) if topic not in without]
    return Recomputer(part_of(situation.rankings, others), situation.measure, situation.base)


def with_left_out(without: Collection[bytes], differences: Differences, rest: Diagnosed | None) -> Diagnosed:
    """The diagnosis of all queries, with those that the candidate leaves out ``unexplained``.

    Args:
        without: the queries that the candidate leaves out.
        differences: between reference and candidate.
        rest: the diagnosis of the other queries, None if they agree.
    """
    queries = "1 query" if len(without) == 1 else f"{len(without):,} queries"
    words = f"no value for {queries} of {len(differences.topics):,}, and no convention is a reason for that"
    labels = {topic: [UNEXPLAINED] for topic in without}
    others = len(differences.topics) - len(without)
    if rest is None:
        words = f"{words}; the others agree: is the output complete?"
        return Diagnosed(
            Diagnosis(
                strength="none",
                causes=[UNEXPLAINED],
                conventions={},
                reproduced=others,
                of=len(differences.topics),
                alternatives=[],
                explanation=words,
            ),
            labels,
            {},
        )
    inner = rest.diagnosis
    found = replace(
        inner,
        strength="none" if inner.strength == "none" else "per-query",
        causes=list(dict.fromkeys([*inner.causes, UNEXPLAINED])),
        of=inner.of + len(without),
        explanation=f"{inner.explanation.removesuffix('.')}; {words}: is the output complete?",
    )
    return Diagnosed(found, rest.labels | labels, rest.conventions)
