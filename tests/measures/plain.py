"""trec_eval's measures of one topic, written plainly: loops over the ranking, adding in trec_eval's order.

A second opinion on the vectorised measures, written from the description of each measure and not from them.
``ranking`` holds one entry per retrieved document in rank order: its level, -1 where it has no judgement, -2
where that is negative. ``pool`` holds the levels of all judged documents of the topic.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

__all__ = [
    "Topic",
    "dcg",
    "g",
    "ideal_dcg",
    "interpolated",
    "ndcg",
    "ndcg_rel",
    "rbp",
    "rbp_resid",
    "rndcg",
    "rprec_mult",
    "set_f",
    "unj",
    "utility",
    "yaap",
]

Pairs = Sequence[tuple[int, float]]


class Topic:
    """One topic: what was retrieved and what is judged."""

    def __init__(self, ranking: Sequence[int], pool: Sequence[int], level: int = 1) -> None:
        self.ranking, self.pool, self.level = list(ranking), [rel for rel in pool if rel >= 0], level
        self.relevant = [rel >= level for rel in ranking]
        self.found = sum(rel >= max(level, 0) for rel in ranking)
        self.num_rel = sum(rel >= level for rel in self.pool)


def yaap(topic: Topic) -> float:
    if topic.num_rel == 0:
        return 0.0
    total, found = 0.0, 0
    for rank, relevant in enumerate(topic.relevant, 1):
        if relevant:
            found += 1
            total += found / rank
    return math.log((1.0 + total) / (1.0 + topic.num_rel - total))


def utility(topic: Topic, a: float, b: float, c: float, d: float, size: int) -> float:
    n, rr, r = len(topic.ranking), topic.found, topic.num_rel
    return a * rr + b * (n - rr) + c * (r - rr) + d * (size + rr - n - r)


def set_f(topic: Topic, x: float) -> float:
    if not topic.found:
        return 0.0
    p, r = topic.found / len(topic.ranking), topic.found / topic.num_rel
    return (x + 1.0) * p * r / (x * p + r)


def rprec_mult(topic: Topic, multiple: float) -> float:
    depth = int(multiple * topic.num_rel + 0.9)
    return sum(topic.relevant[:depth]) / depth if depth > 0 else 0.0


def interpolated(topic: Topic, needed: Callable[[float, int], int], points: Sequence[float]) -> list[float]:
    """Interpolated precision at each point, by trec_eval's walk up the ranking."""
    n, found = len(topic.ranking), topic.found
    wanted = [needed(point, topic.num_rel) for point in points]
    values = [0.0] * len(points)
    cut = len(points) - 1
    while cut >= 0 and wanted[cut] > found:
        cut -= 1
    highest = found / n if n else math.nan
    for rank in range(n, 0, -1):
        highest = max(highest, found / rank)
        if topic.relevant[rank - 1]:
            while cut >= 0 and found == wanted[cut]:
                values[cut] = highest
                cut -= 1
            found -= 1
    while cut >= 0:
        values[cut] = highest
        cut -= 1
    return values


def table(topic: Topic, pairs: Pairs) -> list[tuple[int, int, float]]:
    """Level, number of documents and gain, as sorted by trec_eval."""
    entries = [[level, 0, gain] for level, gain in pairs]
    for level in range(max(topic.pool, default=-1) + 1):
        count = topic.pool.count(level)
        for entry in entries:
            if entry[0] == level:
                entry[1] = count
                break
        else:
            entries.append([level, count, float(level)])
    return merge_sort([(int(level), int(count), gain) for level, count, gain in entries])


def merge_sort(entries: list[tuple[int, int, float]]) -> list[tuple[int, int, float]]:
    if len(entries) <= 1:
        return entries
    left, right = merge_sort(entries[: len(entries) // 2]), merge_sort(entries[len(entries) // 2 :])
    merged = []
    while left and right:
        merged.append(left.pop(0) if int(left[0][2] - right[0][2]) <= 0 else right.pop(0))
    return merged + left + right


def gain_of(level: int, entries: list[tuple[int, int, float]]) -> float:
    return next((gain for entry, _, gain in entries if entry == level), 0.0)


def ideal_list(entries: list[tuple[int, int, float]]) -> list[float]:
    """Gains of the ideal list: from the last entry on, up to the first one that gains nothing."""
    if not entries or entries[-1][2] <= 0:
        return []
    ideal: list[float] = []
    for _, count, gain in reversed(entries):
        if count and gain <= 0:
            break
        ideal += [gain] * count
    return ideal


def dcg(topic: Topic, pairs: Pairs = (), depth: int | None = None) -> float:
    entries = table(topic, pairs)
    total = 0.0
    for i, level in enumerate(topic.ranking[:depth], 1):
        gain = gain_of(level, entries)
        if gain != 0:
            total += gain / math.log2(i + 1)
    return total


def ideal_dcg(topic: Topic, pairs: Pairs = ()) -> float:
    total = 0.0
    for i, gain in enumerate(ideal_list(table(topic, pairs)), 1):
        total += gain / math.log2(i + 1)
    return total


def ndcg(topic: Topic, pairs: Pairs = ()) -> float:
    best = ideal_dcg(topic, pairs)
    return dcg(topic, pairs) / best if best > 0 else 0.0


def quotient(a: float, b: float) -> float:
    """Division as C does it."""
    if b:
        return a / b
    return math.nan if a == 0 or math.isnan(a) else math.copysign(math.inf, a)


def ndcg_rel(topic: Topic, pairs: Pairs = ()) -> float:
    entries = table(topic, pairs)
    ideal, ranking = ideal_list(entries), topic.ranking
    got = best = total = 0.0
    gaining = 0
    for i in range(max(len(ideal), len(ranking))):
        gain = gain_of(ranking[i], entries) if i < len(ranking) else 0.0
        if gain != 0:
            got += gain / math.log2(i + 2)
        if i < len(ideal):
            best += ideal[i] / math.log2(i + 2)
        if gain > 0:
            gaining += 1
            total += quotient(got, best)
    total += quotient((len(ideal) - gaining) * got, best)
    return quotient(total, len(ideal)) if total > 0 else 0.0


def rndcg(topic: Topic, pairs: Pairs = ()) -> float:
    if topic.num_rel == 0:
        return 0.0
    entries = table(topic, pairs)
    ideal, n = ideal_list(entries), len(topic.ranking)
    got = best = total = 0.0
    records = 0
    for i in range(max(len(ideal) + 1, n)):
        changes = 0 < i <= len(ideal) and (i == len(ideal) or ideal[i] != ideal[i - 1])
        if changes:
            total += got / best
            records += 1
        if i < n and (gain := gain_of(topic.ranking[i], entries)) != 0:
            got += gain / math.log2(i + 2)
        if i < len(ideal):
            best += ideal[i] / math.log2(i + 2)
    if ideal and n > len(ideal) + 1:
        total += got / best
        records += 1
    return quotient(total, records)


def g(topic: Topic, pairs: Pairs = ()) -> float:
    entries = table(topic, pairs)
    ideal = ideal_list(entries)
    gained = cost = total = 0.0
    for i, level in enumerate(topic.ranking):
        gain = gain_of(level, entries)
        gained += gain
        cost += max(ideal[i], 1.0) if i < len(ideal) else 1.0
        if gain != 0:
            vain = 2 + cost - gained
            total += quotient(gain, math.nan if vain < 0 else math.log2(vain) if vain else -math.inf)
    whole = 0.0
    for gain in ideal:
        whole += gain
    return total / whole if whole > 0 else 0.0


def unj(topic: Topic, depth: int) -> float:
    return sum(level < 0 for level in topic.ranking[:depth]) / depth


def rbp_resid(topic: Topic, p: float) -> float:
    weight, total, unjudged = 1.0, 0.0, 0
    for level in topic.ranking:
        if level < 0:
            total += weight
            unjudged += 1
        weight *= p
    return weight + (1 - p) * total if unjudged else 0.0


def rbp(topic: Topic, p: float, pairs: Pairs = ()) -> float:
    entries = table(topic, pairs)
    gains = [gain for _, _, gain in entries]
    if gains and (min(gains) < 0 or max(gains) > 1):
        low, span = min(gains), max(gains) - min(gains)
        entries = [(e, c, (gain - low) / span if span else float(gain > 0)) for e, c, gain in entries]
    weight, total = 1.0, 0.0
    for level in topic.ranking:
        gain = gain_of(level, entries)
        if gain != 0:
            total += gain * weight
        weight *= p
    return (1.0 - p) * total
