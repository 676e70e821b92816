"""Audits of many metrics in several processes."""

from __future__ import annotations

import gc
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import product
from multiprocessing import get_context

from tests.auditing.contradictions import contradictions
from tests.zoo.metrics import Metric

__all__ = ["Outcome", "outcomes"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of the audit of a metric with one seed.

    Attributes:
        refuted: its words that its own evidence refutes.
    """

    metric: Metric
    seed: int
    verdict: str
    causes: str
    seconds: float
    refuted: str = ""

    @property
    def wrong(self) -> bool:
        misjudged = (self.verdict == "agrees") != self.metric.faithful
        return misjudged or self.verdict == "crashed" or bool(self.refuted)


def _outcome(metric: Metric, seed: int) -> Outcome:
    begin, refuted = time.perf_counter(), ""
    try:
        found = metric.audited(seed)
        verdict, causes = found.verdict, ", ".join(found.causes) or found.message or ""
        refuted = "; ".join(contradictions(found))
    except Exception as error:  # a bug of ours: one line, and the other audits go on
        verdict, causes = "crashed", f"{type(error).__name__}: {error}"
    gc.collect()  # audits leave large cycles behind, which add up to gigabytes
    return Outcome(metric, seed, verdict, causes, time.perf_counter() - begin, refuted)


def outcomes(metrics: Sequence[Metric], seeds: Sequence[int], jobs: int) -> Iterator[Outcome]:
    """Outcomes of all metrics, each with every seed, each as soon as it and those before it are known."""
    asked = list(product(metrics, seeds))
    # Not max_tasks_per_child: with it Python 3.11 may wait for ever (gh-115634).
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        yield from pool.map(_outcome, *zip(*asked, strict=True))
