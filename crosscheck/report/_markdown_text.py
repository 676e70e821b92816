"""Text from outside, escaped for Markdown: GitHub's renderer shows it as it is, without markup or links."""

from __future__ import annotations

import re
from urllib.parse import quote

from crosscheck.report.page import Chart
from crosscheck.report.words import clip, inert

_RISKY = re.compile(r"[`|\\]|^\s|\s$|::|##(?:vso)?\[")
_PUNCTUATION = re.compile(r"[!-,./:-@\[-`{-~]")


def code(text: str) -> str:
    """An id in code type, exactly as it is; GitHub makes no mention or link of code."""
    safe = clip(text) or "(empty)"
    return f"`{safe}`" if not _RISKY.search(safe) else html_code(text)


def html_code(text: str) -> str:
    """An id as a ``<code>`` element, for text that backticks cannot hold: punctuation as HTML references."""
    return f"<code>{_PUNCTUATION.sub(_reference, clip(text) or '(empty)')}</code>"


def _reference(found: re.Match[str]) -> str:
    return f"&#{ord(found[0])};"


def prose(text: str, limit: int = 1000) -> str:
    """A sentence from outside as plain text: no markup, no HTML, no mentions, no links.

    GitHub looks for mentions and bare links after it has resolved references, so a zero-width space breaks
    mentions and links as well. An underscore before a letter stays, because it cannot end emphasis.
    """
    one_line = re.sub(r"[ \t\r\n]+", " ", text)
    plain = re.sub(r"[\\`*\[\]<>#|~$&]|_(?![^\W_])", _reference, clip(one_line, limit))
    for syntax, broken in (("@", "&#64;&#8203;"), ("&#35;", "&#35;&#8203;"), ("://", "&#58;&#8203;//")):
        plain = plain.replace(syntax, broken)
    return inert(re.sub(r"(?i)\b(www)\.", r"\1&#8203;.", plain), "&#x{};")


def image(chart: Chart, prefix: str) -> str:
    """A relative link to the drawing that lies beside the Markdown file; ``prefix`` begins its file name."""
    return f"![{prose(f'{chart.title}: {chart.caption}')}]({quote(f'{prefix}{chart.name}.svg')})"
