from mteb._evaluators import retrieval_metrics


def mrr(qrels: dict[str, dict[str, int]], results: dict[str, dict[str, float]], k=10):
    return dict(zip(results, retrieval_metrics.mrr(qrels, results, [k])[f"MRR@{k}"], strict=True))


def capped_recall(qrels: dict[str, dict[str, int]], results: dict[str, dict[str, float]], k=10):
    """Divides by min(R, k); None where nothing is relevant."""
    return dict(zip(results, retrieval_metrics.recall_cap(qrels, results, [k])[f"R_cap_at_{k}"], strict=True))
