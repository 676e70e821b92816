"""``import crosscheck as pytrec_eval``: the same names, keys and values, without the crashes."""

import math
from typing import Any

import pytest
import pytrec_eval
from hypothesis import given, settings
from hypothesis import strategies as st

import crosscheck
from crosscheck.pytrec_eval_api import RelevanceEvaluator
from tests.support.kept import REMEDY, Kept
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


def same(one, other):
    return one == other or (math.isnan(one) and math.isnan(other))


@settings(max_examples=180)
@given(qrels_and_run(), st.sampled_from(MEASURES), st.integers(1, 3), st.booleans())
def test_values_and_keys_are_those_of_pytrec_eval(data, measures, level, judged_only):
    """0 ULP apart, with the same keys in the same order, and the queries in the order of the run."""
    qrels, run = data
    # A level above all judgements makes pytrec_eval read foreign memory.
    level = min(level, 1 + max(max(levels.values()) for levels in qrels.values()))
    arguments: Any = (qrels, set(measures), level, judged_only)
    theirs = pytrec_eval.RelevanceEvaluator(*arguments).evaluate(run)
    ours = crosscheck.RelevanceEvaluator(*arguments).evaluate(run)
    assert list(ours) == list(theirs)
    for query, values in theirs.items():
        assert list(ours[query]) == list(values)
        for name in values.keys() - TEXTS:
            assert same(ours[query][name], values[name]), (query, name)


@settings(max_examples=80)
@given(data=qrels_and_run())
def test_sparse_and_dense_judgements_are_looked_up_alike(data):
    """Many unjudged documents around change how ranks are found, and no value."""
    qrels, run = data
    for found in run.values():
        found.update({f"other{i}": -1e6 + i % 3 for i in range(200)})
    ours = crosscheck.RelevanceEvaluator(qrels, {"all_trec"}).evaluate(run)
    theirs = pytrec_eval.RelevanceEvaluator(qrels, {"all_trec"}).evaluate(run)
    for query, values in theirs.items():
        assert all(same(ours[query][name], values[name]) for name in values.keys() - TEXTS)


def test_the_names_that_can_be_asked_for_are_the_same():
    """Measures and nicknames as sets."""
    assert crosscheck.supported_measures == pytrec_eval.supported_measures
    assert crosscheck.supported_nicknames == {k: set(v) for k, v in pytrec_eval.supported_nicknames.items()}


@pytest.mark.parametrize("measure", ["map", "num_rel", "num_q", "gm_map"])
@given(values=st.lists(st.floats(0, 1), min_size=1, max_size=50))
def test_summaries_are_those_of_pytrec_eval(measure, values):
    """Added pairwise, as numpy adds."""
    ours = crosscheck.compute_aggregated_measure(measure, values)
    assert ours == pytrec_eval.compute_aggregated_measure(measure, values)


def test_what_ends_the_process_in_pytrec_eval_has_a_value():
    """No crash, no loop, no number of an earlier call."""
    qrels = {"no_query": {"a": 1, "\udcff": 0}, "q": {"a": -2}, "empty": {}, "none": {"a": 1}}
    run = {"no_query": {"a": 1.0, "\udcff": 2.0}, "q": {"a": 1.0}, "empty": {"a": 1.0}, "none": {}}
    for level in (1, 2**31):
        for _ in range(2):
            found = crosscheck.RelevanceEvaluator(qrels, {"all_trec"}, level).evaluate(run)
            assert list(found) == ["no_query", "q", "none"]
            assert found["q"]["num_rel"] == 0.0
            assert found["none"]["num_ret"] == 0.0
    assert crosscheck.RelevanceEvaluator(qrels, ["map"]).evaluate(run)["no_query"] == {"map": 0.5}


def evaluated(*measures, level=1, score=1.0):
    return RelevanceEvaluator({"q": {"a": level}}, measures).evaluate({"q": {"a": score}})


NAMES: dict[str, Any] = {"math": math, "evaluated": evaluated, "evaluator": RelevanceEvaluator}
NAMES |= {name: getattr(crosscheck, name) for name in ("parse_run", "compute_aggregated_measure")}
EXAMPLES = Kept(__file__, ValueError, **NAMES)


def test_examples():
    """ValueErrors that say what to write, and values that pytrec_eval does not give."""
    assert EXAMPLES.anew() == EXAMPLES.read(), REMEDY


@pytest.mark.parametrize(("name", "line"), [("parse_run", "1 Q0 a 1 2.0 tag"), ("parse_qrel", "1 0 a 1")])
def test_parsed_files_are_defaultdicts_as_pytrec_evals(name, line):
    """A query that is not there is an empty dict, and is there afterwards."""
    ours, theirs = (getattr(module, name)([line]) for module in (crosscheck, pytrec_eval))
    assert ours["none"] == theirs["none"] == {}
    assert ours == theirs
    assert (type(ours), ours.default_factory) == (type(theirs), theirs.default_factory)


@pytest.mark.parametrize(
    ("qrels", "measures", "level", "run"),
    [
        *(({"q": {"a": level}}, {"map"}, 1, {}) for level in (1.0, "1", None)),
        *(({"q": {"a": 1}}, names, 1, {}) for names in ("map", {1})),
        *(({"q": {"a": 1}}, {"map"}, level, {}) for level in (0, 0.5, 1.5, None)),
        *(({"q": {"a": 1}}, {"map"}, 1, {"q": lines}) for lines in ({"a": "1.0"}, {"a": None}, ["a"])),
        ({"q": {"a": 1}}, {"map"}, 1, [("q", "a")]),
        # Wherever an id stands that is no text: none is dropped.
        *((qrels, {"map"}, 1, {"1": {"a": 1.0}}) for qrels in ({1: {"a": 1}}, {"1": {2: 1}})),
        *(({"1": {"a": 1}}, {"map"}, 1, run) for run in ({1: {"a": 1.0}}, {"1": {"a": 1.0}, 2: {"a": 1.0}})),
        *(({"1": {"a": 1}}, {"map"}, 1, {"1": row}) for row in ({1: 1.0}, {"a": 1.0, 2: 1.0})),
    ],
)
def test_other_types_are_a_type_error(qrels, measures, level, run):
    """Where pytrec_eval raises one as well, or does worse."""
    with pytest.raises(TypeError):
        RelevanceEvaluator(qrels, measures, level).evaluate(run)
