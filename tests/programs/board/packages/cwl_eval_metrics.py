"""cwl-eval 1.0.12, called by ir_measures: average precision is the mean over the relevant documents that were
retrieved; documents with equal scores keep the order of the input. Lists are cut at 1,000 documents."""
# family: IR
# title: cwl_eval
# requires: cwl-eval==1.0.12
# environment: ir
# all: ties=input score_precision=float64 missing_queries=zero query_set=qrels @ir-measures-cwl_eval

average_precision = "ir-measures:cwl_eval"  #: AP depth=1000 ap_denominator=retrieved-relevant
precision = "ir-measures:cwl_eval"  #: P@10
reciprocal_rank = "ir-measures:cwl_eval"  #: RR rr_cutoff=1000
