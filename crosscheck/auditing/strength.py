"""The experiments and the fresh inputs of an audit as evidence, judged by the rules of a diagnosis."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, combinations
from math import prod

from crosscheck.auditing.axes import Axis
from crosscheck.auditing.checking import Asked
from crosscheck.auditing.elimination import Elimination
from crosscheck.compare.differ import align
from crosscheck.conventions import AxisValue, Conventions, plain
from crosscheck.errors import BackendError
from crosscheck.evaluation.rankings import Rankings
from crosscheck.evaluation.recomputer import Recomputer
from crosscheck.hypotheses.evidence import Evidence
from crosscheck.hypotheses.rivals import NEEDED_ON, doubts
from crosscheck.hypotheses.search import Change, Search

__all__ = ["doubts_about", "second_look"]

#: More changed axes are not counted: chance only gets smaller.
_MOST_COUNTED = 4


def doubts_about(
    search: Elimination, axes: Sequence[Axis], likeliest: Sequence[Conventions], fresh: Sequence[Asked]
) -> tuple[str, list[str]]:
    """Why conventions that predict everything are not proved, empty where they are; and rival formulas.

    Args:
        axes: those that were in question.
        likeliest: the sets of conventions that are left, all of which predict everything.
        fresh: what the metric said of fresh inputs.
    """
    base = search.base
    first, *beside = search.evidence(base)
    beside += _of_fresh(fresh, first, base)
    options = [(axis.cause, list(axis.options)) for axis in axes]
    differing = sum(evidence.unmet(base) for evidence in (first, *beside))
    if differing < NEEDED_ON:
        return f"only {differing} of the values {'differs' if differing == 1 else 'differ'}", []
    counterfactual = Search(first, first.differing, beside=beside, options=options)
    proofs = [counterfactual.explanation(*_changes(axes, found, base)) for found in likeliest]
    sizes = [len(axis.options) for axis in axes]
    changed = min(len(proofs[0].changes), _MOST_COUNTED)
    tried = sum(sum(map(prod, combinations(sizes, n))) for n in range(1, changed + 1))
    return doubts(counterfactual, proofs, tried, ("value", "values"))


def _changes(axes: Sequence[Axis], found: Conventions, base: Conventions) -> list[Change]:
    changed = found.changes_from(base)
    return [(axis.cause, changed[axis.name]) for axis in axes if axis.name in changed]


def second_look(
    search: Elimination, axes: Sequence[Axis], found: Conventions, fresh: Sequence[Asked]
) -> Conventions | None:
    """Conventions that predict the fresh inputs as well as the experiments, where those found do not.

    Fresh inputs show values of axes that small ones cannot: a depth of 200, a level of 10. Tried are changes
    of one and of two axes from those found and from the reference's; None where none predicts everything.
    """
    for base in dict.fromkeys((found, search.base)):
        small = search.evidence(base)
        real = _of_fresh(fresh, small[0], base)
        if not real:
            return None
        first = max(real, key=lambda evidence: int(evidence.differing.sum()))
        options = [(axis.cause, _values(axis, base, real)) for axis in axes]
        beside = [*small, *(evidence for evidence in real if evidence is not first)]
        again = Search(first, first.differing, beside=beside, options=options)
        for size in (1, 2):
            if better := again.complete_of_size(size):
                return better[0].conventions
    return None


def _values(axis: Axis, base: Conventions, evidence: Sequence[Evidence]) -> list[AxisValue]:
    """The values of an axis that can matter on small or on fresh inputs, but for that of the conventions."""
    views = (axis.cause.options(of.recomputer) for of in evidence)
    every = dict.fromkeys(map(plain, chain(axis.values, *views)))
    return [value for value in every if value != base.plain(axis.name)]


def _of_fresh(fresh: Sequence[Asked], like: Evidence, base: Conventions) -> list[Evidence]:
    """What was said of fresh inputs, with the measure and the tolerance of other evidence."""
    found: list[Evidence] = []
    for probe, answer in fresh:
        if not isinstance(answer, BackendError):
            rankings = Rankings(probe.run, probe.qrels)
            recomputer = Recomputer(rankings, like.recomputer.measure, base)
            observed = align(answer, rankings.pairing.all_topics)
            found.append(
                Evidence(recomputer, observed, judge_cells=bool(answer.values), tolerance=like.tolerance)
            )
    return found
