"""The declaration of a study, and functions and records that all studies use."""

import os
from collections.abc import Callable, Mapping, Sequence
from numbers import Real
from os import PathLike, fspath
from pathlib import Path
from typing import Any, ClassVar, TypeAlias, TypeVar

import click
from msgspec import Struct
from msgspec.structs import replace

from crosscheck.engine.conversion import QrelsLike, RunLike, as_qrels, as_run, by_query, file_of
from crosscheck.errors import UsageError, count, quoted
from crosscheck.measures import family, needs_of
from crosscheck.model import Measure, Qrels, Run
from crosscheck.names import DEFAULT_MEASURES, parse_measure, parse_measures
from crosscheck.report.kinds import DocumentKind, page, paper
from crosscheck.report.page import Block, Bullets, Page, Status, Text, Verdict
from crosscheck.results import Environment, Tool
from crosscheck.shown import Shown

D = TypeVar("D")
STUDY_VERSION = 2


def study(
    document: type[D],
    function: Callable[..., D],
    page: Callable[[D], Page],
    *options: click.Parameter,
    code: Callable[[D], int] = lambda document: 0,
) -> DocumentKind[D]:
    """Declare the study of a module, named like its file.

    Args:
        options: the arguments and options of the command, except the options for its output. The command
            line reads these declarations, and the docstring of the module as help, from the text of the file
            without importing it. They may therefore only use names of ``studies/options.py``.
    """
    return DocumentKind(function.__module__.rpartition(".")[2], document, page, STUDY_VERSION, function, code)


class StudyDocument(Shown, Struct, frozen=True, kw_only=True):
    """The fields that the documents of all studies have. A subclass names its study and adds fields."""

    _rows: ClassVar[str] = "measures"

    schema_version: int = STUDY_VERSION
    study: str
    tool: Tool
    environment: Environment


class OnQrels(StudyDocument, frozen=True, kw_only=True):
    """The fields that the documents of studies of measures on judged runs have.

    ``summary``: the findings in one paragraph. ``sentences``: descriptions of the measures for a paper; empty
    if the conventions of the values are not known.
    """

    qrels: str
    summary: str
    notes: list[str] = []
    sentences: list[str] = []


def study_page(
    document: StudyDocument,
    title: Text,
    *blocks: Block,
    status: Status | None = None,
    notes: Sequence[str] = (),
) -> Page:
    """The page of a study: its summary, its blocks, its notes, and the sentences that describe the
    measures."""
    summary, own = getattr(document, "summary", ""), getattr(document, "notes", ())
    last = paper(document.sentences if isinstance(document, OnQrels) else [])
    verdict = Verdict(status=status, sentence=summary, about=title)
    return page(document, title, verdict, [*blocks, Bullets("Notes", [*own, *notes]), last])


#: Runs by name; or paths of runs, which are named after their files; or a single run.
RunsLike: TypeAlias = Mapping[str, RunLike] | Sequence[str | Path] | RunLike


def parsed_measures(names: Sequence[str]) -> tuple[Measure, ...]:
    """The requested measures, else the default measures."""
    return parse_measures(names or DEFAULT_MEASURES)


def judged_by(qrels: QrelsLike, measures: Sequence[str]) -> tuple[Qrels, tuple[Measure, ...]]:
    """Read the judgements as the measures need them. Returns them with the parsed (or default) measures.

    Raises:
        InputError: the judgements cannot be used.
        UsageError: a measure is unknown.
    """
    wanted = parsed_measures(measures)
    return as_qrels(qrels, needs=needs_of(wanted)), wanted


def named_runs(
    runs: RunsLike, *, at_least: int, what: str, read: Callable[[RunLike], Run] = as_run
) -> dict[str, Run]:
    """Read the runs and give them unique names.

    Args:
        at_least: the number of runs needed.
        what: the study that needs the runs, for the message.
        read: reads one run.

    Raises:
        UsageError: too few runs, or one file twice.
        InputError: a file cannot be used.
    """
    given = _named(runs)
    if len(given) < at_least:
        raise UsageError(f"{what} needs at least {count(at_least, 'run')}, not {len(given)}")
    return {str(name): _called(str(name), run, read(run)) for name, run in given.items()}


def _called(name: str, given: RunLike, run: Run) -> Run:
    """The run; one in memory is called by its name in messages."""
    return replace(run, source=name) if file_of(given) is None and run.source == "run" else run


def _named(runs: Any) -> Mapping[str, RunLike]:
    """Runs by name; a single run is named after its file, or "run" if it is in memory."""
    if isinstance(runs, Mapping):
        inner = [value for row in runs.values() if isinstance(row, Mapping) for value in row.values()]
        several = by_query(runs) and not any(isinstance(value, Real) for value in inner)
        return runs if several else {"run": runs}
    paths = [runs] if isinstance(runs, str | PathLike) else runs
    if isinstance(paths, Sequence) and all(isinstance(one, str | PathLike) for one in paths):
        named = [*map(fspath, paths)]
        twice = next((path for path in named if named.count(path) > 1), None)
        if twice is not None:
            raise UsageError(f"the run {quoted(twice)} was given twice", hint="name each run once")
        short = [*map(os.path.basename, named)]
        names = (name if short.count(name) == 1 else path for name, path in zip(short, named, strict=True))
        return dict(zip(names, named, strict=True))
    return {"run": runs}


def geometric(measures: Sequence[Any]) -> list[str]:
    """The measures, of records that name one each, whose values of queries are logarithms."""
    names = (of.measure for of in measures)
    return [name for name in names if family(parse_measure(name).family).aggregate == "geometric"]


def by_document(side: Run | Qrels, values: Any) -> Callable[[bytes], dict[bytes, Any]]:
    """A function from a topic to a dict docno -> value. ``values`` has one value per row of ``side``."""
    rows = dict(side.rows_of_topics())

    def of(topic: bytes) -> dict[bytes, Any]:
        here = rows.get(topic, slice(0))
        return dict(zip(side.docnos[here].tolist(), values[here].tolist(), strict=True))

    return of
