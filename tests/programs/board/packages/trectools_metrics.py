"""trectools 0.0.50, reading files of TREC. Means are over the queries of the run, and leave out queries where
nothing was found in some measures."""
# family: IR
# requires: trectools==0.0.50 pandas==3.1.1 pytz
# environment: trectools
# also: pandas==2.3.3 pandas==3.0.0
# all: score_precision=float64 query_set=run

#: nDCG@10 ties=docid-asc missing_queries=dropped-without-hits @trectools-ndcg
ndcg = "trectools"
average_precision = "trectools"  #: AP no_relevant=skip @trectools-ap
precision = "trectools"  #: P@10 unjudged_queries=no-relevant @trectools
reciprocal_rank = "trectools"  #: RR missing_queries=dropped-without-hits @trectools-dropping
#: bpref bpref_form=zero-when-no-nonrelevant missing_queries=dropped-without-hits @trectools-dropping
bpref = "trectools"
#: Rprec (cross-query-leak: under pandas 3 relevant documents of other queries count)
#: pandas==3.0.0 (cross-query-leak: under pandas 3 relevant documents of other queries count)
#: pandas==2.3.3 missing_queries=dropped-without-hits
r_precision = "trectools"
