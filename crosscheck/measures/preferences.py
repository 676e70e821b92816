"""trec_eval's measures of preferences: ``prefs_*``.

A preference i > j is fulfilled if i is ranked above j, or i was retrieved and j was not. Each measure has up
to three forms: over all preferences; over preferences between two retrieved documents (``_ret``); and over
preferences with at least one retrieved document (``_imp``). Numbers of preferences are summed over topics,
all other values are averaged.

Tied documents are ordered by ascending docno, unlike in all other measures of trec_eval
(``evaluation/formula.py``). From plain qrels, preferences are made as if one judge preferred the document
with the higher of two levels.
"""

import inspect
import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from operator import attrgetter
from typing import Literal, NamedTuple, NoReturn, TypeAlias

import numpy as np
from msgspec import Struct

from crosscheck.axes.ties import SCORE_PRECISION, ScorePrecision
from crosscheck.conventions import Conventions
from crosscheck.errors import InputError, quoted
from crosscheck.measures.arithmetic import sequential_sum
from crosscheck.measures.base import Family
from crosscheck.model import BoolArray, FloatArray, IntArray, Measure, Qrels, display
from crosscheck.rankings.judged import JudgedRankings


class ContradictionError(InputError):
    """Raised if the preferences of a group of judges for ``topic`` contradict each other."""

    topic: bytes


class _Line(NamedTuple):
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
        pairs: ``pairs[i, j]`` is the number of times that document i is preferred to document j.
        document, level: for a complete group one entry per line of the input, sorted by descending level,
            then by document; for an incomplete group one entry per document of the group, with the level in
            the document's last line.
    """

    complete: bool
    pairs: IntArray
    document: IntArray
    level: FloatArray


class RankedPreferences(Struct, frozen=True, eq=False):
    """The preferences of a topic, with its documents numbered by rank.

    Documents with preferences are numbered from 0: first the retrieved documents in rank order, then the
    documents that were not retrieved, by docno.

    Attributes:
        retrieved: number of retrieved documents with preferences.
        groups: the groups of judges, in byte order of their names.
    """

    retrieved: int
    groups: tuple[Group, ...]


def ranked_preferences(judged: JudgedRankings, conventions: Conventions) -> Iterator[RankedPreferences]:
    """Yield the preferences of each topic.

    The axis ``score_precision`` applies to levels as it does to scores.

    Raises:
        ContradictionError: at the first topic in which the preferences of a group contradict each other: a
            document has two levels in the only subgroup, or level 0 in one subgroup and a higher level in
            another, or is preferred to itself through a chain of preferences.
    """
    for lines, retrieved, documents, names in _by_topic(judged):
        if conventions[SCORE_PRECISION] is ScorePrecision.FLOAT32:
            with np.errstate(over="ignore"):
                lines = [line._replace(level=float(np.float32(line.level))) for line in lines]
        lines.sort(key=lambda line: (line.group, line.subgroup, -line.level, line.document))
        groups = tuple(_group([*some], documents, names) for _, some in groupby(lines, attrgetter("group")))
        yield RankedPreferences(retrieved, groups)


class _DocumentNames(Struct, frozen=True, eq=False):
    """The docnos of a topic's documents, for messages. ``rows[i]``: row of document i in the qrels."""

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


def _by_topic(judged: JudgedRankings) -> Iterator[tuple[list[_Line], int, int, _DocumentNames | None]]:
    """Yield for each topic: its lines, the number of retrieved documents, the number of all documents, and
    the docnos (None for plain qrels)."""
    topics = np.arange(judged.num_topics + 1)
    starts, pooled = (np.searchsorted(of, topics).tolist() for of in (judged.topic, judged.pool_topic))
    source = judged.judgements
    if source is None or source.preferences is None or judged.document is None:
        for i in range(judged.num_topics):
            seen: list[int] = judged.rel[starts[i] : starts[i + 1]].tolist()
            others = Counter(judged.pool_rel[pooled[i] : pooled[i + 1]].tolist()) - Counter(seen)
            levels = [*seen, *others.elements()]
            lines = [_Line(b"", b"", number, level) for number, level in enumerate(levels)]
            yield lines, len(seen), len(levels), None
        return
    preferences, rows, qrels = source.preferences, source.rows, source.qrels
    assert rows is not None
    assert qrels is not None
    documents = np.searchsorted(source.topic, topics).tolist()
    bounds = np.searchsorted(preferences.document, documents).tolist()
    for i in range(judged.num_topics):
        ranked: list[int] = judged.document[starts[i] : starts[i + 1]].tolist()
        in_order = list(dict.fromkeys([*ranked, *range(documents[i], documents[i + 1])]))
        number = {document: n for n, document in enumerate(in_order)}
        here = slice(bounds[i], bounds[i + 1])
        group, subgroup, document, level = (
            column[here].tolist()
            for column in (preferences.group, preferences.subgroup, preferences.document, preferences.level)
        )
        lines = [*map(_Line, group, subgroup, map(number.__getitem__, document), level)]
        yield lines, len(ranked), len(in_order), _DocumentNames(qrels, rows[in_order].tolist())


def _group(lines: list[_Line], size: int, names: _DocumentNames | None) -> Group:
    subgroups = [[*some] for _, some in groupby(lines, attrgetter("subgroup"))]
    if len(subgroups) == 1:
        document, level = _columns(lines)
        pairs = _pairs(document, level, size)
        if names and np.any(np.diagonal(pairs)):
            names.refuse(lines[0].group, int(np.diagonal(pairs).argmax()), "has two levels in one subgroup")
        return Group(complete=True, pairs=pairs, document=document, level=level)
    assert names is not None
    levels = _last_levels(lines, names)
    preferred = np.zeros((size, size), np.bool_)
    for of_subgroup in subgroups:
        preferred |= _pairs(*_columns(of_subgroup), size) > 0
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
    """A matrix with, at ``[i, j]``, the number of times that document i is preferred to document j in the
    lines of a subgroup."""
    pairs = np.zeros((size, size), np.int64)
    np.add.at(pairs, np.ix_(document, document), level[:, None] > level[None, :])
    return pairs


def _closed(preferred: BoolArray) -> BoolArray:
    """The preferences with all preferences that follow from them: i over j and j over k give i over k."""
    np.fill_diagonal(preferred, val=True)
    while True:
        # float32, because numpy multiplies matrices of integers or booleans slowly.
        further = preferred.astype(np.float32) @ preferred.astype(np.float32) > 0
        if np.array_equal(further, preferred):
            break
        preferred = further
    np.fill_diagonal(preferred, val=False)
    return preferred


def _last_levels(lines: list[_Line], names: _DocumentNames) -> dict[int, float]:
    levels: dict[int, float] = {}
    for line in lines:
        before = levels.get(line.document, -1.0)
        if (before > 0.0 and line.level == 0.0) or (before == 0.0 and line.level > 0.0):
            problem = "is nonrelevant (level 0) in one subgroup and not in another"
            names.refuse(line.group, line.document, problem)
        levels[line.document] = line.level
    return levels


Form: TypeAlias = Literal["all", "ret", "imp"]


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


def _counted(pairs: IntArray, retrieved: int, form: Form) -> tuple[int, int]:
    """Number of fulfilled preferences and number of all preferences of a group, in one of the three forms."""
    area = pairs[:retrieved, :retrieved] if form == "ret" else pairs
    whole = int(area.sum())
    if form == "imp":
        whole -= int(pairs[retrieved:, retrieved:].sum())
    return int(np.triu(area, 1)[:retrieved].sum()), whole


def _by_groups(ranked: RankedPreferences, form: Form) -> list[tuple[int, int]]:
    return [_counted(group.pairs, ranked.retrieved, form) for group in ranked.groups]


def _summed(ranked: RankedPreferences, form: Form) -> tuple[int, int]:
    forms = _by_groups(ranked, form)
    return sum(ful for ful, _ in forms), sum(whole for _, whole in forms)


def _by_group(ranked: RankedPreferences, form: Form) -> float:
    """Share of the preferences of each group that is fulfilled, averaged over the groups."""
    total = 0.0
    for ful, whole in _by_groups(ranked, form):
        total += _ratio(ful, whole)
    return total / len(ranked.groups)


def _by_pair(ranked: RankedPreferences, form: Form) -> float:
    """The share of fulfilled preferences of each pair of documents, averaged over the pairs."""
    n = ranked.retrieved
    pairs: IntArray = np.sum([group.pairs for group in ranked.groups], axis=0)
    opinions = pairs + pairs.T
    compared = np.triu(opinions, 1) > 0
    # Those of retrieved documents first, as trec_eval adds them: row by row, one by one.
    areas = [slice(0, n)] if form == "ret" else [slice(0, n), slice(n, None)]
    kept = [(slice(0, n), columns) for columns in areas]
    shares = np.concatenate([(pairs[area] / opinions[area])[compared[area]] for area in kept])
    return _ratio(sequential_sum(shares), len(shares) + (int(compared[n:, n:].sum()) if form == "all" else 0))


def _balanced(ranked: RankedPreferences, form: Form) -> float:
    """Share of the preferences of each group that is fulfilled, averaged over the groups, as if each group
    had equal numbers of nonrelevant (level 0) and relevant documents.

    For each missing nonrelevant document, every relevant document gets a fulfilled preference over it.
    Surplus nonrelevant documents are dropped, starting with the last. If a group has no preference, the value
    is 0.0, as in trec_eval.
    """
    total = 0.0
    for group in ranked.groups:
        ful, whole = _balanced_group(group, ranked.retrieved, form)
        total += ful / whole if whole else math.nan
    return total / len(ranked.groups) if total > 0 else 0.0


def _balanced_group(group: Group, retrieved: int, form: Form) -> tuple[int, int]:
    document, level = group.document, group.level
    # A negative level is nonrelevant in a complete group and is ignored in others.
    nonrelevant = level <= 0 if group.complete else level == 0
    seen = document < retrieved
    relevant_seen, relevant = int((seen & (level > 0)).sum()), int((level > 0).sum())
    if form == "ret":
        wanted, there = relevant_seen, int((seen & nonrelevant).sum())
    else:
        wanted, there = relevant, int(nonrelevant.sum())
    if wanted >= there:
        ful, whole = _counted(group.pairs, retrieved, form)
        return ful + relevant_seen * (wanted - there), whole + relevant * (wanted - there)
    if group.complete:
        return _recounted(group, wanted, retrieved, form)
    return _recounted_partial(group, relevant, retrieved, form)


def _recounted(group: Group, wanted: int, retrieved: int, form: Form) -> tuple[int, int]:
    """Number of fulfilled preferences and number of all preferences of a complete group, with only the first
    ``wanted`` documents of its lowest level.

    trec_eval also counts pairs of each of these ``wanted`` documents with every document of the lowest level,
    even with itself, as preferences.
    """
    document, level = group.document, group.level
    if form == "ret":
        seen = document < retrieved
        document, level = document[seen], level[seen]
    lowest = level == group.level[-1]
    upper, kept = document[~lowest], document[lowest][:wanted]
    higher = level[~lowest][:, None] > level[~lowest][None, :]
    fulfilled = (upper[:, None] < upper[None, :]) & (upper[:, None] < retrieved)
    fulfilled_kept = (document[:, None] < kept[None, :]) & (document[:, None] < retrieved)
    ful = int((higher & fulfilled).sum()) + int(fulfilled_kept.sum())
    return ful, int(higher.sum()) + fulfilled_kept.size


def _recounted_partial(group: Group, relevant: int, retrieved: int, form: Form) -> tuple[int, int]:
    """Number of fulfilled preferences and number of all preferences of an incomplete group, with only the
    first ``relevant`` nonrelevant documents."""
    nonrelevant = np.sort(group.document[group.level == 0])
    if form == "ret":
        nonrelevant = nonrelevant[nonrelevant < retrieved]
    pairs = group.pairs.copy()
    dropped = nonrelevant[relevant:]
    pairs[dropped, :] = 0
    pairs[:, dropped] = 0
    return _counted(pairs, retrieved, form)


def _possible(ranked: RankedPreferences, form: Form) -> float:
    """Preferences, counted over all groups."""
    return float(_summed(ranked, form)[1])


def _fulfilled(ranked: RankedPreferences, form: Form) -> float:
    """Preferences that the ranking fulfils, counted over all groups."""
    return float(_summed(ranked, form)[0])


_Value: TypeAlias = Callable[[RankedPreferences, Form], float]
#: Name -> value of a topic, summary in one line with ``{}`` for the preferences that the form covers.
_SHARES: dict[str, tuple[_Value, str]] = {
    "simp": (lambda ranked, form: _ratio(*_summed(ranked, form)), "share of {} that are fulfilled"),
    "pair": (_by_pair, "share of {} that are fulfilled, averaged over pairs of documents"),
    "avgjg": (_by_group, "share of {} that are fulfilled, averaged over groups of judges"),
    "avgjg_Rnonrel": (_balanced, "the same with as many nonrelevant documents as relevant ones, of {}"),
}
_OF: dict[Form, str] = {
    "all": "all preferences",
    "ret": "the preferences between retrieved documents",
    "imp": "the preferences with a retrieved document",
}
#: trec_eval's name -> value of a topic, form, summary in one line.
_COUNTS: dict[str, tuple[_Value, Form, str]] = {
    "prefs_num_prefs_poss": (_possible, "all", "number of preferences"),
    "prefs_num_prefs_ful": (_fulfilled, "all", "number of preferences that are fulfilled"),
    "prefs_num_prefs_ful_ret": (_fulfilled, "ret", "number of those between retrieved documents"),
}
_MEASURES = _COUNTS | {
    f"prefs_{name}{'' if form == 'all' else f'_{form}'}": (value, form, summary.format(preferences))
    for form, preferences in _OF.items()
    for name, (value, summary) in _SHARES.items()
    if (name, form) != ("avgjg_Rnonrel", "imp")
}


def preference_values(judged: JudgedRankings, conventions: Conventions) -> dict[str, FloatArray]:
    """Name of a measure -> its values, for all measures of preferences. They are computed together, topic by
    topic, so that preferences need not be kept in memory."""

    def found() -> dict[str, FloatArray]:
        rows = [
            [value(ranked, form) if ranked.groups else 0.0 for value, form, _ in _MEASURES.values()]
            for ranked in ranked_preferences(judged, conventions)
        ]
        return dict(zip(_MEASURES, np.array(rows, np.float64).reshape(-1, len(_MEASURES)).T, strict=True))

    return judged.once(("preferences", conventions[SCORE_PRECISION]), found)


def _family(name: str, of: _Value, form: Form, summary: str) -> Family:
    def compute(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> FloatArray:
        return preference_values(judged, conventions)[name]

    where = f"Of {_OF[form]}; 0.0 where there are none (trec_eval ``{name}``)."
    compute.__doc__ = f"{inspect.getdoc(of)}\n\n{where}"
    return Family(
        name, compute, summary, trec_eval=name, rel=False, relevance=False, nonrelevant=True,
        aggregate="sum" if name in _COUNTS else "mean", needs="preferences",
    )  # fmt: skip


FAMILIES = tuple(_family(name, *about) for name, about in _MEASURES.items())
