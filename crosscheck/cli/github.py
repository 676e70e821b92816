"""For GitHub Actions: the lines that annotations belong to, and the summary of the job."""

from __future__ import annotations

import os
from collections.abc import Mapping

from crosscheck.errors import CrosscheckError
from crosscheck.formats.toml_text import sections
from crosscheck.names import parse_measure
from crosscheck.report import RenderOptions, render
from crosscheck.results import Comparison, Document

__all__ = ["append_summary", "places"]

#: GitHub refuses summaries of more than 1 MiB.
_LARGEST = 1_000_000
_Key = tuple[str, str, str, str]


def places(document: object) -> dict[_Key, dict[str, str]]:
    """Comparison -> its ``case.toml`` as ``file``, and the ``line`` of its expectation if there is one.

    Paths are relative to the repository. A comparison without a ``case.toml`` in the repository is left out.
    """
    if not isinstance(document, Document):
        return {}
    root = os.path.realpath(os.environ.get("GITHUB_WORKSPACE") or os.curdir)
    folders = {(i.case, i.run): os.path.dirname(i.qrels_path) or "." for i in document.inputs if i.qrels_path}
    found: dict[_Key, dict[str, str]] = {}
    for c in document.comparisons:
        config = os.path.join(folders.get((c.case, c.run), ""), "case.toml")
        relative = os.path.relpath(os.path.realpath(config), root)
        if (c.case, c.run) in folders and os.path.isfile(config) and not relative.startswith(os.pardir):
            line = _line(config, c)
            place = {"file": relative.replace(os.sep, "/")} | ({} if line is None else {"line": str(line)})
            found[c.case, c.run, c.measure, c.candidate] = place
    return found


def _line(config: str, c: Comparison) -> int | None:
    """The line number of the expectation for a comparison; None if there is none."""
    try:
        with open(config, encoding="utf-8") as file:
            entries = [part for part in sections(file.read()) if part.name == "expect"]
        for part in entries:
            e = part.content
            fits = e.get("candidate") == c.candidate and e.get("run") in (None, c.run)
            if fits and str(parse_measure(str(e.get("measure")))) == c.measure:
                return part.first_line
    except (OSError, ValueError, CrosscheckError):
        pass  # changed since it was read
    return None


def append_summary(document: object, environ: Mapping[str, str]) -> None:
    """Append the report, as Markdown without pictures, to the job summary of GitHub Actions.

    It is shortened to the room that is left below GitHub's size limit, and left out if there is little.

    Raises:
        OSError: the summary cannot be written.
    """
    path = environ.get("GITHUB_STEP_SUMMARY")
    if not path:
        return
    room = _LARGEST - (os.path.getsize(path) if os.path.exists(path) else 0)
    text = render(document, "markdown", RenderOptions(max_bytes=room)) if room > 10_000 else ""
    if len(text.encode()) <= room:
        with open(path, "a", encoding="utf-8") as file:
            file.write(text)
