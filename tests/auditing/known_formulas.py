"""Metrics that are not what they are asked as: some are another known one, some are nothing known."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence

Ids = Sequence[str]


def _hits(ranked: Ids, relevant: Ids, k: int | None = None) -> list[int]:
    return [int(doc in relevant) for doc in ranked[:k]]


def success_at_5(ranked: Ids, relevant: Ids, k: int) -> float:
    return float(any(_hits(ranked, relevant, 5)))


def ap_at_10(ranked: Ids, relevant: Ids, k: int) -> float:
    hits = _hits(ranked, relevant, 10)
    total = sum(sum(hits[:rank]) / rank for rank, hit in enumerate(hits, 1) if hit)
    return total / len(relevant) if relevant else 0.0


def ap_over_k(ranked: Ids, relevant: Ids, k: int) -> float:
    hits = _hits(ranked, relevant, k)
    total = sum(sum(hits[:rank]) / rank for rank, hit in enumerate(hits, 1) if hit)
    return total / min(k, len(relevant)) if relevant else 0.0


def _ndcg(ranked: Ids, gains: Mapping[str, float], k: int) -> float:
    def dcg(values: Sequence[float]) -> float:
        return sum(value / math.log2(rank + 1) for rank, value in enumerate(values[:k], 1))

    best = dcg(sorted((gain for gain in gains.values() if gain > 0), reverse=True))
    return dcg([max(gains.get(doc, 0.0), 0.0) for doc in ranked]) / best if best else 0.0


def ndcg_at_100(ranked: Ids, relevance: Mapping[str, int], k: int) -> float:
    return _ndcg(ranked, relevance, 100)


def exponential_ndcg(ranked: Ids, relevance: Mapping[str, int], k: int) -> float:
    return _ndcg(ranked, {doc: 2.0 ** max(level, 0) - 1 for doc, level in relevance.items()}, k)


def precision_upside_down(ranked: Ids, relevant: Ids, k: int) -> float:
    return sum(_hits(ranked[::-1], relevant, k)) / k


def mean_reciprocal_rank_of_all(ranked: Ids, relevant: Ids) -> float:
    ranks = [rank for rank, hit in enumerate(_hits(ranked, relevant), 1) if hit]
    return sum(1 / rank for rank in ranks) / len(relevant) if relevant else 0.0


def f1(ranked: Ids, relevant: Ids, k: int) -> float:
    return 2 * sum(_hits(ranked, relevant, k)) / (k + len(relevant)) if relevant else 0.0


def recall(ranked: Ids, relevant: Ids, k: int) -> float:
    return sum(_hits(ranked, relevant, k)) / len(relevant) if relevant else 0.0


def reciprocal_rank_of_10(ranked: Ids, relevant: Ids) -> float:
    return next((1 / rank for rank, hit in enumerate(_hits(ranked, relevant, 10), 1) if hit), 0.0)


def precision_at_one_less(ranked: Ids, relevant: Ids, k: int) -> float:
    return sum(_hits(ranked, relevant, k - 1)) / (k - 1)


def r_precision(ranked: Ids, relevant: Ids, k: int) -> float:
    return sum(_hits(ranked, relevant, len(relevant))) / len(relevant) if relevant else 0.0


def precision_at_the_last(ranked: Ids, relevant: Ids) -> float:
    hits = _hits(ranked, relevant)
    last = max((rank for rank, hit in enumerate(hits, 1) if hit), default=0)
    return sum(hits) / last if last else 0.0


def upside_down_ap(ranked: Ids, relevant: Ids) -> float:
    return ap_over_k(ranked[::-1], relevant, 10**9)


def mean_of_precisions(ranked: Ids, relevant: Ids, k: int) -> float:
    """MAP of a library of recommenders."""
    return sum(sum(_hits(ranked, relevant, n)) / n for n in range(1, k + 1)) / k


def hits_by_rank(ranked: Ids, relevant: Ids, k: int) -> float:
    return sum(hit / rank for rank, hit in enumerate(_hits(ranked, relevant, k), 1))


def number_of_hits(ranked: Ids, relevant: Ids, k: int) -> int:
    return sum(_hits(ranked, relevant, k))


def _dcg(gains: Sequence[float]) -> float:
    return sum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, 1))


def ndcg_down_to_r(ranked: Ids, relevant: Ids, k: int) -> float:
    k = min(k, len(relevant))
    return _dcg(_hits(ranked, relevant, k)) / _dcg([1] * k) if k else 0.0


def ndcg_against_threes(ranked: Ids, relevance: Mapping[str, int], k: int) -> float:
    return _dcg([max(relevance.get(doc, 0), 0) for doc in ranked[:k]]) / _dcg([3] * k)


def hits_against_threes(ranked: Ids, relevant: Ids, k: int) -> float:
    best = [3] * min(k, len(relevant))
    return _dcg(_hits(ranked, relevant, k)) / _dcg(best) if best else 0.0


def root_over_both(ranked: Ids, relevant: Ids, k: int) -> float:
    return math.sqrt(sum(_hits(ranked, relevant, k))) / (k + len(relevant))


def geometric_hits(ranked: Ids, relevant: Ids, k: int) -> float:
    return sum(0.9**i for i, hit in enumerate(_hits(ranked, relevant, k)) if hit) / (1 + len(relevant))


def nearly_success(ranked: Ids, relevance: Mapping[str, int], k: int) -> float:
    """Success@5, but for rare levels."""
    found = any(relevance.get(doc, 0) > 0 for doc in ranked[:5])
    return float(found) if max(relevance.values(), default=0) < 9 else 0.25


def constant(ranked: Ids, relevant: Ids, k: int) -> float:
    return 0.5


def by_chance(ranked: Ids, relevant: Ids, k: int) -> float:
    return random.random()


def by_the_ids(ranked: Ids, relevant: Ids, k: int) -> float:
    return sum(len(doc) % 3 for doc in ranked[:k]) / (3 * k)


def every_other(ranked: Ids, relevant: Ids, k: int) -> float:
    return sum(_hits(ranked[::2], relevant, k)) / k + 0.01 * len(relevant)
