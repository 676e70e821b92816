"""torchmetrics 1.9.0: scores and levels of one query as tensors. All but nDCG take documents with a score
of 0 or less for nonrelevant; topk orders ties arbitrarily; only the list's own documents exist. R-precision
has argsort without ``stable``: ties in an arbitrary order; R is that of the list."""
# family: torch
# requires: torchmetrics==1.9.0
# environment: torch
# also: torchmetrics==1.7.3 torchmetrics==1.7.4
# call: f(y_score, y_true, k=k)

from functools import partial

import torch
from torchmetrics.functional import retrieval


def _rows(preds, target):
    return torch.tensor(preds, dtype=torch.float32), torch.tensor(target)


def _binary(metric, preds, target, **more):
    scores, levels = _rows(preds, target)
    return metric(scores, levels > 0, **more)


#: nDCG@10 ties=average ideal=retrieved @torchmetrics-ndcg
def ndcg(preds, target, k=10):
    return retrieval.retrieval_normalized_dcg(*_rows(preds, target), top_k=k)


#: AP@10 ap_denominator=retrieved-relevant special_scores=nonpositive-dropped +tie-breaking @torchmetrics
#: torchmetrics==1.7.4 ap_denominator=retrieved-relevant special_scores=nonpositive-dropped +tie-breaking
#: torchmetrics==1.7.3 ap_denominator=retrieved-relevant +tie-breaking
def average_precision(preds, target, k=10):
    return _binary(retrieval.retrieval_average_precision, preds, target, top_k=k)


#: P@10 special_scores=nonpositive-dropped +tie-breaking @torchmetrics
#: torchmetrics==1.7.4 special_scores=nonpositive-dropped +tie-breaking
#: torchmetrics==1.7.3 +tie-breaking
def precision(preds, target, k=10):
    return _binary(retrieval.retrieval_precision, preds, target, top_k=k)


#: Rprec universe=retrieved +tie-breaking call f(y_score, y_true)
r_precision = partial(_binary, retrieval.retrieval_r_precision)
