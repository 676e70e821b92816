"""trec_eval's rules for run and qrels files, applied line by line: slow, but short enough to check by eye.

A line ends only at ``\\n``. Columns are separated by any number of the six ASCII blanks (space, tab,
newline, vertical tab, form feed, carriage return), so CRLF files need no special treatment. Every other byte
belongs to a column. A :class:`Layout` says which columns a line has.

The block reader (:mod:`crosscheck.formats.blocks`) is fast and must give the same results as this module for
any bytes. It passes the text that it cannot parse to this module.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
from msgspec import Struct

from crosscheck.errors import InputError
from crosscheck.formats.grouping import Block, identifiers, preferences_of, starts_of_topics
from crosscheck.formats.numerals import INT64, atof, atol, clamped, whole_number
from crosscheck.formats.source import carriage_return, nul_byte
from crosscheck.model import Qrels

#: A function that creates the error for a line from a message and the expected content.
_Wrong: TypeAlias = Callable[..., InputError]
#: Line number, columns, and the function that creates an error for the line.
Line: TypeAlias = tuple[int, list[bytes], _Wrong]


class Layout(Struct, frozen=True, kw_only=True, eq=False):
    """The columns of the lines in one kind of file.

    Attributes:
        noun: the kind, for messages.
        columns: their names.
        hint: a function that returns the advice for a line whose number of columns is wrong; its second
            argument is whether the line is the first.
        lenient: whether further columns and blank lines are ignored; otherwise they are errors.
    """

    noun: str
    columns: tuple[str, ...]
    hint: Callable[[list[bytes], bool], str]
    lenient: bool = False

    @property
    def expected(self) -> str:
        amount = "at least" if self.lenient else "exactly"
        return f"{amount} {len(self.columns)} columns: {' '.join(self.columns)}"


class Rules(Struct, frozen=True, eq=False):
    """How strictly a file is read.

    Attributes:
        strict: raise an error for a NaN score, and for a score or relevance level that is not entirely a
            number (``1.5junk``); if False, read such values as trec_eval does.
        comments: skip comment lines, as trec_eval 10 does: in a run, lines whose first byte after any blanks
            is ``#``; in qrels, lines that start with ``#``.
        subtopics: keep the second column of qrels, which names the subtopic in diversity tasks.
        clamped: replace a relevance level beyond 64 bits by the nearest one that fits, as C does.
    """

    strict: bool = True
    comments: bool = False
    subtopics: bool = False
    clamped: bool = False


SWAPPED = "were qrels and run swapped?"
MAYBE_SWAPPED = f"correct the level, or if it is a score: {SWAPPED}"
_FAILS_TOO = "trec_eval fails on it as well"
_BLANKS = "write ids with blanks as CSV or JSON, or without their blanks; trec_eval reads other columns"


def _is_number(token: bytes) -> bool:
    return atof(token)[1]


def _is_integer(token: bytes) -> bool:
    return whole_number(token) is not None


def name_columns(noun: str, columns: Sequence[str]) -> str:
    """The advice to name the columns, in the words of ``--format``."""
    return f"name the columns: --format {noun}={','.join(columns)}"


def _usual_hint(columns: list[bytes], noun: str, first: bool) -> str:
    delimiter = next((one for one in (b",", b";", b"|") if one in columns[0]), b"") if columns else b""
    cells = columns[0].split(delimiter) if delimiter and len(columns) == 1 else columns
    of_qrels = noun == "run" and cells is columns and cells[1:2] == [b"0"]
    if len(cells) != 3 and (len(cells) < 3 or of_qrels or (cells is columns and not first)):
        return "complete the line or remove it"
    numbers = [place for place in range(2, len(cells)) if _is_number(cells[place])]
    # Of several numbers of a run, whole ones are ranks.
    scores = [place for place in numbers if noun == "run" and not _is_integer(cells[place])]
    value = (scores or numbers[-1:] or [len(cells) - 1])[0]
    named = ["_"] * len(cells)
    named[0], named[2 if cells[1].upper() in (b"0", b"Q0") and value > 2 else 1] = "qid", "docid"
    named[value] = "score" if noun == "run" else "relevance"
    hint = name_columns(noun, named)
    if cells is not columns:
        return f"{hint}, or name them in a first line"
    by_rank = noun == "run" and len(cells) == 3 and not scores
    return f"{hint}, or --format run=msmarco for ranks" if by_rank else hint


def _has_blanks(columns: list[bytes]) -> bool:
    """Whether a line of a run, of more than six columns, has a docno with blanks: the rank and the score are
    in later columns."""
    later = [] if _is_number(columns[3]) else columns[4:]
    return any(_is_integer(rank) and _is_number(score) for rank, score in pairwise(later))


def _run_hint(columns: list[bytes], first: bool) -> str:
    match columns:
        case [word, *_] if word.startswith(b"#"):
            return "remove the line: trec_eval 9 has no comments"
        case [_, _, _, rel] if first and _is_integer(rel):
            return f"check the order of the files: this looks like a line of qrels; {SWAPPED}"
        case [_, _, _, rank, score] if _is_integer(rank) and _is_number(score):
            return "add a run tag (any word) to each line: the sixth column is missing"
    return _usual_hint(columns, "run", first)


def _qrels_hint(columns: list[bytes], first: bool) -> str:
    match columns:
        case []:
            return "remove the line; trec_eval fails on a blank line, even at the end of the file"
        case [word, *_] if word.startswith(b"#"):
            return "remove the line: trec_eval 9 has no comments"
        case [_, _, _, rank, score, *_] if first and _is_integer(rank) and _is_number(score):
            return f"check the order of the files: this looks like a line of a run; {SWAPPED}"
        case [_, group, _, _, level] if group != b"0" and _is_number(level):
            return "name a measure of preferences, such as prefs_simp: this looks like a line of preferences"
        case [_, _, _, _, _, *_]:
            return "remove further columns and blanks inside the docno: trec_eval fails on them in qrels"
    return _usual_hint(columns, "qrels", first)


def _preferences_hint(columns: list[bytes], first: bool) -> str:
    if not columns:
        return "remove the line; " + _FAILS_TOO
    return "check the format: -R chooses between qrels, qrels_jg, prefs and qrels_prefs"


RUN_LINES = Layout(
    noun="run", columns=("topic", "Q0", "docno", "rank", "score", "tag"), hint=_run_hint, lenient=True
)
QRELS_LINES = Layout(noun="qrels", columns=("topic", "iteration", "docno", "relevance"), hint=_qrels_hint)
_preferences_lines = partial(Layout, noun="preferences", hint=_preferences_hint)
PREFS_LINES = _preferences_lines(columns=("topic", "group", "subgroup", "docno", "level"))
QRELS_PREFS_LINES = _preferences_lines(columns=("topic", "group", "docno", "level"))
#: The lines that trec_eval reads by default.
TREC_LINES = {"run": RUN_LINES, "qrels": QRELS_LINES}


def lines(text: bytes, path: str, layout: Layout, rules: Rules, first_line: int = 1) -> Iterator[Line]:
    """Each line that is not skipped.

    Args:
        text: whole lines; the last one may lack its newline.
        path, first_line: name of the file and line number of the start of the text, for messages.

    Raises:
        InputError: at the first line that does not have the columns of ``layout``.
    """
    every = text.split(b"\n")
    if not every[-1]:
        every.pop()
    for number, line in enumerate(every, first_line):
        if b"\0" in line:
            raise nul_byte(path, number, line, f"text with {layout.expected}")
        columns = line.split()
        comment = rules.comments and (line.lstrip() if layout.lenient else line).startswith(b"#")
        if comment or (not columns and layout.lenient):
            continue
        wrong = partial(InputError, path=path, line=number, found=line)
        if len(columns) != len(layout.columns) and rules.strict and b"\r" in line.strip():
            raise carriage_return(path, number, line, "; trec_eval reads only the first line of the two")
        if len(columns) < len(layout.columns) or (len(columns) > len(layout.columns) and not layout.lenient):
            problem = f"a blank line in {layout.noun}"
            if columns:
                problem = f"the {layout.noun} line has {len(columns)} column{'s' * (len(columns) > 1)}"
            raise wrong(problem, expected=layout.expected, hint=layout.hint(columns, number == 1))
        odd = len(columns) > len(layout.columns) and not columns[3].isdigit()
        if odd and rules.strict and _has_blanks(columns):
            problem = "the rank is in a later column, as after a docno with blanks"
            raise wrong(problem, expected=layout.expected, hint=_BLANKS)
        yield number, columns[: len(layout.columns)], wrong


def _reads(value: float, cells: bool) -> str:
    return "correct the value" + ("" if cells else f"; trec_eval would silently read {value!r}")


def _score(token: bytes, wrong: _Wrong, rules: Rules, column: int, cells: bool) -> float:
    value, complete = atof(token)
    expected = f"a number in column {column}"
    if rules.strict and not complete:
        point = cells and b"," in token and _is_number(token.replace(b",", b"."))
        hint = "write decimals with a point in place of the comma" if point else _reads(value, cells)
        raise wrong("the score is not a number", expected=expected, hint=hint)
    if rules.strict and math.isnan(value):
        hint = "correct the score or remove the line"
        raise wrong("the score is NaN, which has no rank", expected=expected, hint=hint)
    return value


def _score_of_rank(token: bytes, wrong: _Wrong, rules: Rules, column: int, cells: bool) -> float:
    value = whole_number(token)
    if value is None:
        expected = f"a whole number in column {column}, because there is no score"
        raise wrong("the rank is not a whole number", expected=expected)
    return -float(value)


def _rel(token: bytes, wrong: _Wrong, rules: Rules, column: int, cells: bool) -> int:
    value, complete = atol(token)
    if rules.strict and not complete:
        problem = "the relevance level is not a whole number"
        is_score = cells and not atof(token)[0].is_integer() and _is_number(token)
        hint = MAYBE_SWAPPED if is_score else _reads(value, cells)
        if cells and token.lower() in (b"true", b"false"):
            hint = "write 1 for true and 0 for false"
        raise wrong(problem, expected=f"a whole number in column {column}", hint=hint)
    if value not in INT64 and not rules.clamped:
        problem, hint = "the relevance level does not fit into 64 bits", "correct the level; " + _FAILS_TOO
        raise wrong(problem, expected=f"a small whole number in column {column}", hint=hint)
    return clamped(value)


def block(text: bytes, path: str, layout: Layout, rules: Rules, first_line: int = 1) -> Block | None:
    """The lines of a run or of qrels as columns; None if all lines are skipped. Arguments and errors as for
    :func:`lines`."""
    return block_of(lines(text, path, layout, rules, first_line), layout, rules)


def block_of(rows: Iterable[Line], layout: Layout, rules: Rules, numbers: Sequence[int] = ()) -> Block | None:
    """The rows of a run or of qrels as columns; None if there are no rows.

    Args:
        rows: as :func:`lines` yields them.
        layout: their columns. In a run without ``score`` the negative ranks are the scores; in qrels without
            ``relevance`` every document has level 1.
        rules: strictness.
        numbers: number of each column in the file, counted from 1, for messages; empty for 1, 2, ..., as in
            lines that trec_eval reads.

    Raises:
        InputError: a score, rank or level is not a number.
    """
    names, of_run = layout.columns, layout.noun == "run"
    valued, read = next((n, f) for n, f in _VALUES[of_run] if n in names or not n)
    place = names.index(valued) if valued else 0
    column = numbers[place] if numbers else place + 1
    cells = bool(numbers)
    parsed = [(line, read(each[place], wrong, rules, column, cells), each) for line, each, wrong in rows]
    if not parsed:
        return None
    line_numbers, values, columns = zip(*parsed, strict=True)
    by_name = dict(zip(names, zip(*columns, strict=True), strict=True))
    topics = by_name["topic"]
    starts = starts_of_topics(topics)
    made = partial(Block, starts=starts, topics=[topics[row] for row in starts], lines=line_numbers)
    docnos = identifiers(by_name["docno"])
    if not of_run:
        second = identifiers(by_name["iteration"]) if rules.subtopics and "iteration" in by_name else None
        return made(docnos=docnos, values=np.array(values, np.int64), subtopics=second)
    tokens, tags = by_name.get("rank", ()), by_name.get("tag", ())
    numbered = list(map(whole_number, tokens))
    odd = numbered.index(None) if None in numbered else None
    odd_rank = None if odd is None else (line_numbers[odd], tokens[odd])
    ranks = np.array(numbered, np.int64) if numbered and odd is None else None
    scores, tag = np.array(values, np.float64), tags[-1] if tags else b""
    different = tuple(dict.fromkeys(tags))
    return made(docnos=docnos, values=scores, ranks=ranks, odd_rank=odd_rank, tag=tag, tags=different)


#: For qrels and for a run: (column that may hold the value, function that reads it). "" means a value of 1.
_VALUES: tuple[Sequence[tuple[str, Callable[..., Any]]], ...] = (
    (("relevance", _rel), ("", lambda *_: 1)),
    (("score", _score), ("rank", _score_of_rank)),
)


def preferences(text: bytes, path: str, *, subgroups: bool | None = None) -> Qrels:
    """Read ``topic group [subgroup] docno level`` lines by trec_eval's rules.

    A level is the longest number at the start of its column, 0.0 if the column starts with none.

    Args:
        subgroups: whether lines have the column ``subgroup`` (``prefs``) or not (``qrels_prefs``); None: the
            first line decides.

    Raises:
        InputError: at the first line that has a wrong number of columns (such as a blank line) or a NUL
            byte, or if there is no line.
    """
    if subgroups is None:
        subgroups = len(text.partition(b"\n")[0].split()) == len(PREFS_LINES.columns)
    layout = PREFS_LINES if subgroups else QRELS_PREFS_LINES
    if not text:
        raise InputError("the file is empty", path=path, expected=f"lines with {layout.expected}")
    judgements = (
        (topic, group, b"".join(subgroup), docno, atof(level)[0])
        for _, (topic, group, *subgroup, docno, level), _ in lines(text, path, layout, Rules())
    )
    return preferences_of(judgements, path)
