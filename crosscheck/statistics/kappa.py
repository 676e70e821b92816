"""Agreement of two assessors: Cohen's kappa, overlap and confusion, over all topics and per topic.

Kappa = (P(A) - P(E)) / (1 - P(E)), where P(A) is the observed agreement and P(E) the agreement expected by
chance, if each assessor keeps their share of every level. The weighted forms penalise a disagreement between
neighbouring levels less than one between distant levels.

Sources: Cohen, Educ. Psychol. Meas. 20, 1960, and Psychol. Bull. 70, 1968 (weighted); Landis and Koch,
Biometrics 33, 1977 (reading); Voorhees, Inf. Process. Manag. 36(5), 2000 (overlap).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal, TypeAlias

from crosscheck.errors import ArgumentError, quoted
from crosscheck.model import Qrels, display
from crosscheck.study_records.agreement import Agreement, Kappa, TopicAgreement

__all__ = [
    "Weights",
    "agreement",
    "cohen_kappa",
    "confusion",
    "reading",
]

Weights: TypeAlias = Literal["none", "linear", "quadratic"]
Confusion: TypeAlias = tuple[tuple[int, ...], ...]


def reading(kappa: float) -> str:
    """The meaning of a kappa in words: 1 total agreement, 0 chance, below 0 worse than chance, bands in
    between.

    The bands are those of Landis and Koch (1977), who call them arbitrary: up to 0.2 slight, 0.4 fair, 0.6
    moderate, 0.8 substantial, above almost perfect.
    """
    if kappa < 0:
        return "worse than chance"
    if kappa in (0, 1):
        return "total agreement" if kappa else "no better than chance"
    bands = ((0.2, "slight"), (0.4, "fair"), (0.6, "moderate"), (0.8, "substantial"))
    name = next((name for limit, name in bands if kappa <= limit), "almost perfect")
    return f"{name} agreement"


def confusion(first: Sequence[int], second: Sequence[int], levels: Sequence[int]) -> Confusion:
    """Documents per pair of levels: one row per level of the first assessor, one column per level of the
    second.

    Raises:
        ArgumentError: the lists differ in length, or hold a level that is not in ``levels``.
    """
    if len(first) != len(second):
        raise ArgumentError(
            f"the first assessor has {len(first)} judgements and the second {len(second)}",
            hint="pass the two levels of the same documents, in the same order",
        )
    if strange := set(first).union(second).difference(levels):
        raise ArgumentError(f"level {min(strange)} is not one of the levels {list(levels)}")
    counts = Counter(zip(first, second, strict=True))
    return tuple(tuple(counts[row, column] for column in levels) for row in levels)


def cohen_kappa(
    first: Sequence[int],
    second: Sequence[int],
    *,
    weights: Weights = "none",
    levels: Collection[int] | None = None,
) -> Kappa:
    """Cohen's kappa of two assessors over the same documents.

    Args:
        first, second: level of each document, in the same order.
        weights: ``none``, every disagreement counts 1; ``linear``, the distance of the two levels;
            ``quadratic``, its square. Distances are counted in steps on the scale, as in scikit-learn, and
            are not differences of level numbers.
        levels: the scale; None takes the levels that occur. An unused level increases the distances of the
            weighted forms.

    Returns:
        The kappa. It has no value, but a reason, if there are no documents or if both assessors gave all
            documents the same level, because chance would then agree as well.

    Raises:
        ArgumentError: lists of different length, unknown weights, a level off the scale.
    """
    if weights not in ("none", "linear", "quadratic"):
        raise ArgumentError(f"there are no weights {weights!r}", hint="weights are none, linear or quadratic")
    scale = sorted(set(first).union(second) if levels is None else set(levels))
    return _kappa(confusion(first, second, scale), weights)


def agreement(first: Qrels, second: Qrels, *, relevance_level: int = 1) -> Agreement:
    """Agreement of two assessors over the documents that both judged.

    A negative level means "pooled but not judged" and counts as no judgement. Documents and topics judged by
    only one of them are counted and reported, but enter no kappa. The weighted kappas use one scale for all
    topics: every level that occurs anywhere.

    Args:
        relevance_level: lowest level that is relevant, for the overlap.
    """
    one, two = _judgements(first), _judgements(second)
    levels = sorted({level for side in (one, two) for topic in side.values() for level in topic.values()})
    topics = [
        _Topic(topic, one.get(topic, {}), two.get(topic, {})) for topic in sorted(one.keys() | two.keys())
    ]
    together = _Topic(
        b"",
        {(t.id, docno): level for t in topics for docno, level in t.first.items()},
        {(t.id, docno): level for t in topics for docno, level in t.second.items()},
    )
    result = Agreement(
        first=first.source,
        second=second.source,
        relevance_level=relevance_level,
        levels=levels,
        confusion=[list(row) for row in confusion(*together.paired(), levels)],
        total=together.agreement(levels, relevance_level),
        topics=[topic.agreement(levels, relevance_level) for topic in topics],
        topics_first=[display(topic) for topic in sorted(one.keys() - two.keys())],
        topics_second=[display(topic) for topic in sorted(two.keys() - one.keys())],
        notes=[],
    )
    return replace(result, notes=_notes(result, first, second, one == two))


@dataclass(frozen=True, slots=True)
class _Topic:
    """The judgements of one topic on either side: docno -> level."""

    id: bytes
    first: dict[object, int]
    second: dict[object, int]

    def paired(self) -> tuple[list[int], list[int]]:
        both = [docno for docno in self.first if docno in self.second]
        return [self.first[docno] for docno in both], [self.second[docno] for docno in both]

    def agreement(self, levels: Sequence[int], relevance_level: int) -> TopicAgreement:
        first, second = self.paired()
        table = confusion(first, second, levels)
        return TopicAgreement(
            topic=display(self.id),
            documents=len(first),
            only_first=len(self.first) - len(first),
            only_second=len(self.second) - len(second),
            unweighted=_kappa(table, "none"),
            linear=_kappa(table, "linear"),
            quadratic=_kappa(table, "quadratic"),
            overlap=_overlap(first, second, relevance_level),
        )


def _judgements(qrels: Qrels) -> dict[bytes, dict[object, int]]:
    offsets, docnos, rels = qrels.offsets.tolist(), qrels.docnos.tolist(), qrels.rels.tolist()
    found: dict[bytes, dict[object, int]] = {}
    for topic, start, end in zip(qrels.topics, offsets[:-1], offsets[1:], strict=True):
        rows = zip(docnos[start:end], rels[start:end], strict=True)
        if judged := {docno: level for docno, level in rows if level >= 0}:
            found[topic] = judged
    return found


def _overlap(first: Iterable[int], second: Iterable[int], relevance_level: int) -> float | None:
    relevant = [(x >= relevance_level, y >= relevance_level) for x, y in zip(first, second, strict=True)]
    either = sum(x or y for x, y in relevant)
    return sum(x and y for x, y in relevant) / either if either else None


def _kappa(table: Confusion, weights: Weights) -> Kappa:
    documents = sum(map(sum, table))
    if not documents:
        return Kappa(weights, None, None, None, 0, note="No document was judged by both assessors.")
    places = range(len(table))
    rows, columns = [sum(row) for row in table], [sum(row[j] for row in table) for j in places]
    # Integers up to the last division, so that the value is correctly rounded.
    apart = [[_distance(i, j, weights) for j in places] for i in places]
    observed = Fraction(sum(apart[i][j] * table[i][j] for i in places for j in places), documents)
    expected = Fraction(sum(apart[i][j] * rows[i] * columns[j] for i in places for j in places), documents**2)
    farthest = _distance(0, max(len(table) - 1, 1), weights)
    shares = float(1 - observed / farthest), float(1 - expected / farthest)
    if not expected:
        note = f"Both assessors gave all {documents} documents the same level: chance would agree as well."
        return Kappa(weights, None, *shares, documents, note=note)
    value = float(1 - observed / expected)
    return Kappa(weights, value, *shares, documents, reading(value))


def _distance(i: int, j: int, weights: Weights) -> int:
    match weights:
        case "none":
            return int(i != j)
        case "linear":
            return abs(i - j)
        case "quadratic":
            return (i - j) ** 2


def _notes(found: Agreement, first: Qrels, second: Qrels, same: bool) -> list[str]:
    notes = []
    sides = (
        (first, found.topics_first, found.total.only_first),
        (second, found.topics_second, found.total.only_second),
    )
    for qrels, topics, documents in sides:
        name = quoted(qrels.source)
        if not (qrels.rels >= 0).any():
            notes.append(f"{name} holds no judgements: kappa needs two assessors.")
        if unjudged := int((qrels.rels < 0).sum()):
            notes.append(f"{name} holds negative levels ({unjudged}): they count as not judged.")
        if documents:
            notes.append(
                f"Judged only in {name}, and left out: documents {documents}, whole topics {len(topics)}."
            )
    if same and found.total.documents:
        notes.append("Both sides hold the same judgements: is this one assessor twice?")
    if found.total.unweighted.note is not None:
        notes.append(found.total.unweighted.note)
    judged = [topic for topic in found.topics if topic.documents]
    undefined = sum(1 for topic in judged if topic.unweighted.value is None)
    if undefined:
        notes.append(
            f"Kappa is undefined where both used a single level: {undefined} of {len(judged)} topics."
        )
    return notes
