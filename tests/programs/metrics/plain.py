"""Faithful metrics as people write them: complete in themselves, called by the names of their parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log2
from typing import Any

import numpy as np

__all__ = ["PLAIN"]

#: Function -> the measure that it computes.
PLAIN = {
    "precision_at_k": "P@10",
    "recall_at_k": "R@10",
    "hit_rate": "Success@5",
    "reciprocal_rank": "RR",
    "reciprocal_rank_of_ranks": "RR",
    "average_precision": "AP",
    "average_precision_of_ranks": "AP",
    "r_precision": "Rprec",
    "ndcg_of_arrays": "nDCG@10",
    "ndcg_of_gains": "nDCG@10",
    "ndcg_from_the_last_rank": "nDCG@10",
    "ndcg_of_queries": "nDCG@10",
    "mean_average_precision": "AP",
    "precision_of_frames": "P@5",
    "mean_reciprocal_rank_of_frames": "RR",
}

Qrels = Mapping[str, Mapping[str, int]]
Run = Mapping[str, Mapping[str, float]]


def precision_at_k(gains: Sequence[int], k: int) -> float:
    return int(np.count_nonzero(np.asarray(gains[:k], int))) / k


def recall_at_k(retrieved: Sequence[str], relevant: Sequence[str], k: int) -> float:
    return len(set(retrieved[:k]).intersection(relevant)) / len(relevant) if relevant else 0.0


def hit_rate(ranked_ids: Sequence[str], relevant_ids: Sequence[str], k: int) -> int:
    return int(not set(relevant_ids).isdisjoint(ranked_ids[:k]))


def reciprocal_rank(binary: Sequence[int]) -> float:
    return 1 / (list(binary).index(1) + 1) if 1 in binary else 0.0


def reciprocal_rank_of_ranks(ranks_of_relevant: Sequence[int]) -> float:
    return 1 / min(ranks_of_relevant) if ranks_of_relevant else 0.0


def average_precision(ranked_ids: Sequence[str], relevant_ids: Sequence[str]) -> float:
    if not relevant_ids:
        return 0.0
    hits = np.isin(np.asarray(ranked_ids, object), np.asarray(list(relevant_ids), object))
    precisions = np.cumsum(hits) / np.arange(1, len(hits) + 1)
    return float(precisions[hits].sum() / len(relevant_ids))


def average_precision_of_ranks(ranks: Sequence[int], num_rel: int) -> float:
    precisions = [found / rank for found, rank in enumerate(sorted(ranks), 1)]
    return sum(reversed(precisions)) / num_rel if num_rel else 0.0


def r_precision(ranked_ids: Sequence[str], relevant_ids: Sequence[str]) -> float:
    size = len(relevant_ids)
    return sum(docno in relevant_ids for docno in ranked_ids[:size]) / max(size, 1)


def ndcg_of_arrays(relevance: Mapping[str, int], ranked_ids: Sequence[str], k: int) -> float:
    def dcg(gains: Any) -> Any:
        return np.sum(gains / np.log2(np.arange(2, len(gains) + 2)))

    gains = np.maximum([relevance.get(docno, 0) for docno in ranked_ids[:k]], 0)
    ideal = np.sort(np.maximum(list(relevance.values()), 0))[::-1][:k]
    return float(dcg(gains) / dcg(ideal)) if ideal.any() else 0.0


def ndcg_of_gains(retrieved_gains: Sequence[int], judged_gains: Sequence[int], k: int) -> float:
    best, own = (
        sum(gain / log2(rank + 1) for rank, gain in enumerate(gains[:k], 1))
        for gains in (sorted(judged_gains, reverse=True), retrieved_gains)
    )
    return own / (best + 1e-12) if own else 0.0


def ndcg_from_the_last_rank(relevance: Mapping[str, int], ranked_ids: Sequence[str], k: int) -> float:
    def dcg(levels: Sequence[int]) -> float:
        return sum(max(level, 0) / log2(rank + 1) for rank, level in reversed(list(enumerate(levels, 1))))

    best = dcg(sorted(relevance.values(), reverse=True)[:k])
    return dcg([relevance.get(docno, 0) for docno in ranked_ids][:k]) / best if best else 0.0


def _ranking(lines: Mapping[str, float]) -> list[str]:
    """By lexsort: scores in single precision, then docnos, both descending."""
    docnos = np.array(list(lines), object)
    with np.errstate(over="ignore"):
        scores = np.array(list(lines.values())).astype(np.float32)
    places = np.argsort(docnos)
    by_docno = np.empty(len(docnos), int)
    by_docno[places] = np.arange(len(docnos))
    return [str(docno) for docno in docnos[np.lexsort((by_docno, scores))[::-1]]]


def ndcg_of_queries(qrels: Qrels, run: Run, k: int) -> dict[str, float]:
    return {
        query: ndcg_of_arrays(qrels[query], _ranking(lines), k)
        for query, lines in run.items()
        if query in qrels
    }


def mean_average_precision(run: Run, qrels: Qrels) -> float:
    values = [
        average_precision(_ranking(lines), [docno for docno, level in qrels[query].items() if level > 0])
        for query, lines in run.items()
        if query in qrels
    ]
    return float(np.mean(values)) if values else 0.0


def _ranked(results_df: Any, qrels_df: Any) -> Any:
    """Results of judged queries in trec_eval's order, with their levels and their places from 0."""
    judged = results_df[results_df["query"].isin(qrels_df["query"])]
    with np.errstate(over="ignore"):
        judged = judged.assign(single=judged["score"].astype("float32"))
    ranked = judged.sort_values(["query", "single", "docid"], ascending=[True, False, False])
    ranked = ranked.merge(qrels_df, on=["query", "docid"], how="left")
    return ranked.assign(place=ranked.groupby("query").cumcount(), hit=ranked["rel"] > 0)


def precision_of_frames(results_df: Any, qrels_df: Any, k: int = 5) -> Any:
    ranked = _ranked(results_df, qrels_df)
    hits = (ranked["hit"] & (ranked["place"] < k)).groupby(ranked["query"]).sum()
    return (hits / k).rename(f"P@{k}").reset_index()


def mean_reciprocal_rank_of_frames(results_df: Any, qrels_df: Any) -> float:
    ranked = _ranked(results_df, qrels_df)
    reciprocal = (ranked["hit"] / (ranked["place"] + 1)).groupby(ranked["query"]).max()
    return float(reciprocal.mean()) if len(reciprocal) else 0.0
