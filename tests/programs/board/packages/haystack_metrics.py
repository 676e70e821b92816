"""haystack-ai 3.4.0: evaluators over lists of documents, for all queries at once; no cutoff. Documents are
compared by their content, which an id stands for here."""
# /// script
# dependencies = ["haystack-ai==3.4.0"]
# ///

from __future__ import annotations

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


def mrr(ground_truth_documents: list[str], retrieved_documents: list[str]):
    return _score(DocumentMRREvaluator(), ground_truth_documents, retrieved_documents)


def average_precision(ground_truth_documents: list[str], retrieved_documents: list[str]):
    return _score(DocumentMAPEvaluator(), ground_truth_documents, retrieved_documents)


def ndcg(ground_truth_documents: list[str], retrieved_documents: list[str]):
    """Binary without scores."""
    return _score(DocumentNDCGEvaluator(), ground_truth_documents, retrieved_documents)


EXPECTED = {
    "mrr": ("RR", {}),
    "average_precision": ("AP", {}),
    "ndcg": ("nDCG", {"gain": "binary"}),
}
