"""The fingerprint of a metric: what is said of each axis where something is unexplained."""

import pytest

from crosscheck.auditing.checking import DuplicateHandling
from crosscheck.auditing.fingerprint import Seen, fingerprint
from crosscheck.axes.ties import TIES
from crosscheck.conventions import Conventions

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
