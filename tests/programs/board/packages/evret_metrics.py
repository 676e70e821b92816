"""evret 0.0.3: classes with k, ``score_query(retrieved, expected)``."""
# family: RAG
# without dependencies: evret==0.0.3
# requires: tqdm

from evret.metrics import ERR, NDCG, RBP, AveragePrecision


#: nDCG@5 gain=binary
#: call f(ranked_ids, relevant_ids, k=k)
def ndcg(retrieved_doc_ids, expected_answers, k=5):
    return NDCG(k).score_query(retrieved_doc_ids, set(expected_answers))


#: AP@5
#: call f(ranked_ids, relevant_ids, k=k)
def average_precision(retrieved_doc_ids, expected_answers, k=5):
    return AveragePrecision(k).score_query(retrieved_doc_ids, set(expected_answers))


#: ERR@10
def err(retrieved_doc_ids, expected_grades: dict[str, int], k=10):
    """The scale ends at level 4; levels below 0 count as 0."""
    return ERR(k).score_query(retrieved_doc_ids, expected_grades)


#: RBP(p=0.8)
#: call f(ranked_ids, relevant_ids, k=k)
def rbp(retrieved_doc_ids, expected_answers, k=10):
    return RBP(k).score_query(retrieved_doc_ids, set(expected_answers))
