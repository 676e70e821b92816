"""The JUnit report, read back with an XML parser."""

from __future__ import annotations

from collections import Counter
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crosscheck.report import render
from crosscheck.report.words import clip, visible
from crosscheck.results import Comparison, Document
from tests.report import samples


def _suite(document: Document) -> ElementTree.Element:
    """The suite, whose attributes and those of the root count what it holds."""
    root = ElementTree.fromstring(render(document, "junit").encode("utf-8"))
    (suite,) = root
    assert (root.tag, suite.tag) == ("testsuites", "testsuite")
    tags = Counter(child.tag for case in suite.iter("testcase") for child in case)
    counts = {"failures": tags["failure"], "errors": tags["error"], "skipped": tags["skipped"]}
    for name, number in (counts | {"tests": len(list(suite.iter("testcase")))}).items():
        assert suite.get(name) == root.get(name) == str(number)
    return suite


def _only(comparison: Comparison) -> ElementTree.Element:
    (case,) = _suite(samples.document([comparison])).iter("testcase")
    return case


def test_there_is_one_test_case_per_comparison() -> None:
    """Class is CASE.RUN, name is MEASURE CANDIDATE, in the document's order."""
    document = samples.everything()
    cases = list(_suite(document).iter("testcase"))
    assert [(c.get("classname"), c.get("name")) for c in cases] == [
        (f"{c.case}.{c.run}", f"{c.measure} {c.candidate}") for c in document.comparisons
    ]


def test_an_undeclared_mismatch_is_a_failure_with_its_causes() -> None:
    """Type: the causes, in order, or unexplained; message: its sentence; text: queries and evidence."""
    (unexplained,) = _only(samples.comparison(diagnosis=None))
    assert unexplained.get("type") == "unexplained"
    both = samples.diagnosis(causes=["tie-breaking", "gain"])
    (failure,) = _only(samples.comparison(diagnosis=both))
    assert (failure.tag, failure.get("type")) == ("failure", "tie-breaking,gain")
    message, text = failure.get("message") or "", failure.text or ""
    assert "P@10 0.2600 instead of 0.2580 (1 of 50 queries; proved)" in message
    assert "document FBIS3-10082 moves from rank 11 to 10" in message
    assert "proved: these conventions reproduce 50 of 50 queries" in text
    assert "P@10        0.2580     0.2600  +0.0020  1 of 50" in text
    assert "14        0.2000     0.3000  +0.1000  tie-breaking" in text


def test_what_is_consistent_says_how_much_it_is() -> None:
    """The text of a failure holds the evidence and how many sets fit; no query is counted of a mean alone."""
    (of_mean,) = _only(samples.mean_only())
    said = "7 of 212 sets of conventions give this mean, or it is another run"
    assert said in " ".join((of_mean.text or "").split())
    assert "consistent, not proved" in (of_mean.text or "")
    assert "0 of 0" not in (of_mean.text or "") + (of_mean.get("message") or "")
    (of_two,) = _only(samples.two_queries())
    told = " ".join((of_two.text or "").split())
    assert "only 2 queries differ" in told
    assert "reproduce 50 of 50 queries; 2 of 96 sets of conventions do" in told


_ERROR = "KeyError: '0'\n  at line 3"
ELEMENTS: dict[str, tuple[Comparison, tuple[str | None, ...] | None]] = {
    "a match passes": (samples.agreement(), None),
    "declared": (
        samples.comparison(expected=True, reason="old tool"),
        ("skipped", "crosscheck.known", "old tool", None),
    ),
    "stale": (
        samples.agreement(expected=False, stale=True, message="no longer so", reason="old tool"),
        ("failure", "stale-expectation", "no longer so", "declared reason: old tool"),
    ),
    "failed backend": (
        samples.without_values(message=_ERROR),
        ("error", "backend-error", "KeyError: '0'", _ERROR),
    ),
    "silent backend": (
        samples.without_values(),
        ("error", "backend-error", "the backend failed without a message", None),
    ),
    "unsupported": (
        samples.without_values(outcome="unsupported", expected=True, message="no SetF"),
        ("skipped", "crosscheck.unsupported", "no SetF", None),
    ),
    "any other surprise": (
        samples.agreement(expected=False),
        ("failure", "unexpected", "outcome match was not expected", None),
    ),
}


@pytest.mark.parametrize("name", ELEMENTS)
def test_each_status_has_its_element(name: str) -> None:
    """Tag, type, message and text of the element in the test case; a match has none.

    Only what was declared or is not supported is skipped, and the type is never empty.
    """
    comparison, expected = ELEMENTS[name]
    elements = [(e.tag, e.get("type"), e.get("message"), e.text) for e in _only(comparison)]
    assert elements == ([expected] if expected else [])


def test_an_interrupted_run_is_an_error() -> None:
    """Part of the comparisons cannot be taken for all of them."""
    suite = _suite(samples.document([samples.agreement()], complete=False))
    assert suite.get("errors") == "1"
    assert [e.get("type") for e in suite.iter("error")] == ["interrupted"]


def test_long_query_lists_are_cut() -> None:
    """At most fifty queries are listed, the worst first, and the rest is counted."""
    cells = [samples.cell(f"q{i}", 0.0, i / 1000) for i in range(1, 201)]
    (failure,) = _only(samples.comparison(cells=cells))
    lines = (failure.text or "").splitlines()
    listed = [line for line in lines if line.startswith("q") and "tie-breaking" in line]
    assert len(listed) == 50
    assert listed[0].startswith("q200 ")
    assert "and 150 more query values" in lines


def test_hostile_ids_are_shown_and_stay_apart() -> None:
    """Every id comes out of an XML parser as its visible spelling; class and name are unique."""
    suite = _suite(samples.hostile())
    names = [(c.get("classname"), c.get("name")) for c in suite.iter("testcase")]
    assert len(set(names)) == len(names)
    for text in samples.HOSTILE_IDS:
        assert (f"{visible(text)}.{visible(text)}", f"P@10 python:{visible(text)}") in names
    bodies = "\n".join(failure.text or "" for failure in suite.iter("failure"))
    said = "".join(bodies.split())  # long ids are folded
    assert all("".join(visible(text).split()) in said for text in samples.HOSTILE_IDS)


def test_names_that_collide_are_numbered() -> None:
    """Dots in case and run names cannot make two test cases one."""
    pair = [samples.agreement(case="a.b", run="c"), samples.agreement(case="a", run="b.c")]
    names = [c.get("name") for c in _suite(samples.document(pair)).iter("testcase")]
    assert names == ["P@10 hf-evaluate", "P@10 hf-evaluate #2"]


@given(st.text(st.characters(exclude_categories=())))
def test_any_text_survives_an_xml_parser(text: str) -> None:
    """Whatever a docno or message holds, the file is well formed and shows it."""
    one = samples.comparison(case=text, message=text, cells=[samples.cell(text)])
    case = _only(one)
    assert case.get("classname") == f"{visible(text)}.run.txt"
    assert "".join(clip(text).split())[:100] in "".join((case[0].text or "").split())
