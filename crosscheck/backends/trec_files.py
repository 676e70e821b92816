"""Qrels and run as trec_eval's text files, for programs that read files."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator
from itertools import repeat
from pathlib import Path

from crosscheck.backends.texts import topic_rows
from crosscheck.errors import BackendError, quoted
from crosscheck.model import Qrels, Run

__all__ = ["trec_files"]


@contextlib.contextmanager
def trec_files(qrels: Qrels, run: Run, format: str = "qrels") -> Iterator[tuple[Path, Path]]:
    """Write qrels and run into a private folder, yield the paths of the two files, and remove the folder.

    The rank column is 0 for a run without ranks.

    Args:
        format: format of the qrels, as for trec_eval's ``-R``: ``qrels``, ``qrels_jg`` or ``prefs``.

    Raises:
        BackendError: the format cannot hold an id.
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
        # An empty name is that of a column which the input does not have.
        b" ".join([topics[row], *(name or b"0" for name in names), docnos[row], repr(level).encode()]) + b"\n"
        for row, *names, level in lines
    )


def _run_text(run: Run) -> bytes:
    topics, tag = _topic_of_each_row(run), run.tag if _is_token(run.tag) else b"run"
    ranks = repeat(0, len(topics)) if run.ranks is None else run.ranks.tolist()
    # 17 digits give back the same double.
    rows = zip(topics, run.docnos.tolist(), ranks, map(repr, run.scores.tolist()), strict=True)
    return b"".join(b"%b Q0 %b %d %b %b\n" % (t, d, rank, score.encode(), tag) for t, d, rank, score in rows)


def _topic_of_each_row(records: Qrels | Run) -> list[bytes]:
    for identifier in (*records.topics, *records.docnos.tolist()):
        if not _is_token(identifier):
            raise BackendError(
                f"id {quoted(identifier)} cannot be written into trec_eval's format",
                hint="ids must not be empty and must not hold blanks or NUL",
            )
    return [topic for topic, i in topic_rows(records) for _ in range(i.start, i.stop)]


def _is_token(identifier: bytes) -> bool:
    return identifier.split() == [identifier] and b"\0" not in identifier
