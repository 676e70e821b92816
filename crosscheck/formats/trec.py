"""Reading runs and judgements from files: TREC text or JSON, plain or gzip."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import TypeVar

import numpy as np

from crosscheck.errors import EmptyInput, InputError, quoted
from crosscheck.formats.blocks import qrels_blocks, run_blocks
from crosscheck.formats.dicts import several_tags
from crosscheck.formats.grouping import (
    Grouping,
    QrelsBlock,
    RunBlock,
    find_repeated,
    group_blocks,
    joined,
    numbered,
    per_subtopic,
    preferences_from_text,
)
from crosscheck.formats.reference_reader import Rules
from crosscheck.formats.source import BOM, line_of, open_input, text_of
from crosscheck.model import IdArray, IntArray, Needs, Qrels, Run, display

_Table = TypeVar("_Table", Run, Qrels)

#: Expected content of a file, for messages.
RUN = "a run: lines of topic Q0 docno rank score tag, or JSON {topic: {docno: score}}"
QRELS = "qrels: lines of topic iteration docno relevance, or JSON {topic: {docno: relevance}}"


class RepeatedError(InputError):
    """A document, ``docno``, occurs twice under a topic, or under a topic and subtopic."""

    docno: bytes


def read_run(path: str, *, strict: bool = True, comments: bool = False) -> Run:
    """Read a run: TREC text by trec_eval's rules, or JSON (first byte that is not a blank: ``{``).

    Text lines have at least six columns ``topic Q0 docno rank score tag``; blank lines are skipped. See
    :mod:`crosscheck.formats.reference_reader` for every rule, :mod:`crosscheck.formats.dicts` for JSON. Files
    that start like gzip are decompressed.

    Args:
        path: the file.
        strict: refuse lines that trec_eval would silently reinterpret or fail on later: a document twice
            under a topic, a NaN score, a score that is not entirely a number (``abc`` is 0 in trec_eval).
            Otherwise read exactly as trec_eval does and keep duplicates: see :func:`find_duplicate`.
        comments: skip lines whose first byte that is not a blank is ``#``, as trec_eval 10 does.

    Raises:
        InputError: the file is missing, a directory, empty, corrupt gzip or without any document, or a
            line cannot be read; the message names the line.
    """
    with open_input(path, RUN) as stream:
        if json := _json(stream, path, RUN):
            from crosscheck.formats.dicts import run_from_json

            return run_from_json(json, path)
        run = run_from_text(stream, path, Rules(strict, comments))
    return _not_empty(run, path, RUN, comments)


def run_from_text(stream: io.BufferedReader, path: str, rules: Rules) -> Run | None:
    """The run in TREC text, or None if there are only blank lines and comments.

    Args:
        stream: read forward only.
        path: name of the file, for messages.
        rules: strictness.

    Raises:
        InputError: as :func:`read_run`.
    """
    notes: list[str] = []
    blocks = list(run_blocks(stream, path, rules))
    if not blocks:
        return None
    grouping = group_blocks(blocks)
    docnos = grouping.apply(joined([block.docnos for block in blocks]))
    if rules.strict:
        _check_duplicates(docnos, grouping, blocks, path, "a run")
    ranks = [block.ranks for block in blocks if block.ranks is not None]
    if odd := next((block.odd_rank for block in blocks if block.odd_rank), None):
        found = f"line {odd[0]}: {quoted(odd[1])}"
        notes.append(f"the rank column is not made of integers ({found}), so nothing orders by it")
    notes += several_tags(display(tag) for block in blocks for tag in block.tags)
    return Run(
        topics=grouping.topics,
        offsets=grouping.offsets,
        docnos=docnos,
        scores=grouping.apply(joined([block.scores for block in blocks])),
        ranks=None if odd else grouping.apply(joined(ranks)),
        lines=grouping.order,
        tag=blocks[-1].tag,
        source=path,
        notes=tuple(notes),
    )


def read_qrels(path: str, *, strict: bool = True, comments: bool = False, needs: Needs = "levels") -> Qrels:
    """Read judgements: TREC text by trec_eval's rules, or JSON (first byte that is not a blank: ``{``).

    Text lines have exactly four columns ``topic iteration docno relevance``; a blank line is an error, as
    in trec_eval. Negative relevance levels are kept.

    Args:
        path: the file.
        strict: refuse a document twice under a topic and a relevance level that is not a whole number
            (``0.5`` is 0 in trec_eval). Otherwise read exactly as trec_eval does and keep duplicates: see
            :func:`find_duplicate`.
        comments: skip lines that start with ``#``.
        needs: with ``subtopics``, read the second column as the name of a subtopic, as in the qrels of
            diversity tasks, or of a group of judges; a document may then be judged once for each. See
            :mod:`crosscheck.formats.grouping`. JSON may be ``{topic: {subtopic: {docno: relevance}}}``, or
            have a column ``subtopic``. With ``preferences`` lines are those of trec_eval's formats ``prefs``
            or ``qrels_prefs``: see :mod:`crosscheck.formats.grouping`.

    Raises:
        InputError: as :func:`read_run`; also for a relevance level that does not fit into 64 bits.
    """
    with open_input(path, QRELS) as stream:
        if json := _json(stream, path, QRELS):
            from crosscheck.formats.dicts import qrels_from_json

            return qrels_from_json(json, path, needs=needs)
        if needs == "preferences":
            return preferences_from_text(text_of(stream, path, QRELS), path)
        qrels = qrels_from_text(stream, path, Rules(strict, comments, needs == "subtopics"))
    return _not_empty(qrels, path, QRELS, comments)


def qrels_from_text(stream: io.BufferedReader, path: str, rules: Rules) -> Qrels | None:
    """The judgements in TREC text, or None if there are only comments; as :func:`run_from_text`."""
    blocks = list(qrels_blocks(stream, path, rules))
    if not blocks:
        return None
    grouping = group_blocks(blocks)
    docnos = grouping.apply(joined([block.docnos for block in blocks]))
    columns = [block.subtopics for block in blocks if block.subtopics is not None]
    subtopics, names = numbered(joined(columns)) if columns else (None, ())
    if subtopics is not None:
        subtopics = grouping.apply(subtopics)
    if rules.strict or subtopics is not None:
        _check_duplicates(docnos, grouping, blocks, path, "qrels", subtopics)
    qrels = Qrels(
        topics=grouping.topics,
        offsets=grouping.offsets,
        docnos=docnos,
        rels=grouping.apply(joined([block.rels for block in blocks])),
        source=path,
    )
    return qrels if subtopics is None else per_subtopic(qrels, subtopics, names)


def holds_json(stream: io.BufferedReader) -> bool:
    """Whether the first byte that is not a blank is ``{``; nothing is read."""
    return stream.peek().removeprefix(BOM).lstrip().startswith(b"{")


def _json(stream: io.BufferedReader, path: str, what: str) -> bytes | None:
    """The whole content if it is JSON, else None with nothing read."""
    return text_of(stream, path, what) if holds_json(stream) else None


def _not_empty(table: _Table | None, path: str, expected: str, comments: bool) -> _Table:
    if table is None:
        only = "blank lines and comments" if comments else "blank lines"
        raise EmptyInput(f"the file holds nothing but {only}", path=path, expected=expected)
    return table


def _check_duplicates(
    docnos: IdArray,
    grouping: Grouping,
    blocks: Sequence[RunBlock | QrelsBlock],
    path: str,
    what: str,
    subtopics: IntArray | None = None,
) -> None:
    if (pair := find_repeated(docnos, grouping.offsets, subtopics)) is None:
        return
    rows = [int(grouping.order[row]) for row in pair]
    first, second = (_line_number(blocks, row) for row in rows)
    topic = grouping.topics[int(np.searchsorted(grouping.offsets, pair[1], "right")) - 1]
    docno = bytes(docnos[pair[1]])
    inside = "topic" if subtopics is None else "topic and subtopic"
    under = f"topic {quoted(display(topic))}" + ("" if subtopics is None else " and one subtopic")
    lines = [line_of(path, number) or b"" for number in (first, second)]
    error = RepeatedError(
        f"document {quoted(display(docno))} occurs twice under {under}, on lines {first} and {second}",
        path=path,
        line=second,
        found=lines[1] or docno,
        expected=f"each document once per {inside} in {what}",
        hint=_way_out([line.split()[1:2] for line in lines] if what == "qrels" else []),
    )
    error.docno = docno
    raise error


def _way_out(second_columns: list[list[bytes]]) -> str:
    """Advice for a document that occurs twice."""
    remove = "remove one of the two lines; trec_eval fails on them as well"
    if all(column == second_columns[0] for column in second_columns):
        return remove
    return f"where column 2 names subtopics, ask for measures over subtopics (alpha_nDCG@10); else {remove}"


def _line_number(blocks: Sequence[RunBlock | QrelsBlock], row: int) -> int:
    for block in blocks:
        if row < len(block.lines):
            return block.lines[row]
        row -= len(block.lines)
    raise AssertionError("every row comes from a block")
