"""What a cause is, and the situation it is judged in."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from crosscheck.conventions import AxisValue, Conventions, plain
from crosscheck.measures import family
from crosscheck.measures.base import Family
from crosscheck.measures.evaluate import Evaluated, Scored, effective, score, summarise
from crosscheck.model import BoolArray, Measure, Run
from crosscheck.rankings.judged import Judged, Rankings

__all__ = ["SCORE_FREE", "Cause", "Situation"]

#: Axes that say what becomes of scores; no score depends on them.
SCORE_FREE = frozenset({"missing_queries", "no_relevant", "query_set", "rounding"})
_PLAIN: dict[str, Any] = {axis: getattr(Conventions(), axis) for axis in SCORE_FREE}


@dataclass(frozen=True, slots=True, eq=False)
class Situation:
    """A measure on a run, seen from the reference's conventions; recomputations are kept.

    Attributes:
        base: the conventions of the reference.
    """

    rankings: Rankings
    measure: Measure
    base: Conventions
    _evaluated: dict[Conventions, Evaluated] = field(default_factory=dict)
    _scored: dict[Conventions, Scored] = field(default_factory=dict)

    @property
    def family(self) -> Family:
        return family(self.measure.family)

    def evaluated(self, conventions: Conventions) -> Evaluated:
        """The measure recomputed under other conventions."""
        if conventions not in self._evaluated:
            self._evaluated[conventions] = summarise(self._score(conventions), self.measure, conventions)
        return self._evaluated[conventions]

    def _score(self, conventions: Conventions) -> Scored:
        # Rounding, empty and missing queries and the mean do not change scores: these are computed once.
        core = replace(conventions, **_PLAIN)
        if core not in self._scored:
            self._scored[core] = score(self.rankings, self.measure, core)
        return self._scored[core]

    def empty(self, conventions: Conventions) -> BoolArray:
        """Queries without relevant documents under other conventions; over the universe."""
        scored = self._score(conventions)
        level = effective(conventions, self.measure).relevance_level
        return self._spread(scored.rankings, scored.judged.num_rel(level) == 0)

    @property
    def read(self) -> Rankings:
        """The input as the reference reads it; mostly ``rankings`` itself."""
        return self.rankings.under(self.base)

    @property
    def judged(self) -> Judged:
        return self.read.judged(effective(self.base, self.measure))

    @property
    def relevance_level(self) -> int:
        return effective(self.base, self.measure).relevance_level

    def over_universe(self, of_measured: BoolArray) -> BoolArray:
        """A mask over measured topics, spread over the universe (False elsewhere)."""
        return self._spread(self.read, of_measured)

    def _spread(self, read: Rankings, of_measured: BoolArray) -> BoolArray:
        mask = read.pairing.measured.copy()
        mask[mask] = of_measured
        if read.spread is not None:
            mask = (read.spread >= 0) & mask[read.spread]
        return mask

    @property
    def may_find_nothing(self) -> BoolArray:
        """Topics for which the measure finds nothing relevant, or would not in another order; over the
        universe."""
        judged, cutoff = self.judged, self.measure.cutoff
        nothing = judged.count(judged.topic[judged.rel >= self.relevance_level]) == 0
        if self.measure.family == "Rprec":
            return self.over_universe(np.ones(judged.num_topics, np.bool_))
        return self.over_universe(nothing | (judged.num_ret > (cutoff or np.inf)))

    def where_rows(self, odd: Callable[[Run], BoolArray]) -> BoolArray:
        """Topics of the run of which a row is odd; over the universe."""
        pairing = self.rankings.pairing
        run = pairing.run
        before = np.concatenate(([0], np.cumsum(odd(run))))
        counts = before[run.offsets[1:]] - before[run.offsets[:-1]]
        hit = {run.topics[i] for i in np.flatnonzero(counts).tolist()}
        return np.fromiter((topic in hit for topic in pairing.universe), np.bool_, len(pairing.universe))

    def where_ranks_change(self, options: Sequence[AxisValue], axis: str, **fixed: AxisValue) -> BoolArray:
        """Topics in which a judged document changes its rank under any of the options; over the universe."""
        base = self.base.with_changes(**fixed)
        read = self.read
        before = read.ranks(base)
        moved = np.zeros(len(before), np.bool_)
        for option in options:
            moved |= read.ranks(base.with_changes(**{axis: option})) != before
        hit = np.bincount(read.pairing.topic[moved], minlength=len(read.pairing.topics)) > 0
        return self.over_universe(hit)


@dataclass(frozen=True, slots=True)
class Cause:
    """One reason for a mismatch: each module of ``causes`` exports one as ``CAUSE``.

    Attributes:
        label: stable identifier.
        axis: the axis of :class:`Conventions` that the counterfactual changes; None for the labels that
            no axis yields.
        priority: among explanations of equal size and evidence the lowest sum is given first.
        summary: what it is, in one line.
        prose: the explanation for ``crosscheck explain``, with an example of two to four documents.
        needs: the input on which it shows, completing "an input with ...".
        applies: whether the axis enters this family of measures at all.
        options: values to try, likeliest first; the value of the base is left out by the search.
        gate: the queries on which the axis can matter, over the universe.
        doubtful: the queries on which it is an unlikely reason, though it would do, over the universe.
        doubt: what is added to the priority where all queries that differ are doubtful.
        on_mean: it can change the mean while every query keeps its value.
        describe: one clause for a report from (value of the base, value found).
    """

    label: str
    axis: str | None
    priority: int
    summary: str
    prose: str
    needs: str = ""
    applies: Callable[[Family], bool] = lambda family: False
    options: Callable[[Situation], Sequence[AxisValue]] = lambda situation: ()
    gate: Callable[[Situation], BoolArray] = lambda situation: np.ones(
        len(situation.rankings.pairing.universe), np.bool_
    )
    doubtful: Callable[[Situation], BoolArray] = lambda situation: np.zeros(
        len(situation.rankings.pairing.universe), np.bool_
    )
    doubt: int = 0
    on_mean: bool = False
    describe: Callable[[AxisValue, AxisValue], str] = lambda base, found: f"{found} instead of {base}"

    def other_options(self, situation: Situation) -> list[AxisValue]:
        """The options without the value that the base has already."""
        assert self.axis is not None
        current = plain(getattr(effective(situation.base, situation.measure), self.axis))
        return [value for value in self.options(situation) if value != current]


def uses(axis: str) -> Callable[[Family], bool]:
    """Whether a family's formula reads this axis."""
    return lambda family: axis in family.axes


def ranked(family: Family) -> bool:
    """Whether the order of documents matters to the family."""
    return family.ranked


def averaged(family: Family) -> bool:
    """Whether the family's summary is a mean (and not a sum of counts)."""
    return not family.total
