"""The summary of a measure over queries: mean, sum, or geometric mean."""

from __future__ import annotations

import math

from crosscheck.measures.base import sequential_sum
from crosscheck.model import Aggregate, FloatArray

__all__ = ["sequential_mean", "summary_of", "summary_of_total"]


def sequential_mean(values: FloatArray) -> float | None:
    """Left-to-right sum over count, as trec_eval computes it; None for no values."""
    return summary_of(values, "mean")


def summary_of(values: FloatArray, aggregate: Aggregate) -> float | None:
    """trec_eval's summary of one value per query, in the order given; None for no values."""
    return summary_of_total(sequential_sum(values), aggregate, len(values))


def summary_of_total(total: float, aggregate: Aggregate, divisor: int) -> float | None:
    """trec_eval's summary from the sum over queries and the number of queries; None for no queries.

    If the values are logarithms, the exponential of their mean; infinite if that exceeds a double.
    """
    if divisor == 0:
        return None
    match aggregate:
        case "sum":
            return total
        case "mean":
            return total / divisor
        case "geometric":
            try:
                return math.exp(total / divisor)
            except OverflowError:
                return math.inf
