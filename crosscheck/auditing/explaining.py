"""Finding the conventions or the other formula that give a metric's answers, by the search that runs use."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from msgspec import Struct

from crosscheck.audit_records import Recognised
from crosscheck.auditing.metric import Asked, Counts, all_count, evidence_of
from crosscheck.conventions import AxisValue, Conventions
from crosscheck.evaluation.formula import FORMULA, Formula
from crosscheck.explain.decoys import decoys
from crosscheck.explain.doubts import doubts, on_synthetic, same_everywhere
from crosscheck.explain.evidence import TOLERANCES, Evidence
from crosscheck.explain.search import Explanation, Search, fewest
from crosscheck.explain.space import NEVER, Changes, SearchLimit
from crosscheck.inputs.queries import Query
from crosscheck.inputs.realistic import is_ordinary
from crosscheck.model import Measure

#: Maximum number of axes that are changed; number up to which all sets are tried.
_MOST_AXES, _TRIED_TOGETHER = 6, 2
#: Number of values that must need each changed axis, as far as inputs show it.
_SECURED_BY = 5


class Explained(Struct, frozen=True, eq=False):
    """The sets of conventions that give the answers.

    Attributes:
        search: the search that found them.
        proofs: the sets with the fewest changes, likeliest first. If ``complete`` is False, the one set that
            gives most answers and contradicts none that the reference gives.
        complete: whether the sets give all answers that count.
        counts: decides which answers count.
        tolerance: the tolerance within which the sets give the answers.
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
        """Whether only the answers for queries without ties are explained."""
        return self.counts in _UNTIED

    def with_part(self, changes: Changes) -> Explained:
        """If nothing explains the answers: one by these changes if they are a part that gives more, else
        self."""
        search, part = self.search, self.search.explanation(*changes)
        if search.unmet(part.conventions) >= search.unmet(self.found) or not search.is_part(changes):
            return self
        return Explained(search, [part], False, self.tolerance)

    @property
    def constant(self) -> bool:
        """Whether all answers are the same number, as if nothing counted as relevant."""
        observed = (e.observed for e in self.search.every)
        return len({value for of in observed for value in of.values[of.present].tolist()}) < 2

    @property
    def hardly_refuted(self) -> list[Conventions]:
        """For each change of the likeliest set that few values need, the set without this change."""
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

    The search tries to explain all answers; if that fails, all but missing values on unusual input; then
    the answers within single precision; then the answers for queries without ties. If all fail, a set of at
    most two changes may explain a part of the answers.

    Args:
        fixed: axes fixed by the call.
        ties_open: whether the metric itself orders tied documents.
        whole: whether to look for something that gives all answers. If False, only for a part.
        limit: when to stop.

    Raises:
        TimeIsUp: it has passed.
    """
    first: Explained | None = None
    unmet_by_part = 0
    asked_before: list[int] = []
    for tolerance, counts in _views(ties_open=ties_open):
        evidence = evidence_of(asked, base, tolerance, counts)
        unmet = sum(e.unmet(base) for e in evidence)
        if unmet in asked_before:
            continue  # the same question again
        search = Search.among(evidence, fixed, limit=limit)
        if first and counts in _UNTIED:
            # Ties may hide a part: most of the answers that it changes are tied, and not met.
            part_of_untied = first.found if first.proofs[0].changes else search.changed(search.part)
            if 2 * search.unmet(part_of_untied) > unmet_by_part:
                continue  # most of what nothing explains has other causes than ties
        asked_before.append(unmet)
        proofs = search.smallest(_MOST_AXES, _TRIED_TOGETHER) if whole else []
        if proofs:
            proofs = _without_twins(proofs, search.situation.measure)
            return Explained(search, proofs, True, tolerance, counts)
        if first is None:
            part = search.explanation(*search.part)
            first = Explained(search, [part], False, tolerance)
            unmet_by_part = search.unmet(part.conventions)
        if not whole:
            break
    assert first is not None
    return first


def nothing_explained(asked: Sequence[Asked], base: Conventions) -> Explained:
    """The explanation without a search: the reference's own conventions give a part, or all."""
    search = Search.among(evidence_of(asked, base, max(TOLERANCES)), ())
    reference = search.explanation()
    return Explained(search, [reference], search.complete(reference), max(TOLERANCES))


def on_all(explanation: Explained, asked: Sequence[Asked], fixed: frozenset[str]) -> Explained | None:
    """The explanation by those of its sets that also give further answers; None if no set does."""
    base = explanation.search.situation.base
    counts = of_ordinary if explanation.counts is all_count else explanation.counts
    search = Search.among(evidence_of(asked, base, explanation.tolerance, counts), fixed)
    proofs = [search.explanation(*proof.changes) for proof in explanation.proofs]
    proofs = [proof for proof in proofs if search.complete(proof)]
    return Explained(search, proofs, True, explanation.tolerance, counts) if proofs else None


def needed(asked: Sequence[Asked], conventions: Conventions, base: Conventions, tolerance: float) -> set[str]:
    """The axes on which conventions must differ from ``base`` to give the same answers as now. If any of
    several axes would do, the last one is named."""
    changes = conventions.changes_from(base)
    evidence = evidence_of(asked, conventions, tolerance) if changes else []
    before = [e.unmet(conventions) for e in evidence]

    def same(left: Mapping[str, AxisValue]) -> bool:
        fewer = base.with_changes(**left)
        able = all(e.recomputer.possible(fewer) for e in evidence)
        return able and not any(e.unmet(fewer) > of for e, of in zip(evidence, before, strict=True))

    return set(fewest(changes, same))


def share_explained(
    asked: Sequence[Asked], base: Conventions, fixed: frozenset[str], most: int
) -> tuple[float, Conventions]:
    """The conventions with at most ``most`` changes that give most values, after the share that they give."""
    search = Search.among(evidence_of(asked, base, max(TOLERANCES)), fixed)
    if proofs := search.smallest(_TRIED_TOGETHER):
        return 1.0, proofs[0].conventions
    nearest = search.changed(search.nearest(most))
    values = sum(len(e.observed.present) if e.judge_cells else int(e.counts_mean) for e in search.every)
    return 1 - search.unmet(nearest) / max(values, 1), nearest


def _without_twins(explanations: list[Explanation], measure: Measure) -> list[Explanation]:
    """The explanations without those that are the same on every input as a likelier one."""
    kept = explanations[:1]
    for explanation in explanations[1:]:
        synthetic = on_synthetic(measure, explanations[0].conventions)
        if not any(same_everywhere(synthetic, e.conventions, explanation.conventions) for e in kept):
            kept.append(explanation)
    return kept


def _views(*, ties_open: bool) -> Iterator[tuple[float, Counts]]:
    for tolerance in TOLERANCES:
        yield tolerance, all_count
        yield tolerance, of_ordinary
        yield tolerance, _given
        if ties_open:
            yield from ((tolerance, untied) for untied in _UNTIED)


def of_ordinary(id: str, query: Query, there: bool) -> bool:
    """Whether the answer for a query counts. All do, except missing values on unusual input."""
    return there or is_ordinary(id, query)


def _given(id: str, query: Query, there: bool) -> bool:
    """As :func:`of_ordinary`, without any missing value: a metric may refuse lists of one document."""
    return there


def _untied(id: str, query: Query, there: bool) -> bool:
    return of_ordinary(id, query, there) and distinct_scores(query, np.float64)


def _untied_in_single(id: str, query: Query, there: bool) -> bool:
    return of_ordinary(id, query, there) and distinct_scores(query, np.float32)


def distinct_scores(query: Query, kind: type[np.floating]) -> bool:
    """Whether all scores of a query are different in this precision."""
    return len({float(kind(line.score)) for line in query.lines}) == len(query.lines)


_UNTIED = (_untied, _untied_in_single)


#: Cutoffs that are tried for every measure, beside its own and those near it.
_CUTOFFS = (1, 2, 3, 5, 10, 15, 20, 25, 30, 50, 100, 200, 500, 1000)
#: Number of formulas that may give everything; more would say nothing.
_MOST_NAMED = 3
#: Maximum number of changes, the formula among them.
_MOST = 2


def recognised(
    asked: Sequence[Asked], search: Search, fixed: frozenset[str], most: int
) -> tuple[Recognised, Conventions] | None:
    """The measure or formula that gives every value of a metric, with the conventions to use. None if no
    formula or too many formulas do.

    Args:
        asked: the metric's answers.
        search: the search for conventions that give them.
        fixed: the axes fixed by the call.
        most: number of axes that may be changed beside the formula.
    """
    base, measure = search.situation.base, search.situation.measure
    evidence = [e for e in evidence_of(asked, base, search.evidence.tolerance, of_ordinary) if _size(e)]
    values = {float(value) for e in evidence for value in e.observed.values[e.observed.present]}
    if most < 0 or not evidence or (len(values) < 2 and evidence[0].judge_cells):
        return None
    if all(e.holds(base) for e in evidence):
        return None  # it is the measure itself, but for what no formula says
    k = measure.cutoff or 0
    among = Search.among(evidence, fixed, decoys(measure, (k - 1, k + 1, 2 * k, *_CUTOFFS)))
    explanations = [e for e in among.smallest(min(most + 1, _MOST)) if _formula_of(e) is not None]
    return _named(explanations, among) if explanations else None


def _size(evidence: Evidence) -> int:
    """Number of values that count."""
    return int(evidence.observed.present.sum()) * evidence.judge_cells or int(evidence.counts_mean)


def _formula_of(explanation: Explanation) -> Formula | None:
    return next((value for axis, value in explanation.changes if axis is FORMULA), None)


def _named(explanations: list[Explanation], among: Search) -> tuple[Recognised, Conventions] | None:
    """The likeliest of the formulas that give everything, with its doubts; None if many do."""
    chosen, *others = explanations = _without_twins(explanations, among.situation.measure)
    formula = _formula_of(chosen)
    if len(explanations) > _MOST_NAMED or formula is None:
        return None
    tried = among.choices.tried(len(chosen.changes))
    doubt, rivals = doubts(among, explanations, tried, ("value", "values"))
    known = Recognised(
        formula=formula.name,
        measure=None if formula.measure is None else str(formula.measure),
        conventions={axis: value for axis, value in chosen.axes.items() if axis != FORMULA.name},
        strength="consistent" if doubt else "proved",
        doubt=doubt,
        rivals=list(dict.fromkeys([*map(_words, others), *rivals])),
        values=sum(map(_size, among.every)),
    )
    return known, chosen.conventions


def _words(explanation: Explanation) -> str:
    changes = (f"{axis.name}={value}" for axis, value in explanation.changes if axis is not FORMULA)
    return " with ".join((str(_formula_of(explanation)), *changes))
