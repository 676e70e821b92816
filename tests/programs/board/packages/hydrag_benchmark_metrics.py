"""hydrag-benchmark 0.8.0: chunks of text against phrases; a phrase is found where it is part of a chunk, in
lower case. Ids stand for both here. Rounded to three digits."""
# family: RAG
# without dependencies: hydrag-benchmark==0.8.0

from hydrag_benchmark.metrics import mrr as hydrag_mrr
from hydrag_benchmark.metrics import recall_at_k as hydrag_recall


#: RR (ids match where one is part of another)
def mrr(retrieved, relevant_phrases):
    """A relevant id that is part of another id matches that one as well."""
    return hydrag_mrr(retrieved, relevant_phrases)


#: R@5 (ids match where one is part of another)
def recall_at_k(retrieved, relevant_phrases, k=5):
    """It takes the first k chunks and has no k itself."""
    return hydrag_recall(retrieved[:k], relevant_phrases)
