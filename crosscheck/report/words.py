"""Text that every report shares: text from outside made safe, ids in a row, and conventions in words."""

import os
import re
from collections.abc import Iterable, Mapping, Sequence

from crosscheck.axes import axes
from crosscheck.axes.base import AxisValue
from crosscheck.report.page import Id, Text, flat
from crosscheck.results import Comparison, GroupResult, Inputs, ToolConventions


def visible(text: str) -> str:
    """Text without control, invisible or unassigned characters: each one is spelt ``\\xNN`` or ``\\uNNNN``.

    A byte that was not UTF-8 and travelled as a lone surrogate becomes ``\\xNN`` as well. A newline is a
    control character here: the result is one line.
    """
    return text if text.isprintable() else "".join(c if c.isprintable() else _spelt(ord(c)) for c in text)


def _spelt(code: int) -> str:
    if 0xDC80 <= code <= 0xDCFF:  # Python's surrogateescape: the byte is in the low half
        code -= 0xDC00
    return f"\\x{code:02x}" if code <= 0xFF else f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def line(text: Text) -> str:
    """A sentence with its ids as :func:`visible` text."""
    return visible(flat(text))


def lines(text: str) -> list[str]:
    """The lines of a message, such as a traceback, each made :func:`visible`, without blank lines at the
    start and the end."""
    return [visible(line.removesuffix("\r")) for line in text.strip("\r\n").split("\n")]


def clip(text: str, limit: int = 200) -> str:
    """:func:`visible` text; if it has more than ``limit`` characters, the first ones and the full length."""
    safe = visible(text)
    return safe if len(safe) <= limit else f"{safe[:limit]}… ({len(text):,} characters)"


#: The first character of what a CI server reads as a command.
_COMMAND = re.compile(r":(?=:)|#(?=#(?:vso)?\[)")


def inert(text: str, spelling: str) -> str:
    """The text with commands to CI servers made harmless: ``::error``, ``##[error]``, ``##vso[..]``.

    Args:
        spelling: the escape of a character in the output format, with ``{}`` for its hexadecimal code.
    """
    return _COMMAND.sub(lambda match: spelling.format(f"{ord(match[0]):02x}"), text)


def file(path: str) -> Id:
    """The name of a file with its folder, because many files are called qrels."""
    return Id("/".join(path.split("/")[-2:]))


def files(*paths: str) -> list[Id]:
    """The names of the files, or their paths if two have the same name."""
    names = [os.path.basename(path) for path in paths]
    return [Id(name) for name in (names if len(set(names)) == len(paths) else paths)]


def place(one: Comparison | Inputs | GroupResult | ToolConventions) -> Id:
    """Case and run as reports show them: ``case / run``."""
    return Id(f"{one.case} / {one.run}")


def listed(names: Iterable[str], limit: int, total: int | None = None) -> tuple[str, ...]:
    """The first ``limit`` ids, joined by commas, and how many more there are (up to ``total``, if given)."""
    given = list(names)
    rest = (len(given) if total is None else total) - len(given[:limit])
    shown = in_row([(Id(name),) for name in given[:limit]])
    return (*shown, f" and {rest:,} more") if rest > 0 else shown


def in_row(sentences: Iterable[tuple[str, ...]]) -> tuple[str, ...]:
    """Sentences, joined by commas."""
    return tuple(part for n, one in enumerate(sentences) for part in ((", ", *one) if n else one))


def convention(axis: str, value: AxisValue) -> str:
    """The behaviour under this axis value, in words; ``axis = value`` if the axis is unknown."""
    known = axes().get(axis)
    return (known and known.phrase(value)) or setting(axis, value)


def setting(axis: str, value: AxisValue) -> str:
    """An axis value as it is typed on the command line: ``ties=rank-column``."""
    return f"{axis}={'none' if value is None else value}"


def settings(conventions: Mapping[str, AxisValue]) -> str:
    """Changed axes as they are typed on the command line, separated by commas."""
    return ",".join(setting(axis, value) for axis, value in in_axis_order(conventions))


def in_axis_order(conventions: Mapping[str, AxisValue]) -> list[tuple[str, AxisValue]]:
    """Changed axes in the order in which an evaluation uses them; axes that do not exist come last."""
    position = {axis: index for index, axis in enumerate(axes())}
    return sorted(conventions.items(), key=lambda item: (position.get(item[0], len(position)), item[0]))


def changes(conventions: Mapping[str, AxisValue]) -> str:
    """Changed axes as they are typed, each with the behaviour in words."""
    return "; ".join(f"{setting(*one)} ({convention(*one)})" for one in in_axis_order(conventions))


def cause_list(causes: list[str]) -> str:
    """Labels joined by plus signs; ``unexplained`` if there are none."""
    return " + ".join(causes) or "unexplained"


def cause_sentence(causes: Sequence[str], strength: str | None) -> str:
    """``Causes (proved): gain, ideal-ranking.``; ``Cause: unexplained.`` if there are none."""
    sure = f" ({strength})" if strength not in (None, "none") else ""
    return f"{'Causes' if len(causes) > 1 else 'Cause'}{sure}: {', '.join(causes) or 'unexplained'}."
