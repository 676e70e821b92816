"""RecBole 1.2.1: a matrix of hits in rank order with the number of positives; four digits by default. It uses
``np.float``, which numpy has removed and its user has to give back."""
# family: recommenders
# without dependencies: recbole==1.2.1 thop
# requires: colorlog==4.7.2 colorama==0.4.4 scikit-learn pandas<3 tensorboard texttable psutil pyyaml tqdm
# requires: tabulate setuptools<81
# environment: torch
# call: f(ranked_ids, relevant_ids, k=k)
# all: rounding=4

from functools import partial

import numpy as np
import torch

np.float = float

from recbole.evaluator.metrics import MAP, NDCG, Recall  # noqa: E402


def _value(metric, recommended, positives, k):
    hits = [int(item in set(positives)) for item in recommended[:k]]
    row = [*hits, *[0] * (k - len(hits)), len(positives)]
    config = {"topk": [k], "metric_decimal_place": 4}
    return next(iter(metric(config).calculate_metric({"rec.topk": torch.tensor([row])}).values()))


recall = partial(_value, Recall)  #: R@10 no_relevant=nan
average_precision = partial(_value, MAP)  #: AP@10 ap_denominator=min(R,k)
ndcg = partial(_value, NDCG)  #: nDCG@10 gain=binary
