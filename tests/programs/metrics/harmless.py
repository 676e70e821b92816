"""trec_eval's rules, and other ways to write the same: no audit may condemn the metrics that follow these.

Metrics are written as in ``bugs``. None is called with scores and no docnos, as
``f(y_true, y_score)`` is: it could not know trec_eval's order of tied documents.
"""

import math

import numpy as np

from tests.programs.metrics import reference
from tests.programs.metrics.reference import in_both, listed, single


def _refused(wrong, why):
    if wrong:
        raise ValueError(why)


def _refusing_negative_levels(judged):
    _refused(min(judged.values(), default=0) < 0, "a relevance level is negative")
    return judged


def _refusing_nan(score):
    _refused(math.isnan(score), "a score is NaN")
    return single(score)


def _refusing_unjudged_queries(qrels, run):
    assert run.keys() <= qrels.keys(), "a query has no judgements"
    return in_both(qrels, run)


def _in_order_of_the_qrels(qrels, run):
    return ((topic, qrels[topic], list(run[topic].items())) for topic in qrels if topic in run)


def _reversed_values(values):
    return dict(reversed(values.items()))


def _float32_mean(values):
    return np.mean(np.asarray(values, np.float32)) if values else 0.0


#: Name -> the rules, and the metrics that follow them.
HARMLESS = listed(__file__, {**vars(reference), **globals()})
