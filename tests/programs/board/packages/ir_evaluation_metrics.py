from ir_evaluation import metrics

precision = metrics.precision
recall = metrics.recall
average_precision = metrics.average_precision
ndcg = metrics.ndcg
reciprocal_rank = metrics.reciprocal_rank
