"""The backend ``sklearn``: scikit-learn's ranking metrics on the retrieved documents of each query.

``ndcg_score``, ``dcg_score`` and ``average_precision_score`` take the labels and scores of one list. As is
usual, this list has only the retrieved documents of a query.
"""

import warnings
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from crosscheck.backends.base import BackendFactory, Packaged
from crosscheck.backends.texts import topic_rows
from crosscheck.model import FloatArray, IntArray, Measure, MeasureValues, Qrels, Run

_METRICS = {"nDCG": "ndcg_score", "DCG": "dcg_score", "AP": "average_precision_score"}


class Sklearn(Packaged):
    """scikit-learn's metrics, called once per query. A query with one document has no nDCG and no DCG,
    because these metrics raise an error for a list of one document."""

    id = "sklearn"
    modules = ("sklearn",)
    distributions = ("scikit-learn",)

    def supports(self, measure: Measure) -> bool:
        if measure.params or (measure.family == "AP" and measure.cutoff is not None):
            return False
        return measure.family in _METRICS and (measure.rel is None or measure.family == "AP")

    def evaluate(self, qrels: Qrels, run: Run, measures: Sequence[Measure]) -> dict[Measure, MeasureValues]:
        """Values of the queries that have results and judgements. scikit-learn computes no mean over queries.

        Negative levels become 0, because scikit-learn raises an error for negative levels.
        """
        lists = dict(lists_of(qrels, run))
        short = {topic for topic, (levels, _) in lists.items() if len(levels) < 2}
        answers: dict[Measure, MeasureValues] = {}
        for measure in measures:
            refused = () if measure.family == "AP" else short
            values = {topic: _value(measure, *lists[topic]) for topic in lists if topic not in refused}
            refusal = f"{_METRICS[measure.family]} refuses a list of one document" * bool(refused)
            notes = (f"{refusal} ({len(refused)} here)",) * bool(refused)
            answers[measure] = MeasureValues(values, None, self.engine, notes=notes, refusal=refusal)
        return answers


def lists_of(qrels: Qrels, run: Run) -> Iterator[tuple[bytes, tuple[IntArray, FloatArray]]]:
    """Yield, for each judged query in the run, a pair (query, (levels, scores)) with the retrieved documents.
    Unjudged documents and documents with a negative level get level 0."""
    judged = dict(topic_rows(qrels))
    for topic, rows in topic_rows(run):
        if topic in judged:
            pool = judged[topic]
            level = dict(zip(qrels.docnos[pool].tolist(), qrels.rels[pool].tolist(), strict=True))
            levels = np.array([max(level.get(docno, 0), 0) for docno in run.docnos[rows].tolist()], np.int64)
            yield topic, (levels, run.scores[rows])


def _value(measure: Measure, levels: IntArray, scores: FloatArray) -> float:
    import sklearn.metrics

    function: Any = getattr(sklearn.metrics, _METRICS[measure.family])
    if measure.family != "AP":
        return float(function([levels], [scores], k=measure.cutoff))
    with warnings.catch_warnings(action="ignore"):  # it warns if nothing is relevant, and returns 0
        return float(function(levels >= (measure.rel or 1), scores))


FACTORY = BackendFactory(
    usage="sklearn",
    summary="scikit-learn's ndcg_score, dcg_score and average_precision_score on the retrieved documents",
    make=lambda argument, options: Sklearn(),
)
