"""The impact of a disagreement on conclusions about the systems, as records.

Field names are the JSON's. null means that there is no value, and a note gives the reason. The records are
part of the documents of ``crosscheck impact`` and ``crosscheck run``.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from msgspec import Struct

__all__ = [
    "Impact",
    "PairChange",
    "QueryMove",
    "RankCorrelation",
    "SignificanceChange",
    "SignificanceKind",
    "SwappedPair",
    "SystemMove",
    "TestName",
]

TestName: TypeAlias = Literal["sign", "wilcoxon", "t", "randomisation"]
PairChange: TypeAlias = Literal["swapped", "now tied", "no longer tied"]
SignificanceKind: TypeAlias = Literal["vanished", "appeared", "reversed"]


class RankCorrelation(Struct, frozen=True):
    """Correlation of the two rankings of the systems; ``note``: the reason if there is no value."""

    name: str
    value: float | None
    note: str | None


class SystemMove(Struct, frozen=True, kw_only=True):
    """A system before and after: means over the queries that have a value, and ranks (ties share one).

    ``reference_queries`` and ``candidate_queries`` count the queries that have a value on each side;
    ``changed`` counts the queries whose value differs or exists on one side only.
    """

    run: str
    reference_value: float | None
    candidate_value: float | None
    difference: float | None
    reference_rank: int | None
    candidate_rank: int | None
    reference_queries: int
    candidate_queries: int
    changed: int


class SwappedPair(Struct, frozen=True, kw_only=True):
    """Two systems whose order changes: ``better`` led by ``lead`` and now trails by ``trail`` (0: tied).

    ``queries``: the queries that contribute most to the change, largest contribution first.
    """

    better: str
    worse: str
    change: PairChange
    lead: float
    trail: float
    queries: list[str]


class SignificanceChange(Struct, frozen=True, kw_only=True):
    """A pair whose difference is significant on one side only, or on both in opposite directions.

    ``reference_p`` and ``candidate_p`` are corrected; differences are ``b - a``. ``queries``: the queries
    that contribute most to the change, largest contribution first.
    """

    a: str
    b: str
    change: SignificanceKind
    reference_difference: float | None
    candidate_difference: float | None
    reference_p: float | None
    candidate_p: float | None
    queries: list[str]


class QueryMove(Struct, frozen=True, kw_only=True):
    """A query and the change of its values: ``total`` is the sum of absolute changes over all runs, ``run``
    has the largest change.

    ``reference_value`` and ``candidate_value`` are the query's values in this run.
    """

    query: str
    total: float
    run: str
    reference_value: float | None
    candidate_value: float | None


class Impact(Struct, frozen=True, kw_only=True):
    """The impact of a disagreement about one measure on conclusions about the systems.

    Attributes:
        case: name of the case in a document of ``crosscheck run``, else empty.
        reference, candidate: the two conventions or backends.
        affected: whether the ranking or a significance changes; null if neither can be decided.
        systems: the systems, best first by the reference.
        tau, tau_ap: rank correlations of the candidate's ranking with the reference's.
        test, alpha: the test of significance and its level; pairs: number of compared pairs of systems, for
            which the p-values are corrected.
        reference_significant, candidate_significant: significant pairs on either side, null without tests.
        values, changed: number of (run, query) values compared, and of those that differ.
        queries: the queries with the largest changes, at most 20; moved: number of queries with a change.
        notes: results that could not be computed, with reasons.
        summary: the result in one paragraph.
    """

    measure: str
    reference: str
    candidate: str
    affected: bool | None
    systems: list[SystemMove]
    tau: RankCorrelation
    tau_ap: RankCorrelation
    swaps: list[SwappedPair]
    test: TestName
    alpha: float
    pairs: int
    reference_significant: int | None
    candidate_significant: int | None
    significance: list[SignificanceChange]
    values: int
    changed: int
    moved: int
    queries: list[QueryMove]
    notes: list[str]
    summary: str
    case: str = ""
    correction: str = "Holm"
