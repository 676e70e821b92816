"""evret 0.0.3: classes with k, ``score_query(retrieved, expected)``."""
# family: RAG
# without dependencies: evret==0.0.3
# requires: tqdm

from functools import partial

from evret.metrics import ERR, NDCG, RBP, AveragePrecision


def _score(metric, retrieved_doc_ids, expected_answers, k):
    return metric(k).score_query(retrieved_doc_ids, set(expected_answers))


ndcg = partial(_score, NDCG)  #: nDCG@5 gain=binary call f(ranked_ids, relevant_ids, k=k)
average_precision = partial(_score, AveragePrecision)  #: AP@5 call f(ranked_ids, relevant_ids, k=k)


#: ERR@10
def err(retrieved_doc_ids, expected_grades: dict[str, int], k=10):
    """The scale ends at level 4; levels below 0 count as 0."""
    return ERR(k).score_query(retrieved_doc_ids, expected_grades)


rbp = partial(_score, RBP)  #: RBP(p=0.8) call f(ranked_ids, relevant_ids, k=k)
