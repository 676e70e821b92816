"""What is kept of a run under many conventions: the results of one kind of ranking, not of all."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from crosscheck.axes import ties
from crosscheck.conventions import conventions
from crosscheck.engine.streaming import Reading, rankings_of
from crosscheck.evaluation.rankings import Rankings, by_rankings
from crosscheck.evaluation.recomputer import Recomputer
from crosscheck.evaluation.summarise import evaluate
from crosscheck.formats.dicts import qrels_from_dict, run_from_dict
from crosscheck.formats.reference_reader import Rules
from crosscheck.names import parse_measure
from crosscheck.rankings.pairing import JudgedPool
from tests.support.kept import examples

QRELS = qrels_from_dict({"1": {"a": 1, "B": 2, "c": 0}})
RUN = run_from_dict({"1": {"a": 2.0, "B": 2.0, "c": 1.0, "d": 1.0}})
PLAIN, FORMULA, ORDERED, READ, BOTH = map(
    conventions,
    ("trec_eval-9.0.8", "gain=exponential", "ties=docid-asc", "ids=case", "ids=case,ties=docid-asc"),
)


def test_results_of_other_rankings_are_dropped():
    """Another formula needs no other ranking; another order does, and then the input as it is read stays."""
    rankings = Rankings(RUN, QRELS)
    assert [rankings.turn_to(c) for c in (PLAIN, FORMULA)] == [True, False]
    judged = rankings.judged(PLAIN)
    assert not rankings.turn_to(FORMULA)
    assert rankings.judged(PLAIN) is judged
    assert rankings.turn_to(ORDERED)
    assert rankings.judged(PLAIN) is not judged
    rankings.turn_to(READ)
    read = rankings.reread(READ)
    judged = read.judged(READ)
    assert rankings.turn_to(BOTH)
    assert rankings.reread(BOTH) is read
    assert read.judged(READ) is not judged
    rankings.turn_to(PLAIN)
    assert rankings.reread(READ) is not read


def test_sets_that_rank_alike_follow_each_other():
    """First those that read alike, of these those that order and judge alike, each in the order given."""
    sets = [PLAIN, READ, ORDERED, FORMULA, BOTH, READ.with_changes(gain="binary"), PLAIN]
    assert [sets[i] for i in by_rankings(sets)] == [PLAIN, FORMULA, PLAIN, ORDERED, READ, sets[5], BOTH]


def test_values_do_not_depend_on_what_was_asked_before():
    """Results that are kept belong to one ranking, cutoff and formula, and to judgements at these levels."""
    others = FORMULA.with_changes(ties="docid-asc"), conventions("exact_level=2")
    rankings, asked = Rankings(RUN, QRELS), [PLAIN, ORDERED, FORMULA, *others]
    measures = [parse_measure(name) for name in ("nDCG@1", "nDCG", "AP@1", "AP", "AP(rel=2)", "DCG@2")]
    for _ in range(2):
        for c in asked:
            for measure in measures:
                alone = evaluate(Rankings(RUN, QRELS), measure, c)
                found = evaluate(rankings, measure, c)
                assert (found.values.tolist(), found.mean) == (alone.values.tolist(), alone.mean)


#: Ties of unlike and of equal levels, an own id, scores that are one in float32, a query of one side only.
ROWS = ["1 a 2", "1 B 2", "1 c 1", "1 d 1", "2 2 3.0000000001", "2 x 3", f"4 {'a' * 80} 1", "5 e 1", "5 f 1"]
JUDGED = {"1": {"a": 1, "B": 2, "c": 0}, "2": {"x": 0, "y": 1}, "3": {"z": 1}, "5": {"e": 1, "f": 1}}


def asked(ask: Callable[[Callable[..., Recomputer]], Any]) -> Any:
    """What is asked of a measure on the run, the same however it is read; where, as the queries of which it
    is so, of all of run and qrels."""
    Path("run").write_text("".join("{} Q0 {} 1 {} t\n".format(*row.split()) for row in ROWS))
    reading, pool = Reading.of("run", Rules(), 1), JudgedPool(qrels_from_dict(JUDGED))
    found, both = [], (rankings_of(reading, pool), Rankings(reading.whole(), pool))
    assert [rankings.holds_rows for rankings in both] == [False, True]
    for rankings in both:

        def view(measure: str = "AP", spec: str = "trec_eval-9.0.8", of: Rankings = rankings) -> Recomputer:
            return Recomputer(of, parse_measure(measure), conventions(spec))

        said = ask(view)
        where = isinstance(said, np.ndarray) and said.dtype == bool
        found.append("".join(topic for topic, so in zip("12345", said, strict=True) if so) if where else said)
    assert str(found[0]) == str(found[1])
    return found[0]


test_what_gates_ask_of_a_run = examples(globals(), None, ties)
