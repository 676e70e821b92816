"""The conventions, or another formula, that give the answers of a metric, from the search that a run uses."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate, pairwise
from typing import cast

import numpy as np
from msgspec import Struct

from crosscheck.audit_records import Recognised
from crosscheck.auditing.metric import Asked, Counts, all_count, evidence_of
from crosscheck.conventions import Conventions, plain
from crosscheck.evaluation.formula import FORMULA, Formula
from crosscheck.explain.decoys import decoys
from crosscheck.explain.doubts import MOST_CHANCE, chance, on_synthetic, same_everywhere
from crosscheck.explain.evidence import Evidence
from crosscheck.explain.predictions import TOLERANCES
from crosscheck.explain.search import NEEDED_ON, Explanation, Search, differing_for
from crosscheck.explain.space import Change, Changes, in_order
from crosscheck.inputs.queries import Query
from crosscheck.inputs.realistic import is_ordinary
from crosscheck.model import Measure

#: Maximum number of axes that are changed.
_MOST_AXES = 6
#: Maximum number of sets of so many changes.
_MOST_SETS = 20_000
#: Of the values that a change affects, so many must be met for each that is not.
_MOSTLY = 9
#: Number of sets of changes that are changed further where no set gives everything.
_WIDTH = 5
#: Number of changes up to which all sets are tried; in larger ones, only changes that give some value, alone
#: or beside another.
_TRIED_TOGETHER = 2
#: Number of values that must need each changed axis, as far as inputs show it.
_SECURED_BY = 5
#: Number of values that must need an axis if others are unexplained.
_FEWEST_NEEDED = 2


class Explained(Struct, frozen=True, eq=False):
    """The sets of conventions that give the answers.

    Attributes:
        search: the search that found them.
        proofs: those with the fewest changes, likeliest first; if ``complete`` is False, the one set that
            gives most answers and contradicts none that the reference gives.
        complete: whether they give all answers that count; counts: which do.
        tolerance: the tolerance within which they give them.
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
        """Whether only the answers of queries without ties are explained."""
        return self.counts in _UNTIED

    def with_part(self, part: Explanation) -> Explained:
        """For answers that nothing explains: ``part``, which explains more than half of those that differ, if
        most of the values that each of its changes affects are met; else what does explain most."""
        every, base = (self.search.evidence, *self.search.beside), self.search.situation.base
        unmet, left = (sum(e.unmet(c) for e in every) for c in (base, part.conventions))
        if unmet <= 2 * left:
            return self
        with_it = [e.given(part.conventions)[0] for e in every]
        for axis, _ in part.changes:
            without = [e.given(part.conventions.as_in(base, axis.name))[0] for e in every]
            gained = sum(int((w & ~o).sum()) for w, o in zip(with_it, without, strict=True))
            lost = sum(int((o & ~w).sum()) for w, o in zip(with_it, without, strict=True))
            if gained < _FEWEST_NEEDED or gained <= _MOSTLY * lost:
                return self
        return Explained(self.search, [part], False, self.tolerance)

    @property
    def constant(self) -> bool:
        """Whether all answers are the same number, as where nothing counts as relevant."""
        observed = (e.observed for e in (self.search.evidence, *self.search.beside))
        return len({value for of in observed for value in of.values[of.present].tolist()}) < 2

    @property
    def hardly_refuted(self) -> list[Conventions]:
        """The likeliest set without one of its changes, for each change that few values need."""
        base, every = self.search.situation.base, (self.search.evidence, *self.search.beside)
        without = [self.found.as_in(base, name) for name in self.found.changes_from(base)]
        return [c for c in without if sum(e.unmet(c) for e in every) < _SECURED_BY]


def explained(
    asked: Sequence[Asked], base: Conventions, fixed: frozenset[str], *, ties_open: bool, whole: bool = True
) -> Explained:
    """The likeliest explanation of a metric's answers.

    All answers are explained if possible; else all but missing values on input out of the ordinary; else
    those in single precision; else those of queries without ties. If nothing does, a set of at most two
    changes may explain a part.

    Args:
        fixed: axes fixed by the call.
        ties_open: whether the metric itself orders tied documents.
        whole: whether something may give all answers; else only a part is looked for.
    """
    first: Explained | None = None
    unmet_by_part = 0
    asked_before: list[int] = []
    for tolerance, counts in _views(ties_open=ties_open):
        evidence = evidence_of(asked, base, tolerance, counts)
        unmet = sum(e.unmet(base) for e in evidence)
        if unmet in asked_before:
            continue  # the same question again
        if first and counts in _UNTIED and 2 * sum(e.unmet(first.found) for e in evidence) > unmet_by_part:
            continue  # most of what nothing explains has other causes than ties
        asked_before.append(unmet)
        search = search_among(evidence, fixed)
        proofs = _complete(search, fixed) if whole else []
        if proofs:
            return Explained(search, proofs, True, tolerance, counts)
        if first is None:
            part = search.explanation(*_part(search))
            first = Explained(search, [part], False, tolerance)
            unmet_by_part = sum(e.unmet(part.conventions) for e in evidence)
        if not whole:
            break
    assert first is not None
    return first


def on_all(explanation: Explained, asked: Sequence[Asked], fixed: frozenset[str]) -> Explained | None:
    """The explanation on more answers, which its sets must give as well; None if none does."""
    base = explanation.search.situation.base
    counts = of_ordinary if explanation.counts is all_count else explanation.counts
    search = search_among(evidence_of(asked, base, explanation.tolerance, counts), fixed)
    proofs = [search.explanation(*proof.changes) for proof in explanation.proofs]
    proofs = [proof for proof in proofs if search.complete(proof)]
    return Explained(search, proofs, True, explanation.tolerance, counts) if proofs else None


def search_among(
    evidence: Sequence[Evidence], fixed: frozenset[str], formulas: Sequence[Formula] = ()
) -> Search:
    """The search for what gives all of some evidence."""
    differing = [int((e.differing).sum()) * e.judge_cells for e in evidence]
    chosen = evidence[int(np.argmax(differing))]
    beside = [e for e in evidence if e is not chosen]
    mismatching = chosen.differing
    if not mismatching.any():
        mismatching = np.ones_like(mismatching)
    return Search(chosen, mismatching, beside=beside, fixed=fixed, formulas=formulas)


def needed(asked: Sequence[Asked], conventions: Conventions, base: Conventions, tolerance: float) -> set[str]:
    """The axes on which conventions must differ from ``base`` to give what they give of some answers. Of
    several that give the same, the last one is needed."""
    left, evidence = conventions, list[Evidence]()
    for name in conventions.changes_from(base):
        evidence = evidence or evidence_of(asked, conventions, tolerance)
        without = left.as_in(base, name)
        able = all(e.recomputer.possible(without) for e in evidence)
        if able and not any(e.unmet(without) > e.unmet(left) for e in evidence):
            left = without
    return set(left.changes_from(base))


def share_explained(
    asked: Sequence[Asked], base: Conventions, fixed: frozenset[str], most: int
) -> tuple[float, Conventions]:
    """The share of some values that conventions with at most ``most`` changes give, and these conventions."""
    evidence = evidence_of(asked, base, max(TOLERANCES))
    search = search_among(evidence, fixed)
    values = sum(len(e.observed.present) if e.judge_cells else int(e.counts_mean) for e in evidence)

    def unmet(changes: Changes) -> int:
        return sum(e.unmet(search.changed(changes)) for e in evidence)

    if proofs := search.smallest(_TRIED_TOGETHER):
        return 1.0, proofs[0].conventions
    best, left = cast(Changes, ()), unmet(())
    sets = [best]
    for _ in range(most):
        grown = dict.fromkeys(in_order((*s, c)) for s in sets for c in search.telling_changes(s))
        unmet_by = {s: unmet(s) for s in grown}
        sets = sorted(grown, key=unmet_by.__getitem__)[:_WIDTH]
        if not sets or unmet_by[sets[0]] >= left:
            break
        best, left = sets[0], unmet_by[sets[0]]
    return 1 - left / max(values, 1), search.changed(best)


def _complete(search: Search, fixed: frozenset[str]) -> list[Explanation]:
    """The sets with the fewest changes that give everything, likeliest first; without twins."""
    found = search.smallest(_TRIED_TOGETHER)
    if not found and search.judge_cells and not search.hopeless:
        differing = sum(e.unmet(search.situation.base) for e in (search.evidence, *search.beside))
        telling = _telling(search)
        for size in range(_TRIED_TOGETHER + 1, _MOST_AXES + 1):
            if found or differing < differing_for(size):
                break
            only = _most(telling, size)
            among = Search(search.evidence, search.mismatching, beside=search.beside, fixed=fixed, only=only)
            found = sorted(among.complete_of_size(size), key=among.unlikeliness)
    return _without_twins(found, search.situation.measure)


def _telling(search: Search) -> dict[Change, int]:
    """The changes that give some value alone, or beside a change or a pair that gives many, with how many.

    The battery has queries that show single changes, or two, so what shows on none is no part.
    """
    found = search.telling_changes()
    likely = sorted(found, key=lambda change: -found[change])[:_MOST_AXES]
    part = _part(search)
    for beside in (part, *((change,) for change in likely)):
        for change, number in search.telling_changes(beside).items():
            found[change] = max(number, found.get(change, 0))
    return found | dict.fromkeys(part, max(found.values(), default=0))


def _most(telling: Mapping[Change, int], size: int) -> list[Change]:
    """As many of the most telling changes as make a bounded number of sets of a size."""
    most: list[Change] = []
    values: Counter[str] = Counter()
    for change in sorted(telling, key=lambda change: -telling[change]):
        values[change[0].name] += 1
        number = [1] + [0] * size  # of the sets of each size
        for of_axis in values.values():
            number = [1, *(more + of_axis * less for less, more in pairwise(number))]
        if number[size] > _MOST_SETS:
            break
        most.append(change)
    return most


def _without_twins(found: list[Explanation], measure: Measure) -> list[Explanation]:
    """The explanations without those that are the same on every input as a likelier one."""
    kept = found[:1]
    for explanation in found[1:]:
        synthetic = on_synthetic(measure, found[0].conventions)
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
    """Whether the answer for a query counts: all but missing values on input out of the ordinary."""
    return there or is_ordinary(id, query)


def _given(id: str, query: Query, there: bool) -> bool:
    """As :func:`of_ordinary`, without any missing value: a metric may refuse lists of one document."""
    return there


def _untied(id: str, query: Query, there: bool) -> bool:
    return of_ordinary(id, query, there) and distinct_scores(query, np.float64)


def _untied_in_single(id: str, query: Query, there: bool) -> bool:
    return of_ordinary(id, query, there) and distinct_scores(query, np.float32)


def distinct_scores(query: Query, kind: type[np.floating]) -> bool:
    """Whether no two scores of a query are equal in a precision."""
    return len({float(kind(line.score)) for line in query.lines}) == len(query.lines)


_UNTIED = (_untied, _untied_in_single)


def _part(search: Search) -> Changes:
    """The changes, at most two, that give most differing answers and all that the reference gives; none if
    no such changes give more than half of the differing answers."""
    every, base = (search.evidence, *search.beside), search.situation.base
    before = [e.given(base) for e in every]

    def gained(conventions: Conventions) -> int:
        total = 0
        for e, (cells, mean) in zip(every, before, strict=True):
            there, as_well = e.given(conventions)
            if e.judge_cells and (cells & ~there).any():
                return -1
            total += int((there & ~cells).sum()) if e.judge_cells else int(as_well and not mean)
        return total

    best, most = cast(Changes, ()), 0
    for size in (1, 2):
        for e in search.partial_of_size(size, ~search.mismatching):
            number = gained(e.conventions)
            if number >= most + _FEWEST_NEEDED:
                best, most = e.changes, number
    left = sum(e.unmet(search.changed(best)) for e in every)
    return best if most > left else ()


#: Cutoffs that are tried for every measure, beside its own and those near it.
_CUTOFFS = (1, 2, 3, 5, 10, 15, 20, 25, 30, 50, 100, 200, 500, 1000)
#: Number of rivals from which on nothing is named, because it would say nothing.
_MOST_NAMED = 3
#: Maximum number of changes, the formula among them.
_MOST = 2


def recognised(
    asked: Sequence[Asked], search: Search, fixed: frozenset[str], most: int
) -> tuple[Recognised, Conventions] | None:
    """The measure or formula that gives every value of a metric, also as conventions; None if there is none,
    or many.

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
    formulas = decoys(measure, (k - 1, k + 1, 2 * k, *_CUTOFFS))
    among = search_among(evidence, fixed, formulas)
    for size in range(1, min(most + 1, _MOST) + 1):
        found = [e for e in among.complete_of_size(size) if _formula_of(e) is not None]
        if found:
            return _named(found, among, formulas, size)
    return None


def _size(evidence: Evidence) -> int:
    """Number of values that count."""
    return int(evidence.observed.present.sum()) * evidence.judge_cells or int(evidence.counts_mean)


def _formula_of(explanation: Explanation) -> Formula | None:
    return next((value for axis, value in explanation.changes if axis is FORMULA), None)


def _named(
    found: Sequence[Explanation], among: Search, formulas: Sequence[Formula], size: int
) -> tuple[Recognised, Conventions] | None:
    """The likeliest of the formulas that give everything, with its doubts; None if many do."""
    evidence = (among.evidence, *among.beside)
    chosen = found[0]
    rest = [change for change in chosen.changes if change[0] is not FORMULA]
    others = [among.explanation(*rest, (FORMULA, formula)) for formula in formulas]

    def misses_few(of: Explanation) -> bool:
        missed = accumulate(e.unmet(of.conventions) for e in evidence)
        return all(number < NEEDED_ON for number in missed)

    synthetic = on_synthetic(among.situation.measure, among.situation.base)
    rivals = [
        other
        for other in {e.conventions: e for e in (*found, *others)}.values()
        if misses_few(other) and not same_everywhere(synthetic, chosen.conventions, other.conventions)
    ]
    if len(rivals) >= _MOST_NAMED:
        return None
    doubts = [
        f"fewer than {NEEDED_ON} values would differ without {axis.name}"
        for axis, _ in rest
        if misses_few(among.explanation(*(c for c in chosen.changes if c[0] is not axis)))
    ]
    if rivals:
        doubts.append(f"fewer than {NEEDED_ON} values tell it apart from {_words(rivals[0])}")
    tried = among.tried(size)
    if chance(among, tried) >= MOST_CHANCE:
        doubts.append(f"one of {tried:,} formulas and sets of conventions may give these values by chance")
    formula = _formula_of(chosen)
    assert formula is not None
    known = Recognised(
        formula=formula.name,
        measure=None if formula.measure is None else str(formula.measure),
        conventions={axis.name: plain(value) for axis, value in rest},
        strength="consistent" if doubts else "proved",
        doubt="; ".join(doubts),
        rivals=list(map(_words, rivals)),
        values=sum(map(_size, evidence)),
    )
    return known, chosen.conventions


def _words(explanation: Explanation) -> str:
    changes = (f"{axis.name}={value}" for axis, value in explanation.changes if axis is not FORMULA)
    return " with ".join((str(_formula_of(explanation)), *changes))
