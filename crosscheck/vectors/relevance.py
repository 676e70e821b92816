"""Measures of binary relevance."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import TypeVar

from crosscheck.errors import ArgumentError, UsageError
from crosscheck.vectors._engine import checked_cutoff, mean, measured

__all__ = [
    "average_precision",
    "mean_average_precision",
    "mean_reciprocal_rank",
    "precision",
    "precision_at_k",
    "r_precision",
    "recall_at_k",
    "reciprocal_rank",
    "relevance_vector",
]


_Id = TypeVar("_Id", bound=Hashable)


def relevance_vector(retrieved: Iterable[_Id], grades: Mapping[_Id, float]) -> list[float]:
    """The level of each retrieved document in rank order; 0 for a document that ``grades`` lacks."""
    return [grades.get(docno, 0) for docno in retrieved]


def precision(relevance: Iterable[float], *, relevance_level: float = 1) -> float:
    """Share of the whole list that is relevant (trec_eval ``set_P``).

    >>> precision([0, 0, 0, 1])
    0.25
    """
    return measured("SetP", [relevance], relevance_level=relevance_level)[0]


def precision_at_k(
    relevance: Iterable[float],
    k: int,
    total_relevant: int | None = None,
    *,
    precision_denominator: str = "k",
    relevance_level: float = 1,
) -> float:
    """Relevant documents among the first k, divided by k (trec_eval ``P_k``).

    Args:
        total_relevant: R, the relevant documents of the query, retrieved or not; needed for ``min(k,R)``.
        precision_denominator: ``k``; ``min(k,retrieved)``, which does not penalise a list shorter than k:
            XGBoost, CatBoost, ir_measures' ``judged`` provider, torchmetrics with ``adaptive_k``
            (Elasticsearch divides by the number retrieved); or ``min(k,R)``, trec_eval's ``relative_P_k``.
        relevance_level: lowest level that counts as relevant (trec_eval ``-l``).

    Raises:
        UsageError: R is needed and was not given, or ``precision_denominator`` is ``judged``, because a list
            does not tell which of its documents are judged.

    >>> precision_at_k([1, 0], 5), precision_at_k([1, 0], 5, precision_denominator="min(k,retrieved)")
    (0.2, 0.5)
    """
    if precision_denominator == "judged":
        raise UsageError(
            "precision_denominator=judged: the list does not contain the judgement of each document",
            hint="crosscheck.evaluate with qrels and run does",
        )
    if precision_denominator == "min(k,R)" and total_relevant is None:
        raise UsageError(
            "min(k,R) needs the relevant documents of the query, which the list does not contain",
            hint="give total_relevant",
        )
    return measured(
        "P",
        [relevance],
        checked_cutoff(k),
        relevant=() if total_relevant is None else [total_relevant],
        precision_denominator=precision_denominator,
        relevance_level=relevance_level,
    )[0]


def recall_at_k(
    relevance: Iterable[float],
    total_relevant: int,
    k: int | None = None,
    *,
    recall_denominator: str = "R",
    relevance_level: float = 1,
) -> float:
    """Relevant documents among the first k, divided by R (trec_eval ``recall_k``).

    Args:
        total_relevant: R, the relevant documents of the query, retrieved or not; the value is 0.0 if R is 0
            or less.
        k: cutoff, or None for the whole list (trec_eval ``set_recall``).
        recall_denominator: ``R``; ``min(R,k)``, which lets a short cutoff reach 1 (BEIR's capped recall);
            ``retrieved-R``, the relevant documents of the list (scikit-learn, torchmetrics, CatBoost); or
            ``k``. Without a cutoff, ``min(R,k)`` and ``k`` are R.
    """
    if k is None and recall_denominator == "k":
        recall_denominator = "R"
    return measured(
        "R",
        [relevance],
        k,
        relevant=[total_relevant],
        recall_denominator=recall_denominator,
        relevance_level=relevance_level,
    )[0]


def average_precision(
    relevance: Iterable[float],
    total_relevant: int | None = None,
    k: int | None = None,
    *,
    ap_denominator: str = "R",
    relevance_level: float = 1,
) -> float:
    """Sum of the precisions at each relevant document, divided by R (trec_eval ``map``, ``map_cut_k``).

    Args:
        total_relevant: R, the relevant documents of the query, retrieved or not. Needed unless
            ``ap_denominator`` is ``retrieved-relevant``; the value is 0.0 if R is 0 or less.
        k: cutoff, or None for the whole list.
        ap_denominator: ``R``; ``retrieved-relevant``, which ignores documents that were not found (cwl_eval;
            the only form in learning-to-rank libraries and torchmetrics); ``min(R,k)``
            (sentence-transformers, recommenders' MAP@k); ``k``; or ``min(R,retrieved)``, the length of the
            list down to the cutoff. Without a cutoff, ``min(R,k)`` and ``k`` are R.

    Raises:
        UsageError: R is needed and was not given.

    >>> average_precision([1, 1, 0, 0, 0, 0, 0, 0, 0, 0], 5)
    0.4
    """
    totals = None if total_relevant is None else [total_relevant]
    return mean_average_precision(
        [relevance], totals, k, ap_denominator=ap_denominator, relevance_level=relevance_level
    )


def mean_average_precision(
    rels: Sequence[Iterable[float]],
    totals: Sequence[int] | None = None,
    k: int | None = None,
    *,
    ap_denominator: str = "R",
    relevance_level: float = 1,
) -> float:
    """Mean of :func:`average_precision` over queries, each with the same weight; 0.0 without queries.

    Args:
        totals: R of each query; needed unless ``ap_denominator`` is ``retrieved-relevant``.
    """
    from crosscheck.axes.denominators import AP_DENOMINATOR, ApDenominator

    if totals is not None and len(totals) != len(rels):
        raise ArgumentError(f"there are {len(rels)} lists and {len(totals)} totals")
    kind = AP_DENOMINATOR.parse(ap_denominator)
    if totals is None and rels and kind is not ApDenominator.RETRIEVED_RELEVANT:
        raise UsageError(
            "average precision divides by the relevant documents of the query, which it does not contain",
            hint="give total_relevant, or ap_denominator='retrieved-relevant' to divide by those found",
        )
    level = relevance_level
    return mean(measured("AP", rels, k, relevant=totals or (), relevance_level=level, ap_denominator=kind))


def r_precision(relevance: Iterable[float], total_relevant: int, *, relevance_level: float = 1) -> float:
    """Relevant documents among the first R, divided by R (trec_eval ``Rprec``); 0.0 if R is 0.

    A list shorter than R is still divided by R.
    """
    return measured("Rprec", [relevance], relevant=[total_relevant], relevance_level=relevance_level)[0]


def reciprocal_rank(
    relevance: Iterable[float], *, rr_cutoff: int | None = None, relevance_level: float = 1
) -> float:
    """1 / rank of the first relevant document, 0.0 without one (trec_eval ``recip_rank``).

    Args:
        rr_cutoff: the value is 0.0 if the first relevant document is below this rank. MS MARCO cuts passages
            at 10 and documents at 100, Lucene's QualityStats cuts at 5; trec_eval does not cut.
    """
    return mean_reciprocal_rank([relevance], rr_cutoff=rr_cutoff, relevance_level=relevance_level)


def mean_reciprocal_rank(
    rels: Sequence[Iterable[float]], *, rr_cutoff: int | None = None, relevance_level: float = 1
) -> float:
    """Mean of :func:`reciprocal_rank` over queries, each with the same weight; 0.0 without queries."""
    cutoff = None if rr_cutoff is None else checked_cutoff(rr_cutoff)
    return mean(measured("RR", rels, rr_cutoff=cutoff, relevance_level=relevance_level))
