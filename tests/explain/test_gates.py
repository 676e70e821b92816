"""Gates are asked under the changes that are tried with an axis, not under the reference alone."""

from __future__ import annotations

import random

import numpy as np
import pytest
from msgspec.structs import replace

from crosscheck.axes import axes, axis
from crosscheck.backends.native import native_values
from crosscheck.conventions import AxisValue
from crosscheck.evaluation.rankings import Rankings
from crosscheck.evaluation.recomputer import Recomputer
from crosscheck.formats.dicts import qrels_from_dict, run_from_dict
from crosscheck.names import parse_measure
from tests.explain.test_diagnose import BASE, explained, explanations
from tests.programs.real.runs import MADE, parts
from tests.support.strength import earned


def partly_barren(queries: int) -> Rankings:
    """Queries that all have relevant documents, a third of which rank none of them."""
    rng = random.Random(queries)
    qrels, run = {}, {}
    for number in range(queries):
        topic, docs = f"q{number:02}", [f"d{i:02}" for i in range(40)]
        rng.shuffle(docs)
        run[topic] = {docno: 100.0 - rank for rank, docno in enumerate(docs[:20])}
        ranked = {docno: 0 if number % 3 == 0 else rng.choice([0, 0, 1, 2, 3]) for docno in docs[:12]}
        qrels[topic] = ranked | {docno: rng.choice([1, 2, 3]) for docno in docs[20:26]}
    return Rankings(run_from_dict(run), qrels_from_dict(qrels))


@pytest.mark.parametrize("none", ["nan", "one", "skip"])
@pytest.mark.parametrize("more", [{}, {"gain": "exponential"}])
def test_an_axis_that_only_another_change_opens_is_found(more: dict[str, AxisValue], none: str) -> None:
    """Every query has relevant documents; where only retrieved ones exist, some have none."""
    rankings, measure = partly_barren(30), parse_measure("nDCG@10")
    assert not axis("no_relevant").gate(Recomputer(rankings, measure, BASE)).any()
    changes: dict[str, AxisValue] = {"universe": "retrieved", **more, "no_relevant": none}
    diagnosed = explained(
        rankings, measure, native_values(rankings, measure, BASE.with_changes(**changes), "tool")
    )
    assert diagnosed.diagnosis.strength == earned(diagnosed.diagnosis, len(diagnosed.labels))
    assert changes in explanations(diagnosed)


def binary(queries: int) -> Rankings:
    """The same queries with one relevance level."""
    qrels = partly_barren(queries).pairing.qrels
    return Rankings(partly_barren(queries).pairing.run, replace(qrels, rels=np.minimum(qrels.rels, 1)))


@pytest.mark.parametrize("name", ["nDCG@10", "AP", "P@10", "RR", "bpref", "Rprec", "R@20", "ERR@10", "DCG@5"])
@pytest.mark.parametrize("rankings", [binary(12), partly_barren(12), *dict(parts(*MADE)).values()])
def test_an_axis_whose_gate_is_closed_changes_nothing(rankings: Rankings, name: str) -> None:
    """No value that would be tried gives another value: nothing stays unexplained by a gate."""
    situation = Recomputer(rankings, parse_measure(name), BASE)
    values = situation.evaluated(BASE).values
    for one in axes().values():
        if one.read_by(situation.family) and not np.any(one.gate(situation)):
            for value in one.other_options(situation):
                other = situation.evaluated(BASE.with_changes(**{one.name: value})).values
                assert np.allclose(other, values, rtol=0, atol=1e-9, equal_nan=True), (one.name, value)


def test_nonrelevant_documents_that_gain_are_found_with_one_relevance_level() -> None:
    """2^level of all documents is the only other gain that matters there, and it is found."""
    rankings, measure = binary(12), parse_measure("nDCG@10")
    changed = BASE.with_changes(gain="2^level-of-all")
    diagnosed = explained(rankings, measure, native_values(rankings, measure, changed, "tool"))
    assert diagnosed.diagnosis.conventions == {"gain": "2^level-of-all"}
