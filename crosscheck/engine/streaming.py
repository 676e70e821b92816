"""Runs larger than memory: whole topics are judged block by block, and only their judged documents are kept.

The values are those of the whole run, bit for bit, because every piece goes through :class:`Rankings` like a
run of its own. Input that cannot be cut into whole topics (topics that are not contiguous, documents that
occur twice, JSON, conventions that change the input) is read as a whole, which gives the same result or the
same error.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from functools import cached_property
from io import BufferedIOBase
from itertools import chain, compress
from operator import eq

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from crosscheck.axes.base import Stage
from crosscheck.axes.judging import UNIVERSE, Universe
from crosscheck.axes.ties import ORDER, TIES, Order, Ties
from crosscheck.conventions import Conventions
from crosscheck.errors import InputError, UsageError
from crosscheck.evaluation.rankings import Rankings, ordered_key
from crosscheck.evaluation.read import reads_all
from crosscheck.formats.blocks import BLOCK_BYTES, read_blocks
from crosscheck.formats.grouping import Block, GroupedRows, find_duplicate, joined
from crosscheck.formats.reference_reader import RUN_LINES, Rules
from crosscheck.formats.source import open_input
from crosscheck.formats.trec import RUN, holds_json, read_run, run_from_text
from crosscheck.model import BoolArray, IntArray, Run
from crosscheck.rankings.changed_inputs import only_qrels, only_run
from crosscheck.rankings.ids import Alike
from crosscheck.rankings.judged import JudgedRankings
from crosscheck.rankings.memo import Memo
from crosscheck.rankings.pairing import JudgedPool, PooledJudgements


class NotStreamable(Exception):
    """The run must be read as a whole."""


class JudgedPart(Struct, frozen=True, kw_only=True, eq=False):
    """Several whole topics of a run, judged.

    Attributes:
        topics: ids of the retrieved topics, judged or not; sizes: number of documents of each.
        judged: the judged rankings of those topics that are in the qrels, in the order of ``topics``.
        tag: run id on the last line.
        alike: a retrieved document that only looks like a judged one.
    """

    topics: tuple[bytes, ...]
    sizes: IntArray
    judged: JudgedRankings
    tag: bytes
    alike: Alike | None = None


def merged(parts: Iterable[JudgedPart], pool: JudgedPool) -> JudgedPart:
    """Parts of one run as one, topics in byte order.

    Raises:
        NotStreamable: a topic occurs in two parts, or there are no parts.
    """
    parts = list(parts)
    ids = list(chain.from_iterable(part.topics for part in parts))
    order = np.array(sorted(range(len(ids)), key=ids.__getitem__), np.int64)
    topics = tuple(map(ids.__getitem__, order.tolist()))
    if not parts or any(map(eq, topics, topics[1:])):
        raise NotStreamable
    in_qrels = pool.places(topics)
    number = np.empty(len(ids), np.int64)  # of each measured topic, in the order of the parts
    number[order] = np.where(in_qrels >= 0, np.cumsum(in_qrels >= 0) - 1, -1)
    number = number[number >= 0]
    return JudgedPart(
        topics=topics,
        sizes=np.concatenate([part.sizes for part in parts])[order],
        judged=_renumbered([part.judged for part in parts], number, pool.judgements(in_qrels[in_qrels >= 0])),
        tag=parts[-1].tag,
        alike=next((part.alike for part in parts if part.alike is not None), None),
    )


def _renumbered(
    parts: list[JudgedRankings], number: IntArray, judgements: PooledJudgements
) -> JudgedRankings:
    """The parts as one, with new numbers for the topics.

    Args:
        number: new number of each topic, in the order of the parts.
        judgements: judgements of all topics, used unless a convention changed the judgements of the parts.
    """
    before = np.cumsum([0, *(part.num_topics for part in parts)]).tolist()

    def column(name: str) -> IntArray:
        return np.concatenate([getattr(part, name) for part in parts])

    def topics(name: str) -> IntArray:
        shifted = [getattr(part, name) + base for part, base in zip(parts, before, strict=False)]
        renumbered: IntArray = number[np.concatenate(shifted)]
        return renumbered

    num_ret = np.empty_like(number)
    num_ret[number] = column("num_ret")
    topic = topics("topic")
    order = _stable_order(topic)
    pool_topic, pool_rel = judgements.topic, judgements.rel
    if not all(part.shares_judgements for part in parts):
        pool_topic = topics("pool_topic")
        pool_order = _stable_order(pool_topic)
        pool_topic, pool_rel = pool_topic[pool_order], column("pool_rel")[pool_order]
    in_groups = parts[0].tied is not None
    return JudgedRankings(
        num_topics=len(number),
        num_ret=num_ret,
        topic=topic[order],
        rank=column("rank")[order],
        rel=column("rel")[order],
        pool_topic=pool_topic,
        pool_rel=pool_rel,
        max_rel=parts[0].max_rel,
        tied_after=column("tied_after")[order] if in_groups else None,
        tied=column("tied")[order] if in_groups else None,
        judgements=judgements,
    )


def _stable_order(topic: IntArray) -> IntArray | slice:
    """Stable argsort by topic; slice(None) if already sorted."""
    if (topic[1:] >= topic[:-1]).all():
        return slice(None)
    return np.argsort(topic, kind="stable")


class NotContiguousError(Exception):
    """A topic occurs again after another one, so no part of the run is known to hold whole topics."""


def runs_of_whole_topics(blocks: Iterable[Block], source: str) -> Iterator[Run]:
    """The blocks as runs of whole topics, in the order of the input.

    Only the columns of a topic that may continue are kept from one block to the next.

    Args:
        blocks: consecutive blocks of one run.
        source: the input, for messages.

    Raises:
        NotContiguousError: the lines of a topic are not contiguous.
    """
    seen: set[bytes] = set()
    held: list[Block] = []
    for block in blocks:
        if held and block.topics[0] != held[-1].topics[0]:
            yield _run(held, source, seen)
            held = []
        last = int(block.starts[-1])
        if last:
            yield _run([*held, _rows(block, 0, last)], source, seen)
            held = []
        held.append(_rows(block, last, len(block.docnos)) if last else block)
    if held:
        yield _run(held, source, seen)


def _rows(block: Block, start: int, end: int) -> Block:
    inside = slice(*np.searchsorted(block.starts, [start, end]).tolist())
    return replace(
        block,
        starts=block.starts[inside] - start,
        topics=block.topics[inside],
        docnos=block.docnos[start:end],
        values=block.values[start:end],
        ranks=None if block.ranks is None else block.ranks[start:end],
        lines=block.lines[start:end],
    )


def _run(blocks: list[Block], source: str, seen: set[bytes]) -> Run:
    """Blocks as one run; the first topic of a block continues the last one of the block before."""
    before = np.cumsum([0, *(len(block.docnos) for block in blocks)])
    starts = np.concatenate([b.starts + base for b, base in zip(blocks, before.tolist(), strict=False)])
    topics = list(chain.from_iterable(block.topics for block in blocks))
    begins = [i for i, topic in enumerate(topics) if i == 0 or topic != topics[i - 1]]
    topics = [topics[i] for i in begins]
    if len(set(topics)) < len(topics) or not seen.isdisjoint(topics):
        raise NotContiguousError
    seen.update(topics)
    ranks = [block.ranks for block in blocks if block.ranks is not None]
    return Run(
        topics=tuple(topics),
        offsets=np.append(starts[begins], before[-1]),
        docnos=joined([block.docnos for block in blocks]),
        scores=joined([block.values for block in blocks]),
        ranks=joined(ranks) if len(ranks) == len(blocks) else None,
        lines=np.arange(before[-1]),
        tag=blocks[-1].tag,
        source=source,
    )


#: Maximum numbers: of rows held in memory for :meth:`StreamedRankings.of_topics`, of topics held whatever
#: their number of rows, of entries of judged rankings that are kept, and of orderings made in one reading of
#: the file.
_HELD, _FEW, _ENTRIES, _TOGETHER = 1 << 20, 64, 1 << 23, 16


class Reading(Struct, frozen=True, eq=False):
    """A run file and the rules for reading it.

    Attributes:
        path: the file.
        rules: strictness.
        json: whether a file that starts like JSON is read as JSON, and not as lines of text.
        block_bytes: bytes of the file per block.
        topics: ids of the topics to read; None for all.
    """

    path: str
    rules: Rules
    json: bool = True
    block_bytes: int = BLOCK_BYTES
    topics: frozenset[bytes] | None = None

    def whole(self) -> Run:
        """The run, not streamed; raises InputError as :func:`~crosscheck.formats.trec.read_run`."""
        run: Run | None
        if self.json:
            run = read_run(self.path, strict=self.rules.strict, comments=self.rules.comments)
        else:
            with open_input(self.path, RUN) as stream:
                run = run_from_text(stream, self.path, self.rules)
        if run is None:
            raise InputError("the file holds no result", path=self.path, expected=RUN)
        return run if self.topics is None else only_run(run, self.topics)


def judge_file(
    path: str,
    pool: JudgedPool,
    conventions: Conventions | None = None,
    *,
    strict: bool = True,
    comments: bool = False,
    block_bytes: int = BLOCK_BYTES,
) -> Rankings:
    """Join a run file with prepared judgements, keeping only the judged documents of the run.

    Args:
        path: the run; see :func:`crosscheck.formats.trec.read_run`.
        pool: the judgements, prepared once for any number of runs.
        conventions: the conventions under which the rankings will mostly be used. Under conventions that
            order or cut differently, the file is read again.
        strict, comments: as for :func:`~crosscheck.formats.trec.read_run`.
        block_bytes: bytes of the file per block.

    Returns:
        Rankings for :func:`crosscheck.evaluation.summarise.evaluate`: :class:`StreamedRankings` if the run
            could be streamed, else the rankings of the whole run.

    Raises:
        InputError: as :func:`~crosscheck.formats.trec.read_run`.
    """
    reading = Reading(path, Rules(strict, comments), block_bytes=block_bytes)
    return streamed(reading, pool, conventions or Conventions()) or Rankings(reading.whole(), pool)


def streamed(reading: Reading, pool: JudgedPool, conventions: Conventions) -> StreamedRankings | None:
    """As :func:`judge_file`, or None if the run must be read as a whole.

    Raises:
        InputError: a line cannot be read.
    """
    try:
        part = merged(judged_parts(reading, pool, conventions), pool)
    except NotStreamable:
        return None
    return StreamedRankings(reading, pool, conventions, part)


def judged_parts(
    reading: Reading, pool: JudgedPool, conventions: Conventions, *, rereads: bool = False
) -> Iterator[JudgedPart]:
    """The run of a file in judged parts.

    Args:
        rereads: whether conventions that change the input are followed as well, if they keep the query ids.

    Raises:
        InputError: a line cannot be read.
        NotStreamable: see the docstring of this module.
    """
    with _opened(reading) as stream:
        yield from judged_stream(stream, reading, pool, conventions, rereads=rereads)


def judged_stream(
    stream: BufferedIOBase,
    reading: Reading,
    pool: JudgedPool,
    conventions: Conventions,
    *,
    rereads: bool = False,
) -> Iterator[JudgedPart]:
    """As :func:`judged_parts`, from an open stream of lines."""
    by_rank = conventions[ORDER] is Order.RANK_COLUMN or conventions[TIES] is Ties.RANK_COLUMN
    try:
        for run in _runs(stream, reading, with_ranks=by_rank):
            # A NaN score has no rank; only trec_eval's own command ranks it anyway.
            if find_duplicate(run.docnos, run.offsets) or np.isnan(run.scores).any():
                raise NotStreamable
            rankings = Rankings(run, pool)
            read = rankings.reread(conventions)
            # With other ids, queries of different parts may be one.
            if read is not rankings and (not rereads or read.topic_map is not None):
                raise NotStreamable
            sizes = np.diff(read.pairing.run.offsets)
            judged, alike = read.judged(conventions), rankings.pairing.alike
            yield JudgedPart(topics=run.topics, sizes=sizes, judged=judged, tag=run.tag, alike=alike)
    except (NotContiguousError, UsageError):
        raise NotStreamable from None


@contextmanager
def _opened(reading: Reading) -> Iterator[BufferedIOBase]:
    if os.path.exists(reading.path) and not os.path.isfile(reading.path):
        raise NotStreamable  # a pipe could not be read again
    with open_input(reading.path, RUN) as stream:
        if reading.json and holds_json(stream):
            raise NotStreamable
        yield stream


def _runs(stream: BufferedIOBase, reading: Reading, *, with_ranks: bool) -> Iterator[Run]:
    """The run in parts of some topics each."""
    path, size = reading.path, reading.block_bytes
    blocks = read_blocks(stream, path, RUN_LINES, reading.rules, size, with_ranks=with_ranks)
    for run in runs_of_whole_topics(blocks, path):
        part = run if reading.topics is None else only_run(run, reading.topics)
        if part.topics:
            yield part


class StreamedRankings(Rankings):
    """Rankings of a run file of which only the judged documents are kept.

    ``pairing`` holds the topics of run and qrels and the numbers of retrieved documents, but no rows. Methods
    that need rows read the file again, in parts of some topics each if the result is the same.
    """

    holds_rows = False

    def __init__(
        self, reading: Reading, pool: JudgedPool, conventions: Conventions, part: JudgedPart
    ) -> None:
        """Keep the judged run.

        Args:
            part: the whole run, judged under ``conventions``; see :func:`merged`.
        """
        outline = Run(
            topics=part.topics,
            offsets=np.append(0, np.cumsum(part.sizes)),
            docnos=np.zeros(0, "S8"),
            scores=np.zeros(0),
            ranks=None,
            lines=np.zeros(0, np.int64),
            tag=part.tag,
            source=reading.path,
        )
        super().__init__(outline, pool)
        self.pairing = replace(self.pairing, alike=part.alike)
        self._reading, self._read = reading, _as_read(conventions)
        self._first: JudgedRankings | None = part.judged
        self._held: Rankings | None = None
        self._entries = 0
        if conventions.of(Stage.JUDGE).changed or conventions[UNIVERSE] is Universe.RETRIEVED:
            self.judged(conventions)
        else:
            self.ordered(conventions)

    @cached_property
    def _whole(self) -> Rankings:
        return Rankings(self._reading.whole(), self.pairing.pool)

    def parts(self) -> Iterator[Rankings]:
        """As :meth:`Rankings.parts`; reads the file."""
        return self._parts_of(self._reading)

    def _parts_of(self, reading: Reading) -> Iterator[Rankings]:
        with _opened(reading) as stream:
            for run in _runs(stream, reading, with_ranks=True):
                yield Rankings(run, self.pairing.pool).reread(self._read)

    def topics_with(self, odd: Callable[[Rankings], BoolArray]) -> BoolArray:
        """As :meth:`Rankings.topics_with`; reads the file."""
        hit = {
            topic
            for part in self.parts()
            for topic in compress(part.pairing.topics, part.topics_with(odd).tolist())
        }
        topics = self.pairing.topics
        return np.fromiter((topic in hit for topic in topics), np.bool_, len(topics))

    def of_topics(self, topics: Collection[bytes]) -> Rankings:
        """As :meth:`Rankings.of_topics`; the rows that were read last are kept for later calls."""
        wanted = frozenset(topics)
        sizes = dict(zip(self.pairing.run.topics, np.diff(self.pairing.run.offsets).tolist(), strict=True))
        retrieved = wanted & sizes.keys()
        if len(wanted) > _FEW and sum(map(sizes.__getitem__, retrieved)) > _HELD:
            return self._streamed_of(wanted)
        held = () if self._held is None else self._held.pairing.run.topics
        if not retrieved <= set(held):
            together = retrieved.union(held)
            if sum(map(sizes.__getitem__, together)) > _HELD:
                self._held, together = None, retrieved
            old = [] if self._held is None else [self._held.pairing.run]
            missing = replace(self._reading, topics=together.difference(*(run.topics for run in old)))
            new = [part.pairing.run for part in self._parts_of(missing)]
            self._held = Rankings(_joined([*old, *new]), self.pairing.pool)
        if self._held is None:
            return super().of_topics(wanted)  # none of them has results
        return self._held.of_topics(wanted)

    def _streamed_of(self, topics: frozenset[bytes]) -> Rankings:
        pool = JudgedPool(only_qrels(self.pairing.qrels, topics))
        pool.max_rel = self.pairing.max_rel
        reading = replace(self._reading, topics=topics & set(self.pairing.run.topics))
        part = merged(judged_parts(reading, pool, self._read, rereads=True), pool)
        return StreamedRankings(reading, pool, self._read, part)

    def reread(self, conventions: Conventions) -> Rankings:
        """As :meth:`Rankings.reread`; reads the whole run if the conventions may make two query ids equal."""
        if reads_all(self.pairing.run, conventions):
            return self
        return self._reread.once(conventions.of(Stage.READ), lambda: self._reread_by(conventions))

    def _reread_by(self, conventions: Conventions) -> Rankings:
        read, pool = _as_read(conventions), self.pairing.pool
        try:
            part = merged(judged_parts(self._reading, pool, read, rereads=True), pool)
        except NotStreamable:
            return self._whole.reread(conventions)
        return StreamedRankings(self._reading, pool, read, part)

    def ranks(self, conventions: Conventions) -> IntArray:
        """As :meth:`Rankings.ranks`, with the rows of the whole run."""
        return self._whole.reread(self._read).ranks(conventions)

    def _judge(self, conventions: Conventions) -> JudgedRankings:
        judged, self._first = self._first, None
        return self._counted(super()._judge(conventions) if judged is None else judged)

    def _in_order(self, conventions: Conventions) -> JudgedRankings:
        judged, self._first = self._first, None
        if judged is not None:
            return self._counted(judged)
        order, pool = conventions.of(Stage.ORDER).taking(Stage.READ, self._read), self.pairing.pool
        try:
            return self._counted(merged(judged_parts(self._reading, pool, order, rereads=True), pool).judged)
        except NotStreamable:
            return self._whole.reread(self._read).ordered(conventions)

    def _counted(self, judged: JudgedRankings) -> JudgedRankings:
        """``judged`` itself, after its entries are counted. If too many are kept, all other rankings are
        dropped: rankings under many sets of conventions are larger than the run."""
        self._entries += len(judged.topic)
        if self._entries > _ENTRIES:
            self.kept, self._entries = Memo(), len(judged.topic)
        return judged

    def prepare(self, sets: Iterable[Conventions]) -> None:
        """As :meth:`Rankings.prepare`; reads the file once for the first 16 orderings not kept yet."""
        unknown = (c.of(Stage.ORDER) for c in sets if reads_all(self.pairing.run, c))
        orders = [c for c in dict.fromkeys(unknown) if not self.kept.holds(ordered_key(c))][:_TOGETHER]
        if len(orders) < 2:
            return
        found: list[list[JudgedPart]] = [[] for _ in orders]
        for part in self.parts():
            run = part.pairing.run
            for order, judged in zip(orders, found, strict=True):
                judged.append(
                    JudgedPart(
                        topics=run.topics, sizes=np.diff(run.offsets), judged=part.ordered(order), tag=run.tag
                    )
                )
        for order, judged in zip(orders, found, strict=True):
            self.kept.keep(ordered_key(order), self._counted(merged(judged, self.pairing.pool).judged))

    def hold(self, topics: Collection[bytes]) -> None:
        """As :meth:`Rankings.hold`; reads the file."""
        self.of_topics(topics)


def _as_read(conventions: Conventions) -> Conventions:
    """The conventions for reading, without ``universe=retrieved``, which changes judgements only."""
    read = conventions.of(Stage.READ)
    return read.having(UNIVERSE, Universe.QRELS) if read[UNIVERSE] is Universe.RETRIEVED else read


def _joined(runs: list[Run]) -> Run:
    """Runs of different topics as one."""
    blocks = [
        Block(
            starts=run.offsets[:-1],
            topics=run.topics,
            docnos=run.docnos,
            values=run.scores,
            lines=range(len(run.docnos)),
            ranks=run.ranks,
            tag=run.tag,
        )
        for run in runs
    ]
    return GroupedRows.of(blocks).run(runs[-1].source, runs[-1].notes)
