"""beir 2.2.0: means over queries, rounded to five digits. nDCG is pytrec_eval's, without documents whose
id is that of the query; MRR is its own."""
# family: IR
# without dependencies: beir==2.2.0
# requires: tqdm
# environment: torch

from beir.retrieval.evaluation import EvaluateRetrieval


#: nDCG@10 identical_ids=removed rounding=5 +changes-input @beir
def ndcg(qrels: dict[str, dict[str, int]], results: dict[str, dict[str, float]], k=10):
    """For a cutoff of 0 pytrec_eval ends the process, with all audits of this file."""
    if k < 1:
        raise ValueError(f"cutoff {k}")
    return EvaluateRetrieval.evaluate(qrels, results, [k])[0][f"NDCG@{k}"]


#: RR@10 ties=input score_precision=float64 missing_queries=zero query_set=qrels rounding=5 @beir-custom
def mrr(qrels: dict[str, dict[str, int]], results: dict[str, dict[str, float]], k=10):
    """A stable sort of Python's floats; divides by all judged queries; raises for a query that is not
    judged."""
    return EvaluateRetrieval.evaluate_custom(qrels, results, [k], "mrr")[f"MRR@{k}"]
