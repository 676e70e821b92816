"""Discounted cumulative gain of a list, and its normalised form."""

from __future__ import annotations

from collections.abc import Iterable

from crosscheck.errors import UsageError
from crosscheck.vectors._engine import measured, whole_number

__all__ = ["dcg", "dcg_at_k", "ideal_dcg", "ndcg", "ndcg_at_k"]


def dcg(
    relevance: Iterable[float],
    k: int | None = None,
    *,
    gain: str = "linear",
    discount: str = "log2(i+1)",
    relevance_level: float = 1,
) -> float:
    """Sum of gain over discount in rank order, up to the cutoff (trec_eval 10 ``dcg``).

    Args:
        gain: ``linear``, the level itself; ``exponential``, 2^level - 1 (Burges et al., 2005; gdeval,
            XGBoost, LightGBM, TF-Ranking, Elasticsearch, ranx ``ndcg_burges``); ``binary``, 1 from
            ``relevance_level`` on (sentence-transformers, recommenders, pyndeval); ``2^level``, for levels
            above 0; ``2^level-of-all``, which is 1 for level 0; or ``level^2``.
        discount: ``log2(i+1)``; ``ln(i+1)``; ``log10(i+1)``; ``jarvelin``, 1 at ranks 1 and 2, then log2(i)
            (Järvelin and Kekäläinen, 2002, with b = 2); ``jarvelin-3`` and ``jarvelin-10``, the same with
            another b: 1 above rank b, from there on log_b(i); ``ln-jarvelin``, 1 at rank 1, then ln(i);
            ``rank``; or ``none``.

    >>> dcg([4, 4, 3, 0, 0, 1, 3, 3, 3, 0], 6, discount="jarvelin")
    10.279642067948915
    """
    return measured("DCG", [relevance], k, gain=gain, discount=discount, relevance_level=relevance_level)[0]


def ideal_dcg(
    relevance: Iterable[float],
    k: int | None = None,
    *,
    judged: Iterable[float] | None = None,
    max_grade: float | None = None,
    gain: str = "linear",
    discount: str = "log2(i+1)",
    ideal: str = "qrels",
    relevance_level: float = 1,
) -> float:
    """DCG of the ideal list that :func:`ndcg` divides by, with the same arguments."""
    return _against_ideal(
        "ideal_dcg", relevance, k, judged, max_grade, relevance_level, gain, discount, ideal
    )


def ndcg(
    relevance: Iterable[float],
    k: int | None = None,
    *,
    judged: Iterable[float] | None = None,
    max_grade: float | None = None,
    gain: str = "linear",
    discount: str = "log2(i+1)",
    ideal: str = "qrels",
    relevance_level: float = 1,
) -> float:
    """DCG divided by the DCG of an ideal list (trec_eval ``ndcg``, ``ndcg_cut_k``); 0.0 if that is 0.

    Args:
        judged: levels of all judged documents of the query, in any order.
        max_grade: highest level of the scale, for ``ideal="max-grade"`` and ``"max-grade-returned"``.
        gain, discount: see :func:`dcg`.
        ideal: ``qrels``, all judged documents, best first, cut at k; ``untruncated``, the same not cut;
            ``hits-returned``, the same cut at the length of the list (Elasticsearch); ``retrieved``, the list
            itself sorted, which misses documents that were not retrieved (scikit-learn, torchmetrics,
            XGBoost, LightGBM, CatBoost, TF-Ranking); ``retrieved-at-k``, its first k documents sorted; or
            ``max-grade``, the highest level at every position up to k, or to the length of the list
            (cwl_eval); ``max-grade-returned``, the same up to the shorter of the two.

    Raises:
        UsageError: ``judged`` or ``max_grade`` is needed and was not given.

    >>> ndcg([2, 3, 0], 5, judged=[3, 2, 1])
    0.8174935137996165
    """
    return _against_ideal("nDCG", relevance, k, judged, max_grade, relevance_level, gain, discount, ideal)


def _against_ideal(
    family: str,
    relevance: Iterable[float],
    k: int | None,
    judged: Iterable[float] | None,
    max_grade: float | None,
    relevance_level: float,
    gain: str,
    discount: str,
    ideal: str,
) -> float:
    from crosscheck.axes.gains import IDEAL, OF_HIGHEST, Ideal

    kind = IDEAL.parse(ideal)
    if kind in OF_HIGHEST and max_grade is None:
        raise UsageError(f"ideal='{kind}' needs max_grade, the highest level of the scale")
    if kind not in (*OF_HIGHEST, Ideal.RETRIEVED, Ideal.RETRIEVED_AT_K) and judged is None:
        raise UsageError(
            "the ideal list holds all judged documents of the query, which the list does not contain",
            hint="give judged, the levels of all of them, or ideal='retrieved' to sort the list itself",
        )
    return measured(
        family,
        [relevance],
        k,
        judged=[() if judged is None else judged],
        relevance_level=relevance_level,
        gain=gain,
        discount=discount,
        ideal=ideal,
        max_grade="measure" if max_grade is None else whole_number("max_grade", max_grade),
    )[0]


#: Other names of :func:`dcg` and :func:`ndcg`.
dcg_at_k, ndcg_at_k = dcg, ndcg
