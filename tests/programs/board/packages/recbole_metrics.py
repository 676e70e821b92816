"""RecBole 1.2.1: a matrix of hits in rank order with the number of positives; four digits by default. It uses
``np.float``, which numpy has removed and its user has to give back."""
# family: recommenders
# without dependencies: recbole==1.2.1 thop
# requires: colorlog==4.7.2 colorama==0.4.4 scikit-learn pandas<3 tensorboard texttable psutil pyyaml tqdm
# requires: tabulate setuptools<81
# environment: torch
# call: f(ranked_ids, relevant_ids, k=k)

import numpy as np
import torch

np.float = float

from recbole.evaluator.metrics import MAP, NDCG, Recall  # noqa: E402


def _value(metric, recommended, positives, k):
    hits = [int(item in set(positives)) for item in recommended[:k]]
    row = [*hits, *[0] * (k - len(hits)), len(positives)]
    config = {"topk": [k], "metric_decimal_place": 4}
    return next(iter(metric(config).calculate_metric({"rec.topk": torch.tensor([row])}).values()))


#: R@10 rounding=4 no_relevant=nan
def recall(recommended, positives, k=10):
    return _value(Recall, recommended, positives, k)


#: AP@10 ap_denominator=min(R,k) rounding=4
def average_precision(recommended, positives, k=10):
    return _value(MAP, recommended, positives, k)


#: nDCG@10 gain=binary rounding=4
def ndcg(recommended, positives, k=10):
    return _value(NDCG, recommended, positives, k)
