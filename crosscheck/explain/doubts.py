"""Reasons why a set of conventions that gives all values is not proved: too few queries need one of its axes,
a different set or formula gives all values too, or sets give them by chance."""

import math
import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import cache, lru_cache, partial
from itertools import combinations

import numpy as np
from msgspec.structs import replace

from crosscheck.axes.base import Stage
from crosscheck.axes.ids import IDS
from crosscheck.axes.judging import UNIVERSE
from crosscheck.compare import equal
from crosscheck.conventions import Conventions
from crosscheck.errors import CrosscheckError, count
from crosscheck.evaluation.formula import FORMULA
from crosscheck.evaluation.rankings import Rankings
from crosscheck.evaluation.recomputer import Recomputer
from crosscheck.explain.decoys import decoys
from crosscheck.explain.evidence import Evidence, constant
from crosscheck.explain.screens import part_of, telling
from crosscheck.explain.search import NEEDED_ON, Explanation, Search
from crosscheck.inputs.battery import DEEP, query_probes
from crosscheck.inputs.queries import Query, to_qrels, to_run
from crosscheck.inputs.realistic import fresh_probes
from crosscheck.model import IntArray, Measure, Qrels, Run

#: A set can be proved only if the expected number of sets that give all values by chance is below this.
MOST_CHANCE = 1e-3
#: Number of explanations, likeliest first, whose changes are combined with decoys.
_BESIDE = 6
#: Queries with equal numbers of relevant documents are comparable, and so are all queries with more than
#: this.
_MANY_RELEVANT = 30
#: Maximum numbers of differing and of other queries from which chance is estimated; fewer queries give a
#: larger estimate.
_MOST_DIFFERING, _MOST_OTHERS = 24, 40


def doubts(
    search: Search, proofs: Sequence[Explanation], tried: int, noun: tuple[str, str] = ("query", "queries")
) -> tuple[str, list[str]]:
    """Why the likeliest set that gives all values is not proved, and the names of rival formulas.

    Args:
        search: the search that found the sets.
        proofs: the sets that give all values with the fewest changes, likeliest first.
        tried: number of sets tried.
        noun: the word for a value in the singular and plural, for the reason.

    Returns:
        The reason, empty if the set is proved; and the names.
    """
    chosen, same, reasons = proofs[0], sameness(search), list[str]()
    if len(chosen.changes) > 1:
        axis, number = least_needed(search, chosen)
        if number < NEEDED_ON:
            few = f"{number} {noun[number != 1]}" if number else "the mean"
            reasons.append(f"only {few} would differ without {axis}")
    others = [e for e in proofs[1:] if e.but_for_ranks != chosen.but_for_ranks]
    if others := [e for e in others if not same(chosen.conventions, e.conventions)]:
        sets = count(len(others), "other set")
        reasons.append(f"{sets} of conventions with as few changes would do as well")
    rivals = fitting_decoys(search, proofs)
    if rivals:
        more = f" and {count(len(rivals) - 1, 'more formula')}" if len(rivals) > 1 else ""
        reasons.append(f"{rivals[0]}{more} would do as well")
    tried *= math.prod(search.choices.ranks.get(change, 1) for change in chosen.changes)
    if not reasons and (expected := chance(search, tried)) >= MOST_CHANCE:
        sets = f"{min(expected, tried):.2g} of {tried:,} sets of conventions"
        reasons.append(f"{sets} would give these values by chance")
    return "; ".join(reasons), rivals


def least_needed(search: Search, explanation: Explanation) -> tuple[str, int]:
    """The axis that the fewest values need, and the number of these values. A value needs an axis if it is
    not reproduced when the change of this axis is left out."""
    needing: list[tuple[int, str]] = []
    for axis, rest in search.without_each(explanation.changes):
        broken = int((explanation.reproduced & ~rest.reproduced).sum())
        needing.append((broken + sum(e.unmet(rest.conventions) for e in search.beside), axis))
    number, name = min(needing)
    return name, number


def fitting_decoys(search: Search, explanations: Sequence[Explanation]) -> list[str]:
    """The names of the decoys that give all values of the candidate with as few changes as the explanations.

    A decoy is one change. It is tried alone, and with all changes of an explanation except one, so that the
    number of changes is the same. A decoy that gives the same values as an explanation on every input does
    not count, nor one that changes no value here.
    """
    situation, same = search.situation, sameness(search)
    likeliest = explanations[:_BESIDE]
    sizes = {0, len(explanations[0].changes) - 1}
    beside = dict.fromkeys(rest for e in likeliest for n in sizes for rest in combinations(e.changes, n))
    every = [of.observed for of in search.every if of.judge_cells]
    values = np.concatenate([np.zeros(0), *(observed.values[observed.present] for observed in every)])
    names = dict.fromkeys(constant(values))
    others = [(FORMULA, formula) for formula in decoys(situation.measure, fixed=search.fixed)]
    for changes in beside:
        for other in others:
            conventions = search.changed((*changes, other))
            fits = all(screen.may_hit(conventions) for screen in search.shortlist.first_screens)
            if not fits or not all(evidence.holds(conventions) for evidence in search.every):
                continue
            idle = not any(e.changed(search.changed(changes), conventions).any() for e in search.every)
            if not idle and not any(same(e.conventions, conventions) for e in explanations):
                names[other[1].name] = None
    return list(names)


def on_synthetic(measure: Measure, conventions: Conventions) -> Recomputer:
    """A recomputer of a measure on synthetic queries: realistic ones, and small ones with one special feature
    each. These show the effect of every axis except axes of the stage ``read``."""
    # Each call makes its own rankings, because rankings cache all results.
    return Recomputer(Rankings(*_made_up(measure.cutoff)), measure, conventions)


def sameness(search: Search) -> Callable[[Conventions, Conventions], bool]:
    """:func:`same_everywhere` for the measure and the kind of values of a search. The synthetic queries are
    made when two sets are first compared, which most diagnoses never need."""
    synthetic = cache(partial(on_synthetic, search.situation.measure, search.situation.base))
    return lambda one, other: same_everywhere(synthetic(), one, other, search.only_means)


def same_everywhere(synthetic: Recomputer, one: Conventions, other: Conventions, means: bool = False) -> bool:
    """Whether two sets of conventions give equal values on every input: they agree on the axes of the stage
    ``read`` (except ``universe``), and give equal values on synthetic queries.

    Args:
        synthetic: a recomputer from :func:`on_synthetic`.
        means: whether only means are known, for which no value of a query is the same as 0.
    """
    first, second = (c.of(Stage.READ).having(UNIVERSE, UNIVERSE.default) for c in (one, other))
    with suppress(CrosscheckError):
        if first == second:
            scores = [synthetic.evaluated(conventions) for conventions in (one, other)]
            totals = (math.nan if of.mean is None else of.mean for of in scores)
            left, right = map(np.append, (np.where(of.present, of.values, 0.0) for of in scores), totals)
            there = means or np.array_equal(scores[0].present, scores[1].present)
            return there and bool(equal(left, right, np.full(len(left), 1e-9), None).all())
    return False


@lru_cache(maxsize=16)
def _made_up(cutoff: int | None) -> tuple[Run, Qrels]:
    queries: dict[str, Query] = {}
    for probe in [*fresh_probes(0, cutoff, few=True), *query_probes(random.Random(0), cutoff, each=3)]:
        for _, query in probe.queries:
            if len(query.lines) == len({line.docno for line in query.lines}):
                queries[f"q{len(queries):04d}"] = query
            if probe.about == DEEP:  # all judged, it stays deep even if unjudged documents are removed
                judged = dict.fromkeys(query.docnos, 0) | dict(query.judged)
                queries[f"q{len(queries):04d}"] = replace(query, judged=tuple(judged.items()))
    return to_run(queries), to_qrels(queries)


def chance(search: Search, tried: int) -> float:
    """Expected number of sets, of all that were tried, that give every differing value by chance.

    It is estimated as the number of sets times one frequency per differing query: the frequency of its value
    among the observed values of comparable queries (queries with as many relevant documents) and the values
    that single changes predict for these. If only a mean differs, the frequency is that of the mean among the
    means that single changes predict.

    Changes of the order of documents take most time. So they are first assumed to give all values; if the
    estimate is below :data:`MOST_CHANCE` even then, this upper bound is returned.

    Args:
        tried: number of sets tried.
    """
    changes = list(map(search.changed, search.choices.combined(search.choices.options, 1)))
    quick = [c for c in changes if c.of(Stage.ORDER) == search.situation.base.of(Stage.ORDER)]
    for predicting in (quick, changes):
        total, left = math.log(max(tried, 1)), _MOST_DIFFERING
        unknown = len(changes) - len(predicting)
        for evidence in search.every:
            if left <= 0:
                break
            of_queries = _shares_of_queries(search, evidence, left, predicting, unknown)
            shares = [*of_queries, *_share_of_mean(evidence, predicting, unknown)]
            total += sum(map(math.log, shares[:left]))
            left -= len(shares)
        if total < math.log(MOST_CHANCE):
            break
    return math.exp(min(total, 700.0))


def _share_of_mean(evidence: Evidence, changes: Sequence[Conventions], unknown: int) -> list[float]:
    """The share of single changes that give the mean, as a list; empty unless only the mean differs.

    Args:
        changes: conventions after each single change.
        unknown: number of further changes, which are assumed to give the mean.
    """
    base = evidence.recomputer.base
    of_queries = evidence.judge_cells and evidence.differing.any()
    if of_queries or not evidence.counts_mean or evidence.gives_mean(base):
        return []
    met = [evidence.gives_mean(conventions) for conventions in (base, *changes)]
    # The prediction of the set under test does not count.
    return [max(sum(met) + unknown, 1) / (len(met) + unknown)]


def _shares_of_queries(
    search: Search, evidence: Evidence, most: int, changes: Sequence[Conventions], unknown: int
) -> Iterator[float]:
    """Yield, for each of at most ``most`` differing queries, the share of the values of comparable queries
    that equal its value.

    Args:
        changes: conventions after each single change.
        unknown: number of further changes, which are assumed to give the value of every query.
    """
    observed, whole = evidence.observed, evidence.recomputer
    mismatching = search.mismatching if evidence is search.evidence else evidence.differing
    differing = telling(np.flatnonzero(mismatching), observed.values, most)
    if not evidence.judge_cells or not len(differing):
        return
    others = telling(np.flatnonzero(~mismatching), observed.values, _MOST_OTHERS)
    chosen = np.sort(np.concatenate((differing, others)))
    if IDS in dict(search.choices.options) or len(chosen) == len(mismatching):
        # Queries may be merged, which needs all of them.
        chosen, situation = np.arange(len(mismatching)), whole
    else:
        situation = Recomputer(part_of(whole.rankings, chosen.tolist()), whole.measure, whole.base)
    predictions = [situation.evaluated(c) for c in (situation.base, *changes)]
    values = np.stack([*(p.values for p in predictions), observed.values[chosen]])
    present = np.stack([*(p.present for p in predictions), observed.present[chosen]])
    kind = _kinds(situation)
    for query, place in zip(differing.tolist(), np.searchsorted(chosen, differing).tolist(), strict=True):
        alike = kind == kind[place]
        here, there = values[:, alike], present[:, alike]
        hits = ~there
        if observed.present[query]:
            own, slack = observed.values[[query]], float(evidence.slack[query])
            hits = there & equal(here, own, slack, observed.decimals)
        # The value of the query itself, and the prediction of the set under test, do not count.
        further = unknown * here.shape[1]
        yield (max(int(hits.sum()) + further - 2, 0) + 1) / (here.size + further - 1)


def _kinds(situation: Recomputer) -> IntArray:
    """The class of each query, over all topics; queries of one class are comparable. It is the number of
    relevant documents, or -1 for a query without judgements or results."""
    num_rel = situation.judged.num_rel(situation.relevance_level)
    return situation.numbers_over_all_topics(np.minimum(num_rel, _MANY_RELEVANT), -1)
