"""trectools 0.0.50, reading files of TREC. Means are over the queries of the run, and leave out queries where
nothing was found in some measures."""
# family: IR
# requires: trectools==0.0.50 pandas==3.1.1 pytz
# environment: trectools
# also: pandas==2.3.3 pandas==3.0.0

#: nDCG@10 ties=docid-asc score_precision=float64 query_set=run missing_queries=dropped-without-hits
#:   @trectools-ndcg
ndcg = "trectools"
#: AP score_precision=float64 query_set=run no_relevant=skip @trectools-ap
average_precision = "trectools"
#: P@10 score_precision=float64 query_set=run unjudged_queries=no-relevant @trectools
precision = "trectools"
#: RR score_precision=float64 query_set=run missing_queries=dropped-without-hits @trectools-dropping
reciprocal_rank = "trectools"
#: bpref score_precision=float64 bpref_form=zero-when-no-nonrelevant query_set=run
#:   missing_queries=dropped-without-hits @trectools-dropping
bpref = "trectools"
#: Rprec (cross-query-leak: under pandas 3 relevant documents of other queries count)
#: pandas==3.0.0 (cross-query-leak: under pandas 3 relevant documents of other queries count)
#: pandas==2.3.3 score_precision=float64 query_set=run missing_queries=dropped-without-hits
r_precision = "trectools"
