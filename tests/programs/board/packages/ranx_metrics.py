"""ranx 0.3.21: scores in double precision, sorted by numba's quicksort, which leaves short lists with equal
scores in the order of the input and longer ones in an order of its own."""
# family: IR
# requires: ranx==0.3.21
# environment: ir

#: nDCG@10 ties=quicksort score_precision=float64 missing_queries=zero query_set=qrels @ranx
ndcg = "ranx"
#: AP ties=quicksort score_precision=float64 missing_queries=zero query_set=qrels @ranx
average_precision = "ranx"
#: P@10 ties=quicksort score_precision=float64 missing_queries=zero query_set=qrels @ranx
precision = "ranx"
#: R@10 ties=quicksort score_precision=float64 missing_queries=zero query_set=qrels @ranx
recall = "ranx"
#: RR ties=quicksort score_precision=float64 missing_queries=zero query_set=qrels @ranx
reciprocal_rank = "ranx"
#: Rprec ties=quicksort score_precision=float64 missing_queries=zero query_set=qrels @ranx
r_precision = "ranx"
#: bpref (cross-query-leak: its working memory is kept from query to query) @ranx
bpref = "ranx"
#: nDCG(dcg='exp-log2')@10 ties=quicksort score_precision=float64 missing_queries=zero query_set=qrels
#:   @ranx-burges
ndcg_burges = "ranx"
