"""replay-rec 0.22.0: metrics over dicts of recommendations with scores and of items. 0 where nothing is
relevant."""
# requires: replay-rec==0.22.0

from replay.metrics import MAP, MRR, NDCG


def _value(metric, recommendations, ground_truth):
    scored = [(item, -place) for place, item in enumerate(recommendations)]
    return next(iter(metric({"u": scored}, {"u": ground_truth}).values()))


#: nDCG@10 gain=binary
def ndcg(recommendations, ground_truth, k=10):
    """Binary; the ideal of min(R, k)."""
    return _value(NDCG(k), recommendations, ground_truth)


#: AP@10 ap_denominator=min(R,k)
def average_precision(recommendations, ground_truth, k=10):
    """Divides by min(R, k)."""
    return _value(MAP(k), recommendations, ground_truth)


#: RR@10
def mrr(recommendations, ground_truth, k=10):
    return _value(MRR(k), recommendations, ground_truth)
