"""JUnit XML: one test case per case x run x measure x candidate, for CI servers.

Differences that nobody declared are failures, declared ones are skipped tests with their reason, a
declaration that no longer holds is a failure, and a backend that failed is an error. Characters that XML 1.0
cannot hold are spelt ``\\xNN``.
"""

from __future__ import annotations

from collections import Counter
from typing import Any
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from msgspec.structs import replace

from crosscheck.report.comparisons import Bundle, broken, identity, status
from crosscheck.report.page import Page, Status, Table, Text, flat
from crosscheck.report.pages import page_of
from crosscheck.report.pages._finding import section
from crosscheck.report.pages._sentences import finding
from crosscheck.report.text import Terminal
from crosscheck.report.visitor import RenderOptions
from crosscheck.report.words import inert, lines, visible
from crosscheck.results import Comparison, Document

_SILENT = "the backend failed without a message"
#: Queries listed in one failure; CI servers refuse files of some tens of megabytes.
QUERIES_SHOWN = 50
_WIDTH = 120

#: Element of a test case -> attribute of the test suite that counts it.
_COUNTED = {"failure": "failures", "error": "errors", "skipped": "skipped"}


def render(document: Any, options: RenderOptions) -> str:
    """The document as one XML 1.0 file with one test suite, to be written as UTF-8.

    An interrupted run adds a test case that is an error, so that it cannot pass for a complete one. A
    document that is not a run becomes one test case, with the verdict of its page.
    """
    suite = Element("testsuite", name="crosscheck")
    if isinstance(document, Document):
        seconds = _run(suite, document, options)
    else:
        seconds = _page(suite, page_of(document))
    counts = Counter(_COUNTED[child.tag] for case in suite.iter("testcase") for child in case)
    counts["tests"] = sum(1 for _ in suite.iter("testcase"))
    for key in ("tests", *_COUNTED.values()):
        suite.set(key, str(counts[key]))
    suite.set("time", _time(seconds))
    root = Element("testsuites", suite.attrib)
    root.append(suite)
    indent(root)
    text = inert(tostring(root, "unicode"), "&#x{};")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'


def _page(suite: Element, page: Page) -> float:
    said = [_flat(page.verdict.sentence), *(_flat(one.text) for one in page.verdict.findings)]
    case = _child(suite, "testcase", classname=f"crosscheck.{page.kind}", name=_flat(page.title), time="0")
    if page.verdict.status in (Status.UNEXPECTED, Status.ERROR):
        _child(case, "failure", "\n".join(said), type=page.verdict.status, message=said[0])
    return 0.0


def _flat(text: Text) -> str:
    return visible(flat(text))


def _run(suite: Element, document: Document, options: RenderOptions) -> float:
    """Add the properties and a test case per comparison to the suite, and return the seconds they took."""
    about = {"crosscheck.version": document.tool.version, "reference": document.reference}
    for backend in document.backends:
        absent = f"not available: {backend.reason or 'no reason given'}"
        engine = backend.engine if backend.available else absent
        about[f"backend {backend.id}"] = f"{backend.version} {engine}".strip()
    properties = SubElement(suite, "properties")
    for name, value in about.items():
        _child(properties, "property", name=name, value=value)
    names, total = _Names(), 0.0
    for c in document.comparisons:
        took = options.seconds.get(identity(c), 0.0)
        classname, name = names.unique(c)
        _result(_child(suite, "testcase", classname=classname, name=name, time=_time(took)), document, c)
        total += took
    if said := broken(document):
        case = _child(suite, "testcase", classname="crosscheck", name="own measures", time="0")
        _child(case, "failure", type="broken", message=said)
    if not document.complete:
        case = _child(suite, "testcase", classname="crosscheck", name="complete", time="0")
        missing = "the run was interrupted; comparisons are missing here"
        _child(case, "error", type="interrupted", message=missing)
    return total


def _time(seconds: float) -> str:
    return f"{seconds:.6f}".rstrip("0").rstrip(".")


class _Names:
    """Makes unique names of test cases, because CI servers drop the second of two with equal names."""

    def __init__(self) -> None:
        self._seen: Counter[tuple[str, str]] = Counter()

    def unique(self, comparison: Comparison) -> tuple[str, str]:
        classname = f"{visible(comparison.case)}.{visible(comparison.run)}"
        wanted = name = f"{visible(comparison.measure)} {visible(comparison.candidate)}"
        while self._seen[classname, name]:
            self._seen[classname, wanted] += 1
            name = f"{wanted} #{self._seen[classname, wanted]}"
        self._seen[classname, name] += 1
        return classname, name


def _result(case: Element, document: Document, c: Comparison) -> None:
    """Add a failure, an error or a skip to the test case of a comparison; nothing if the values agree."""
    message = c.message or ""
    match status(c):
        case Status.UNEXPECTED if c.outcome == "mismatch":
            kind = ",".join(Bundle((c,)).causes) or "unexplained"
            said, body = _told(document, c)
            _child(case, "failure", body, type=kind, message=said)
        case Status.UNEXPECTED:
            told = message or f"outcome {c.outcome} was not expected"
            _child(case, "failure", type="unexpected", message=told)
        case Status.STALE:
            told = message or "a declared difference no longer happens"
            reason = f"declared reason: {visible(c.reason or 'none')}"
            _child(case, "failure", reason, type="stale-expectation", message=told)
        case Status.ERROR:
            held = lines(message)
            _child(case, "error", "\n".join(held), type="backend-error", message=held[0] or _SILENT)
        case Status.KNOWN:
            told = c.reason or "declared without a reason"
            _child(case, "skipped", type="crosscheck.known", message=told)
        case Status.DIFFERS:
            _child(case, "skipped", type="crosscheck.informs", message=_flat(finding(Bundle((c,)))))
        case Status.UNSUPPORTED:
            told = message or "the candidate lacks this measure"
            _child(case, "skipped", type="crosscheck.unsupported", message=told)


def _child(parent: Element, tag: str, text: str = "", **attributes: str) -> Element:
    made = SubElement(parent, tag, {name: visible(value) for name, value in attributes.items()})
    made.text = text or None
    return made


def _told(document: Document, c: Comparison) -> tuple[str, str]:
    """The sentence of a mismatch, and its finding as on a terminal but with up to ``QUERIES_SHOWN`` rows."""
    found = section(document, Bundle((c,)), "")
    shown = [replace(one, limit=QUERIES_SHOWN) if isinstance(one, Table) else one for one in found.blocks]
    terminal = Terminal(RenderOptions(width=_WIDTH))
    return _flat(finding(Bundle((c,)))), "".join(terminal.visit(one, 0) for one in shown).strip("\n")
