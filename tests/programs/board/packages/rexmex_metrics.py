"""rexmex 0.1.3, over lists of ids. Its HITS@k divides by the length of the list, so it is a precision; its
reciprocal rank raises for a relevant item that is not in the list."""
# family: recommenders
# requires: rexmex==0.1.3 pandas<3 six
# call: f(relevant_ids, ranked_ids, k=k)

from rexmex.metrics import ranking


#: AP@10 ap_denominator=min(R,k)
def average_precision(relevant_items, recommendation, k=10):
    """Divides by min(R, k); raises where nothing is relevant."""
    return ranking.average_precision_at_k(relevant_items, recommendation, k)


#: AP@10
def average_recall(relevant_items, recommendation, k=10):
    """The sum of precisions at hits over R: average precision, called recall."""
    return ranking.average_recall_at_k(relevant_items, recommendation, k)


#: P@10 precision_denominator=min(k,retrieved)
def hits(relevant_items, recommendation, k=10):
    """Hits among the first k over min(k, retrieved)."""
    return ranking.hits_at_k(relevant_items, recommendation, k)


#: RR rr_of=every no_relevant=nan +refuses-input
#: call f(relevant_ids, ranked_ids)
def reciprocal_rank(relevant_items, recommendation):
    """The mean of 1 / rank over all relevant items, NaN if there are none; raises if one was not
    retrieved."""
    return ranking.mean_reciprocal_rank(relevant_items, recommendation)
