"""cornac 3.0.1: metrics over the indices of positive and of ranked items, or scores. Its MRR raises where
nothing relevant was retrieved."""
# family: recommenders
# requires: cornac==3.0.1
# call: f(relevant_ids, ranked_ids, k=k)

from functools import partial

import numpy as np
from cornac.metrics import MAP, MRR, NCRR, NDCG
from shapes import numbered


def _value(metric, gt_items, pd_rank, **k):
    ranked, positive = (np.array(ids, dtype=int) for ids in numbered(pd_rank, gt_items))
    return metric(**k).compute(gt_pos=positive, pd_rank=ranked)


ndcg = partial(_value, NDCG)  #: nDCG@10 gain=binary no_relevant=nan
ncrr = partial(_value, NCRR)  #: nDCG@10 gain=binary discount=rank ideal=hits-returned
mrr = partial(_value, MRR)  #: RR +refuses-input call f(relevant_ids, ranked_ids)


#: AP ties=group-end score_precision=float64 universe=retrieved no_relevant=nan call f(y_true, y_score)
def average_precision(y_true, y_score):
    scores = np.array(y_score, dtype=float)
    positive = np.flatnonzero(np.array(y_true) > 0)
    return MAP().compute(item_indices=np.arange(len(scores)), pd_scores=scores, gt_pos=positive)
