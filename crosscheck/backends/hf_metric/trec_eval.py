# mypy: disable-error-code="misc"
"""The public ``trec_eval`` metric of the Hugging Face hub, rewritten for use without the hub.

It has the same input features and result keys and makes the same calls to trectools, so its numbers and
errors are those of the original. Unlike the original, it can compute only some of the cutoffs, which take
most of the time; the errors of trectools do not depend on the cutoff. ``evaluate.load`` loads this file by
its path; it is never imported.
"""

from collections.abc import Sequence
from typing import Any

import datasets
import evaluate
import pandas as pd
from trectools import TrecEval, TrecQrel, TrecRun

_CUTOFFS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
_COLUMNS = {"query": "int64", "q0": "string", "docid": "string"}
_RUN = _COLUMNS | {"rank": "int64", "score": "float", "system": "string"}
_QRELS = _COLUMNS | {"rel": "int64"}


def _feature(columns: dict[str, str]) -> dict[str, Any]:
    return {name: datasets.Sequence(datasets.Value(kind)) for name, kind in columns.items()}


class TrecEvalMetric(evaluate.Metric):
    """trectools' measures under trec_eval's names: means over the queries of one run."""

    def _info(self) -> Any:
        return evaluate.MetricInfo(
            description="Ranking measures of one run against its relevance judgements.",
            citation="Palotti, Scells and Zuccon: TrecTools, SIGIR 2019.",
            inputs_description="predictions: [one run as columns]; references: [its qrels as columns].",
            features=datasets.Features(predictions=_feature(_RUN), references=_feature(_QRELS)),
        )

    def _compute(
        self,
        predictions: list[Any],
        references: list[Any],
        precision: Sequence[int] = _CUTOFFS,
        ndcg: Sequence[int] = _CUTOFFS,
    ) -> dict[str, Any]:
        if len(predictions) != 1 or len(references) != 1:
            raise ValueError(f"one run and one qrels, not {len(predictions)} and {len(references)}")
        run, qrels = TrecRun(), TrecQrel()
        run.run_data, qrels.qrels_data = pd.DataFrame(predictions[0]), pd.DataFrame(references[0])
        run.filename = qrels.filename = "in memory"
        trec = TrecEval(run, qrels)
        whole = {"per_query": False, "trec_eval": True}
        result = {
            "runid": run.get_runid(),
            "num_ret": trec.get_retrieved_documents(per_query=False),
            "num_rel": trec.get_relevant_documents(per_query=False),
            "num_rel_ret": trec.get_relevant_retrieved_documents(per_query=False),
            "num_q": len(run.topics()),
            "map": trec.get_map(depth=10000, **whole),
            "gm_map": trec.get_geometric_map(depth=10000, trec_eval=True),
            "bpref": trec.get_bpref(depth=1000, **whole),
            "Rprec": trec.get_rprec(depth=1000, **whole),
            "recip_rank": trec.get_reciprocal_rank(depth=1000, **whole),
        }
        result |= {f"P@{k}": trec.get_precision(depth=k, **whole) for k in precision}
        result |= {f"NDCG@{k}": trec.get_ndcg(depth=k, **whole) for k in ndcg}
        return result
