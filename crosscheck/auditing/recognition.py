"""Recognition of a metric that is not the measure it was audited as: other measures and formulas.

A formula is named only if it gives every value of the metric, with at most one axis changed.
"""

from __future__ import annotations

from collections.abc import Sequence

from crosscheck.audit_records import Recognised
from crosscheck.auditing.asking import Asked, evidence_of
from crosscheck.auditing.explaining import of_ordinary, search_among
from crosscheck.conventions import plain
from crosscheck.evaluation.formula import FORMULA, Formula
from crosscheck.hypotheses.decoys import decoys
from crosscheck.hypotheses.evidence import Evidence
from crosscheck.hypotheses.rivals import MOST_CHANCE, NEEDED_ON, chance, on_synthetic, same_everywhere
from crosscheck.hypotheses.search import Explanation, Search

__all__ = ["recognised"]

#: Cutoffs that are tried for every measure, beside its own and those near it.
_CUTOFFS = (1, 2, 3, 5, 10, 15, 20, 25, 30, 50, 100, 200, 500, 1000)
#: Number of rivals from which on nothing is named, because it would say nothing.
_MOST_NAMED = 3
#: Maximum number of changes, the formula among them.
_MOST = 2


def recognised(asked: Sequence[Asked], search: Search, fixed: frozenset[str], most: int) -> Recognised | None:
    """The measure or formula that gives every value of a metric; None if there is none, or many.

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
) -> Recognised | None:
    """The likeliest of the formulas that give everything, with its doubts; None if many do."""
    evidence = (among.evidence, *among.beside)
    chosen = found[0]
    rest = [change for change in chosen.changes if change[0] is not FORMULA]
    others = [among.explanation(*rest, (FORMULA, formula)) for formula in formulas]

    def missed(of: Explanation) -> int:
        return sum(e.unmet(of.conventions) for e in evidence)

    synthetic = on_synthetic(among.situation.measure, among.situation.base)
    rivals = [
        other
        for other in {e.conventions: e for e in (*found, *others)}.values()
        if not same_everywhere(synthetic, chosen.conventions, other.conventions) and missed(other) < NEEDED_ON
    ]
    if len(rivals) >= _MOST_NAMED:
        return None
    doubts = [
        f"fewer than {NEEDED_ON} values would differ without {axis.name}"
        for axis, _ in rest
        if missed(among.explanation(*(c for c in chosen.changes if c[0] is not axis))) < NEEDED_ON
    ]
    if rivals:
        doubts.append(f"fewer than {NEEDED_ON} values tell it apart from {_words(rivals[0])}")
    tried = among.tried(size)
    if chance(among, tried) >= MOST_CHANCE:
        doubts.append(f"one of {tried:,} formulas and sets of conventions may give these values by chance")
    formula = _formula_of(chosen)
    assert formula is not None
    return Recognised(
        formula=formula.name,
        measure=None if formula.measure is None else str(formula.measure),
        conventions={axis.name: plain(value) for axis, value in rest},
        strength="consistent" if doubts else "proved",
        doubt="; ".join(doubts),
        rivals=list(map(_words, rivals)),
        values=sum(map(_size, evidence)),
    )


def _words(explanation: Explanation) -> str:
    changes = (f"{axis.name}={value}" for axis, value in explanation.changes if axis is not FORMULA)
    return " with ".join((str(_formula_of(explanation)), *changes))
