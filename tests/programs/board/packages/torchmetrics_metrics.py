"""torchmetrics 1.9.0: scores and levels of one query as tensors. All but nDCG take documents with a score
of 0 or less for nonrelevant; topk orders ties arbitrarily; only the list's own documents exist."""
# family: torch
# requires: torchmetrics==1.9.0
# environment: torch
# also: torchmetrics==1.7.3 torchmetrics==1.7.4
# call: f(y_score, y_true, k=k)

import torch
from torchmetrics.functional.retrieval import (
    retrieval_average_precision,
    retrieval_normalized_dcg,
    retrieval_precision,
    retrieval_r_precision,
)


#: nDCG@10 ties=average ideal=retrieved @torchmetrics-ndcg
def ndcg(preds, target, k=10):
    return retrieval_normalized_dcg(torch.tensor(preds, dtype=torch.float32), torch.tensor(target), top_k=k)


#: AP@10 ap_denominator=retrieved-relevant special_scores=nonpositive-dropped +tie-breaking @torchmetrics
#: torchmetrics==1.7.4 ap_denominator=retrieved-relevant special_scores=nonpositive-dropped +tie-breaking
#: torchmetrics==1.7.3 ap_denominator=retrieved-relevant +tie-breaking
def average_precision(preds, target, k=10):
    return retrieval_average_precision(
        torch.tensor(preds, dtype=torch.float32), torch.tensor(target) > 0, top_k=k
    )


#: P@10 special_scores=nonpositive-dropped +tie-breaking @torchmetrics
#: torchmetrics==1.7.4 special_scores=nonpositive-dropped +tie-breaking
#: torchmetrics==1.7.3 +tie-breaking
def precision(preds, target, k=10):
    return retrieval_precision(torch.tensor(preds, dtype=torch.float32), torch.tensor(target) > 0, top_k=k)


#: Rprec universe=retrieved +tie-breaking
#: call f(y_score, y_true)
def r_precision(preds, target):
    """argsort without ``stable``: ties in an arbitrary order; R is that of the list."""
    return retrieval_r_precision(torch.tensor(preds, dtype=torch.float32), torch.tensor(target) > 0)
