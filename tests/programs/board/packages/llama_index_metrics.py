from functools import partial

from llama_index.core.evaluation.retrieval.metrics import MRR, NDCG, AveragePrecision, Precision


def _score(metric, expected_ids, retrieved_ids):
    return metric.compute(expected_ids=expected_ids, retrieved_ids=retrieved_ids).score


mrr_granular = partial(_score, MRR(use_granular_mrr=True))
precision = partial(_score, Precision())
average_precision = partial(_score, AveragePrecision())
ndcg = partial(_score, NDCG())
