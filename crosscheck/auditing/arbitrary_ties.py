"""Metrics whose order of tied documents follows no rule, such as that of an unstable sort.

Such a metric contradicts every set of conventions. Its other conventions are found on inputs without ties. On
inputs with ties, some order of the tied documents must give exactly its value.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from crosscheck.auditing.audited_metric import AuditedMetric
from crosscheck.axes.ties import TIES, Ties
from crosscheck.compare import align
from crosscheck.conventions import Conventions
from crosscheck.errors import BackendError
from crosscheck.evaluation.rankings import Rankings
from crosscheck.evaluation.recomputer import Recomputer
from crosscheck.hypotheses.number_format import PROOF_TOLERANCE, SINGLE, slack
from crosscheck.hypotheses.predictions import equal_numbers, native_answer
from crosscheck.hypotheses.tie_orders import TieOrders
from crosscheck.probes.probe import Probe

__all__ = ["ArbitraryTies"]

#: Number of inputs on which an order must give exactly the value before ties are named as the cause.
_FEWEST = 3


class ArbitraryTies:
    """Values that no conventions predict, compared with all orders of the tied documents.

    Attributes:
        exact: number of inputs for which some order gives exactly the value.
        undecided: number of inputs with too many orders to test, whose value lies between the values of the
            worst and of the best order.

    Args:
        found: the conventions of the metric, except the order of tied documents.
    """

    def __init__(self, subject: AuditedMetric, found: Conventions) -> None:
        self._subject, self._found = subject, found
        self.exact = self.undecided = 0

    def explain(self, probes: Iterable[Probe], fewest: int = _FEWEST, more: Iterable[Probe] = ()) -> bool:
        """Whether orders of tied documents explain the values on all of ``probes``, and give at least
        ``fewest`` of them exactly; if too few are exact, inputs of ``more`` that no rule predicts are tried
        as well."""
        if not all(map(self._explains, dict.fromkeys(probes))):
            return False
        for probe in more:
            if self.exact >= fewest:
                break
            if self._differs(probe) and not self._explains(probe):
                return False
        return self.exact >= fewest

    def _differs(self, probe: Probe) -> bool:
        """Whether the conventions do not predict the metric's value for the query that the probe reads."""
        seen = self._subject.observe(probe)
        if seen.value is None or probe.reads is None:
            return False
        rankings = Rankings(probe.run, probe.qrels)
        ours = native_answer(rankings, self._subject.measure, self._found, probe.reads)
        return ours is None or not equal_numbers(ours, seen.value, SINGLE, seen.decimals)

    def _explains(self, probe: Probe) -> bool:
        answer = self._subject.answer(probe.qrels, probe.run)
        if isinstance(answer, BackendError):
            return False
        situation = Recomputer(Rankings(probe.run, probe.qrels), self._subject.measure, self._found)
        all_topics = situation.rankings.pairing.all_topics
        observed, ours = align(answer, all_topics), situation.evaluated(self._found)
        if not np.array_equal(observed.present, ours.present):
            return False
        if probe.reads is None:
            mean = situation.mean_of(observed.values)
            return mean is not None and answer.mean is not None and abs(mean - answer.mean) <= PROOF_TOLERANCE
        query = all_topics.index(probe.reads.encode())
        given = TieOrders(situation, observed).give(query)
        value, tolerance = float(observed.values[query]), float(slack(observed)[query])
        if given is None and self._within_bounds(situation, query, value, tolerance):
            self.undecided += 1
            return True
        self.exact += given is True
        return given is True

    def _within_bounds(self, situation: Recomputer, query: int, value: float, tolerance: float) -> bool:
        """Whether a value lies between those of the worst and the best order; False if these are unknown."""
        if not (situation.allows(Ties.WORST) and situation.allows(Ties.BEST)):
            return False
        worst, best = (
            float(situation.evaluated(self._found.having(TIES, ties)).values[query])
            for ties in (Ties.WORST, Ties.BEST)
        )
        return worst - tolerance <= value <= best + tolerance

    @property
    def words(self) -> str:
        """The result and its meaning in words."""
        undecided = f"; on {self.undecided:,} more there are too many orders to say" if self.undecided else ""
        return (
            f"its order of tied documents follows no rule that is known: on {self.exact:,} inputs some order"
            f" of them gives exactly its value{undecided}. A sort that is not stable does that, such as"
            " numpy's argsort by default, and the order may differ by processor"
        )
