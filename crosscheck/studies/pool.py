"""Pool the first documents of several runs: contributions of each run, and documents without
judgements."""

import os
from collections.abc import Sequence
from functools import partial
from typing import ClassVar, Literal

from msgspec import Struct
from msgspec.structs import replace

from crosscheck.engine.conversion import QrelsLike, as_qrels
from crosscheck.errors import InputError, UsageError, count, quoted
from crosscheck.formats.source import write_whole
from crosscheck.harness.document import made_by
from crosscheck.model import display
from crosscheck.rankings.pairing import Pairing, notes_of
from crosscheck.report.page import Id, Page, Paragraph, Section
from crosscheck.report.tables import Field, table
from crosscheck.results import check_listed
from crosscheck.statistics.pooling import Pool, UnjudgedRate, judging_all, unjudged_rate
from crosscheck.statistics.pooling import pool as pooled
from crosscheck.studies.base import RunsLike, StudyDocument, by_document, named_runs, study, study_page
from crosscheck.studies.options import CONVENTIONS, COUNT, InputFile, option, run_files


class PoolMemberRecord(Struct, frozen=True):
    """The numbers of documents that one run contributed to the pool, and that only this run contributed."""

    run: str
    tag: str
    contributed: int
    unique: int


class PoolTopic(Struct, frozen=True):
    """The numbers for one topic: documents in the pool, documents in the pool without a judgement (null
    without qrels), and documents that each run contributed."""

    topic: str
    documents: int
    unjudged: int | None
    contributed: list[int]
    unique: list[int]


class PoolDocument(StudyDocument, frozen=True, kw_only=True):
    """The result of ``crosscheck pool``, as written to JSON. ``file``: the pool file that was written; null
    if none was written."""

    _rows: ClassVar[str] = "topics"

    study: Literal["pool"] = "pool"
    depth: int
    qrels: str | None
    members: list[PoolMemberRecord]
    topics: list[PoolTopic]
    unjudged: list[UnjudgedRate]
    file: str | None
    notes: list[str]
    summary: str

    def __post_init__(self) -> None:
        if self.unjudged:
            rated = (rate.run for rate in self.unjudged)
            check_listed((member.run for member in self.members), rated, "runs with an unjudged rate")


def pool(
    runs: RunsLike,
    depth: int,
    *,
    qrels: QrelsLike | None = None,
    cutoff: int | None = None,
    conventions: str = "trec_eval-9.0.8",
    file: str | None = None,
) -> PoolDocument:
    """The union of the top documents of several runs, and the unjudged share of each run's top documents.

    Args:
        runs: one or more, by name or as paths.
        depth: ranks taken from each run.
        qrels: judgements that exist already, for the unjudged rates.
        cutoff: cutoff of the unjudged rates; None for ``depth``.
        conventions: conventions that order the documents of each run.
        file: path to which the pool is written: a line ``topic 0 docno level`` per document. The level is
            the level in ``qrels``, or -1 for "pooled but not judged".

    Raises:
        InputError: an input cannot be used.
        UsageError: a depth or cutoff below 1, unknown conventions, one run twice, or a file that cannot be
            written.
    """
    systems = named_runs(runs, at_least=1, what="a pool")
    judged = None if qrels is None else as_qrels(qrels)
    sources = [run.source for run in systems.values()] + ([judged.source] if judged else [])
    there = [source for source in sources if os.path.exists(source)]
    if file is not None and os.path.exists(file) and any(os.path.samefile(file, one) for one in there):
        problem = f"the pool would overwrite the input {quoted(file)}"
        raise UsageError(problem, hint="give -o a different file name")
    notes = notes_of(*(Pairing.of(run, judged or judging_all(run)) for run in systems.values()))
    union = pooled(list(systems.values()), depth, conventions=conventions)
    rate = partial(unjudged_rate, k=cutoff or depth, conventions=conventions)
    rates = [replace(rate(run, judged), run=name) for name, run in systems.items() if judged is not None]
    levels_of = by_document(judged, judged.rels) if judged else lambda topic: {}
    known = map(levels_of, (of.topic for of in union.topics))
    each = [[levels.get(d, -1) for d in of.documents] for of, levels in zip(union.topics, known, strict=True)]
    if file is not None:
        _write(union, each, file)
    tags = (display(run.tag) for run in systems.values())
    contributed = map(sum, zip(*(of.contributed for of in union.topics), strict=True))
    unique = map(sum, zip(*(of.unique for of in union.topics), strict=True))
    unjudged = [None if judged is None else sum(level < 0 for level in levels) for levels in each]
    return PoolDocument(
        **made_by(),
        depth=depth,
        qrels=None if judged is None else judged.source,
        members=list(map(PoolMemberRecord, systems, tags, contributed, unique)),
        topics=[
            PoolTopic(display(of.topic), len(of.documents), gaps, of.contributed, of.unique)
            for of, gaps in zip(union.topics, unjudged, strict=True)
        ],
        unjudged=rates,
        file=file,
        notes=[*notes, *union.notes],
        summary=_summary(union, len(systems), rates),
    )


def _write(union: Pool, each: Sequence[Sequence[int]], file: str) -> None:
    """Write a pool to a file. ``each``: the levels of the documents of each topic."""
    lines = []
    for of, levels in zip(union.topics, each, strict=True):
        if odd := [id for id in (of.topic, *of.documents) if id.split() != [id]]:
            raise InputError("a pool file cannot hold an id with blanks", path=file, found=odd[0])
        lines += [b"%s 0 %s %d\n" % (of.topic, *one) for one in zip(of.documents, levels, strict=True)]
    try:
        write_whole(file, b"".join(lines))
    except OSError as error:
        raise UsageError(f"cannot write the pool to {quoted(file)}: {error.strerror}") from None


def _summary(union: Pool, runs: int, rates: list[UnjudgedRate]) -> str:
    sizes = [len(of.documents) for of in union.topics]
    documents, topics = sum(sizes), len(sizes)
    text = f"The first {union.depth:,} documents of {count(runs, 'run')} make a pool of {documents:,}"
    text += f" documents on {count(topics, 'topic')}: {documents / topics:.1f} per topic,"
    text += f" from {min(sizes):,} to {max(sizes):,}." if min(sizes) < max(sizes) else " the same of each."
    if runs > 1:
        shared = documents - sum(sum(of.unique) for of in union.topics)
        text += f" {shared:,} of them {'comes' if shared == 1 else 'come'} from more than one run."
    if known := [(rate.unjudged / rate.retrieved, rate) for rate in rates if rate.retrieved]:
        share, most = max(known, key=lambda one: one[0])
        top = f"the first {most.k:,} documents of"
        if share:
            of = f"{100 * share:.1f}% ({most.unjudged:,} of {most.retrieved:,})"
            text += f" Of {top} {quoted(most.run)} {of} are not judged, the most of any run."
        else:
            text += f" All of {top} every run are judged."
    return text


def _page(document: PoolDocument) -> Page:
    """A table of the runs with their contributions, then a table of the topics."""
    rates = {of.run: of.unjudged / of.retrieved if of.retrieved else None for of in document.unjudged}
    fields: list[Field] = ["@run", "@tag", "#contributed", "#unique"]
    fields += [(f"#unjudged@{rate.k}", lambda m: rates[m.run]) for rate in document.unjudged[:1]]
    unjudged = ["#not judged=unjudged"] if document.qrels is not None else []
    written = ("The pool is in ", Id(document.file), ".") if document.file is not None else ""
    runs = table("", document.members, *fields, limit=100, noun="run")
    topics = table("", document.topics, "@topic", "#documents", *unjudged, limit=60, noun="topic")
    return study_page(
        document,
        f"A pool of depth {document.depth} from {count(len(document.members), 'run')}",
        Section("Runs", [runs]),
        Section("Topics", [topics, Paragraph(written)]),
        notes=list(dict.fromkeys(note for rate in document.unjudged for note in rate.notes)),
    )


STUDY = study(
    PoolDocument,
    pool,
    _page,
    run_files(),
    option("--depth", "Ranks taken from each run.", COUNT, required=True),
    option("--qrels", "Judgements so far, for the unjudged rate of each run.", InputFile("qrels")),
    option("-k --cutoff", "Of the unjudged rate.  [default: the depth]", COUNT),
    CONVENTIONS,
    option(
        "-o --output file",
        "Write the pool as qrels: the level of --qrels, or -1 for documents to judge.",
        "FILE",
    ),
)
