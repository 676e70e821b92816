"""A measure on a run, and a family of measures, as axes see them.

Axes do not know how these are made, nor any measure by name.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any, Protocol

from crosscheck.axes.base import Axis, AxisValue, V
from crosscheck.model import BoolArray, FloatArray, IdArray, IntArray, Measure, Qrels, Run

__all__ = ["Facts", "JudgedRankings", "Values", "View"]


class Facts(Protocol):
    """The facts of a measure family that axes may use: see :class:`crosscheck.measures.base.Family`."""

    @property
    def reads(self) -> Collection[Axis[Any]]: ...
    @property
    def retrieved(self) -> bool: ...
    @property
    def ranked(self) -> bool: ...
    @property
    def pool(self) -> bool: ...
    @property
    def nonrelevant(self) -> bool: ...
    @property
    def rel(self) -> bool: ...
    @property
    def relevance(self) -> bool: ...
    @property
    def ratio(self) -> bool: ...
    @property
    def to_r(self) -> bool: ...
    @property
    def elsewhere(self) -> str | None: ...
    @property
    def is_sum(self) -> bool: ...
    @property
    def aggregate(self) -> str: ...
    @property
    def detailed(self) -> bool: ...


class Values(Protocol):
    """A set of conventions: a value for each axis."""

    def __getitem__(self, axis: Axis[V], /) -> V: ...


class JudgedRankings(Protocol):
    """See :class:`crosscheck.rankings.judged.JudgedRankings`."""

    @property
    def num_ret(self) -> IntArray: ...
    @property
    def topic(self) -> IntArray: ...
    @property
    def rank(self) -> IntArray: ...
    @property
    def rel(self) -> IntArray: ...
    @property
    def pool_topic(self) -> IntArray: ...
    @property
    def pool_rel(self) -> IntArray: ...
    def count(self, topics: IntArray, /) -> IntArray: ...
    def num_rel(self, level: int, /) -> IntArray: ...
    def num_nonrel(self, level: int, /) -> IntArray: ...


class View(Protocol):
    """A measure on a run under given conventions, as gates and options see it.

    Masks over all topics have one entry per topic of run or qrels.

    Attributes:
        conventions: including those that the measure itself sets, such as ``(rel=2)``.
        judged: the judged rankings of the run under these conventions.
        unordered: the judged rankings in any order of documents, for questions in which the ranks do not
            matter; computing them takes less time.
        topics: ids of all topics, which are those of the run or of the qrels.
        unique: whether no document occurs twice under a query.
        has_ranks: whether the run has a rank column of numbers.
        missing: queries with judgements and without results; over all topics.
        unjudged: queries with results and without judgements; over all topics.
        everywhere, nowhere: all queries and none of them, over all topics.
        may_find_nothing: queries for which the measure finds nothing relevant in this or in another
            order; over all topics.
        own_ids: queries with a document that has the id of its query; over all topics.
    """

    @property
    def measure(self) -> Measure: ...
    @property
    def family(self) -> Facts: ...
    @property
    def conventions(self) -> Values: ...
    @property
    def relevance_level(self) -> int: ...
    @property
    def topics(self) -> tuple[bytes, ...]: ...
    @property
    def unique(self) -> bool: ...
    @property
    def has_ranks(self) -> bool: ...
    @property
    def qrels(self) -> Qrels: ...
    @property
    def judged(self) -> JudgedRankings: ...
    @property
    def unordered(self) -> JudgedRankings: ...
    @property
    def missing(self) -> BoolArray: ...
    @property
    def unjudged(self) -> BoolArray: ...
    @property
    def everywhere(self) -> BoolArray: ...
    @property
    def nowhere(self) -> BoolArray: ...
    @property
    def may_find_nothing(self) -> BoolArray: ...
    @property
    def own_ids(self) -> BoolArray: ...

    def runs(self) -> Iterator[Run]:
        """The run in parts, each with the rows of some of its topics."""

    def has_all(self, what: str, fine: Callable[[Run], bool], /) -> bool:
        """Whether ``fine`` is true of every part of the run; computed once for each name ``what``."""

    def over_all_topics(self, of_measured: BoolArray, /) -> BoolArray:
        """A mask over measured topics, spread over all topics (False elsewhere)."""

    def found(self, cutoff: int | None = None) -> IntArray:
        """Number of relevant documents among the first ``cutoff`` (None: all), per measured topic."""

    def judgements(self) -> tuple[IntArray, IntArray]:
        """Topic and level of each judgement that counts."""

    def divisors(self) -> list[float]:
        """Denominator of the measure, per measured topic; empty if the measure has none."""

    def values(self) -> tuple[FloatArray, BoolArray]:
        """The measure per query, and which queries have a value; over all topics."""

    def allows(self, ties: Any, /) -> bool:
        """Whether the measure has a value under a tie rule, with the other conventions unchanged."""

    def tied(self, **changes: AxisValue) -> BoolArray:
        """Queries with a judged document that is tied with another, under changed axes; over all
        topics."""

    def tied_unlike(self, **changes: AxisValue) -> BoolArray:
        """Queries with a judged document that is tied with a document of another level or an unjudged one,
        under changed axes; over all topics."""

    def reordering(self, rules: Mapping[Any, Any], /) -> list[Any]:
        """The keys of ``rules`` under which some judged document has another rank than under their value;
        keys and values are tie rules."""

    def same_in_float32(self) -> bool:
        """Whether scores are ordered and tied alike in single and in double precision."""

    def where_rows(self, odd: Callable[[Run], BoolArray], /) -> BoolArray:
        """Queries of the run with a row for which ``odd`` is true; over all topics."""

    def where_rankings(self, odd: Callable[[IdArray], bool], /) -> BoolArray:
        """Queries of the run for whose docnos ``odd`` is true; over all topics."""

    def where_ranks_change(
        self, axis: Axis[Any], options: Sequence[AxisValue], /, **fixed: AxisValue
    ) -> BoolArray:
        """Queries in which a judged document changes its rank under any of the axis values ``options``, with
        the axes of ``fixed`` changed throughout; over all topics."""

    def remembered(self, question: str, find: Callable[[], list[AxisValue]], /) -> list[AxisValue]:
        """The result of ``find``, which is about run and qrels only; computed once for each ``question``."""
