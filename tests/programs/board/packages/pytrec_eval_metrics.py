"""pytrec_eval-terrier 0.5.11: the C code of trec_eval 9, called from Python. Of a document that occurs twice
the last score counts, as in any dict."""
# family: IR
# title: pytrec_eval
# without dependencies: pytrec-eval-terrier==0.5.11
# environment: ir

#: nDCG@10 @pytrec_eval
ndcg = "pytrec_eval"
#: AP @pytrec_eval
average_precision = "pytrec_eval"
#: P@10 @pytrec_eval
precision = "pytrec_eval"
#: R@10 @pytrec_eval
recall = "pytrec_eval"
#: RR @pytrec_eval
reciprocal_rank = "pytrec_eval"
#: Rprec @pytrec_eval
r_precision = "pytrec_eval"
#: bpref @pytrec_eval
bpref = "pytrec_eval"
#: Success@5 @pytrec_eval
success = "pytrec_eval"
