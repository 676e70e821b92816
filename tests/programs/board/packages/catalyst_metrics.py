"""catalyst 22.4: scores and levels of slates as tensors. Only the slate's own documents exist; ``sort``
without ``stable``: the order of ties follows no rule."""
# family: torch, recommenders
# without dependencies: catalyst==22.4
# environment: torch
# call: f(y_score, y_true, k=k)

import importlib.util
import sys
from importlib import metadata
from types import ModuleType

import torch

# The package itself imports what newer releases of other packages lack; these files need torch only.
_package = metadata.distribution("catalyst")
for _name in ("catalyst", "catalyst.metrics", "catalyst.metrics.functional"):
    sys.modules[_name] = ModuleType(_name)


def _load(name):
    path = _package.locate_file(f"catalyst/metrics/functional/{name}.py")
    spec = importlib.util.spec_from_file_location(f"catalyst.metrics.functional.{name}", path)
    sys.modules[spec.name] = module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


_load("_misc")
_ndcg, _mrr, _average_precision, _hitrate = map(_load, ("_ndcg", "_mrr", "_average_precision", "_hitrate"))


def _slate(scores, levels):
    return torch.tensor([scores], dtype=torch.float32), torch.tensor([levels], dtype=torch.float32)


def _binary(scores, levels):
    outputs, targets = _slate(scores, levels)
    return outputs, (targets > 0).float()


#: nDCG@10 gain=exponential ideal=retrieved +tie-breaking
def ndcg(outputs, targets, k=10):
    return _ndcg.ndcg(*_slate(outputs, targets), topk=[k])[0]


#: nDCG@10 discount=jarvelin ideal=retrieved +tie-breaking
def ndcg_linear(outputs, targets, k=10):
    """gain_function="linear_rank" changes the discount as well: rank 2 is not discounted."""
    return _ndcg.ndcg(*_slate(outputs, targets), topk=[k], gain_function="linear_rank")[0]


#: RR@10 +tie-breaking
def mrr(outputs, targets, k=10):
    return _mrr.mrr(*_binary(outputs, targets), topk=[k])[0]


#: AP@10 ap_denominator=retrieved-relevant +tie-breaking
def average_precision(outputs, targets, k=10):
    return _average_precision.mean_average_precision(*_binary(outputs, targets), topk=[k])[0]


#: Success@5 (the hits over the relevant documents of the slate: recall under another name)
def hitrate(outputs, targets, k=5):
    return _hitrate.hitrate(*_binary(outputs, targets), topk=[k])[0]
