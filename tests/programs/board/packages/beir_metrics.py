from beir.retrieval.evaluation import EvaluateRetrieval


def ndcg(qrels: dict[str, dict[str, int]], results: dict[str, dict[str, float]], k=10):
    """For a cutoff of 0 pytrec_eval ends the process, with all audits of this file."""
    if k < 1:
        raise ValueError(f"cutoff {k}")
    return EvaluateRetrieval.evaluate(qrels, results, [k])[0][f"NDCG@{k}"]


def mrr(qrels: dict[str, dict[str, int]], results: dict[str, dict[str, float]], k=10):
    """A stable sort of Python's floats; divides by all judged queries; raises for a query that is not
    judged."""
    return EvaluateRetrieval.evaluate_custom(qrels, results, [k], "mrr")[f"MRR@{k}"]
