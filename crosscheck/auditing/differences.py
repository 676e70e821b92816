"""The inputs on which the conventions of a metric do not predict its values, by kind."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import NamedTuple

from crosscheck.auditing.arbitrary_ties import ArbitraryTies
from crosscheck.auditing.audited_metric import AuditedMetric
from crosscheck.auditing.checking import Checked, Refusal
from crosscheck.auditing.counterexamples import Found, Hunt
from crosscheck.auditing.duplicates import DuplicateHandling
from crosscheck.auditing.leaks import LEAK, leak_of
from crosscheck.axes.ties import TIES
from crosscheck.conventions import Conventions
from crosscheck.probes.probe import Probe
from crosscheck.probes.special import tied_probes

__all__ = ["REFUSES", "UNEXPLAINED", "Differences", "differences"]

UNEXPLAINED, REFUSES = "unexplained", "refuses-input"
#: Maximum number of inputs with ties that are tried to see whether the order of ties follows no rule.
_TIED = 300


class Differences(NamedTuple):
    """Inputs on which conventions do not predict a metric, by kind; all empty if they always do.

    Attributes:
        leak: an input on which the value of a query depends on other queries.
        refused: ordinary inputs for which the metric gave no value.
        unexplained: inputs with another value than the predicted one.
        beyond: a counterexample with a cutoff above the number of documents.
        tied: inputs whose value follows from some order of the tied documents, but from no rule.
        orders: the comparison with all orders of tied documents.
    """

    leak: Probe | None
    refused: list[Refusal]
    unexplained: list[Probe]
    beyond: Found | None
    tied: list[Probe]
    orders: ArbitraryTies

    @property
    def labels(self) -> list[str]:
        """The labels of the kinds of input that occur and that no conventions explain."""
        kinds = {LEAK: self.leak, REFUSES: self.refused, UNEXPLAINED: self.unexplained or self.beyond}
        return [label for label, inputs in kinds.items() if inputs]


def differences(
    subject: AuditedMetric,
    found: Conventions,
    base: Conventions,
    checked: Sequence[Checked],
    hunt: Hunt,
    repeats: DuplicateHandling | None,
    *,
    ties_open: bool,
    seed: int,
) -> Differences:
    """Sort the inputs on which conventions do not predict a metric.

    Args:
        found: the metric's conventions; base: the reference's.
        checked: the results on the battery, on fresh inputs and on cases.
        repeats: the metric's treatment of documents that occur twice; None if the reference refuses them.
        ties_open: whether the metric itself orders tied documents, and not the call.
    """
    leak = leak_of(subject, found) or next((probe for of in checked for probe in of.leaks), None)
    refused = [refusal for of in checked for refusal in of.refused]
    unexplained = [probe for of in checked for probe in of.differs]
    if repeats is not None and repeats.example is not None and not repeats.values:
        unexplained.append(repeats.example[0])
    beyond, tied = hunt.past_the_end(), list[Probe]()
    orders = ArbitraryTies(subject, found.having(TIES, base[TIES]))
    more = tied_probes(random.Random(seed), subject.measure.cutoff, _TIED)
    if unexplained and ties_open and orders.explain(unexplained, more=more):
        tied, unexplained = unexplained, []
    return Differences(leak, refused, unexplained, beyond, tied, orders)
