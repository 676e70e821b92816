"""Recognition: the values are those of a different measure, of another cutoff, or of a formula that no axis
expresses."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress

import numpy as np
from msgspec.structs import replace

from crosscheck.conventions import AxisValue, Conventions
from crosscheck.errors import CrosscheckError
from crosscheck.evaluation.formula import FORMULA, Formula, scores_of
from crosscheck.explain.decoys import decoys
from crosscheck.explain.doubts import doubts, on_synthetic, sameness
from crosscheck.explain.evidence import Evidence
from crosscheck.explain.screens import part_of, telling
from crosscheck.explain.search import Explanation, Search
from crosscheck.measures import family
from crosscheck.model import Measure
from crosscheck.results import Recognised

#: Cutoffs that are tried for every measure, in addition to its own cutoff and cutoffs near it.
_CUTOFFS = (1, 2, 3, 5, 10, 15, 20, 25, 30, 50, 100, 200, 500, 1000)
#: The highest cutoff of those that are all tried, and the number of queries on which they are.
_HIGHEST_CUTOFF, _FOR_CUTOFF = 250, 6
#: Maximum number of changes; the formula is one of them.
_MOST = 2
#: If more kinds of formulas than this give all values, none is named, or only the measure itself with another
#: cutoff. A measure is one kind with any cutoff: all cutoffs beyond the ends of lists give the same values.
_MOST_NAMED = 3


def recognised(
    every: Sequence[Evidence],
    beside: int | None = None,
    fixed: Collection[str] = (),
    noun: tuple[str, str] = ("query", "queries"),
) -> tuple[Recognised, Conventions] | None:
    """The different measure or formula that gives all values of a candidate, and the conventions under which
    it does. None if no formula gives all values, too many formulas do, or the measure itself does.

    Args:
        every: the candidate's values.
        beside: number of changed axes of the conventions that give all values; None if none do. The formula
            and the changes with it must then be fewer.
        fixed: axes that the candidate cannot change.
        noun: the word for a value, as for :func:`~crosscheck.explain.doubts.doubts`.
    """
    evidence = [e for e in every if _size(e)]
    values = {float(value) for e in evidence for value in e.observed.values[e.observed.present]}
    most = _MOST if beside is None else min(beside - 1, _MOST)
    if most < 1 or not evidence or (len(values) < 2 and evidence[0].judge_cells):
        return None
    base, measure = evidence[0].recomputer.base, evidence[0].recomputer.measure
    if all(e.holds(base) for e in evidence):
        return None
    k = measure.cutoff or 0
    cutoffs = (k - 1, k + 1, 2 * k, *_CUTOFFS, *_fitting_cutoffs(evidence, measure))
    search = Search.among(evidence, fixed, decoys(measure, cutoffs, fixed))
    found = [e for e in search.smallest(most) if FORMULA in dict(e.changes)]

    def unlikely(explanation: Explanation) -> tuple[bool, bool]:
        """Sort key: formulas that are no measure with a cutoff first, then this measure with another one."""
        named = _formula_of(explanation).measure
        return named is not None and named.cutoff is not None, named is None or named.family != measure.family

    found.sort(key=unlikely)
    explanations = without_twins(search, found)
    kinds = {f.name if f.measure is None else f.measure.family for f in map(_formula_of, explanations)}
    several = f"{len(kinds)} formulas give all values" * (len(kinds) > _MOST_NAMED)
    if several:  # this measure with another cutoff is likelier than the others
        own = ((e, _formula_of(e).measure) for e in explanations)
        explanations = [e for e, of in own if of is not None and of.family == measure.family]
    if not explanations:
        return None
    chosen = explanations[0]
    others = [in_words(_formula_of(e).name, _conventions_of(e)) for e in explanations[1:]]
    formula, tried = _formula_of(chosen), search.choices.tried(len(chosen.changes))
    doubt, rivals = doubts(search, explanations, tried, noun)
    doubt = doubt or several or factor(evidence, chosen.conventions)
    known = Recognised(
        formula=formula.name,
        measure=None if formula.measure is None else str(formula.measure),
        conventions=_conventions_of(chosen),
        strength="consistent" if doubt else "proved",
        doubt=doubt,
        rivals=list(dict.fromkeys([*others, *rivals])),
        values=sum(map(_size, search.every)),
    )
    return known, chosen.conventions


def factor(every: Sequence[Evidence], found: Conventions) -> str:
    """A sentence if each value is that of the reference times the same number, which conventions give where,
    for example, all queries have as many relevant documents; empty if not, or if they always do."""
    measure, base, always = every[0].recomputer.measure, every[0].recomputer.base, False
    with np.errstate(divide="ignore", invalid="ignore"):
        parts = [(e.observed.values / e.values(base))[e.observed.present] for e in every if e.judge_cells]
    factors = np.unique(np.concatenate([np.zeros(0), *parts]).round(6))
    if len(factors := factors[~np.isnan(factors)]) != 1:
        return ""
    with suppress(CrosscheckError):  # some measures have no value on synthetic queries
        theirs, ours = (on_synthetic(measure, base).evaluated(c).values for c in (found, base))
        always = np.allclose(theirs, factors * ours, equal_nan=True)
    return "" if always else f"each value is the reference's times {factors[0]:.6g}"


def _fitting_cutoffs(every: Sequence[Evidence], measure: Measure) -> Iterator[int]:
    """Yield the cutoffs, up to the highest that is tried, with which the measure gives the values of some
    queries that differ under its own cutoff."""
    about, most = family(measure.family), max(every, key=lambda e: int(e.differing.sum()))
    if about.cutoff == "none" or about.at_parameter != "cutoff" or not most.judge_cells:
        return
    rankings = most.recomputer.rankings
    usable = most.differing & most.observed.present & rankings.pairing.measured
    queries = telling(np.flatnonzero(usable), most.observed.values, _FOR_CUTOFF)
    observed, room = most.observed.values[queries], most.slack[queries]
    some = replace(most.recomputer, rankings=part_of(rankings, queries.tolist()))
    for cutoff in range(1, _HIGHEST_CUTOFF + 1) if len(queries) else ():
        _, values = scores_of(some.judged, replace(measure, cutoff=cutoff), some.conventions)
        if (np.abs(values - observed) <= room).all():
            yield cutoff


def without_twins(search: Search, explanations: list[Explanation]) -> list[Explanation]:
    """The explanations without those that give the same values on every input as a likelier explanation."""
    kept, same = explanations[:1], sameness(search)
    for one in explanations[1:]:
        rivals = (e for e in kept if e.but_for_ranks != one.but_for_ranks)
        if not any(same(e.conventions, one.conventions) for e in rivals):
            kept.append(one)
    return kept


def _size(evidence: Evidence) -> int:
    """Number of values of some evidence; 1 if it is only a mean."""
    return int(evidence.observed.present.sum()) * evidence.judge_cells or int(evidence.counts_mean)


def _formula_of(explanation: Explanation) -> Formula:
    """The formula among the changes of an explanation."""
    formula: Formula = dict(explanation.changes)[FORMULA]
    return formula


def _conventions_of(explanation: Explanation) -> dict[str, AxisValue]:
    """The changed axes of an explanation beside its formula."""
    return {axis: value for axis, value in explanation.axes.items() if axis != FORMULA.name}


def in_words(formula: str, conventions: Mapping[str, AxisValue]) -> str:
    """A formula with its changed axes: ``nDCG@5 with gain=exponential``."""
    return " with ".join((formula, *(f"{axis}={value}" for axis, value in conventions.items())))
