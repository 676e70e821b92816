"""How strong the evidence of an audit is, by the same rules as that of a diagnosis."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from math import prod

from crosscheck.auditing.axes import Axis
from crosscheck.auditing.checking import Asked
from crosscheck.auditing.elimination import Elimination
from crosscheck.compare.differ import align
from crosscheck.conventions import Conventions
from crosscheck.errors import BackendError
from crosscheck.evaluation.rankings import Rankings
from crosscheck.evaluation.recomputer import Recomputer
from crosscheck.hypotheses.evidence import Evidence
from crosscheck.hypotheses.rivals import NEEDED_ON, doubts
from crosscheck.hypotheses.search import Change, Search

__all__ = ["doubts_about"]

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
    beside += [_evidence(one, first, base) for one in fresh if not isinstance(one.answer, BackendError)]
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


def _evidence(asked: Asked, like: Evidence, base: Conventions) -> Evidence:
    answer, rankings = asked.answer, Rankings(asked.probe.run, asked.probe.qrels)
    assert not isinstance(answer, BackendError)
    recomputer = Recomputer(rankings, like.recomputer.measure, base)
    observed = align(answer, rankings.pairing.all_topics)
    return Evidence(recomputer, observed, judge_cells=bool(answer.values), tolerance=like.tolerance)
