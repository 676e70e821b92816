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


ndcg = partial(_score, _metrics.retrieval_ndcg)
mrr = partial(_score, _metrics.retrieval_mrr)
average_precision = partial(_score, _metrics.retrieval_map)
precision = partial(_score, _metrics.retrieval_precision)
recall = partial(_score, _metrics.retrieval_recall)
