"""Annotations of GitHub Actions: one line per cause and file, which GitHub shows at the changed line."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

from crosscheck.errors import count
from crosscheck.report.finding import Bundle, bundles, finding, status, subject
from crosscheck.report.kinds import page_of
from crosscheck.report.page import FAILING, Id, RenderOptions, Status
from crosscheck.report.run_page import TROUBLE, broken, lacking
from crosscheck.report.tables import grouped
from crosscheck.report.words import line, visible
from crosscheck.results import Document, identity

#: GitHub shows ten annotations of a level per step, and drops the rest.
_MOST = 10
#: A message that is longer is cut; the reports have all of it.
_LONGEST = 2000


def render(document: Any, options: RenderOptions) -> str:
    """The annotations, and the verdict as the last line.

    GitHub shows at most ten annotations of a level. If there are more, the tenth gives the number of
    annotations that were left out.
    """
    page = page_of(document)
    if isinstance(document, Document):
        whole = filter(None, [broken(document), *lacking(document)])
        annotations = [("error", {"title": "crosscheck"}, visible(one)) for one in whole]
        known = [c for c in document.comparisons if status(c) in TROUBLE]
        parts = [_by_place(group, options) for group in bundles(known)]
        # Every finding before its other places, as GitHub shows few.
        annotations += chain(*(part[:1] for part in parts), *(part[1:] for part in parts))
    else:
        level = "error" if page.verdict.status in FAILING else "notice"
        sentences = [one.text for one in page.verdict.findings] or [page.verdict.sentence]
        annotations = [(level, {"title": line(page.title)}, line(text)) for text in sentences]
    written = [_line(*annotation) for annotation in _limited(annotations)]
    return "".join(f"{one}\n" for one in [*written, f"crosscheck: {line(page.verdict.sentence)}"])


_Annotation = tuple[str, dict[str, str], str]


def _by_place(bundle: Bundle, options: RenderOptions) -> list[_Annotation]:
    """The annotations of a bundle: one for each ``case.toml``, or for each line of it with an expectation for
    comparisons of the bundle."""
    parts = grouped(bundle.comparisons, lambda c: tuple(options.places.get(identity(c), {}).items()))
    return [_annotation(Bundle(tuple(some)), dict(place)) for place, some in parts.items()]


def _annotation(group: Bundle, place: dict[str, str]) -> _Annotation:
    first = group.first
    message = line(finding(group))
    if first.message and visible(first.message) not in message:
        message += f" {visible(first.message)}"
    title = line((Id(first.candidate), ": ", subject(group)))
    return "notice" if status(first) is Status.DIFFERS else "error", place | {"title": title}, message


def _limited(annotations: Sequence[_Annotation]) -> Iterator[_Annotation]:
    """At most ten annotations of each level. If there are more, the tenth gives the number left out."""
    total, seen = Counter(level for level, _, _ in annotations), Counter[str]()
    for level, about, message in annotations:
        seen[level] += 1
        if seen[level] < _MOST or total[level] == seen[level] == _MOST:
            yield level, about, message
        elif seen[level] == _MOST:
            left = count(total[level] - _MOST + 1, "more finding")
            yield level, {"title": "crosscheck"}, f"{left}: see the reports"


def _line(level: str, about: dict[str, str], message: str) -> str:
    values = (_data(visible(value)).replace(":", "%3A").replace(",", "%2C") for value in about.values())
    properties = ",".join(f"{name}={value}" for name, value in zip(about, values, strict=True))
    cut = message if len(message) <= _LONGEST else f"{message[:_LONGEST]}…"
    return f"::{level} {properties}::{_data(cut)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
