"""The tables printed by ndeval and gdeval: a line per topic, a column per measure, separated by commas."""

from __future__ import annotations

from collections.abc import Iterator

from crosscheck.errors import InputError, quoted
from crosscheck.formats.numerals import PRINTED
from crosscheck.model import display

__all__ = ["is_table", "table_entries"]

_HEAD = b"runid,topic,"
_MEAN = b"amean"


def is_table(data: bytes) -> bool:
    """Whether the text starts like a table of ndeval or gdeval."""
    return data.lstrip().startswith(_HEAD)


def table_entries(data: bytes, path: str) -> Iterator[tuple[tuple[str, bytes, float], bytes]]:
    """(measure, topic, value) of each cell, and the value as printed; the topic of the line ``amean`` is
    ``all``.

    Raises:
        InputError: the number of columns differs from the first line's, a cell is not a number, or a measure
            or topic occurs twice.
    """
    lines = [(number, line.strip()) for number, line in enumerate(data.split(b"\n"), 1) if line.strip()]
    measures = [display(name) for name in lines[0][1].split(b",")[2:]]
    if twice := next((name for name in measures if measures.count(name) > 1), None):
        raise InputError(f"measure {quoted(twice)} occurs twice", path=path, line=lines[0][0])
    first_line: dict[bytes, int] = {}
    for number, line in lines[1:]:
        _, *columns = line.split(b",")
        topic, values = b"".join(columns[:1]), columns[1:]
        if len(values) != len(measures) or not all(map(PRINTED.fullmatch, values)):
            raise InputError(
                f"a line without run id, topic and {len(measures)} numbers",
                path=path,
                line=number,
                found=line,
                expected=f"as in line {lines[0][0]}: {quoted(lines[0][1])}",
                hint="save the output of ndeval as it is",
            )
        if (before := first_line.setdefault(topic, number)) != number:
            raise InputError(
                f"topic {quoted(display(topic))} is on lines {before} and {number}",
                path=path,
                line=number,
                found=line,
                expected="the output of one call of ndeval",
                hint="keep the output of each run in its own file",
            )
        for measure, text in zip(measures, values, strict=True):
            yield (measure, b"all" if topic == _MEAN else topic, float(text)), text
