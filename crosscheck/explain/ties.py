"""Orders of tied documents: whether some order gives a value, and the range of values over all orders."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cached_property

import numpy as np
from msgspec import Struct

from crosscheck.axes import axis
from crosscheck.axes.forms import RR_OF, RrOf
from crosscheck.axes.gains import GAIN
from crosscheck.axes.judging import DEPTH, FIRST_RESULT, RELEVANCE_LEVEL, UNJUDGED, FirstResult, Unjudged
from crosscheck.axes.summaries import DROPPED_IF_NOTHING, MISSING_QUERIES, NAN_IF_NOTHING, ROUNDING
from crosscheck.axes.ties import ORDER, TIES, Order, Ties
from crosscheck.compare import equal
from crosscheck.evaluation.recomputer import Recomputer
from crosscheck.evaluation.summarise import rounded
from crosscheck.explain.evidence import of_decimals, slack
from crosscheck.measures.base import in_unit
from crosscheck.measures.tied import refusal
from crosscheck.model import BoolArray, FloatArray, IntArray, Scores
from crosscheck.rankings.judged import JudgedRankings, judge
from crosscheck.rankings.pairing import Memo, PooledJudgements

#: Maximum numbers of prefixes of one ranking that are kept at a time; of documents in these prefixes; of
#: prefixes that are evaluated per comparison.
_BEGINNINGS, _ENTRIES, _COMPUTED = 20_000, 4_000_000, 300_000
#: Measures whose value depends on no document after the first relevant document.
_FIRST = ("RR", "Success")
#: Measures for which two prefixes with the same documents and the same value may lead to different final
#: values.
_OPEN_ENDED = ("11pt_avg", "Rndcg")
#: Number of rankings computed at once.
_TOGETHER = 128
#: Stands for the level of an unjudged document.
_UNJUDGED = np.iinfo(np.int64).min
#: If the tolerances around the values of all orders cover more than this share of their range, a value that
#: fits may fit by chance.
_CHANCE = 0.5


class TieOrders:
    """Compares observed values with the values of all orders of tied documents, under conventions that are
    otherwise the reference's.

    Rankings are built from the top, one rank at a time, and evaluated by the measure itself. Documents that
    the measure does not distinguish are interchangeable, and groups below the cutoff do not matter. Of two
    prefixes with the same documents and the same value, only one is continued, unless they may lead to
    different values.

    Args:
        situation: measure, run and the reference's conventions.
        observed: the candidate's values, over all topics.
    """

    def __init__(self, situation: Recomputer, observed: Scores) -> None:
        self._situation, self._observed, self._slack = situation, observed, slack(observed)
        base, about, read = situation.conventions, situation.family, situation.as_read
        self._conventions = base.with_changes(ties=Ties.INPUT)
        self._ordered = about.ranked and base[ORDER] is not Order.INPUT
        # Orders are not computed for documents with subtopics, if it depends on the order whether a query has
        # a value, and for merged queries.
        self._known = not (
            about.detailed
            or about.undefined_without_hits
            or base[MISSING_QUERIES] in DROPPED_IF_NOTHING
            or read.topic_map is not None
        )
        self._ends_at_first = situation.measure.family in _FIRST and self._conventions[RR_OF] is RrOf.FIRST
        self._left, self._given = _COMPUTED, Memo()
        self._number = np.cumsum(read.pairing.measured) - 1

    @cached_property
    def _open(self) -> BoolArray:
        """Mask of the queries for which the order of tied documents can matter, over all topics."""
        return TIES.gate(self._situation)

    @cached_property
    def _beyond(self) -> BoolArray:
        """Mask of the queries whose value lies outside the range from the worst to the best order, over all
        topics. All False if the worst and best order are not known for the measure.
        """
        situation, observed = self._situation, self._observed
        if not (situation.allows(Ties.WORST) and situation.allows(Ties.BEST)):
            return situation.nowhere
        bases = (situation.base.having(TIES, ties) for ties in (Ties.WORST, Ties.BEST))
        worst, best = (situation.evaluated(base) for base in bases)
        outside = np.clip(observed.values, worst.values, best.values)
        same = equal(outside, observed.values, self._slack, observed.decimals)
        return worst.present & best.present & ~np.isnan(outside) & ~same

    @cached_property
    def _judged(self) -> JudgedRankings:
        """The judged rankings with the groups of tied documents, before documents are cut or removed."""
        whole = {name: axis(name).default for name in ("depth", "unjudged", "universe", "first_result")}
        return self._situation.as_read.judged(self._conventions.with_changes(ties=Ties.AVERAGE, **whole))

    def give(self, query: int) -> bool | None:
        """Whether some order of tied documents gives the observed value of a query, within the tolerance of a
        proof or rounded to the printed decimals.

        None if this cannot be decided: there are too many orders; their values are so dense that most numbers
        would fit; or the orders cannot be computed for the measure.

        Args:
            query: index into all topics.
        """
        return self._given.once(query, lambda: self._decided(query))

    def _decided(self, query: int) -> bool | None:
        if not (self._ordered and self._observed.present[query] and self._open[query]) or self._beyond[query]:
            return False
        missing = self._situation.base[MISSING_QUERIES]
        if math.isnan(self._observed.values[query]) and missing not in NAN_IF_NOTHING:
            return False
        ranking = _Ranking(self._judged, int(self._number[query])) if self._known else None
        values = self._values(ranking) if ranking else None
        if values is None:
            return None
        if (decimals := self._conventions[ROUNDING]) is not None:
            values = rounded(values, decimals)
        own = self._situation.evaluated(self._situation.base).values[query]
        seen_here = self._observed.values[query]
        if missing in NAN_IF_NOTHING:
            own, seen_here = np.nan_to_num([own, seen_here])  # NaN: an order that finds nothing, here 0
        by_order = self._situation.base[TIES] not in (Ties.AVERAGE, Ties.GROUP_END)
        if by_order and not equal(values, np.full(len(values), own), 1e-9, None).any():
            return None  # The value does not depend on the order alone.
        seen, tolerance = np.full(len(values), seen_here), float(self._slack[query])
        if not equal(values, seen, tolerance, self._observed.decimals).any():
            return False
        tolerance += of_decimals(self._observed.decimals)
        return None if _share(values, tolerance) > _CHANCE else True

    def _values(self, ranking: _Ranking) -> FloatArray | None:
        """The values of all orders of tied documents, ascending; None if there are too many."""
        last, most = self._last_rank(ranking), min(_BEGINNINGS, _ENTRIES // len(ranking.levels))
        rows, final = ranking.levels[None, :].copy(), list[FloatArray]()
        for (start, size), levels, sizes in self._kinds(ranking):
            if start >= last or len(sizes) < 2:
                continue
            used = np.zeros((len(rows), len(sizes)), np.int64)
            for place in range(start, start + size):
                if place < last:
                    row, kind = np.nonzero(used < sizes)
                else:
                    row, kind = np.arange(len(rows)), np.argmax(used < sizes, axis=1)
                rows, used = rows[row], used[row]
                at = np.arange(len(rows))
                rows[:, place] = levels[kind, used[at, kind]]
                used[at, kind] += 1
                if place < last:
                    self._left -= len(rows)
                    if self._left < 0:
                        return None
                    values = self._computed(ranking, rows[:, : place + 1])
                    if self._ends_at_first:
                        final.append(values[values > 0])
                        open_still = values == 0
                        rows, used, values = rows[open_still], used[open_still], values[open_still]
                    if self._situation.measure.family not in _OPEN_ENDED:
                        # One row for each combination of a value and numbers of used documents.
                        key = np.column_stack((np.nan_to_num(np.round(values, 12), nan=-9.0), used))
                        kept = np.sort(np.unique(key, axis=0, return_index=True)[1])
                        rows, used = rows[kept], used[kept]
                    if len(rows) > most:
                        return None
        return np.unique(np.concatenate([*final, self._computed(ranking, rows)]))

    def _last_rank(self, ranking: _Ranking) -> float:
        """The last rank at which the order of documents matters."""
        measure, c = self._situation.measure, self._conventions
        depth = c[DEPTH]
        ends: list[float] = [np.inf if depth is None else depth]
        if c[UNJUDGED] is not Unjudged.REMOVED:
            if measure.cutoff is not None:
                ends.append(measure.cutoff)
            elif measure.family == "Rprec":
                ends.append(int(np.count_nonzero(ranking.pool >= max(c[RELEVANCE_LEVEL], 0))))
        return min(ends) + (c[FIRST_RESULT] is FirstResult.SKIPPED)

    def _kinds(self, ranking: _Ranking) -> Iterator[tuple[tuple[int, int], IntArray, IntArray]]:
        """For each group of tied documents: its (start, size), the levels of its documents in one row per
        kind, and the number of documents of each kind. Documents of one kind are interchangeable.

        A measure with a relevance level and without gains distinguishes only relevant from other documents.
        Most measures do not distinguish judged nonrelevant from unjudged documents.
        """
        about = self._situation.family
        binary = about.rel and GAIN not in about.reads and self._conventions[RR_OF] is not RrOf.HIGHEST_LEVEL
        threshold = max(self._conventions[RELEVANCE_LEVEL], 1) if binary else 1
        alike = self._ignores_nonrelevant(ranking, threshold)
        for start, size in ranking.groups:
            level = np.sort(ranking.levels[start : start + size])
            kind = np.where(binary & (level >= threshold), threshold, level)
            kind = np.where(alike & (level < threshold), _UNJUDGED, kind)
            _, kind, sizes = np.unique(kind, return_inverse=True, return_counts=True)
            table = np.full((len(sizes), int(sizes.max())), _UNJUDGED)
            table[kind, np.concatenate([np.arange(n) for n in sizes.tolist()])] = level
            yield (start, size), table, sizes

    def _ignores_nonrelevant(self, ranking: _Ranking, threshold: int) -> bool:
        """Whether the measure does not distinguish judged nonrelevant from unjudged documents: the value does
        not change if their judgements are removed, whether they are first or last in their groups."""
        rows = np.repeat(ranking.levels[None, :], 2, axis=0)
        for start, size in ranking.groups:
            level = rows[0, start : start + size]
            # Some measures treat negative levels as unjudged, so documents of level 0 are kept apart from
            # them.
            nonrelevant = np.where(level < 0, -1, -2)
            merit = np.where(level == _UNJUDGED, 0, np.where(level < threshold, nonrelevant, level))
            rows[:, start : start + size] = level[np.argsort(merit)], level[np.argsort(-merit)]
        values = self._computed(ranking, np.concatenate((rows, np.where(rows < threshold, _UNJUDGED, rows))))
        return bool(equal(values[:2], values[2:], 1e-12, None).all())

    def _computed(self, ranking: _Ranking, rows: IntArray) -> FloatArray:
        """The values of the measure on rankings of one query.

        Args:
            rows: one ranking per row, as levels from rank 1 on.
        """
        values: list[FloatArray] = []
        c, situation = self._conventions, self._situation
        for first in range(0, len(rows), _TOGETHER):
            part = rows[first : first + _TOGETHER]
            topic, place = np.nonzero(part != _UNJUDGED)
            judged = JudgedRankings(
                num_topics=_TOGETHER,
                num_ret=np.full(_TOGETHER, rows.shape[1]),
                topic=topic,
                rank=place + 1,
                rel=part[topic, place],
                pool_topic=ranking.judgements.topic,
                pool_rel=ranking.judgements.rel,
                max_rel=self._judged.max_rel,
                judgements=ranking.judgements,
            )
            values.append(situation.family.compute(judge(judged, c), c, situation.measure)[: len(part)])
        return in_unit(np.concatenate([np.zeros(0), *values]), situation.family, c)


class _Ranking:
    """The ranking of one query.

    Attributes:
        levels: the relevance level at each rank.
        groups: (start, 0-based; size) of each group of tied documents, from the top.
        pool: the levels of all judged documents of the query.
        judgements: the levels of ``pool``, repeated for each of the rankings that are evaluated at once.
    """

    def __init__(self, judged: JudgedRankings, topic: int) -> None:
        assert judged.tied is not None
        here = slice(*np.searchsorted(judged.topic, (topic, topic + 1)).tolist())
        self.levels = np.full(int(judged.num_ret[topic]), _UNJUDGED)
        self.levels[judged.rank[here] - 1] = judged.rel[here]
        sizes = dict(zip(*judged.tied[:, here].tolist(), strict=True))
        self.groups = sorted((start, size) for start, size in sizes.items() if size > 1)
        self.pool: IntArray = judged.pool_rel[judged.pool_topic == topic]
        copies = np.repeat(np.arange(_TOGETHER), len(self.pool))
        self.judgements = PooledJudgements(topic=copies, rel=np.tile(self.pool, _TOGETHER), kept=Memo())


def _share(values: FloatArray, tolerance: float) -> float:
    """The share of the range from the lowest to the highest value that lies within the tolerance of a
    value."""
    finite = values[np.isfinite(values)]
    if len(finite) < 2:
        return 0.0
    near = 2 * tolerance
    return (near + float(np.minimum(np.diff(finite), near).sum())) / (float(finite[-1] - finite[0]) + near)


class TieRange(Struct, frozen=True, eq=False):
    """The values of a measure over all orders of tied documents. Arrays are over all topics, with NaN for no
    value.

    Attributes:
        value: the value under the tie rule of the conventions.
        worst, best: the lowest and the highest value of any order; None if it is not known which order gives
            them.
        expected: the mean over all orders (McSherry and Najork 2008); None if no exact formula for it is
            known.
        present: mask of the queries with a value.
        refused: the reasons why ``worst`` and ``best``, or ``expected``, are None.
    """

    value: FloatArray
    worst: FloatArray | None
    best: FloatArray | None
    expected: FloatArray | None
    present: BoolArray
    refused: tuple[str, ...] = ()

    @property
    def open(self) -> BoolArray:
        """Mask of the queries whose value depends on the order of tied documents (``worst`` differs from
        ``best``)."""
        if self.best is None or self.worst is None:
            return np.zeros(len(self.present), np.bool_)
        with np.errstate(invalid="ignore"):
            return np.asarray(self.present & (self.best - self.worst > 1e-12))


def ends_of_mean(situation: Recomputer) -> tuple[float, float] | None:
    """The means under the worst and the best order of tied documents, the lower first; None if they are not
    known."""
    if not (situation.allows(Ties.WORST) and situation.allows(Ties.BEST)):
        return None
    ends = (situation.value(situation.base.having(TIES, rule), None) for rule in (Ties.WORST, Ties.BEST))
    known = [end for end in ends if end is not None]
    return (min(known), max(known)) if known else None


def range_of(situation: Recomputer) -> TieRange:
    """The values of a measure over all orders of documents tied under the conventions of a recomputer.

    Raises:
        InputError: a document occurs twice under a query, and the conventions refuse that.
        UsageError: the conventions order by a rank column that the run does not have.
    """
    unordered = (situation.conventions.having(TIES, ties) for ties in (Ties.BEST, Ties.AVERAGE))
    refused = dict.fromkeys(filter(None, (refusal(situation.measure, c) for c in unordered)))
    rules = filter(situation.allows, (Ties.WORST, Ties.BEST, Ties.AVERAGE))
    sets = {ties: situation.base.having(TIES, ties) for ties in rules}
    situation.prepare(sets.values())
    own = situation.evaluated(situation.base)
    values = {ties: situation.evaluated(conventions).values for ties, conventions in sets.items()}
    worst, best, expected = map(values.get, (Ties.WORST, Ties.BEST, Ties.AVERAGE))
    return TieRange(own.values, worst, best, expected, own.present, tuple(refused))
