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
def trec_files(qrels: Qrels, run: Run) -> Iterator[tuple[Path, Path]]:
    """Qrels and run in a private folder that is removed at the end. The rank column is 0 for a run without
    ranks.

    Raises:
        BackendError: the format cannot hold an id.
    """
    with tempfile.TemporaryDirectory(prefix="crosscheck-") as folder:
        qrels_file, run_file = Path(folder, "qrels"), Path(folder, "run")
        qrels_file.write_bytes(_qrels_text(qrels))
        run_file.write_bytes(_run_text(run))
        yield qrels_file, run_file


def _qrels_text(qrels: Qrels) -> bytes:
    topics = _topic_of_each_row(qrels)
    rows = zip(topics, qrels.docnos.tolist(), qrels.rels.tolist(), strict=True)
    return b"".join(b"%b 0 %b %d\n" % row for row in rows)


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
