"""A run joined with its qrels, and the first three stages of an evaluation: read, order, judge.

The first stage, :func:`as_read_by`, decides which lines of the input are used and which ids are equal.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import chain, compress
from typing import TypeVar

import numpy as np
import numpy.typing as npt
from msgspec.structs import replace

from crosscheck.axes.base import Stage
from crosscheck.axes.ids import DUPLICATES, IDENTICAL_IDS, IDS, Duplicates, IdenticalIds, Ids
from crosscheck.axes.judging import FIRST_RESULT, UNIVERSE, FirstResult, Universe
from crosscheck.axes.ties import SPECIAL_SCORES, TIES, WITHOUT_ORDER, SpecialScores
from crosscheck.conventions import Conventions
from crosscheck.errors import InputError
from crosscheck.evaluation.order import hit_ranks, tie_groups, whole_rankings
from crosscheck.formats.grouping import Grouping, group, identifiers
from crosscheck.model import BoolArray, FloatArray, IdArray, IntArray, Qrels, Run
from crosscheck.rankings.changed_inputs import by_group, only_rows, only_topics, with_rows
from crosscheck.rankings.judged import JudgedRankings, by_rank, judge
from crosscheck.rankings.pairing import JudgedPool, Memo, Pairing

_T = TypeVar("_T", bound=np.generic)


def reads_all(run: Run, conventions: Conventions) -> bool:
    """Whether the first stage leaves the run and its qrels unchanged under these conventions.

    Raises:
        InputError: a document occurs twice under a query, which is an error under the conventions.
    """
    c = conventions
    if not run.unique and c[DUPLICATES] is Duplicates.ERROR:
        problem = "a document occurs twice under one query"
        expected = "each document once per query under duplicates=error, as in trec_eval"
        hint = "set the convention duplicates=first, duplicates=last or duplicates=each"
        raise InputError(problem, path=run.source, expected=expected, hint=hint)
    as_given = run.unique or c[DUPLICATES] is Duplicates.EACH
    others = c.of(Stage.READ).changed - {DUPLICATES, UNIVERSE}
    return as_given and c[UNIVERSE] is not Universe.APPENDED and not others


def as_read_by(run: Run, pool: JudgedPool, conventions: Conventions) -> tuple[Run, JudgedPool]:
    """Run and qrels as a tool with these conventions reads them.

    Uses the axes ``ids``, ``duplicates``, ``identical_ids``, ``special_scores`` and ``universe``, in this
    order. A query remains even if all its documents are removed. Documents whose ids become equal under
    ``ids`` are repeated documents, which ``duplicates`` handles (by default, the last line is used).
    """
    if conventions[IDS] is not Ids.EXACT:
        run, qrels = _same_ids(run, pool.qrels, conventions[IDS])
        pool = JudgedPool(qrels, pool.max_rel)
    if not run.unique and conventions[DUPLICATES] is not Duplicates.EACH:
        run = _once(run, first=conventions[DUPLICATES] is Duplicates.FIRST)
    if conventions[IDENTICAL_IDS] is IdenticalIds.REMOVED:
        run = only_rows(run, ~has_own_id(run))
    if conventions[SPECIAL_SCORES] is SpecialScores.NONPOSITIVE_DROPPED:
        run = only_rows(run, np.asarray(run.scores > 0))
    elif conventions[SPECIAL_SCORES] is SpecialScores.NAN_KEEPS_PLACE:
        run = replace(run, scores=_sorted_by_python(run))
    if conventions[UNIVERSE] is Universe.APPENDED:
        run = _with_unretrieved(run, pool)
    return run, pool


def has_own_id(run: Run) -> BoolArray:
    """Mask of the rows whose docno is the id of their query."""
    return np.asarray(run.docnos == identifiers(list(run.topics))[run.topic_numbers])


def _with_unretrieved(run: Run, pool: JudgedPool) -> Run:
    """The run with the judged documents that a query did not retrieve added after its lines, with score 0 and
    the next ranks."""
    in_qrels = pool.places(run.topics)
    judged = np.flatnonzero(in_qrels >= 0)
    topic, rows = pool.rows(in_qrels[judged])
    new = np.ones(len(pool.qrels.docnos), np.bool_)
    new[pool.find(run, in_qrels)[1]] = False
    topic, rows = judged[topic[new[rows]]], rows[new[rows]]
    before, number = len(run.docnos), len(rows)
    if not number:
        return run
    sizes = np.bincount(topic, minlength=len(run.topics))
    order = np.insert(np.arange(before), run.offsets[topic + 1], np.arange(before, before + number))
    ranks = run.ranks
    if ranks is not None:
        last = np.zeros(len(run.topics), np.int64)
        np.maximum.at(last, run.topic_numbers, ranks)
        place = np.arange(1, number + 1) - (np.cumsum(sizes) - sizes)[topic]
        ranks = np.concatenate((ranks, last[topic] + place))[order]
    return replace(
        run,
        offsets=run.offsets + np.concatenate(([0], np.cumsum(sizes))),
        docnos=np.concatenate((run.docnos, pool.qrels.docnos[rows]))[order],
        scores=np.concatenate((run.scores, np.zeros(number)))[order],
        ranks=ranks,
        lines=np.concatenate((run.lines, run.lines.max(initial=-1) + 1 + np.arange(number)))[order],
    )


def _once(run: Run, *, first: bool) -> Run:
    """The run with each document once, at the position of its first line. Score and rank come from the first
    line if ``first``, else from the last line, as in a dict whose values are overwritten."""
    kept = np.ones(len(run.docnos), np.bool_)
    source = np.arange(len(run.docnos))
    for start, end in zip(run.offsets[:-1].tolist(), run.offsets[1:].tolist(), strict=True):
        first_row: dict[bytes, int] = {}
        for row, docno in enumerate(run.docnos[start:end].tolist(), start):
            place = first_row.setdefault(docno, row)
            kept[row] = place == row
            if not first:
                source[place] = row
    ranks = None if run.ranks is None else run.ranks[source]
    return replace(only_rows(replace(run, scores=run.scores[source], ranks=ranks), kept), unique=True)


def _sorted_by_python(run: Run) -> FloatArray:
    """The scores. In topics with a NaN they are replaced by numbers that give the order of Python's
    descending sort, which depends on where NaN is."""
    scores = run.scores.copy()
    odd = np.isnan(scores)
    for start, end in zip(run.offsets[:-1].tolist(), run.offsets[1:].tolist(), strict=True):
        if odd[start:end].any():
            rows = sorted(range(start, end), key=scores.tolist().__getitem__, reverse=True)
            scores[rows] = np.arange(len(rows), 0, -1)
    return scores


def _same_ids(run: Run, qrels: Qrels, ids: Ids) -> tuple[Run, Qrels]:
    groups, docnos = _regrouped(run, ids)
    run = replace(with_rows(run, groups.order, groups.offsets, groups.topics, docnos), unique=False)
    groups, docnos = _regrouped(qrels, ids)
    qrels = with_rows(qrels, groups.order, groups.offsets, groups.topics, docnos)
    last = {of: row for row, of in enumerate(zip(qrels.topic_numbers.tolist(), docnos.tolist(), strict=True))}
    kept = np.zeros(len(docnos), np.bool_)
    kept[list(last.values())] = True
    return run, only_rows(qrels, kept)


def _regrouped(table: Run | Qrels, ids: Ids) -> tuple[Grouping, IdArray]:
    groups = group(table.offsets[:-1], [ids.of_query(topic) for topic in table.topics], len(table.docnos))
    listed = groups.apply(table.docnos).tolist()
    forms = {docno: ids.normalised(docno) for docno in set(listed)}  # many queries hold the same documents
    return groups, identifiers([forms[docno] for docno in listed])


class Rankings:
    """A run with its qrels, which can be ranked and judged under any conventions. Results are cached.

    Attributes:
        topic_map: set by :meth:`reread`: for each topic of the original rankings, the index of the topic in
            these rankings, or -1 if a different spelling of the topic's id gets the value. None if both
            rankings have the same topics.
        holds_rows: whether the rows of the run are in memory. If not, rows are read again when needed.
    """

    holds_rows = True

    def __init__(self, run: Run, qrels: Qrels | JudgedPool) -> None:
        self._begin(Pairing.of(run, qrels))

    @classmethod
    def of(cls, pairing: Pairing) -> Rankings:
        """The rankings of a run that is joined with its qrels already."""
        rankings = cls.__new__(cls)
        rankings._begin(pairing)
        return rankings

    def _begin(self, pairing: Pairing) -> None:
        self.pairing = pairing
        self._judgements = pairing.pool.judgements(pairing.qrels_topic)
        self.topic_map: IntArray | None = None
        self.kept, self._recent, self._reread = Memo(MOST_KEPT), Memo(), Memo()
        self._turned_to: tuple[Conventions, Conventions] | None = None

    def parts(self) -> Iterator[Rankings]:
        """Yield rankings of successive parts of the topics, with all rows of these topics. For a run in
        memory, yield these rankings themselves."""
        yield self

    def of_topics(self, topics: Collection[bytes]) -> Rankings:
        """The rankings of some topics. The highest relevance level is still that of the whole qrels."""
        return Rankings(only_topics(self.pairing.run, topics), self._pool_of(topics))

    def _pool_of(self, topics: Collection[bytes]) -> JudgedPool:
        return JudgedPool(only_topics(self.pairing.qrels, topics), self.pairing.pool.max_rel)

    def prepare(self, sets: Iterable[Conventions]) -> None:
        """Order the run under several conventions in one pass. Does nothing for a run in memory, which is
        ordered when needed."""

    def hold(self, topics: Collection[bytes]) -> None:
        """Keep the rows of these topics in memory for later use. Does nothing for a run in memory."""

    def topics_with(self, odd: Callable[[Rankings], BoolArray]) -> BoolArray:
        """Mask of the measured topics with a judged row that passes a test.

        Args:
            odd: the test. Its argument is a part of the rankings (see :meth:`parts`). It returns a mask with
                an entry for each of the part's ``pairing.rows``.
        """
        hit = set[bytes]()
        for part in self.parts():
            hit.update(compress(part.pairing.topics, np.bincount(part.pairing.topic[odd(part)]).tolist()))
        topics = self.pairing.topics
        return np.fromiter(map(hit.__contains__, topics), np.bool_, len(topics))

    def turn_to(self, conventions: Conventions) -> bool:
        """Free the memory of cached results before computing under further conventions.

        The results are kept if the previous conventions have the same axis values in the first three stages.
        Returns whether results were dropped. Results for many sets of conventions together are many times as
        large as the input.
        """
        read, judged = conventions.of(Stage.READ), conventions.of(Stage.ORDER, Stage.JUDGE)
        if self._turned_to == (read, judged):
            return False
        if self._turned_to is None or self._turned_to[0] != read:
            self._reread = Memo()
        self._turned_to = read, judged
        for rankings in (self, *self._reread.results()):
            rankings.kept, rankings._recent = Memo(MOST_KEPT), Memo()
        return True

    def reread(self, conventions: Conventions) -> Rankings:
        """The rankings of the input as read under these conventions; usually this object itself.

        Raises:
            InputError: a document occurs twice under a query, which is an error under the conventions.
        """
        c, pairing = conventions, self.pairing
        if reads_all(pairing.run, c):
            return self

        def read() -> Rankings:
            rankings = Rankings(*as_read_by(pairing.run, pairing.pool, c))
            if c[IDS] is not Ids.EXACT:
                rankings.topic_map = _spread(pairing, rankings.pairing, c[IDS])
            return rankings

        return self._reread.once(c.of(Stage.READ), read)

    def over_given(self, values: npt.NDArray[_T], elsewhere: float) -> npt.NDArray[_T]:
        """Values over the topics of the original rankings (see ``topic_map``) from values over these topics.
        Topics whose value another spelling gets have ``elsewhere``."""
        if self.topic_map is None:
            return values
        return np.where(self.topic_map >= 0, values[self.topic_map], values.dtype.type(elsewhere))

    def ranks(self, conventions: Conventions) -> IntArray:
        """The rank of each judged row (see :func:`hit_ranks`)."""
        key = Stage.ORDER, conventions.of(Stage.ORDER)
        return self.kept.once(key, lambda: hit_ranks(self.pairing, conventions))

    def judged(self, conventions: Conventions) -> JudgedRankings:
        """The judged rankings under these conventions. Call :meth:`reread` first, because this method applies
        only the axes of the stages ``order`` and ``judge`` and the axis ``universe``."""
        return self.kept.once(judged_key(conventions), lambda: self._judge(conventions))

    def _judge(self, conventions: Conventions) -> JudgedRankings:
        return judge(self.ordered(conventions), conventions)

    def rows(self, conventions: Conventions) -> IntArray:
        """For each entry of :meth:`judged`, the index of its row in the run."""
        pairing, c = self.pairing, conventions
        rows = pairing.rows[by_rank(pairing.topic, self.ranks(c))]
        judged = judge(replace(self.ordered(c), document=rows), c)
        if judged.document is not None:
            return judged.document
        # Under these conventions every retrieved document has an entry.
        orders, skipped = whole_rankings(pairing, c), c[FIRST_RESULT] is FirstResult.SKIPPED
        places = zip(judged.topic.tolist(), (judged.rank - 1 + skipped).tolist(), strict=True)
        return np.array([orders[topic][place] for topic, place in places], np.int64)

    def ordered(self, conventions: Conventions) -> JudgedRankings:
        """The rankings after the stage ``order``, before the stage ``judge``."""
        return self.kept.once(ordered_key(conventions), lambda: self._in_order(conventions))

    def _in_order(self, conventions: Conventions) -> JudgedRankings:
        pairing, c = self.pairing, conventions
        rank = self.ranks(c)
        in_order = by_rank(pairing.topic, rank)
        document, pooled = None, self._judgements.rows
        if pooled is not None and pairing.judgements is not None:
            document = np.searchsorted(pooled, pairing.judgements[in_order])
        return JudgedRankings(
            num_topics=len(pairing.topics),
            num_ret=np.diff(pairing.run.offsets)[pairing.run_topic],
            topic=pairing.topic,
            rank=rank[in_order],
            rel=pairing.rels[in_order],
            pool_topic=self._judgements.topic,
            pool_rel=self._judgements.rel,
            judgements=self._judgements,
            max_rel=pairing.pool.max_rel,
            tied=np.stack(tie_groups(pairing, c))[:, in_order] if c[TIES] in WITHOUT_ORDER else None,
            document=document,
            recent=self._recent,
        )

    @cached_property
    def groups(self) -> list[Rankings]:
        """Rankings for each group of judges. Entry i has the judgements of the i-th group of each topic, and
        only the topics with that many groups. Empty if the qrels have no groups."""
        run, max_rel = self.pairing.run, self.pairing.pool.max_rel
        return [Rankings(run, JudgedPool(qrels, max_rel)) for qrels in by_group(self.pairing.qrels)]

    def without_results(self, conventions: Conventions) -> JudgedRankings:
        """Empty rankings for the judged queries without results."""
        pairing, nothing = self.pairing, np.zeros(0, np.int64)
        missing = np.setdiff1d(np.arange(len(pairing.qrels.topics)), pairing.qrels_topic)
        topic, rows = pairing.pool.rows(missing)
        empty = JudgedRankings(
            num_topics=len(missing),
            num_ret=np.zeros(len(missing), np.int64),
            topic=nothing,
            rank=nothing,
            rel=nothing,
            pool_topic=topic,
            pool_rel=pairing.qrels.rels[rows],
            max_rel=pairing.pool.max_rel,
        )
        return judge(empty, conventions)


def judged_key(conventions: Conventions) -> tuple[object, ...]:
    """The key under which :meth:`Rankings.judged` caches its result."""
    return Stage.JUDGE, conventions.of(Stage.ORDER, Stage.JUDGE), conventions[UNIVERSE]


def ordered_key(conventions: Conventions) -> tuple[object, ...]:
    """The key under which :meth:`Rankings.ordered` caches its result."""
    return Stage.ORDER, "rankings", conventions.of(Stage.ORDER)


def by_rankings(sets: Sequence[Conventions]) -> list[int]:
    """Indices of the sets, sorted so that sets with equal axis values in the first three stages are next to
    each other."""
    keys = [(c.of(Stage.READ), c.of(Stage.ORDER, Stage.JUDGE)) for c in sets]
    number = {part: i for i, part in enumerate(dict.fromkeys(chain.from_iterable(keys)))}
    return sorted(range(len(sets)), key=lambda i: [number[part] for part in keys[i]])


def _spread(whole: Pairing, read: Pairing, ids: Ids) -> IntArray:
    """For each topic of ``whole``, the index of the topic's normal form in ``read``.

    Of several topics with the same normal form, only one topic gets the index: the topic spelt like the
    normal form, or else the first topic of the qrels, or else the first topic. All further topics get -1.
    """
    number = {topic: i for i, topic in enumerate(read.all_topics)}
    spelt = set(whole.all_topics)
    judged = set(whole.qrels.topics)
    normal = [(topic, ids.of_query(topic)) for topic in whole.all_topics]
    holders: dict[bytes, bytes] = {}
    for topic, form in normal:
        if form in spelt:
            holders[form] = form
        elif form not in holders or (topic in judged and holders[form] not in judged):
            holders[form] = topic
    return np.array([number[form] if holders[form] == topic else -1 for topic, form in normal], np.int64)


#: Number of sets of conventions whose rankings are kept in memory.
MOST_KEPT = 300
