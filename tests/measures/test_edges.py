"""Inputs at the edge of what trec_eval is defined on, and the table that lists what is beyond."""

import math

import pytest

from crosscheck.conventions import Conventions
from crosscheck.evaluation.rankings import Rankings
from crosscheck.evaluation.summarise import evaluate
from crosscheck.formats.dicts import qrels_from_dict, run_from_dict
from crosscheck.model import Scores
from crosscheck.names import expand_group, parse_measure
from tests.support.kept import Kept, shown

QRELS = {"1": {"a": 2, "b": 0, "c": 1}}
RUN = {"1": {"a": 3.0, "b": 2.0, "x": 1.0}}


def result(
    name: str,
    qrels: dict[str, dict[str, int]] = QRELS,
    run: dict[str, dict[str, float]] = RUN,
    **changes: str | int,
) -> Scores:
    rankings = Rankings(run_from_dict(run), qrels_from_dict(qrels))
    return evaluate(rankings, parse_measure(name), Conventions().with_changes(**changes))


@pytest.mark.parametrize("level", [-1, -2, -900])
def test_a_topic_with_negative_judgements_only_is_the_same_wherever_it_stands(level):
    """It is computed alone as beside others: nothing relevant, so zeros, and never garbage."""
    barren = {"2": {"a": level, "b": level}}
    retrieved = {"2": {"a": 2.0, "x": 1.0}}
    for measure in (*expand_group("all_trec", "10.0"), *map(parse_measure, ("yaap", "dcg", "ideal_dcg"))):
        alone = result(str(measure), barren, retrieved).values[0]
        beside = result(str(measure), {**QRELS, **barren}, {**RUN, **retrieved}).values[1]
        assert alone == beside
        counts = {"NumQ": 1, "NumRet": 2, "utility": -2, "rbp_resid": 1.0}
        shares = {"unj@5": 0.4, "unj@10": 0.2, "unj@20": 0.1}
        floors = dict.fromkeys(("gm_map", "gm_bpref"), math.log(1e-5))
        assert alone == pytest.approx({**counts, **shares, **floors}.get(str(measure), 0.0), abs=1e-15)


MORE = {**QRELS, "2": {"a": 1}, "3": {"a": 1}}, {**RUN, "2": {"a": 1.0}}
KEPT = Kept(__file__, TypeError, ValueError, within=(globals(),), show=shown)


@KEPT.each()
def test_values_at_the_edge(given):
    KEPT.holds(given)


@pytest.mark.parametrize(
    ("relevant", "point", "needed"), [(3, 0.7, 3), (3, 0.6, 2), (10, 0.3, 3), (1, 0.05, 1)]
)
def test_a_recall_point_is_reached_exactly(relevant, point, needed):
    """The fewest documents whose share is at least the point; trec_eval 9's 0.7 * 3 + 0.9 is less than 3."""
    docs = [f"d{i}" for i in range(2 * relevant)]
    qrels = {"1": dict.fromkeys(docs[1::2], 1)}
    run = {"1": {doc: -float(i) for i, doc in enumerate(docs)}}
    for found in (needed, needed - 1):
        cut = {"1": dict(list(run["1"].items())[: 2 * found])} if found else {"1": {"x": 1.0}}
        value = result(f"IPrec@{point}", qrels, cut, recall_points="exact").values[0]
        assert value == (0.5 if found == needed else 0.0)


@pytest.mark.parametrize("name", ["nDCG", "G", "Rndcg", "ndcg_rel", "rbp", "nDCG(gains={1:0.5,7:0.25})"])
def test_enormous_levels_cost_nothing(name):
    """A level of a thousand million is no reason to count up to it."""
    value = result(name, {"1": {"a": 10**9, "b": 1}}).values[0]
    assert 0 <= value <= 1


@pytest.mark.parametrize("name", ["nDCG", "nDCG@5", "G", "Rndcg"])
def test_infinite_gains_give_no_warning(name):
    """Audits and searches meet them where a metric's gain is 2^level. Here a warning is an error."""
    assert math.isnan(result(name, {"1": {"a": 2000, "b": 3000}}, gain="exponential").values[0])
