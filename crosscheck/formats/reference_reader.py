"""trec_eval's rules for run and qrels files, line by line: slow, and short enough to be checked by eye.

A line ends at ``\\n`` and nowhere else. Columns are separated by any number of the six ASCII blanks (space,
tab, newline, vertical tab, form feed, carriage return), so CRLF files need no care. Everything else is a
byte of an id.

- Run: at least six columns ``topic Q0 docno rank score tag``; further ones are ignored, and so are blank
  lines. trec_eval uses topic, docno, score and tag only; the rank is kept for other tools.
- Qrels: exactly four columns ``topic iteration docno relevance``; a blank line is an error.

The block reader (:mod:`crosscheck.formats.blocks`) is fast and must agree with this module on any bytes; it
also passes everything it cannot parse to this module.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple, TypeAlias

import numpy as np
from msgspec import Struct

from crosscheck.errors import InputError
from crosscheck.formats.grouping import QrelsBlock, RunBlock, identifiers
from crosscheck.formats.numerals import INT64, atof, atol, qrels_hint, run_hint, whole_number
from crosscheck.formats.source import nul_byte
from crosscheck.model import IntArray

#: A function that makes the error for a line, from a message and the expected content.
_Wrong: TypeAlias = Callable[..., InputError]


class Rules(Struct, frozen=True, eq=False):
    """Strictness of reading.

    Attributes:
        strict: refuse scores and relevance levels that are not numbers as a whole, and NaN scores; otherwise
            read them as trec_eval does.
        comments: skip comment lines, as trec_eval 10 does: in a run those whose first byte that is not a
            blank is ``#``, in qrels those that start with ``#``.
        subtopics: keep the second column of qrels, which names the subtopic in diversity tasks.
    """

    strict: bool = True
    comments: bool = False
    subtopics: bool = False


class RunLine(NamedTuple):
    """One line of a run."""

    line: int
    topic: bytes
    docno: bytes
    rank: bytes
    score: float
    tag: bytes


class Judgement(NamedTuple):
    """One line of qrels."""

    line: int
    topic: bytes
    subtopic: bytes
    docno: bytes
    rel: int


def retrieved(text: bytes, path: str, rules: Rules, first_line: int = 1) -> Iterator[RunLine]:
    """The rows of a run.

    Args:
        text: whole lines; the last one may lack its newline.
        path, first_line: name of the file and line number of the start of the text, for messages.

    Raises:
        InputError: at the first line that cannot be read.
    """
    for number, line, wrong in _lines(text, path, first_line):
        columns = line.split()
        if not columns or (rules.comments and columns[0].startswith(b"#")):
            continue
        if len(columns) < 6:
            raise wrong(
                f"a run line with {_counted(columns)}",
                expected="at least 6 columns: topic Q0 docno rank score tag",
                hint=run_hint(columns),
            )
        if len(columns) > 6 and rules.strict and b"\r" in line.strip():
            raise wrong(
                "a carriage return inside a line, where another line may begin",
                expected="lines that end in \\n or \\r\\n",
                hint="tr '\\r' '\\n' makes such lines of it; trec_eval would read the first of them only",
            )
        topic, _, docno, rank, score, tag = columns[:6]
        yield RunLine(number, topic, docno, rank, _score(score, wrong, rules), tag)


def judgements(text: bytes, path: str, rules: Rules, first_line: int = 1) -> Iterator[Judgement]:
    """The rows of qrels; arguments and errors as for :func:`retrieved`."""
    for number, line, wrong in _lines(text, path, first_line):
        if rules.comments and line.startswith(b"#"):
            continue
        columns = line.split()
        if len(columns) != 4:
            raise wrong(
                f"a qrels line with {_counted(columns)}" if columns else "a blank line in qrels",
                expected="exactly 4 columns: topic iteration docno relevance",
                hint=qrels_hint(columns),
            )
        topic, subtopic, docno, rel = columns
        yield Judgement(number, topic, subtopic, docno, _rel(rel, wrong, rules))


def _lines(text: bytes, path: str, first_line: int) -> Iterator[tuple[int, bytes, _Wrong]]:
    """(number, line, function that makes an error for the line) of each line."""
    lines = text.split(b"\n")
    if not lines[-1]:
        lines.pop()
    for number, line in enumerate(lines, first_line):
        if b"\0" in line:
            raise nul_byte(path, number, line)
        yield number, line, partial(InputError, path=path, line=number, found=line)


def _counted(columns: list[bytes]) -> str:
    return f"{len(columns)} column" + ("" if len(columns) == 1 else "s")


def _score(token: bytes, wrong: _Wrong, rules: Rules) -> float:
    value, complete = atof(token)
    if rules.strict and not complete:
        raise wrong(
            "a score that is not a number",
            expected="a number in column 5",
            hint=f"correct it; trec_eval would silently read {value!r}",
        )
    if rules.strict and math.isnan(value):
        raise wrong(
            "a NaN score, which has no rank",
            expected="a number in column 5",
            hint="correct the score or remove the line",
        )
    return value


def _rel(token: bytes, wrong: _Wrong, rules: Rules) -> int:
    value, complete = atol(token)
    if rules.strict and not complete:
        raise wrong(
            "a relevance level that is not a whole number",
            expected="a whole number in column 4",
            hint=f"correct it; trec_eval would silently read {value}",
        )
    if value not in INT64:
        raise wrong(
            "a relevance level that does not fit into 64 bits",
            expected="a small whole number in column 4",
            hint="correct it; trec_eval fails on it as well",
        )
    return value


def run_block(text: bytes, path: str, rules: Rules, first_line: int = 1) -> RunBlock | None:
    """The rows of a run as columns, or None if there are only blank lines and comments."""
    rows = list(retrieved(text, path, rules, first_line))
    if not rows:
        return None
    lines, topics, docnos, ranks, scores, tags = zip(*rows, strict=True)
    starts = _starts(topics)
    numbers = [whole_number(rank) for rank in ranks]
    odd = numbers.index(None) if None in numbers else None
    return RunBlock(
        starts=starts,
        topics=[topics[row] for row in starts],
        docnos=identifiers(docnos),
        scores=np.array(scores, np.float64),
        ranks=None if odd is not None else np.array(numbers, np.int64),
        odd_rank=None if odd is None else (lines[odd], ranks[odd]),
        tag=tags[-1],
        lines=lines,
        tags=tuple(dict.fromkeys(tags)),
    )


def qrels_block(text: bytes, path: str, rules: Rules, first_line: int = 1) -> QrelsBlock | None:
    """The rows of qrels as columns, or None if there are only comments."""
    rows = list(judgements(text, path, rules, first_line))
    if not rows:
        return None
    lines, topics, subtopics, docnos, rels = zip(*rows, strict=True)
    starts = _starts(topics)
    return QrelsBlock(
        starts=starts,
        topics=[topics[row] for row in starts],
        docnos=identifiers(docnos),
        rels=np.array(rels, np.int64),
        lines=lines,
        subtopics=identifiers(subtopics) if rules.subtopics else None,
    )


def _starts(topics: tuple[bytes, ...]) -> IntArray:
    changes = [row for row in range(1, len(topics)) if topics[row] != topics[row - 1]]
    return np.array([0, *changes], np.int64)
