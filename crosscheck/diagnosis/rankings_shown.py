"""The ranking of one query under two sets of conventions, with the contribution of each rank."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from crosscheck.axes.gains import DISCOUNT, GAIN
from crosscheck.axes.ties import SCORE_PRECISION, TIES, WITHOUT_ORDER, ScorePrecision
from crosscheck.conventions import Conventions
from crosscheck.evaluation.order import topic_order
from crosscheck.evaluation.parameters import with_measure_parameters
from crosscheck.evaluation.rankings import Rankings
from crosscheck.evaluation.recomputer import Recomputer
from crosscheck.hypotheses.screening import part_of
from crosscheck.measures import family
from crosscheck.measures.base import discounts
from crosscheck.measures.gains import retrieved_gains
from crosscheck.model import Measure, display
from crosscheck.results import QueryRankings, RankedDocument, number

__all__ = ["query_rankings"]

#: Number of top ranks shown, and maximum number of relevant documents further down that change their rank.
_TOP, _BELOW = 10, 8


def query_rankings(situation: Recomputer, query: int, candidate: Conventions) -> QueryRankings | None:
    """The rankings of a query under the reference's and the candidate's conventions.

    None if the measure looks at no ranking, or if conventions do not read the query as one query.

    Args:
        query: index into all topics.
    """
    if not situation.family.ranked:
        return None
    part, measure = part_of(situation.rankings, [query]), situation.measure
    sides = [_Ranking.of(part, measure, c) for c in (situation.base, candidate)]
    ours, theirs = sides
    if ours is None or theirs is None:
        return None
    shown = _shown(ours, theirs, min(measure.cutoff or _TOP, 2 * _TOP))
    scores = {**theirs.scores, **ours.scores}
    single = ours.conventions[SCORE_PRECISION] is ScorePrecision.FLOAT32
    with np.errstate(over="ignore"):
        keys = {line: float(np.float32(score)) if single else score for line, score in scores.items()}
    times = Counter(keys.values())
    groups = {key: n for n, key in enumerate((key for key, many in times.items() if many > 1), 1)}
    tied = {line: groups[keys[line]] for line in shown if keys[line] in groups}
    first, second = (side.places(shown, tied) for side in (ours, theirs))
    return QueryRankings(
        query=display(part.pairing.all_topics[0]),
        documents=len(ours.ranks),
        reference_ranking=first,
        candidate_ranking=second,
    )


def _shown(ours: _Ranking, theirs: _Ranking, top: int) -> set[int]:
    """Lines of the documents at the top of either ranking, and of some relevant ones below that move."""
    first = {line for side in (ours, theirs) for line, rank in side.ranks.items() if rank <= top}
    moved = [
        line
        for line, rank in ours.ranks.items()
        if line not in first and ours.levels.get(line, 0) > 0 and theirs.ranks.get(line) != rank
    ]
    return first | set(moved[:_BELOW])


@dataclass(frozen=True, slots=True)
class _Ranking:
    """The ranking of one side; documents are identified by their lines of the input.

    Attributes:
        docnos, scores: line -> docno or score; ranks: line -> rank, in the order of the ranking.
        levels: line -> relevance level, of the judged documents.
        adds: rank -> gain and discount; empty if the measure is no sum of discounted gains.
    """

    conventions: Conventions
    docnos: dict[int, bytes]
    ranks: dict[int, int]
    scores: dict[int, float]
    levels: dict[int, int]
    adds: Mapping[int, tuple[float, float]] = field(default_factory=dict)

    @staticmethod
    def of(part: Rankings, measure: Measure, conventions: Conventions) -> _Ranking | None:
        """The ranking of a part that holds one query; None if it is read as no query or as several."""
        c = with_measure_parameters(conventions, measure)
        read = part.reread(c)
        pairing, run = read.pairing, read.pairing.run
        if len(pairing.topics) != 1:
            return None
        order = topic_order(pairing, 0, c)
        judged, rows = read.judged(c), read.rows(c)
        ranks = {row: rank for rank, row in enumerate(order, 1)}
        if c[TIES] not in WITHOUT_ORDER:
            held = dict(zip(rows.tolist(), judged.rank.tolist(), strict=True))
            if any(ranks.get(row) != rank for row, rank in held.items()):
                # Something is left out or moves up: only judged documents have a place that is known.
                ranks = dict(sorted(held.items(), key=lambda item: item[1]))
        lines = run.lines.tolist()
        levels = dict(zip(pairing.rows.tolist(), pairing.rels.tolist(), strict=True))
        return _Ranking(
            c,
            {lines[row]: bytes(run.docnos[row]) for row in ranks},
            {lines[row]: rank for row, rank in ranks.items()},
            {lines[row]: float(run.scores[row]) for row in ranks},
            {lines[row]: int(level) for row, level in levels.items()},
            _adds(read, measure, c),
        )

    def places(self, shown: set[int], tied: Mapping[int, int]) -> list[RankedDocument]:
        """The records of the ``shown`` documents, in the order of the ranking."""
        running, sums = 0.0, dict[int, float]()
        for rank, (gain, discount) in sorted(self.adds.items()):
            running += gain / discount
            sums[rank] = running
        made = []
        for line, rank in self.ranks.items():
            if line in shown:
                adds = self.adds.get(rank)
                made.append(
                    RankedDocument(
                        rank=rank,
                        docno=display(self.docnos[line]),
                        score=number(self.scores[line]),
                        rel=self.levels.get(line),
                        gain=number(adds[0]) if adds else None,
                        discount=number(adds[1]) if adds else None,
                        running=number(sums[rank]) if rank in sums else None,
                        tied=tied.get(line),
                    )
                )
        return made


def _adds(read: Rankings, measure: Measure, c: Conventions) -> dict[int, tuple[float, float]]:
    """Rank -> gain and discount of each document with a gain; empty if the measure is no sum of discounted
    gains, or the tie rule orders no documents."""
    if not {GAIN, DISCOUNT} <= set(family(measure.family).reads) or c[TIES] in WITHOUT_ORDER:
        return {}
    found = retrieved_gains(read.judged(c), c, measure)
    divisors = discounts(c, found.rank)
    pairs = zip(found.gain.tolist(), divisors.tolist(), strict=True)
    return dict(zip(found.rank.tolist(), pairs, strict=True))
