"""Measures that ask only which documents of the list are relevant."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import TypeVar

from crosscheck.axes.ap_denominator import AP_DENOMINATOR, ApDenominator
from crosscheck.axes.precision_denominator import PRECISION_DENOMINATOR, PrecisionDenominator
from crosscheck.axes.recall_denominator import RECALL_DENOMINATOR, RecallDenominator
from crosscheck.errors import ArgumentError, UsageError
from crosscheck.vectors._shared import (
    axes_of,
    checked_cutoff,
    checked_levels,
    depth_of,
    hits,
    mean,
    ratio,
    total,
)

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


def precision(rel: Iterable[float], *, relevance_level: float = 1) -> float:
    """Share of the whole list that is relevant (trec_eval ``set_P``).

    >>> precision([0, 0, 0, 1])
    0.25
    """
    levels = checked_levels(rel)
    return ratio(hits(levels, relevance_level), len(levels))


def precision_at_k(
    rel: Iterable[float],
    k: int,
    total_relevant: int | None = None,
    *,
    precision_denominator: str = "k",
    relevance_level: float = 1,
) -> float:
    """Relevant documents among the first k, divided by k (trec_eval ``P_k``).

    Args:
        total_relevant: R, the relevant documents of the query, retrieved or not; needed for ``min(k,R)``.
        precision_denominator: ``k``; ``min(k,retrieved)``, which does not punish a list shorter than k:
            XGBoost, CatBoost, ir_measures' ``judged`` provider, torchmetrics with ``adaptive_k``
            (Elasticsearch divides by the number retrieved); or ``min(k,R)``, trec_eval's ``relative_P_k``.
        relevance_level: lowest level that counts as relevant (trec_eval ``-l``).

    Raises:
        UsageError: R is needed and was not given, or ``judged``, because a list does not tell which of its
            documents are judged.

    >>> precision_at_k([1, 0], 5), precision_at_k([1, 0], 5, precision_denominator="min(k,retrieved)")
    (0.2, 0.5)
    """
    levels, k = checked_levels(rel), checked_cutoff(k)
    kind = axes_of(precision_denominator=precision_denominator)[PRECISION_DENOMINATOR]
    below = k
    match kind:
        case PrecisionDenominator.MIN_K_RETRIEVED:
            below = min(k, len(levels))
        case PrecisionDenominator.MIN_K_R:
            if total_relevant is None:
                raise UsageError(
                    "min(k,R) needs the relevant documents of the query, which a list does not tell",
                    hint="give total_relevant",
                )
            below = min(k, total_relevant)
        case PrecisionDenominator.JUDGED:
            raise UsageError(
                "a list does not tell which of its documents are judged",
                hint="crosscheck.evaluate with qrels and run does",
            )
    return ratio(hits(levels[:k], relevance_level), below)


def recall_at_k(
    rel: Iterable[float],
    total_relevant: int,
    k: int | None = None,
    *,
    recall_denominator: str = "R",
    relevance_level: float = 1,
) -> float:
    """Relevant documents among the first k, divided by all there are (trec_eval ``recall_k``).

    Args:
        total_relevant: R, the relevant documents of the query, retrieved or not; 0.0 where it is 0 or less.
        k: cutoff, or None for the whole list (trec_eval ``set_recall``).
        recall_denominator: ``R``; ``min(R,k)``, which lets a short cutoff reach 1 (BEIR's capped recall);
            ``retrieved-R``, the relevant documents of the list (scikit-learn, torchmetrics, CatBoost); or
            ``k``. Without a cutoff, ``min(R,k)`` and ``k`` are R.
    """
    levels, depth = checked_levels(rel), depth_of(k)
    kind = axes_of(recall_denominator=recall_denominator)[RECALL_DENOMINATOR]
    below = total_relevant
    if kind is RecallDenominator.MIN_R_K and k is not None:
        below = min(total_relevant, k)
    elif kind is RecallDenominator.K and k is not None:
        below = k
    elif kind is RecallDenominator.RETRIEVED_R:
        below = hits(levels, relevance_level)
    return ratio(hits(levels[:depth], relevance_level), below)


def average_precision(
    rel: Iterable[float],
    total_relevant: int | None = None,
    k: int | None = None,
    *,
    ap_denominator: str = "R",
    relevance_level: float = 1,
) -> float:
    """Precision at each relevant document, added up and divided by R (trec_eval ``map``, ``map_cut_k``).

    Args:
        total_relevant: R, the relevant documents of the query, retrieved or not. Needed unless
            ``ap_denominator`` is ``retrieved-relevant``; 0.0 where it is 0 or less.
        k: cutoff, or None for the whole list.
        ap_denominator: ``R``; ``retrieved-relevant``, which ignores what was not found (cwl_eval; the
            learning-to-rank libraries and torchmetrics know no other); ``min(R,k)``
            (sentence-transformers, recommenders' MAP@k); ``k``; or ``min(R,retrieved)``, the length of the
            list down to the cutoff. Without a cutoff, ``min(R,k)`` and ``k`` are R.

    Raises:
        UsageError: R is needed and was not given.

    >>> average_precision([1, 1, 0, 0, 0, 0, 0, 0, 0, 0], 5)
    0.4
    """
    levels = checked_levels(rel)[: depth_of(k)]
    kind = axes_of(ap_denominator=ap_denominator)[AP_DENOMINATOR]
    found, precisions = 0, []
    for rank, level in enumerate(levels, 1):
        if level >= relevance_level:
            found += 1
            precisions.append(found / rank)
    if kind is ApDenominator.RETRIEVED_RELEVANT:
        return ratio(total(precisions), found)
    if total_relevant is None:
        raise UsageError(
            "average precision divides by the relevant documents of the query, which a list does not tell",
            hint="give total_relevant, or ap_denominator='retrieved-relevant' to divide by those found",
        )
    below = total_relevant
    if kind is ApDenominator.MIN_R_RETRIEVED:
        below = min(total_relevant, len(levels))
    elif kind is ApDenominator.MIN_R_K and k is not None:
        below = min(total_relevant, k)
    elif kind is ApDenominator.K and k is not None:
        below = k
    return ratio(total(precisions), below)


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
    if totals is not None and len(totals) != len(rels):
        raise ArgumentError(f"there are {len(rels)} lists and {len(totals)} totals")
    known = [None] * len(rels) if totals is None else totals
    return mean(
        [
            average_precision(rel, total, k, ap_denominator=ap_denominator, relevance_level=relevance_level)
            for rel, total in zip(rels, known, strict=True)
        ]
    )


def r_precision(rel: Iterable[float], total_relevant: int, *, relevance_level: float = 1) -> float:
    """Relevant documents among the first R, divided by R (trec_eval ``Rprec``); 0.0 where R is 0.

    A list shorter than R is still divided by R.
    """
    levels = checked_levels(rel)
    return ratio(hits(levels[: max(total_relevant, 0)], relevance_level), total_relevant)


def reciprocal_rank(
    rel: Iterable[float], *, rr_cutoff: int | None = None, relevance_level: float = 1
) -> float:
    """1 / rank of the first relevant document, 0.0 without one (trec_eval ``recip_rank``).

    Args:
        rr_cutoff: rank beyond which the value is 0.0. MS MARCO cuts passages at 10 and documents at 100,
            Lucene's QualityStats cuts at 5; trec_eval does not cut.
    """
    levels = checked_levels(rel)[: depth_of(rr_cutoff)]
    return next((1.0 / rank for rank, level in enumerate(levels, 1) if level >= relevance_level), 0.0)


def mean_reciprocal_rank(
    rels: Sequence[Iterable[float]], *, rr_cutoff: int | None = None, relevance_level: float = 1
) -> float:
    """Mean of :func:`reciprocal_rank` over queries, each with the same weight; 0.0 without queries."""
    return mean([reciprocal_rank(rel, rr_cutoff=rr_cutoff, relevance_level=relevance_level) for rel in rels])
