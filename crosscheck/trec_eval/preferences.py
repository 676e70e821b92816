"""Preferences between documents (``-R prefs``, ``-R qrels_prefs``): reading them, and a run against them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from crosscheck.axes.depth import DEPTH
from crosscheck.axes.score_precision import SCORE_PRECISION, ScorePrecision
from crosscheck.axes.ties import TIES, Ties
from crosscheck.conventions import Conventions
from crosscheck.errors import InputError, quoted
from crosscheck.evaluation.rankings import Rankings
from crosscheck.formats.grouping import identifiers
from crosscheck.formats.numerals import atof
from crosscheck.model import BoolArray, FloatArray, IntArray, Qrels, Run, display
from crosscheck.trec_eval.judgement_lines import judgement_lines

__all__ = [
    "Group",
    "Preference",
    "Preferences",
    "RankedPreferences",
    "preferences_from_text",
    "ranked_preferences",
]

_WITH_SUBGROUPS = ("topic", "group", "subgroup", "docno", "level")
_WITHOUT = ("topic", "group", "docno", "level")


class Preference(NamedTuple):
    """One line: the level that a group of judges gave to a document of a topic, in one of its subgroups."""

    group: bytes
    subgroup: bytes
    docno: bytes
    level: float


@dataclass(frozen=True, slots=True, eq=False)
class Preferences:
    """Preferences by topic, in byte order of the topic ids.

    Attributes:
        source: name of the input, for messages.
    """

    by_topic: dict[bytes, tuple[Preference, ...]]
    source: str


def preferences_from_text(text: bytes, path: str, *, subgroups: bool) -> Preferences:
    """Read ``topic group [subgroup] docno level`` lines by trec_eval's rules.

    A level is the longest numeric prefix, 0.0 if there is none.

    Args:
        subgroups: whether lines have the column ``subgroup`` (``prefs``) or not (``qrels_prefs``).

    Raises:
        InputError: a line does not have these columns.
    """
    found: dict[bytes, list[Preference]] = {}
    for _, columns in judgement_lines(text, path, _WITH_SUBGROUPS if subgroups else _WITHOUT):
        topic, group, *subgroup, docno, level = columns
        line = Preference(group, subgroup[0] if subgroup else b"", docno, atof(level)[0])
        found.setdefault(topic, []).append(line)
    return Preferences({topic: tuple(found[topic]) for topic in sorted(found)}, path)


@dataclass(frozen=True, slots=True, eq=False)
class Group:
    """The preferences of one judgment group of a topic.

    Documents are numbered as in :class:`RankedPreferences`.

    Attributes:
        complete: whether the group has one subgroup, so that any two different levels are a preference.
        pairs: ``pairs[i, j]`` is how often i is preferred to j, shape (documents, documents).
        document, level: for a complete group one entry per line, by descending level, then by document;
            otherwise one entry per document, with its last level.
    """

    complete: bool
    pairs: IntArray
    document: IntArray
    level: FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class RankedPreferences:
    """The preferences of a topic and the ranking of its documents.

    Documents that a preference mentions are numbered: those retrieved in the order of the ranking, then
    the others by docno.

    Attributes:
        retrieved: number of them that were retrieved; documents: their number.
        groups: in byte order of their names.
    """

    retrieved: int
    documents: int
    groups: tuple[Group, ...]


def ranked_preferences(
    preferences: Preferences, run: Run, conventions: Conventions
) -> dict[bytes, RankedPreferences]:
    """The preferences of each topic that has results, in byte order of the topics.

    Tied documents are in ascending order of their docnos, unlike for all other measures. Only two conventions
    apply: ``score_precision``, for scores and for levels, and ``depth``.

    Args:
        run: no docno twice under a topic.

    Raises:
        InputError: a group contradicts itself: a document has two levels in the only subgroup, or both 0
            and a level above it, or a document is preferred to itself through others.
    """
    depth = conventions[DEPTH]
    rankings = Rankings(run, _mentioned(preferences))
    pairing, rank = rankings.pairing, rankings.ranks(conventions.having(TIES, Ties.DOCID_ASC))
    kept = np.ones(len(rank), np.bool_) if depth is None else rank <= depth
    in_order = np.lexsort((rank[kept], pairing.topic[kept]))
    topic, docnos = pairing.topic[kept][in_order], run.docnos[pairing.rows[kept][in_order]]
    bounds = np.searchsorted(topic, np.arange(len(pairing.topics) + 1))
    found: dict[bytes, RankedPreferences] = {}
    for i, name in enumerate(pairing.topics):
        retrieved = [bytes(docno) for docno in docnos[bounds[i] : bounds[i + 1]].tolist()]
        found[name] = _Topic(preferences, name, retrieved, conventions[SCORE_PRECISION]).ranked()
    return found


def _mentioned(preferences: Preferences) -> Qrels:
    """All documents in preferences, as if they were judged."""
    documents = [sorted({line.docno for line in lines}) for lines in preferences.by_topic.values()]
    flat = [docno for some in documents for docno in some]
    return Qrels(
        topics=tuple(preferences.by_topic),
        offsets=np.cumsum([0, *map(len, documents)], dtype=np.int64),
        docnos=identifiers(flat),
        rels=np.ones(len(flat), np.int64),
        source=preferences.source,
    )


class _Topic:
    """Builder of :class:`RankedPreferences` for one topic."""

    def __init__(
        self, preferences: Preferences, topic: bytes, retrieved: list[bytes], precision: ScorePrecision
    ) -> None:
        self._source, self._topic, self._retrieved = preferences.source, topic, retrieved
        self._lines = preferences.by_topic[topic]
        if precision is ScorePrecision.FLOAT32:
            with np.errstate(over="ignore"):
                self._lines = tuple(
                    line._replace(level=float(np.float32(line.level))) for line in self._lines
                )
        others = sorted({line.docno for line in self._lines} - set(retrieved))
        self._number = {docno: i for i, docno in enumerate([*retrieved, *others])}

    def ranked(self) -> RankedPreferences:
        names = sorted({line.group for line in self._lines})
        groups = tuple(self._group([line for line in self._lines if line.group == name]) for name in names)
        return RankedPreferences(len(self._retrieved), len(self._number), groups)

    def _group(self, lines: list[Preference]) -> Group:
        lines = sorted(lines, key=lambda line: (line.subgroup, -line.level, self._number[line.docno]))
        size = len(self._number)
        if len({line.subgroup for line in lines}) == 1:
            document, level = self._columns(lines)
            pairs = np.zeros((size, size), np.int64)
            np.add.at(pairs, np.ix_(document, document), level[:, None] > level[None, :])
            if np.any(np.diagonal(pairs)):
                self._refuse(
                    lines[0].group, int(np.diagonal(pairs).argmax()), "has two levels in one subgroup"
                )
            return Group(True, pairs, document, level)
        levels = self._last_levels(lines)
        preferred = np.zeros((size, size), np.bool_)
        for subgroup in {line.subgroup for line in lines}:
            document, level = self._columns([line for line in lines if line.subgroup == subgroup])
            of_subgroup = np.zeros((size, size), np.int64)
            np.add.at(of_subgroup, np.ix_(document, document), level[:, None] > level[None, :])
            preferred |= of_subgroup > 0
        pairs = self._closed(lines[0].group, preferred).astype(np.int64)
        return Group(
            False, pairs, np.array(list(levels), np.int64), np.array(list(levels.values()), np.float64)
        )

    def _columns(self, lines: list[Preference]) -> tuple[IntArray, FloatArray]:
        document = np.array([self._number[line.docno] for line in lines], np.int64)
        return document, np.array([line.level for line in lines], np.float64)

    def _closed(self, group: bytes, preferred: BoolArray) -> BoolArray:
        """The transitive closure of the preferences."""
        np.fill_diagonal(preferred, val=True)
        while True:
            # float32, because numpy multiplies integer matrices slowly.
            further = preferred.astype(np.float32) @ preferred.astype(np.float32) > 0
            if np.array_equal(further, preferred):
                break
            preferred = further
        np.fill_diagonal(preferred, val=False)
        both = preferred & preferred.T
        if np.any(both):
            self._refuse(
                group, int(both.any(axis=1).argmax()), "is preferred to itself through other documents"
            )
        return preferred

    def _last_levels(self, lines: list[Preference]) -> dict[int, float]:
        levels: dict[int, float] = {}
        for line in lines:
            number = self._number[line.docno]
            before = levels.get(number, -1.0)
            if (before > 0.0 and line.level == 0.0) or (before == 0.0 and line.level > 0.0):
                self._refuse(
                    line.group, number, "is nonrelevant (level 0) in one subgroup and not in another"
                )
            levels[number] = line.level
        return levels

    def _refuse(self, group: bytes, number: int, problem: str) -> None:
        docno = list(self._number)[number]
        where = f"topic {quoted(display(self._topic))}, group {quoted(display(group))}"
        raise InputError(
            f"{where}: document {quoted(display(docno))} {problem}",
            path=self._source,
            expected="preferences of one group that do not contradict each other",
            hint="give contradicting judges different groups",
        )
