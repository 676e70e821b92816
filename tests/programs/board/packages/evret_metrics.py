from functools import partial

from evret.metrics import ERR, NDCG, RBP, AveragePrecision


def _score(metric, retrieved_doc_ids, expected_answers, k):
    return metric(k).score_query(retrieved_doc_ids, set(expected_answers))


ndcg = partial(_score, NDCG)
average_precision = partial(_score, AveragePrecision)


def err(retrieved_doc_ids, expected_grades: dict[str, int], k=10):
    """The scale ends at level 4; levels below 0 count as 0."""
    return ERR(k).score_query(retrieved_doc_ids, expected_grades)


rbp = partial(_score, RBP)
