"""Measures of an unordered set of results."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import TYPE_CHECKING

from crosscheck.errors import UsageError
from crosscheck.vectors._engine import measured

if TYPE_CHECKING:
    from crosscheck.model import ParamValue

__all__ = ["f_beta", "set_f_beta", "set_precision", "set_recall"]


def set_precision(retrieved: Iterable[Hashable], relevant: Iterable[Hashable]) -> float:
    """Retrieved documents that are relevant / retrieved documents (trec_eval ``set_P``).

    Both arguments are read as sets of ids; 0.0 if nothing was retrieved.
    """
    return _measured("SetP", retrieved, relevant)


def set_recall(retrieved: Iterable[Hashable], relevant: Iterable[Hashable]) -> float:
    """Retrieved documents that are relevant / relevant documents (trec_eval ``set_recall``).

    Both arguments are read as sets of ids; 0.0 if nothing is relevant.
    """
    return _measured("SetR", retrieved, relevant)


def _measured(
    family: str,
    retrieved: Iterable[Hashable],
    relevant: Iterable[Hashable],
    params: tuple[tuple[str, ParamValue], ...] = (),
) -> float:
    wanted = frozenset(relevant)
    levels = [int(docno in wanted) for docno in frozenset(retrieved)]
    return measured(family, [levels], relevant=[len(wanted)], params=params)[0]


def f_beta(precision: float, recall: float, beta: float = 1.0, *, weight: str = "beta") -> float:
    """Weighted harmonic mean of precision and recall: (w + 1) P R / (w P + R); 0.0 if P = R = 0.

    Args:
        weight: the meaning of w. ``beta`` as in trec_eval's ``set_F`` (and ir_measures' SetF), or ``beta^2``
            as in van Rijsbergen's F and scikit-learn's ``fbeta_score``. They agree if beta is 1.
    """
    import numpy as np

    from crosscheck.measures.precision import f_measure

    value = f_measure(np.array(precision, np.float64), np.array(recall, np.float64), _weight(beta, weight))
    return float(value)


def _weight(beta: float, weight: str) -> float:
    if weight not in ("beta", "beta^2"):
        raise UsageError(f"weight has no value {weight!r}", hint="it takes one of: beta, beta^2")
    return beta if weight == "beta" else beta**2


def set_f_beta(
    retrieved: Iterable[Hashable], relevant: Iterable[Hashable], beta: float = 1.0, *, weight: str = "beta"
) -> float:
    """:func:`f_beta` of :func:`set_precision` and :func:`set_recall` (trec_eval ``set_F``)."""
    return _measured("SetF", retrieved, relevant, (("beta", _weight(beta, weight)),))
