from functools import partial

import numpy as np
from cornac.metrics import MAP, MRR, NCRR, NDCG
from shapes import numbered


def _value(metric, gt_items, pd_rank, **k):
    ranked, positive = (np.array(ids, dtype=int) for ids in numbered(pd_rank, gt_items))
    return metric(**k).compute(gt_pos=positive, pd_rank=ranked)


ndcg = partial(_value, NDCG)
ncrr = partial(_value, NCRR)
mrr = partial(_value, MRR)


def average_precision(y_true, y_score):
    scores = np.array(y_score, dtype=float)
    positive = np.flatnonzero(np.array(y_true) > 0)
    return MAP().compute(item_indices=np.arange(len(scores)), pd_scores=scores, gt_pos=positive)
