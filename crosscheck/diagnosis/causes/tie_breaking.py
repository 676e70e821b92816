"""Documents with equal scores stand in another order."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from crosscheck.conventions import AxisValue, Order, ScorePrecision, Ties
from crosscheck.diagnosis.base import Cause, Situation, ranked
from crosscheck.measures.expected import in_groups
from crosscheck.model import BoolArray

__all__ = ["CAUSE"]


def _options(situation: Situation) -> Sequence[AxisValue]:
    has_ranks = situation.rankings.pairing.run.ranks is not None
    by_rank = [Ties.RANK_COLUMN] if has_ranks else []
    # Which order is the best over subtopics, levels do not tell.
    by_level = [] if situation.family.subtopics else [Ties.WORST, Ties.BEST]
    rules = [Ties.INPUT, *by_rank, Ties.DOCID_ASC, Ties.DOCID_DESC, Ties.REVERSE_INPUT, *by_level]
    grouped = [rule for rule in (Ties.AVERAGE, Ties.GROUP_END) if in_groups(situation.measure, rule)]
    return [*rules, *grouped, *_unstable(situation)]


def _unstable(situation: Situation) -> list[Ties]:
    """The sorts that keep input order in short lists, where they do not keep it here."""
    rules = (Ties.QUICKSORT, Ties.QUICKSORT_TWICE)
    return [r for r in rules if situation.where_ranks_change([r], "ties", ties=Ties.INPUT).any()]


def _gate(situation: Situation) -> BoolArray:
    # A group of tied documents matters where best and worst order differ. Ties are looked for at the
    # coarser precision, so that the axis stays open next to score-precision.
    if situation.base.order is Order.INPUT:
        return situation.over_universe(situation.judged.num_ret < 0)
    matters = situation.where_ranks_change(
        [Ties.BEST], "ties", ties=Ties.WORST, score_precision=ScorePrecision.FLOAT32
    )
    # Precision behind a group is another even where all of its documents are relevant, and documents of the
    # same level can be relevant to different subtopics.
    if in_groups(situation.measure, Ties.GROUP_END) or situation.family.subtopics:
        matters = matters | _tied(situation, ScorePrecision.FLOAT32)
    return matters


def _tied(situation: Situation, precision: ScorePrecision) -> BoolArray:
    """Queries with a judged document that is tied with another; over the universe."""
    judged = situation.read.judged(situation.base.with_changes(ties=Ties.AVERAGE, score_precision=precision))
    assert judged.tied is not None
    return situation.over_universe(judged.count(judged.topic[judged.tied > 1]) > 0)


def _doubtful(situation: Situation) -> BoolArray:
    # Scores that are equal in float32 only are no ties to a tool that keeps them as doubles.
    if situation.base.score_precision is not ScorePrecision.FLOAT32:
        return situation.over_universe(situation.judged.num_ret < 0)
    as_doubles = situation.where_ranks_change(
        [Ties.BEST], "ties", ties=Ties.WORST, score_precision=ScorePrecision.FLOAT64
    )
    if situation.family.subtopics:
        as_doubles = as_doubles | _tied(situation, ScorePrecision.FLOAT64)
    return np.asarray(~as_doubles)


_WORDS = {
    "docid-desc": "by docno, descending",
    "docid-asc": "by docno, ascending",
    "input": "in input order",
    "reverse-input": "in reverse input order",
    "rank-column": "by the rank column",
    "best": "relevant documents first",
    "worst": "relevant documents last",
    "average": "in every order, and the mean taken",
    "group-end": "as one group, with the precision behind it",
    "quicksort": "as numba's quicksort leaves them (shuffled from 16 documents on)",
    "quicksort-twice": "as numba's quicksort leaves them when it runs twice (shuffled from 16 documents on)",
}

CAUSE = Cause(
    label="tie-breaking",
    axis="ties",
    priority=10,
    summary="documents with equal scores stand in another order",
    prose="""\
trec_eval orders documents with equal scores by docno, descending, whatever the file says. Most other tools
keep input order, sort docnos ascending, or leave it to an unstable sort (ranx: numba's quicksort, which keeps
input order in lists of up to 15 documents and shuffles longer ones). Where a group of tied documents
holds both relevant and nonrelevant ones, the measure depends on that choice.

    qrels: 1 0 a 1          run: 1 Q0 a 1 0.5 tag
           1 0 b 0               1 Q0 b 2 0.5 tag

trec_eval ranks b before a: RR = 0.5. A tool that keeps input order ranks a first: RR = 1.0.
Way out: write runs without ties, or break them before writing, and say how.""",
    needs="tied scores whose docnos, rank column and line order disagree, some in lists of 16 and more",
    applies=ranked,
    options=_options,
    gate=_gate,
    doubtful=_doubtful,
    doubt=5,  # behind score-precision
    describe=lambda base, found: f"ties are ordered {_WORDS[str(found)]} instead of {_WORDS[str(base)]}",
)
