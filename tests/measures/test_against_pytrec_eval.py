"""Native measures against pytrec_eval on random data: no value may differ in a single bit."""

from __future__ import annotations

import math
import random

import pytest
import pytrec_eval
from hypothesis import given, settings
from hypothesis import strategies as st

from crosscheck.conventions import Conventions
from crosscheck.evaluation.rankings import Rankings
from crosscheck.evaluation.summarise import evaluate
from crosscheck.formats.dicts import qrels_from_dict, run_from_dict
from crosscheck.names import expand_group, trec_eval_name
from tests.support.strategies import QrelsDict, RunDict, qrels_and_run

#: All of trec_eval 9's measures that pytrec_eval computes, under the names that it prints.
MEASURES = {trec_eval_name(measure): measure for measure in expand_group("all_trec")}


def differing(
    qrels: QrelsDict, run: RunDict, *, level: int = 1, judged_only: bool = False
) -> dict[tuple[str, str], tuple[float, float]]:
    """(topic, name) -> native value and pytrec_eval's, where they are not the same."""
    evaluator = pytrec_eval.RelevanceEvaluator(
        qrels, {"all_trec"}, relevance_level=level, judged_docs_only_flag=judged_only
    )
    theirs = evaluator.evaluate(run)
    rankings = Rankings(run_from_dict(run), qrels_from_dict(qrels))
    unjudged = "removed" if judged_only else "nonrelevant"
    conventions = Conventions().with_changes(relevance_level=level, unjudged=unjudged)
    found: dict[tuple[str, str], tuple[float, float]] = {}
    for name, measure in MEASURES.items():
        ours = evaluate(rankings, measure, conventions)
        for topic, value, present in zip(rankings.pairing.all_topics, ours.values, ours.present, strict=True):
            topic_name = topic.decode()
            assert bool(present) == (topic_name in theirs)
            if present:
                expected = theirs[topic_name][name]
                if not (value == expected or (math.isnan(value) and math.isnan(expected))):
                    found[topic_name, str(name)] = (float(value), expected)
    return found


def with_levels_up_to(qrels: QrelsDict, level: int) -> QrelsDict:
    """The same with a judgement just below ``level`` in each topic: without one pytrec_eval's bpref reads
    memory that is not its own."""
    for judged in qrels.values():
        if max(judged.values()) < level - 1:
            judged[next(iter(judged))] = level - 1
    return qrels


@settings(max_examples=300)
@given(data=qrels_and_run(), level=st.integers(1, 3), judged_only=st.booleans())
def test_small_rankings_agree(data: tuple[QrelsDict, RunDict], level: int, judged_only: bool) -> None:
    """Ties, float32 collisions, negatives, unjudged documents, missing topics: always the same bits."""
    qrels, run = data
    assert differing(with_levels_up_to(qrels, level), run, level=level, judged_only=judged_only) == {}


def _score(rnd: random.Random, steps: float) -> float:
    """Any number from 0 to 1, or one of a few."""
    return float(round(rnd.random() * steps)) if steps else rnd.random()


@pytest.mark.parametrize("seed", range(12))
def test_long_rankings_agree(seed: int) -> None:
    """Hundreds of documents per topic: sums long enough for another order of addition to show."""
    rnd = random.Random(seed)
    docnos = [f"d{i}" for i in range(600)]
    levels = rnd.choice([[0, 1], [-1, 0, 0, 1, 2, 3], [0, 0, 0, 0, 7]])
    qrels = {f"q{t}": {d: rnd.choice(levels) for d in rnd.sample(docnos, 300)} for t in range(6)}
    steps = rnd.choice([0.0, 40.0])
    run = {
        f"q{t}": {d: _score(rnd, steps) for d in rnd.sample(docnos, rnd.randint(1, 600))} for t in range(1, 7)
    }
    level = rnd.choice([1, 1, 2])
    assert differing(with_levels_up_to(qrels, level), run, level=level) == {}
    assert differing(qrels, run, level=level, judged_only=True) == {}


def test_nothing_left_of_a_topic_gives_nan_where_pytrec_eval_does() -> None:
    """With only unjudged documents and judged ones only, recall 0 and the 11-point average are NaN."""
    qrels, run = {"1": {"a": 1}, "2": {"b": 1}}, {"1": {"a": 1.0}, "2": {"x": 1.0}}
    assert differing(qrels, run, judged_only=True) == {}
    rankings = Rankings(run_from_dict(run), qrels_from_dict(qrels))
    conventions = Conventions().with_changes(unjudged="removed")
    for name in ("iprec_at_recall_0.00", "11pt_avg"):
        found = evaluate(rankings, MEASURES[name], conventions)
        assert math.isnan(found.values[1])
        assert found.mean is not None
        assert math.isnan(found.mean)
