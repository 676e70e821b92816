"""One large run cut into byte ranges of whole topics, so that several workers can judge it."""

from __future__ import annotations

import os
from io import BufferedIOBase, BufferedReader
from itertools import pairwise
from typing import BinaryIO, cast

from crosscheck.conventions import Conventions
from crosscheck.engine.parts import NotStreamable, Part, merged
from crosscheck.engine.streaming import Reading, judged_stream
from crosscheck.errors import InputError
from crosscheck.formats.source import LONGEST_LINE, open_input
from crosscheck.formats.trec import RUN, holds_json
from crosscheck.rankings.pairing import JudgedPool

__all__ = ["byte_ranges", "judged_range"]

_GZIP = b"\x1f\x8b"


def byte_ranges(path: str, count: int) -> list[tuple[int, int]]:
    """Up to ``count`` ranges of about equal size that cover the file.

    Each range but the first starts at a line whose topic differs from that of the line before. One range if
    the file is not plain text in lines.

    Raises:
        InputError: the file cannot be read.
    """
    with open_input(path, RUN) as stream:
        lines = not holds_json(stream)
    size = os.path.getsize(path)
    with open(path, "rb") as file:
        if not lines or file.read(len(_GZIP)) == _GZIP:
            return [(0, size)]
        cuts = {_next_topic(file, size * i // count) for i in range(1, count)}
    bounds = [0, *sorted(cuts - {0, size}), size]
    return list(pairwise(bounds))


def _next_topic(file: BinaryIO, position: int) -> int:
    """Start of the first topic that begins after a position; the end of the file if there is none."""
    file.seek(position)
    file.readline(LONGEST_LINE)
    current: bytes | None = None
    while True:
        start = file.tell()
        line = file.readline(LONGEST_LINE)
        if len(line) == LONGEST_LINE:  # not text; the reader will report it
            return 0
        columns = line.split(maxsplit=1)
        if not line or (columns and current not in (None, columns[0])):
            return start
        current = columns[0] if columns else current


def judged_range(
    reading: Reading, pool: JudgedPool, conventions: Conventions, bounds: tuple[int, int]
) -> Part:
    """The topics of one range, judged.

    Raises:
        NotStreamable: the run must be read as a whole; also if a line cannot be read, because the number of
            that line is known only if the whole run is read.
    """
    try:
        with open(reading.path, "rb") as file:
            stream = cast(BufferedIOBase, _Range(file, *bounds))
            return merged(judged_stream(stream, reading, pool, conventions), pool)
    except (InputError, OSError):
        raise NotStreamable from None


class _Range:
    """The bytes of a file between two positions, with the methods that the block reader needs."""

    def __init__(self, file: BufferedReader, start: int, end: int) -> None:
        file.seek(start)
        self._file, self._left = file, end - start

    def readinto(self, buffer: memoryview) -> int:
        count = self._file.readinto(memoryview(buffer)[: self._left])
        self._left -= count
        return count
