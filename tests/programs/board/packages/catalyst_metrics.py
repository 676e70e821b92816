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


ndcg = partial(_value, _ndcg.ndcg)
# This gain changes the discount as well: rank 2 is not discounted.
ndcg_linear = partial(_value, _ndcg.ndcg, gain_function="linear_rank")
mrr = partial(_binary, _mrr.mrr)
average_precision = partial(_binary, _average_precision.mean_average_precision)
hitrate = partial(_binary, _hitrate.hitrate)
