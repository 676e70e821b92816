from functools import partial

from rag_eval.metrics import QueryResult, RAGEvaluator


def _score(name, retrieved, relevant, k):
    found = RAGEvaluator(k=k).evaluate([QueryResult("q", list(retrieved), set(relevant))])
    return getattr(found.per_query[0], name)


ndcg = partial(_score, "ndcg")
precision = partial(_score, "precision")
recall = partial(_score, "recall")
mrr = partial(_score, "mrr")
