"""The preferences of a topic's groups of judges, and where its documents were retrieved."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NoReturn

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from crosscheck.axes.ties import SCORE_PRECISION, ScorePrecision
from crosscheck.conventions import Conventions
from crosscheck.errors import InputError, quoted
from crosscheck.model import BoolArray, FloatArray, IntArray, Qrels, display
from crosscheck.rankings.judged import JudgedRankings

__all__ = ["ContradictionError", "Group", "RankedPreferences", "ranked_preferences"]


class ContradictionError(InputError):
    """A group of judges contradicts itself under ``topic``."""

    topic: bytes


class _Line(Struct, frozen=True, kw_only=True, eq=False):
    group: bytes
    subgroup: bytes
    document: int
    level: float


class Group(Struct, frozen=True, kw_only=True, eq=False):
    """The preferences of one group of judges of a topic.

    Documents are numbered as in :class:`RankedPreferences`.

    Attributes:
        complete: whether the group has only one subgroup, so that any two documents of different levels make
            a preference.
        pairs: ``pairs[i, j]`` is how often i is preferred to j, shape (documents, documents).
        document, level: for a complete group one entry per line, by falling level, then by document; for an
            incomplete group one entry per document that it mentions, with the last level of the document.
    """

    complete: bool
    pairs: IntArray
    document: IntArray
    level: FloatArray


class RankedPreferences(Struct, frozen=True, eq=False):
    """A topic's preferences and where its documents were retrieved.

    Documents that a preference mentions are numbered: those retrieved in the order of the ranking, then
    the others by docno.

    Attributes:
        retrieved: number of these documents that were retrieved; documents: number of all of them.
        groups: the groups of judges, in byte order of their names.
    """

    retrieved: int
    documents: int
    groups: tuple[Group, ...]


def ranked_preferences(judged: JudgedRankings, conventions: Conventions) -> Iterator[RankedPreferences]:
    """The preferences of each topic; plain judgements are those of one judge, whose levels are compared.

    The axis ``score_precision`` applies to levels as it does to scores.

    Raises:
        ContradictionError: at the first topic in which a group contradicts itself: a document has two levels
            in the only subgroup, or both 0 and a level above it, or a document is preferred to itself
            through others.
    """
    for lines, retrieved, documents, names in _by_topic(judged):
        if conventions[SCORE_PRECISION] is ScorePrecision.FLOAT32:
            with np.errstate(over="ignore"):
                lines = [replace(line, level=float(np.float32(line.level))) for line in lines]
        by_group: dict[bytes, list[_Line]] = {name: [] for name in sorted({line.group for line in lines})}
        for line in lines:
            by_group[line.group].append(line)
        yield RankedPreferences(
            retrieved,
            documents,
            tuple(_group(some, documents, names) for some in by_group.values()),
        )


class _Names(Struct, frozen=True, eq=False):
    """The names of a topic's documents for messages; ``rows[i]`` is the row of document i in the qrels."""

    qrels: Qrels
    rows: Sequence[int]

    def refuse(self, group: bytes, number: int, problem: str) -> NoReturn:
        row = self.rows[number]
        topic = self.qrels.topics[int(np.searchsorted(self.qrels.offsets, row, "right")) - 1]
        docno = quoted(display(bytes(self.qrels.docnos[row])))
        error = ContradictionError(
            f"topic {quoted(display(topic))}, group {quoted(display(group))}: document {docno} {problem}",
            path=self.qrels.source,
            expected="preferences of one group that do not contradict each other",
            hint="give contradicting judges different groups",
        )
        error.topic = topic
        raise error


_Topic = tuple[list[_Line], int, int, _Names | None]


def _by_topic(judged: JudgedRankings) -> Iterator[_Topic]:
    """For each topic: its lines, the number of retrieved and of all documents, and their names if known."""
    topics = np.arange(judged.num_topics + 1)
    found, pooled = (np.searchsorted(of, topics).tolist() for of in (judged.topic, judged.pool_topic))
    source = judged.judgements
    if source is None or source.preferences is None or judged.document is None:
        for i in range(judged.num_topics):
            seen: list[int] = judged.rel[found[i] : found[i + 1]].tolist()
            others = Counter(judged.pool_rel[pooled[i] : pooled[i + 1]].tolist()) - Counter(seen)
            levels = [*seen, *others.elements()]
            lines = [
                _Line(group=b"", subgroup=b"", document=number, level=level)
                for number, level in enumerate(levels)
            ]
            yield lines, len(seen), len(levels), None
        return
    preferences, rows, qrels = source.preferences, source.rows, source.qrels
    assert rows is not None
    assert qrels is not None
    documents = np.searchsorted(source.topic, topics).tolist()
    bounds = np.searchsorted(preferences.document, documents).tolist()
    for i in range(judged.num_topics):
        ranked: list[int] = judged.document[found[i] : found[i + 1]].tolist()
        in_order = list(dict.fromkeys([*ranked, *range(documents[i], documents[i + 1])]))
        number = {document: n for n, document in enumerate(in_order)}
        here = slice(bounds[i], bounds[i + 1])
        columns = (preferences.group[here], preferences.subgroup[here], preferences.level[here])
        lines = [
            _Line(group=group, subgroup=subgroup, document=number[document], level=level)
            for document, group, subgroup, level in zip(
                preferences.document[here].tolist(), *(column.tolist() for column in columns), strict=True
            )
        ]
        yield lines, len(ranked), len(in_order), _Names(qrels, rows[in_order].tolist())


def _group(lines: list[_Line], size: int, names: _Names | None) -> Group:
    lines = sorted(lines, key=lambda line: (line.subgroup, -line.level, line.document))
    subgroups = {line.subgroup for line in lines}
    if len(subgroups) == 1:
        document, level = _columns(lines)
        pairs = _pairs(document, level, size)
        if names and np.any(np.diagonal(pairs)):
            twice = int(np.diagonal(pairs).argmax())
            names.refuse(lines[0].group, twice, "has two levels in one subgroup")
        return Group(complete=True, pairs=pairs, document=document, level=level)
    assert names is not None
    levels = _last_levels(lines, names)
    preferred = np.zeros((size, size), np.bool_)
    for subgroup in subgroups:
        document, level = _columns([line for line in lines if line.subgroup == subgroup])
        preferred |= _pairs(document, level, size) > 0
    preferred = _closed(preferred)
    if np.any(both := preferred & preferred.T):
        through = int(both.any(axis=1).argmax())
        names.refuse(lines[0].group, through, "is preferred to itself through other documents")
    document, level = np.array(list(levels), np.int64), np.array(list(levels.values()), np.float64)
    return Group(complete=False, pairs=preferred.astype(np.int64), document=document, level=level)


def _columns(lines: list[_Line]) -> tuple[IntArray, FloatArray]:
    documents = np.array([line.document for line in lines], np.int64)
    return documents, np.array([line.level for line in lines], np.float64)


def _pairs(document: IntArray, level: FloatArray, size: int) -> IntArray:
    """How often document i is preferred to document j among the lines of a subgroup, at ``[i, j]``."""
    pairs = np.zeros((size, size), np.int64)
    np.add.at(pairs, np.ix_(document, document), level[:, None] > level[None, :])
    return pairs


def _closed(preferred: BoolArray) -> BoolArray:
    """The preferences and all that follow from them: i over j and j over k give i over k."""
    np.fill_diagonal(preferred, val=True)
    while True:
        # float32, because numpy multiplies matrices of other kinds slowly.
        further = preferred.astype(np.float32) @ preferred.astype(np.float32) > 0
        if np.array_equal(further, preferred):
            break
        preferred = further
    np.fill_diagonal(preferred, val=False)
    return preferred


def _last_levels(lines: list[_Line], names: _Names) -> dict[int, float]:
    levels: dict[int, float] = {}
    for line in lines:
        before = levels.get(line.document, -1.0)
        if (before > 0.0 and line.level == 0.0) or (before == 0.0 and line.level > 0.0):
            names.refuse(
                line.group, line.document, "is nonrelevant (level 0) in one subgroup and not in another"
            )
        levels[line.document] = line.level
    return levels
