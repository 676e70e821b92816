"""``import crosscheck as pytrec_eval``: the same names, keys and values, without the crashes."""

import math
from typing import Any

import pytest
import pytrec_eval
from hypothesis import given, settings
from hypothesis import strategies as st

import crosscheck
from crosscheck.pytrec_eval_api import RelevanceEvaluator
from tests.support.kept import Kept
from tests.support.strategies import qrels_and_run

MEASURES = [
    ("official",),
    ("all_trec",),
    ("set", "bpref"),
    ("P_5", "P.3,10", "P_3", "map"),
    ("ndcg_cut_3", "ndcg_cut", "success"),
    ("iprec_at_recall_0.1", "iprec_at_recall.0.25,0.5", "11pt_avg_0.5", "Rprec_mult_0.5"),
    ("set_F_0.5", "set_F.0.5", "gm_map", "gm_bpref"),
    # Recall points are sorted as texts, in any order, with repetitions, in several names.
    ("11pt_avg_0.5,0.25",),
    ("11pt_avg.0.9,0.1,0.1",),
    ("11pt_avg_0.7,0.5", "11pt_avg.0.1"),
]
#: Text in trec_eval; numbers without meaning in pytrec_eval.
TEXTS = {"runid", "relstring"}
JUDGED = {"1": {"a": 1}}


@settings(max_examples=260)
@given(qrels_and_run(), st.sampled_from(MEASURES), st.integers(1, 3), st.booleans(), st.booleans())
def test_values_and_keys_are_those_of_pytrec_eval(data, measures, level, judged_only, sparse):
    """0 ULP apart, with the same keys in the same order, and the queries in the order of the run. Many
    unjudged documents around change how ranks are found, and no value."""
    qrels, run = data
    if sparse:
        measures = ("all_trec",)
        for found in run.values():
            found.update({f"other{i}": -1e6 + i % 3 for i in range(200)})
    # A level above all judgements makes pytrec_eval read foreign memory.
    level = min(level, 1 + max(max(levels.values()) for levels in qrels.values()))
    arguments: Any = (qrels, set(measures), level, judged_only)
    theirs = pytrec_eval.RelevanceEvaluator(*arguments).evaluate(run)
    ours = crosscheck.RelevanceEvaluator(*arguments).evaluate(run)
    assert list(ours) == list(theirs)
    for query, values in theirs.items():
        assert list(ours[query]) == list(values)
        for name in values.keys() - TEXTS:
            one, other = ours[query][name], values[name]
            assert one == other or (math.isnan(one) and math.isnan(other)), (query, name)


@pytest.mark.parametrize("measure", ["map", "num_rel", "num_q", "gm_map"])
@given(values=st.lists(st.floats(0, 1), min_size=1, max_size=50))
def test_summaries_are_those_of_pytrec_eval(measure, values):
    """Added pairwise, as numpy adds."""
    ours = crosscheck.compute_aggregated_measure(measure, values)
    assert ours == pytrec_eval.compute_aggregated_measure(measure, values)


def evaluated(*measures, level=1, score=1.0):
    return RelevanceEvaluator({"q": {"a": level}}, measures).evaluate({"q": {"a": score}})


def called(qrels=JUDGED, measures=("map",), level=1, run=JUDGED):
    """The values of a call with other types than those of a dict of dicts, a set and a whole number."""
    return RelevanceEvaluator(qrels, measures, level).evaluate(run)


NAMES = {
    one.__name__: one
    for one in (evaluated, called, crosscheck.parse_run, crosscheck.compute_aggregated_measure)
}
EXAMPLES = Kept(__file__, ValueError, TypeError, within=(NAMES,), evaluator=RelevanceEvaluator)
test_examples = EXAMPLES.test()
