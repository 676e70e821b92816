"""Reading runs and judgements from files of any form."""

import io
from collections.abc import Sequence
from typing import Any, TypeVar

from msgspec.structs import replace

from crosscheck.errors import EmptyInput, InputError, quoted
from crosscheck.formats.blocks import read_blocks
from crosscheck.formats.datasets import DATASET, judgements_of
from crosscheck.formats.dicts import json_value, odd_ranks, qrels_from_value, run_from_value, several_tags
from crosscheck.formats.forms import EXPECTED, TREC_RUN, Form, Noun, delimited, named, opened, table_of_arrow
from crosscheck.formats.grouping import Block, GroupedRows, tied_ranks
from crosscheck.formats.reference_reader import QRELS_LINES, RUN_LINES, Rules, name_columns, preferences
from crosscheck.formats.source import line_of, text_of
from crosscheck.model import Needs, Qrels, Run, display

RUN, QRELS = EXPECTED["run"], EXPECTED["qrels"]


class RepeatedError(InputError):
    """A document, ``docno``, occurs twice under a topic, or under a topic and subtopic."""

    docno: bytes


def read_run(path: str, *, strict: bool = True, comments: bool = False) -> Run:
    """Read a run from a file.

    The file is TREC text, read by trec_eval's rules, or has another form, which its content shows or the
    path names (``msmarco:run.tsv``). TREC lines have at least six columns ``topic Q0 docno rank score tag``;
    blank lines are skipped. See :mod:`crosscheck.formats.reference_reader` for all rules of TREC text,
    :mod:`crosscheck.formats.forms` for other forms, and :mod:`crosscheck.formats.dicts` for JSON. In a file
    without scores, the score of a document is its rank, negative. Files compressed with gzip, bzip2, xz or
    zstd are decompressed. The path ``-`` is standard input.

    Args:
        path: the file.
        strict: raise an error for lines that trec_eval would silently reinterpret or fail on later: a
            document twice under a topic, a docno with blanks (trec_eval takes the rank for the score), a NaN
            score, a score that is not entirely a number (``abc`` is 0 in trec_eval). If False, read exactly
            as trec_eval does and keep duplicates.
        comments: skip lines whose first byte after any blanks is ``#``, as trec_eval 10 does.

    Raises:
        InputError: the file is missing, a directory, empty or corrupt; it holds no document, has a line that
            cannot be read, or can be read in several ways. The message names the line.
        UsageError: reading this form needs a package that is not installed.
    """
    rules = Rules(strict, comments)
    with opened(path, "run") as (stream, form):
        blocks, value = _content(stream, path, form, "run", rules)
    run = _run_of(blocks, path, rules, form) if blocks else run_from_value(value, path)
    return _noted(run, form, "run", value)


def run_from_text(stream: io.BufferedIOBase, path: str, rules: Rules) -> Run | None:
    """The run in TREC's lines of text, or None if there are only blank lines and comments.

    Args:
        stream: read forward only.
        path: name of the file, for messages.
        rules: strictness.

    Raises:
        InputError: as :func:`read_run`.
    """
    blocks = list(read_blocks(stream, path, RUN_LINES, rules))
    return _run_of(blocks, path, rules, TREC_RUN) if blocks else None


def _run_of(blocks: Sequence[Block], path: str, rules: Rules, form: Form) -> Run:
    rows = GroupedRows.of(blocks)
    if rules.strict:
        _check_duplicates(rows, path, "a run")
    odd = next((block.odd_rank for block in blocks if block.odd_rank), None)
    notes = () if odd is None else odd_ranks(f"line {odd[0]}: {quoted(odd[1])}")
    run = rows.run(path, notes + several_tags(display(tag) for block in blocks for tag in block.tags))
    if form.by_rank and (pair := tied_ranks(run)):
        options = {"topic": "qid", "docno": "docid", "rank": "score"}
        named_columns = name_columns("run", [options.get(name or "", "_") for name in form.columns])
        first, second = sorted(rows.line(int(run.lines[row])) for row in pair)
        hint = "if these are scores, " + ("call the column score" if form.header else named_columns)
        problem = f"two documents of a query have the same rank, on lines {first} and {second}"
        found = line_of(named(path)[1], second)
        expected = "each rank once per query, because there are no scores"
        raise InputError(problem, path=path, line=second, found=found, expected=expected, hint=hint)
    return run


def read_qrels(path: str, *, strict: bool = True, comments: bool = False, needs: Needs = "levels") -> Qrels:
    """Read judgements from a file in any form that :func:`read_run` reads, or from a data set of ir_datasets
    (the path ``irds:NAME``).

    TREC lines have exactly four columns ``topic iteration docno relevance``; a blank line is an error, as
    in trec_eval. Negative relevance levels are kept. In a file without levels, every document has level 1.

    Args:
        path: the file.
        strict: raise an error for a document that occurs twice under a topic, and for a relevance level that
            is not a whole number (``0.5`` is 0 in trec_eval). If False, read exactly as trec_eval does and
            keep duplicates.
        comments: skip lines that start with ``#``.
        needs: the kind of judgements. With ``subtopics``, the second column is the name of a subtopic, as in
            the qrels of diversity tasks, or of a group of judges, and a document may be judged once for each;
            JSON may be ``{topic: {subtopic: {docno: relevance}}}`` or have a column ``subtopic``. With
            ``preferences``, the lines are those of trec_eval's formats ``prefs`` or ``qrels_prefs``. See
            :mod:`crosscheck.formats.grouping`.

    Raises:
        InputError: as :func:`read_run`; also for the relevance level does not fit into 64 bits.
    """
    if path.startswith(DATASET):
        return qrels_from_value(judgements_of(path), path, needs=needs)
    rules = Rules(strict, comments, needs == "subtopics")
    with opened(path, "qrels", preferences=needs == "preferences") as (stream, form):
        if needs == "preferences" and form.layout:
            return preferences(text_of(stream, path, QRELS), path)
        blocks, value = _content(stream, path, form, "qrels", rules)
    qrels = _qrels_of(blocks, path, rules) if blocks else qrels_from_value(value, path, needs=needs)
    return _noted(qrels, form, "qrels", value)


_Table = TypeVar("_Table", Run, Qrels)


def _noted(table: _Table, form: Form, noun: Noun, value: Any) -> _Table:
    """The run or qrels with a note on how the file was read; without one for a JSON object."""
    if form.name == "json" and isinstance(value, dict):
        return table
    return replace(table, notes=(*form.note(noun, len(table.docnos), len(table.topics)), *table.notes))


def _content(
    stream: io.BufferedReader, path: str, form: Form, noun: Noun, rules: Rules
) -> tuple[list[Block], Any]:
    """The rows of a file of lines, of which there is one at least; or no rows, and the value of a JSON file
    or the columns of a parquet or feather file."""
    if form.name in ("parquet", "feather"):
        return [], table_of_arrow(stream, path, form)
    if form.layout:
        blocks = list(read_blocks(stream, path, form.layout, rules))
    elif form.delimiter:
        block = delimited(stream, path, form, noun, rules)
        blocks = [] if block is None else [block]
    else:
        return [], json_value(text_of(stream, path, EXPECTED[noun]), path, EXPECTED[noun])
    if not blocks:
        lines = "blank lines" + " and comments" * rules.comments
        problem = f"the file holds nothing but {'the names of its columns' if form.header else lines}"
        raise EmptyInput(problem, path=path, expected=EXPECTED[noun])
    return blocks, None


def qrels_from_text(stream: io.BufferedIOBase, path: str, rules: Rules) -> Qrels | None:
    """The judgements in TREC's lines of text, or None if there are only comments. Arguments as of
    :func:`run_from_text`."""
    blocks = list(read_blocks(stream, path, QRELS_LINES, rules))
    return _qrels_of(blocks, path, rules) if blocks else None


def _qrels_of(blocks: Sequence[Block], path: str, rules: Rules) -> Qrels:
    rows = GroupedRows.of(blocks)
    if rules.strict or rules.subtopics:
        _check_duplicates(rows, path, "qrels")
    return rows.qrels(path)


def _check_duplicates(rows: GroupedRows, path: str, what: str) -> None:
    if (pair := rows.repeated()) is None:
        return
    first, second = map(rows.line, pair)
    topic, docno = rows.ids(pair[1])
    inside = "topic" if rows.subtopics is None else "topic and subtopic"
    context = f"topic {quoted(display(topic))}" + ("" if rows.subtopics is None else " and one subtopic")
    lines = [line_of(named(path)[1], number) or b"" for number in (first, second)]
    problem = f"document {quoted(display(docno))} occurs twice under {context}, on lines {first} and {second}"
    found, expected = lines[1] or docno, f"each document once per {inside} in {what}"
    hint = _way_out([line.split() for line in lines], what)
    error = RepeatedError(problem, path=path, line=second, found=found, expected=expected, hint=hint)
    error.docno = docno
    raise error


def _way_out(lines: list[list[bytes]], what: str) -> str:
    """The advice on a document that occurs twice, on lines with these columns."""
    remove = "remove one of the two lines; trec_eval fails on them as well"
    if what == "a run":
        blanks = all(len(columns) > len(RUN_LINES.columns) for columns in lines)
        return f"if ids have blanks, write CSV or JSON; else {remove}" if blanks else remove
    if lines[0][1:2] == lines[1][1:2]:
        return remove
    return f"if column 2 names subtopics, name measures over subtopics (alpha_nDCG@10); else {remove}"
