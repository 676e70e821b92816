"""rmet 0.1.6: score and 0/1 target matrices. k greater than the number of items raises; argpartition and an
argsort that is not stable, upside down, so that the order of ties follows no rule."""
# without dependencies: rmet==0.1.6
# requires: scipy pandas<3
# environment: torch

import numpy as np
from rmet.metrics import average_precision as rmet_ap
from rmet.metrics import ndcg as rmet_ndcg


def _rows(logits, targets):
    return np.array([logits], dtype=float), (np.array([targets]) > 0).astype(int)


#: nDCG@10 gain=binary universe=retrieved score_precision=float64 no_relevant=nan +refuses-input +tie-breaking
def ndcg(logits, targets, k=10):
    """0 / 0 is NaN where nothing in the row is relevant."""
    return rmet_ndcg(*_rows(logits, targets), k)[0]


#: AP@10 universe=retrieved score_precision=float64 +refuses-input +tie-breaking
def average_precision(logits, targets, k=10):
    """Divides by the relevant documents of the row."""
    return rmet_ap(*_rows(logits, targets), k)[0]
