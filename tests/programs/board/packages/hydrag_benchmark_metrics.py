from hydrag_benchmark.metrics import mrr as hydrag_mrr
from hydrag_benchmark.metrics import recall_at_k as hydrag_recall


def mrr(retrieved, relevant_phrases):
    """A relevant id that is part of another id matches that one as well."""
    return hydrag_mrr(retrieved, relevant_phrases)


def recall_at_k(retrieved, relevant_phrases, k=5):
    """It takes the first k chunks and has no k itself."""
    return hydrag_recall(retrieved[:k], relevant_phrases)
