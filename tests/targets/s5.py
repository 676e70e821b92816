"""S5, course notes: ranked measures.

Where it leaves trec_eval: DCG in Järvelin's form leaves rank 1 undiscounted and divides by log2(i) from
rank 2 on, so that rank 2 is undiscounted as well.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log2


def average_precision(ranking: Sequence[str], relevant: set[str]) -> float:
    """Mean over all relevant documents of the precision at their rank; unretrieved ones count 0."""
    found, total = 0, 0.0
    for rank, doc in enumerate(ranking, start=1):
        if doc in relevant:
            found += 1
            total += found / rank
    return total / len(relevant) if relevant else 0.0


def dcg(grades: Sequence[int]) -> float:
    """rel_1 plus the sum from rank i = 2 of rel_i / log2(i)."""
    total = 0.0
    for rank, grade in enumerate(grades, start=1):
        total += grade if rank == 1 else grade / log2(rank)
    return total


def ndcg(ranking: Sequence[str], qrels: Mapping[str, int]) -> float:
    """:func:`dcg` of the ranking over that of all judged documents, best first; 0.0 where that is 0."""
    best = dcg(sorted((grade for grade in qrels.values() if grade > 0), reverse=True))
    return dcg([max(qrels.get(doc, 0), 0) for doc in ranking]) / best if best else 0.0
