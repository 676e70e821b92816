"""Inputs on which a measure is recomputed while it, or they, are changed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from itertools import accumulate
from typing import TypeAlias

import numpy as np
from msgspec.structs import replace

from crosscheck.compare import equal
from crosscheck.conventions import Conventions
from crosscheck.errors import CrosscheckError
from crosscheck.evaluation.rankings import Rankings
from crosscheck.evaluation.recomputer import Recomputer
from crosscheck.model import BoolArray, FloatArray, IntArray, Measure, Qrels, Run
from crosscheck.probes.probe import Probe, Query, to_qrels, to_run

__all__ = ["Change", "Inputs"]


class Inputs:
    """Some inputs as one run with its qrels, to recompute a measure on them.

    Attributes:
        before: value of each query under the reference; NaN for no value.
    """

    def __init__(self, probes: Sequence[Probe], measure: Measure, base: Conventions) -> None:
        self.measure, self.base = measure, base
        self.probes = probes
        self.queries = [query for probe in probes for _, query in probe.queries]
        self.run, self.qrels = to_run(_numbered(self.queries)), to_qrels(_numbered(self.queries))
        self.probe_of = np.repeat(np.arange(len(probes)), [len(probe.queries) for probe in probes])
        self.before = self.values()

    def values(
        self,
        *,
        run: Run | None = None,
        qrels: Qrels | None = None,
        measure: Measure | None = None,
        conventions: Conventions | None = None,
    ) -> FloatArray:
        """The value of each query after a change; NaN for no value."""
        rankings = Rankings(run or self.run, qrels or self.qrels)
        recomputer = Recomputer(rankings, measure or self.measure, self.base)
        found = recomputer.evaluated(conventions or self.base)
        values = np.full(len(self.queries), np.nan)
        values[[int(topic) for topic in rankings.pairing.all_topics]] = np.where(
            found.present, found.values, np.nan
        )
        return values

    @cached_property
    def ranks(self) -> IntArray:
        """Rank of each line of the run: by score in single precision, then by docno, both descending."""
        topic = self.run.topic_numbers
        with np.errstate(over="ignore"):
            order = np.lexsort((self.run.docnos, self.run.scores.astype(np.float32), -topic))[::-1]
        ranks = np.empty(len(order), np.int64)
        ranks[order] = np.arange(len(order)) - self.run.offsets[:-1][topic[order]] + 1
        return ranks

    @cached_property
    def missed(self) -> IntArray:
        """Number of each relevant document of the qrels that was not retrieved, from 1; 0 for others."""
        numbers: list[int] = []
        for query in self.queries:
            found = {line.docno for line in query.lines}
            missed = [level > 0 and docno not in found for docno, level in query.judged]
            numbers += [n * is_missed for n, is_missed in zip(accumulate(missed), missed, strict=True)]
        return np.array(numbers, np.int64)

    def of_lines(self, keep: BoolArray) -> FloatArray:
        """The values if only the lines of the run for which ``keep`` is True are read."""
        bounds = np.concatenate(([0], np.cumsum(keep)))[self.run.offsets]
        some = np.diff(bounds) > 0
        run = replace(
            self.run,
            topics=tuple(topic for topic, has in zip(self.run.topics, some.tolist(), strict=True) if has),
            offsets=np.concatenate(([0], bounds[1:][some])),
            docnos=self.run.docnos[keep],
            scores=self.run.scores[keep],
            ranks=None,
            lines=np.arange(int(keep.sum())),
        )
        return self.values(run=run)

    def of_queries(self, change: Callable[[Query], Query]) -> FloatArray:
        """The values if each query is replaced by ``change(query)``."""
        changed = _numbered([change(query) for query in self.queries])
        return self.values(run=to_run(changed), qrels=to_qrels(changed))

    def changed(self, change: Change, tolerance: float, decimals: int | None, *, means: bool) -> IntArray:
        """For each input, the number of values, or with ``means`` of means, that a change of the measure
        changes."""
        try:
            with np.errstate(all="ignore"):  # 2^level may be infinite
                before, after = self.before, change(self)
        except CrosscheckError:  # the measure refuses what the change makes of the input
            return np.zeros(len(self.probes), np.int64)
        if means:
            before, after = self._means(before), self._means(after)
        scale = np.maximum(1.0, np.abs(np.nan_to_num(before)))
        different = ~equal(before, after, tolerance * scale, decimals)
        return np.asarray(different if means else self._per_probe(different), np.int64)

    def _per_probe(self, of_queries: FloatArray | BoolArray) -> FloatArray:
        return np.bincount(self.probe_of, of_queries, len(self.probes)).astype(np.float64)

    def _means(self, values: FloatArray) -> FloatArray:
        known = ~np.isnan(values)
        with np.errstate(invalid="ignore"):
            return self._per_probe(np.where(known, values, 0.0)) / self._per_probe(known)


#: The values of the measure on some inputs when it is changed.
Change: TypeAlias = Callable[[Inputs], FloatArray]


def _numbered(queries: Sequence[Query]) -> dict[str, Query]:
    return {f"{number:06}": query for number, query in enumerate(queries)}
