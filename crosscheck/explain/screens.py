"""Screening: sets of conventions are first tried on a few queries, and the sets that pass on all queries."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from contextlib import suppress
from functools import cached_property, partial
from itertools import chain
from typing import Any

import numpy as np
from msgspec import Struct

from crosscheck.axes.base import Axis, Stage
from crosscheck.axes.ids import IDS, Ids
from crosscheck.axes.judging import NEGATIVES, RELEVANCE_LEVEL, UNIVERSE, Negatives
from crosscheck.axes.summaries import MISSING_QUERIES, NO_RELEVANT, ROUNDING
from crosscheck.axes.ties import TIES, WITHOUT_ORDER
from crosscheck.compare import equal
from crosscheck.conventions import Conventions
from crosscheck.errors import CrosscheckError
from crosscheck.evaluation.formula import read_by_formulas, score, scores_of, with_measure_parameters
from crosscheck.evaluation.rankings import Rankings
from crosscheck.evaluation.recomputer import Recomputer
from crosscheck.explain.evidence import Evidence, possible_roundings
from crosscheck.explain.space import Change, Changes, Choices, products
from crosscheck.model import BoolArray, FloatArray, IntArray, Measure
from crosscheck.rankings.judged import JudgedRankings, stacked
from crosscheck.rankings.pairing import Memo

_BEFORE_FORMULAS = tuple(stage for stage in Stage if stage is not Stage.FORMULA)


class Tries:
    """Sets of conventions to try, each with any values of the formula axes. They are grouped by the axes of
    other stages that formulas read.

    Attributes:
        changes: the changes of each set, if they are known.
        effective: the sets with the axes that the measure itself sets, without the formula axes.
        kinds: for each group, the axes of other stages that formulas read, and the indices of its sets.
    """

    def __init__(
        self, sets: Sequence[Conventions], measure: Measure, changes: Sequence[Changes] = ()
    ) -> None:
        self.sets, self.measure, self.changes = sets, measure, changes
        self.effective = [with_measure_parameters(c, measure).of(*_BEFORE_FORMULAS) for c in sets]
        seen = list(map(read_by_formulas, self.effective))
        numbers = {kind: number for number, kind in enumerate(dict.fromkeys(seen))}
        kinds = np.array([numbers[kind] for kind in seen], np.int64)
        self.kinds = [(kind, np.flatnonzero(kinds == number)) for kind, number in numbers.items()]

    def having(self, axis: Axis[Any], value: Any) -> Tries:
        """The same sets, each with this value of an axis."""
        return Tries([c.having(axis, value) for c in self.sets], self.measure)

    def with_formula(self, place: int, formula: Conventions) -> Conventions:
        """The set with index ``place``, completed by the formula axes of ``formula``."""
        return self.sets[place].taking(Stage.FORMULA, formula)


def telling(queries: IntArray, values: FloatArray, number: int) -> IntArray:
    """At most ``number`` of these queries, ascending, with values as different as possible. Queries with the
    values 0 and 1, which many conventions give, are chosen last.

    Args:
        queries: indices into ``values``.
    """
    own = values[queries]
    _, first = np.unique(own, return_index=True)
    # np.isin imports numpy.ma, which takes a while.
    rare = first[~((own[first] == 0.0) | (own[first] == 1.0))]
    spread = rare[np.linspace(0, max(len(rare) - 1, 0), number).astype(int)[: len(rare)]]
    wanted = dict.fromkeys([*spread.tolist(), *rare.tolist(), *first.tolist(), *range(len(queries))])
    return np.sort(queries[list(wanted)[:number]])


def same_values(computed: FloatArray, expected: FloatArray, slack: FloatArray) -> BoolArray:
    """Mask of the computed values that equal the expected ones within ``slack``, or are the same infinity, or
    both NaN."""
    if np.isfinite(computed).all():
        return np.asarray(np.abs(computed - expected) <= slack)
    return equal(computed, expected, slack, None)


def worth_of_empty(values: FloatArray, slack: FloatArray) -> BoolArray:
    """Mask of the values 0, 1, 100 and NaN, which some conventions give to queries without relevant
    documents."""
    near = [np.abs(values - worth) <= slack for worth in (0.0, 1.0, 100.0)]
    return np.asarray(np.isnan(values) | np.any(near, axis=0))


class Screen(Struct, eq=False, dict=True):
    """A few queries on which sets of conventions are tried: do they give the candidate's values?

    Attributes:
        situation: measure, run and the reference's conventions.
        queries: indices into all topics, ascending; each query has results and judgements.
        expected: the candidate's values for these queries.
        slack: the tolerance of each value.
        empty_passes: whether an axis of finished scores may give a different value to queries without
            relevant documents, so that these pass with any of the usual values.
        merging: whether the axis ``ids`` may make ids of queries equal, so that queries merge. Queries are
            then read from the whole input.
    """

    situation: Recomputer
    queries: IntArray
    expected: FloatArray
    slack: FloatArray
    empty_passes: bool
    merging: bool

    def __post_init__(self) -> None:
        about = self.situation.family
        self._levels_only = about.needs == "levels" and not about.detailed
        self._empty_passes = worth_of_empty(self.expected, self.slack) & self.empty_passes
        self._part = part_of(self.situation.rankings, self.queries.tolist())
        self._of_sets, self._stacks = Memo(), Memo()
        self._seen: dict[Hashable, int] = {}
        self._alone: list[tuple[int, JudgedRankings]] = []

    def hits_of_each(self, formula: Conventions, tries: Tries, among: BoolArray | None = None) -> BoolArray:
        """For each set in ``tries``, completed by the formula axes of ``formula``: the mask of the queries
        whose value it gives.

        A formula depends on one topic at a time. So it is computed for many rankings at once, and only once
        for a ranking that several sets have in common.

        Args:
            among: mask of the sets to try; None for all. The rows of all other sets, and of sets under which
                the measure cannot be computed, are False.

        Returns:
            A mask of shape (sets, queries).
        """
        hits = np.zeros((len(tries.sets), len(self.queries)), np.bool_)
        if not len(self.queries) or (among is not None and not among.any()):
            return hits
        if self.situation.measure.rel is None and formula.plain(RELEVANCE_LEVEL.name) is None:
            having = partial(tries.having, NEGATIVES, Negatives.NONRELEVANT)
            judged = self._of_sets.once((tries, NEGATIVES), having)
            return self.hits_of_each(formula.having(RELEVANCE_LEVEL, 0), judged, among)
        effective = with_measure_parameters(formula, self.situation.measure)
        for seen, members in tries.kinds:
            chosen = members if among is None else members[among[members]]
            if seen[TIES] in WITHOUT_ORDER:
                able = [self.situation.possible(tries.with_formula(i, formula)) for i in chosen.tolist()]
                chosen = chosen[np.array(able, np.bool_)]
            find = partial(self._by_number, tries, chosen)
            # Most formulas are tried with the same sets, so their rankings are kept.
            key = tries, seen, len(chosen) == len(members) or chosen.tobytes()
            whole, together, wanted, which = find() if among is not None else self._of_sets.once(key, find)
            for i in whole:
                hits[i] = self.hits(tries.with_formula(i, formula))
            if len(together):
                met = self._met(wanted, seen.taking(Stage.FORMULA, effective))
                hits[together] = met[which].reshape(len(together), -1)
        return hits

    def _by_number(self, tries: Tries, chosen: IntArray) -> tuple[list[int], IntArray, IntArray, IntArray]:
        """Number the rankings under the chosen sets; see :meth:`_numbers`.

        Returns:
            The sets whose rankings have no numbers; the sets whose rankings have numbers; all distinct
            numbers; for each set with numbers and each query, the index of its number among the distinct
            numbers.
        """
        every = chosen.tolist()
        known = {i: those for i in every if (those := self._numbers(tries.effective[i])) is not None}
        wanted, which = np.unique(list(known.values()), return_inverse=True)
        return [i for i in every if i not in known], np.array([*known], np.int64), wanted, which

    def _numbers(self, conventions: Conventions) -> list[int] | None:
        """For each query, the number of its ranking under conventions, where equal rankings have equal
        numbers; None if the formula cannot be computed on each ranking alone."""

        def find() -> list[int] | None:
            read, queries = self._part.reread(conventions), range(len(self.queries))
            if not self._levels_only or self._merges(conventions) or len(read.pairing.topics) != len(queries):
                return None
            # Most orders leave the ranking of a query unchanged, and then its judged ranking is unchanged
            # too.
            order, selection = conventions.of(Stage.READ, Stage.ORDER), conventions.of(Stage.JUDGE)
            ordered = self._of_sets.once(order, lambda: self._numbered(read.ordered(conventions)))
            key = *ordered, selection, conventions[UNIVERSE]
            return self._of_sets.once(key, lambda: self._numbered(read.judged(conventions)))

        return self._of_sets.once(("whole", conventions), find)

    def _merges(self, conventions: Conventions) -> bool:
        """Whether queries may merge under these conventions."""
        return self.merging and conventions[IDS] is not Ids.EXACT

    def _numbered(self, judged: JudgedRankings) -> list[int]:
        """The number of each query's ranking; a new ranking is added to ``_alone`` and gets a new number."""
        # Judgements that rankings share are compared by identity, because comparing content takes longest.
        shared = id(judged.judgements) if judged.shares_judgements else None
        numbers: list[int] = []
        for query in range(len(self.queries)):
            alone = judged.alone(query)
            pool = alone.pool_rel.tobytes() if shared is None else b""
            columns = alone.rank, alone.rel, alone.tied
            ranking = (column if column is None else column.tobytes() for column in columns)
            content = query, *alone.num_ret.tolist(), *ranking, shared, pool
            numbers.append(self._seen.setdefault(content, len(self._alone)))
            if numbers[-1] == len(self._alone):
                self._alone.append((query, alone))
        return numbers

    def _met(self, numbers: IntArray, formula: Conventions) -> BoolArray:
        """For each of the numbered rankings, whether the formula gives the expected value of its query."""

        def find() -> tuple[JudgedRankings, IntArray]:
            queries, rankings = zip(*(self._alone[number] for number in numbers.tolist()), strict=True)
            return stacked(rankings), np.array(queries)

        stack, query = self._stacks.once(numbers.tobytes(), find)
        judged, values = scores_of(stack, self.situation.measure, formula)
        same = same_values(values, self.expected[query], self.slack[query])
        if self._empty_passes.any():
            same |= (judged.num_rel(formula[RELEVANCE_LEVEL]) == 0) & self._empty_passes[query]
        return same

    def may_hit(self, conventions: Conventions) -> bool:
        """Whether these conventions give the candidate's value of every query; False if the measure cannot be
        computed under them."""
        with suppress(CrosscheckError):
            return bool(self.hits(conventions).all())
        return False

    def hits(self, conventions: Conventions) -> BoolArray:
        """Mask of the queries whose value under these conventions equals the candidate's."""
        conventions = with_measure_parameters(conventions, self.situation.measure)
        whole, places = self._part, np.arange(len(self.queries))
        if self._merges(conventions):
            whole, places = self.situation.rankings, self.queries
        scored = score(whole, self.situation.measure, conventions)
        values, read = scored.scores, scored.rankings
        empty = scored.judged.num_rel(conventions[RELEVANCE_LEVEL]) == 0
        if read is not whole or len(values) != len(self.queries):
            at = places if read.topic_map is None else read.topic_map[places]
            values = np.where(at >= 0, _over_all_topics(read, values)[at], np.nan)
            empty = _over_all_topics(read, empty.astype(np.float64))[at] == 1.0
        return np.asarray(same_values(values, self.expected, self.slack) | (empty & self._empty_passes))


def _over_all_topics(rankings: Rankings, of_measured: FloatArray) -> FloatArray:
    """Values of the measured topics spread over all topics; NaN for the others."""
    measured = rankings.pairing.measured
    spread = np.full(len(measured), np.nan)
    spread[measured] = of_measured
    return spread


def part_of(rankings: Rankings, queries: Sequence[int]) -> Rankings:
    """The rankings reduced to some topics.

    Args:
        queries: indices into all topics.
    """
    all_topics = rankings.pairing.all_topics
    return rankings.of_topics({all_topics[i] for i in queries})


#: Number of differing queries, and of agreeing queries, on which sets are tried first.
_DIFFERING, _AGREEING = 6, 3
#: Maximum number of later screens, made of queries on which a set failed that passed all screens; number of
#: queries in each.
_MORE_SCREENS, _LATE = 6, 2
#: From this number of changed axes on, not all sets of changes are tried.
_TOO_MANY = 4
#: Maximum number of sets that give the values of some first queries and are then tried on all queries.
_VERIFIED = 100


class Shortlist:
    """The sets of changes, without axes of finished scores, that may give all or some of a candidate's
    values.

    Args:
        choices: the axes to change.
        evidence: the values to be explained.
        mismatching: mask of the queries on which candidate and reference differ, over all topics.

    Attributes:
        situation: measure, run and the reference's conventions.
        observed: the candidate's values, over all topics.
        usable: mask of the queries whose value comes from the formula and not from an axis of finished
            scores, over all topics.
    """

    def __init__(self, choices: Choices, evidence: Evidence, mismatching: BoolArray) -> None:
        self.choices, self._mismatching = choices, mismatching
        self.situation, self._judge_cells = evidence.recomputer, evidence.judge_cells
        self.observed = observed = evidence.observed
        self.usable = self.situation.rankings.pairing.measured & observed.present
        if evidence.known is not None:
            self.usable &= evidence.known
        open_axes = dict(choices.options)
        if MISSING_QUERIES in open_axes:
            self.usable &= ~np.isnan(observed.values)  # NaN may mean that a query found nothing
        self._loose = evidence.slack.copy()
        options = possible_roundings(open_axes.get(ROUNDING, []), observed)
        roundings = [int(str(d)) for d in (*options, observed.decimals) if d is not None]
        if roundings:
            self._loose += 0.5000001 * 10.0 ** -min(roundings)
        self._empty_open = NO_RELEVANT in open_axes
        self._more_screens: list[Screen] = []
        self._kept = Memo()

    def promising(self, size: int) -> list[Changes]:
        """The sets of changes of exactly ``size`` axes that give the values of at least two of the first
        differing queries and of all first agreeing queries. Sets that give most values come first."""
        if size > 1 and not (self._mismatching & self.observed.present).any():
            return []  # No values differ, some are only missing: axes of scores, and one more, explain these.
        near = [(met, changes) for met, fair, changes in self._telling(size) if fair]
        return [changes for _, changes in sorted(near, key=lambda entry: -entry[0])[:_VERIFIED]]

    def passing(self, size: int) -> list[Changes]:
        """The sets of changes of exactly ``size`` axes that no query contradicts, provided that axes of
        finished scores have suitable values."""

        def find() -> list[Changes]:
            passing: list[Changes] = []
            for formula, rest, left in self._blocks(size):
                for screen in (screen for screen in self.first_screens if len(screen.queries)):
                    left = np.asarray(self._hits(screen, formula, rest, left).all(axis=1))
                    if not left.any():
                        break
                every = range(len(rest.changes)) if left is None else np.flatnonzero(left).tolist()
                passing += [formula + rest.changes[i] for i in every]
            combined = self.choices.as_combined(passing)
            self.situation.prepare(map(self.choices.changed, combined))
            return [changes for changes in combined if self._passes(changes)]

        return self._kept.once(("passing", size), find)

    def _telling(self, size: int) -> list[tuple[int, bool, Changes]]:
        """(number of queries, fair, changes) for each set of changes that gives the value of a differing
        query of the first screens.

        The number is that of the differing queries whose values the set gives. The set is fair if it gives at
        least two of these, and the values of all agreeing queries.
        """

        def find() -> list[tuple[int, bool, Changes]]:
            met_by: dict[frozenset[Change], tuple[int, bool]] = {}
            *differing, agreeing = self.first_screens
            for formula, rest, among in self._blocks(size):
                met = sum(self._hits(screen, formula, rest, among).sum(axis=1) for screen in differing)
                several = met > 1
                fair = self._hits(agreeing, formula, rest, several).all(axis=1) & several
                for i in np.flatnonzero(met).tolist():
                    met_by[frozenset(formula + rest.changes[i])] = int(met[i]), bool(fair[i])
            return [(*met_by[frozenset(changes)], changes) for changes in self.choices.as_combined(met_by)]

        return self._kept.once(("telling", size), find)

    def _hits(self, screen: Screen, formula: Changes, rest: Tries, among: BoolArray | None) -> BoolArray:
        """For each set of other changes, combined with these changes of formula axes: the mask of the queries
        of a screen whose values it gives; shape (sets, queries)."""
        find = partial(screen.hits_of_each, self.choices.changed(formula), rest, among)
        # Results for all sets are requested again, and so are kept.
        return self._kept.once((screen, formula, rest), find) if among is None else find()

    def _blocks(self, size: int) -> Iterator[tuple[Changes, Tries, BoolArray | None]]:
        """Yield the sets of changes of ``size`` axes to try on the screens, as (changes of formula axes, sets
        of other changes, mask of the sets to combine with the former, or None for all).

        There are too many sets of four changes to try all. Most axes leave some values unchanged, so that
        three of the four changes already give the value of some query. So only such sets of three are
        extended. Formula axes can change all values, so all sets of four formula axes are tried.
        """
        if size < _TOO_MANY:
            for number in range(size + 1):
                rest = self._kept.once(("others", number), partial(self._others, number))
                for formula in self.choices.formula_sets(size - number):
                    yield formula, rest, None
            return
        likely = {frozenset(changes) for changes in self.choices.formula_sets(size)}
        for *_, part in self._telling(size - 1):
            axes = {cause for cause, _ in part}
            more = (c for c in self.choices.place if c[0] not in axes and c[0].stage is not Stage.SUMMARISE)
            likely |= {frozenset((*part, change)) for change in more}
        parts: dict[Changes, list[Changes]] = {}
        for changes in map(self.choices.arranged, likely):
            formula = tuple(change for change in changes if change[0].stage is Stage.FORMULA)
            parts.setdefault(formula, []).append(tuple(change for change in changes if change not in formula))
        rest = self.tries(list(dict.fromkeys(chain.from_iterable(parts.values()))))
        numbers = {changes: i for i, changes in enumerate(rest.changes)}
        for formula, others in parts.items():
            among = np.zeros(len(rest.changes), np.bool_)
            among[[numbers[changes] for changes in others]] = True
            yield formula, rest, among

    def _others(self, number: int) -> Tries:
        """All sets of changes of ``number`` axes other than formula axes."""
        return self.tries(list(products(self.choices.on_others, number)))

    def tries(self, changes: Sequence[Changes]) -> Tries:
        """The conventions with each of these sets of changes."""
        return Tries(list(map(self.choices.changed, changes)), self.situation.measure, changes)

    def _passes(self, changes: Changes) -> bool:
        """Whether no query contradicts these changes, which passed the first screens."""
        conventions, more = self.choices.changed(changes), self._more_screens
        if not all(screen.hits(conventions).all() for screen in more):
            return False
        failed = self._failing(conventions)
        if len(failed) and len(more) < _MORE_SCREENS:
            more.append(self.screen(telling(failed, self.observed.values, _LATE)))
        return not len(failed)

    def _failing(self, conventions: Conventions) -> IntArray:
        """The queries whose value these conventions do not give, whatever values axes of finished scores
        have."""
        situation = self.situation
        result = situation.evaluated(conventions)
        same = same_values(result.values, self.observed.values, self._loose)
        failing = self.usable & result.present & ~same
        if self._empty_open and failing.any():
            failing &= ~(situation.empty(conventions) & worth_of_empty(self.observed.values, self._loose))
        return np.flatnonzero(failing)

    @cached_property
    def first_screens(self) -> list[Screen]:
        """Three screens: one differing query, which most sets fail; other differing queries; agreeing
        queries. Empty if there is only a mean."""
        if not self._judge_cells:
            return []
        values = self.observed.values
        differing = telling(np.flatnonzero(self.usable & self._mismatching), values, _DIFFERING)
        agreeing = telling(np.flatnonzero(self.usable & ~self._mismatching), values, _AGREEING)
        one = telling(differing, values, 1)
        rankings = self.situation.rankings
        rankings.hold([rankings.pairing.all_topics[i] for i in (*differing.tolist(), *agreeing.tolist())])
        return [self.screen(queries) for queries in (one, differing[differing != one], agreeing)]

    def screen(self, queries: IntArray) -> Screen:
        """The screen made of these queries."""
        merging = self.situation.base[IDS] is not Ids.EXACT or IDS in dict(self.choices.options)
        about = queries, self.observed.values[queries], self._loose[queries]
        return Screen(self.situation, *about, self._empty_open, merging)
