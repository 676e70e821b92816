"""Display of the results of Python functions: as a document in any format, a sentence, or a data frame.

:class:`crosscheck.shown.Shown` calls these functions; ``crosscheck/__init__.py`` registers them there.
"""

from html import escape
from typing import Any

import msgspec

from crosscheck.audit_records import Audit, PropertyReport
from crosscheck.errors import UsageError, no_such
from crosscheck.formats.source import write_whole
from crosscheck.harness.document import document_of
from crosscheck.report import render
from crosscheck.report.kinds import page_of
from crosscheck.report.page import FAILING, Facts, Page, Status, Verdict, flat
from crosscheck.results import Diagnosis


def _document(result: Any) -> Any:
    """The document of a result. All results except an audit and a property report are documents already."""
    return document_of(result) if isinstance(result, Audit | PropertyReport) else result


def _page(result: Any) -> Page:
    return _of_diagnosis(result) if isinstance(result, Diagnosis) else page_of(_document(result))


def _of_diagnosis(diagnosis: Diagnosis) -> Page:
    """The page of a diagnosis without its comparison."""
    cause = ", ".join(diagnosis.causes) or "unexplained"
    proved = diagnosis.strength == "proved"
    facts = [
        ("strength", diagnosis.strength),
        ("conventions", ", ".join(f"{axis}={value}" for axis, value in diagnosis.conventions.items()) or "–"),
        ("reproduced", f"{diagnosis.reproduced:,} of {diagnosis.of:,} queries"),
        *(("the same" if proved else "or", ", ".join(other.causes)) for other in diagnosis.alternatives),
        *(("or", rival) for rival in diagnosis.rivals),
    ]
    facts += [("to decide", diagnosis.separate_by)] if diagnosis.separate_by and not proved else []
    sentence = f"{cause}: {diagnosis.explanation}"
    return Page("diagnosis", "Diagnosis", Verdict(Status.DIFFERS, sentence), [Facts(facts)])


def is_ok(result: Any) -> bool:
    """Whether the verdict on a result is good or neutral. False for a diagnosis, which is about a
    mismatch."""
    return not isinstance(result, Diagnosis) and _page(result).verdict.status not in FAILING


def sentence(result: Any) -> str:
    """The verdict on a result in one sentence, as plain text."""
    return flat(_page(result).verdict.sentence)


def rendered(result: Any, format: str, path: str | None = None) -> str:
    """Render a result as a command would. If ``path`` is given, also write the text to that file."""
    alone = _of_diagnosis(result) if isinstance(result, Diagnosis) else None
    text = render(_document(result), format, page=alone)
    if path is not None:
        write_whole(str(path), text)
    return text


def framed(result: Any) -> str:
    """The page of a result for a notebook, in an iframe, because it has its own style and script."""
    page = escape(rendered(result, "html"))
    return f'<iframe srcdoc="{page}" sandbox="allow-scripts" width="100%" height="600"></iframe>'


def frame(result: Any, rows: str) -> Any:
    """A list in a result as a data frame. ``rows``: the field with the list, or a path of fields separated by
    dots; empty for the result itself as the only row.

    Raises:
        UsageError: pandas is not installed, or there is no such list.
    """
    try:
        import pandas
    except ImportError:
        raise UsageError("a data frame needs pandas", hint="pip install pandas") from None
    held = msgspec.to_builtins(result)
    for name in filter(None, rows.split(".")):
        known = [key for key, value in held.items() if isinstance(value, list | dict)]
        if name not in known:
            raise no_such("list", name, known)
        held = held[name]
        if isinstance(held, list):
            held = [one if isinstance(one, dict) else {name: one} for one in held]
    return pandas.json_normalize(held)
