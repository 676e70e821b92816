"""Bugs from public reports are found by properties alone, without a measure to compare with."""

from typing import Any

import pytest

from crosscheck.auditing import properties
from crosscheck.auditing.calls import parse_call
from crosscheck.auditing.targets import CalledFunction
from tests.inputs import reported
from tests.inputs.reported import REPORTED


def found(function, measure=None):
    name, call = f"{reported.__name__}:{function.__name__}", parse_call(REPORTED[function][0])
    return properties(CalledFunction(name, call, function, isolated=False), measure)


def lacking(report):
    return {finding.name: finding for finding in report.properties if finding.holds == "no"}


@pytest.mark.one_in(2)
@pytest.mark.parametrize("function", REPORTED, ids=lambda function: function.__name__)
def test_a_reported_bug_is_found_by_a_property(function):
    """The property that the bug breaks does not hold; the program that shows it prints the same values."""
    lacked = lacking(found(function))[REPORTED[function][1]]
    assert lacked.surprising is not lacked.name.startswith("reads-")
    assert lacked.inputs
    if lacked.name != "repeatable":
        printed: list[Any] = []
        exec(lacked.python, {"print": printed.append})
        assert len(printed) == len(lacked.inputs)
        for said, given in zip(printed, lacked.inputs, strict=True):
            assert (said if isinstance(said, float | int) else said[given.query]) == given.value


def test_what_was_reported_is_what_is_shown():
    """One chunk twice gives recall 2.0; a level of 2 gives nDCG 2.0; one query too many halves a mean."""
    twice = lacking(found(reported.recall_of_chunks))["duplicates"]
    assert [given.value for given in twice.inputs] == [1.0, 2.0]
    assert [given.run.count("\n") for given in twice.inputs] == [1, 2]
    assert [given.qrels.count("\n") for given in twice.inputs] == [1, 1]
    (above,) = lacking(found(reported.ndcg_with_binary_ideal))["bounded"].inputs
    assert (above.value, above.qrels.count("\n"), above.run.count("\n")) == (2.0, 1, 1)
    one, other, both = lacking(found(reported.mrr_by_one_too_many))["mean"].inputs
    assert (one.value, other.value, both.value) == pytest.approx((0.5, 0.5, 2 / 3))


def test_a_bug_breaks_what_it_is_about_and_little_else():
    """Queries that leak do so in one call for all inputs as well; what does not fail alone is not said to.
    Values that change from call to call show nothing else."""
    assert lacking(found(reported.judgements_of_all_queries)).keys() <= {
        *("other-queries", "query-order", "reads-levels", "reads-missed")
    }
    assert lacking(found(reported.recall_of_chunks)).keys() == {"duplicates"}
    assert lacking(found(reported.ties_at_random)).keys() == {"repeatable"}


def test_named_it_is_held_against_its_measure():
    """Recall at 5 reads the order; a function that does not is told from it, and set recall is not."""
    blind = reported.recall_blind_to_reranking
    (finding,) = [f for f in found(blind, "R@5").properties if f.name == "reads-ranks"]
    assert (finding.holds, finding.expected, finding.surprising) == ("no", "yes", True)
    assert len(finding.inputs[0].run.splitlines()) == 6  # fewer cannot show it at a cutoff of 5
    (finding,) = [f for f in found(blind, "SetR").properties if f.name == "reads-ranks"]
    assert (finding.holds, finding.expected, finding.surprising) == ("no", "no", False)
