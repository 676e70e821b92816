"""Untrusted text made safe: ids, file names and messages may hold any character."""

from __future__ import annotations

import re


def visible(text: str) -> str:
    """Text without control, invisible or unassigned characters: each one is spelt ``\\xNN`` or ``\\uNNNN``.

    A byte that was not UTF-8 and travelled as a lone surrogate becomes ``\\xNN`` as well. A newline is a
    control character here: the result is one line.
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else _spelt(ord(c)) for c in text)


def _spelt(code: int) -> str:
    if 0xDC80 <= code <= 0xDCFF:  # Python's surrogateescape: the byte is in the low half
        code -= 0xDC00
    if code <= 0xFF:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def lines(text: str) -> list[str]:
    """A message of several lines, such as a traceback, as :func:`visible` lines without outer blank ones."""
    return [visible(line.removesuffix("\r")) for line in text.strip("\r\n").split("\n")]


def clip(text: str, limit: int = 200) -> str:
    """:func:`visible` text; if it has more than ``limit`` characters, the first ones and the full length."""
    safe = visible(text)
    return safe if len(safe) <= limit else f"{safe[:limit]}… ({len(text):,} characters)"


#: The first character of what a CI server reads as a command.
_COMMAND = re.compile(r":(?=:)|#(?=#(?:vso)?\[)")


def inert(text: str, spelling: str) -> str:
    """Text without commands for a CI server that reads it: ``::error``, ``##[error]``, ``##vso[..]``.

    Args:
        spelling: the escape of a character in the output format, with ``{}`` for its hexadecimal code.
    """
    return _COMMAND.sub(lambda found: spelling.format(f"{ord(found[0]):02x}"), text)
