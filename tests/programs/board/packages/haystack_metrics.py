"""haystack-ai 3.4.1: evaluators over lists of expected and of retrieved documents, without a cutoff."""
# family: RAG
# title: Haystack
# requires: haystack-ai==3.4.1
# call: f(relevant_ids, ranked_ids)

from functools import cache

from haystack import Document
from haystack.components.evaluators import (
    DocumentMAPEvaluator,
    DocumentMRREvaluator,
    DocumentNDCGEvaluator,
    DocumentRecallEvaluator,
)


@cache
def _document(id):
    return Document(content=str(id))


def _score(evaluator, expected, retrieved):
    lists = [_document(id) for id in expected], [_document(id) for id in retrieved]
    return evaluator.run([lists[0]], [lists[1]])["individual_scores"][0]


#: RR
def mrr(expected, retrieved):
    return _score(DocumentMRREvaluator(), expected, retrieved)


#: AP
def average_precision(expected, retrieved):
    return _score(DocumentMAPEvaluator(), expected, retrieved)


#: nDCG gain=binary
def ndcg(expected, retrieved):
    """Binary where the expected documents have no score."""
    return _score(DocumentNDCGEvaluator(), expected, retrieved)


#: SetR
def recall(expected, retrieved):
    """The mode multi_hit."""
    return _score(DocumentRecallEvaluator(mode="multi_hit"), expected, retrieved)


#: Success@20000
def recall_single_hit(expected, retrieved):
    """The default mode of its recall is single_hit: 1 if anything was found."""
    return _score(DocumentRecallEvaluator(), expected, retrieved)
