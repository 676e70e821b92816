"""Bugs that users of evaluation libraries reported, each as the shortest function that has it."""

import math
import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any

Ids = Sequence[str]
Qrels = Mapping[str, Mapping[str, int]]
Run = Mapping[str, Mapping[str, float]]


def _ordered(lines: Mapping[str, float]) -> list[str]:
    return sorted(lines, key=lambda docno: (-lines[docno], docno))


def _dcg(levels: Sequence[float]) -> float:
    return sum(level / math.log2(rank + 1) for rank, level in enumerate(levels, 1))


def _reciprocal_rank(judged: Mapping[str, int], docs: Ids) -> float:
    return next((1 / rank for rank, docno in enumerate(docs, 1) if judged.get(docno, 0) > 0), 0.0)


def recall_of_chunks(ranked_ids: Ids, relevant_ids: Ids, k: int) -> float:
    """Each chunk counts for its document."""
    return sum(docno in relevant_ids for docno in ranked_ids[:k]) / len(relevant_ids)


def recall_blind_to_reranking(ranked_ids: Ids, relevant_ids: Ids, k: int) -> float:
    """The cutoff is taken and forgotten."""
    return len(set(ranked_ids) & set(relevant_ids)) / len(relevant_ids)


def ndcg_with_binary_ideal(relevance: Mapping[str, int], ranked_ids: Ids, k: int) -> float:
    """Graded gains over an ideal list of ones."""
    ideal = _dcg([1.0] * min(k, sum(level > 0 for level in relevance.values())))
    return _dcg([relevance.get(docno, 0) for docno in ranked_ids[:k]]) / ideal


def ndcg_with_retrieved_ideal(relevance: Mapping[str, int], ranked_ids: Ids, k: int) -> float:
    """The ideal list holds what was retrieved."""
    levels = [relevance.get(docno, 0) for docno in ranked_ids]
    ideal = _dcg(sorted(levels, reverse=True)[:k])
    return _dcg(levels[:k]) / ideal if ideal else 0.0


def mean_recall(qrels: Qrels, run: Run) -> float:
    """Everything found over the relevant documents of the last query."""
    found = 0
    for query, docs in run.items():
        relevant = {docno for docno, level in qrels[query].items() if level > 0}
        found += len(relevant & set(docs))
    return found / max(len(relevant), 1)


def mrr_of_every_hit(ranked_ids: Ids, relevant_ids: Ids) -> float:
    """No break after the first relevant document."""
    return sum(1 / rank for rank, docno in enumerate(ranked_ids, 1) if docno in relevant_ids)


def mrr_by_one_too_many(qrels: Qrels, run: Run) -> float:
    """A header counts as a query."""
    return sum(_reciprocal_rank(qrels[query], _ordered(docs)) for query, docs in run.items()) / (len(run) + 1)


def score_ignored(qrels: Qrels, run: Run) -> dict[str, float]:
    """The dict is taken for ranked."""
    return {query: _reciprocal_rank(qrels[query], list(docs)) for query, docs in run.items()}


def minus_one_for_nothing(ranked_ids: Ids, relevant_ids: Ids) -> float:
    """An error code as a value."""
    return _reciprocal_rank(dict.fromkeys(relevant_ids, 1), ranked_ids) or -1.0


def negative_scores_dropped(qrels: Qrels, run: Run) -> dict[str, float]:
    """Scores of 0 and below are taken for missing."""
    kept = {query: {d: s for d, s in docs.items() if s > 0} for query, docs in run.items()}
    return {query: _reciprocal_rank(qrels[query], _ordered(docs)) for query, docs in kept.items()}


def judgements_of_all_queries(qrels: Qrels, run: Run) -> dict[str, float]:
    """One table of judgements, keyed by docno alone."""
    judged = {docno: level for docs in qrels.values() for docno, level in docs.items() if level > 0}
    return {query: _reciprocal_rank(judged, _ordered(docs)) for query, docs in run.items()}


def sorted_by_docno(qrels: Qrels, run: Run) -> dict[str, float]:
    """Pairs are sorted by their first entry."""
    return {query: _reciprocal_rank(qrels[query], sorted(docs)) for query, docs in run.items()}


def lowest_score_first(qrels: Qrels, run: Run) -> dict[str, float]:
    """A similarity is sorted as if it were a distance."""
    return {query: _reciprocal_rank(qrels[query], _ordered(docs)[::-1]) for query, docs in run.items()}


def precision_of_everything(ranked_ids: Ids, relevant_ids: Ids, k: int) -> float:
    """Hits of the first k over the length of the list."""
    return sum(docno in relevant_ids for docno in ranked_ids[:k]) / len(ranked_ids)


def queries_paired_by_place(qrels: Qrels, run: Run) -> dict[str, float]:
    """Sorted as text on one side and as numbers on the other."""
    pairs = zip(sorted(run), sorted(qrels, key=lambda q: (len(q), q)), strict=True)
    return {one: _reciprocal_rank(qrels[other], _ordered(run[one])) for one, other in pairs}


def judgements_never_forgotten(qrels: Qrels, run: Run) -> dict[str, float]:
    """One table of judgements for all queries, not emptied between them."""
    judged: dict[str, int] = {}
    values: dict[str, float] = {}
    for query, docs in run.items():
        judged |= qrels[query]
        values[query] = _reciprocal_rank(judged, _ordered(docs))
    return values


def ties_at_random(qrels: Qrels, run: Run) -> dict[str, float]:
    """Ties are broken by a coin."""
    return {
        query: _reciprocal_rank(
            qrels[query], sorted(docs, key=lambda docno: (-docs[docno], random.SystemRandom().random()))
        )
        for query, docs in run.items()
    }


#: Function -> how it is called, and the property that finds it.
REPORTED: dict[Callable[..., Any], tuple[str, str]] = {
    recall_of_chunks: ("f(ranked_ids, relevant_ids, k)", "duplicates"),
    recall_blind_to_reranking: ("f(ranked_ids, relevant_ids, k)", "reads-ranks"),
    ndcg_with_binary_ideal: ("f(relevance, ranked_ids, k)", "bounded"),
    ndcg_with_retrieved_ideal: ("f(relevance, ranked_ids, k)", "another-found"),
    mean_recall: ("f(qrels, run)", "bounded"),
    mrr_of_every_hit: ("f(ranked_ids, relevant_ids)", "bounded"),
    mrr_by_one_too_many: ("f(qrels, run)", "mean"),
    score_ignored: ("f(qrels, run)", "reads-scores"),
    minus_one_for_nothing: ("f(ranked_ids, relevant_ids)", "bounded"),
    negative_scores_dropped: ("f(qrels, run)", "score-size"),
    judgements_of_all_queries: ("f(qrels, run)", "other-queries"),
    sorted_by_docno: ("f(qrels, run)", "docnos"),
    lowest_score_first: ("f(qrels, run)", "promotion"),
    precision_of_everything: ("f(ranked_ids, relevant_ids, k)", "unjudged-end"),
    queries_paired_by_place: ("f(qrels, run)", "other-queries"),
    judgements_never_forgotten: ("f(qrels, run)", "query-order"),
    ties_at_random: ("f(qrels, run)", "repeatable"),
}
