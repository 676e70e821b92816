"""rag-eval-lite 0.1.4: retrieved chunks and the relevant ones, by id."""
# family: RAG
# without dependencies: rag-eval-lite==0.1.4
# call: f(ranked_ids, relevant_ids, k=k)

from rag_eval.metrics import QueryResult, RAGEvaluator


def _score(retrieved, relevant, k):
    return RAGEvaluator(k=k).evaluate([QueryResult("q", list(retrieved), set(relevant))]).per_query[0]


#: nDCG@5 gain=binary
def ndcg(retrieved, relevant, k=5):
    return _score(retrieved, relevant, k).ndcg


#: P@5
def precision(retrieved, relevant, k=5):
    return _score(retrieved, relevant, k).precision


#: R@5
def recall(retrieved, relevant, k=5):
    return _score(retrieved, relevant, k).recall


#: RR@5
def mrr(retrieved, relevant, k=5):
    return _score(retrieved, relevant, k).mrr
