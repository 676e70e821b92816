"""Judgements and runs read and written plainly, for data small enough to check by eye.

Ids that are not UTF-8 travel as surrogate escapes, so that every byte survives reading and writing.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, TypeAlias

__all__ = ["Qrels", "Row", "Run", "read_qrels", "read_run", "write_columns", "write_qrels", "write_run"]


class Row(NamedTuple):
    """One line of a run; ``score`` is the text as written, so that no digit is lost."""

    docno: str
    rank: int
    score: str
    tag: str = "run"


Qrels: TypeAlias = Mapping[str, Mapping[str, int]]
Run: TypeAlias = Mapping[str, Sequence[Row]]


def write_qrels(qrels: Qrels, groups: Mapping[str, str]) -> bytes:
    """Four columns, in the order of the mapping; ``groups``: the second column of some documents, else 0."""
    return _lines(
        f"{topic} {groups.get(doc, '0')} {doc} {rel}"
        for topic, judged in qrels.items()
        for doc, rel in judged.items()
    )


def write_run(run: Run) -> bytes:
    """Six columns, in the order of the mapping."""
    return _lines(
        f"{topic} Q0 {row.docno} {row.rank} {row.score} {row.tag}"
        for topic, rows in run.items()
        for row in rows
    )


def write_columns(run: Run) -> bytes:
    """The form of Hugging Face ``evaluate``: one JSON list per column. It can hold an empty docno."""
    rows = [(topic, row) for topic, lines in run.items() for row in lines]
    columns = {
        "query": [int(topic) for topic, _ in rows],
        "q0": ["q0" for _ in rows],
        "docid": [row.docno for _, row in rows],
        "rank": [row.rank for _, row in rows],
        "score": [float(row.score) for _, row in rows],
        "system": [row.tag for _, row in rows],
    }
    return (json.dumps(columns, indent=2) + "\n").encode()


def read_qrels(data: bytes) -> Qrels:
    """The reverse of :func:`write_qrels`."""
    qrels: dict[str, dict[str, int]] = {}
    for topic, _, doc, rel in _fields(data):
        qrels.setdefault(topic, {})[doc] = int(rel)
    return qrels


def read_run(data: bytes) -> Run:
    """The reverse of :func:`write_run` and of :func:`write_columns`."""
    if data.startswith(b"{"):
        columns = json.loads(data)
        names = ("query", "q0", "docid", "rank", "score", "system")
        lines = [list(map(str, line)) for line in zip(*(columns[name] for name in names), strict=True)]
    else:
        lines = _fields(data)
    run: dict[str, list[Row]] = {}
    for topic, _, doc, rank, score, tag in lines:
        run.setdefault(topic, []).append(Row(doc, int(rank), score, tag))
    return run


def _lines(lines: Iterable[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode("utf-8", "surrogateescape")


def _fields(data: bytes) -> list[list[str]]:
    # bytes.split() knows the six ASCII blanks only; str.split() would cut ids at Unicode blanks as well.
    return [
        [part.decode("utf-8", "surrogateescape") for part in line.split()]
        for line in data.split(b"\n")
        if line
    ]
