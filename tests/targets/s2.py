"""S2, a notebook that sets its own data-frame measures beside those of HF evaluate's ``trec_eval``.

Its own measures order a ranking by the rank column and never look at scores. nDCG takes gain 2^grade - 1
unless told otherwise, the ideal list is made of all judged documents, precision divides by k (or by
the number retrieved where there is no k), and means are over all judged queries.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log2
from typing import Any

__all__ = [
    "averages",
    "dcg",
    "evaluate_frames",
    "ndcg",
    "precision",
    "recall",
    "reciprocal_rank",
]


def dcg(grades: Sequence[int], *, exponential: bool = True) -> float:
    """Sum over ranks i of gain / log2(i + 1)."""
    total = 0.0
    for rank, grade in enumerate(grades, start=1):
        total += (2**grade - 1 if exponential else grade) / log2(rank + 1)
    return total


def ndcg(
    ranking: Sequence[str], qrels: Mapping[str, int], k: int | None = None, *, exponential: bool = True
) -> float:
    """DCG of the first ``k`` documents over that of the best ``k`` judged ones; 0.0 without relevant ones."""
    grades = [max(qrels.get(doc, 0), 0) for doc in ranking][:k]
    ideal = sorted((grade for grade in qrels.values() if grade > 0), reverse=True)[:k]
    return dcg(grades, exponential=exponential) / dcg(ideal, exponential=exponential) if ideal else 0.0


def precision(ranking: Sequence[str], qrels: Mapping[str, int], k: int | None = None) -> float:
    """Relevant documents in the first ``k`` over ``k``; over the number retrieved where k is None."""
    found = sum(qrels.get(doc, 0) > 0 for doc in ranking[:k])
    below = len(ranking) if k is None else k
    return found / below if below else 0.0


def recall(ranking: Sequence[str], qrels: Mapping[str, int], k: int | None = None) -> float:
    """Relevant documents in the first ``k`` over all relevant ones; 0.0 where there are none."""
    relevant = sum(grade > 0 for grade in qrels.values())
    return sum(qrels.get(doc, 0) > 0 for doc in ranking[:k]) / relevant if relevant else 0.0


def reciprocal_rank(ranking: Sequence[str], qrels: Mapping[str, int], k: int | None = None) -> float:
    """1 / rank of the first relevant document; 0.0 where none is in the first ``k``."""
    for rank, doc in enumerate(ranking[:k], start=1):
        if qrels.get(doc, 0) > 0:
            return 1 / rank
    return 0.0


def evaluate_frames(
    results: Any,
    qrels: Any,
    ks: Sequence[int | None] = (5, 10, 50),
    *,
    query_key: str = "query",
    doc_key: str = "docid",
    rank_key: str = "rank",
    score_key: str = "rel",
    exponential: bool = True,
) -> Any:
    """One row per judged query with P@k, R@k, MRR@k and nDCG@k for every ``k`` (None: no cutoff).

    Args:
        results: pandas data frame with columns ``query_key``, ``doc_key`` and ``rank_key``. Equal ranks
            keep the order of the rows. Queries that were not judged are left out.
        qrels: pandas data frame with columns ``query_key``, ``doc_key`` and ``score_key`` (the grade).
            Documents without a positive grade count as if they had not been judged.

    Returns:
        A pandas data frame indexed by query, with every query of ``qrels`` that has a positive grade: one
        without results has 0.0 everywhere.
    """
    import pandas as pd

    ranked = results.sort_values(rank_key, kind="stable")
    rankings = {query: list(rows[doc_key]) for query, rows in ranked.groupby(query_key)}
    table: dict[Any, dict[str, float]] = {}
    for query, rows in qrels[qrels[score_key] > 0].groupby(query_key, sort=False):
        grades = dict(zip(rows[doc_key], rows[score_key], strict=True))
        ranking = rankings.get(query, [])
        row = table[query] = {}
        for k in ks:
            at = "" if k is None else f"@{k}"
            row[f"P{at}"] = precision(ranking, grades, k)
            row[f"R{at}"] = recall(ranking, grades, k)
            row[f"MRR{at}"] = reciprocal_rank(ranking, grades, k)
            row[f"nDCG{at}"] = ndcg(ranking, grades, k, exponential=exponential)
    return pd.DataFrame.from_dict(table, orient="index").rename_axis(query_key)


def averages(table: Any) -> dict[str, float]:
    """Mean of every column of :func:`evaluate_frames`: each judged query has the same weight."""
    return {str(name): float(table[name].mean()) for name in table.columns}
