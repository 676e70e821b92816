from sentence_transformers.evaluation import InformationRetrievalEvaluator


def _computed(scores, relevant, k):
    relevant = set(relevant)
    evaluator = InformationRetrievalEvaluator(
        {"q": ""}, dict.fromkeys(scores, ""), {"q": relevant}, mrr_at_k=[k], ndcg_at_k=[k], map_at_k=[k]
    )
    hits = [{"corpus_id": doc, "score": score} for doc, score in scores.items()]
    return evaluator.compute_metrics([hits] if relevant else [])


def ndcg(scores: dict[str, float], relevant: set[str], k=10):
    """Binary."""
    return _computed(scores, relevant, k)["ndcg@k"][k]


def average_precision(scores: dict[str, float], relevant: set[str], k=10):
    """Divides by min(R, k)."""
    return _computed(scores, relevant, k)["map@k"][k]
