"""A few queries on which combinations of conventions are tried before all queries.

Most combinations fail on the first queries already, and on a handful of rankings a formula takes
microseconds. Combinations that pass are verified on all queries.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import replace
from typing import TypeVar

import numpy as np

from crosscheck.axes.relevance_level import RELEVANCE_LEVEL
from crosscheck.conventions import Conventions
from crosscheck.evaluation.formula import read_by_formulas, score, scores_of
from crosscheck.evaluation.parameters import with_measure_parameters
from crosscheck.evaluation.rankings import Rankings
from crosscheck.evaluation.recomputer import Recomputer
from crosscheck.measures import family
from crosscheck.model import BoolArray, FloatArray, IntArray
from crosscheck.rankings.judged import JudgedRankings, stacked
from crosscheck.rankings.subset import only_qrels, only_run

__all__ = ["Screen", "part_of", "same_values", "telling", "worth_of_empty"]

_T = TypeVar("_T")

#: Number of rankings whose values are computed at once.
_AT_ONCE = 256


def telling(queries: IntArray, values: FloatArray, number: int) -> IntArray:
    """A selection of queries with values as different as possible; 0 and 1, which many rules give, come last.

    Args:
        queries: indices into ``values``.
    """
    own = values[queries]
    _, first = np.unique(own, return_index=True)
    plain = (own[first] == 0.0) | (own[first] == 1.0)  # np.isin imports numpy.ma, which takes a while
    telling_ones = first[~plain]
    spread = telling_ones[
        np.linspace(0, max(len(telling_ones) - 1, 0), number).astype(int)[: len(telling_ones)]
    ]
    wanted = dict.fromkeys([*spread.tolist(), *telling_ones.tolist(), *first.tolist(), *range(len(queries))])
    return np.sort(queries[list(wanted)[:number]])


def same_values(computed: FloatArray, expected: FloatArray, slack: FloatArray) -> BoolArray:
    """Whether values agree within the slack, are the same infinity, or are both NaN."""
    with np.errstate(invalid="ignore"):
        close = np.abs(computed - expected) <= slack
    same: BoolArray = close | (computed == expected) | (np.isnan(computed) & np.isnan(expected))
    return same


def worth_of_empty(values: FloatArray, slack: FloatArray) -> BoolArray:
    """Values that some axis on finished scores gives to queries without relevant documents: 0, 1 and NaN."""
    return np.isnan(values) | (np.minimum(np.abs(values), np.abs(values - 1.0)) <= slack)


class Screen:
    """Some queries of a candidate, compared with recomputations under any conventions.

    Args:
        situation: measure, run and the reference's conventions.
        queries: indices into all topics, ascending; each has results and judgements.
        expected: the candidate's values of these queries; slack: tolerance of a recomputation.
        empty_passes: whether an axis on finished scores may give queries without relevant documents another
            value.
        whole: whether to recompute over the whole input, because queries may merge.
    """

    def __init__(
        self,
        situation: Recomputer,
        queries: IntArray,
        expected: FloatArray,
        slack: FloatArray,
        *,
        empty_passes: bool,
        whole: bool,
    ) -> None:
        self.queries = queries
        self._measure = situation.measure
        self._expected, self._slack = expected, slack
        self._empty_passes = worth_of_empty(expected, slack) & empty_passes
        self._rankings = situation.rankings if whole else part_of(situation.rankings, queries.tolist())
        self._at = queries if whole else np.arange(len(queries))
        about = family(situation.measure.family)
        self._levels_only = not whole and about.needs == "levels" and not about.detailed

    def hits_of_each(self, sets: Sequence[Conventions]) -> BoolArray:
        """:meth:`hits` for each of many sets of conventions; shape (sets, queries).

        Sets that differ only in the rankings that a formula gets are computed at once, their rankings as
        topics of one. A formula looks at one topic at a time, so its values are the same.
        """
        found = np.empty((len(sets), len(self.queries)), np.bool_)
        alike: dict[Hashable, list[tuple[int, Conventions, JudgedRankings]]] = {}
        for i, conventions in enumerate(sets):
            c = with_measure_parameters(conventions, self._measure)
            read = self._rankings.reread(c)
            if self._levels_only and len(read.pairing.topics) == len(self.queries) and read.topic_map is None:
                formula = read_by_formulas(c)
                alike.setdefault(formula, []).append((i, formula, read.judged(c)))
            else:
                found[i] = self.hits(conventions)
        stacks: dict[tuple[int, ...], JudgedRankings] = {}
        for entries in alike.values():
            for part in _parts(entries, _AT_ONCE):
                (_, c, _), key = part[0], tuple(id(judged) for _, _, judged in part)
                if key not in stacks:
                    stacks[key] = stacked([judged for _, _, judged in part])
                judged, values = scores_of(stacks[key], self._measure, c)
                shape = len(part), len(self.queries)
                same = same_values(values.reshape(shape), self._expected, self._slack)
                if self._empty_passes.any():
                    same |= (judged.num_rel(c[RELEVANCE_LEVEL]) == 0).reshape(shape) & self._empty_passes
                found[[i for i, _, _ in part]] = same
        return found

    def hits(self, conventions: Conventions) -> BoolArray:
        """Mask of the queries whose recomputed value is the candidate's."""
        conventions = with_measure_parameters(conventions, self._measure)
        scored = score(self._rankings, self._measure, conventions)
        values, read = scored.scores, scored.rankings
        empty = scored.judged.num_rel(conventions[RELEVANCE_LEVEL]) == 0
        if read is not self._rankings or len(values) != len(self.queries):
            at = self._at if read.topic_map is None else read.topic_map[self._at]
            values = np.where(at >= 0, _over_all_topics(read, values)[at], np.nan)
            empty = _over_all_topics(read, empty.astype(np.float64))[at] == 1.0
        same = same_values(values, self._expected, self._slack)
        hits: BoolArray = same | (empty & self._empty_passes)
        return hits


def _parts(entries: Sequence[_T], size: int) -> Iterator[Sequence[_T]]:
    return (entries[at : at + size] for at in range(0, len(entries), size))


def _over_all_topics(rankings: Rankings, of_measured: FloatArray) -> FloatArray:
    measured = rankings.pairing.measured
    spread = np.full(len(measured), np.nan)
    spread[measured] = of_measured
    return spread


def part_of(rankings: Rankings, queries: Sequence[int]) -> Rankings:
    """The rankings of some topics; the highest level is still that of the whole qrels."""
    pairing = rankings.pairing
    topics = {pairing.all_topics[i] for i in queries}
    part = Rankings(only_run(pairing.run, topics), only_qrels(pairing.qrels, topics))
    part.pairing = replace(part.pairing, max_rel=pairing.max_rel)
    return part
