"""ranx 0.3.21: scores in double precision, sorted by numba's quicksort, which leaves short lists with equal
scores in the order of the input and longer ones in an order of its own."""
# family: IR
# requires: ranx==0.3.21
# environment: ir
# all: ties=quicksort score_precision=float64 missing_queries=zero query_set=qrels @ranx

ndcg = "ranx"  #: nDCG@10
average_precision = "ranx"  #: AP
precision = "ranx"  #: P@10
recall = "ranx"  #: R@10
reciprocal_rank = "ranx"  #: RR
r_precision = "ranx"  #: Rprec
bpref = "ranx"  #: bpref (cross-query-leak: its working memory is kept from query to query)
ndcg_burges = "ranx"  #: nDCG(dcg='exp-log2')@10 @ranx-burges
