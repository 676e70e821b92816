"""AutoRAG 0.3.27: retrieved ids against groups of expected ids, without a cutoff. A document of a group is
enough; each relevant document is a group of its own here, as where all of them are wanted. A query without
expected ids has no value."""
# family: RAG
# title: AutoRAG
# without dependencies: autorag==0.3.27
# requires: pandas<3
# call: f(relevant_ids, ranked_ids)

import importlib.util
import sys
from importlib import metadata
from types import ModuleType

# The package itself imports what calls language models; its metrics of retrieval need these two files only.
_package = metadata.distribution("autorag")


def _load(name, path):
    spec = importlib.util.spec_from_file_location(name, _package.locate_file(path))
    sys.modules[name] = module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


for _name in (
    "autorag",
    "autorag.schema",
    "autorag.utils",
    "autorag.evaluation",
    "autorag.evaluation.metric",
):
    sys.modules[_name] = ModuleType(_name)
sys.modules["autorag.utils.util"] = ModuleType("autorag.utils.util")
sys.modules["autorag.utils.util"].convert_inputs_to_list = lambda function: function
MetricInput = _load("autorag.schema.metricinput", "autorag/schema/metricinput.py").MetricInput
_load("autorag.evaluation.metric.util", "autorag/evaluation/metric/util.py")
_metrics = _load("autorag.evaluation.metric.retrieval", "autorag/evaluation/metric/retrieval.py")


def _score(metric, expected, retrieved):
    given = MetricInput(retrieval_gt=[[id] for id in expected], retrieved_ids=list(retrieved))
    (value,) = metric([given])
    return value


#: nDCG gain=binary ideal=hits-returned no_relevant=skip
def ndcg(expected, retrieved):
    return _score(_metrics.retrieval_ndcg, expected, retrieved)


#: RR rr_of=every no_relevant=skip
def mrr(expected, retrieved):
    """The mean over the groups of the reciprocal rank of each."""
    return _score(_metrics.retrieval_mrr, expected, retrieved)


#: AP (the mean over the groups of 1 / rank: the reciprocal ranks of all relevant documents)
def average_precision(expected, retrieved):
    """Average precision of each group alone, and their mean."""
    return _score(_metrics.retrieval_map, expected, retrieved)


#: SetP no_relevant=skip
def precision(expected, retrieved):
    return _score(_metrics.retrieval_precision, expected, retrieved)


#: SetR no_relevant=skip
def recall(expected, retrieved):
    return _score(_metrics.retrieval_recall, expected, retrieved)
