"""Paired tests between two systems measured on the same queries.

The null hypothesis of every test is that the systems a and b are equally good. A test uses the differences
``b - a`` of the values of each query. All tests are two-sided.

====================  ==============================================  ====================================
test                  assumption, besides independent queries         zero differences and ties
====================  ==============================================  ====================================
sign                  none                                            zeros are dropped
Wilcoxon signed-rank  differences symmetric around their median       zeros are dropped; equal sizes get
                                                                      their mean rank
paired t              mean difference normally distributed            zeros are included
randomisation         either system could have had either value       zeros change nothing
====================  ==============================================  ====================================

Differences are rounded to multiples of 1e-12, because 0.3 - 0.2 and 0.2 - 0.1 are the same difference
although their doubles differ. Only the t-test uses unrounded differences. scipy computes the p-values.

Sources: Hull, SIGIR 1993; Smucker, Allan and Carterette, CIKM 2007; Holm, Scand. J. Statist. 6(2), 1979.
"""

import math
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib import import_module
from itertools import combinations, groupby
from typing import Any

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from crosscheck.errors import ArgumentError, UsageError, count, need_memory, quoted
from crosscheck.evaluation.summarise import summary_of
from crosscheck.measures.arithmetic import sequential_sum
from crosscheck.model import FloatArray
from crosscheck.results import TestName

#: Differences are rounded to multiples of 1 / this number. Smaller parts are rounding errors.
_UNITS = 1e12
#: Up to this many queries the exact distribution of the signed-rank statistic is used (scipy's limit).
_EXACT_RANKS = 50
#: Number of lists of differences whose sums over all sign changes are in memory at the same time.
_AT_ONCE = 128
#: Whole numbers up to this number are exact doubles.
_EXACT = 2.0**53
#: Bytes of address space that importing scipy takes, including what it reserves for linear algebra.
_SCIPY_BYTES = 100 << 20
#: If some differences are tied, the signed-rank statistic is enumerated over all sign changes up to this many
#: differences.
_EXACT_TIED_RANKS = 13


_ASSUMPTIONS: Mapping[TestName, str] = {
    "sign": "the queries are independent",
    "wilcoxon": "the queries are independent and the differences symmetric around their median",
    "t": "the queries are independent and their mean difference normally distributed",
    "randomisation": "either system could have had either value of a query",
}


class PairedTest(Struct, frozen=True):
    """One test between two systems.

    Attributes:
        statistic: of the sign test, the number of queries on which b is better; of the Wilcoxon test, the
            smaller rank sum; of the t-test, t; of the randomisation test, the mean difference. None if the
            test cannot be made.
        p: two-sided p-value, or None if the test cannot be made.
        p_holm: ``p`` after Holm's correction for all pairs of the measure, if there were several.
        queries: number of differences that the test used.
        method: how the p-value was computed, in words.
        assumption: the condition under which the p-value is valid.
        note: why there is no p-value, or None.
    """

    name: TestName
    statistic: float | None
    p: float | None
    p_holm: float | None
    queries: int
    method: str
    assumption: str
    note: str | None


def units(differences: Sequence[float]) -> list[float]:
    """The differences as whole multiples of 1e-12, so that rounding errors disappear and sums are exact.

    Raises:
        ArgumentError: a difference is NaN or infinite; leave out queries without a value.
    """
    for place, difference in enumerate(differences, 1):
        if not math.isfinite(difference):
            raise ArgumentError(f"difference {place} is {difference}; leave out queries without a value")
    return [float(round(difference * _UNITS)) for difference in differences]


def mean(values: Sequence[float]) -> float | None:
    """Mean with the values added from left to right, as in trec_eval; None without values."""
    return summary_of(np.array(values, np.float64))


def sign_test(differences: Sequence[float]) -> PairedTest:
    """Sign test: compares the number of queries on which b is better with the number on which a is better.

    Args:
        differences: ``b - a``, one per query. Zeros are dropped.

    Returns:
        The test. ``statistic`` is the number of positive differences.

    Raises:
        UsageError: scipy is not installed.
    """
    changed = _changed(differences)
    better, note = sum(d > 0 for d in changed), _refusal(differences)
    p = None if note else _binomial(better, len(changed))
    return _made("sign", float(better), p, len(changed), "exact binomial test", note)


@cache  # systems are compared in pairs, on the same queries
def _binomial(better: int, changed: int) -> float:
    return float(_scipy().binomtest(better, changed, 0.5).pvalue)


def wilcoxon_test(differences: Sequence[float]) -> PairedTest:
    """Wilcoxon signed-rank test: compares the sum of the ranks of positive differences with that of negative
    differences, where differences are ranked by size.

    Args:
        differences: ``b - a``, one per query. Zeros are dropped (Wilcoxon's rule, not Pratt's). Differences
            of equal size get their mean rank.

    Returns:
        The test. ``statistic`` is the smaller of the two rank sums. The p-value is exact for up to 50
        queries, or up to 13 if differences have equal sizes. For more queries it is the normal approximation,
        with the variance corrected for ties and without continuity correction.

    Raises:
        UsageError: scipy is not installed.
    """
    changed = _changed(differences)
    tied = len({abs(d) for d in changed}) < len(changed)
    exact = len(changed) <= (_EXACT_TIED_RANKS if tied else _EXACT_RANKS)
    method = "exact, over all sign changes" if exact else "normal approximation, corrected for ties"
    if note := _refusal(differences):
        return _made("wilcoxon", None, None, len(changed), method, note)
    stats = _scipy()
    result = stats.wilcoxon(changed, method="exact" if exact and not tied else "asymptotic")
    p = float(result.pvalue)
    if exact and tied:
        # scipy's exact distribution does not handle ties, so all signs of the mean ranks are enumerated.
        ranks = stats.rankdata([abs(d) for d in changed])
        signed = [math.copysign(rank, d) for rank, d in zip(ranks, changed, strict=True)]
        (p,) = _sign_changes([signed], 2 ** len(signed), 0)
    return _made("wilcoxon", float(result.statistic), p, len(changed), method, None)


def t_test(differences: Sequence[float]) -> PairedTest:
    """Paired t-test: divides the mean difference by its standard error.

    Args:
        differences: ``b - a``, one per query, including zeros.

    Returns:
        The test. ``statistic`` is t, with ``queries - 1`` degrees of freedom.

    Raises:
        UsageError: scipy is not installed.
    """
    n, method, note = len(differences), "Student's t distribution", _refusal(differences)
    spread = _spread(differences)
    if spread is None:
        constant = f"All differences are {differences[0]:.6g}; without variance t is undefined." if n else ""
        return _made("t", None, None, n, method, note or constant)
    # The distribution function from scipy.special, because importing scipy.stats takes a second.
    centre, deviation = spread
    t = centre / (deviation / math.sqrt(n))
    return _made("t", t, 2 * float(_scipy("scipy.special").stdtr(n - 1, -abs(t))), n, method, None)


def randomisation_test(differences: Sequence[float], *, resamples: int = 9_999, seed: int = 0) -> PairedTest:
    """Fisher's randomisation test: the p-value is the share of random changes of the signs of the differences
    after which the mean difference is at least as far from 0 as the observed mean.

    Args:
        differences: ``b - a``, one per query. Zeros do not affect the p-value.
        resamples: number of random sign changes. All 2^n sign changes are used if they are not more. With
            9,999 a p-value of 0.05 has a standard error of 0.002.
        seed: seed of the random sign changes.

    Returns:
        The test. ``statistic`` is the mean difference over all queries. If the sign changes are random, the
        p-value is (n + 1) / (resamples + 1), where n sign changes give such a mean, so it is never 0.

    Raises:
        UsageError: scipy is not installed.
    """
    return randomisation_tests([differences], resamples=resamples, seed=seed)[0]


def randomisation_tests(
    systems: Sequence[Sequence[float]], *, resamples: int = 9_999, seed: int = 0
) -> list[PairedTest]:
    """The randomisation test for each of several lists of differences (see :func:`randomisation_test`). Lists
    with equally many nonzero differences share the random sign changes."""
    changed, notes = [_changed(of) for of in systems], [_refusal(of) for of in systems]
    sizes, p = list(map(len, changed)), dict[int, float]()
    tested = sorted((i for i, note in enumerate(notes) if not note), key=sizes.__getitem__)
    for _, same in groupby(tested, sizes.__getitem__):
        places = list(same)
        for some in (places[at : at + _AT_ONCE] for at in range(0, len(places), _AT_ONCE)):
            p |= zip(some, _sign_changes([changed[i] for i in some], resamples, seed), strict=True)

    def method(queries: int) -> str:
        exact = 2**queries <= resamples
        return "exact, over all sign changes" if exact else f"{resamples} random sign changes, seed {seed}"

    return [
        _made("randomisation", mean(of), p.get(i), sizes[i], method(sizes[i]), notes[i])
        for i, of in enumerate(systems)
    ]


def paired_tests(test: TestName, systems: Sequence[Sequence[float]]) -> list[PairedTest]:
    """A test for each of several lists of differences, whose p-values are then corrected for their number.

    There are so many random sign changes that the lowest p-value, corrected, is 0.005 at most (but fewer than
    a million).
    """
    if test != "randomisation":
        return [TESTS[test](of) for of in systems]
    return randomisation_tests(systems, resamples=min(max(9_999, 400 * len(systems)), 999_999))


#: The tests by name.
TESTS: Mapping[TestName, Callable[[Sequence[float]], PairedTest]] = {
    "sign": sign_test,
    "wilcoxon": wilcoxon_test,
    "t": t_test,
    "randomisation": randomisation_test,
}


def effect_size(differences: Sequence[float]) -> float | None:
    """Cohen's d of paired values: mean difference / standard deviation of the differences (with n - 1).

    None if there are fewer than two queries, or if all differences are equal. Cohen (1988) calls 0.2 small,
    0.5 medium and 0.8 large.
    """
    spread = _spread(differences)
    return spread[0] / spread[1] if spread else None


def confidence_interval(differences: Sequence[float], confidence: float = 0.95) -> tuple[float, float] | None:
    """Student's confidence interval of the mean difference; None if :func:`effect_size` is None.

    Raises:
        UsageError: scipy is not installed, or the confidence is not between 0 and 1.
    """
    if not 0 < confidence < 1:
        raise UsageError(f"confidence must be between 0 and 1, not {confidence!r}")
    spread, n = _spread(differences), len(differences)
    if spread is None:
        return None
    reach = float(_scipy().t.ppf((1 + confidence) / 2, n - 1)) * spread[1] / math.sqrt(n)
    return spread[0] - reach, spread[0] + reach


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Holm's step-down correction: p-values adjusted for all comparisons of a family.

    The i-th smallest of m p-values is multiplied by m - i + 1. The result is at least the result for the next
    smaller p-value, and at most 1. A comparison without p-value stays None and is not counted in m.
    """
    known = sorted((p, place) for place, p in enumerate(p_values) if p is not None)
    corrected: list[float | None] = [None] * len(p_values)
    largest = 0.0
    for step, (p, place) in enumerate(known):
        largest = max(largest, min(1.0, p * (len(known) - step)))
        corrected[place] = largest
    return corrected


def _refusal(differences: Sequence[float]) -> str | None:
    """A sentence that says why these differences cannot be tested; None if they can be tested."""
    if not differences:
        return "The two systems have no query in common."
    if len(differences) == 1:
        return "There is one query only, and a test needs at least two."
    if not any(units(differences)):
        return f"The two systems have the same value on all {len(differences)} queries, so there is no test."
    return None


def _changed(differences: Sequence[float]) -> list[float]:
    """The differences that are not 0, in units."""
    return [d for d in units(differences) if d]


def _spread(differences: Sequence[float]) -> tuple[float, float] | None:
    """Mean and standard deviation (with n - 1); None if there are fewer than two differences, or if all are
    equal."""
    centre = mean(differences)
    if centre is None:
        return None
    lowest, highest = min(differences), max(differences)
    if (highest - lowest) * _UNITS < max(1.0, abs(highest)):
        return None
    squares = sequential_sum(np.array([(d - centre) ** 2 for d in differences]))
    return centre, math.sqrt(squares / (len(differences) - 1))


def _made(
    name: TestName, statistic: float | None, p: float | None, queries: int, method: str, note: str | None
) -> PairedTest:
    statistic = None if p is None else statistic
    return PairedTest(name, statistic, p, None, queries, method, _ASSUMPTIONS[name], note)


def _sign_changes(systems: Sequence[Sequence[float]], resamples: int, seed: int) -> list[float]:
    """For each list of differences, the p-value of a randomisation test: the share of sign changes after
    which the sum of the differences is at least as far from 0 as the observed sum.

    All sign changes are used if there are at most ``resamples``, else so many random sign changes.
    """
    values: FloatArray = np.array(systems).T
    if len(values) == 1:
        return [1.0] * len(systems)  # both signs are equally far from 0; scipy needs two values
    if len(systems) > 1 and (np.abs(values).sum(axis=0) > _EXACT).any():
        # Sums that are not exact depend on the order in which they are added.
        return [share for one in systems for share in _sign_changes([one], resamples, seed)]

    def sums(signs: FloatArray, axis: int) -> FloatArray:
        if len(systems) > 1:
            return signs @ values
        added: FloatArray = (signs * values[:, 0]).sum(axis=axis)
        return added[..., np.newaxis]

    how = {"permutation_type": "samples", "vectorized": True, "batch": max(1, 1_000_000 // len(values))}
    result = _scipy().permutation_test((np.ones(len(values)),), sums, n_resamples=resamples, rng=seed, **how)
    return [float(p) for p in result.pvalue]


def _scipy(module: str = "scipy.stats") -> Any:
    if module not in sys.modules:
        need_memory(_SCIPY_BYTES)
    try:
        return import_module(module)
    except ModuleNotFoundError:
        problem = "tests between systems need scipy, which is not installed"
        raise UsageError(problem, hint="pip install scipy") from None


class Pair(Struct, frozen=True, kw_only=True):
    """Two systems on one measure; differences are ``b - a``.

    Attributes:
        queries: number of queries for which both systems have a value.
        better, worse, equal: number of queries on which b is better than, worse than or equal to a.
        difference: the mean difference; interval: Student's confidence interval of the mean difference.
        effect_size: Cohen's d of the paired differences.
        tests: sign, Wilcoxon, t and randomisation test, in this order.
        significant: whether the corrected p-value of the chosen test is below alpha; null without a p-value.
    """

    a: str
    b: str
    queries: int
    better: int
    worse: int
    equal: int
    difference: float | None
    interval: tuple[float, float] | None
    effect_size: float | None
    tests: list[PairedTest]
    significant: bool | None
    notes: list[str]


def compare_all(
    systems: Mapping[str, Mapping[bytes, float]],
    *,
    baseline: str | None = None,
    confidence: float = 0.95,
    test: TestName = "t",
    alpha: float = 0.05,
) -> tuple[Pair, ...]:
    """Compare every pair of systems, or every system with a baseline.

    For each kind of test, ``p_holm`` is corrected for all comparisons of this call.

    Args:
        systems: name -> query id -> value, for at least two systems. Queries for which only one system of a
            pair has a finite value are left out, and notes say so.
        baseline: name of the system with which all other systems are compared; None to compare all pairs.
        confidence: level of the confidence interval around the mean difference.
        test, alpha: the test that decides whether a difference is significant, and the level.

    Raises:
        UsageError: scipy is not installed, or the confidence is not between 0 and 1.
    """
    others = [name for name in systems if name != baseline]
    pairs = [*combinations(systems, 2)] if baseline is None else [(baseline, name) for name in others]
    sides = [paired_differences(systems[a], systems[b]) for a, b in pairs]
    tests = zip(*(corrected(paired_tests(name, [of for of, _ in sides])) for name in TESTS), strict=True)
    made = []
    for (a, b), (of, left_out), tested in zip(pairs, sides, tests, strict=True):
        signs = units(of)
        (p,) = (t.p_holm for t in tested if t.name == test)
        pair = Pair(
            a=a,
            b=b,
            queries=len(of),
            better=sum(sign > 0 for sign in signs),
            worse=sum(sign < 0 for sign in signs),
            equal=signs.count(0),
            difference=mean(of),
            interval=confidence_interval(of, confidence),
            effect_size=effect_size(of),
            tests=list(tested),
            significant=None if p is None else p < alpha,
            notes=[],
        )
        alone = [(x, len(systems[x].keys() - systems[y].keys())) for x, y in ((a, b), (b, a))]
        made.append(replace(pair, notes=_notes(pair, alone, left_out)))
    return tuple(made)


def paired_differences(a: Mapping[bytes, float], b: Mapping[bytes, float]) -> tuple[list[float], int]:
    """``b - a`` for each query for which both have a finite value, and the number of shared queries with a
    value that is not finite."""
    shared = sorted(a.keys() & b.keys())
    usable = [q for q in shared if math.isfinite(a[q]) and math.isfinite(b[q])]
    return [float(b[q]) - float(a[q]) for q in usable], len(shared) - len(usable)


def corrected(tests: Sequence[PairedTest]) -> list[PairedTest]:
    """Tests of the same kind for several pairs, with p-values corrected for all these pairs."""
    return [replace(test, p_holm=p) for test, p in zip(tests, holm([t.p for t in tests]), strict=True)]


def _notes(pair: Pair, alone: Sequence[tuple[str, int]], left_out: int) -> list[str]:
    """Sentences about a comparison. ``alone``: pairs of a system and the number of queries that only this
    system has."""
    dropped = "with the same value: dropped by the sign and the Wilcoxon test."
    sentences = [
        *((missing, f"left out that only {quoted(name)} has.") for name, missing in alone),
        (left_out, "left out with a value that is not finite."),
        (pair.equal if pair.equal < pair.queries else 0, dropped),
    ]
    notes = [f"{count(number, 'query')} {text}" for number, text in sentences if number]
    notes += dict.fromkeys(test.note for test in pair.tests if test.note is not None)
    if pair.effect_size is None:
        notes.append("Effect size and interval need at least two queries whose differences vary.")
    return notes
