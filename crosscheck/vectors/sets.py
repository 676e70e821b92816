"""Measures of an unordered set of results."""

from __future__ import annotations

from collections.abc import Hashable, Iterable

from crosscheck.errors import UsageError
from crosscheck.vectors._shared import ratio

__all__ = ["f_beta", "set_f_beta", "set_precision", "set_recall"]


def set_precision(retrieved: Iterable[Hashable], relevant: Iterable[Hashable]) -> float:
    """Retrieved documents that are relevant / retrieved documents (trec_eval ``set_P``).

    Both arguments are read as sets of ids; 0.0 where nothing was retrieved.
    """
    found = frozenset(retrieved)
    return ratio(len(found.intersection(relevant)), len(found))


def set_recall(retrieved: Iterable[Hashable], relevant: Iterable[Hashable]) -> float:
    """Retrieved documents that are relevant / relevant documents (trec_eval ``set_recall``).

    Both arguments are read as sets of ids; 0.0 where nothing is relevant.
    """
    wanted = frozenset(relevant)
    return ratio(len(wanted.intersection(retrieved)), len(wanted))


def f_beta(precision: float, recall: float, beta: float = 1.0, *, weight: str = "beta") -> float:
    """Weighted harmonic mean of precision and recall: (w + 1) P R / (w P + R); 0.0 where P = R = 0.

    Args:
        weight: what w is. ``beta`` as in trec_eval's ``set_F`` (and ir_measures' SetF), or ``beta^2`` as in
            van Rijsbergen's F and scikit-learn's ``fbeta_score``. They agree where beta is 1.
    """
    if weight not in ("beta", "beta^2"):
        raise UsageError(f"weight has no value {weight!r}", hint="it takes one of: beta, beta^2")
    w = beta if weight == "beta" else beta**2
    return ratio((w + 1) * precision * recall, w * precision + recall)


def set_f_beta(
    retrieved: Iterable[Hashable], relevant: Iterable[Hashable], beta: float = 1.0, *, weight: str = "beta"
) -> float:
    """:func:`f_beta` of :func:`set_precision` and :func:`set_recall` (trec_eval ``set_F``)."""
    found, wanted = frozenset(retrieved), frozenset(relevant)
    return f_beta(set_precision(found, wanted), set_recall(found, wanted), beta, weight=weight)
