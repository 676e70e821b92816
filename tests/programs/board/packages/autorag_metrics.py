"""AutoRAG 0.3.27: retrieved ids against groups of expected ids, without a cutoff. A document of a group is
enough; each relevant document is a group of its own here, as where all of them are wanted. A query without
expected ids has no value."""
# family: RAG
# title: AutoRAG
# without dependencies: autorag==0.3.27
# requires: pandas<3
# call: f(relevant_ids, ranked_ids)
# all: no_relevant=skip

from functools import partial

from shapes import file_of, stand_in

# The package itself imports what calls language models; its metrics of retrieval need these files only.
stand_in("autorag", "autorag.schema", "autorag.utils", "autorag.evaluation", "autorag.evaluation.metric")
stand_in("autorag.utils.util", convert_inputs_to_list=lambda function: function)
_input = file_of("autorag", "autorag/schema/metricinput.py")
_, _metrics = (file_of("autorag", f"autorag/evaluation/metric/{name}.py") for name in ("util", "retrieval"))


def _score(metric, expected, retrieved):
    given = _input.MetricInput(retrieval_gt=[[id] for id in expected], retrieved_ids=list(retrieved))
    (value,) = metric([given])
    return value


ndcg = partial(_score, _metrics.retrieval_ndcg)  #: nDCG gain=binary ideal=hits-returned
mrr = partial(_score, _metrics.retrieval_mrr)  #: RR rr_of=every
#: AP (the mean over the groups of 1 / rank: the reciprocal ranks of all relevant documents)
average_precision = partial(_score, _metrics.retrieval_map)
precision = partial(_score, _metrics.retrieval_precision)  #: SetP
recall = partial(_score, _metrics.retrieval_recall)  #: SetR
