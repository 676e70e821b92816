"""rag-eval-lite 0.1.4: an evaluator over ids, all metrics cut at its k."""
# requires: rag-eval-lite==0.1.4

from rag_eval import QueryResult, RAGEvaluator


def _report(retrieved_chunks, relevant_chunks, k):
    return RAGEvaluator(k=k).evaluate([QueryResult("q", retrieved_chunks, set(relevant_chunks))])


#: Success@5
def hit_rate(retrieved_chunks, relevant_chunks, k=5):
    return _report(retrieved_chunks, relevant_chunks, k).mean_hit_rate


#: RR@5
def mrr(retrieved_chunks, relevant_chunks, k=5):
    return _report(retrieved_chunks, relevant_chunks, k).mean_mrr


#: P@5
def precision(retrieved_chunks, relevant_chunks, k=5):
    return _report(retrieved_chunks, relevant_chunks, k).mean_precision


#: R@5
def recall(retrieved_chunks, relevant_chunks, k=5):
    return _report(retrieved_chunks, relevant_chunks, k).mean_recall


#: nDCG@5 gain=binary
def ndcg(retrieved_chunks, relevant_chunks, k=5):
    """Binary, the ideal over min(R, k)."""
    return _report(retrieved_chunks, relevant_chunks, k).mean_ndcg
