"""Reading runs and judgements from files: TREC text or JSON, plain or gzip."""

from __future__ import annotations

import io
from typing import TypeVar

from crosscheck.errors import EmptyInput, InputError, quoted
from crosscheck.formats.blocks import read_blocks
from crosscheck.formats.dicts import odd_ranks, qrels_from_json, run_from_json, several_tags
from crosscheck.formats.grouping import GroupedRows
from crosscheck.formats.reference_reader import QRELS_LINES, RUN_LINES, Rules, preferences
from crosscheck.formats.source import BOM, line_of, open_input, text_of
from crosscheck.model import Needs, Qrels, Run, display

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
    blocks = list(read_blocks(stream, path, RUN_LINES, rules))
    if not blocks:
        return None
    rows = GroupedRows.of(blocks)
    if rules.strict:
        _check_duplicates(rows, path, "a run")
    odd = next((block.odd_rank for block in blocks if block.odd_rank), None)
    notes = () if odd is None else odd_ranks(f"line {odd[0]}: {quoted(odd[1])}")
    return rows.run(path, notes + several_tags(display(tag) for block in blocks for tag in block.tags))


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
            return qrels_from_json(json, path, needs=needs)
        if needs == "preferences":
            return preferences(text_of(stream, path, QRELS), path)
        qrels = qrels_from_text(stream, path, Rules(strict, comments, needs == "subtopics"))
    return _not_empty(qrels, path, QRELS, comments)


def qrels_from_text(stream: io.BufferedReader, path: str, rules: Rules) -> Qrels | None:
    """The judgements in TREC text, or None if there are only comments; as :func:`run_from_text`."""
    blocks = list(read_blocks(stream, path, QRELS_LINES, rules))
    if not blocks:
        return None
    rows = GroupedRows.of(blocks)
    if rules.strict or rules.subtopics:
        _check_duplicates(rows, path, "qrels")
    return rows.qrels(path)


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


def _check_duplicates(rows: GroupedRows, path: str, what: str) -> None:
    if (pair := rows.repeated()) is None:
        return
    first, second = map(rows.line, pair)
    topic, docno = rows.ids(pair[1])
    inside = "topic" if rows.subtopics is None else "topic and subtopic"
    under = f"topic {quoted(display(topic))}" + ("" if rows.subtopics is None else " and one subtopic")
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
