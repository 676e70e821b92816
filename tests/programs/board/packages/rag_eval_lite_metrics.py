"""rag-eval-lite 0.1.4: retrieved chunks and the relevant ones, by id."""
# family: RAG
# without dependencies: rag-eval-lite==0.1.4
# call: f(ranked_ids, relevant_ids, k=k)

from functools import partial

from rag_eval.metrics import QueryResult, RAGEvaluator


def _score(name, retrieved, relevant, k):
    found = RAGEvaluator(k=k).evaluate([QueryResult("q", list(retrieved), set(relevant))])
    return getattr(found.per_query[0], name)


ndcg = partial(_score, "ndcg")  #: nDCG@5 gain=binary
precision = partial(_score, "precision")  #: P@5
recall = partial(_score, "recall")  #: R@5
mrr = partial(_score, "mrr")  #: RR@5
