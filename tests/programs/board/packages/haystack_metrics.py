from functools import cache, partial

from haystack import Document
from haystack.components import evaluators


@cache
def _document(id):
    return Document(content=str(id))


def _score(evaluator, expected, retrieved):
    lists = ([[_document(id) for id in ids]] for ids in (expected, retrieved))
    return evaluator.run(*lists)["individual_scores"][0]


mrr = partial(_score, evaluators.DocumentMRREvaluator())
average_precision = partial(_score, evaluators.DocumentMAPEvaluator())
ndcg = partial(_score, evaluators.DocumentNDCGEvaluator())
recall = partial(_score, evaluators.DocumentRecallEvaluator(mode="multi_hit"))
recall_single_hit = partial(_score, evaluators.DocumentRecallEvaluator())
