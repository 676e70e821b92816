"""The sentences that the reports share."""

from __future__ import annotations

import pytest

from crosscheck.axes import axes
from crosscheck.axes.base import AxisValue, plain
from crosscheck.report.comparisons import Bundle, as_expected, evidence, verdict
from crosscheck.report.words import convention, settings
from crosscheck.results import BackendRecord, Document
from tests.report import samples

ENUMERATED: list[tuple[str, AxisValue]] = [(a.name, plain(v)) for a in axes().values() for v in a.values]
NUMBERED: list[tuple[str, AxisValue]] = [(axis.name, 3) for axis in axes().values() if axis.numbers]


@pytest.mark.parametrize(("axis", "value"), [*ENUMERATED, *NUMBERED])
def test_every_axis_value_has_its_sentence(axis: str, value: AxisValue) -> None:
    """No convention is reported as a bare setting; numbers stand in their sentence."""
    sentence = convention(axis, value)
    assert " " in sentence
    assert "=" not in sentence
    assert "{n}" not in sentence
    assert not isinstance(value, int) or "3" in sentence


def test_values_of_one_axis_have_different_sentences() -> None:
    """A reader can tell any two values of an axis apart."""
    sentences = [convention(axis, value) for axis, value in [*ENUMERATED, *NUMBERED]]
    assert len(set(sentences)) == len(sentences)


def test_an_unknown_axis_is_shown_as_it_is() -> None:
    """A convention that nobody put into words is still reported."""
    assert convention("colour", "blue") == "colour=blue"


def test_settings_come_in_the_order_of_the_axes() -> None:
    """The order does not depend on how the document was built."""
    changed: dict[str, AxisValue] = {"rounding": None, "zeal": 1, "gain": "binary", "order": "input"}
    assert settings(changed) == "order=input,gain=binary,rounding=none,zeal=1"


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({}, "proved: these conventions reproduce 50 of 50 queries"),
        ({"conventions": {}}, "proved: this explains 50 of 50 queries"),
        ({"strength": "per-query", "reproduced": 49}, "per query: 49 of 50 queries can be reproduced"),
        (
            {"strength": "consistent", "fits": 1, "tried": 96},
            "consistent, not proved: these conventions reproduce 50 of 50 queries; 1 of 96 sets of",
        ),
        (
            {"strength": "consistent", "conventions": {}},
            "consistent, not proved: this explains 50 of 50 queries; another reason is not excluded",
        ),
        (
            {"strength": "consistent", "reproduced": 0, "of": 0, "fits": 7, "tried": 212},
            "consistent, not proved: these conventions reproduce the mean, the only number there is; another",
        ),
        (
            {"strength": "none", "reproduced": 0, "of": 0},
            "none: the mean, the only number there is, cannot be reproduced",
        ),
        ({"strength": "none"}, "none: 50 of 50 queries can be reproduced, the mean is not"),
        (
            {"strength": "none", "reproduced": 3},
            "none: 3 of 50 queries can be reproduced, the others are not",
        ),
    ],
)
def test_evidence_says_how_sure_it_is(changes: dict[str, object], said: str) -> None:
    """Each strength has its own words, with the queries that were reproduced and tested."""
    one = samples.comparison(diagnosis=samples.diagnosis(**changes))
    assert evidence(Bundle((one,))).startswith(said)


def test_evidence_of_a_group_is_summed() -> None:
    """Several comparisons give one sentence that says what was added up."""
    said = evidence(Bundle((samples.comparison(), samples.comparison(measure="AP"))))
    assert said == "proved: these conventions reproduce 100 of 100 queries (summed over 2 comparisons)"


def test_sets_of_conventions_are_summed_as_queries_are() -> None:
    """Two comparisons with two fitting sets each have four, of those tried in both."""
    said = evidence(Bundle((samples.two_queries(), samples.two_queries(measure="AP"))))
    assert said.endswith("100 of 100 queries (summed over 2 comparisons); 4 of 192 sets of conventions do")


KNOWN = samples.comparison(expected=True, reason="known")
GONE = BackendRecord(id="trec_eval", version="", available=False, engine="", reason="not on PATH")


@pytest.mark.parametrize(
    ("document", "good", "said"),
    [
        (
            samples.document([samples.agreement()], backends=[]),
            True,
            "As expected. 1 of 1 comparison agrees.",
        ),
        (
            samples.document([samples.agreement(), KNOWN], backends=[]),
            True,
            "As expected. 1 of 2 comparisons agrees and 1 came out as declared.",
        ),
        (samples.document([samples.comparison()]), False, "Not as expected: 1 comparison differs"),
        (samples.document([samples.without_values()]), False, "1 comparison failed"),
        (samples.document([samples.agreement(stale=True, expected=False)]), False, "no longer happens"),
        (samples.document([]), False, "Inconclusive: nothing was compared."),
        (
            samples.document([samples.without_values(outcome="unsupported", expected=True)]),
            False,
            "Inconclusive: no two numbers were compared.",
        ),
        (samples.document([samples.agreement()], complete=False), False, "Interrupted"),
        (
            samples.document([samples.agreement()], backends=[GONE]),
            True,
            "Not available here, and so not compared: trec_eval.",
        ),
    ],
)
def test_verdict_sums_up(document: Document, good: bool, said: str) -> None:
    """The verdict is good only where numbers were compared and all came out as expected."""
    assert said in verdict(document)
    assert as_expected(document) == good
