"""Conversion of qrels and run to the forms that backends take: dicts with ids as text, or TREC files."""

import contextlib
import tempfile
from collections.abc import Iterator
from itertools import repeat
from pathlib import Path
from typing import Any

import numpy as np
from msgspec import Struct

from crosscheck.errors import BackendError, quoted
from crosscheck.formats.dicts import text_encoding, to_dict
from crosscheck.model import Needs, Qrels, Run, display
from crosscheck.rankings.changed_inputs import only_topics


class Texts(Struct, frozen=True, eq=False):
    """Qrels and run as dicts of dicts, topics in byte order, documents in input order.

    Attributes:
        qrels: topic -> docno -> relevance level.
        run: topic -> docno -> score.
        topics: topic as text -> topic id, for every topic of qrels or run.
    """

    qrels: dict[str, dict[str, int]]
    run: dict[str, dict[str, float]]
    topics: dict[str, bytes]


def as_texts(qrels: Qrels, run: Run) -> Texts:
    """Convert qrels and run to dicts. Topics without rows are left out.

    All ids are decoded with one encoding, so the order of docnos does not change. The encoding gives no lone
    surrogates, which some extension modules cannot store.
    """
    encoding = text_encoding(qrels, run)
    topics = {topic.decode(encoding): topic for topic in sorted({*qrels.topics, *run.topics})}
    results = {topic: docs for topic, docs in to_dict(run, encoding).items() if docs}
    return Texts({topic: docs for topic, docs in to_dict(qrels, encoding).items() if docs}, results, topics)


def subtopic_rows(qrels: Qrels, run: Run) -> list[tuple[str, str, int, str]]:
    """Topic, docno, relevance level and subtopic of each judgement, with ids as text.

    The rows are sorted by subtopic number, so that numbering subtopics by first appearance gives the same
    numbers. In qrels without subtopics, each subtopic is "0".
    """
    encoding = text_encoding(qrels, run)
    topics = qrels.topic_numbers.tolist()
    names = [topic.decode(encoding) for topic in qrels.topics]
    docnos = [docno.decode(encoding) for docno in qrels.docnos.tolist()]
    if qrels.subtopics is None:
        rows = zip(range(len(docnos)), qrels.rels.tolist(), ["0"] * len(docnos), strict=True)
    else:
        held = qrels.subtopics
        order = np.argsort(held.subtopic, kind="stable")
        called = [display(held.names[number]) for number in held.subtopic[order].tolist()]
        rows = zip(held.document[order].tolist(), held.rels[order].tolist(), called, strict=True)
    return [(names[topics[row]], docnos[row], level, subtopic) for row, level, subtopic in rows]


def nested_qrels(qrels: Qrels, run: Run, needs: Needs) -> dict[str, dict[str, Any]]:
    """Detailed judgements as nested dicts, with ids and names of subtopics as text.

    ``subtopics``: topic -> subtopic -> docno -> level.
    ``preferences``: topic -> group -> subgroup -> docno -> level of preference; for qrels without preferences
    the group is "" and the subgroups are the subtopics.
    """
    judged: dict[str, dict[str, Any]] = {}
    held = qrels.preferences
    if needs == "subtopics" or held is None:
        for topic, docno, level, subtopic in subtopic_rows(qrels, run):
            judged.setdefault(topic, {}).setdefault(subtopic, {})[docno] = level
        return judged if needs == "subtopics" else {topic: {"": groups} for topic, groups in judged.items()}
    encoding = text_encoding(qrels, run)
    topics = [topic.decode(encoding) for topic in qrels.topics]
    topic_of = qrels.topic_numbers[held.document].tolist()
    columns = [column.tolist() for column in (held.document, held.group, held.subgroup, held.level)]
    for number, document, group, subgroup, level in zip(topic_of, *columns, strict=True):
        groups = judged.setdefault(topics[number], {}).setdefault(display(group), {})
        groups.setdefault(display(subgroup), {})[qrels.docnos[document].decode(encoding)] = level
    return judged


def topic_rows(records: Qrels | Run) -> Iterator[tuple[bytes, slice]]:
    """Each topic with rows, in byte order, and the range of its rows."""
    return ((topic, rows) for topic, rows in records.rows_of_topics() if rows.stop > rows.start)


def one_by_one(qrels: Qrels, run: Run) -> Iterator[tuple[bytes, tuple[Qrels, Run]]]:
    """Yield each topic with results and judgements, in byte order, and its judgements and results."""
    judged = {topic for topic, _ in topic_rows(qrels)}
    for topic, _ in topic_rows(run):
        if topic in judged:
            yield topic, (only_topics(qrels, {topic}), only_topics(run, {topic}))


@contextlib.contextmanager
def trec_files(qrels: Qrels, run: Run, format: str = "qrels") -> Iterator[tuple[Path, Path]]:
    """Write qrels and run into a private folder, yield the paths of the two files, and remove the folder.

    If the run has no ranks, the rank column is 0.

    Args:
        format: format of the qrels, as for trec_eval's ``-R``: ``qrels``, ``qrels_jg`` or ``prefs``.

    Raises:
        BackendError: an id cannot be written in the format.
    """
    with tempfile.TemporaryDirectory(prefix="crosscheck-") as folder:
        qrels_file, run_file = Path(folder, "qrels"), Path(folder, "run")
        qrels_file.write_bytes(_qrels_text(qrels, format))
        run_file.write_bytes(_run_text(run))
        yield qrels_file, run_file


def _qrels_text(qrels: Qrels, format: str) -> bytes:
    rows = range(len(qrels.docnos))
    between: list[list[bytes]] = [[b"0"] * len(rows)] * (2 if format == "prefs" else 1)
    document, levels = list(rows), qrels.rels.tolist()
    if format == "prefs" and (preferences := qrels.preferences) is not None:
        document, levels = preferences.document.tolist(), preferences.level.tolist()
        between = [preferences.group.tolist(), preferences.subgroup.tolist()]
    elif format == "qrels_jg" and (groups := qrels.subtopics) is not None:
        document, levels = groups.document.tolist(), groups.rels.tolist()
        between = [[groups.names[number] for number in groups.subtopic.tolist()]]
    topics, docnos = _topic_of_each_row(qrels), qrels.docnos.tolist()
    lines = zip(document, *between, levels, strict=True)
    return b"".join(
        # An empty name stands for a column that the input does not have.
        b" ".join([topics[row], *(name or b"0" for name in names), docnos[row], repr(level).encode()]) + b"\n"
        for row, *names, level in lines
    )


def _run_text(run: Run) -> bytes:
    topics, tag = _topic_of_each_row(run), run.tag if _is_token(run.tag) else b"run"
    ranks = repeat(0, len(topics)) if run.ranks is None else run.ranks.tolist()
    # repr gives digits that read back as the same double.
    rows = zip(topics, run.docnos.tolist(), ranks, map(repr, run.scores.tolist()), strict=True)
    return b"".join(b"%b Q0 %b %d %b %b\n" % (t, d, rank, score.encode(), tag) for t, d, rank, score in rows)


def _topic_of_each_row(records: Qrels | Run) -> list[bytes]:
    for identifier in (*records.topics, *records.docnos.tolist()):
        if not _is_token(identifier):
            message = f"id {quoted(identifier)} cannot be written into trec_eval's format"
            raise BackendError(message, hint="use ids that are not empty and have no blanks or NUL bytes")
    return [topic for topic, i in topic_rows(records) for _ in range(i.start, i.stop)]


def _is_token(identifier: bytes) -> bool:
    return identifier.split() == [identifier] and b"\0" not in identifier
