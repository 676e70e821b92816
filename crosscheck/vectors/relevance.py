"""Measures that ask only which documents of the list are relevant."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import TypeVar

from crosscheck.errors import ArgumentError, UsageError
from crosscheck.vectors._engine import (
    checked_cutoff,
    checked_depth,
    checked_levels,
    mean,
    measured,
    relevant_documents,
    whole_number,
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
    level = whole_number("relevance_level", relevance_level)
    return measured("SetP", [checked_levels(rel)], relevance_level=level)[0]


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
    level, pool = whole_number("relevance_level", relevance_level), []
    if precision_denominator == "judged":
        raise UsageError(
            "precision_denominator=judged: a list does not tell which of its documents are judged",
            hint="crosscheck.evaluate with qrels and run does",
        )
    if total_relevant is not None:
        pool = relevant_documents(total_relevant, level)
    elif precision_denominator == "min(k,R)":
        raise UsageError(
            "min(k,R) needs the relevant documents of the query, which a list does not tell",
            hint="give total_relevant",
        )
    return measured(
        "P",
        [checked_levels(rel)],
        [pool],
        checked_cutoff(k),
        precision_denominator=precision_denominator,
        relevance_level=level,
    )[0]


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
    level = whole_number("relevance_level", relevance_level)
    if k is None and recall_denominator == "k":
        recall_denominator = "R"
    return measured(
        "R",
        [checked_levels(rel)],
        [relevant_documents(total_relevant, level)],
        checked_depth(k),
        recall_denominator=recall_denominator,
        relevance_level=level,
    )[0]


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
    totals = None if total_relevant is None else [total_relevant]
    return _average_precisions([rel], totals, k, ap_denominator, relevance_level)[0]


def _average_precisions(
    rels: Sequence[Iterable[float]],
    totals: Sequence[int] | None,
    k: int | None,
    ap_denominator: str,
    relevance_level: float,
) -> list[float]:
    from crosscheck.axes.ap_denominator import AP_DENOMINATOR, ApDenominator

    level, pools = whole_number("relevance_level", relevance_level), []
    if totals is not None:
        pools = [relevant_documents(total, level) for total in totals]
    elif rels and AP_DENOMINATOR.parse(ap_denominator) is not ApDenominator.RETRIEVED_RELEVANT:
        raise UsageError(
            "average precision divides by the relevant documents of the query, which a list does not tell",
            hint="give total_relevant, or ap_denominator='retrieved-relevant' to divide by those found",
        )
    return measured(
        "AP",
        [checked_levels(rel) for rel in rels],
        pools,
        checked_depth(k),
        ap_denominator=ap_denominator,
        relevance_level=level,
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
    if totals is not None and len(totals) != len(rels):
        raise ArgumentError(f"there are {len(rels)} lists and {len(totals)} totals")
    return mean(_average_precisions(rels, totals, k, ap_denominator, relevance_level))


def r_precision(rel: Iterable[float], total_relevant: int, *, relevance_level: float = 1) -> float:
    """Relevant documents among the first R, divided by R (trec_eval ``Rprec``); 0.0 where R is 0.

    A list shorter than R is still divided by R.
    """
    level = whole_number("relevance_level", relevance_level)
    pool = relevant_documents(total_relevant, level)
    return measured("Rprec", [checked_levels(rel)], [pool], relevance_level=level)[0]


def reciprocal_rank(
    rel: Iterable[float], *, rr_cutoff: int | None = None, relevance_level: float = 1
) -> float:
    """1 / rank of the first relevant document, 0.0 without one (trec_eval ``recip_rank``).

    Args:
        rr_cutoff: rank beyond which the value is 0.0. MS MARCO cuts passages at 10 and documents at 100,
            Lucene's QualityStats cuts at 5; trec_eval does not cut.
    """
    return _reciprocal_ranks([rel], rr_cutoff, relevance_level)[0]


def _reciprocal_ranks(
    rels: Iterable[Iterable[float]], rr_cutoff: int | None, relevance_level: float
) -> list[float]:
    return measured(
        "RR",
        [checked_levels(rel) for rel in rels],
        rr_cutoff=checked_depth(rr_cutoff),
        relevance_level=whole_number("relevance_level", relevance_level),
    )


def mean_reciprocal_rank(
    rels: Sequence[Iterable[float]], *, rr_cutoff: int | None = None, relevance_level: float = 1
) -> float:
    """Mean of :func:`reciprocal_rank` over queries, each with the same weight; 0.0 without queries."""
    return mean(_reciprocal_ranks(rels, rr_cutoff, relevance_level))
