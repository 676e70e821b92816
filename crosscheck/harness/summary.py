"""Counts over the comparisons of a document."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from crosscheck.results import Comparison, Summary

__all__ = ["summarise"]


def summarise(comparisons: Sequence[Comparison]) -> Summary:
    """Counts over all comparisons."""
    outcomes = Counter(c.outcome for c in comparisons)
    found = Counter(cause for c in comparisons if c.diagnosis for cause in c.diagnosis.causes)
    return Summary(
        comparisons=len(comparisons),
        match=outcomes["match"],
        mismatch=outcomes["mismatch"],
        error=outcomes["error"],
        unsupported=outcomes["unsupported"],
        unexpected=sum(not c.expected for c in comparisons),
        stale=sum(c.stale for c in comparisons),
        causes=dict(sorted(found.items())),
    )
