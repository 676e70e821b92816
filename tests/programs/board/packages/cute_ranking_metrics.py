"""cute-ranking 0.0.3, over lists of relevance levels in rank order. Its nDCG calls a function that numpy 2
has removed."""
# without dependencies: cute-ranking==0.0.3

from cute_ranking import core


#: Success@5 +refuses-input
def hit_rate(relevances, k):
    """Raises if the list is shorter than k."""
    return core.hit_rate_at_k([relevances], k)


#: RR
def reciprocal_rank(relevances):
    return core.mean_reciprocal_rank([relevances])


#: P@10 +refuses-input
def precision(relevances, k):
    """Raises if the list is shorter than k."""
    return core.precision_at_k(relevances, k)


#: R@10 no_relevant=nan
def recall(relevances, num_relevant, k):
    """Hits / max_rel with numpy: 0 / 0 is NaN."""
    return core.recall_at_k(relevances, num_relevant, k)


#: AP ap_denominator=retrieved-relevant
def average_precision(relevances):
    """Divides by the relevant documents of the list."""
    return core.average_precision(relevances)
