"""The JUnit report, read back with an XML parser; whole files are in test_formats.py."""

from collections import Counter
from typing import Any
from xml.etree import ElementTree

from hypothesis import example, given
from hypothesis import strategies as st

from crosscheck.report import render
from crosscheck.report.words import clip, visible
from tests.report import samples


def _suite(document: Any) -> ElementTree.Element:
    """The suite, whose attributes and those of the root count what it holds."""
    root = ElementTree.fromstring(render(document, "junit").encode("utf-8"))
    (suite,) = root
    # What the schema of Jenkins' plugin xunit knows (junit-10.xsd).
    assert {name for case in suite.iter("testcase") for name in case.attrib} <= {"name", "time", "classname"}
    assert {child.tag for child in suite} <= {"properties", "testcase"}
    tags = Counter(child.tag for case in suite.iter("testcase") for child in case)
    counts = {"failures": tags["failure"], "errors": tags["error"], "skipped": tags["skipped"]}
    for name, number in (counts | {"tests": len(list(suite.iter("testcase")))}).items():
        assert suite.get(name) == str(number)
        assert root.get(name) == (None if name == "skipped" else str(number))
    return suite


@given(st.text(st.characters(exclude_categories=()), max_size=7))
@example("\x1f\x85\u2028")  # which Python takes for ends of lines
def test_any_text_survives_an_xml_parser(text):
    """Whatever a docno or message holds, the file is well formed and shows it."""
    one = samples.comparison(case=text, message=f"it said {text}.", cells=[samples.cell(text)])
    (case,) = _suite(samples.document([one])).iter("testcase")
    assert case.get("classname") == f"{visible(text)}.run.txt"
    said = "".join((case[0].text or "").split())
    assert said.count("".join(clip(text).split())) >= 2 or "\n" in text
