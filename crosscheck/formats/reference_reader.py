"""trec_eval's rules for run and qrels files, line by line: slow, and short enough to be checked by eye.

A line ends at ``\\n`` and nowhere else. Columns are separated by any number of the six ASCII blanks (space,
tab, newline, vertical tab, form feed, carriage return), so CRLF files need no care. Everything else is a
byte of an id. A :class:`Layout` says which columns a line has.

The block reader (:mod:`crosscheck.formats.blocks`) is fast and must agree with this module on any bytes; it
also passes everything it cannot parse to this module.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import partial
from typing import TypeAlias

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from crosscheck.errors import InputError
from crosscheck.formats.grouping import Block, Line, identifiers, preferences_of, starts_of_topics
from crosscheck.formats.numerals import INT64, atof, atol, clamped, whole_number
from crosscheck.formats.source import nul_byte
from crosscheck.model import Qrels

#: A function that makes the error for a line, from a message and the expected content.
_Wrong: TypeAlias = Callable[..., InputError]


class Layout(Struct, frozen=True, kw_only=True, eq=False):
    """The columns of a line of one kind of file.

    Attributes:
        noun: the kind, for messages.
        columns: their names.
        lenient: whether further columns and blank lines are ignored; otherwise they are errors.
        hint: advice for a line with other columns.
    """

    noun: str
    columns: tuple[str, ...]
    lenient: bool = False
    hint: Callable[[list[bytes]], str]

    @property
    def expected(self) -> str:
        amount = "at least" if self.lenient else "exactly"
        return f"{amount} {len(self.columns)} columns: {' '.join(self.columns)}"


class Rules(Struct, frozen=True, eq=False):
    """Strictness of reading.

    Attributes:
        strict: refuse scores and relevance levels that are not numbers as a whole, and NaN scores; otherwise
            read them as trec_eval does.
        comments: skip comment lines, as trec_eval 10 does: in a run those whose first byte that is not a
            blank is ``#``, in qrels those that start with ``#``.
        subtopics: keep the second column of qrels, which names the subtopic in diversity tasks.
        clamped: take the nearest relevance level that fits into 64 bits, as C does, instead of refusing it.
    """

    strict: bool = True
    comments: bool = False
    subtopics: bool = False
    clamped: bool = False


_SWAPPED = "were qrels and run swapped?"
_THREE = "three columns are the form of MS MARCO and BEIR files: rewrite the file as"
_COMPLETE = "complete the line or remove it"


def _is_number(token: bytes) -> bool:
    return atof(token)[1]


def _is_integer(token: bytes) -> bool:
    return whole_number(token) is not None


def _usual_hint(columns: list[bytes], layout: str) -> str:
    match columns:
        case [_, _, _]:
            return f"{_THREE} {layout}"
        case [only] if b"," in only:
            return "columns are separated by blanks or tabs, not by commas"
    return _COMPLETE


def _run_hint(columns: list[bytes]) -> str:
    match columns:
        case [first, *_] if first.startswith(b"#"):
            return "trec_eval 9 has no comments: remove the line"
        case [_, _, _, rel] if _is_integer(rel):
            return f"this looks like a line of qrels: {_SWAPPED}"
        case [_, _, _, rank, score] if _is_integer(rank) and _is_number(score):
            return "the sixth column is missing: add a run tag, any word, to each line"
    return _usual_hint(columns, "topic Q0 docno rank score tag")


def _qrels_hint(columns: list[bytes]) -> str:
    match columns:
        case []:
            return "remove the line; trec_eval refuses it too, even at the end of the file"
        case [first, *_] if first.startswith(b"#"):
            return "trec_eval 9 has no comments: remove the line"
        case [_, _, _, rank, score, *_] if _is_integer(rank) and _is_number(score):
            return f"this looks like a line of a run: {_SWAPPED}"
        case [_, group, _, _, level] if group != b"0" and _is_number(level):
            return "this looks like a line of preferences: ask for their measures, such as prefs_simp"
        case [_, _, _, _, _, *_]:
            return "a docno cannot hold blanks, and trec_eval takes no further columns in qrels"
    return _usual_hint(columns, "topic 0 docno relevance")


def _preferences_hint(columns: list[bytes]) -> str:
    if not columns:
        return "remove it; trec_eval fails on it as well"
    return "is this another format? -R chooses between qrels, qrels_jg, prefs and qrels_prefs"


RUN_LINES = Layout(
    noun="run", columns=("topic", "Q0", "docno", "rank", "score", "tag"), lenient=True, hint=_run_hint
)
QRELS_LINES = Layout(noun="qrels", columns=("topic", "iteration", "docno", "relevance"), hint=_qrels_hint)
PREFS_LINES = Layout(
    noun="preferences", columns=("topic", "group", "subgroup", "docno", "level"), hint=_preferences_hint
)
QRELS_PREFS_LINES = Layout(
    noun="preferences", columns=("topic", "group", "docno", "level"), hint=_preferences_hint
)


def lines(
    text: bytes, path: str, layout: Layout, rules: Rules, first_line: int = 1
) -> Iterator[tuple[int, list[bytes], _Wrong]]:
    """(number, columns, function that makes an error for the line) of each line that counts.

    Args:
        text: whole lines; the last one may lack its newline.
        path, first_line: name of the file and line number of the start of the text, for messages.

    Raises:
        InputError: at the first line without these columns.
    """
    every = text.split(b"\n")
    if not every[-1]:
        every.pop()
    for number, line in enumerate(every, first_line):
        if b"\0" in line:
            raise nul_byte(path, number, line, f"text with {layout.expected}")
        columns = line.split()
        if rules.comments and (line.lstrip() if layout.lenient else line).startswith(b"#"):
            continue
        if not columns and layout.lenient:
            continue
        wrong = partial(InputError, path=path, line=number, found=line)
        if len(columns) < len(layout.columns) or (len(columns) > len(layout.columns) and not layout.lenient):
            counted = f"{len(columns)} column" + ("" if len(columns) == 1 else "s")
            raise wrong(
                f"a {layout.noun} line with {counted}" if columns else f"a blank line in {layout.noun}",
                expected=layout.expected,
                hint=layout.hint(columns),
            )
        if len(columns) > len(layout.columns) and rules.strict and b"\r" in line.strip():
            raise wrong(
                "a carriage return inside a line, where another line may begin",
                expected="lines that end in \\n or \\r\\n",
                hint="tr '\\r' '\\n' makes such lines of it; trec_eval would read the first of them only",
            )
        yield number, columns[: len(layout.columns)], wrong


_SCORE = "a number in column 5"
_READS = "correct it; trec_eval would silently read"


def _score(token: bytes, wrong: _Wrong, rules: Rules) -> float:
    value, complete = atof(token)
    if rules.strict and not complete:
        raise wrong("a score that is not a number", expected=_SCORE, hint=f"{_READS} {value!r}")
    if rules.strict and math.isnan(value):
        hint = "correct the score or remove the line"
        raise wrong("a NaN score, which has no rank", expected=_SCORE, hint=hint)
    return value


def _rel(token: bytes, wrong: _Wrong, rules: Rules) -> int:
    value, complete = atol(token)
    if rules.strict and not complete:
        problem = "a relevance level that is not a whole number"
        raise wrong(problem, expected="a whole number in column 4", hint=f"{_READS} {value}")
    if value not in INT64 and rules.clamped:
        return clamped(value)
    if value not in INT64:
        problem, hint = (
            "a relevance level that does not fit into 64 bits",
            "correct it; trec_eval fails on it as well",
        )
        raise wrong(problem, expected="a small whole number in column 4", hint=hint)
    return value


def block(text: bytes, path: str, layout: Layout, rules: Rules, first_line: int = 1) -> Block | None:
    """The rows of a run or of qrels as columns, None if no line counts; arguments and errors as for
    :func:`lines`."""
    number = _score if layout is RUN_LINES else _rel
    place = layout.columns.index("score" if layout is RUN_LINES else "relevance")
    rows = [
        (line, number(columns[place], wrong, rules), columns)
        for line, columns, wrong in lines(text, path, layout, rules, first_line)
    ]
    if not rows:
        return None
    numbers, values, columns = zip(*rows, strict=True)
    topics, second, docnos, *others = zip(*columns, strict=True)
    starts = starts_of_topics(topics)
    made = Block(
        starts=starts,
        topics=[topics[row] for row in starts],
        docnos=identifiers(docnos),
        values=np.array(values, np.float64 if layout is RUN_LINES else np.int64),
        lines=numbers,
    )
    if layout is not RUN_LINES:
        return replace(made, subtopics=identifiers(second) if rules.subtopics else None)
    tokens, _, tags = others
    ranks = list(map(whole_number, tokens))
    odd = ranks.index(None) if None in ranks else None
    return replace(
        made,
        ranks=np.array(ranks, np.int64) if odd is None else None,
        odd_rank=None if odd is None else (numbers[odd], tokens[odd]),
        tag=tags[-1],
        tags=tuple(dict.fromkeys(tags)),
    )


def preferences(
    text: bytes, path: str, *, subgroups: bool | None = None, notes: tuple[str, ...] = ()
) -> Qrels:
    """Read ``topic group [subgroup] docno level`` lines by trec_eval's rules: the longest number at the start
    of a level counts, 0.0 if there is none.

    Args:
        subgroups: whether lines have the column ``subgroup`` (``prefs``) or not (``qrels_prefs``); None to
            decide by the first line.

    Raises:
        InputError: at the first line that has another number of columns (a blank one included) or a NUL
            byte, or if there is no line.
    """
    if subgroups is None:
        subgroups = len(text.partition(b"\n")[0].split()) == len(PREFS_LINES.columns)
    layout = PREFS_LINES if subgroups else QRELS_PREFS_LINES

    def judgements() -> Iterator[Line]:
        for _, (topic, group, *subgroup, docno, level), _ in lines(text, path, layout, Rules()):
            yield topic, group, subgroup[0] if subgroup else b"", docno, atof(level)[0]

    if not text:
        raise InputError("the file is empty", path=path, expected=f"lines with {layout.expected}")
    return preferences_of(judgements(), path, notes)
