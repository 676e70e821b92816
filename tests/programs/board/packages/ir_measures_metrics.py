"""ir_measures 0.4.3: each measure by its first provider. That is pytrec_eval, but for RR@k, which the
provider msmarco computes: ties by document id ascending, scores as Python's floats. Judged queries without
results count as 0."""
# family: IR
# title: ir_measures
# without dependencies: ir-measures==0.4.3
# environment: ir
# all: missing_queries=zero query_set=qrels @ir-measures

ndcg = "ir-measures"  #: nDCG@10
average_precision = "ir-measures"  #: AP
precision = "ir-measures"  #: P@10
reciprocal_rank = "ir-measures"  #: RR
#: RR@10 ties=docid-asc score_precision=float64 @ir-measures-msmarco
reciprocal_rank_at_k = "ir-measures:msmarco"
#: Judged@10 ties=docid-asc score_precision=float64 precision_denominator=min(k,retrieved) @ir-measures-judged
judged = "ir-measures:judged"
