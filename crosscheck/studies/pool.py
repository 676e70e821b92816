"""Pools of documents to judge, and the documents they leave unjudged."""

from __future__ import annotations

import os
from collections.abc import Sequence

from crosscheck.engine.conversion import QrelsLike, as_qrels
from crosscheck.errors import InputError, UsageError, quoted
from crosscheck.formats.whole_files import write_whole
from crosscheck.harness.environment import environment
from crosscheck.model import Qrels, Run, display
from crosscheck.results import written
from crosscheck.statistics.pooling import Pool, UnjudgedRate, pool, unjudged_rate
from crosscheck.studies.named_runs import TOOL, RunsLike, named_runs
from crosscheck.study_records.pool import PoolDocument, PoolMemberRecord, PoolTopic, Unjudged

__all__ = ["pool_runs"]


def pool_runs(
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
        cutoff: cutoff of the unjudged rates; None for the depth.
        conventions: conventions that order the documents of each run.
        file: where to write the pool: a line ``topic 0 docno level`` per document, the level that
            ``qrels`` gives it or -1, which means "pooled but not judged" in qrels.

    Raises:
        InputError: an input cannot be used.
        UsageError: a depth or cutoff below 1, unknown conventions, one run twice, or a file that cannot be
            written.
    """
    systems = named_runs(runs, at_least=1, what="a pool")
    judgements = None if qrels is None else as_qrels(qrels)
    sources = [run.source for run in systems.values()] + ([judgements.source] if judgements else [])
    if file is not None and any(_same_file(file, source) for source in sources):
        raise UsageError(
            f"the pool would overwrite the input {quoted(file)}", hint="give -o another file name"
        )
    found = pool(list(systems.values()), depth, conventions=conventions)
    rates = {
        name: unjudged_rate(run, judgements, cutoff or depth, conventions=conventions)
        for name, run in systems.items()
        if judgements is not None
    }
    levels = None if judgements is None else _levels(judgements)
    if file is not None:
        _write(found, levels or {}, file)
    return PoolDocument(
        tool=TOOL,
        environment=environment(),
        depth=depth,
        qrels=None if judgements is None else judgements.source,
        members=_members(systems, found),
        topics=_topics(found, levels),
        unjudged=[written(Unjudged, rate, run=name) for name, rate in rates.items()],
        file=file,
        notes=list(found.notes),
        summary=_summary(found, rates),
    )


def _same_file(one: str, other: str) -> bool:
    return os.path.exists(one) and os.path.exists(other) and os.path.samefile(one, other)


def _members(systems: dict[str, Run], found: Pool) -> list[PoolMemberRecord]:
    return [
        PoolMemberRecord(name, display(member.tag), sum(member.contributed), sum(member.unique))
        for name, member in zip(systems, found.members, strict=True)
    ]


def _topics(found: Pool, levels: dict[bytes, dict[bytes, int]] | None) -> list[PoolTopic]:
    return [
        PoolTopic(
            topic=display(topic),
            documents=len(docnos),
            unjudged=None if levels is None else sum(levels.get(topic, {}).get(d, -1) < 0 for d in docnos),
            contributed=[member.contributed[place] for member in found.members],
            unique=[member.unique[place] for member in found.members],
        )
        for place, (topic, docnos) in enumerate(zip(found.topics, found.documents, strict=True))
    ]


def _levels(qrels: Qrels) -> dict[bytes, dict[bytes, int]]:
    docnos, rels, offsets = qrels.docnos.tolist(), qrels.rels.tolist(), qrels.offsets.tolist()
    return {
        topic: dict(zip(docnos[start:end], rels[start:end], strict=True))
        for topic, start, end in zip(qrels.topics, offsets[:-1], offsets[1:], strict=True)
    }


def _write(found: Pool, levels: dict[bytes, dict[bytes, int]], file: str) -> None:
    lines = []
    for topic, docnos in zip(found.topics, found.documents, strict=True):
        for docno in docnos:
            for id in (topic, docno):
                if id.split() != [id]:
                    raise InputError("an id with blanks does not fit into a pool file", path=file, found=id)
            lines.append(b"%s 0 %s %d\n" % (topic, docno, levels.get(topic, {}).get(docno, -1)))
    try:
        write_whole(file, b"".join(lines))
    except OSError as error:
        raise UsageError(f"cannot write the pool to {quoted(file)}: {error.strerror}") from None


def _summary(found: Pool, rates: dict[str, UnjudgedRate]) -> str:
    sizes: Sequence[int] = found.sizes
    documents, topics, runs = sum(sizes), len(sizes), len(found.members)
    text = (
        f"The first {found.depth:,} documents of {runs:,} {'run' if runs == 1 else 'runs'} make a pool of"
        f" {documents:,} documents on {topics:,} {'topic' if topics == 1 else 'topics'}:"
        f" {documents / topics:.1f} per topic, from {min(sizes):,} to {max(sizes):,}."
    )
    if runs > 1:
        shared = documents - sum(sum(member.unique) for member in found.members)
        text += f" {shared:,} of them come from more than one run."
    known = {name: rate.mean for name, rate in rates.items() if rate.mean is not None}
    if known:
        name = max(known, key=lambda name: known[name])
        k = rates[name].k
        share = f"{100 * known[name]:.1f}% of the first {k:,} documents of {quoted(name)}"
        most = f" Nobody judged {share}, the most of any run."
        text += most if known[name] else f" All of the first {k:,} documents of every run are judged."
    return text
