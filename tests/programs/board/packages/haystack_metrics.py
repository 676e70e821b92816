"""haystack-ai 3.4.0: evaluators over lists of documents, for all queries at once; no cutoff. Documents are
compared by their content, which an id stands for here."""
# requires: haystack-ai==3.4.0

from haystack import Document
from haystack.components.evaluators import (
    DocumentMAPEvaluator,
    DocumentMRREvaluator,
    DocumentNDCGEvaluator,
)


def _score(evaluator, ground_truth_documents, retrieved_documents):
    truth = [Document(content=text) for text in ground_truth_documents]
    found = [Document(content=text) for text in retrieved_documents]
    return evaluator.run(ground_truth_documents=[truth], retrieved_documents=[found])["score"]


#: RR
def mrr(ground_truth_documents: list[str], retrieved_documents: list[str]):
    return _score(DocumentMRREvaluator(), ground_truth_documents, retrieved_documents)


#: AP
def average_precision(ground_truth_documents: list[str], retrieved_documents: list[str]):
    return _score(DocumentMAPEvaluator(), ground_truth_documents, retrieved_documents)


#: nDCG gain=binary
def ndcg(ground_truth_documents: list[str], retrieved_documents: list[str]):
    """Binary without scores."""
    return _score(DocumentNDCGEvaluator(), ground_truth_documents, retrieved_documents)
