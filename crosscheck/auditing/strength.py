"""The experiments and the fresh inputs of an audit as evidence, judged by the rules of a diagnosis."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, combinations
from math import prod

from msgspec.structs import replace

from crosscheck.auditing.axes import Axis, has_level
from crosscheck.auditing.checking import Asked
from crosscheck.auditing.elimination import Elimination
from crosscheck.auditing.hypothesis_ranking import fewest_changes
from crosscheck.compare import align
from crosscheck.conventions import AxisValue, Conventions, plain
from crosscheck.errors import BackendError
from crosscheck.hypotheses.changes import Change, Options
from crosscheck.hypotheses.evidence import Evidence
from crosscheck.hypotheses.rivals import NEEDED_ON, differing_for, doubts
from crosscheck.hypotheses.search import Search
from crosscheck.probes.special import ABOVE_ALL

__all__ = [
    "doubts_about",
    "earned",
    "evidence_of",
    "fitting",
    "of_fresh",
    "options_of",
    "second_look",
    "tried_sets",
]

#: Maximum number of changed axes counted: more only make chance smaller.
_MOST_COUNTED = 4


def doubts_about(
    search: Elimination, axes: Sequence[Axis], likeliest: Sequence[Conventions], fresh: Sequence[Asked]
) -> tuple[str, list[str]]:
    """The reason why conventions that predict everything are not proved, empty if they are; and the rival
    formulas.

    Args:
        axes: the axes that were examined.
        likeliest: the remaining sets of conventions, all of which predict everything.
        fresh: the metric's answers on fresh inputs.
    """
    base = search.base
    first, *beside = evidence_of(search, fresh)
    options = options_of(axes, likeliest)
    differing = sum(evidence.unmet(base) for evidence in (first, *beside))
    if differing < NEEDED_ON:
        return f"only {differing} of the values {'differs' if differing == 1 else 'differ'}", []
    counterfactual = Search(first, first.differing, beside=beside, options=options)
    sets = [_changes(axes, found, base) for found in likeliest]
    size = len(sets[0])
    proofs = [counterfactual.explanation(*changes) for changes in sets if len(changes) == size]
    tried = tried_sets(axes, size)
    return doubts(counterfactual, proofs, tried, ("value", "values"))


def earned(search: Elimination, likeliest: list[Conventions], fresh: Sequence[Asked]) -> list[Conventions]:
    """The likeliest sets; or only the reference's conventions, if fewer values differ than sets of so many
    changes need, and then the values that differ count as unexplained.

    Args:
        fresh: the metric's answers on fresh inputs.
    """
    needed = differing_for(len(likeliest[0].changes_from(search.base)))
    if needed and sum(evidence.unmet(search.base) for evidence in evidence_of(search, fresh)) < needed:
        search.withdraw()
        return [search.base]
    return likeliest


def fitting(
    search: Elimination, likeliest: Sequence[Conventions], fresh: Sequence[Asked]
) -> list[Conventions]:
    """The sets of ``likeliest`` that predict every value, and no value where the metric gives none."""
    evidence = evidence_of(search, fresh)
    return [found for found in likeliest if all(one.holds(found) for one in evidence)]


def options_of(axes: Sequence[Axis], found: Sequence[Conventions]) -> Options:
    """The axes with their values other than the reference's, including the values in ``found``."""
    values = {axis: dict.fromkeys((*axis.options, *(c.plain(axis.name) for c in found))) for axis in axes}
    return [(axis.cause, [v for v in values[axis] if v != axis.reference]) for axis in axes]


def evidence_of(search: Elimination, fresh: Sequence[Asked]) -> list[Evidence]:
    """The values of a metric in an audit as evidence: first from the experiments, then from fresh inputs."""
    small = search.evidence(search.base)
    return [*small, *of_fresh(fresh, small[0], search.base)]


def tried_sets(axes: Sequence[Axis], size: int) -> int:
    """The number of sets of at most ``size`` changes (and at most 4).

    A diagnosis counts only axes that can matter on its given inputs. An audit makes inputs on which every
    axis can matter, so it has tried more sets, and must be more careful about chance.
    """
    values = [len(axis.options) for axis in axes]
    return sum(sum(map(prod, combinations(values, n))) for n in range(1, min(size, _MOST_COUNTED) + 1))


def _changes(axes: Sequence[Axis], found: Conventions, base: Conventions) -> list[Change]:
    changed = found.changes_from(base)
    return [(axis.cause, changed[axis.name]) for axis in axes if axis.name in changed]


def second_look(
    search: Elimination, axes: Sequence[Axis], found: Conventions, fresh: Sequence[Asked]
) -> list[Conventions]:
    """Conventions that predict both the fresh inputs and the experiments, for use if ``found`` does not.

    Fresh inputs show values of axes that small ones cannot: a depth of 200, a level of 10. From ``found`` and
    from the reference's conventions, one axis is changed and, unless that gives a set of at most two changes,
    two axes; even three, if the small inputs seem to hold nothing relevant. The likeliest set comes first;
    empty if no set predicts everything.
    """
    searches: list[Search] = []
    for base in dict.fromkeys((found, search.base)):
        small = search.evidence(base)
        real = of_fresh(fresh, small[0], base)
        if real:
            first = max(real, key=lambda evidence: int(evidence.differing.sum()))
            options = [(axis.cause, _values(axis, base, real)) for axis in axes]
            beside = [*small, *(evidence for evidence in real if evidence is not first)]
            searches.append(Search(first, first.differing, beside=beside, options=options))
    better: dict[Conventions, None] = {}
    for size in (1, 2, 3) if has_level(found, ABOVE_ALL) else (1, 2):
        better |= dict.fromkeys(e.conventions for one in searches for e in one.complete_of_size(size))
        if any(len(c.changes_from(search.base)) <= size + 1 for c in better):
            break  # more changes give none that has fewer
    return fewest_changes(list(better), search.base, axes)


def _values(axis: Axis, base: Conventions, evidence: Sequence[Evidence]) -> list[AxisValue]:
    """The values of an axis that can matter on small or on fresh inputs, without the value in ``base``."""
    views = (axis.cause.options(of.recomputer) for of in evidence)
    every = dict.fromkeys(map(plain, chain(axis.values, *views)))
    return [value for value in every if value != base.plain(axis.name)]


def of_fresh(fresh: Sequence[Asked], like: Evidence, base: Conventions) -> list[Evidence]:
    """The answers on fresh inputs as evidence, with the measure and the tolerance of other evidence."""
    found: list[Evidence] = []
    for one in fresh:
        if not isinstance(one.answer, BackendError):
            recomputer = replace(one.recomputer, base=base)
            observed = align(one.answer, recomputer.rankings.pairing.all_topics)
            found.append(
                Evidence(recomputer, observed, judge_cells=bool(one.answer.values), tolerance=like.tolerance)
            )
    return found
