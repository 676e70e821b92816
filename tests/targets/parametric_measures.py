"""Formulas with every convention as a parameter, of one query at a time: the measures of ``parametric``."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import log, log2, log10, nan

__all__ = ["OneQuery", "measured"]


@dataclass(frozen=True)
class OneQuery:
    """One query as a metric's conventions read it.

    Attributes:
        grades: of the retrieved documents in rank order, -1 where unjudged (or judged below 0).
        negative: whether that document was judged below 0.
        pool: levels of the judged documents. highest: the highest level of all queries.
        level: lowest that is relevant. k: the cutoff. rules: axis -> value, trec_eval's elsewhere.
    """

    grades: Sequence[int]
    negative: Sequence[bool]
    pool: Sequence[int]
    highest: int
    level: int
    k: int | None
    rules: Mapping[str, str | int]

    def choose(self, axis: str, **values: float) -> float:
        """The keyword that the rules name on an axis; the keyword ``default`` elsewhere."""
        name = str(self.rules.get(axis, "default"))
        return values[name.translate({ord(c): "_" for c in "-(,)"})]

    @property
    def hits(self) -> list[bool]:
        return [grade >= self.level for grade in self.grades]

    @property
    def relevant(self) -> int:
        return sum(grade >= self.level for grade in self.pool)

    @property
    def seen(self) -> list[bool]:
        """Which of the documents that the measure looks at are relevant."""
        return self.hits[: self.k]


def precision(q: OneQuery) -> float:
    assert q.k is not None
    judged = sum(grade >= 0 for grade in q.grades[: q.k])
    short = min(q.k, len(q.grades))
    best = min(q.k, q.relevant)
    below = q.choose(
        "precision_denominator", default=q.k, min_k_retrieved_=short, judged=judged, min_k_R_=best
    )
    return _ratio(sum(q.seen), below)


def recall(q: OneQuery) -> float:
    assert q.k is not None
    most = min(q.relevant, q.k)
    below = q.choose("recall_denominator", default=q.relevant, min_R_k_=most, retrieved_R=sum(q.hits), k=q.k)
    return _ratio(sum(q.seen), below)


def average_precision(q: OneQuery) -> float:
    hits = q.seen
    total = sum(sum(hits[:rank]) / rank for rank in range(1, len(hits) + 1) if hits[rank - 1])
    most = q.relevant if q.k is None else min(q.relevant, q.k)
    below = q.choose(
        "ap_denominator",
        default=q.relevant,
        retrieved_relevant=sum(hits),
        min_R_k_=most,
        k=q.relevant if q.k is None else q.k,
        min_R_retrieved_=min(q.relevant, len(hits)),
    )
    return _ratio(total, below)


def reciprocal_rank(q: OneQuery) -> float:
    last = int(q.rules.get("rr_cutoff", 10**9))
    ranks = [rank for rank, hit in enumerate(q.seen, 1) if hit and rank <= last]
    match q.rules.get("rr_of"):
        case "every":
            return _ratio(sum(1 / rank for rank in ranks), q.relevant)
        case "every-retrieved":
            return _ratio(sum(1 / rank for rank in ranks), len(ranks))
        case "highest-level":
            ranks = [rank for rank in ranks if q.grades[rank - 1] == max(q.pool)]
    return 1 / ranks[0] if ranks else 0.0


def r_precision(q: OneQuery) -> float:
    short = min(q.relevant, len(q.grades))
    below = q.choose("rprec_denominator", default=q.relevant, min_R_retrieved_=short)
    return _ratio(sum(q.hits[: q.relevant]), below)


def bpref(q: OneQuery) -> float:
    """Negative documents count as relevant where they were retrieved, and as nonrelevant in their number."""
    odd = q.rules.get("negatives") == "relevant"
    nonrelevant = sum(0 <= grade < q.level for grade in q.pool) + odd * sum(grade < 0 for grade in q.pool)
    form = q.rules.get("bpref_form")
    if nonrelevant == 0 and form == "zero-when-no-nonrelevant":
        return 0.0
    if nonrelevant == 0 and q.relevant and form == "nan-when-no-nonrelevant":
        return nan
    most = 10 + q.relevant if form == "bpref-10" else q.relevant
    bound = most if form in ("over-R", "bpref-10") else min(nonrelevant, q.relevant)
    above, total = 0, 0.0
    for grade, negative in zip(q.grades, q.negative, strict=True):
        if grade >= q.level or (negative and odd):
            total += 1 - _ratio(min(above, most), bound) if above else 1.0
        elif grade >= 0:
            above += 1
    return _ratio(total, q.relevant)


def ndcg(q: OneQuery) -> float:
    own = {"retrieved": q.grades, "retrieved-at-k": q.grades[: q.k]}
    ideal = sorted((g for g in own.get(str(q.rules.get("ideal")), q.pool) if g > 0), reverse=True)
    if _is(q, "ideal", "hits-returned"):
        ideal = ideal[: len(q.grades)]
    if _is(q, "ideal", "max-grade"):
        ideal = [q.highest] * (len(q.grades) if q.k is None else q.k)
    if _is(q, "ideal", "max-grade-returned"):
        ideal = [q.highest] * len(q.grades)
    if not _is(q, "ideal", "untruncated"):
        ideal = ideal[: q.k]
    return _ratio(_dcg(q, q.grades[: q.k]), _dcg(q, ideal))


def _dcg(q: OneQuery, grades: Sequence[int]) -> float:
    gain: Callable[[int], float] = {
        "exponential": lambda grade: 2**grade - 1,
        "binary": lambda grade: 1,
        "2^level": lambda grade: 2**grade,
        "level^2": lambda grade: grade**2,
    }.get(str(q.rules.get("gain")), lambda grade: grade)
    discount: Callable[[int], float] = {
        "jarvelin": lambda rank: log2(rank) if rank > 1 else 1.0,
        "jarvelin-3": lambda rank: log(rank, 3) if rank >= 3 else 1.0,
        "jarvelin-10": lambda rank: log10(rank) if rank >= 10 else 1.0,
        "ln-jarvelin": lambda rank: log(rank) if rank > 1 else 1.0,
        "rank": lambda rank: rank,
        "none": lambda rank: 1.0,
    }.get(str(q.rules.get("discount")), lambda rank: log2(rank + 1))
    return sum(gain(grade) / discount(rank) for rank, grade in enumerate(grades, 1) if grade > 0)


def _is(q: OneQuery, axis: str, value: str) -> bool:
    return q.rules.get(axis) == value


def _ratio(above: float, below: float) -> float:
    return above / below if below else 0.0


#: Family -> formula.
measured: dict[str, Callable[[OneQuery], float]] = {
    "P": precision,
    "R": recall,
    "AP": average_precision,
    "RR": reciprocal_rank,
    "Rprec": r_precision,
    "bpref": bpref,
    "nDCG": ndcg,
}
