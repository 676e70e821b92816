"""The document of the agreement of assessors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from crosscheck.study_records.base import StudyDocument

__all__ = ["Agreement", "AgreementDocument", "Kappa", "TopicAgreement"]


@dataclass(frozen=True, slots=True)
class Kappa:
    """Cohen's kappa of two lists of judgements.

    Attributes:
        weights: ``none``, ``linear`` or ``quadratic``.
        value: None if it is undefined.
        observed, expected: weighted agreement observed, P(A), and expected by chance, P(E); None without
            judgements.
        documents: number of documents compared.
        reading: the meaning of the value in words; empty if there is none.
        note: the reason if there is no value, or None.
    """

    weights: str
    value: float | None
    observed: float | None
    expected: float | None
    documents: int
    reading: str = ""
    note: str | None = None


@dataclass(frozen=True, slots=True)
class TopicAgreement:
    """Two assessors on one topic, or on all topics together.

    Attributes:
        topic: id of the topic; empty for all topics together.
        documents: number of documents that both assessors judged.
        only_first, only_second: number of documents that one assessor alone judged; not in the other numbers.
        overlap: documents relevant to both / relevant to either; None if nothing is relevant.
        unweighted, linear, quadratic: the three kappas over the documents judged by both.
    """

    topic: str
    documents: int
    only_first: int
    only_second: int
    overlap: float | None
    unweighted: Kappa
    linear: Kappa
    quadratic: Kappa


@dataclass(frozen=True, kw_only=True, repr=False)
class Agreement:
    """The judgements of two assessors compared.

    Attributes:
        first, second: the sources of the two qrels.
        relevance_level: lowest level that is relevant, for the overlap.
        levels: all relevance levels that either assessor uses, ascending.
        confusion: number of documents per pair of levels: a row per level of the first assessor, a column per
            level of the second, in the order of ``levels``.
        total: the agreement on all topics together; topics: the agreement on each topic that either assessor
            judged, in byte order.
        topics_first, topics_second: topics that only this assessor judged, in byte order.
        notes: sentences about omissions and undefined values.
    """

    first: str
    second: str
    relevance_level: int
    levels: list[int]
    confusion: list[list[int]]
    total: TopicAgreement
    topics: list[TopicAgreement]
    topics_first: list[str]
    topics_second: list[str]
    notes: list[str]


@dataclass(frozen=True, kw_only=True, repr=False)
class AgreementDocument(Agreement, StudyDocument):
    """``crosscheck agreement``."""

    _rows: ClassVar[str] = "topics"

    study: Literal["agreement"] = "agreement"
    summary: str
