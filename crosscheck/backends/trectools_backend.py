"""The backend ``trectools``, which passes data frames to trectools.

The frames are made as trectools makes them from TREC files: ``TrecRun(file)`` sorts by score, then by
ascending docno, and ``TrecQrel(file)`` drops negative levels. Files are not used, because the reader of
trectools turns ids such as 007 into 7.
"""

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from crosscheck.backends.base import BackendFactory, Packaged, installed_version
from crosscheck.backends.outcomes import as_backend_error
from crosscheck.backends.texts import one_by_one
from crosscheck.errors import BackendError
from crosscheck.model import IdArray, Measure, MeasureValues, Qrels, Run

#: Family -> (method, whether a cutoff is possible).
_METHODS = {
    "AP": ("get_map", True),
    "P": ("get_precision", True),
    "R": ("get_recall", True),
    "RR": ("get_reciprocal_rank", False),
    "nDCG": ("get_ndcg", True),
    "bpref": ("get_bpref", False),
    "Rprec": ("get_rprec", False),
}


class Trectools(Packaged):
    """trectools' values per query and trectools' means. Its mean may differ from the mean of its values."""

    id = "trectools"
    modules = ("trectools", "pandas")
    distributions = ("trectools",)

    @property
    def engine(self) -> str:
        return f"{super().engine}, pandas {installed_version('pandas')}"

    def supports(self, measure: Measure) -> bool:
        if measure.rel is not None or measure.params or measure.family not in _METHODS:
            return False
        return measure.cutoff is None or _METHODS[measure.family][1]

    def evaluate(self, qrels: Qrels, run: Run, measures: Sequence[Measure]) -> dict[Measure, MeasureValues]:
        """Values and means from trectools. Queries that are missing in its result tables have no value.

        Raises:
            BackendError: trectools raised an error.
        """
        with warnings.catch_warnings(action="ignore"):
            evaluator = _evaluator(qrels, run)
            answers: dict[Measure, MeasureValues] = {}
            for measure in measures:
                method = getattr(evaluator, _METHODS[measure.family][0])
                options = {"depth": measure.cutoff or 10**9, "trec_eval": True}
                # In Rprec one query uses another's judgements, so each is computed separately.
                alone = measure.family == "Rprec"
                try:
                    parts = [_evaluator(*of) for _, of in one_by_one(qrels, run)] if alone else [evaluator]
                    tables = [getattr(part, method.__name__)(per_query=True, **options) for part in parts]
                    mean = float(method(per_query=False, **options))
                except Exception as error:
                    raise BackendError(f"{method.__name__} failed: {as_backend_error(error)}") from error
                values = {topic: value for table in tables for topic, value in _column(table)}
                answers[measure] = MeasureValues(values, mean, self.engine, one_by_one=alone)
        return answers


def _column(table: Any) -> list[tuple[bytes, float]]:
    """The (topic, value) pairs of a result table. Entries with NaN are left out, as in trectools' means."""
    rows = zip(table.index, table.iloc[:, 0], strict=True)
    return [(str(topic).encode("latin-1"), float(value)) for topic, value in rows if value == value]


def _evaluator(qrels: Qrels, run: Run) -> Any:
    from trectools import TrecEval, TrecQrel, TrecRun

    results, judgements = TrecRun(), TrecQrel()
    rows = _frame(run, "Q0", rank=np.arange(len(run.docnos)), score=run.scores, system="run")
    results.run_data = rows.sort_values(["query", "score", "docid"], ascending=[True, False, True])
    judged = _frame(qrels, "0", rel=qrels.rels)
    judgements.qrels_data = judged[judged["rel"] >= 0]
    results.filename = judgements.filename = "in memory"
    return TrecEval(results, judgements)


def _frame(records: Run | Qrels, q0: str, **columns: Any) -> Any:
    import pandas as pd

    topics = _texts(np.array(records.topics, object))
    queries = [topics[i] for i in records.topic_numbers.tolist()]
    return pd.DataFrame({"query": queries, "q0": q0, "docid": _texts(records.docnos), **columns})


def _texts(ids: IdArray) -> list[str]:
    # One character per byte, which keeps the byte order.
    return [bytes(identifier).decode("latin-1") for identifier in ids.tolist()]


FACTORY = BackendFactory(
    usage="trectools",
    summary="trectools on the tables that it makes of TREC files",
    make=lambda argument, options: Trectools(),
)
