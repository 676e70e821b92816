"""Measures over subtopics against pyndeval, which is ndeval 4.5, and against arithmetic by hand."""

import random
from collections.abc import Sequence
from typing import Any

import ir_measures
import pytest

import crosscheck
from crosscheck.names import parse_measure
from tests.measures.test_against_ir_measures import provided
from tests.support.kept import Kept, shown

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


@pytest.mark.parametrize(
    "name",
    [
        *(
            f"{family}@{k}"
            for family in ("alpha_DCG", "alpha_nDCG", "ERR_IA", "nERR_IA")
            for k in (1, 2, 10, 20)
        ),
        *(f"{family}@{k}" for family in ("P_IA", "StRecall") for k in (1, 5, 20)),
        *("AP_IA", "AP_IA(rel=2)", "AP_IA(rel=0)", "P_IA(rel=2)@5", "alpha_nDCG(rel=2)@5", "nNRBP(rel=3)"),
        *("alpha_nDCG(alpha=0.3)@10", "alpha_nDCG(alpha=0.1)@20", "alpha_DCG(alpha=0.7)@20"),
        *("alpha_nDCG(alpha=0)@10", "alpha_nDCG(alpha=1)@10"),
        *("NRBP", "nNRBP", "NRBP(alpha=0.3,beta=0.8)", "nNRBP(alpha=0.3,beta=0.8)", "nNRBP(alpha=1,beta=1)"),
    ],
)
@pytest.mark.parametrize("seed", range(8))
def test_values_are_pyndevals_to_the_last_bit(name, seed):
    """Ties, unjudged and negative judgements, short lists and every parameter; nNRBP of nothing is NaN."""
    rows, run = inputs(seed)
    theirs = pyndeval(name, rows, run)
    found = crosscheck.evaluate(columns(rows), run, [name], conventions=LIKE_PYNDEVAL)
    ours = {query: repr(values[name]) for query, values in found.items()}
    assert ours == {query: repr(value) for query, value in theirs.items()}


@pytest.mark.parametrize("name", ["alpha_nDCG@10", "ERR_IA@5", "AP_IA", "P_IA@3"])
@pytest.mark.parametrize("seed", range(3))
def test_judged_only_leaves_the_judged_documents(name, seed):
    """As if unjudged ones had never been retrieved. (pyndeval's provider fails when it is asked for that.)"""
    rows, run = inputs(seed)
    rows = [(*row[:3], abs(row[3])) for row in rows]
    judged = {(row[0], row[2]) for row in rows}
    fewer = {t: {d: score for d, score in found.items() if (t, d) in judged} for t, found in run.items()}
    fewer = {topic: found for topic, found in fewer.items() if found}
    theirs = pyndeval(name, rows, fewer)
    family, _, cutoff = name.partition("@")
    asked = f"{family}(judged_only=True)" + (f"@{cutoff}" if cutoff else "")
    ours = crosscheck.evaluate(columns(rows), run, [asked], conventions=LIKE_PYNDEVAL)
    assert {query: ours[query][asked] for query in theirs} == theirs


EXAMPLE: list[Row] = [("q", "s", "a", 1), ("q", "t", "a", 2), ("q", "t", "b", 1), ("q", "u", "c", 0)]
RANKED = {"q": {"x": 4.0, "b": 3.0, "a": 2.0}}


LETTERS: list[Row] = [("Q", "s", "A", 1), ("Q", "t", "b", 1)]
ASKED = ["StRecall@3", "AP_IA"]
KEPT = Kept(__file__, TypeError, ValueError, within=(globals(),), show=shown)


@KEPT.each()
def test_other_measures_and_conventions(given):
    KEPT.holds(given)
