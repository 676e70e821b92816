"""Claims about crosscheck.benchmark_metrics: every rule and example of its specification."""

import math
from dataclasses import astuple, fields
from typing import Any

from crosscheck.benchmark_metrics import IRMetrics, MetricsCalculator, ReportAggregator
from tests.support.kept import REMEDY, Kept


def metrics(precision_at_3=0.0, precision_at_5=0.0, mrr=0.0):
    return IRMetrics(precision_at_3, precision_at_5, recall_at_10=0.5, mrr=mrr)


def test_record_has_the_specified_fields_and_defaults():
    """Four required floats, then nDCG None, hits 0 and 0, first position None."""
    names = "precision_at_3 precision_at_5 recall_at_10 mrr ndcg_at_10 hits_in_top_3 hits_in_top_5"
    assert [field.name for field in fields(IRMetrics)] == [*names.split(), "first_relevant_position"]
    record = IRMetrics(precision_at_3=0.1, precision_at_5=0.2, recall_at_10=0.3, mrr=0.4)
    assert astuple(record) == (0.1, 0.2, 0.3, 0.4, None, 0, 0, None)
    record.ndcg_at_10 = 0.25  # no frozen record


USED = [*vars(MetricsCalculator).items(), *vars(ReportAggregator).items()]
NAMES: dict[str, Any] = {name: one.__func__ for name, one in USED if isinstance(one, staticmethod)}
EXAMPLES = Kept(__file__, **NAMES, metrics=metrics, IRMetrics=IRMetrics, log2=math.log2)


def test_examples():
    """Every rule and example of the specification, and errors."""
    assert EXAMPLES.anew() == EXAMPLES.read(), REMEDY
