"""The impact of different values of a measure on conclusions about systems.

The values of the same systems on the same queries, from two sets of conventions or two tools (the "sides"
reference and candidate), give two rankings of the systems and two sets of significant differences, which are
compared here. Means are used as reported (over the queries with a value), because these are published.
Differences between systems are tested on the queries for which both systems have a value.

Means that differ by less than 1e-12 are tied; values that differ by less than 1e-9 are equal.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.util import find_spec
from itertools import combinations
from typing import TypeAlias

import numpy as np
from msgspec.structs import replace

from crosscheck import results
from crosscheck.errors import ArgumentError, count, install, joined, no_such, quoted, safe_text
from crosscheck.evaluation.summarise import mean_of
from crosscheck.measures.arithmetic import sequential_sum
from crosscheck.model import Aggregate, MeasureValues, display
from crosscheck.results import Impact, QueryMove, SignificanceChange, SwappedPair, SystemMove, TestName
from crosscheck.statistics.agreement import kendall_tau, tau_ap
from crosscheck.statistics.paired import PairedTest, corrected, mean, paired_differences, paired_tests, units

TEST_NAMES = {
    "sign": "sign test",
    "wilcoxon": "Wilcoxon signed-rank test",
    "t": "paired t-test",
    "randomisation": "randomisation test",
}


#: What the worse system of a pair does to the better one.
_OVERTAKES = {
    "swapped": "{} overtakes {}",
    "now tied": "{} draws level with {}",
    "no longer tied": "{} gets ahead of {}, with which it was tied",
}


def summary(result: Impact) -> str:
    """The paragraph that describes an impact. The first sentence says whether conclusions change."""
    measured = f"{safe_text(result.candidate)} instead of {safe_text(result.reference)}"
    if not result.changed:
        same = f"Nothing changes: {result.measure} has the same {result.values:,} values"
        return f"{same} under {measured}, so every conclusion stays."
    verb = "changes" if result.changed == 1 else "change"
    of = f"{result.changed:,} of {count(result.values, 'value')} of {result.measure}"
    answer = "Conclusions change:" if result.affected else "No conclusion changes, although"
    answer = "No conclusion can be compared, although" if result.affected is None else answer
    parts = [f"{answer} {of} {verb} under {measured}.", _ranking(result), _significance(result)]
    return " ".join(filter(None, [*parts, _means(result), _queries(result)]))


def _three(texts: Sequence[str]) -> str:
    """The first three texts, and how many more there are."""
    return "; ".join([*texts[:3], *[f"and {len(texts) - 3} more"] * (len(texts) > 3)])


def _ranking(result: Impact) -> str:
    ranked = sum(1 for s in result.systems if s.reference_rank is not None and s.candidate_rank is not None)
    if ranked < 2:
        return ""
    known = [t for t in (result.tau, result.tau_ap) if t.value is not None and result.tau.value is not None]
    values = ", ".join(f"{t.name} {t.value:.3f}" for t in known)
    tau = f" (Kendall's {values})" if values else ""
    if not result.swaps:
        return f"The ranking of the {ranked} systems stays the same{tau}."
    swaps = f"{len(result.swaps)} of {count(ranked * (ranked - 1) // 2, 'pair')}"
    examples = [_OVERTAKES[s.change].format(quoted(s.worse), quoted(s.better)) for s in result.swaps]
    return f"The ranking of the {ranked} systems changes: {swaps}{tau}: {_three(examples)}."


def _significance(result: Impact) -> str:
    if result.reference_significant is None and result.candidate_significant is None:
        return ""
    correction = f"{result.correction} over {count(result.pairs, 'pair')}"
    how = f"{TEST_NAMES[result.test]}, {correction}, level {result.alpha:g}"
    if not result.significance:
        held = result.reference_significant or 0
        return f"No significant difference appears or vanishes ({held} before and after; {how})."
    kinds = Counter(change.change for change in result.significance)
    shown = [f"{kinds[kind]} {kind}" for kind in ("vanished", "appeared", "reversed") if kind in kinds]
    examples = _three([_change(change) for change in result.significance])
    return f"Significant differences change: {joined(shown)} ({how}): {examples}."


def _change(change: SignificanceChange) -> str:
    p = f"p {_p(change.reference_p)} before, {_p(change.candidate_p)} now"
    return f"{quoted(change.a)} and {quoted(change.b)} ({p})"


def _p(value: float | None) -> str:
    return "none" if value is None else "below 0.0001" if value < 0.0001 else f"{value:.4f}"


def _means(result: Impact) -> str:
    moved = [s for s in result.systems if s.difference is not None]
    farthest = max(moved, key=lambda s: abs(s.difference or 0.0), default=None)
    if not farthest or not farthest.difference:
        return "No mean moves." if farthest else ""
    return (
        f"The mean that moves farthest is that of {quoted(farthest.run)}: "
        f"{farthest.reference_value:.4f} to {farthest.candidate_value:.4f} ({farthest.difference:+.4f})."
    )


def _queries(result: Impact) -> str:
    named = joined(quoted(move.query) for move in result.queries[:3])
    of = f"Of the {result.moved:,} queries that move, " if result.moved > 3 else "Queries that move: "
    return f"{of}{named}{' move most' * (result.moved > 3)}." if named else ""


def notes(
    result: Impact, left_out: Sequence[str], tests: Iterable[tuple[_Pair, PairedTest]] | None, unpaired: int
) -> Iterator[str]:
    """Yield sentences about results that could not be computed, with the reasons.

    Args:
        left_out: systems with values on one side only.
        tests: all pairs with their tests, of both sides; None if scipy is missing.
        unpaired: number of queries that a test between two systems left out.
    """
    yield from (f"{quoted(name)} is left out: only one side has values of it." for name in left_out)
    for system in result.systems:
        if system.difference is None:
            yield f"{quoted(system.run)} has no finite mean on one side, so it is left out of the rankings."
    if len(result.systems) < 2:
        yield f"A ranking needs at least two systems, not {len(result.systems)}."
    if tests is None:
        yield f"Significance was not tested: scipy is not installed ({install('stats')})."
    else:
        noted = dict.fromkeys((one.note, f"{quoted(a)} and {quoted(b)}") for (a, b), one in tests if one.note)
        for note in dict.fromkeys(note for note, _ in noted):
            yield f"{_three([names for other, names in noted if other == note])}: {note}"
    if unpaired:
        lacking = f"{count(unpaired, 'query')} without a value in some run"
        yield f"{lacking}: the tests of that run leave them out."
    for system in result.systems:
        if system.reference_queries != system.candidate_queries:
            sides = f"{count(system.reference_queries, 'value')} on one side and {system.candidate_queries:,}"
            yield f"{quoted(system.run)} has {sides} on the other: its two means are over different queries."


def check_significance(test: str, alpha: float) -> None:
    """Check the arguments of a significance test.

    Raises:
        ArgumentError: there is no such test, or ``alpha`` is not between 0 and 1.
    """
    if test not in TEST_NAMES:
        raise no_such("test", test, TEST_NAMES, ArgumentError)
    if not 0 < alpha < 1:
        raise ArgumentError(f"alpha must be between 0 and 1, not {alpha!r}")


#: Values that differ by less than this are equal, as in the comparison of backends.
_SAME = 1e-9
#: Most queries named as causes of one change, and most queries listed as changing most.
_CAUSES, _LISTED = 5, 20

_Pair: TypeAlias = tuple[str, str]


def impact(
    reference: Mapping[str, MeasureValues],
    candidate: Mapping[str, MeasureValues],
    *,
    measure: str,
    names: tuple[str, str] = ("reference", "candidate"),
    test: TestName = "t",
    alpha: float = 0.05,
    aggregate: Aggregate = "mean",
    case: str = "",
) -> Impact:
    """Find which conclusions about systems change if the candidate's values replace the reference's values.

    Args:
        reference, candidate: system -> values. A system on one side only is left out, and a note says so.
        measure: name of the measure, for the record; names: names of the two conventions or backends.
        test: the paired test that decides significance; alpha: level of significance after Holm's correction
            over all pairs of systems.
        aggregate: how the measure is summarised over queries.
        case: name of the case, for the record.

    Returns:
        The record, with a paragraph in plain words. With fewer than two systems there is no ranking, and
            without scipy there are no tests; notes say so.

    Raises:
        ArgumentError: the test is unknown, or alpha is not between 0 and 1.
    """
    check_significance(test, alpha)
    shared = [name for name in reference if name in candidate]
    before, after = (_Side({name: of[name] for name in shared}, aggregate) for of in (reference, candidate))
    ranked = [name for name in shared if name in before.ranking and name in after.ranking]
    scores = [before.ranking[n] for n in ranked], [after.ranking[n] for n in ranked]
    pairs = list(combinations(shared, 2))
    tests = tuple(side.tests(pairs, test) for side in (before, after)) if find_spec("scipy") else None
    moves = sorted(_query_moves(shared, before, after), key=lambda move: -move.total)
    systems = [_system(name, before, after) for name in shared]
    result = Impact(
        case=case,
        measure=measure,
        reference=names[0],
        candidate=names[1],
        affected=None,
        systems=sorted(systems, key=lambda s: (s.reference_rank is None, s.reference_rank or 0)),
        tau=kendall_tau(*scores),
        tau_ap=tau_ap(*scores),
        swaps=_swaps(before, after, ranked),
        test=test,
        alpha=alpha,
        pairs=len(pairs),
        reference_significant=_significant(tests[0], alpha) if tests else None,
        candidate_significant=_significant(tests[1], alpha) if tests else None,
        significance=[*_changes(pairs, before, after, tests, alpha)] if tests else [],
        values=sum(len(before.values[n].keys() | after.values[n].keys()) for n in shared),
        changed=sum(system.changed for system in systems),
        moved=len(moves),
        queries=moves[:_LISTED],
        notes=[],
        summary="",
    )
    unpaired = max(before.unpaired(), after.unpaired())
    decidable = len(ranked) > 1 or result.reference_significant is not None
    affected = bool(result.swaps or result.significance) if decidable else None
    left_out = sorted((reference.keys() | candidate.keys()) - set(shared))
    reasons = [one for of in tests for one in zip(pairs, of, strict=True)] if tests else None
    result = replace(result, affected=affected, notes=[*notes(result, left_out, reasons, unpaired)])
    return replace(result, summary=summary(result))


class _Side:
    """The values, means and ranks of the systems under the reference or under the candidate."""

    def __init__(self, systems: Mapping[str, MeasureValues], aggregate: Aggregate) -> None:
        self.values: dict[str, dict[bytes, float]] = {n: m.values for n, m in systems.items()}
        self.means = {n: results.finite(mean_of(m, aggregate)) for n, m in systems.items()}
        #: System -> mean in units of 1e-12, so that rounding errors do not affect the ranking.
        self.ranking = {n: units([mean])[0] for n, mean in self.means.items() if mean is not None}
        scores = self.ranking.values()
        self.ranks = {n: 1 + sum(other > own for other in scores) for n, own in self.ranking.items()}

    def tests(self, pairs: Sequence[_Pair], test: TestName) -> list[PairedTest]:
        """The test of each pair of systems, with corrected p-values."""
        differences = [paired_differences(self.values[a], self.values[b])[0] for a, b in pairs]
        return corrected(paired_tests(test, differences))

    def unpaired(self) -> int:
        """The number of queries that the test of at least one pair leaves out, because one of the two systems
        has no finite value."""
        systems = self.values.values() if len(self.values) > 1 else ()
        queries = {query for of in systems for query in of}
        return sum(not all(math.isfinite(of.get(q, math.nan)) for of in systems) for q in queries)

    def value(self, name: str, query: bytes) -> float:
        """The value of a system on a query or, if there is no finite value, the mean of the system, by which
        a mean over the queries would not change."""
        known = (results.finite(self.values[name].get(query)), self.means[name], 0.0)
        return next(value for value in known if value is not None)


def _same(one: float | None, other: float | None) -> bool:
    if one is None or other is None or one == other:
        return one == other
    return abs(one - other) <= _SAME or (math.isnan(one) and math.isnan(other))


def _system(name: str, before: _Side, after: _Side) -> SystemMove:
    one, other = before.means[name], after.means[name]
    old, new = before.values[name], after.values[name]
    difference = None if one is None or other is None else other - one
    ranks = before.ranks.get(name), after.ranks.get(name)
    changed = sum(not _same(old.get(q), new.get(q)) for q in old.keys() | new.keys())
    return SystemMove(name, one, other, difference, *ranks, len(old), len(new), changed)


def _swaps(before: _Side, after: _Side, ranked: Sequence[str]) -> list[SwappedPair]:
    """The pairs of systems whose order changes. First the pairs that were not tied under the reference, by
    descending lead; then the pairs that were tied, by descending lead under the candidate."""
    ordered = []
    for one, other in combinations(ranked, 2):
        lead = before.ranking[one] - before.ranking[other]
        trail = after.ranking[other] - after.ranking[one]
        if lead < 0 or (not lead and trail < 0):
            one, other, lead, trail = other, one, abs(lead), -trail
        if trail < 0 or not (lead or trail):
            continue
        order = (0, -lead, one, other) if lead else (1, -trail, other, one)
        change: results.PairChange = "no longer tied" if not lead else "swapped" if trail else "now tied"
        queries = _causes(one, other, before, after, falls=True)
        ordered.append((order, SwappedPair(one, other, change, lead / 1e12, trail / 1e12, queries)))
    return [swap for _, swap in sorted(ordered, key=lambda entry: entry[0])]


def _queries_of(systems: Sequence[str], before: _Side, after: _Side) -> set[bytes]:
    return set().union(*(side.values[name] for side in (before, after) for name in systems))


def _causes(a: str, b: str, before: _Side, after: _Side, falls: bool = False) -> list[str]:
    """The queries on which the lead of ``a`` over ``b`` changes most; ``falls``: only those on which it
    falls."""

    def lead(side: _Side, query: bytes) -> float:
        return side.value(a, query) - side.value(b, query)

    change = {q: lead(after, q) - lead(before, q) for q in _queries_of((a, b), before, after)}
    moved = [q for q, size in change.items() if (-size if falls else abs(size)) > _SAME]
    return [display(q) for q in sorted(moved, key=lambda q: (-abs(change[q]), q))[:_CAUSES]]


def _significant(tests: Sequence[PairedTest], alpha: float) -> int | None:
    """The number of significant pairs; None if no pair could be tested."""
    known = [t.p_holm for t in tests if t.p_holm is not None]
    return sum(p < alpha for p in known) if known else None


def _changes(
    pairs: Sequence[_Pair], before: _Side, after: _Side, tests: Sequence[Sequence[PairedTest]], alpha: float
) -> Iterator[SignificanceChange]:
    for (a, b), old, new in zip(pairs, *tests, strict=True):
        was, is_now = (t.p_holm is not None and t.p_holm < alpha for t in (old, new))
        one, other = (mean(paired_differences(side.values[a], side.values[b])[0]) for side in (before, after))
        turned = was and is_now and (one or 0.0) * (other or 0.0) < 0
        if was == is_now and not turned:
            continue
        change: results.SignificanceKind = "reversed" if turned else "vanished" if was else "appeared"
        queries = _causes(a, b, before, after)
        yield SignificanceChange(a, b, change, one, other, old.p_holm, new.p_holm, queries)


def _query_moves(systems: Sequence[str], before: _Side, after: _Side) -> Iterator[QueryMove]:
    """Yield a record for every query whose value changes, in byte order."""
    for query in sorted(_queries_of(systems, before, after)):
        differ = (n for n in systems if not _same(before.values[n].get(query), after.values[n].get(query)))
        moved = {name: abs(after.value(name, query) - before.value(name, query)) for name in differ}
        if not moved:
            continue
        run = max(moved, key=lambda name: moved[name])
        old, new = (results.finite(side.values[run].get(query)) for side in (before, after))
        total = sequential_sum(np.array(list(moved.values())))
        yield QueryMove(query=display(query), total=total, run=run, reference_value=old, candidate_value=new)
