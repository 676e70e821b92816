"""Small qrels and runs for the tests of this folder, and answers as text."""

import re
from collections.abc import Mapping, Sequence

import numpy as np

from crosscheck.backends.outcomes import Answer
from crosscheck.model import Measure, MeasureValues, Qrels, Run

#: (topic, docno, score) rows, or with a rank as fourth element.
Row = tuple[str, str, float]


def qrels_of(judgements: Mapping[str, Mapping[str, int]]) -> Qrels:
    """Judgements from {topic: {docno: level}}, ids encoded as Latin-1 where they are not ASCII."""
    rows = {_id(topic): [(_id(d), rel) for d, rel in docs.items()] for topic, docs in judgements.items()}
    topics = tuple(sorted(rows))
    flat = [pair for topic in topics for pair in rows[topic]]
    return Qrels(
        topics=topics,
        offsets=_offsets([len(rows[topic]) for topic in topics]),
        docnos=np.array([docno for docno, _ in flat], dtype="S" if flat else "S1"),
        rels=np.array([rel for _, rel in flat], dtype=np.int64),
        source="qrels",
    )


def run_of(results: Mapping[str, Mapping[str, float]], tag: bytes = b"test") -> Run:
    """A run from {topic: {docno: score}}: input order is that of the mapping, no rank column."""
    return run_of_rows([(t, d, s) for t, docs in results.items() for d, s in docs.items()], tag=tag)


def run_of_rows(rows: Sequence[Row], ranks: Sequence[int] | None = None, tag: bytes = b"test") -> Run:
    """A run from its lines in input order; topics may be interleaved."""
    order = sorted(range(len(rows)), key=lambda i: _id(rows[i][0]))
    topics = tuple(sorted({_id(row[0]) for row in rows}))
    counts = [sum(_id(row[0]) == topic for row in rows) for topic in topics]
    return Run(
        topics=topics,
        offsets=_offsets(counts),
        docnos=np.array([_id(rows[i][1]) for i in order], dtype="S" if rows else "S1"),
        scores=np.array([rows[i][2] for i in order], dtype=np.float64),
        ranks=None if ranks is None else np.array([ranks[i] for i in order], dtype=np.int64),
        lines=np.array(order, dtype=np.int64),
        tag=tag,
        source="run",
    )


def _id(text: str) -> bytes:
    return text.encode("latin-1")


def _offsets(counts: list[int]) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    return np.concatenate([[0], np.cumsum(np.array(counts, dtype=np.int64))]).astype(np.int64)


def number(value: float | None) -> str:
    """To twelve digits; other numbers than floats of Python have their type."""
    return f"{value:.12g}" if type(value) is float else repr(value)


def told(answers: Mapping[Measure, Answer]) -> str:
    """Values and mean of each measure, or its error without the place in code of others."""
    lines = []
    for measure, answer in answers.items():
        if isinstance(answer, MeasureValues):
            values = [f"{topic!r}: {number(value)}" for topic, value in sorted(answer.values.items())]
            decimals = f", {answer.decimals} decimals" if answer.decimals else ""
            said = f"{{{', '.join(values)}}}, mean {number(answer.mean)}{decimals}"
            said += "".join(f"\n  note: {note}" for note in answer.notes)
        else:
            said = re.sub(r" \(\w+\.py:\d+ in \w+\)", "", str(answer))
        lines.append(f"{measure}: {said}")
    return "\n".join(lines)
