"""JUnit XML: one test case per case x run x measure x candidate, for CI servers.

Differences that nobody declared are failures, declared ones are skipped tests with their reason, a
declaration that no longer holds is a failure, and a backend that failed is an error. The writer is our
own because ids may hold characters that XML 1.0 cannot: they are spelt ``\\xNN``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from crosscheck.report._escape import lines, visible
from crosscheck.report._figures import contrast, count, exact
from crosscheck.report._groups import Group, Status, differing, status, worst
from crosscheck.report._renderer import Renderer, RenderOptions
from crosscheck.report._words import cause_list, evidence, settings
from crosscheck.report.page import Page, Text
from crosscheck.report.pages import page_of
from crosscheck.results import Comparison, Document

__all__ = ["RENDERER", "render"]

_SILENT = "the backend failed without a message"
#: Queries listed in one failure; CI servers refuse files of some tens of megabytes.
QUERIES_SHOWN = 50

_COUNTED = {
    Status.UNEXPECTED: "failures",
    Status.STALE: "failures",
    Status.ERROR: "errors",
    Status.KNOWN: "skipped",
    Status.DIFFERS: "skipped",
    Status.UNSUPPORTED: "skipped",
}


def render(document: Any, options: RenderOptions) -> str:
    """The document as one XML 1.0 file with one test suite, to be written as UTF-8.

    An interrupted run adds a test case that is an error, so that it cannot pass for a complete one. What is
    no document of a run is one test case, with the verdict of its page.
    """
    return _run(document, options) if isinstance(document, Document) else _page(page_of(document))


def _page(page: Page) -> str:
    failed = page.verdict.status in (Status.UNEXPECTED, Status.ERROR)
    said = [_flat(page.verdict.sentence), *(_flat(one.text) for one in page.verdict.findings)]
    name = _attributes(classname=f"crosscheck.{page.kind}", name=_flat(page.title), time="0")
    result = _element("failure", str(page.verdict.status), said[0], "\n".join(said))
    case = (
        f"    <testcase {name}>\n      {result}\n    </testcase>\n" if failed else f"    <testcase {name}/>\n"
    )
    numbers = {"tests": "1", "failures": str(int(failed)), "errors": "0", "skipped": "0"}
    return _suite(_attributes(name="crosscheck", **numbers, time="0"), case)


def _flat(text: Text) -> str:
    return visible("".join((text,) if isinstance(text, str) else text))


def _run(document: Document, options: RenderOptions) -> str:
    counts = Counter(_COUNTED[s] for s in map(status, document.comparisons) if s in _COUNTED)
    counts["tests"] = len(document.comparisons)
    names = _Names()
    seconds = [
        options.seconds.get((c.case, c.run, c.measure, c.candidate), 0.0) for c in document.comparisons
    ]
    cases = [_testcase(c, names, took) for c, took in zip(document.comparisons, seconds, strict=True)]
    if not document.complete:
        counts += Counter(tests=1, errors=1)
        cases.append(_INTERRUPTED)
    numbers = {key: str(counts[key]) for key in ("tests", "failures", "errors", "skipped")}
    attributes = _attributes(name="crosscheck", **numbers, time=_time(sum(seconds)))
    return _suite(attributes, _properties(document) + "".join(cases))


def _suite(attributes: str, body: str) -> str:
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f"<testsuites {attributes}>\n  <testsuite {attributes}>\n{body}  </testsuite>\n</testsuites>\n"
    )


def _time(seconds: float) -> str:
    return f"{seconds:.6f}".rstrip("0").rstrip(".")


_INTERRUPTED = """\
    <testcase classname="crosscheck" name="complete" time="0">
      <error type="interrupted" message="the run was interrupted; comparisons are missing here"/>
    </testcase>
"""


class _Names:
    """Test case names, each given out once: CI servers drop the second of two equal ones."""

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


def _properties(document: Document) -> str:
    properties = {"crosscheck.version": document.tool.version, "reference": document.reference}
    for backend in document.backends:
        about = (
            backend.engine if backend.available else f"not available: {backend.reason or 'no reason given'}"
        )
        properties[f"backend {backend.id}"] = f"{backend.version} {about}".strip()
    lines = [f"      <property {_attributes(name=key, value=value)}/>\n" for key, value in properties.items()]
    return "    <properties>\n" + "".join(lines) + "    </properties>\n"


def _testcase(comparison: Comparison, names: _Names, took: float) -> str:
    classname, name = names.unique(comparison)
    opening = f"    <testcase {_attributes(classname=classname, name=name, time=_time(took))}"
    result = _result(comparison)
    return f"{opening}/>\n" if result is None else f"{opening}>\n      {result}\n    </testcase>\n"


def _result(c: Comparison) -> str | None:
    message = c.message or ""
    match status(c):
        case Status.AGREE:
            return None
        case Status.UNEXPECTED if c.outcome == "mismatch":
            kind = ",".join(Group((c,)).causes) or "unexplained"
            return _element("failure", kind, _headline(c), "\n".join(_details(c)))
        case Status.UNEXPECTED:
            return _element("failure", "unexpected", message or f"outcome {c.outcome} was not expected")
        case Status.STALE:
            told = message or "a declared difference no longer happens"
            return _element(
                "failure", "stale-expectation", told, f"declared reason: {visible(c.reason or 'none')}"
            )
        case Status.ERROR:
            said = lines(message)
            return _element("error", "backend-error", said[0] or _SILENT, "\n".join(said))
        case Status.KNOWN:
            return _element("skipped", "crosscheck.known", c.reason or "declared without a reason")
        case Status.DIFFERS:
            return _element("skipped", "crosscheck.informs", _headline(c))
        case Status.UNSUPPORTED:
            return _element(
                "skipped", "crosscheck.unsupported", message or "the candidate lacks this measure"
            )


def _headline(c: Comparison) -> str:
    mean = contrast(c.mean.reference_value, c.mean.candidate_value)
    change = f"mean {mean.reference} -> {mean.candidate}" + (f" ({mean.delta})" if mean.delta else "")
    return f"{change}; queries that differ: {differing(c)}; cause: {cause_list(Group((c,)).causes)}"


def _details(c: Comparison) -> Iterator[str]:
    group = Group((c,))
    yield f"reference: {visible(c.reference)} ({visible(c.reference_engine)})"
    yield f"candidate: {visible(c.candidate)} ({visible(c.candidate_engine)})"
    yield f"mean: {exact(c.mean.reference_value)} -> {exact(c.mean.candidate_value)}"
    if c.message:
        yield f"message: {visible(c.message)}"
    if c.diagnosis:
        yield f"cause: {visible(f'{cause_list(c.diagnosis.causes)}: {c.diagnosis.explanation}')}"
        yield f"evidence: {evidence(group)}"
        if c.diagnosis.conventions:
            yield f"conventions: {visible(settings(c.diagnosis.conventions))}"
        for other in c.diagnosis.alternatives:
            yield f"alternative: {visible(f'{cause_list(other.causes)} ({settings(other.conventions)})')}"
    yield from (f"note: {visible(note)}" for note in c.notes)
    cells = worst(group)
    for _, cell in cells[:QUERIES_SHOWN]:
        pair = contrast(cell.reference_value, cell.candidate_value)
        delta = f" ({pair.delta})" if pair.delta else ""
        cause = visible(cause_list(cell.causes))
        yield f"query {visible(cell.query)}: {pair.reference} -> {pair.candidate}{delta} {cause}"
    if len(cells) > QUERIES_SHOWN:
        yield f"{count(len(cells) - QUERIES_SHOWN, 'more query')} omitted; the JSON report has all"


def _element(tag: str, kind: str, message: str, body: str = "") -> str:
    opening = f"<{tag} {_attributes(type=kind, message=message)}"
    return f"{opening}>{_escaped(body)}</{tag}>" if body else f"{opening}/>"


def _attributes(**values: str) -> str:
    return " ".join(f'{key}="{_escaped(visible(value))}"' for key, value in values.items())


def _escaped(text: str) -> str:
    """Text for an element or an attribute; ``>`` as well, so that ``]]>`` cannot appear."""
    for character, entity in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&quot;")):
        text = text.replace(character, entity)
    return text


RENDERER = Renderer("junit", "xml", document=render)
