"""TOML as text, cut into tables, so that messages can name a line and edits change only one table."""

from __future__ import annotations

import re
import tomllib
from typing import Any

from msgspec import Struct

__all__ = ["Section", "sections"]


class Section(Struct, frozen=True, kw_only=True):
    """A part of the text that is TOML on its own: the text before all headers, or one header and its keys.

    Attributes:
        first_line: its line number in the file, counted from 1.
        text: the text with its line ends; comments before the next header belong to it.
        name: the header's name, such as ``tool.crosscheck``; empty for the text before all headers.
        content: the keys under the header.
    """

    first_line: int
    text: str
    name: str
    content: dict[str, Any]

    def line(self, key: str | None) -> int | None:
        """Line on which a key is set, or the first line if the key is None; None if it is not found."""
        if key is None:
            return self.first_line
        assignment = re.compile(rf"\s*([\"']?){re.escape(key)}\1\s*[=.]")
        for number, line in enumerate(self.text.split("\n"), self.first_line):
            if assignment.match(line):
                return number
        return None


def sections(text: str) -> list[Section]:
    """Cut TOML text before every table header.

    Args:
        text: valid TOML; lines may end in ``\\r\\n``.
    """
    pieces = [""]
    for line in re.findall(r"[^\n]*\n|[^\n]+", text):
        # Inside a multi-line string or array the piece so far is not TOML, and the bracket is not a header.
        if line.lstrip().startswith("[") and _parsed(pieces[-1]) is not None:
            pieces.append("")
        pieces[-1] += line
    result: list[Section] = []
    first_line = 1
    for piece in pieces:
        result.append(_section(first_line, piece, header=len(result) > 0))
        first_line += piece.count("\n")
    return result


def _section(first_line: int, text: str, *, header: bool) -> Section:
    content: Any = _parsed(text) or {}
    under: Any = (_parsed(text.partition("\n")[0]) or {}) if header else {}
    names: list[str] = []
    while under:  # the header alone: one key in another
        ((name, under),) = under.items()
        names.append(name)
        content = content[name]
        if isinstance(under, list):
            (under,), (content,) = under, content
    return Section(first_line=first_line, text=text, name=".".join(names), content=content)


def _parsed(text: str) -> dict[str, Any] | None:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return None
