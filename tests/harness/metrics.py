"""Metrics that leave trec_eval in one convention each, as ``python:`` backends on plain dicts.

Except for the convention that a function is named after, each follows trec_eval: documents by score, tied
ones by docno descending, values for the queries that both sides have.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from math import log2

Qrels = Mapping[str, Mapping[str, int]]
Run = Mapping[str, Mapping[str, float]]
Values = dict[str, float]


def _descending(docs: Mapping[str, float]) -> list[str]:
    return sorted(docs, key=lambda doc: (docs[doc], doc), reverse=True)


def _ascending(docs: Mapping[str, float]) -> list[str]:
    return sorted(docs, key=lambda doc: (-docs[doc], doc))


def _as_given(docs: Mapping[str, float]) -> list[str]:
    return sorted(docs, key=docs.__getitem__, reverse=True)


def _each(qrels: Qrels, run: Run, value: Callable[..., float], order: Callable[..., list[str]]) -> Values:
    return {query: value(qrels[query], order(docs)) for query, docs in run.items() if query in qrels}


def exponential_gain(qrels: Qrels, run: Run, k: int | None) -> Values:
    """nDCG@k with gains of 2^level - 1."""
    return _each(qrels, run, partial(_ndcg, k=k, gain=_exponential), _descending)


def binary_gain(qrels: Qrels, run: Run, k: int | None) -> Values:
    """nDCG@k with a gain of 1 for whatever is relevant."""
    return _each(qrels, run, partial(_ndcg, k=k, gain=lambda rel: 1.0), _descending)


def precision_of_returned(qrels: Qrels, run: Run, k: int) -> Values:
    """P@k divided by min(k, number of documents returned)."""
    values = trec_eval(qrels, run, k, "P")
    return {query: value * k / min(k, len(run[query])) for query, value in values.items()}


def trec_eval(qrels: Qrels, run: Run, k: int | None, measure: str) -> Values:
    """nDCG@k, P@k, AP or RR as trec_eval computes them."""
    return _each(qrels, run, partial(_value, measure, k), _descending)


def missing_as_zero(qrels: Qrels, run: Run, k: int | None, measure: str) -> Values:
    """A judged query without results counts as 0."""
    return {**dict.fromkeys(qrels, 0.0), **trec_eval(qrels, run, k, measure)}


def only_above_zero(qrels: Qrels, run: Run, k: int | None, measure: str) -> Values:
    """A query with nothing relevant down to the cutoff, whose value is 0 therefore, is left out."""
    return {query: value for query, value in trec_eval(qrels, run, k, measure).items() if value > 0}


def only_with_hits(qrels: Qrels, run: Run, k: int | None, measure: str) -> Values:
    """A query for which nothing relevant was retrieved, at any rank, is left out."""
    found = trec_eval(qrels, run, None, "RR")
    return {query: value for query, value in trec_eval(qrels, run, k, measure).items() if found[query]}


def file_order(qrels: Qrels, run: Run, k: int | None, measure: str) -> Values:
    """Tied documents keep the order of the file: a stable sort by score."""
    return _each(qrels, run, partial(_value, measure, k), _as_given)


def ties_ascending(qrels: Qrels, run: Run, k: int | None, measure: str) -> Values:
    """Tied documents by docno, ascending."""
    return _each(qrels, run, partial(_value, measure, k), _ascending)


def exponential_gain_in_file_order(qrels: Qrels, run: Run, k: int | None) -> Values:
    """nDCG@k with gains of 2^level - 1 and tied documents in the order of the file."""
    return _each(qrels, run, partial(_ndcg, k=k, gain=_exponential), _as_given)


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
            return sum(found / rank for found, rank in enumerate(hits, 1)) / relevant if relevant else 0.0
    raise ValueError(f"no {measure} here")


def _exponential(rel: int) -> float:
    return 2.0**rel - 1


def _ndcg(
    judged: Mapping[str, int], docs: Sequence[str], k: int | None, gain: Callable[[int], float]
) -> float:
    def dcg(rels: list[int]) -> float:
        return sum(gain(rel) / log2(rank + 1) for rank, rel in enumerate(rels[:k], 1) if rel > 0)

    ideal = dcg(sorted(judged.values(), reverse=True))
    return dcg([judged.get(doc, 0) for doc in docs]) / ideal if ideal else 0.0
