"""JUnit XML: one test case per case x run x measure x candidate, for CI servers.

An undeclared difference is a failure, a declared difference is a skipped test with its reason, a declaration
that is stale is a failure, and a backend that failed is an error, as is one that is needed and not available.
Characters that XML 1.0 does not allow are written as ``\\xNN``.
"""

from collections import Counter
from typing import Any
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from msgspec.structs import replace

from crosscheck.report.finding import Bundle, finding, section, status
from crosscheck.report.kinds import page_of
from crosscheck.report.page import FAILING, Page, RenderOptions, Status, Table
from crosscheck.report.run_page import broken, lacking
from crosscheck.report.text import written
from crosscheck.report.words import inert, line, lines, visible
from crosscheck.results import Comparison, Document, identity

#: Queries listed in one failure; CI servers refuse files of some tens of megabytes.
QUERIES_SHOWN = 50
#: Element of a test case -> attribute of the test suite that counts it.
_COUNTED = {"failure": "failures", "error": "errors", "skipped": "skipped"}


def render(document: Any, options: RenderOptions) -> str:
    """The document as one XML 1.0 file with one test suite, to be written as UTF-8.

    An interrupted run gets an additional test case that is an error, so that it is not taken for a complete
    run. Any other kind of document becomes one test case, with the verdict of its page.
    """
    root, suite, seconds = Element("testsuites"), Element("testsuite", name="crosscheck"), 0.0
    if isinstance(document, Document):
        _run(suite, document, options)
        seconds = sum(options.seconds.get(identity(c), 0.0) for c in document.comparisons)
    else:
        _page(suite, page_of(document))
    cases = suite.findall("testcase")
    counts = Counter(_COUNTED[child.tag] for case in cases for child in case) + Counter(tests=len(cases))
    for key in ("tests", *_COUNTED.values()):
        suite.set(key, str(counts[key]))
    suite.set("time", _time(seconds))
    # The schema of Jenkins has no count of skipped tests here.
    root.attrib |= {key: value for key, value in suite.attrib.items() if key != "skipped"}
    root.append(suite)
    indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{inert(tostring(root, "unicode"), "&#x{};")}\n'


def _time(seconds: float) -> str:
    return f"{seconds:.6f}".rstrip("0").rstrip(".")


def _child(parent: Element, tag: str, text: str = "", **attributes: str) -> Element:
    made = SubElement(parent, tag, {name: visible(value) for name, value in attributes.items()})
    made.text = text or None
    return made


def _page(suite: Element, page: Page) -> None:
    sentences = [line(page.verdict.sentence), *(line(one.text) for one in page.verdict.findings)]
    case = _child(suite, "testcase", classname=f"crosscheck.{page.kind}", name=line(page.title), time="0")
    if page.verdict.status in FAILING:
        tag = "error" if page.verdict.status is Status.ERROR else "failure"
        _child(case, tag, "\n".join(sentences), type=page.verdict.status, message=sentences[0])


def _run(suite: Element, document: Document, options: RenderOptions) -> None:
    """Add the properties and a test case per comparison to the suite."""
    about = {"crosscheck.version": document.tool.version, "reference": document.reference}
    for backend in document.backends:
        absent = f"not available: {backend.reason or 'no reason given'}"
        engine = backend.engine if backend.available else absent
        about[f"backend {backend.id}"] = f"{backend.version} {engine}".strip()
    properties = SubElement(suite, "properties")
    for name, value in about.items():
        _child(properties, "property", name=name, value=value)
    # CI servers drop the second of two test cases with equal names.
    used: Counter[tuple[str, str]] = Counter()
    for c in document.comparisons:
        classname = f"{visible(c.case)}.{visible(c.run)}"
        wanted = name = f"{visible(c.measure)} {visible(c.candidate)}"
        while used[classname, name]:
            used[classname, wanted] += 1
            name = f"{wanted} #{used[classname, wanted]}"
        used[classname, name] += 1
        took = _time(options.seconds.get(identity(c), 0.0))
        about_case = {"classname": classname, "name": name, "time": took}
        # GitLab links a test case to its file; the schema of Jenkins refuses one that has it.
        about_case |= {k: at for k, at in options.places.get(identity(c), {}).items() if k == "file"}
        _result(_child(suite, "testcase", **about_case), document, c)
    whole = [(one.partition(": ")[0], "error", "inconclusive", one) for one in lacking(document)]
    whole += [("own measures", "failure", "broken", said)] if (said := broken(document)) else []
    missing = "the run was interrupted; comparisons are missing here"
    whole += [] if document.complete else [("complete", "error", "interrupted", missing)]
    for name, tag, kind, message in whole:
        case = _child(suite, "testcase", classname="crosscheck", name=name, time="0")
        _child(case, tag, type=kind, message=message)


def _result(case: Element, document: Document, c: Comparison) -> None:
    """Add a failure, an error or a skip to the test case of a comparison; nothing if the values agree."""
    how, message, bundle = status(c), c.message or "", Bundle((c,))
    match how:
        case Status.AGREE:
            return
        case Status.UNEXPECTED if c.outcome == "mismatch":
            kind, said = ",".join(bundle.causes) or "unexplained", line(finding(bundle))
            result = ("failure", kind, said, _body(document, bundle))
        case Status.UNEXPECTED:
            result = ("failure", "unexpected", message or f"outcome {c.outcome} was not expected", "")
        case Status.STALE:
            said = message or "a declared difference no longer happens"
            result = ("failure", "stale-expectation", said, f"declared reason: {visible(c.reason or 'none')}")
        case Status.ERROR:
            said = lines(message)[0] or "the backend failed without a message"
            result = ("error", "backend-error", said, "\n".join(lines(message)))
        case Status.DIFFERS:
            result = ("skipped", "crosscheck.informs", line(finding(bundle)), "")
        case Status.KNOWN:
            result = ("skipped", f"crosscheck.{how}", c.reason or "declared without a reason", "")
        case Status.UNSUPPORTED:
            result = ("skipped", f"crosscheck.{how}", message or "the candidate lacks this measure", "")
    tag, kind, said, body = result
    _child(case, tag, body, type=kind, message=said)


def _body(document: Document, bundle: Bundle) -> str:
    """The finding of a mismatch as on a terminal, but with up to ``QUERIES_SHOWN`` rows."""
    blocks = section(document, bundle, "").blocks
    return written(replace(one, limit=QUERIES_SHOWN) if isinstance(one, Table) else one for one in blocks)
