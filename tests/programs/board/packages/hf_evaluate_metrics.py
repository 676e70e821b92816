"""evaluate 0.4.6 of Hugging Face with its metric trec_eval, which calls trectools 0.0.50. Query ids are
integers; NDCG never sorts by score."""
# family: IR
# title: Hugging Face evaluate
# requires: evaluate==0.4.6 trectools==0.0.50 pandas==3.1.1 pytz
# environment: hf
# also: pandas==2.3.3 pandas==3.0.0

ndcg = "hf-evaluate"  #: nDCG@10 order=input @hf-evaluate-ndcg
average_precision = "hf-evaluate"  #: AP depth=10000 @hf-evaluate-ap
precision = "hf-evaluate"  #: P@10 @hf-evaluate
reciprocal_rank = "hf-evaluate"  #: RR rr_cutoff=1000 @hf-evaluate
bpref = "hf-evaluate"  #: bpref bpref_form=zero-when-no-nonrelevant negatives=relevant @hf-evaluate
#: Rprec (cross-query-leak: under pandas 3 relevant documents of other queries count)
#: pandas==3.0.0 (cross-query-leak: under pandas 3 relevant documents of other queries count)
#: pandas==2.3.3 depth=1000
r_precision = "hf-evaluate"
