"""Statuses, bundles and sentences of comparisons."""

import pytest
from msgspec.structs import replace

from crosscheck.report.finding import Bundle, bundles, evidence, finding, section, status
from crosscheck.report.page import Facts, Status, flat, walk
from crosscheck.report.run_page import run_page, verdict
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
def test_what_nobody_expected_is_never_harmless(changes, expected):
    """Outcome and expectedness give one status; only what was expected counts as match or known."""
    assert status(samples.comparison(**changes)) is expected


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
def test_different_stories_are_different_groups(changes):
    """Another candidate, reference or cause is told by itself, and so is a cause of parts."""
    assert len(bundles([samples.comparison(), samples.comparison(**changes)])) == 2


NOT_PROVED = "consistent, not proved:"
THESE, MEAN = "these conventions reproduce", "the mean, the only number there is"


@pytest.mark.parametrize(
    ("strength", "changes", "said"),
    [
        ("proved", {}, f"proved: {THESE} 50 of 50 queries"),
        ("proved", {"conventions": {}}, "proved: this explains 50 of 50 queries"),
        ("per-query", {"reproduced": 49}, "per query: 49 of 50 queries can be reproduced"),
        ("consistent", {"fits": 1, "tried": 96}, f"{NOT_PROVED} {THESE} 50 of 50 queries; 1 of 96 sets"),
        ("consistent", {"conventions": {}}, f"{NOT_PROVED} this explains 50 of 50 queries; another"),
        ("consistent", {"of": 0, "tried": 212}, f"{NOT_PROVED} {THESE} {MEAN}; another reason is not"),
        ("none", {"of": 0}, f"none: {MEAN}, cannot be reproduced"),
        ("none", {}, "none: 50 of 50 queries can be reproduced, the mean is not"),
        ("none", {"reproduced": 3}, "none: 3 of 50 queries can be reproduced, the others are not"),
    ],
)
def test_evidence_says_how_sure_it_is(strength, changes, said):
    """Each strength has its own words, with the queries that were reproduced and tested."""
    one = samples.comparison(diagnosis=samples.diagnosis(strength=strength, **changes))
    assert evidence(Bundle((one,))).startswith(said)


@pytest.mark.parametrize(
    ("queries", "strength", "known", "said"),
    [
        (0, "consistent", {"ties": "docid-desc"}, "perhaps it orders tied documents "),
        (0, "consistent", {}, "perhaps tie-breaking, ties are ordered by the rank column"),
        (0, "proved", {"ties": "docid-desc"}, "it orders tied documents "),
        (50, "consistent", {"ties": "docid-desc"}, "it orders tied documents "),
    ],
)
def test_a_cause_of_a_mean_alone_is_a_guess(queries, strength, known, said):
    """Another run may have it as well, and `why` says so of the same number."""
    held = samples.diagnosis(strength=strength, reference_conventions=known)
    text = flat(finding(Bundle((samples.comparison(queries=queries, mismatches=queries, diagnosis=held),))))
    assert f": {said}" in text
    assert ("; or it is another run (only means were compared; consistent)" in text) is ("perhaps" in said)


@pytest.mark.parametrize(
    ("strengths", "rows"),
    [
        (["consistent"], ["or", "to decide", "or"]),
        (["proved"], ["the same", "the same"]),
        (["proved", "consistent"], ["the same", "or", "the same"]),
    ],
)
def test_nothing_stands_as_an_alternative_beside_a_proof(strengths, rows):
    """What fits as well is the same function there, so that no input of the measure decides. What
    else fits another run is told beside the number of runs."""
    several = [
        samples.comparison(diagnosis=samples.diagnosis(strength=strength), run=f"run {number}")
        for number, strength in enumerate(strengths)
    ]
    document = samples.document(several)
    shown = walk(section(document, Bundle(tuple(several)), "finding-1").blocks)
    names = [name for one in shown if isinstance(one, Facts) for name, _ in one.rows]
    assert [name for name in names if name in ("or", "the same", "to decide")] == rows
    page = several[0].diagnosis.to_text() if several[0].diagnosis else ""
    assert [name for name in ("the same", "or  ", "to decide") if name in page] == (
        ["the same"] if strengths[0] == "proved" else ["or  ", "to decide"]
    )


NO_NUMBER = samples.without_values(outcome="unsupported", expected=True)
KNOWN = samples.comparison(expected=True, reason="known")
NEEDED = {"backends": [replace(samples.GONE, needed=True)]}


@pytest.mark.parametrize(
    ("comparisons", "changes", "good", "said"),
    [
        ([samples.agreement()], {"backends": []}, True, "As expected. 1 of 1 comparison agrees."),
        ([samples.agreement(), KNOWN], {}, True, "As expected. 1 of 2 comparisons agrees and 1 came out as "),
        ([samples.comparison()], {}, False, "Not as expected: 1 comparison differs"),
        ([samples.without_values()], {}, False, "1 comparison failed"),
        ([samples.agreement(stale=True, expected=False)], {}, False, "no longer happens"),
        ([], {}, False, "Inconclusive: nothing was compared."),
        ([NO_NUMBER], {}, False, "Inconclusive: no two numbers were compared."),
        ([samples.without_values(informs=True)], {}, False, "Inconclusive: no two numbers were compared."),
        ([samples.agreement()], {"complete": False}, False, "Interrupted"),
        ([samples.agreement()], {}, True, "Not available here, and so not compared: trec_eval."),
        ([samples.agreement()], NEEDED, False, "Inconclusive without trec_eval. 1 of 1 comparison agrees."),
        ([samples.comparison()], NEEDED, False, "Not as expected: 1 comparison differs"),
    ],
)
def test_verdict_sums_up(comparisons, changes, good, said):
    """The verdict is good only where numbers were compared and all came out as expected."""
    document = samples.document(comparisons, **changes)
    assert (said in verdict(document), run_page(document).verdict.status is Status.AGREE) == (True, good)
