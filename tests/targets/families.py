"""Measures that trec_eval lacks, in plain Python, each from its definition: loops over one ranking.

A ranking is a list of levels in rank order, None for a document without a judgement. With subtopics, each
document has one: a ranking is then a list of the subtopic that a document is relevant to, or None.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from math import log2
from typing import TypeAlias

__all__ = [
    "accuracy",
    "best_order",
    "compatibility",
    "err",
    "expected_gain",
    "judged",
    "novelty_gain",
    "nrbp",
    "rbp",
    "user_models",
]

Ranking: TypeAlias = Sequence[int | None]
#: From the ranks, counted from 1, and the gains down to a rank: the probability that the user goes on there.
GoingOn: TypeAlias = Callable[[int, Sequence[float]], float]
#: How far down the users of cwl_eval look.
_DEPTH = 1000


def err(levels: Ranking, highest: int = 4) -> float:
    """Chapelle et al. (2009): the user stops at a document with probability (2^level - 1) / 2^highest."""
    total, going_on = 0.0, 1.0
    for rank, level in enumerate(levels, 1):
        satisfied = (2 ** (level or 0) - 1) / 2**highest
        total += going_on * satisfied / rank
        going_on *= 1 - satisfied
    return total


def rbp(levels: Ranking, p: float = 0.8) -> float:
    """Moffat and Zobel (2008), for binary relevance."""
    return (1 - p) * sum(p ** (rank - 1) for rank, level in enumerate(levels, 1) if level)


def judged(levels: Ranking, k: int) -> float:
    """The share of the first k documents that are judged, whatever their level."""
    return sum(level is not None for level in levels[:k]) / min(k, len(levels))


def accuracy(levels: Ranking) -> float:
    """The share of the pairs of a relevant and a nonrelevant document that are in the right order."""
    pairs = [(bool(one), bool(other)) for one, other in combinations(levels, 2) if bool(one) != bool(other)]
    return sum(one for one, _ in pairs) / len(pairs)


def compatibility(docs: Sequence[str], levels: dict[str, int], p: float = 0.95) -> float:
    """Clarke, Vtyurina and Smucker (2021): rank-biased overlap with the nearest ideal list, over the best."""
    place = {doc: rank for rank, doc in enumerate(docs)}
    good = [doc for doc, level in levels.items() if level > 0]
    ideal = sorted(good, key=lambda doc: (-levels[doc], place.get(doc, len(docs))))

    def overlap(one: Sequence[str]) -> float:
        depths = range(1, max(len(docs), len(ideal)) + 1)
        return sum(p ** (depth - 1) * len({*one[:depth]} & {*ideal[:depth]}) / depth for depth in depths)

    return overlap(docs) / overlap(ideal)


def expected_gain(levels: Ranking, going_on: GoingOn, highest: int = 3) -> float:
    """Moffat et al. (2017): the expected gain per document seen, by a user who goes on with a probability."""
    gains = [(level or 0) / highest for level in levels] + [0.0] * (_DEPTH - len(levels))
    reached, seen, gained = 1.0, 0.0, 0.0
    for rank, gain in enumerate(gains, 1):
        seen += reached
        gained += reached * gain
        reached *= going_on(rank, gains[:rank])
    return gained / seen


def _insq(rank: int, gains: Sequence[float]) -> float:
    return ((rank + 2 - 1) / (rank + 2)) ** 2


def user_models(k: int) -> dict[str, GoingOn]:
    """Measure of cwl_eval -> its user, who wants a gain of 1 in all and is cut off at rank ``k`` in some."""
    return {
        "INST": lambda rank, gains: ((rank + 2 - sum(gains) - 1) / (rank + 2 - sum(gains))) ** 2,
        "INSQ": _insq,
        f"BPM@{k}": lambda rank, gains: float(sum(gains) < 1 and rank < k),
        f"NERR8@{k}": lambda rank, gains: (1 - gains[-1]) * (rank < k),
        f"NERR9@{k}": lambda rank, gains: rank / (rank + 1) * (1 - gains[-1]) * (rank < k),
        "NERR10": lambda rank, gains: 0.9 * (1 - gains[-1]),
        "NERR11": lambda rank, gains: _insq(rank, gains) * (1 - gains[-1]),
        f"SDCG@{k}": lambda rank, gains: log2(rank + 1) / log2(rank + 2) * (rank < k),
    }


Subtopics: TypeAlias = Sequence[str | None]


def _novelty(ranking: Subtopics, discount: Callable[[int], float]) -> float:
    """Discounted gains of 1, which halve with each earlier document of the same subtopic."""
    return sum(
        0.5 ** ranking[: rank - 1].count(subtopic) * discount(rank)
        for rank, subtopic in enumerate(ranking, 1)
        if subtopic is not None
    )


def best_order(relevant: Sequence[str]) -> list[str]:
    """The ideal order of documents by subtopic: at each rank one of a subtopic that occurred least."""
    left, order = sorted(relevant), list[str]()
    for _ in relevant:
        order.append(min(left, key=order.count))
        left.remove(order[-1])
    return order


def novelty_gain(ranking: Subtopics, k: int, subtopics: int, discount: Callable[[int], float]) -> float:
    """ndeval: the gain of the first k documents, over that of k documents relevant to every subtopic."""
    best = subtopics * sum(0.5 ** (rank - 1) * discount(rank) for rank in range(1, k + 1))
    return _novelty(ranking[:k], discount) / best


def nrbp(ranking: Subtopics, subtopics: int, beta: float = 0.5) -> float:
    """Clarke, Kolla and Vechtomova (2009), with alpha 0.5."""
    return (1 - 0.5 * beta) / subtopics * _novelty(ranking, lambda rank: beta ** (rank - 1))
