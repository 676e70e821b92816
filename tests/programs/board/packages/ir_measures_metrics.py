"""ir_measures 0.4.3: each measure by its first provider. That is pytrec_eval, but for RR@k, which the
provider msmarco computes: ties by document id ascending, scores as Python's floats. Judged queries without
results count as 0."""
# family: IR
# title: ir_measures
# without dependencies: ir-measures==0.4.3
# environment: ir

#: nDCG@10 missing_queries=zero query_set=qrels @ir-measures
ndcg = "ir-measures"
#: AP missing_queries=zero query_set=qrels @ir-measures
average_precision = "ir-measures"
#: P@10 missing_queries=zero query_set=qrels @ir-measures
precision = "ir-measures"
#: RR missing_queries=zero query_set=qrels @ir-measures
reciprocal_rank = "ir-measures"
#: RR@10 ties=docid-asc score_precision=float64 missing_queries=zero query_set=qrels @ir-measures-msmarco
reciprocal_rank_at_k = "ir-measures:msmarco"
#: Judged@10 ties=docid-asc score_precision=float64 precision_denominator=min(k,retrieved)
#:   missing_queries=zero query_set=qrels @ir-measures-judged
judged = "ir-measures:judged"
