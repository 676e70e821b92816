"""szl-retrieval-bench 0.3.1: a ranked list of ids, and a dict of levels or the relevant ids. Precision and
R-precision are rounded to four digits; that has no value where nothing is relevant."""
# family: RAG
# requires: szl-retrieval-bench==0.3.1

from szl_retrieval_bench import metrics


#: P@10 rounding=4
def precision_at_k(ranked, relevant, k):
    """Rounded to four digits. A dict with the state and ``P@k``."""
    return metrics.precision_at_k(ranked, relevant, k)


#: Rprec rounding=4 no_relevant=skip call f(ranked_ids, relevant_ids)
def r_precision(ranked, relevant):
    return metrics.r_precision(ranked, relevant).get("R_precision")


#: AP
def average_precision(ranked, qrels: dict[str, int]):
    return metrics.average_precision(ranked, qrels)


#: nDCG@10 gain=exponential
def ndcg(ranked, qrels: dict[str, int], k=10):
    """2^level - 1, also for levels below 0, whose gain is negative."""
    return metrics.ndcg(ranked, {doc: level for doc, level in qrels.items() if level >= 0}, k)
