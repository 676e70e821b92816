"""Inputs at the edge of what trec_eval is defined on, and the table that lists what is beyond."""

import math

import pytest

from crosscheck.conventions import Conventions
from crosscheck.evaluation.rankings import Rankings
from crosscheck.evaluation.summarise import evaluate
from crosscheck.formats.dicts import qrels_from_dict, run_from_dict
from crosscheck.model import Scores
from crosscheck.names import expand_group, parse_measure
from tests.support.kept import examples

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


def reached(relevant: int, point: float) -> list[float]:
    """Precision at a point of recall, every other document being relevant, where 1, 2, 3 ... are found."""
    docs, values = [f"d{i}" for i in range(2 * relevant)], []
    for found in range(2, 2 * relevant + 1, 2):
        run = {"1": {doc: -float(i) for i, doc in enumerate(docs[:found])}}
        scores = result(f"IPrec@{point}", {"1": dict.fromkeys(docs[1::2], 1)}, run, recall_points="exact")
        values.append(float(scores.values[0]))
    return values


#: A warning of numpy is an error here.
test_values_at_the_edge = examples(globals())
