"""``-Z``: every value as its distance from a mean, in standard deviations."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from msgspec.structs import replace

from crosscheck.errors import InputError, quoted
from crosscheck.formats.source import read_input
from crosscheck.trec_eval.failure import TrecEvalError
from crosscheck.trec_eval.parameters import double
from crosscheck.trec_eval.selection import Version
from crosscheck.trec_eval.table import Filled
from crosscheck.trec_eval.topics import Topics

__all__ = ["MISSING", "ZScores", "read_zscores", "standardised"]

#: (topic, name as printed) -> mean and standard deviation.
ZScores: TypeAlias = dict[tuple[bytes, bytes], tuple[float, float]]

#: Printed if the file has no mean, or if the deviation is 0 and the value differs from the mean.
MISSING = -1_000_000.0
_EXPECTED = "lines of topic measure mean deviation"


def read_zscores(path: str, version: Version) -> ZScores:
    """Means and standard deviations; the first of repeated lines counts.

    Raises:
        TrecEvalError: with code 255, the file cannot be read.
    """
    try:
        return _parsed(read_input(path, _EXPECTED), path)
    except InputError as error:
        reader = "get_zscores" if version == "10.0" or error.line is not None else "get_prefs"
        said = f"Cannot read zscores file {quoted(path, 4096)}"
        if error.line is not None:
            said = f"Malformed line {error.line}"
        raise TrecEvalError(255, f"trec_eval.{reader}: {said}", problem=error) from None


def _parsed(text: bytes, path: str) -> ZScores:
    found: ZScores = {}
    for number, line in enumerate(text.removesuffix(b"\n").split(b"\n"), 1):
        words = line.split()
        if len(words) != 4 or b"\0" in line:
            raise InputError(
                f"a line with {len(words)} columns",
                path=path,
                line=number,
                found=line,
                expected="topic measure mean deviation",
            )
        topic, name, mean, deviation = words
        found.setdefault((topic, name), (double(mean), double(deviation)))
    return found


def standardised(filled: Filled, topics: Topics, zscores: ZScores) -> Filled:
    """The column with each topic's value standardised by its own mean and deviation."""
    if isinstance(filled.values, list):
        return filled
    found = [zscores.get((topic, filled.column.name)) for topic in topics.evaluated]
    mean = np.array([f[0] if f else 0.0 for f in found])
    deviation = np.array([f[1] if f else 0.0 for f in found])
    known = np.array([f is not None for f in found])
    with np.errstate(all="ignore"):
        distance = (filled.values - mean) / deviation
    without = np.where(filled.values == mean, 0.0, MISSING)
    values = np.where(deviation != 0, distance, without)
    return replace(filled, values=np.where(known, values, MISSING))
