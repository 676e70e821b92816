"""S5, course notes: ranked measures, three paired significance tests, Cohen's kappa and pooling.

Where it leaves trec_eval: DCG in Järvelin's form leaves rank 1 undiscounted and divides by log2(i) from
rank 2 on, so that rank 2 is undiscounted as well.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import chain
from math import comb, exp, inf, lgamma, log, log2, sqrt

__all__ = [
    "average_precision",
    "cohens_kappa",
    "dcg",
    "kappa_reading",
    "mean",
    "ndcg",
    "paired_t_test",
    "pool",
    "precision_at_k",
    "recall_at_k",
    "reciprocal_rank",
    "sign_test",
    "wilcoxon_signed_rank_test",
]


def precision_at_k(ranking: Sequence[str], relevant: set[str], k: int) -> float:
    """Relevant documents in the first ``k`` over ``k``."""
    return sum(doc in relevant for doc in ranking[:k]) / k


def recall_at_k(ranking: Sequence[str], relevant: set[str], k: int) -> float:
    """Relevant documents in the first ``k`` over all relevant ones; 0.0 where there are none."""
    return sum(doc in relevant for doc in ranking[:k]) / len(relevant) if relevant else 0.0


def average_precision(ranking: Sequence[str], relevant: set[str]) -> float:
    """Mean over all relevant documents of the precision at their rank; unretrieved ones count 0."""
    found, total = 0, 0.0
    for rank, doc in enumerate(ranking, start=1):
        if doc in relevant:
            found += 1
            total += found / rank
    return total / len(relevant) if relevant else 0.0


def reciprocal_rank(ranking: Sequence[str], relevant: set[str]) -> float:
    """1 / rank of the first relevant document, 0.0 where there is none."""
    return next((1 / rank for rank, doc in enumerate(ranking, start=1) if doc in relevant), 0.0)


def mean(values: Sequence[float]) -> float:
    """Mean over queries, each with the same weight (MAP and MRR)."""
    total = 0.0
    for value in values:
        total += value
    return total / len(values)


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


def sign_test(first: Sequence[float], second: Sequence[float]) -> float:
    """Two-sided exact p-value: queries on which the systems are equal are dropped; 1.0 without any other."""
    differences = [a - b for a, b in zip(first, second, strict=True) if a != b]
    n, fewer = len(differences), min(sum(d > 0 for d in differences), sum(d < 0 for d in differences))
    return float(min(1.0, 2 * sum(comb(n, i) for i in range(fewer + 1)) / 2**n))


def wilcoxon_signed_rank_test(first: Sequence[float], second: Sequence[float]) -> float:
    """Two-sided exact p-value: equal queries are dropped, equal sizes share their mean rank.

    The distribution counts every assignment of signs to the ranks. Ranks are doubled so that shared ones
    are whole numbers.
    """
    differences = sorted((a - b for a, b in zip(first, second, strict=True) if a != b), key=abs)
    sizes = [abs(d) for d in differences]
    doubled = [sizes.index(size) + len(sizes) - sizes[::-1].index(size) + 1 for size in sizes]
    ways = Counter({0: 1})
    for rank in doubled:
        ways += Counter({total + rank: count for total, count in ways.items()})
    positive = sum(rank for rank, d in zip(doubled, differences, strict=True) if d > 0)
    tail = min(positive, sum(doubled) - positive)
    return float(min(1.0, 2 * sum(n for total, n in ways.items() if total <= tail) / 2 ** len(sizes)))


def paired_t_test(first: Sequence[float], second: Sequence[float]) -> tuple[float, float]:
    """t and its two-sided p-value with n - 1 degrees of freedom, for at least two queries.

    Equal differences everywhere give t = 0, p = 1 where they are 0, else an infinite t and p = 0.
    """
    differences = [a - b for a, b in zip(first, second, strict=True)]
    n = len(differences)
    centre = mean(differences)
    variance = sum((d - centre) ** 2 for d in differences) / (n - 1)
    if variance == 0:
        return (0.0, 1.0) if centre == 0 else (inf if centre > 0 else -inf, 0.0)
    t = centre / sqrt(variance / n)
    return t, _incomplete_beta((n - 1) / 2, 0.5, (n - 1) / (n - 1 + t * t))


def cohens_kappa(first: Sequence[int], second: Sequence[int]) -> float:
    """(P(A) - P(E)) / (1 - P(E)) between two assessors; P(E) from each assessor's own frequencies.

    Where chance agreement is already complete (both always gave the same one label), 1.0.
    """
    n = len(first)
    agreed = sum(a == b for a, b in zip(first, second, strict=True)) / n
    once, twice = Counter(first), Counter(second)
    chance = sum(once[label] * twice[label] for label in once) / n**2
    return (agreed - chance) / (1 - chance) if chance != 1 else 1.0


def kappa_reading(kappa: float) -> str:
    """The notes' reading of a kappa."""
    if kappa == 1:
        return "total agreement"
    if kappa == 0:
        return "chance agreement"
    return "worse than chance" if kappa < 0 else "better than chance"


def pool(rankings: Sequence[Sequence[str]], k: int) -> set[str]:
    """Documents to judge: the first ``k`` of every system."""
    return set(chain.from_iterable(ranking[:k] for ranking in rankings))


def _incomplete_beta(a: float, b: float, x: float) -> float:
    """Regularised incomplete beta function by its continued fraction (Lentz's method)."""
    if x <= 0 or x >= 1:
        return 0.0 if x <= 0 else 1.0
    if x > (a + 1) / (a + b + 2):
        return 1 - _incomplete_beta(b, a, 1 - x)
    front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log(1 - x)) / a
    c, d = 1.0, 1 / (1 - (a + b) * x / (a + 1))
    fraction = d
    for m in range(1, 500):
        for top in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1 / (1 + top * d)
            c = 1 + top / c
            fraction *= c * d
        if abs(c * d - 1) < 1e-16:
            break
    return front * fraction
