"""rag-eval-lite 0.1.4: an evaluator over ids, all metrics cut at its k."""
# /// script
# dependencies = ["rag-eval-lite==0.1.4"]
# ///

from __future__ import annotations

from rag_eval import QueryResult, RAGEvaluator


def _report(retrieved_chunks, relevant_chunks, k):
    return RAGEvaluator(k=k).evaluate([QueryResult("q", retrieved_chunks, set(relevant_chunks))])


def hit_rate(retrieved_chunks, relevant_chunks, k=5):
    return _report(retrieved_chunks, relevant_chunks, k).mean_hit_rate


def mrr(retrieved_chunks, relevant_chunks, k=5):
    return _report(retrieved_chunks, relevant_chunks, k).mean_mrr


def precision(retrieved_chunks, relevant_chunks, k=5):
    return _report(retrieved_chunks, relevant_chunks, k).mean_precision


def recall(retrieved_chunks, relevant_chunks, k=5):
    return _report(retrieved_chunks, relevant_chunks, k).mean_recall


def ndcg(retrieved_chunks, relevant_chunks, k=5):
    """Binary, the ideal over min(R, k)."""
    return _report(retrieved_chunks, relevant_chunks, k).mean_ndcg


EXPECTED = {
    "hit_rate": ("Success@5", {}),
    "mrr": ("RR@5", {}),
    "precision": ("P@5", {}),
    "recall": ("R@5", {}),
    "ndcg": ("nDCG@5", {"gain": "binary"}),
}
