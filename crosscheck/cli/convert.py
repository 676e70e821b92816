"""``crosscheck convert``: a run or qrels in another form."""

from __future__ import annotations

import csv
import io
import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from importlib import import_module
from itertools import groupby
from operator import itemgetter
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, BinaryIO, TypeAlias

import click

from crosscheck.cli.options import QUIET, command
from crosscheck.cli.output import say
from crosscheck.errors import UsageError, count, quoted
from crosscheck.studies.options import InputFile, argument, option

if TYPE_CHECKING:
    from crosscheck.model import Qrels, Run

#: Ending of a file -> the form that is written.
_ENDINGS = {
    **dict.fromkeys(("", ".txt", ".trec", ".run", ".qrels", ".res"), "trec"),
    **{f".{name}": name for name in ("csv", "tsv", "json", "jsonl", "parquet", "feather")},
    ".ndjson": "jsonl",
}
#: Ending of a compressed file -> the module that writes it.
_PACKED = {".gz": "gzip", ".bz2": "bz2", ".xz": "lzma"}
FORMS = ("trec", "msmarco", "beir", "csv", "tsv", "json", "jsonl", "parquet", "feather")

#: noun -> the names of the columns of a row.
_COLUMNS = {"run": ("qid", "docid", "rank", "score"), "qrels": ("qid", "docid", "relevance")}
_Row: TypeAlias = tuple[Any, ...]
_Parts: TypeAlias = Iterator[list[_Row]]


@command(
    argument("source", "IN", type=InputFile("run")),
    argument("target", "OUT"),
    option("--to", "Form of OUT.  [default: by its ending]", click.Choice(FORMS)),
    option("--kind", "What IN holds, if its first line does not tell it.", click.Choice(["run", "qrels"])),
    QUIET,
)
def convert(asked: SimpleNamespace) -> int:
    """Write the run or qrels IN in another form to OUT (- is stdout).

    All digits are kept. Ranks are those of trec_eval's order; a run of msmarco holds ranks only. A run of any
    size is streamed. OUT is written whole or not at all; endings .gz, .bz2 and .xz compress it.
    """
    from crosscheck.formats.datasets import DATASET
    from crosscheck.formats.forms import noun_of

    source, target = asked.source, asked.target
    form, packed = _form_of(target, asked.to)
    noun = asked.kind or ("qrels" if source.startswith(DATASET) else noun_of(source))
    if noun is None:
        problem = f"{quoted(source)} may be a run or qrels"
        raise UsageError(problem, hint="say which: --kind run or --kind qrels")
    if form == "beir" and noun == "run":
        hint = "write JSON, the dict of dicts that BEIR takes: --to json"
        raise UsageError("BEIR has no files of runs", hint=hint)
    can_stream = target != "-" and noun == "run"
    written = _converted(_streamed(source), target, form, noun, packed) if can_stream else None
    if written is None:
        written = _converted(_whole(source, noun), target, form, noun, packed)
    if not asked.quiet:
        rows = count(written or 0, "result" if noun == "run" else "judgement")
        say(f"wrote {rows} to {'stdout' if target == '-' else quoted(target)} as {form}")
    return 0


def _converted(parts: Iterator[Run | Qrels], target: str, form: str, noun: str, packed: str) -> int | None:
    """Write the parts and return the number of rows. If the run cannot be streamed, write nothing and return
    None."""
    from crosscheck.engine.streaming import NotStreamable

    written = 0

    def rows() -> _Parts:
        nonlocal written
        for part in parts:
            some = _rows(part, form)
            written += len(some)
            yield some

    try:
        with ExitStack() as stack:
            file = _opened(target, packed, stack)
            if form in _TEXTS:
                for text in _TEXTS[form](rows(), form, noun):
                    file.write(text.encode("utf-8", "surrogateescape"))
            else:
                _write_arrow(rows(), form, noun, file)
    except NotStreamable:
        return None
    return written


def _form_of(path: str, to: str | None) -> tuple[str, str]:
    """The form to write, and the ending of the file if it is compressed (else "")."""
    name = os.path.basename(path)
    packed = next((ending for ending in _PACKED if name.endswith(ending)), "")
    ending = os.path.splitext(name.removesuffix(packed))[1] if path != "-" else ""
    form = to or _ENDINGS.get(ending.lower())
    if form is None:
        problem = f"the ending of {quoted(path)} does not say which format to write"
        raise UsageError(problem, hint=f"name the format with --to: {', '.join(FORMS)}")
    return form, packed


def _whole(path: str, noun: str) -> Iterator[Run | Qrels]:
    from crosscheck.formats.trec import read_qrels, read_run

    table = read_run(path) if noun == "run" else read_qrels(path)
    for note in table.notes:
        say(note)
    yield table


def _streamed(path: str) -> Iterator[Run]:
    """The run in parts of whole topics.

    Raises:
        NotStreamable: the file must be read as a whole.
    """
    from crosscheck.engine.streaming import NotStreamable, Reading
    from crosscheck.formats.grouping import find_duplicate
    from crosscheck.formats.reference_reader import Rules

    reading, rows, topics = Reading.of(path, Rules()), 0, 0
    for part in reading.runs():
        if find_duplicate(part.docnos, part.offsets):
            raise NotStreamable  # an error, whose lines are known when it is read as a whole
        rows, topics = rows + len(part.docnos), topics + len(part.topics)
        yield part
    for note in reading.form.note("run", rows, topics):
        say(note)


def _rows(part: Run | Qrels, form: str) -> list[_Row]:
    """The documents of some topics, in the order of the input; but grouped by topic if the form holds one
    object per topic, and sorted by rank if the form holds ranks without scores."""
    import numpy as np

    from crosscheck.conventions import Conventions
    from crosscheck.evaluation.rankings import Rankings
    from crosscheck.model import Run
    from crosscheck.statistics.pooling import judging_all

    if isinstance(part, Run):
        ranks = Rankings(part, judging_all(part)).ranks(Conventions())
        first = np.minimum.reduceat(part.lines, part.offsets[:-1])[part.topic_numbers]
        within = ranks if form == "msmarco" else part.lines
        order = np.lexsort((within, first)) if form in ("msmarco", "json") else np.argsort(part.lines)
        columns: list[Any] = [ranks, part.scores]
    else:
        order, columns = np.arange(len(part.docnos)), [part.rels]
    names = [topic.decode("utf-8", "surrogateescape") for topic in part.topics]
    topics = map(names.__getitem__, part.topic_numbers[order].tolist())
    docnos = (docno.decode("utf-8", "surrogateescape") for docno in part.docnos[order].tolist())
    return list(zip(topics, docnos, *(column[order].tolist() for column in columns), strict=True))


def _opened(path: str, packed: str, stack: ExitStack) -> BinaryIO:
    """A file to write, compressed if ``packed`` is an ending. It appears at ``path`` only if the stack is
    closed without an error."""
    from crosscheck.formats.source import open_whole

    file: BinaryIO = sys.stdout.buffer if path == "-" else stack.enter_context(open_whole(path))
    if packed:
        library: Any = import_module(_PACKED[packed])
        made = library.GzipFile("", "wb", 6, file, mtime=0) if packed == ".gz" else library.open(file, "wb")
        file = stack.enter_context(made)
    return file


#: (form, noun) -> the line for a row.
_LINES: dict[tuple[str, str], Callable[[_Row], str]] = {
    ("trec", "run"): lambda row: f"{row[0]} Q0 {row[1]} {row[2]} {row[3]!r} crosscheck\n",
    ("trec", "qrels"): lambda row: f"{row[0]} 0 {row[1]} {row[2]}\n",
    ("msmarco", "run"): lambda row: f"{row[0]}\t{row[1]}\t{row[2]}\n",
    ("msmarco", "qrels"): lambda row: f"{row[0]}\t0\t{row[1]}\t{row[2]}\n",
}


def _lines(parts: _Parts, form: str, noun: str) -> Iterator[str]:
    """Lines whose ids hold no blanks."""
    for rows in parts:
        odd = next((id for row in rows for id in row[:2] if id.split() != [id]), None)
        if odd is not None:
            problem = f"id {quoted(odd)} does not fit into a line of columns separated by blanks"
            raise UsageError(problem, hint="write csv, json or parquet, which hold any id")
        yield "".join(map(_LINES[form, noun], rows))


def _table(parts: _Parts, form: str, noun: str) -> Iterator[str]:
    delimiter = "," if form == "csv" else "\t"
    yield delimiter.join(("query-id", "corpus-id", "score") if form == "beir" else _COLUMNS[noun]) + "\n"
    for rows in parts:
        text = io.StringIO(newline="")
        csv.writer(text, delimiter=delimiter, lineterminator="\n").writerows(rows)
        yield text.getvalue()


def _in_utf8(parts: _Parts, form: str) -> _Parts:
    """Rows whose ids are UTF-8."""
    for rows in parts:
        try:
            "".join(id for row in rows for id in row[:2]).encode()
        except UnicodeEncodeError:
            problem = f"an id is not UTF-8, so a {form} file cannot hold it"
            raise UsageError(problem, hint="write trec or csv") from None
        yield rows


def _jsonl(parts: _Parts, form: str, noun: str) -> Iterator[str]:
    for rows in _in_utf8(parts, form):
        objects = (dict(zip(_COLUMNS[noun], row, strict=True)) for row in rows)
        yield "".join(f"{json.dumps(one)}\n" for one in objects)


def _json(parts: _Parts, form: str, noun: str) -> Iterator[str]:
    before = "{"
    for rows in _in_utf8(parts, form):
        for topic, of_topic in groupby(rows, itemgetter(0)):
            documents = {row[1]: row[-1] for row in of_topic}
            yield f"{before}\n{json.dumps(topic)}: {json.dumps(documents)}"
            before = ","
    yield "\n}\n"


_TEXTS = {
    **dict.fromkeys(("trec", "msmarco"), _lines),
    **dict.fromkeys(("beir", "csv", "tsv"), _table),
    "json": _json,
    "jsonl": _jsonl,
}


def _write_arrow(parts: _Parts, form: str, noun: str, file: BinaryIO) -> None:
    from crosscheck.formats.source import pyarrow_for

    pyarrow = pyarrow_for(f"{form} files")
    from pyarrow import parquet

    types = {"rank": pyarrow.int64(), "score": pyarrow.float64(), "relevance": pyarrow.int64()}
    schema = pyarrow.schema([(name, types.get(name, pyarrow.string())) for name in _COLUMNS[noun]])
    new: Any = parquet.ParquetWriter if form == "parquet" else pyarrow.ipc.new_file
    with new(file, schema) as sink:
        for rows in filter(None, _in_utf8(parts, form)):
            columns = dict(zip(_COLUMNS[noun], zip(*rows, strict=True), strict=True))
            sink.write_table(pyarrow.table(columns, schema=schema))
