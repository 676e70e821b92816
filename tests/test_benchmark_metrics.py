"""crosscheck.benchmark_metrics: every rule and example of its specification."""

from crosscheck.benchmark_metrics import IRMetrics, MetricsCalculator, ReportAggregator
from tests.support.kept import Kept


def metrics(precision_at_3=0.0, precision_at_5=0.0, mrr=0.0):
    return IRMetrics(precision_at_3, precision_at_5, recall_at_10=0.5, mrr=mrr)


USED = [*vars(MetricsCalculator).items(), *vars(ReportAggregator).items()]
STATIC = {name: one.__func__ for name, one in USED if isinstance(one, staticmethod)}
EXAMPLES = Kept(__file__, within=(STATIC,), metrics=metrics, IRMetrics=IRMetrics)
test_examples = EXAMPLES.test()
