"""What is kept of a run under many conventions: the results of one kind of ranking, not of all."""

import numpy as np
import pytest

from crosscheck.axes.ties import SCORE_PRECISION, TIES, Ties
from crosscheck.conventions import conventions
from crosscheck.engine.streaming import Reading, rankings_of
from crosscheck.evaluation.rankings import Rankings, by_rankings
from crosscheck.evaluation.recomputer import Recomputer
from crosscheck.evaluation.summarise import evaluate
from crosscheck.formats.dicts import qrels_from_dict, run_from_dict
from crosscheck.formats.reference_reader import Rules
from crosscheck.names import parse_measure
from crosscheck.rankings.pairing import JudgedPool

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
    """Results of which only the last is kept belong to one ranking, cutoff and formula."""
    rankings, asked = Rankings(RUN, QRELS), [PLAIN, ORDERED, FORMULA, FORMULA.with_changes(ties="docid-asc")]
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


@pytest.mark.parametrize("in_parts", [False, True])
def test_what_gates_ask_of_a_run(in_parts, tmp_path):
    """The queries of which something is so, for each query of run and qrels, however the run is read."""
    lines = ("{} Q0 {} 1 {} t\n".format(*row.split()) for row in ROWS)
    (tmp_path / "run").write_text("".join(lines))
    reading, pool = Reading.of(str(tmp_path / "run"), Rules(), 1), JudgedPool(qrels_from_dict(JUDGED))
    rankings = rankings_of(reading, pool) if in_parts else Rankings(reading.whole(), pool)
    assert rankings.holds_rows is not in_parts

    def asked(measure: str, spec: str = "trec_eval-9.0.8") -> Recomputer:
        return Recomputer(rankings, parse_measure(measure), conventions(spec))

    ap = asked("AP")
    expected = [
        ("3", ap.missing), ("4", ap.unjudged), ("2", ap.own_ids),
        ("2", ap.where_rankings(lambda docnos: b"x" in docnos.tolist())),
        ("", ap.empty(PLAIN)), ("25", ap.empty(conventions("relevance_level=2"))),
        ("2", ap.may_find_nothing), ("12", asked("AP@3").may_find_nothing),
        ("125", asked("Rprec").may_find_nothing), ("125", ap.tied(ties="average")),
        ("15", ap.tied(ties="average", score_precision="float64")), ("12", ap.tied_unlike()),
        ("1", asked("AP", "first_result=skipped").tied(ties="average")),
        ("125", ap.where_ranks_change(TIES, ["docid-asc", "docid-desc"])),
        ("2", ap.where_ranks_change(SCORE_PRECISION, ["float64"])),
    ]  # fmt: skip
    for queries, mask in expected:
        assert mask.tolist() == [topic in queries for topic in "12345"]
    assert (ap.same_in_float32(), ap.has_ranks) == (False, True)
    assert (ap.num_rel_ret().tolist(), ap.num_rel_ret(1).tolist()) == ([2, 0, 2], [1, 0, 1])
    topics_and_levels = [[0, 0, 0, 1, 1, 2, 2], [1, 2, 0, 0, 1, 1, 1]]
    for one in (ap, asked("alpha_nDCG@5")):
        assert [column.tolist() for column in one.judgements()] == topics_and_levels
    assert ap.divisors() == {1, 2}
    assert [ap.value(PLAIN, query) for query in (b"1", b"2", b"3", b"9", None)] == [1, 0, None, None, 2 / 3]
    assert ap.mean_of(np.arange(5.0)) == (0 + 1 + 4) / 3
    rules = {Ties.DOCID_ASC: Ties.DOCID_DESC, Ties.INPUT: Ties.RANK_COLUMN, Ties.BEST: Ties.WORST}
    rules |= {Ties.DOCID_FOLDED_DESC: Ties.DOCID_DESC, Ties.DOCID_LENGTH_DESC: Ties.DOCID_DESC}
    assert ap.reordering(rules) == [Ties.DOCID_ASC, Ties.BEST, Ties.DOCID_FOLDED_DESC]
    refused = {rule for rule in Ties if not asked("infAP").allows(rule)}
    assert refused == {Ties.BEST, Ties.WORST, Ties.GROUP_END}
