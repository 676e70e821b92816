"""Reading of the input by a tool: duplicates, NaN scores, ids spelt differently, a query's own id."""

import math
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

from crosscheck.backends.native import native_values
from crosscheck.conventions import conventions
from crosscheck.evaluation.rankings import Rankings
from crosscheck.formats.dicts import qrels_from_dict, run_from_dict
from crosscheck.formats.trec import read_run
from crosscheck.names import parse_measure
from tests.backends.inputs import run_of_rows
from tests.engine.test_streaming import columns
from tests.support.kept import examples
from tests.support.strategies import QrelsDict


def values(rankings: Rankings, name: str, spec: str) -> dict[bytes, float]:
    return native_values(rankings, parse_measure(name), conventions(spec), "native").values


def lenient(rows: list[tuple[str, str, float]], qrels: QrelsDict) -> Rankings:
    """Of a file with documents on several lines."""
    Path("run").write_text("".join(f"{topic} Q0 {doc} 1 {score} t\n" for topic, doc, score in rows))
    return Rankings(replace(read_run("run", strict=False), unique=False), qrels_from_dict(qrels))


def test_scores_that_are_no_numbers_keep_their_places_in_the_sort_of_python():
    """Of the query that has them, whose ranks depend on where they are."""
    scores = [1.0, math.nan, 3.0, 2.0, math.nan, 0.5, 7.0]
    run = run_from_dict({"1": {doc: float(i) for i, doc in enumerate("abcdefg")}, "2": {"a": 1.0, "b": 2.0}})
    qrels = qrels_from_dict({"1": dict.fromkeys("abcdefg", 1), "2": {"a": 1, "b": 1}})
    rankings = Rankings(replace(run, scores=np.array([*scores, 1.0, 2.0])), qrels)
    c = conventions("special_scores=nan-keeps-place")
    ordered = sorted(range(7), key=scores.__getitem__, reverse=True)
    assert rankings.reread(c).ranks(c).tolist() == [*(ordered.index(i) + 1 for i in range(7)), 2, 1]


@pytest.mark.parametrize("spec", ["ideal=max-grade", "ideal=max-grade,ids=case"])
def test_a_query_alone_has_the_highest_level_of_all(spec):
    """The value of a query among some is its value among all, also where the input is read otherwise; and it
    keeps its column of ranks."""
    qrels = qrels_from_dict({"1": {"a": 1}, "2": {"b": 3}})
    whole = Rankings(run_from_dict({"1": {"a": 1.0}, "2": {"b": 1.0}}), qrels)
    alone = values(whole.of_topics([b"1"]), "nDCG@1", spec)
    assert alone == {b"1": 1 / 3} == {b"1": values(whole, "nDCG@1", spec)[b"1"]}
    for c in map(conventions, ("trec_eval-9.0.8", "ties=average")):
        assert columns(whole.judged(c).alone(1)) == columns(whole.of_topics([b"2"]).judged(c))
    rows = [("1", "a", 2.0), ("1", "b", 1.0), ("2", "b", 1.0)]
    ranked = Rankings(run_of_rows(rows, ranks=[2, 1, 1]), qrels)
    assert values(ranked.of_topics([b"1"]), "RR", f"order=rank-column,{spec}") == {b"1": 1 / 2}


def found(run: dict[str, dict[str, float]], qrels: QrelsDict, name: str, spec: str) -> dict[bytes, float]:
    return values(Rankings(run_from_dict(run), qrels_from_dict(qrels)), name, spec)


#: Dropped scores leave their query, ids meet that a tool takes for the same, and levels or the first document
#: may not count.
test_scores_and_ids_are_read_as_the_conventions_say = examples(globals())
