"""continuous-eval 0.3.14.post2: retrieved against expected chunks, without a cutoff; ids stand for chunks
here, which match where they are equal."""
# family: RAG
# without dependencies: continuous-eval==0.3.14.post2
# call: f(ranked_ids, relevant_ids)

import importlib.util
import sys
from importlib import metadata
from types import ModuleType


class _Exact:
    type = "chunk match"

    def is_relevant(self, chunk, expected):
        return chunk == expected


# The package itself imports what calls language models; this class needs two names of its neighbours only.
for _name in ("base", "retrieval", "retrieval.matching_strategy"):
    sys.modules[f"continuous_eval.metrics.{_name}"] = ModuleType(_name)
sys.modules["continuous_eval.metrics.base"].__dict__.update(Field=dict, Metric=object)
sys.modules["continuous_eval.metrics.retrieval.matching_strategy"].__dict__.update(
    MatchingStrategy=_Exact, MatchingStrategyType=None, RougeChunkMatch=_Exact
)
_file = metadata.distribution("continuous-eval").locate_file("continuous_eval/metrics/retrieval/ranked.py")
_spec = importlib.util.spec_from_file_location("continuous_eval_ranked", _file)
_ranked = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(_ranked)
_METRICS = object.__new__(_ranked.RankedRetrievalMetrics)
_METRICS.matching_strategy = _Exact()


#: AP ap_denominator=retrieved-relevant
def average_precision(retrieved_context, ground_truth_context):
    return _METRICS.calculate_average_precision(retrieved_context, ground_truth_context)


#: RR
def reciprocal_rank(retrieved_context, ground_truth_context):
    return _METRICS.calculate_reciprocal_rank(retrieved_context, ground_truth_context)


#: nDCG gain=binary
def ndcg(retrieved_context, ground_truth_context):
    """Binary; divides by zero where nothing is relevant."""
    return _METRICS.calculate_normalized_discounted_cumulative_gain(retrieved_context, ground_truth_context)
