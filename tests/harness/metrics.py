"""Metrics that leave trec_eval in one convention each, as ``python:`` backends on plain dicts.

Except for the convention that a function is named after, each follows trec_eval: documents by score, tied
ones by docno descending, values for the queries that both sides have.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import log2

Qrels = Mapping[str, Mapping[str, int]]
Run = Mapping[str, Mapping[str, float]]
Gain = Callable[[int], float]


def exponential_gain(qrels: Qrels, run: Run, k: int | None) -> dict[str, float]:
    """nDCG@k with gains of 2^level - 1."""
    return {
        query: _ndcg(judged, docs, k, lambda rel: 2.0**rel - 1)
        for query, judged, docs in _rankings(qrels, run)
    }


def binary_gain(qrels: Qrels, run: Run, k: int | None) -> dict[str, float]:
    """nDCG@k with a gain of 1 for whatever is relevant."""
    return {query: _ndcg(judged, docs, k, lambda rel: 1.0) for query, judged, docs in _rankings(qrels, run)}


def precision_of_returned(qrels: Qrels, run: Run, k: int) -> dict[str, float]:
    """P@k divided by min(k, number of documents returned)."""
    return {
        query: sum(judged.get(doc, 0) > 0 for doc in docs[:k]) / min(k, len(docs))
        for query, judged, docs in _rankings(qrels, run)
    }


def trec_eval(qrels: Qrels, run: Run, k: int | None, measure: str) -> dict[str, float]:
    """nDCG@k, P@k, AP or RR as trec_eval computes them."""
    return {query: _value(measure, k, judged, docs) for query, judged, docs in _rankings(qrels, run)}


def missing_as_zero(qrels: Qrels, run: Run, k: int | None, measure: str) -> dict[str, float]:
    """A judged query without results counts as 0."""
    return {**dict.fromkeys(qrels, 0.0), **trec_eval(qrels, run, k, measure)}


def only_above_zero(qrels: Qrels, run: Run, k: int | None, measure: str) -> dict[str, float]:
    """A query with nothing relevant down to the cutoff, whose value is 0 therefore, is left out."""
    return {query: value for query, value in trec_eval(qrels, run, k, measure).items() if value > 0}


def only_with_hits(qrels: Qrels, run: Run, k: int | None, measure: str) -> dict[str, float]:
    """A query for which nothing relevant was retrieved, at any rank, is left out."""
    return {
        query: _value(measure, k, judged, docs)
        for query, judged, docs in _rankings(qrels, run)
        if any(judged.get(doc, 0) > 0 for doc in docs)
    }


def file_order(qrels: Qrels, run: Run, k: int | None, measure: str) -> dict[str, float]:
    """Tied documents keep the order of the file: a stable sort by score."""
    return {
        query: _value(measure, k, qrels[query], sorted(docs, key=docs.__getitem__, reverse=True))
        for query, docs in run.items()
        if query in qrels
    }


def ties_ascending(qrels: Qrels, run: Run, k: int | None, measure: str) -> dict[str, float]:
    """Tied documents by docno, ascending."""
    return {
        query: _value(measure, k, qrels[query], sorted(docs, key=lambda doc: (-docs[doc], doc)))
        for query, docs in run.items()
        if query in qrels
    }


def exponential_gain_in_file_order(qrels: Qrels, run: Run, k: int | None) -> dict[str, float]:
    """nDCG@k with gains of 2^level - 1 and tied documents in the order of the file."""
    return {
        query: _ndcg(
            qrels[query], sorted(docs, key=docs.__getitem__, reverse=True), k, lambda rel: 2.0**rel - 1
        )
        for query, docs in run.items()
        if query in qrels
    }


def _rankings(qrels: Qrels, run: Run) -> Iterator[tuple[str, Mapping[str, int], list[str]]]:
    for query, docs in run.items():
        if query in qrels:
            yield query, qrels[query], sorted(docs, key=lambda doc: (docs[doc], doc), reverse=True)


def _value(measure: str, k: int | None, judged: Mapping[str, int], docs: Sequence[str]) -> float:
    hits = [rank for rank, doc in enumerate(docs, 1) if judged.get(doc, 0) > 0]
    relevant = sum(rel > 0 for rel in judged.values())
    match measure.partition("@")[0]:
        case "nDCG":
            return _ndcg(judged, docs, k, float)
        case "P":
            assert k is not None
            return sum(rank <= k for rank in hits) / k
        case "RR":
            return 1 / hits[0] if hits else 0.0
        case "AP":
            total = 0.0
            for found, rank in enumerate(hits, 1):
                total += found / rank
            return total / relevant if relevant else 0.0
    raise ValueError(f"no {measure} here")


def _ndcg(judged: Mapping[str, int], docs: Sequence[str], k: int | None, gain: Gain) -> float:
    ideal = _dcg(sorted(judged.values(), reverse=True)[:k], gain)
    return _dcg([judged.get(doc, 0) for doc in docs][:k], gain) / ideal if ideal else 0.0


def _dcg(rels: Sequence[int], gain: Gain) -> float:
    total = 0.0
    for rank, rel in enumerate(rels, 1):
        if rel > 0:
            total += gain(rel) / log2(rank + 1)
    return total
