"""Evidence of a difference for checks by hand, as records: tied documents, rankings, a mean in steps.

Field names are the JSON's. Numbers are floats, or the strings "NaN", "Infinity" and "-Infinity".
"""

from __future__ import annotations

import math
from typing import Literal, TypeAlias

from msgspec import Struct

__all__ = [
    "Evidence",
    "MeanStep",
    "Number",
    "QueryRankings",
    "RankedDocument",
    "TieInterval",
    "TiedDocument",
    "as_float",
    "number",
]

Number: TypeAlias = float | Literal["NaN", "Infinity", "-Infinity"]


def number(value: float) -> Number:
    """A float in the form of the document: NaN and infinities as strings."""
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    return float(value)


def as_float(value: Number) -> float:
    """The float that :func:`number` was given."""
    return float(value)


class TiedDocument(Struct, frozen=True, kw_only=True):
    """A document whose rank or gain makes the candidate's value differ, as evidence.

    Attributes:
        docno, score, rel: the document; rel is None if it is not judged.
        reference_rank, candidate_rank: 1-based; null if the document is cut off or left out.
        reference_adds, candidate_adds: the loss of either value without the document's judgement.
    """

    docno: str
    score: Number
    rel: int | None
    reference_rank: int | None
    candidate_rank: int | None
    reference_adds: Number | None = None
    candidate_adds: Number | None = None


class TieInterval(Struct, frozen=True):
    """A value over all orders of tied documents, under the reference's other conventions.

    ``worst`` and ``best`` are exact; ``expected`` is the mean over all orders, null where no exact form is
    known.
    """

    worst: Number
    best: Number
    expected: Number | None


class RankedDocument(Struct, frozen=True, kw_only=True):
    """One rank of a ranking, with its document.

    Attributes:
        rank: 1-based; documents between two ranks that are not next to each other are left out.
        rel: relevance level, None if the document is not judged.
        gain, discount, running: the gain of the document, its divisor, and the sum of discounted gains up to
            this rank; None if the measure is no sum of discounted gains, or the document adds nothing.
        tied: number that all documents of the ranking with the same score share; None if no other has it.
    """

    rank: int
    docno: str
    score: Number
    rel: int | None
    gain: Number | None = None
    discount: Number | None = None
    running: Number | None = None
    tied: int | None = None


class QueryRankings(Struct, frozen=True, kw_only=True):
    """The ranking of one query as the reference and as the candidate orders it.

    ``documents``: number of documents in the ranking; both sides hold the same excerpt of a long ranking.
    """

    query: str
    documents: int
    reference_ranking: list[RankedDocument]
    candidate_ranking: list[RankedDocument]


class MeanStep(Struct, frozen=True):
    """One cause on the way from the reference's mean to the candidate's; ``mean``: the mean after it."""

    cause: str
    mean: Number


class Evidence(Struct, frozen=True, kw_only=True):
    """Evidence for checking one comparison by hand.

    Attributes:
        steps: causes in the order of an evaluation, from the reference's mean to the candidate's; empty
            if no one set of conventions gives the candidate's mean.
        rankings: rankings of the queries that differ most.
        agreeing: values of the queries on which both agree, the first 300.
    """

    case: str
    run: str
    measure: str
    candidate: str
    steps: list[MeanStep] = []
    rankings: list[QueryRankings] = []
    agreeing: dict[str, Number] = {}
