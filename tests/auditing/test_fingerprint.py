"""The fingerprint of a metric: what is said of each axis where something is unexplained."""

import pytest

from crosscheck.auditing.checking import DuplicateHandling
from crosscheck.auditing.fingerprint import Seen, fingerprint, nearest_profile
from crosscheck.axes.ties import TIES
from crosscheck.conventions import Conventions, profiles
from crosscheck.names import parse_measure

SHOWN_BY = 3, "many things at once", 0.25


@pytest.mark.parametrize(
    ("found", "times", "explained", "said"),
    [
        ({"ties": "docid-asc"}, 1, False, ("docid-asc", "decided")),  # the headline names it
        ({}, 1, False, ("unknown", "unknown")),
        ({}, 2, False, ("docid-desc", "decided")),
        ({}, 1, True, ("docid-desc", "decided")),
    ],
)
def test_an_axis_is_unknown_beside_something_unexplained_unless_a_cause_or_well_refuted(
    found, times, explained, said
):
    seen = {TIES.name: Seen(TIES, "docid-desc", {"input": times}, SHOWN_BY)}
    base = Conventions()
    about = seen, base, [base.with_changes(**found)], (), DuplicateHandling(), ()
    (finding,) = fingerprint(*about, explained=explained)
    assert (finding.value, finding.status) == said


@pytest.mark.parametrize(("visible", "differs"), [((), []), ((TIES.name,), [TIES.name])])
def test_a_profile_differs_where_answers_or_causes_tell_it(visible, differs):
    """Answers that fit every order of tied documents tell no order; a cause that is named does."""
    seen = {TIES.name: Seen(TIES, "docid-desc", {}, SHOWN_BY)}
    found = Conventions(ties="docid-length-asc")  # no tool has it
    nearest = nearest_profile(parse_measure("P@10"), found, seen, visible)
    assert nearest is not None
    assert (nearest.name, nearest.differs) == (next(iter(profiles())), differs)
