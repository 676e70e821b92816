"""The class :class:`Recomputer`, which computes a measure on a run under any conventions."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import compress
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
from msgspec import Struct, field
from msgspec.structs import replace

from crosscheck.axes.base import Axis, Stage
from crosscheck.axes.judging import DEPTH, FIRST_RESULT, RELEVANCE_LEVEL, FirstResult
from crosscheck.axes.ties import ORDER, TIES, WITHOUT_ORDER, Order, Ties
from crosscheck.conventions import AxisValue, Conventions
from crosscheck.evaluation.formula import FORMULA, Scored, effective_measure, score, with_measure_parameters
from crosscheck.evaluation.order import reordering, same_in_float32, tied_unlike
from crosscheck.evaluation.rankings import MOST_KEPT, Rankings, has_own_id
from crosscheck.evaluation.summarise import summarise
from crosscheck.measures import family
from crosscheck.measures.base import Family
from crosscheck.measures.subtopics import judgements
from crosscheck.measures.tied import refusal
from crosscheck.model import BoolArray, FloatArray, IdArray, IntArray, Measure, Qrels, Run, Scores
from crosscheck.rankings.judged import JudgedRankings
from crosscheck.rankings.pairing import Memo

#: The stages on which scores depend; the last stage only summarises them.
_OF_SCORES = tuple(stage for stage in Stage if stage is not Stage.SUMMARISE)

_T = TypeVar("_T", bound=np.generic)


class Recomputer(Struct, frozen=True, eq=False, dict=True):
    """A measure on a run, which can be computed under any conventions. Results are cached.

    The gates of axes use this class to find out whether an axis can affect the values on this run.

    Attributes:
        base: the conventions of the reference.
    """

    rankings: Rankings
    measure: Measure
    base: Conventions
    _kept: Memo = field(default_factory=Memo)
    _scored: Memo = field(default_factory=lambda: Memo(MOST_KEPT))

    @cached_property
    def conventions(self) -> Conventions:
        """``base`` with the axes that the measure sets."""
        return with_measure_parameters(self.base, self.measure)

    @property
    def family(self) -> Family:
        return family(self.measure.family)

    def evaluated(self, conventions: Conventions) -> Scores:
        """Values and mean of the measure under these conventions."""
        effective = with_measure_parameters(conventions, self.measure)
        return self._kept.once(effective, lambda: summarise(self._score(effective), self.measure, effective))

    def prepare(self, sets: Iterable[Conventions]) -> None:
        """Read a run that is not in memory once for several sets of conventions."""
        self.rankings.prepare(with_measure_parameters(c, self.measure) for c in sets)

    def _score(self, conventions: Conventions) -> Scored:
        # Axes of the last stage (rounding, missing queries, mean) do not change scores, which are shared.
        core = conventions.of(*_OF_SCORES)
        return self._scored.once(core, lambda: score(self.rankings, self.measure, core))

    def mean_of(self, values: FloatArray) -> float | None:
        """The mean (or sum, or geometric mean) of ``values`` under the reference's conventions.

        Args:
            values: one per topic, over all topics.
        """
        scored = self._score(self.conventions)
        scores = values[scored.rankings.pairing.measured]
        return summarise(replace(scored, scores=scores), self.measure, self.conventions).mean

    def empty(self, conventions: Conventions) -> BoolArray:
        """Mask over all topics: queries without relevant documents under these conventions."""
        effective = with_measure_parameters(conventions, self.measure)
        scored, level = self._score(effective), effective[RELEVANCE_LEVEL]
        return _spread(scored.rankings, scored.judged.num_rel(level) == 0, 0)

    @property
    def as_read(self) -> Rankings:
        """The input as the reference reads it; usually ``rankings`` itself."""
        return self.rankings.reread(self.base)

    @property
    def judged(self) -> JudgedRankings:
        return self.as_read.judged(self.conventions)

    @property
    def unordered(self) -> JudgedRankings:
        """Judged rankings for callers that do not need ranks. Documents are in input order, which saves
        sorting, unless the order affects which documents are used (axes ``depth`` and ``first_result``)."""
        c = self.conventions
        if c[DEPTH] is None and c[FIRST_RESULT] is FirstResult.COUNTED:
            c = c.of(*(stage for stage in Stage if stage is not Stage.ORDER)).having(ORDER, Order.INPUT)
        return self.as_read.judged(c)

    @property
    def relevance_level(self) -> int:
        return self.conventions[RELEVANCE_LEVEL]

    @property
    def run(self) -> Run:
        return self.rankings.pairing.run

    def runs(self) -> Iterator[Run]:
        """Yield the run in successive parts, each with all rows of some topics."""
        return (part.pairing.run for part in self.rankings.parts())

    @property
    def topics(self) -> tuple[bytes, ...]:
        return self.rankings.pairing.all_topics

    @property
    def has_ranks(self) -> bool:
        return self.has_all("ranks", lambda run: run.ranks is not None)

    def has_all(self, what: str, test: Callable[[Run], bool]) -> bool:
        """Whether all parts of the run pass a test. Cached under ``what``, the name of the test."""
        return self.rankings.kept.once(("has all", what), lambda: all(map(test, self.runs())))

    @property
    def qrels(self) -> Qrels:
        return self.rankings.pairing.qrels

    @property
    def missing(self) -> BoolArray:
        return self.rankings.pairing.missing

    @property
    def unjudged(self) -> BoolArray:
        return self.rankings.pairing.unjudged

    @property
    def everywhere(self) -> BoolArray:
        return np.ones(len(self.rankings.pairing.all_topics), np.bool_)

    @property
    def nowhere(self) -> BoolArray:
        return np.zeros(len(self.rankings.pairing.all_topics), np.bool_)

    def over_all_topics(self, of_measured: BoolArray) -> BoolArray:
        """A mask over all topics from a mask over measured topics. Topics that are not measured get False."""
        return _spread(self.as_read, of_measured, 0)

    def numbers_over_all_topics(self, of_measured: IntArray, elsewhere: int) -> IntArray:
        """Numbers over all topics from numbers over measured topics. Topics that are not measured get
        ``elsewhere``."""
        return _spread(self.as_read, of_measured, elsewhere)

    @property
    def may_find_nothing(self) -> BoolArray:
        """Mask over all topics: topics for which, under some order of the documents, no document that the
        measure uses is relevant."""
        judged, cutoff = self.unordered, self.measure.cutoff
        nothing = judged.count(judged.topic[judged.rel >= self.relevance_level]) == 0
        if self.family.to_r:
            return self.over_all_topics(np.ones(judged.num_topics, np.bool_))
        return self.over_all_topics(nothing | (judged.num_ret > (cutoff or np.inf)))

    @property
    def own_ids(self) -> BoolArray:
        """Mask over all topics: queries with a document whose docno is the query's id."""
        return self.where_rows(has_own_id)

    def num_rel_ret(self, cutoff: int | None = None) -> IntArray:
        """For each measured topic, the number of relevant documents among the first ``cutoff`` documents."""
        return self.judged.relevant_above(self.relevance_level, cutoff)

    def judgements(self) -> tuple[IntArray, IntArray]:
        """The topic and level of each judgement that the measure uses."""
        judged, by_subtopic = self.judged, self.family.needs == "subtopics"
        return judgements(judged)[:2] if by_subtopic else (judged.pool_topic, judged.pool_rel)

    def levels(self) -> list[int]:
        """The relevance levels of the judgements that the measure uses, in ascending order."""
        key = "levels", self.family.needs
        return self.judged.once(key, lambda: list(map(int, np.unique(self.judgements()[1]))))

    def divisors(self) -> set[float]:
        """The distinct denominators of the measure over its topics."""
        return set(self.family.divisors(self.judged, self.conventions, self.measure).tolist())

    def value(self, conventions: Conventions, query: bytes | None) -> float | None:
        """The value of a query under these conventions, or the mean if ``query`` is None. None for no
        value."""
        result = self.evaluated(conventions)
        if query is None:
            return result.mean
        place = self.topics.index(query) if query in self.topics else -1
        return float(result.values[place]) if place >= 0 and result.present[place] else None

    def allows(self, ties: Ties) -> bool:
        """Whether the measure can be computed if only the tie rule is changed to ``ties``."""
        return self.possible(self.base.having(TIES, ties))

    def possible(self, conventions: Conventions) -> bool:
        """Whether the measure can be computed under the tie rule of these conventions."""
        if conventions[TIES] not in WITHOUT_ORDER:
            return True
        formula, unordered = conventions[FORMULA], conventions[TIES] in (Ties.AVERAGE, Ties.GROUP_END)
        invented = formula is not None and formula.measure is None
        effective = with_measure_parameters(conventions, self.measure)
        refused = refusal(*effective_measure(self.measure, effective)) is not None
        return not refused and not (invented and unordered)

    def where_rows(self, odd: Callable[[Run], BoolArray]) -> BoolArray:
        """Mask over all topics: topics of the run with a row that passes a test."""

        def of_topics(run: Run) -> list[bool]:
            before = np.concatenate(([0], np.cumsum(odd(run))))
            has_odd_row: list[bool] = (before[run.offsets[1:]] > before[run.offsets[:-1]]).tolist()
            return has_odd_row

        return self.rankings.kept.once(("rows", odd), lambda: self._where_topics(of_topics))

    def where_rankings(self, odd: Callable[[IdArray], bool]) -> BoolArray:
        """Mask over all topics: topics of the run whose array of docnos passes a test."""
        return self._where_topics(lambda run: [odd(run.docnos[rows]) for _, rows in run.rows_of_topics()])

    def _where_topics(self, odd: Callable[[Run], Sequence[bool]]) -> BoolArray:
        hit = {topic for run in self.runs() for topic in compress(run.topics, odd(run))}
        all_topics = self.rankings.pairing.all_topics
        return np.fromiter((topic in hit for topic in all_topics), np.bool_, len(all_topics))

    def tied(self, **changes: AxisValue) -> BoolArray:
        """Mask over all topics: topics with a judged document that is tied with another document under the
        reference's conventions with these ``changes``."""
        judged = self.as_read.judged(self.base.with_changes(**changes))
        assert judged.tied is not None
        return self.over_all_topics(judged.count(judged.topic[judged.tied[1] > 1]) > 0)

    def tied_unlike(self, **changes: AxisValue) -> BoolArray:
        """Mask over all topics: topics with a judged document that is tied with a document of a different
        level under the reference's conventions with these ``changes``."""
        conventions, read = self.base.with_changes(**changes), self.as_read
        key = "tied unlike", conventions.of(Stage.ORDER)
        return self.over_all_topics(
            read.kept.once(key, lambda: read.topics_with(lambda part: tied_unlike(part.pairing, conventions)))
        )

    def reordering(self, rules: Mapping[Ties, Ties]) -> list[Ties]:
        """Compare pairs of tie rules on the whole run (see
        :func:`crosscheck.evaluation.order.reordering`)."""
        read, base = self.as_read, self.base

        def find() -> tuple[Ties, ...]:
            without_effect = dict(rules)
            for part in read.parts():
                for ties in reordering(part.pairing, base, without_effect):
                    del without_effect[ties]
            return tuple(ties for ties in rules if ties not in without_effect)

        return list(read.kept.once(("reordering", base.of(Stage.ORDER), *rules.items()), find))

    def same_in_float32(self) -> bool:
        """Whether single and double precision give the same order and the same ties."""
        read = self.as_read
        return read.kept.once("float32", lambda: all(same_in_float32(part.pairing) for part in read.parts()))

    def where_ranks_change(
        self, axis: Axis[Any], options: Sequence[AxisValue], /, **fixed: AxisValue
    ) -> BoolArray:
        """Mask over all topics: topics in which a value of ``axis`` among ``options`` changes the rank of a
        judged document."""
        base = self.base.with_changes(**fixed)
        read, changed = self.as_read, [base.with_changes(**{axis.name: option}) for option in options]

        def moved(part: Rankings) -> BoolArray:
            before = part.ranks(base)
            moved_rows = np.zeros(len(before), np.bool_)
            for conventions in changed:
                moved_rows |= part.ranks(conventions) != before
            return moved_rows

        key = "moved", base.of(Stage.ORDER), *(conventions.of(Stage.ORDER) for conventions in changed)
        return self.over_all_topics(read.kept.once(key, lambda: read.topics_with(moved)))


def _spread(read: Rankings, of_measured: npt.NDArray[_T], elsewhere: int) -> npt.NDArray[_T]:
    """Values over all topics from values over measured topics, and ``elsewhere`` for the others."""
    spread = np.full(len(read.pairing.measured), elsewhere, of_measured.dtype)
    spread[read.pairing.measured] = of_measured
    return read.over_given(spread, elsewhere)
