"""mteb 2.26.24: the metrics that it computes itself, beside pytrec_eval's: values of the queries of a run,
which must all be judged. Ties by document id descending, scores as Python's floats."""
# family: IR
# requires: mteb==2.26.24
# environment: torch
# also: mteb==2.18.18 mteb==2.18.19
# all: score_precision=float64

from mteb._evaluators import retrieval_metrics


#: RR@10 @mteb-mrr
#: mteb==2.18.19
#: mteb==2.18.18 ties=input
def mrr(qrels: dict[str, dict[str, int]], results: dict[str, dict[str, float]], k=10):
    return dict(zip(results, retrieval_metrics.mrr(qrels, results, [k])[f"MRR@{k}"], strict=True))


#: R@10 recall_denominator=min(R,k) no_relevant=skip
def capped_recall(qrels: dict[str, dict[str, int]], results: dict[str, dict[str, float]], k=10):
    """Divides by min(R, k); None where nothing is relevant."""
    return dict(zip(results, retrieval_metrics.recall_cap(qrels, results, [k])[f"R_cap_at_{k}"], strict=True))
