"""The JUnit report, read back with an XML parser; whole files are in test_formats.py."""

import re
from collections import Counter
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from msgspec.structs import replace

from crosscheck.report import RenderOptions, render
from crosscheck.report.words import clip, visible
from crosscheck.results import identity
from crosscheck.studies.agreement import agreement
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


def test_an_interrupted_run_is_an_error():
    """Part of the comparisons cannot be taken for all of them."""
    suite = _suite(samples.document([samples.agreement()], complete=False))
    assert [e.get("type") for e in suite.iter("error")] == ["interrupted"]


NEEDED = "trec_eval is needed, and not available: "


@pytest.mark.parametrize(
    ("document", "said"),
    [
        (samples.document([samples.agreement()], backends=[replace(samples.GONE, needed=True)]), NEEDED),
        (samples.document([], backends=[replace(samples.GONE, needed=True)]), NEEDED),
        (samples.document([]), "no two numbers were compared"),
        (agreement({"1": {"a": 1}}, {"1": {"b": 1}}), "Nothing was compared"),
    ],
)
def test_what_is_inconclusive_is_an_error(document, said):
    """Of a run, and of a study: no CI server shows green where the exit code is 3; neither does GitHub."""
    (error,) = _suite(document).iter("error")
    assert (error.get("message") or "").startswith(said)
    (annotation,) = [a for a in render(document, "github").splitlines() if a.startswith("::")]
    assert re.match(f"::error .*::{said}", annotation)


def test_every_test_case_has_a_name_of_its_own():
    """CI servers drop the second of two with the same name; cases, runs and candidates may hold dots and
    numbers."""
    ids = [("a.b", "c", "t"), ("a", "b.c", "t"), ("a", "b.c", "t #2")]
    several = [samples.agreement(case=case, run=run, candidate=tool) for case, run, tool in ids]
    cases = _suite(samples.document(several)).iter("testcase")
    names = [(case.get("classname"), case.get("name")) for case in cases]
    assert names == [("a.b.c", "P@10 t"), ("a.b.c", "P@10 t #2"), ("a.b.c", "P@10 t #2 #2")]


@given(st.text(st.characters(exclude_categories=()), max_size=7))
@example("\x1f\x85\u2028")  # which Python takes for ends of lines
def test_any_text_survives_an_xml_parser(text):
    """Whatever a docno or message holds, the file is well formed and shows it."""
    one = samples.comparison(case=text, message=f"it said {text}.", cells=[samples.cell(text)])
    (case,) = _suite(samples.document([one])).iter("testcase")
    assert case.get("classname") == f"{visible(text)}.run.txt"
    said = "".join((case[0].text or "").split())
    assert said.count("".join(clip(text).split())) >= 2 or "\n" in text


def test_gitlab_is_told_the_file_of_a_test_case():
    """Where the places of comparisons are asked for; the schema of Jenkins has no such attribute."""
    one = samples.agreement()
    at = {identity(one): {"file": "cases/a/case.toml", "line": "3"}}
    root = ElementTree.fromstring(render(samples.document([one]), "junit", RenderOptions(places=at)))
    (case,) = root.iter("testcase")
    assert (case.get("file"), case.get("line")) == ("cases/a/case.toml", None)
