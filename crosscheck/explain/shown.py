"""Evidence that readers can check by hand: the rankings of a query, and the documents that change its
value."""

import math
from collections import Counter
from collections.abc import Callable
from functools import cached_property
from operator import itemgetter
from typing import NamedTuple

import numpy as np
from msgspec.structs import replace

from crosscheck.axes import axis as axis_named
from crosscheck.axes.gains import DISCOUNT, GAIN, IDEAL
from crosscheck.axes.judging import UNIVERSE
from crosscheck.axes.ties import SCORE_PRECISION, TIES, WITHOUT_ORDER, ScorePrecision
from crosscheck.conventions import Conventions
from crosscheck.evaluation.formula import seen_by, with_measure_parameters
from crosscheck.evaluation.order import whole_rankings
from crosscheck.evaluation.rankings import Rankings
from crosscheck.evaluation.recomputer import Recomputer
from crosscheck.explain.screens import part_of
from crosscheck.measures import family
from crosscheck.measures.arithmetic import discounts
from crosscheck.measures.gains import GainList, ideal_gains, retrieved_gains
from crosscheck.measures.tied import resolved, value_of
from crosscheck.model import BoolArray, Measure, display
from crosscheck.rankings.judged import JudgedRankings
from crosscheck.rankings.pairing import Memo, Pairing
from crosscheck.results import IdealRank, QueryRankings, RankedDocument, TiedDocument, number, optional

#: Differences of contributions up to this size are rounding errors.
_NOTHING = 1e-12
#: Number of top ranks shown; maximum number of relevant documents shown below them because their rank
#: changes.
_TOP, _BELOW = 10, 8


class _Place(NamedTuple):
    """The position of a judged document.

    Attributes:
        after: number of documents above its group of tied documents; size: number of documents in the group.
        level: its relevance level.
    """

    rank: int
    after: int
    size: int
    level: int


class _QueryRanking:
    """The ranking of one query under some conventions. Documents are identified by their lines in the input.

    Attributes:
        conventions: the conventions, with the axes that the measure itself sets.
        read: the input as the conventions read it.
        places: input line -> position, for the documents that are judged under the conventions.
    """

    def __init__(self, rankings: Rankings, measure: Measure, conventions: Conventions) -> None:
        self.measure = measure
        self.conventions = c = seen_by(measure, with_measure_parameters(conventions, measure))
        self.read = rankings.reread(c)
        judged, rows = self.read.judged(c), self.read.rows(c)
        in_order = resolved(judged, measure, c)
        if in_order is not judged:
            in_order = resolved(replace(judged, document=rows), measure, c)
            assert in_order.document is not None
            judged, rows = replace(in_order, document=None), in_order.document
        self._judged = judged
        self._entry = {line: entry for entry, line in enumerate(self.read.pairing.run.lines[rows].tolist())}
        after, size = (judged.rank - 1, np.ones_like(judged.rank)) if judged.tied is None else judged.tied
        columns = (column.tolist() for column in (judged.rank, after, size, judged.rel))
        self.places = dict(zip(self._entry, map(_Place, *columns), strict=True))
        self._adds = Memo()

    def adds(self, line: int) -> float:
        """By how much the value falls without the judgement of a document; 0 for documents below the
        cutoff."""
        return self._adds.once(line, lambda: self._difference(line))

    def _difference(self, line: int) -> float:
        place, cutoff = self.places.get(line), self.measure.cutoff
        if place is None or (cutoff is not None and place.after >= cutoff):
            return 0.0
        if place.level < 1 and self._only_relevant:
            return 0.0
        kept = np.ones(len(self._entry), np.bool_)
        kept[self._entry[line]] = False
        return self._value - self._value_of(kept)

    @cached_property
    def _value(self) -> float:
        return self._value_of(np.ones(len(self._entry), np.bool_))

    @cached_property
    def _only_relevant(self) -> bool:
        """Whether documents of level 0 and below contribute nothing: the value is the same without them."""
        return self._value_of(self._judged.rel > 0) == self._value

    def _value_of(self, kept: BoolArray) -> float:
        """The value of the ranking with only these judged documents."""
        with np.errstate(all="ignore"):
            value = float(value_of(self._judged.only(kept), self.measure, self.conventions)[0])
        return value if math.isfinite(value) else 0.0  # without that document the measure has no value

    @cached_property
    def levels(self) -> dict[int, int]:
        """Input line -> relevance level, of the judged documents."""
        return _levels(self.read.pairing)

    @cached_property
    def _whole(self) -> dict[int, int]:
        """Input line -> rank, for all documents of the run in rank order, before documents are cut or
        removed."""
        order = whole_rankings(self.read.pairing, self.conventions)[0]
        return {line: rank for rank, line in enumerate(self.read.pairing.run.lines[order].tolist(), 1)}

    def rank(self, line: int) -> int | None:
        """The rank of a document, judged or not; None if the measure does not take it into account."""
        if line in self.places:
            return int(self.places[line].rank)
        return None if line in self.levels else self._whole.get(line)

    @cached_property
    def ranks(self) -> dict[int, int]:
        """Input line -> rank, in rank order; only of judged documents if the ranks of the others are not
        known."""
        known = {line: place.rank for line, place in self.places.items()}
        if self.conventions[TIES] in WITHOUT_ORDER or known.items() <= self._whole.items():
            return self._whole
        return dict(sorted(known.items(), key=itemgetter(1)))  # some documents are left out, others move up

    def scores(self) -> dict[int, float]:
        """Input line -> score, of the documents in the ranking."""
        run = self.read.pairing.run
        every = dict(zip(run.lines.tolist(), run.scores.tolist(), strict=True))
        return {line: every[line] for line in self.ranks}

    def listed(self, shown: set[int], tied: dict[int, int]) -> list[RankedDocument]:
        """The records of the documents in ``shown``, in rank order.

        Args:
            tied: input line -> number of its group of tied documents.
        """
        run, scores, gains = self.read.pairing.run, self.scores(), self._gains()
        docnos = dict(zip(run.lines.tolist(), run.docnos, strict=True))
        documents: list[RankedDocument] = []
        for line, rank in self.ranks.items():
            if line in shown:
                docno, score = display(bytes(docnos[line])), number(scores[line])
                document = RankedDocument(
                    rank=rank, docno=docno, score=score, rel=self.levels.get(line), tied=tied.get(line)
                )
                if rank in gains:
                    gain, discount, running = map(number, gains[rank])
                    document = replace(document, gain=gain, discount=discount, running=running)
                documents.append(document)
        return documents

    def _gains(self) -> dict[int, tuple[float, float, float]]:
        """Rank -> (gain, discount, running sum), for each document with a gain, in rank order. Empty if the
        measure is not a sum of discounted gains, or the tie rule does not order documents."""
        return {} if self.conventions[TIES] in WITHOUT_ORDER else self._summed(retrieved_gains)

    def ideal(self) -> dict[int, tuple[float, float, float]]:
        """Rank -> (gain, discount, running sum) of the ideal list; empty if the measure has no ideal list."""
        return self._summed(ideal_gains) if IDEAL in family(self.measure.family).reads else {}

    def _summed(
        self, of: Callable[[JudgedRankings, Conventions, Measure], GainList]
    ) -> dict[int, tuple[float, float, float]]:
        """Rank -> (gain, discount, running sum) of the gains that ``of`` returns."""
        if not {GAIN, DISCOUNT} <= set(family(self.measure.family).reads):
            return {}
        gains = of(self._judged, self.conventions, self.measure)
        order = np.argsort(gains.rank)
        ranks, gain = gains.rank[order], gains.gain[order]
        weights = discounts(self.conventions, ranks)
        columns = (column.tolist() for column in (gain, weights, np.cumsum(gain / weights)))
        return dict(zip(ranks.tolist(), zip(*columns, strict=True), strict=True))


def _levels(pairing: Pairing) -> dict[int, int]:
    """Input line -> relevance level, of the judged documents."""
    return dict(zip(pairing.run.lines[pairing.rows].tolist(), pairing.rels.tolist(), strict=True))


def _both(
    situation: Recomputer, query: int, candidate: Conventions
) -> tuple[Rankings, _QueryRanking, _QueryRanking] | None:
    """The rankings of one query alone, and its ranking under the reference's and the candidate's conventions.
    None if some of these conventions do not read it as exactly one query, for example because it is not
    judged or has no results."""
    part, sets = part_of(situation.rankings, [query]), (situation.base, candidate)
    if any(len(part.reread(c).pairing.topics) != 1 for c in sets):
        return None
    ours, theirs = (_QueryRanking(part, situation.measure, c) for c in sets)
    return part, ours, theirs


def culprits(situation: Recomputer, query: int, candidate: Conventions, limit: int = 6) -> list[TiedDocument]:
    """The documents of one query that make its value differ between candidate and reference; those that
    change it in the direction of the difference come first, of these the ones that contribute most.

    Args:
        situation: measure, run and the reference's conventions.
        query: index into all topics.
        candidate: the candidate's conventions.
        limit: maximum number of documents.
    """
    if (both := _both(situation, query, candidate)) is None:
        return []
    part, ours, theirs = both
    every = {**ours.places, **theirs.places}
    moved = {line for line in every if ours.places.get(line) != theirs.places.get(line)}
    # The candidate's conventions, but with the reference's values on axes that change weights of documents.
    weighing = (name for name in candidate.changes_from(situation.base) if axis_named(name).weighs)
    as_weighed = candidate.with_changes(**{name: situation.base.plain(name) for name in weighing})
    rescaled = _reweighted(_QueryRanking(part, situation.measure, as_weighed), theirs)
    parts = {line: theirs.adds(line) - ours.adds(line) for line in moved | rescaled}
    changing = [line for line, difference in parts.items() if abs(difference) > _NOTHING]
    before, after = (situation.value(c, situation.topics[query]) or 0.0 for c in (situation.base, candidate))
    changing.sort(key=lambda line: (parts[line] * (after - before) < 0, -abs(parts[line]), line))
    return [_record(line, part, ours, theirs) for line in changing[:limit]]


def _reweighted(before: _QueryRanking, after: _QueryRanking) -> set[int]:
    """The documents whose share of the value differs between two rankings with different formulas."""
    if before.conventions == after.conventions:
        return set()
    old, new = ({line: ranking.adds(line) for line in ranking.places} for ranking in (before, after))
    whole, whole_new = (sum(map(abs, adds.values())) or 1.0 for adds in (old, new))
    least = _NOTHING * max(whole * whole_new, 1.0)
    return {line for line in new if abs(old.get(line, 0.0) * whole_new - new[line] * whole) > least}


def _record(line: int, part: Rankings, ours: _QueryRanking, theirs: _QueryRanking) -> TiedDocument:
    """The record of a document in both rankings."""
    # A document that a tool appends to the ranking occurs only in the input as this tool reads it.
    pairing = next(p.pairing for p in (part, ours.read, theirs.read) if line in p.pairing.run.lines)
    row = int(np.flatnonzero(pairing.run.lines == line)[0])
    return TiedDocument(
        docno=display(bytes(pairing.run.docnos[row])),
        score=number(float(pairing.run.scores[row])),
        rel=_levels(pairing).get(line),
        reference_rank=ours.rank(line),
        candidate_rank=theirs.rank(line),
        reference_adds=number(ours.adds(line)),
        candidate_adds=number(theirs.adds(line)),
    )


def query_rankings(situation: Recomputer, query: int, candidate: Conventions) -> QueryRankings | None:
    """The records of the rankings of a query under the reference's and the candidate's conventions.

    None if the measure does not use a ranking, or if the conventions do not read the query as exactly one
    query.

    Args:
        situation: measure, run and the reference's conventions.
        query: index into all topics.
        candidate: the candidate's conventions.
    """
    if not situation.family.ranked or (both := _both(situation, query, candidate)) is None:
        return None
    part, ours, theirs = both
    shown = _shown(ours, theirs, min(situation.measure.cutoff or _TOP, 2 * _TOP))
    single = ours.conventions[SCORE_PRECISION] is ScorePrecision.FLOAT32
    scores = theirs.scores() | ours.scores()
    with np.errstate(over="ignore"):
        keys = {line: float(np.float32(score)) if single else score for line, score in scores.items()}
    times = Counter(keys.values())
    groups = {key: n for n, key in enumerate((key for key, many in times.items() if many > 1), 1)}
    tied = {line: groups[keys[line]] for line in shown if keys[line] in groups}
    return QueryRankings(
        query=display(part.pairing.all_topics[0]),
        documents=len(ours.ranks),
        reference_ranking=ours.listed(shown, tied),
        candidate_ranking=theirs.listed(shown, tied),
        ideal=_ideals(ours, theirs),
    )


def ideal_lists(situation: Recomputer, query: int, candidate: Conventions) -> list[IdealRank]:
    """The ideal lists of a query under the reference's and the candidate's conventions; empty if these do not
    change the ideal list, or read the query as several. Arguments as for :func:`query_rankings`."""
    both = _both(situation, query, candidate)
    return [] if both is None else _ideals(*both[1:])


def _ideals(ours: _QueryRanking, theirs: _QueryRanking) -> list[IdealRank]:
    """Both ideal lists, rank by rank; empty if the conventions do not change the ideal list."""
    if {IDEAL.name, UNIVERSE.name}.isdisjoint(theirs.conventions.changes_from(ours.conventions)):
        return []
    sides, ideals = (ours.ideal(), theirs.ideal()), list[IdealRank]()
    for rank in sorted(sides[0] | sides[1])[: 2 * _TOP]:
        numbers = (optional(held[rank][at] if rank in held else None) for held in sides for at in (0, 2))
        names = "reference_gain", "reference_sum", "candidate_gain", "candidate_sum"
        ideals.append(IdealRank(rank=rank, **dict(zip(names, numbers, strict=True))))
    return ideals


def _shown(ours: _QueryRanking, theirs: _QueryRanking, top: int) -> set[int]:
    """The documents at the top of either ranking, and some relevant documents below whose rank changes."""
    first = {line for side in (ours, theirs) for line, rank in side.ranks.items() if rank <= top}
    moved = (line for line, rank in ours.ranks.items() if theirs.ranks.get(line) != rank)
    relevant = [line for line in moved if line not in first and ours.levels.get(line, 0) > 0]
    return first | set(relevant[:_BELOW])
