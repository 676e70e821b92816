from szl_retrieval_bench import metrics


def precision_at_k(ranked, relevant, k):
    """Rounded to four digits. A dict with the state and ``P@k``."""
    return metrics.precision_at_k(ranked, relevant, k)


def r_precision(ranked, relevant):
    return metrics.r_precision(ranked, relevant).get("R_precision")


def average_precision(ranked, qrels: dict[str, int]):
    return metrics.average_precision(ranked, qrels)


def ndcg(ranked, qrels: dict[str, int], k=10):
    """2^level - 1, also for levels below 0, whose gain is negative."""
    return metrics.ndcg(ranked, {doc: level for doc, level in qrels.items() if level >= 0}, k)
