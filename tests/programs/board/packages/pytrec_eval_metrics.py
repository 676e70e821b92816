"""pytrec_eval-terrier 0.5.11: the C code of trec_eval 9, called from Python. Of a document that occurs twice
the last score counts, as in any dict."""
# family: IR
# title: pytrec_eval
# without dependencies: pytrec-eval-terrier==0.5.11
# environment: ir
# all: @pytrec_eval

ndcg = "pytrec_eval"  #: nDCG@10
average_precision = "pytrec_eval"  #: AP
precision = "pytrec_eval"  #: P@10
recall = "pytrec_eval"  #: R@10
reciprocal_rank = "pytrec_eval"  #: RR
r_precision = "pytrec_eval"  #: Rprec
bpref = "pytrec_eval"  #: bpref
success = "pytrec_eval"  #: Success@5
