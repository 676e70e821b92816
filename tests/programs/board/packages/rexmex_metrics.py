"""rexmex 0.1.3, over lists of ids. Its average precision raises where nothing is relevant, and its average
recall, the sum of precisions at hits over R, is average precision. Its HITS@k divides by the length of the
list, so it is a precision; its reciprocal rank, the mean of 1 / rank over all relevant items, raises for a
relevant item that is not in the list."""
# family: recommenders
# requires: rexmex==0.1.3 pandas<3 six
# call: f(relevant_ids, ranked_ids, k=k)

from rexmex.metrics import ranking

average_precision = ranking.average_precision_at_k  #: AP@10 ap_denominator=min(R,k)
average_recall = ranking.average_recall_at_k  #: AP@10
hits = ranking.hits_at_k  #: P@10 precision_denominator=min(k,retrieved)
#: RR rr_of=every no_relevant=nan +refuses-input call f(relevant_ids, ranked_ids)
reciprocal_rank = ranking.mean_reciprocal_rank
