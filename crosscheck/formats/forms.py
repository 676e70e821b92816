"""The forms of files that hold a run or qrels. The user names the form, or the content of the file shows it.

A path may begin with the name of its form (``msmarco:run.tsv``). The path ``-`` is standard input.
"""

import csv
import io
import json
import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any, Final, Literal, TypeAlias, get_args

from msgspec import Struct

from crosscheck.errors import InputError, UsageError, count, no_such, quoted, safe_text
from crosscheck.formats.grouping import Block
from crosscheck.formats.numerals import atof, whole_number
from crosscheck.formats.reference_reader import SWAPPED, TREC_LINES, Layout, Rules, block_of, name_columns
from crosscheck.formats.source import BOM, carriage_return, nul_byte, open_input, pyarrow_for, text_of

Noun: TypeAlias = Literal["run", "qrels"]

#: What a file should hold, for messages.
EXPECTED: Final[Mapping[Noun, str]] = {
    "run": "a run: lines of topic Q0 docno rank score tag, or JSON {topic: {docno: score}}",
    "qrels": "qrels: lines of topic iteration docno relevance, or JSON {topic: {docno: relevance}}",
}
#: The forms that a user may name -> their names in messages.
FORMS = {"trec": "TREC", "msmarco": "MS MARCO", "beir": "BEIR", "csv": "CSV", "tsv": "TSV", "json": "JSON"}
FORMS |= {"jsonl": "JSON lines", "parquet": "parquet", "feather": "feather"}
#: Field -> the names that its column may have, in lower case and without punctuation. If a file has several
#: of these columns, the column whose name comes first here is used: ``query`` may hold the query's text.
SPELLINGS = {
    field: names.split()
    for field, names in {
        "topic": "qid queryid topicid topic query querynumber",
        "docno": "docno docid documentid corpusid passageid pid did doc document passage",
        "score": "score similarity sim",
        "rank": "rank position",
        "tag": "tag runtag runid system run",
        "relevance": "rel relevance relevancelevel label grade level judgment judgement score",
        "iteration": "iteration iter subtopic subtopicid group",
    }.items()
}
_FIELDS: Mapping[Noun, Sequence[str]] = {
    "run": ("topic", "docno", "rank", "score", "tag"),
    "qrels": ("topic", "iteration", "docno", "relevance"),
}
_MARCO: Mapping[Noun, Sequence[Sequence[str]]] = {
    "run": (("topic", "docno", "rank"), ("topic", "docno", "rank", "score")),
    "qrels": (("topic", "docno"), ("topic", "docno", "relevance"), ("topic", "iteration", "docno")),
}
_SUCH_AS: Mapping[Noun, str] = {"run": "qid, docid, score", "qrels": "qid, docid, relevance"}
_DELIMITERS = "\t,;|"
_ARROW = {b"PAR1": "parquet", b"ARROW1": "feather"}
#: How many bytes at the start of a file are used to recognise its form.
_HEAD = 1 << 16


class Form(Struct, frozen=True, eq=False):
    """How a file holds a run or qrels.

    Attributes:
        name: a key of :data:`FORMS`; "" for columns that the user names.
        layout: the columns of a line, for lines whose columns are separated by blanks; else None.
        delimiter: the character between cells, for lines whose cells may be quoted; else empty.
        fields: the field of each cell, for lines with a delimiter; None for a cell that is not read.
        header: whether the first line names the columns.
    """

    name: str
    layout: Layout | None = None
    delimiter: str = ""
    fields: tuple[str | None, ...] = ()
    header: bool = False

    @property
    def columns(self) -> Sequence[str | None]:
        """The field of each column."""
        return self.layout.columns if self.layout else self.fields

    @property
    def by_rank(self) -> bool:
        """Whether the file holds a run with ranks but without scores."""
        return "rank" in self.columns and "score" not in self.columns

    def note(self, noun: Noun, rows: int, topics: int) -> tuple[str, ...]:
        """One sentence on how the file was read; none for TREC files, which need no explanation."""
        if self.name == "trec":
            return ()
        columns = ", ".join(name or "-" for name in self.columns)
        called = f"{FORMS[self.name]} {noun}" if self.name else _of(noun)
        named = f" ({columns})" if columns else ""
        counted = f"{count(rows, 'result' if noun == 'run' else 'judgement')} of {count(topics, 'query')}"
        more = "; it has no scores: a document's score is its rank, negative" if self.by_rank else ""
        if columns and noun == "qrels" and "relevance" not in self.columns:
            more = "; it has no levels: every document has level 1"
        return (f"read as {called}{named}: {counted}{more}",)


#: The form of a run that trec_eval reads.
TREC_RUN = Form("trec", TREC_LINES["run"])


def named(path: str) -> tuple[str | None, str]:
    """The form in front of a path (``msmarco`` in ``msmarco:run.tsv``; None if there is none), and the path
    without it."""
    form, colon, rest = path.partition(":")
    if not (colon and rest and (form in FORMS or _listed(form))) or os.path.exists(path):
        form, rest = "", path
    return form or None, "/dev/stdin" if rest == "-" else rest


def _listed(text: str) -> tuple[str | None, ...]:
    """The fields named by a list of columns such as ``qid,_,docid,score``; empty if it is not a list."""
    names = text.split(",")
    fields = tuple(next((f for f, spelt in SPELLINGS.items() if _plain(n) in spelt), None) for n in names)
    read = [field for field in fields if field]
    all_named = all(field or name == "_" for field, name in zip(fields, names, strict=True))
    return fields if all_named and {"topic", "docno"} <= set(read) and len(set(read)) == len(read) else ()


def with_form(path: str, form: str) -> str:
    """The path with the name of its form in front of it.

    Raises:
        UsageError: there is no such form.
    """
    if form not in FORMS and not _listed(form):
        error = no_such("form", form, FORMS)
        error.hint = f"{error.hint}; or name the columns, such as qid,docid,score"
        if form in ("table", "trec_eval"):
            error.hint = f"--format is about the files; to print in another form, use --output {form}"
        raise error
    return f"{form}:{path}"


@contextmanager
def opened(path: str, noun: Noun, *, preferences: bool = False) -> Iterator[tuple[io.BufferedReader, Form]]:
    """Open a file; yields its bytes, from the start, and its form.

    Args:
        path: the file, perhaps with the name of its form in front.
        noun: whether the file should hold a run or qrels.
        preferences: whether its lines hold preferences, which have other columns.

    Raises:
        InputError: as :func:`~crosscheck.formats.source.open_input`; or the content can be read in several
            ways, or does not fit the form that the path names.
    """
    spec, file = named(path)
    with open_input(file, EXPECTED[noun]) as stream:
        form = form_of(stream.peek(_HEAD), noun, path, "trec" if preferences and spec is None else spec)
        yield stream, form


def form_of(head: bytes, noun: Noun, path: str, spec: str | None = None) -> Form:
    """The form of a file whose content starts with ``head``.

    Args:
        spec: the form or the list of columns that the user names; None if the content decides.

    Raises:
        InputError: as :func:`opened`.
    """
    text = head.removeprefix(BOM)
    if spec in (None, "trec"):
        arrow = next((name for magic, name in _ARROW.items() if head.startswith(magic)), None)
        spec = arrow or ("json" if re.match(rb"\s*(\{|\[\s*[\[{\]])", text) else spec)
    if spec in ("json", "jsonl", "parquet", "feather"):
        return Form(spec)
    whole, newline, _ = text.rpartition(b"\n")
    lines = [line for line in (whole if newline else text)[:_HEAD].split(b"\n") if line.strip()]
    if spec == "trec" or not lines:
        return Form("trec", TREC_LINES[noun])
    problem = partial(InputError, path=path, line=1, found=lines[0])
    if spec in ("csv", "tsv", "beir") or spec is None:
        delimiters = {"csv": ",;|", "tsv": "\t", "beir": "\t"}.get(spec or "", _DELIMITERS)
        if form := _with_header(lines[0], noun, delimiters):
            return form
        other: Noun = "qrels" if noun == "run" else "run"
        if spec is None and _with_header(lines[0], other, delimiters):
            raise problem(f"these are columns of {_of(other)}, not of {_of(noun)}", hint=SWAPPED)
        if spec is None and fields_of(lines[0].decode("utf-8", "replace").split(), noun):
            named_by_spaces = "the first line names the columns, separated by spaces"
            raise problem(named_by_spaces, hint="remove the first line, or separate all columns by tabs")
        expected = f"names such as {_SUCH_AS[noun]}"
        if unknown := _without_column(lines[0], noun, delimiters):
            best = "; the highest score is the best" if noun == "run" else ""
            raise problem(unknown, expected=expected, hint=f"rename the column{best}")
        if spec is not None:
            if b"\r" in lines[0].strip():
                raise carriage_return(path, 1, lines[0])
            hint = "add a line of names, or " + name_columns(noun, _SUCH_AS[noun].split(", "))
            nameless = f"the first line does not name the columns of {_of(noun)}"
            raise problem(nameless, expected=expected, hint=hint)
    samples = [line.split() for line in lines]
    as_long = [columns for columns in _MARCO[noun] if len(columns) == len(samples[0])]
    fitting = [columns for columns in as_long if _fits(columns, samples)]
    if spec == "msmarco":
        if noun == "qrels" and len(samples[0]) == len(TREC_LINES[noun].columns):
            return Form(spec, TREC_LINES[noun])
        if not as_long:
            expected = " or ".join(" ".join(columns) for columns in _MARCO[noun])
            raise problem(f"the first line is not a line of an MS MARCO {noun} file", expected=expected)
        return Form(spec, _layout(noun, (fitting or as_long)[0]))
    if spec is not None:
        return _of_columns(_listed(spec), lines[0], noun)
    if len(samples[0]) == 2 and not all(b"\t" in line for line in lines):
        fitting = []  # two words separated by a space could be anything
    if len(fitting) > 1:
        ways = [",".join("_" if column == "iteration" else column for column in c) for c in fitting]
        several = f"these columns can be read in several ways: {'; '.join(map(' '.join, fitting))}"
        raise problem(several, hint="say which: " + " or ".join(f"--format {noun}={way}" for way in ways))
    return Form("msmarco", _layout(noun, fitting[0])) if fitting else Form("trec", TREC_LINES[noun])


def noun_of(path: str) -> Noun | None:
    """``run`` or ``qrels``, if the first lines of a file fit only one of the two; else None.

    Raises:
        InputError: as :func:`opened`.
        UsageError: the file is a pipe, of which the first lines cannot be read twice.
    """
    spec, file = named(path)
    if os.path.exists(file) and not (os.path.isfile(file) or os.path.isdir(file)):
        raise UsageError(f"{quoted(path)} is a pipe, read only once", hint="name --kind run or --kind qrels")
    fitting = set[Noun]()
    with open_input(file, "a run or qrels") as stream:
        head = stream.peek(_HEAD)
        first = next((line for line in head.removeprefix(BOM).split(b"\n") if line.strip()), b"")
        for noun in reversed(get_args(Noun)):
            try:
                form = form_of(head, noun, path, spec)
            except InputError as error:
                if error.hint == SWAPPED:
                    continue
                raise
            if form.name == "beir":
                return "qrels"
            if names := _names_of_columns(form, first, stream, path):
                if any(place_of(names, SPELLINGS[field]) is not None for field in ("rank", "tag")):
                    return "run"
                if place_of(names, ["score"]) is not None:
                    return None  # a run, or qrels as BEIR writes them
                fitting |= {one for one in get_args(Noun) if fields_of(names, one)}
                break
            columns = len(first.split())
            if form.name != "trec" or (columns >= 6 if noun == "run" else columns == 4):
                fitting.add(noun)
    return fitting.pop() if len(fitting) == 1 else None


def _names_of_columns(form: Form, first: bytes, stream: io.BufferedIOBase, path: str) -> list[str]:
    """The names of the columns of a file with this first line; empty if they have none."""
    if form.name in ("parquet", "feather"):
        return [*table_of_arrow(stream, path, form)]
    if form.header:
        return next(cells_of_line(first, form.delimiter))[1]
    with suppress(ValueError):
        if form.name in ("json", "jsonl") and isinstance(row := json.loads(first), dict):
            return [name for name, value in row.items() if not isinstance(value, dict)]
    return []


def _of(noun: Noun) -> str:
    return "a run" if noun == "run" else "qrels"


def _plain(name: str) -> str:
    return re.sub(r"[\W_]", "", name.lower())


def place_of(names: Sequence[object], spellings: Sequence[str]) -> int | None:
    """The place of the column that has one of these names, such as of :data:`SPELLINGS`; the first spelling
    that is there counts. None if there is no such column."""
    plain = [_plain(str(name)) for name in names]
    return next((plain.index(spelling) for spelling in spellings if spelling in plain), None)


def fields_of(names: Sequence[str], noun: Noun) -> tuple[str | None, ...]:
    """The field of each column, by its name; empty if a needed field is missing."""
    found = {field: place_of(names, SPELLINGS[field]) for field in _FIELDS[noun]}
    places = {field: place for field, place in found.items() if place is not None}
    needed = ("score", "rank") if noun == "run" else ("relevance",)
    if not {"topic", "docno"} <= places.keys() or places.keys().isdisjoint(needed):
        return ()
    return tuple(next((f for f, p in places.items() if p == place), None) for place in range(len(names)))


def cells_of_line(line: bytes, delimiters: str) -> Iterator[tuple[str, list[str]]]:
    """The cells of a line that each of the delimiters gives."""
    text = line.decode("utf-8", "replace").rstrip("\r")
    for delimiter in delimiters if "\r" not in text and "\0" not in text else ():
        try:
            yield delimiter, next(csv.reader([text], delimiter=delimiter, skipinitialspace=True), [])
        except csv.Error:  # as for a cell of more than 128 KB
            return


def _without_column(line: bytes, noun: Noun, delimiters: str) -> str:
    """A sentence on a first line that names some of the needed columns, and not all; empty for others."""
    value = "score" if noun == "run" else "relevance"
    wanted = {"topic": "query", "docno": "document", value: "score" if noun == "run" else "level"}
    for _, names in cells_of_line(line, delimiters):
        missing = [word for field, word in wanted.items() if place_of(names, SPELLINGS[field]) is None]
        told = missing == [wanted[value]] or 0 < len(missing) < len(wanted) <= len(names)
        if told and not any(atof(name.encode())[1] for name in names):
            return f"no column for the {' and the '.join(missing)} among: {safe_text(', '.join(names))}"
    return ""


def _with_header(line: bytes, noun: Noun, delimiters: str) -> Form | None:
    for delimiter, names in cells_of_line(line, delimiters):
        if fields := fields_of(names, noun):
            beir = noun == "qrels" and [*map(_plain, names)] == ["queryid", "corpusid", "score"]
            name = "beir" if beir else "tsv" if delimiter == "\t" else "csv"
            return Form(name, None, delimiter, fields, True)
    return None


def _layout(noun: Noun, columns: Sequence[str]) -> Layout:
    hint = f"complete the line; if the columns are not {' '.join(columns)}, name them with --format"
    return Layout(noun=noun, columns=tuple(columns), hint=lambda cells, first: hint)


def _of_columns(fields: tuple[str | None, ...], line: bytes, noun: Noun) -> Form:
    """The form of lines whose columns the user names. In qrels, a score is a relevance level."""
    fields = tuple("relevance" if f == "score" and noun == "qrels" else f for f in fields)
    if noun == "run" and {"score", "rank"}.isdisjoint(fields):
        problem = "a run needs a column of scores or of ranks"
        raise UsageError(problem, hint="name the column, such as qid,docid,score")
    if len(line.split()) == len(fields):
        names = [field or f"column {number}" for number, field in enumerate(fields, 1)]
        return Form("", _layout(noun, names))
    delimiter = max(_DELIMITERS, key=lambda one: (line.count(one.encode()), -_DELIMITERS.index(one)))
    return Form("", None, delimiter, fields)


def _fits(columns: Sequence[str], samples: Sequence[Sequence[bytes]]) -> bool:
    """Whether lines can have these columns.

    They can if no document repeats within a topic, ranks count up from 1 or 0, scores and levels are numbers,
    and the second column of TREC's qrels is 0 or Q0.
    """
    rank = dict[bytes, int]()
    documents = Counter[tuple[bytes, bytes]]()
    for cells in samples:
        if len(cells) != len(columns):
            return False
        cell = dict(zip(columns, cells, strict=True))
        topic = cell["topic"]
        documents[topic, cell["docno"]] += 1
        if "rank" in cell:
            number = whole_number(cell["rank"])
            if number is None or number != rank.get(topic, min(max(number, 0), 1)):
                return False
            rank[topic] = number + 1
        numeric = atof(cell.get("score", b"0"))[1] and whole_number(cell.get("relevance", b"0")) is not None
        if not numeric or cell.get("iteration", b"0").upper() not in (b"0", b"Q0"):
            return False
    return max(documents.values()) == 1


# ---- files that are read as a whole --------------------------------------------------------------------


def delimited(stream: io.BufferedIOBase, path: str, form: Form, noun: Noun, rules: Rules) -> Block | None:
    """Read a file whose cells may be quoted; None if it has no rows.

    Raises:
        InputError: a line has a wrong number of columns, an id is empty, or a score, rank or level is not a
            number.
    """
    data = text_of(stream, path, EXPECTED[noun])
    if b"\0" in data:
        before = data[: data.index(b"\0")]
        raise nul_byte(path, before.count(b"\n") + 1, data[before.rfind(b"\n") + 1 :], EXPECTED[noun])
    kept = [(field, place) for place, field in enumerate(form.fields) if field]
    names, places = [field for field, _ in kept], [place for _, place in kept]
    rows = _cells(data, path, form, places, [names.index("topic"), names.index("docno")])
    return block_of(rows, _layout(noun, names), rules, [place + 1 for place in places])


def _cells(
    data: bytes, path: str, form: Form, places: Sequence[int], ids: Sequence[int]
) -> Iterator[tuple[int, list[bytes], Any]]:
    """(line number, the cells at ``places``, function that creates an error) of each row. ``ids`` are the
    indices in ``places`` of cells that must not be empty."""
    file = io.StringIO(data.removeprefix(BOM).decode("utf-8", "surrogateescape"), newline="")
    reader = csv.reader(file, delimiter=form.delimiter, strict=True, skipinitialspace=True)
    lines = data.split(b"\n")
    skipped, number = form.header, 1
    while True:
        wrong = partial(InputError, path=path, line=number, found=b"".join(lines[number - 1 : number]))
        try:
            cells = next(reader, None)
        except csv.Error as error:
            raise wrong(f"invalid {FORMS.get(form.name, 'line')}: {error}") from None
        if cells is None:
            return
        begin, number = number, reader.line_num + 1
        if skipped or not cells:
            skipped = skipped and not cells
            continue
        if len(cells) != len(form.fields):
            expected = f"{len(form.fields)} columns" + (", as in the first line" if form.header else "")
            raise wrong(f"the line has {count(len(cells), 'column')}", expected=expected)
        kept = [cells[place].strip().encode("utf-8", "surrogateescape") for place in places]
        for place in ids:
            if not kept[place]:
                raise wrong(f"column {places[place] + 1} is empty", expected="the id of a query or document")
        yield begin, kept, wrong


def unnamed(names: Sequence[Any], path: str, noun: Noun) -> InputError:
    """The error for columns whose names do not show which hold a run or qrels."""
    problem, expected = f"these are not the columns of {_of(noun)}", f"names such as {_SUCH_AS[noun]}"
    return InputError(problem, path=path, found=", ".join(map(str, names)), expected=expected)


def table_of_arrow(stream: io.BufferedIOBase, path: str, form: Form) -> dict[str, list[Any]]:
    """The columns of a parquet or feather file.

    Raises:
        InputError: the file is damaged.
        UsageError: pyarrow is not installed.
    """
    pyarrow = pyarrow_for(f"{form.name} files")
    from pyarrow import feather, parquet

    try:
        read = parquet.read_table if form.name == "parquet" else feather.read_table
        table = read(pyarrow.BufferReader(stream.read()))
        return {name: table.column(place).to_pylist() for place, name in enumerate(table.column_names)}
    except (pyarrow.ArrowException, OSError, ValueError) as error:
        problem = f"the {form.name} file cannot be read: {str(error).splitlines()[0]}"
        raise InputError(problem, path=path) from None
