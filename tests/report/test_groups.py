"""Statuses, counts and bundles of comparisons."""

from __future__ import annotations

from typing import Any

import pytest

from crosscheck.report.comparisons import (
    Bundle,
    alternatives,
    bundles,
    differing,
    largest_first,
    places,
    status,
    tally,
    worst,
)
from crosscheck.report.page import Status
from crosscheck.results import Alternative
from tests.report import samples


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"outcome": "match", "expected": True}, Status.AGREE),
        ({"outcome": "mismatch", "expected": True}, Status.KNOWN),
        ({"outcome": "mismatch", "expected": False}, Status.UNEXPECTED),
        ({"outcome": "mismatch", "expected": False, "informs": True}, Status.DIFFERS),
        ({"outcome": "mismatch", "expected": False, "stale": True}, Status.UNEXPECTED),
        ({"outcome": "match", "expected": False, "stale": True}, Status.STALE),
        ({"outcome": "match", "expected": False}, Status.UNEXPECTED),
        ({"outcome": "error", "expected": True}, Status.KNOWN),
        ({"outcome": "error", "expected": False}, Status.ERROR),
        ({"outcome": "unsupported", "expected": True}, Status.UNSUPPORTED),
        ({"outcome": "unsupported", "expected": False}, Status.UNEXPECTED),
    ],
)
def test_what_nobody_expected_is_never_harmless(changes: dict[str, Any], expected: Status) -> None:
    """Outcome and expectedness give one status; only what was expected counts as match or known."""
    assert status(samples.comparison(**changes)) is expected


def test_every_comparison_is_counted_once() -> None:
    """The counts of all candidates add up to the comparisons of the document."""
    document = samples.everything()
    assert sum(found.total() for found in tally(document).values()) == document.summary.comparisons


def test_the_same_story_is_one_group() -> None:
    """Comparisons of one candidate with the same explanation fold, over measures and cases."""
    (group,) = bundles(samples.flood(cases=3).comparisons)
    assert len(group.comparisons) == 9


@pytest.mark.parametrize(
    "changes",
    [
        {"candidate": "native"},
        {"reference": "native"},
        {"diagnosis": samples.diagnosis(causes=["rank-order"])},
        {"diagnosis": samples.diagnosis(strength="per-query")},
        {"diagnosis": None},
    ],
)
def test_different_stories_are_different_groups(changes: dict[str, Any]) -> None:
    """Another candidate, reference or cause is told by itself, and so is a cause of parts."""
    assert len(bundles([samples.comparison(), samples.comparison(**changes)])) == 2


def test_one_cause_of_one_candidate_is_one_group() -> None:
    """Cases, reasons, conventions and whether it is proved differ, and the best explained one leads."""
    weak = samples.comparison(
        diagnosis=samples.diagnosis(strength="consistent", conventions={"ties": "input"})
    )
    strong = samples.comparison(case="b", reason="another")
    (group,) = bundles([weak, strong])
    assert group.first is strong
    assert group.strength == "proved"


def test_worst_queries_come_first() -> None:
    """Not-a-number first, then the largest difference, then queries without a value."""
    cells = [
        samples.cell("small", 0.2, 0.21),
        samples.cell("absent", None, 0.2),
        samples.cell("large", 0.9, 0.1),
        samples.cell("nan", 0.2, "NaN"),
    ]
    order = [cell.query for _, cell in worst(Bundle((samples.comparison(cells=cells),)))]
    assert order == ["nan", "large", "small", "absent"]


def test_largest_differences_come_first() -> None:
    """Comparisons are ordered by their largest difference, not-a-number before all."""
    sizes = [0.1, None, 0.4, "NaN", 0.2]
    found = [samples.comparison(max_abs_diff=size) for size in sizes]
    assert [c.max_abs_diff for c in largest_first(found)] == ["NaN", 0.4, 0.2, 0.1, None]


def test_alternatives_say_how_many_comparisons_they_fit() -> None:
    """An alternative that fits more comparisons comes before one that fits fewer."""
    both, once = Alternative(["gain"], {"gain": "binary"}), Alternative(["depth"], {"depth": 5})
    first = samples.comparison(diagnosis=samples.diagnosis(alternatives=[once, both]))
    second = samples.comparison(diagnosis=samples.diagnosis(alternatives=[both]))
    assert alternatives(Bundle((first, second))) == [(both, 2), (once, 1)]


def test_places_fold_cases_with_the_same_measures() -> None:
    """Runs that share their measures stand on one line."""
    found = [samples.comparison(case=case, measure=m) for case in ("a", "b") for m in ("AP", "RR")]
    found.append(samples.comparison(case="c", measure="AP"))
    assert places(found) == [(["a / run.txt", "b / run.txt"], ["AP", "RR"]), (["c / run.txt"], ["AP"])]


def test_a_difference_of_the_mean_alone_is_named() -> None:
    """Where all queries agree, nobody is told that none of them differs."""
    assert differing(samples.comparison(mismatches=2, missing=1)) == "3 of 50"
    assert differing(samples.comparison(mismatches=0)) == "mean only"
