"""Finding the conventions, or a different formula, that give a metric's answers. The search is the same as
for runs: :mod:`crosscheck.explain.search`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import product
from typing import Any

import numpy as np
from msgspec import Struct

from crosscheck.auditing.metric import Asked, Counts, all_count, evidence_of
from crosscheck.axes.base import Axis, Stage
from crosscheck.axes.ties import TIES
from crosscheck.conventions import AxisValue, Conventions
from crosscheck.explain.doubts import least_needed
from crosscheck.explain.evidence import TOLERANCES
from crosscheck.explain.recognising import without_twins
from crosscheck.explain.search import Explanation, Search, fewest
from crosscheck.explain.space import NEVER, Changes, SearchLimit, in_order
from crosscheck.inputs.queries import Query
from crosscheck.inputs.realistic import oddities

#: Maximum number of changed axes; number of changed axes up to which all sets are tried.
_MOST_AXES, _TRIED_TOGETHER = 6, 2
#: A change of conventions is certain if at least this many values need it.
_SECURED_BY = 5


class Explained(Struct, frozen=True, eq=False):
    """The sets of conventions that explain a metric's answers.

    Attributes:
        search: the search that found the sets.
        proofs: the sets with the fewest changes, likeliest first. If ``complete`` is False, a single set that
            gives most answers and changes hardly any that the reference gives.
        complete: whether each set gives all answers that are compared.
        tolerance: the tolerance within which the sets give the answers.
        counts: function that decides which answers are compared.
    """

    search: Search
    proofs: Sequence[Explanation]
    complete: bool
    tolerance: float
    counts: Counts = all_count

    @property
    def sets(self) -> list[Conventions]:
        return [proof.conventions for proof in self.proofs]

    @property
    def found(self) -> Conventions:
        return self.proofs[0].conventions

    @property
    def untied(self) -> bool:
        """Whether only answers for queries without ties are compared."""
        return self.counts in _UNTIED

    def with_part(self, changes: Changes) -> Explained:
        """For an incomplete explanation: the explanation by these changes, if they give more answers and each
        of them gives many (:meth:`Search.is_part`); else the same explanation."""
        search, part = self.search, self.search.explanation(*changes)
        better = search.unmet(part.conventions) < search.unmet(self.found) and search.is_part(changes)
        return Explained(search, [part], False, self.tolerance) if better else self

    def with_summary(self, changes: Changes) -> Explained:
        """The explanation of queries alone, with those of these changes that only several queries show, and
        without those that a single value needs: some change gives any value by chance."""
        own = self.proofs[0]
        while own.changes:
            axis, number = least_needed(self.search, own)
            if number > 1:
                break
            own = self.search.explanation(*(one for one in own.changes if one[0].name != axis))
        of_queries = [one for one in own.changes if one[0].stage is not Stage.SUMMARISE]
        of_several = [one for one in changes if one[0].stage is Stage.SUMMARISE]
        if not of_several and own is self.proofs[0]:
            return self
        proof = self.search.explanation(*in_order((*of_queries, *of_several)))
        return Explained(self.search, [proof], False, self.tolerance)

    @property
    def constant(self) -> bool:
        """Whether all answers are the same number, as if the metric found nothing relevant."""
        observed = (e.observed for e in self.search.every)
        return len({value for of in observed for value in of.values[of.present].tolist()}) < 2

    @property
    def hardly_refuted(self) -> list[Conventions]:
        """The likeliest set without one of its changes, for each change that few values need."""
        every = (e.conventions for _, e in self.search.without_each(self.proofs[0].changes))
        return [c for c in every if self.search.unmet(c) < _SECURED_BY]


def explained(
    asked: Sequence[Asked],
    base: Conventions,
    fixed: frozenset[str],
    *,
    ties_open: bool,
    whole: bool = True,
    limit: SearchLimit = NEVER,
) -> Explained:
    """Find the likeliest explanation of a metric's answers.

    In double and then in single precision, the search tries to explain all answers; then all except missing
    values for unusual queries; then all values; then the answers for queries without ties. Sets of up to six
    changes are tried, and known tools, which may change more. If all these fail, a set of at most two changes
    may explain a part of the answers.

    Args:
        asked: the answers.
        base: the reference's conventions.
        fixed: axes fixed by the call.
        ties_open: whether the metric orders tied documents itself, instead of receiving them in order.
        whole: whether to search for sets that give all answers, or only for a set that gives a part.
        limit: when to stop.

    Raises:
        TimeIsUp: the limit is reached.
    """
    first: Explained | None = None
    unmet_by_part = 0
    asked_before: list[tuple[int, int]] = []
    views: tuple[Counts, ...] = (all_count, of_ordinary, _given, *(_UNTIED if ties_open else ()))
    for tolerance, counts in product(TOLERANCES, views):
        search = Search.among(evidence_of(asked, base, tolerance, counts), fixed, limit=limit)
        if first and (search.unmet(base), search.unmet(first.found)) in asked_before:
            continue  # the same values differ as in an earlier search, which failed
        if first and counts in _UNTIED:
            # The part may be missing because most of the answers that it changes are for queries with ties.
            part_of_untied = first.found if first.proofs[0].changes else search.changed(search.part)
            if 2 * search.unmet(part_of_untied) > unmet_by_part:
                continue  # most unexplained values are for queries without ties
        proofs = (search.smallest(_MOST_AXES, _TRIED_TOGETHER) or search.of_tools()) if whole else []
        if proofs and counts in _UNTIED:  # a rule for ties may give too few values to be searched with others
            every = Search.among(evidence_of(asked, base, tolerance, of_ordinary), fixed, limit=limit)
            if ruled := _with_rules_for_ties(every, proofs):
                search, proofs, counts = every, ruled, of_ordinary
        if proofs:
            proofs = without_twins(search, proofs)
            return Explained(search, proofs, True, tolerance, counts)
        if first is None:
            part = search.explanation(*search.part)
            first = Explained(search, [part], False, tolerance)
            unmet_by_part = search.unmet(part.conventions)
        asked_before.append((search.unmet(base), search.unmet(first.found)))
        if not whole:
            break
    assert first is not None
    return first


def _with_rules_for_ties(search: Search, proofs: Sequence[Explanation]) -> list[Explanation]:
    """The complete explanations that consist of one of these and a rule for ties, likeliest first."""
    rules = [change for change in search.choices.alone() if change[0] is TIES]
    without = [proof.changes for proof in proofs if TIES.name not in proof.axes]
    ruled = (search.explanation(*in_order((*changes, rule))) for changes in without for rule in rules)
    return sorted(filter(search.complete, ruled), key=search.unlikeliness)


def nothing_explained(asked: Sequence[Asked], base: Conventions) -> Explained:
    """The explanation by the reference's conventions, without a search; ``complete`` if they give all
    answers."""
    search = Search.among(evidence_of(asked, base, max(TOLERANCES)), ())
    reference = search.explanation()
    return Explained(search, [reference], search.complete(reference), max(TOLERANCES))


def on_all(
    explanation: Explained, asked: Sequence[Asked], fixed: frozenset[str], *, fresh: bool = False
) -> Explained | None:
    """The explanation reduced to the sets that give all of ``asked``, which contains further answers; None if
    no set does.

    Args:
        fresh: whether the further answers are on fresh inputs. If no set gives all of them, missing values
            for unusual queries are not compared.
    """
    base, tolerance = explanation.search.situation.base, explanation.tolerance
    less = [of_ordinary] if fresh and explanation.counts is all_count else []
    for counts in (explanation.counts, *less):
        search = Search.among(evidence_of(asked, base, tolerance, counts), fixed)
        proofs = [search.explanation(*proof.changes) for proof in explanation.proofs]
        if proofs := [proof for proof in proofs if search.complete(proof)]:
            return Explained(search, proofs, True, tolerance, counts)
    return None


def needed(asked: Sequence[Asked], conventions: Conventions, base: Conventions, tolerance: float) -> set[str]:
    """The axes of ``conventions`` whose values must be kept to explain as many answers as now, if all other
    axes get the value of ``base``. If one of two axes is enough, it is the later one."""
    changes = conventions.changes_from(base)
    evidence = evidence_of(asked, conventions, tolerance) if changes else []
    before = [e.unmet(conventions) for e in evidence]

    def same(left: Mapping[str, AxisValue]) -> bool:
        fewer = base.with_changes(**left)
        able = all(e.recomputer.possible(fewer) for e in evidence)
        return able and not any(e.unmet(fewer) > of for e, of in zip(evidence, before, strict=True))

    return set(fewest(changes, same))


def useful_beside(
    formula: Conventions, found: Conventions, asked: Sequence[Asked], base: Conventions, tolerance: float
) -> Conventions:
    """The conventions ``found``, without the changes of ``base`` that give none of the answers beside a
    formula; with the formula's value of axes that it changes itself."""
    evidence = evidence_of(asked, base, tolerance)

    def unmet(axis: Axis[Any], of: Conventions) -> int:
        return sum(e.unmet(formula.having(axis, of[axis])) for e in evidence)

    useful = (axis for axis in found.changed if unmet(axis, found) < unmet(axis, base))
    return base.with_values((a, found[a] if formula[a] == base[a] else formula[a]) for a in useful)


def share_explained(
    asked: Sequence[Asked], base: Conventions, fixed: frozenset[str], most: int
) -> tuple[float, Conventions]:
    """The conventions with at most ``most`` changes that give most values, as (share of the values that they
    give, conventions)."""
    search = Search.among(evidence_of(asked, base, max(TOLERANCES)), fixed, largest=_TRIED_TOGETHER)
    if proofs := search.smallest(_TRIED_TOGETHER):
        return 1.0, proofs[0].conventions
    nearest = search.changed(search.nearest(most))
    values = sum(len(e.observed.present) if e.judge_cells else int(e.counts_mean) for e in search.every)
    return 1 - search.unmet(nearest) / max(values, 1), nearest


def of_ordinary(id: str, query: Query, there: bool) -> bool:
    """Whether to compare the answer for a query: yes, except a missing value for an unusual query."""
    return there or not any(oddities(id, query))


def _given(id: str, query: Query, there: bool) -> bool:
    """Whether to compare the answer for a query: if it has a value. A metric may fail on ordinary queries
    too, such as lists of one document."""
    return there


def _untied(id: str, query: Query, there: bool, kind: type[np.floating]) -> bool:
    """Whether to compare the answer for a query: as :func:`of_ordinary`, and if no scores are tied."""
    return of_ordinary(id, query, there) and distinct_scores(query, kind)


def distinct_scores(query: Query, kind: type[np.floating]) -> bool:
    """Whether all scores of a query are different in this precision."""
    return len({float(kind(line.score)) for line in query.lines}) == len(query.lines)


_UNTIED: tuple[Counts, ...] = tuple(partial(_untied, kind=kind) for kind in (np.float64, np.float32))
