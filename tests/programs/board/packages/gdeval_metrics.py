"""gdeval.pl, the script of TREC's web tracks, as ir_measures 0.4.3 ships it: exponential gain, five decimals,
documents with equal scores by id descending."""
# family: IR
# title: gdeval.pl
# without dependencies: ir-measures==0.4.3
# environment: ir
# all: score_precision=float64 rounding=5 missing_queries=zero query_set=qrels @ir-measures-gdeval

ndcg = "ir-measures:gdeval"  #: nDCG(dcg='exp-log2')@10
err = "ir-measures:gdeval"  #: ERR@10
