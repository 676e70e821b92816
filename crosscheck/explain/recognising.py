"""Recognition: the values are those of a different measure, of another cutoff, or of a formula that no axis
expresses."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from math import gcd

import numpy as np
from msgspec.structs import replace

from crosscheck.conventions import AxisValue, Conventions
from crosscheck.errors import CrosscheckError, count
from crosscheck.evaluation.formula import FORMULA, Formula, scores_of
from crosscheck.explain.decoys import decoys, sums_of_gains
from crosscheck.explain.doubts import doubts, on_synthetic, sameness
from crosscheck.explain.evidence import PROOF_TOLERANCE, Evidence
from crosscheck.explain.screens import part_of, telling
from crosscheck.explain.search import NEEDED_ON, Explanation, Search
from crosscheck.measures import family
from crosscheck.measures.base import GAINS
from crosscheck.model import FloatArray, Measure
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
#: Gains are looked for if there are at most so many relevance levels. They are whole numbers up to the second
#: constant, at most the third from what the values determine.
_MOST_LEVELS, _HIGHEST_GAIN, _NEAR = 10, 100, 0.05
#: The share of the values that the gains must give, and how often they are solved for; the highest number of
#: decimals after which values may be cut.
_MOST_OF, _ROUNDS, _MOST_PLACES = 0.9, 5, 6


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
    fitting = _with_fitting_gains(evidence, measure) if beside is None else ()
    search = Search.among(evidence, fixed, [*decoys(measure, cutoffs, fixed), *fitting])
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


def factor(every: Sequence[Evidence], found: Conventions, of: str = "the reference's") -> str:
    """A sentence if each value is that of the reference times the same number, which conventions give where,
    for example, all queries have as many relevant documents; empty if not, or if they always do.

    Args:
        of: words for the value of the reference.
    """
    measure, base, always = every[0].recomputer.measure, every[0].recomputer.base, False
    with np.errstate(divide="ignore", invalid="ignore"):
        parts = [(e.observed.values / e.values(base))[e.observed.present] for e in every if e.judge_cells]
        means = [(e.observed.mean, e.recomputer.evaluated(base).mean) for e in every if e.counts_mean]
        parts += [np.array([x]) / y for x, y in means if x is not None and y is not None]
    factors = np.unique(np.concatenate([np.zeros(0), *parts]).round(6))
    if len(factors := factors[~np.isnan(factors)]) != 1 or factors[0] == 1:
        return ""
    with suppress(CrosscheckError):  # some measures have no value on synthetic queries
        theirs, ours = (on_synthetic(measure, base).evaluated(c).values for c in (found, base))
        always = np.allclose(theirs, factors * ours, equal_nan=True)
    return "" if always else f"each value is {of} times {factors[0]:.6g}"


def as_changed(evidence: Evidence, base: Conventions) -> str:
    """A sentence if each value is that of the reference in half precision, cut after a few decimals, or
    rounded to a few significant digits; empty if not."""
    here = evidence.observed.present
    ours, theirs = evidence.values(base)[here], evidence.observed.values[here]
    ways = {"in half precision": ours.clip(max=6e4).astype(np.float16).astype(np.float64)}
    for places in range(1, _MOST_PLACES + 1):
        cut = np.floor(ours * 10**places + PROOF_TOLERANCE) / 10**places
        ways[f"cut after {count(places, 'decimal')}, not rounded"] = cut
        short = [float(f"{value:.{places - 1}e}") for value in ours.tolist()]
        ways[f"rounded to {count(places, 'significant digit')}"] = np.array(short)
    close = (words for words, of in ways.items() if np.allclose(of, theirs, rtol=0, atol=PROOF_TOLERANCE))
    return next((f"each value is the reference's, {words}" for words in close), "")


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


def _with_fitting_gains(every: Sequence[Evidence], measure: Measure) -> Iterator[Formula]:
    """Yield nDCG with other gains, in small whole numbers, if the values determine them.

    Each value is an equation that is linear in the gains: their ratio is what solves all equations. If no
    ratio does, the queries with the highest levels are left out, as few as possible; these levels have no
    gain then, or that of the highest other level.
    """
    about = family(measure.family)
    has_gains = about.ratio and GAINS in about.params and not measure.params
    of_queries = [e for e in every if has_gains and e.judge_cells]
    found = {v for e in of_queries for v in np.unique(e.recomputer.judged.pool_rel).tolist() if v > 0}
    levels, rows = sorted(found)[:_MOST_LEVELS], list[FloatArray]()
    for e in of_queries:
        judged, measured = e.recomputer.judged, e.recomputer.rankings.pairing.measured
        there = e.observed.present[measured] & np.isfinite(values := e.observed.values[measured])
        sums = (sums_of_gains(partial(np.equal, level), judged, measure) for level in levels)
        # The highest level, then what the gain of each level adds to DCG less value times ideal DCG.
        columns = judged.highest_judged(0), *(dcg - values * ideal for dcg, ideal in sums)
        rows.append(np.stack(columns, axis=1)[there])
    table = np.concatenate([np.zeros((0, len(levels) + 1)), *rows])
    for known in range(len(levels), 1, -1):
        ratio = _solution(table[table[:, 0] <= levels[known - 1], 1 : known + 1])
        for last in range(1, _HIGHEST_GAIN + 1) if ratio else ():
            exact = [last * part / ratio[-1] for part in ratio]
            gains = [*map(round, exact)]
            near = all(abs(part - gain) < _NEAR for part, gain in zip(exact, gains, strict=True))
            if near and gains[0] >= 0 and gains == sorted(gains) and gcd(*gains) == 1:
                yield from _with_gains(measure, sorted(found), gains)


def _solution(rows: FloatArray) -> list[float]:
    """The numbers, but for a factor, whose product with most rows is 0; empty if there are none, or the rows
    leave them open. Rows of queries whose values have a further reason do not count."""
    kept = told = rows.any(axis=1)
    for _ in range(_ROUNDS):
        if kept.sum() < rows.shape[1] + NEEDED_ON or not rows[kept].any(axis=0).all():
            return []
        _, sizes, vectors = np.linalg.svd(rows[kept], full_matrices=False)
        away = np.abs(rows @ vectors[-1])
        kept = told & (away <= np.quantile(away[told], _MOST_OF))
    one = sizes[-2] > PROOF_TOLERANCE * sizes[0] and sizes[-1] <= _NEAR * sizes[-2]
    return list(map(float, vectors[-1])) if one else []


def _with_gains(measure: Measure, levels: Sequence[int], gains: Sequence[int]) -> Iterator[Formula]:
    """Yield nDCG with these gains of the lowest levels; the levels above have no gain, or the last gain."""
    above = len(levels) - len(gains)
    for last in sorted({0, gains[-1]}) if above else [0]:
        pairs = [*zip(levels, map(float, [*gains, *[last] * above]), strict=True)]
        other = replace(measure, params=((GAINS.name, tuple(pairs)),))
        told = gains.index(last) + 1 if last else len(gains)
        words = ", ".join(f"{level}:{gain:g}" for level, gain in pairs[:told])
        name = f"{measure} with gains {words} and {last} above" if above else str(other)
        yield Formula(name, family(measure.family).compute, other)


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
