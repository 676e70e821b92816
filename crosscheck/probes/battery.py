"""The battery: the inputs on which the conventions of a metric are found, a few calls with many queries each.

Small queries show one special feature each, and others many at once. All kinds stand side by side in one
input, because a metric may treat a query differently where others are beside it.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from dataclasses import replace

from crosscheck.axes.forms import MAX_GRADE, RR_OF
from crosscheck.axes.gains import IDEAL
from crosscheck.axes.judging import JUDGED_DEPTH
from crosscheck.measures import family
from crosscheck.model import Measure
from crosscheck.probes.probe import COMPANY, Probe, Query
from crosscheck.probes.special import (
    judged_deep_probes,
    level_probes,
    mean_probes,
    mixed_probes,
    query_probes,
)

__all__ = ["battery", "more_queries"]

#: Numbers of queries of each kind, and of mixed ones: usually; and where each query needs a call of its own.
_MANY, _FEW = (8, 60), (3, 24)
#: Number of documents up to which sorting by insertion is usual: longer lists show how tied ones are sorted.
_LONG = 16


def battery(seed: int, measure: Measure, *, together: bool, means: bool) -> Iterator[Probe]:
    """The inputs, the one with most queries first.

    Args:
        together: whether the metric gives values for many queries in one call; else each query is an input.
        means: whether it gives means, which inputs of a few queries show best.
    """
    rng = random.Random(seed)
    each, mixed = _MANY if together else _FEW
    single, apart = list[Query](), list[Probe]()
    probes = [*query_probes(rng, measure.cutoff, each), *mixed_probes(rng, measure.cutoff, mixed)]
    reads = family(measure.family).reads
    if JUDGED_DEPTH in reads:
        probes += judged_deep_probes(rng)
    for probe in probes:
        others = [(id, query) for id, query in probe.queries if id != COMPANY]
        if len(others) == 1:
            single.append(replace(others[0][1], about=probe.about))
        else:
            apart.append(probe)
    if together:
        rng.shuffle(single)
        for long in (False, True):
            of_length = [query for query in single if (len(query.lines) > _LONG) is long]
            yield Probe("small queries of every kind", tuple(_named(rng, of_length)), None)
    else:
        for query in single:
            if query.lines and query.judged:  # a mean over nothing is no value
                yield Probe(query.about, (("1", query),), None)
    # An ideal list of the highest level may use it as a constant.
    if (RR_OF in reads or MAX_GRADE in reads) and IDEAL not in reads:
        apart += level_probes(rng, measure.cutoff, alone=False)
        if MAX_GRADE in reads:
            apart += level_probes(rng, measure.cutoff, alone=True)
    yield from apart
    if means:
        yield from mean_probes(rng, measure.cutoff)


def _named(rng: random.Random, queries: Iterable[Query]) -> Iterator[tuple[str, Query]]:
    """The queries with ids in no order."""
    queries = list(queries)
    numbers = rng.sample(range(1, 10 * len(queries) + 1), len(queries))
    return ((f"t{number}", query) for number, query in zip(numbers, queries, strict=True))


def more_queries(seed: int, measure: Measure) -> Iterator[Query]:
    """Further small queries, many features at once, for conventions that the battery does not tell apart."""
    rng = random.Random(f"more {seed}")
    for probe in (*mixed_probes(rng, measure.cutoff, 120), *query_probes(rng, measure.cutoff, 6)):
        if len(probe.queries) == 1:
            yield replace(probe.queries[0][1], about=probe.about)
