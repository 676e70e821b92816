"""Qrels and run as dicts of columns, the input of Hugging Face's ``trec_eval`` metric."""

from __future__ import annotations

import re
from typing import Any

from msgspec import Struct

from crosscheck.backends.texts import topic_rows
from crosscheck.formats.dicts import text_encoding
from crosscheck.model import Qrels, Run, display

__all__ = ["Columns", "as_columns"]

#: A whole number as int() prints it: such an id survives conversion to int64 and back.
_CANONICAL_INTEGER = re.compile(rb"0|-?[1-9][0-9]{0,17}")


class Columns(Struct, frozen=True, kw_only=True, eq=False):
    """Equally long lists by column name; the rows of a topic are together, as in :class:`Run`.

    Attributes:
        run, qrels: columns of the run and of the qrels.
        input_order: the run's rows in the order of its input.
        notes: changes made to fit the inputs into the format.
    """

    run: dict[str, list[Any]]
    qrels: dict[str, list[Any]]
    input_order: list[int]
    notes: tuple[str, ...]

    def whole_run(self) -> dict[str, list[Any]]:
        """The columns of the run with its rows in input order, on which some measures of trectools depend."""
        return {name: [column[i] for i in self.input_order] for name, column in self.run.items()}


def as_columns(qrels: Qrels, run: Run) -> Columns:
    """The columns, with topic ids as whole numbers because the metric's features are int64.

    Topic ids that are all whole numbers are kept; otherwise topics are numbered from 1 in byte order, with a
    note. The rank column is the run's; without one it is the position in the topic's input, with a note.
    """
    notes: list[str] = []
    topics = sorted({*qrels.topics, *run.topics})
    if all(_CANONICAL_INTEGER.fullmatch(topic) for topic in topics):
        numbers = {topic: int(topic) for topic in topics}
    else:
        numbers = {topic: number for number, topic in enumerate(topics, start=1)}
        notes.append(f"query ids must be whole numbers there: numbered 1 to {len(topics)} in byte order")
    if run.ranks is None:
        notes.append("the run has no usable rank column: rank is the position in the input")
        ranks = [rank for _, i in topic_rows(run) for rank in range(1, i.stop - i.start + 1)]
    else:
        ranks = run.ranks.tolist()
    encoding = text_encoding(qrels, run)
    judged = [docno.decode(encoding) for docno in qrels.docnos.tolist()]
    retrieved = [docno.decode(encoding) for docno in run.docnos.tolist()]
    run_columns: dict[str, list[Any]] = {
        "query": _per_row(run, numbers),
        "q0": ["Q0"] * len(retrieved),
        "docid": retrieved,
        "rank": ranks,
        "score": run.scores.tolist(),
        "system": [display(run.tag)] * len(retrieved),
    }
    qrels_columns: dict[str, list[Any]] = {
        "query": _per_row(qrels, numbers),
        "q0": ["0"] * len(judged),
        "docid": judged,
        "rel": qrels.rels.tolist(),
    }
    return Columns(
        run=run_columns,
        qrels=qrels_columns,
        input_order=run.lines.argsort(kind="stable").tolist(),
        notes=tuple(notes),
    )


def _per_row(records: Qrels | Run, numbers: dict[bytes, int]) -> list[int]:
    return [numbers[topic] for topic, i in topic_rows(records) for _ in range(i.start, i.stop)]
