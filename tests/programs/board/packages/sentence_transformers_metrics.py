"""sentence-transformers 6.2.0: the metrics of its retrieval evaluator, from scored documents and the
relevant ones. Ties by document id ascending, scores as Python's floats. Means of nothing where nothing is
relevant: NaN."""
# family: IR, RAG, torch
# requires: sentence-transformers==6.2.0
# environment: torch
# also: sentence-transformers==5.7.0 sentence-transformers==6.0.0
# all: score_precision=float64

from sentence_transformers.evaluation import InformationRetrievalEvaluator


def _computed(scores, relevant, k):
    relevant = set(relevant)
    evaluator = InformationRetrievalEvaluator(
        {"q": ""}, dict.fromkeys(scores, ""), {"q": relevant}, mrr_at_k=[k], ndcg_at_k=[k], map_at_k=[k]
    )
    hits = [{"corpus_id": doc, "score": score} for doc, score in scores.items()]
    return evaluator.compute_metrics([hits] if relevant else [])


#: nDCG@10 gain=binary ties=docid-asc @sentence-transformers
#: sentence-transformers==6.0.0 gain=binary ties=docid-asc
#: sentence-transformers==5.7.0 gain=binary ties=input
def ndcg(scores: dict[str, float], relevant: set[str], k=10):
    """Binary."""
    return _computed(scores, relevant, k)["ndcg@k"][k]


#: AP@10 ap_denominator=min(R,k) ties=docid-asc @sentence-transformers
#: sentence-transformers==6.0.0 ap_denominator=min(R,k) ties=docid-asc
#: sentence-transformers==5.7.0 ap_denominator=min(R,k) ties=input
def average_precision(scores: dict[str, float], relevant: set[str], k=10):
    """Divides by min(R, k)."""
    return _computed(scores, relevant, k)["map@k"][k]
