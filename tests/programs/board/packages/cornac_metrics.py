"""cornac 3.0.1: metrics over the indices of positive and of ranked items, or scores."""
# family: recommenders
# requires: cornac==3.0.1
# call: f(relevant_ids, ranked_ids, k=k)

import numpy as np
from cornac.metrics import MAP, MRR, NCRR, NDCG


def _indices(gt, pd):
    known = {item: index for index, item in enumerate(dict.fromkeys([*pd, *gt]))}
    return np.array([known[item] for item in gt], dtype=int), np.array(
        [known[item] for item in pd], dtype=int
    )


#: nDCG@10 gain=binary no_relevant=nan
def ndcg(gt_items, pd_rank, k=10):
    gt_pos, ranked = _indices(gt_items, pd_rank)
    return NDCG(k=k).compute(gt_pos=gt_pos, pd_rank=ranked)


#: nDCG@10 gain=binary discount=rank ideal=hits-returned
def ncrr(gt_items, pd_rank, k=10):
    gt_pos, ranked = _indices(gt_items, pd_rank)
    return NCRR(k=k).compute(gt_pos=gt_pos, pd_rank=ranked)


#: RR +refuses-input
#: call f(relevant_ids, ranked_ids)
def mrr(gt_items, pd_rank):
    """Raises where nothing relevant was retrieved."""
    gt_pos, ranked = _indices(gt_items, pd_rank)
    return MRR().compute(gt_pos=gt_pos, pd_rank=ranked)


#: AP ties=group-end score_precision=float64 universe=retrieved no_relevant=nan
#: call f(y_true, y_score)
def average_precision(y_true, y_score):
    scores = np.array(y_score, dtype=float)
    positive = np.flatnonzero(np.array(y_true) > 0)
    return MAP().compute(item_indices=np.arange(len(scores)), pd_scores=scores, gt_pos=positive)
