"""catalyst 22.4: scores and levels of slates as tensors. Only the slate's own documents exist; ``sort``
without ``stable``: the order of ties follows no rule."""
# family: torch, recommenders
# without dependencies: catalyst==22.4
# environment: torch
# call: f(y_score, y_true, k=k)
# all: +tie-breaking

from functools import partial

import torch
from shapes import binary, file_of, stand_in

# The package itself imports what newer releases of other packages lack; these files need torch only.
stand_in("catalyst", "catalyst.metrics", "catalyst.metrics.functional")
_, _ndcg, _mrr, _average_precision, _hitrate = (
    file_of("catalyst", f"catalyst/metrics/functional/{name}.py")
    for name in ("_misc", "_ndcg", "_mrr", "_average_precision", "_hitrate")
)


def _value(metric, outputs, targets, k, **more):
    return metric(
        *(torch.tensor([row], dtype=torch.float32) for row in (outputs, targets)), topk=[k], **more
    )[0]


def _binary(metric, outputs, targets, k):
    return _value(metric, outputs, binary(targets), k)


ndcg = partial(_value, _ndcg.ndcg)  #: nDCG@10 gain=exponential ideal=retrieved
# This gain changes the discount as well: rank 2 is not discounted.
#: nDCG@10 discount=jarvelin ideal=retrieved
ndcg_linear = partial(_value, _ndcg.ndcg, gain_function="linear_rank")
mrr = partial(_binary, _mrr.mrr)  #: RR@10
#: AP@10 ap_denominator=retrieved-relevant
average_precision = partial(_binary, _average_precision.mean_average_precision)
#: Success@5 (the hits over the relevant documents of the slate: recall under another name)
hitrate = partial(_binary, _hitrate.hitrate)
