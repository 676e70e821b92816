"""What is kept of a run under many conventions: the results of one kind of ranking, not of all."""

from crosscheck.conventions import conventions
from crosscheck.evaluation.rankings import Rankings, by_rankings
from crosscheck.evaluation.summarise import evaluate
from crosscheck.formats.dicts import qrels_from_dict, run_from_dict
from crosscheck.names import parse_measure

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
