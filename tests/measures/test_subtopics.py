"""Measures over subtopics against pyndeval, which is ndeval 4.5, and against arithmetic by hand."""

import random
from collections.abc import Sequence
from typing import Any

import ir_measures
import pytest

import crosscheck
from crosscheck.names import parse_measure
from tests.measures.test_against_ir_measures import TABLE, provided
from tests.support.kept import examples

#: Topic, subtopic, docno and level.
Row = tuple[str, str, str, int]
Run = dict[str, dict[str, float]]

#: What the provider orders by.
LIKE_PYNDEVAL = "ties=docid-asc,score_precision=float64"


def columns(rows: Sequence[Row]) -> Any:
    return tuple(map(list, zip(*rows, strict=True)))


def inputs(seed: int) -> tuple[list[Row], Run]:
    """Several subtopics, unjudged documents, tied scores, topics that only one side has, rows in disorder."""
    rnd = random.Random(seed)
    docnos = [f"d{i}" for i in range(rnd.choice([4, 15, 60]))]
    names = rnd.sample(["1", "2", "3", "7", "a", "0"], rnd.randint(1, 6))
    rows = [
        (topic, name, docno, rnd.choice([-1, 0, 0, 0, 1, 2, 3]))
        for topic in ("1", "10", "2", "b")
        for name in rnd.sample(names, rnd.randint(1, len(names)))
        for docno in rnd.sample(docnos, rnd.randint(1, len(docnos)))
    ]
    if seed % 2:
        rnd.shuffle(rows)
    run = {}
    for topic in rnd.sample(["1", "10", "2", "b", "zz"], 4):
        some = rnd.sample([*docnos, "u1", "u2", "u3"], rnd.randint(1, len(docnos)))
        run[topic] = {docno: rnd.choice([1.0, 2.0, 1.0 + 1e-9, rnd.random()]) for docno in some}
    return rows, run


def pyndeval(name: str, rows: Sequence[Row], run: Run) -> dict[str, float]:
    """The provider's values of the queries of the run that are judged, asked for one measure alone."""
    engine, asked = provided("pyndeval", parse_measure(name))
    qrels = [ir_measures.Qrel(topic, docno, level, name) for topic, name, docno, level in rows]
    judged = {row[0] for row in rows}
    found = engine.iter_calc([asked], qrels, run)
    return {metric.query_id: metric.value for metric in found if metric.query_id in run.keys() & judged}


@pytest.mark.parametrize("name", [line.split()[0] for line in TABLE if " pyndeval " in line])
@pytest.mark.parametrize("seed", range(8))
def test_values_are_pyndevals_to_the_last_bit(name, seed):
    """Ties, unjudged and negative judgements, short lists and every parameter; nNRBP of nothing is NaN. Of
    judged documents only, as if others had never been retrieved: the provider fails when asked for that."""
    rows, run = inputs(seed)
    retrieved, alone = run, "judged_only=True"
    if alone in name:
        rows = [(*row[:3], abs(row[3])) for row in rows]
        judged = {(row[0], row[2]) for row in rows}
        fewer = {t: {d: score for d, score in found.items() if (t, d) in judged} for t, found in run.items()}
        retrieved = {topic: found for topic, found in fewer.items() if found}
    theirs = pyndeval(name.replace(f"({alone})", ""), rows, retrieved)
    found = crosscheck.evaluate(columns(rows), run, [name], conventions=LIKE_PYNDEVAL)
    ours = {query: repr(values[name]) for query, values in found.items() if query in retrieved}
    assert ours == {query: repr(value) for query, value in theirs.items()}


test_other_measures_and_conventions = examples(globals())
