"""haystack-ai 3.4.1: evaluators over lists of expected and of retrieved documents, without a cutoff. Where
the expected documents have no score nDCG is binary; the default mode of its recall is single_hit: 1 if
anything was found."""
# family: RAG
# title: Haystack
# requires: haystack-ai==3.4.1
# call: f(relevant_ids, ranked_ids)

from functools import cache, partial

from haystack import Document
from haystack.components import evaluators


@cache
def _document(id):
    return Document(content=str(id))


def _score(evaluator, expected, retrieved):
    lists = ([[_document(id) for id in ids]] for ids in (expected, retrieved))
    return evaluator.run(*lists)["individual_scores"][0]


mrr = partial(_score, evaluators.DocumentMRREvaluator())  #: RR
average_precision = partial(_score, evaluators.DocumentMAPEvaluator())  #: AP
ndcg = partial(_score, evaluators.DocumentNDCGEvaluator())  #: nDCG gain=binary
recall = partial(_score, evaluators.DocumentRecallEvaluator(mode="multi_hit"))  #: SetR
recall_single_hit = partial(_score, evaluators.DocumentRecallEvaluator())  #: Success@20000
