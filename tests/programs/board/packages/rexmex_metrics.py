from rexmex.metrics import ranking

average_precision = ranking.average_precision_at_k
average_recall = ranking.average_recall_at_k
hits = ranking.hits_at_k
reciprocal_rank = ranking.mean_reciprocal_rank
