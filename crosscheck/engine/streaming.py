"""Runs of which only the judged documents are kept in memory: files, which may be larger than memory and are
judged in blocks of whole topics, and dicts, which are not copied.

The values equal those of the whole run, bit for bit, because each block is evaluated as a run of its own. The
whole run is read into memory, with the same result or error, where blocks are not possible: for topics that
are not contiguous, documents that occur twice, JSON, and conventions that change the input.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from io import BufferedIOBase, BufferedReader
from itertools import chain
from operator import eq, lt
from typing import Any, TypeAlias, cast

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from crosscheck.axes.base import Stage
from crosscheck.axes.judging import UNIVERSE, Universe
from crosscheck.axes.ties import ORDER, SCORE_PRECISION, TIES, Order, Ties
from crosscheck.conventions import Conventions
from crosscheck.errors import InputError, ResourceError, UsageError
from crosscheck.evaluation.rankings import Rankings, judged_key, ordered_key, reads_all
from crosscheck.formats.blocks import BLOCK_BYTES, read_blocks
from crosscheck.formats.dicts import encoded_id, run_from_dict
from crosscheck.formats.forms import TREC_RUN, Form, named, opened
from crosscheck.formats.grouping import Block, GroupedRows, as_read, find_duplicate, tied_ranks
from crosscheck.formats.reference_reader import Rules
from crosscheck.formats.source import open_input
from crosscheck.formats.trec import RUN, read_run, run_from_text
from crosscheck.model import IntArray, Run
from crosscheck.rankings.changed_inputs import only_topics
from crosscheck.rankings.dict_pool import Retrieved, hold_text, judged_dicts
from crosscheck.rankings.judged import JudgedRankings, judge, stacked
from crosscheck.rankings.pairing import Alike, JudgedPool, Memo, Pairing, alike_in_dicts


class NotStreamable(Exception):
    """Raised if the whole run must be read into memory."""


class JudgedPart(Struct, frozen=True, kw_only=True, eq=False):
    """The judged rankings of several whole topics of a run.

    Attributes:
        topics: ids of the retrieved topics, judged or not.
        sizes: number of documents of each topic.
        judged: the judged rankings of the topics that are in the qrels, in the order of ``topics``.
        tag: run id on the last line.
        alike: a retrieved, unjudged document whose id differs only in spelling from a judged document, or
            None.
    """

    topics: tuple[bytes, ...]
    sizes: IntArray
    judged: JudgedRankings
    tag: bytes = b""
    alike: Alike | None = None


def merged(parts: Iterable[JudgedPart], pool: JudgedPool) -> JudgedPart:
    """Merge the parts of a run, with topics in byte order.

    Raises:
        NotStreamable: a topic occurs in two parts, or there are no parts.
    """
    parts = list(parts)
    if len(parts) == 1 and all(map(lt, parts[0].topics, parts[0].topics[1:])):
        return parts[0]
    ids = list(chain.from_iterable(part.topics for part in parts))
    order = np.array(sorted(range(len(ids)), key=ids.__getitem__), np.int64)
    topics = tuple(map(ids.__getitem__, order.tolist()))
    if not parts or any(map(eq, topics, topics[1:])):
        raise NotStreamable
    in_qrels = pool.places(topics)
    number = np.empty(len(ids), np.int64)  # of each measured topic, in the order of the parts
    number[order] = np.where(in_qrels >= 0, np.cumsum(in_qrels >= 0) - 1, -1)
    number = number[number >= 0]
    sizes = np.concatenate([part.sizes for part in parts])[order]
    judged = stacked([part.judged for part in parts], number, pool.judgements(in_qrels[in_qrels >= 0]))
    alike = next((part.alike for part in parts if part.alike is not None), None)
    return JudgedPart(topics=topics, sizes=sizes, judged=judged, tag=parts[-1].tag, alike=alike)


def runs_of_whole_topics(blocks: Iterable[Block], source: str) -> Iterator[Run]:
    """Yield runs of whole topics made from blocks of lines, in the order of the input.

    Only the rows of the last topic of a block are kept in memory, because it may continue in the next block.

    Args:
        blocks: consecutive blocks of one run.
        source: the input, for messages.

    Raises:
        NotStreamable: the lines of a topic are not contiguous, so that a block need not have all of them.
    """
    finished: set[bytes] = set()
    held: list[Block] = []
    for block in blocks:
        if last := int(block.starts[-1]):
            yield _run([*held, _rows(block, 0, last)], source, finished)
            held = [_rows(block, last, len(block.docnos))]
        else:
            held.append(block)
    if held:
        yield _run(held, source, finished)


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


def _run(blocks: list[Block], source: str, finished: set[bytes]) -> Run:
    """A run made of blocks, whose topics are added to ``finished``."""
    order = as_read(blocks)
    if len(set(order.topics)) < len(order.topics) or not finished.isdisjoint(order.topics):
        raise NotStreamable
    finished.update(order.topics)
    return GroupedRows.of(blocks, order).run(source)


class _Range:
    """The bytes of a file between two positions, as a stream with the methods that the block reader needs."""

    def __init__(self, file: BufferedReader, start: int, end: int) -> None:
        file.seek(start)
        self._file, self._left = file, end - start

    def readinto(self, buffer: memoryview) -> int:
        count = self._file.readinto(memoryview(buffer)[: self._left])
        self._left -= count
        return count


#: Four limits: number of rows kept in memory for :meth:`StreamedRankings.of_topics`; number of topics that
#: are kept even if they have more rows; number of entries in cached judged rankings; number of orderings
#: computed in one reading of the file.
_HELD, _FEW, _ENTRIES, _TOGETHER = 1 << 20, 64, 1 << 23, 16


class Reading(Struct, frozen=True, eq=False):
    """A run file that is read and judged in parts.

    Attributes:
        path: the file.
        rules: how strictly lines are checked.
        form: the file format; trec_eval's lines unless :meth:`of` recognised a different format.
        recognised: whether the format was recognised by :meth:`of`.
        block_bytes: bytes of the file per block.
        topics: ids of the topics to read; None for all.
        bounds: the positions between which the bytes of the file are read; None for all.
    """

    path: str
    rules: Rules
    form: Form = TREC_RUN
    recognised: bool = False
    block_bytes: int = BLOCK_BYTES
    topics: frozenset[bytes] | None = None
    bounds: tuple[int, int] | None = None

    @staticmethod
    def of(path: str, rules: Rules, block_bytes: int = BLOCK_BYTES) -> Reading:
        """The record for a file, whose format is recognised by its content or by the start of the path.

        Raises:
            InputError: see :func:`~crosscheck.formats.forms.opened`.
        """
        file, form = named(path)[1], Form("")  # a pipe could not be read again
        if os.path.isfile(file):
            with opened(path, "run") as (_, form):
                pass
        return Reading(path, rules, form, True, block_bytes)

    def whole(self) -> Run:
        """The whole run in memory. Errors: see :func:`~crosscheck.formats.trec.read_run`."""
        run: Run | None
        if self.recognised:
            run = read_run(self.path, strict=self.rules.strict, comments=self.rules.comments)
        else:
            with open_input(self.path, RUN, only_gzip=True) as stream:
                run = run_from_text(stream, self.path, self.rules)
        if run is None:
            raise InputError("the file has no results", path=self.path, expected=RUN)
        return run if self.topics is None else only_topics(run, self.topics)

    def blocks(self, *, with_ranks: bool = True) -> Iterator[Block]:
        """Yield the rows of the file, or of its range of bytes, in blocks.

        Raises:
            NotStreamable: the file does not consist of lines, or cannot be read again.
        """
        file = named(self.path)[1] if self.recognised else self.path
        if self.form.layout is None or (os.path.exists(file) and not os.path.isfile(file)):
            raise NotStreamable
        with open_input(file, RUN, only_gzip=not self.recognised) as whole:
            stream = whole if self.bounds is None else cast(BufferedIOBase, _Range(whole, *self.bounds))
            yield from read_blocks(
                stream, self.path, self.form.layout, self.rules, self.block_bytes, with_ranks=with_ranks
            )

    def only(self, topics: frozenset[bytes]) -> Reading:
        """The same run with these topics only."""
        return replace(self, topics=topics)

    def runs(self, *, with_ranks: bool = True) -> Iterator[Run]:
        """Yield the run in parts, each with all rows of some topics."""
        for run in runs_of_whole_topics(self.blocks(with_ranks=with_ranks), self.path):
            if self.form.by_rank and tied_ranks(run):
                raise NotStreamable  # an error, whose line numbers are known if the run is read as a whole
            part = run if self.topics is None else only_topics(run, self.topics)
            if part.topics:
                yield part

    def judged(
        self, pool: JudgedPool, conventions: Conventions, *, rereads: bool = False
    ) -> Iterator[JudgedPart]:
        """Yield the run in judged parts.

        Args:
            pool: the judgements.
            conventions: the conventions to judge under.
            rereads: whether the conventions may change the input. They must not change query ids.

        Raises:
            InputError: a line cannot be read.
            NotStreamable: the run must be read as a whole under these conventions.
        """
        by_rank = conventions[ORDER] is Order.RANK_COLUMN or conventions[TIES] is Ties.RANK_COLUMN
        try:
            for run in self.runs(with_ranks=by_rank):
                # A NaN score has no rank. Only the command trec_eval ranks it.
                if find_duplicate(run.docnos, run.offsets) or np.isnan(run.scores).any():
                    raise NotStreamable
                rankings = Rankings(run, pool)
                read = rankings.reread(conventions)
                # If ids change, queries in different parts may become equal.
                if read is not rankings and (not rereads or read.topic_map is not None):
                    raise NotStreamable
                sizes = np.diff(read.pairing.run.offsets)
                judged, alike = read.judged(conventions), rankings.pairing.alike
                yield JudgedPart(topics=run.topics, sizes=sizes, judged=judged, tag=run.tag, alike=alike)
        except UsageError:
            raise NotStreamable from None


#: Types of scores that need no check; :func:`run_from_dict` handles others.
_NUMBERS = {float, int, np.float64, np.float32, np.int64}


class DictRun(Struct, frozen=True, eq=False):
    """A run ``{topic: {docno: score}}`` with the same methods as :class:`Reading`. The dict is not copied,
    and ids of unjudged documents are not checked."""

    run: Mapping[Any, Mapping[Any, Any]]
    path: str = "run"
    form = TREC_RUN  # which needs no note

    def whole(self) -> Run:
        """The whole run (see :func:`~crosscheck.formats.dicts.run_from_dict`)."""
        return run_from_dict(self.run)

    def only(self, topics: frozenset[bytes]) -> DictRun:
        """The same run with these topics only."""
        return DictRun({id: self.run[id] for id in self.run if encoded_id(id, self.path) in topics})

    def runs(self) -> Iterator[Run]:
        """Yield the run in one part."""
        if any(self.run.values()):
            yield self.whole()

    def judged(
        self, pool: JudgedPool, conventions: Conventions, *, rereads: bool = False
    ) -> Iterator[JudgedPart]:
        """Yield the run as one judged part. Raises NotStreamable for orders other than trec_eval's, which
        need the whole run. See :meth:`Reading.judged`."""
        run, ordered = self.run, conventions.of(Stage.ORDER).changed <= {SCORE_PRECISION}
        plain = all(type(d) is dict and type(t) is str and "\0" not in t for t, d in run.items())
        if not ordered or not plain or conventions.of(Stage.READ).changed:
            raise NotStreamable
        try:
            named = {topic.encode("utf-8", "surrogateescape"): run[topic] for topic in run if run[topic]}
            topics = tuple(sorted(named))
            if not topics:
                raise NotStreamable
            _checked([named[id] for id in topics if id not in pool.number])
            retrieved = _checked([named[id] for id in topics if id in pool.number])
        except (OverflowError, UnicodeError):
            raise NotStreamable from None
        in_qrels = pool.places(topics)
        in_qrels = in_qrels[in_qrels >= 0]
        tables, judgements = [pool.tables[i] for i in in_qrels.tolist()], pool.judgements(in_qrels)
        precision, rels = conventions[SCORE_PRECISION], pool.qrels.rels
        judged = judged_dicts(tables, retrieved, precision, rels, judgements, pool.max_rel)
        sizes = np.array([len(named[id]) for id in topics], np.int64)
        alike = alike_in_dicts(tables, retrieved.documents)
        yield JudgedPart(topics=topics, sizes=sizes, judged=judge(judged, conventions), alike=alike)


#: A run that is judged in parts.
RunSource: TypeAlias = Reading | DictRun
_PLAIN = Conventions()


def _checked(tables: list[Mapping[str, Any]]) -> Retrieved:
    numbers = _NUMBERS.issuperset(map(type, chain.from_iterable(table.values() for table in tables)))
    if numbers and all(map(hold_text, tables)):
        retrieved = Retrieved.of(tables)
        if not np.isnan(retrieved.scores).any():
            return retrieved
    raise NotStreamable


def rankings_of(source: RunSource, pool: JudgedPool, conventions: Conventions = _PLAIN) -> Rankings:
    """Join a run with prepared judgements, and keep only the judged documents of the run if possible.

    Args:
        pool: the judgements, prepared once for any number of runs.
        conventions: the conventions under which the rankings will mostly be used. For conventions with a
            different order or depth, the run is read again.

    Returns:
        Rankings for :func:`crosscheck.evaluation.summarise.evaluate`: :class:`StreamedRankings` if the run
            could be judged in parts, else the rankings of the whole run.

    Raises:
        InputError: see :func:`~crosscheck.formats.trec.read_run` and
            :func:`~crosscheck.formats.dicts.run_from_dict`.
    """
    return streamed(source, pool, conventions) or Rankings(source.whole(), pool)


def streamed(source: RunSource, pool: JudgedPool, conventions: Conventions) -> StreamedRankings | None:
    """Rankings that keep only the judged documents of a run; None if the run must be read as a whole.

    Raises:
        InputError: a line cannot be read.
    """
    with suppress(NotStreamable):
        return StreamedRankings(source, pool, conventions, source.judged(pool, conventions))
    return None


def part_of(reading: Reading, pool: JudgedPool, conventions: Conventions) -> JudgedPart | None:
    """The judged topics of a part of a file; None if the run must be read as a whole. Also None if a line
    cannot be read, because the number of the line is not known here."""
    with suppress(NotStreamable, InputError, ResourceError):
        return merged(reading.judged(pool, conventions), pool)
    return None


def rankings_of_parts(
    parts: Sequence[JudgedPart | None], reading: Reading, pool: JudgedPool, conventions: Conventions
) -> Rankings:
    """The judged run, joined from its parts. If they cannot be joined, the run is read as a whole."""
    judged = [part for part in parts if part is not None]
    with suppress(NotStreamable):
        if len(judged) == len(parts):
            return StreamedRankings(reading, pool, conventions, judged)
    return rankings_of(reading, pool, conventions)


class StreamedRankings(Rankings):
    """Rankings that keep only the judged documents of a run.

    ``pairing`` has the topics of run and qrels and the numbers of retrieved documents, but no rows. Methods
    that need rows read the run again, in parts where the result is the same.
    """

    holds_rows = False

    def __init__(
        self, source: RunSource, pool: JudgedPool, conventions: Conventions, parts: Iterable[JudgedPart]
    ) -> None:
        """Keep the judged run.

        Args:
            parts: the whole run, judged under ``conventions``.

        Raises:
            NotStreamable: see :func:`merged`.
        """
        part = merged(parts, pool)
        offsets = np.append(0, np.cumsum(part.sizes))
        notes = source.form.note("run", int(offsets[-1]), len(part.topics))
        rows, scores, lines = (part.topics, offsets, np.zeros(0, "S8")), np.zeros(0), offsets[:0]
        outline = Run(
            *rows, scores=scores, ranks=None, lines=lines, tag=part.tag, source=source.path, notes=notes
        )
        super().__init__(outline, pool)
        self._source, self._read = source, _as_read(conventions)
        alike = part.alike
        if alike is None and not len(part.judged.topic):
            alike = self._compared()
        self.pairing = replace(self.pairing, shared=len(part.judged.topic), alike=alike)
        self._held: Rankings | None = None
        self._entries = len(part.judged.topic)
        changed = conventions.of(Stage.JUDGE).changed or conventions[UNIVERSE] is Universe.RETRIEVED
        self.kept.keep((judged_key if changed else ordered_key)(conventions), part.judged)

    def _compared(self) -> Alike | None:
        """Two documents that show why none is judged, of a topic that is read again."""
        with suppress(NotStreamable, InputError):
            for run in self._source.only(frozenset(self.pairing.topics[:1])).runs():
                return Pairing.of(run, self.pairing.pool).first_compared()
        return None

    @cached_property
    def _whole(self) -> Rankings:
        return Rankings(self._source.whole(), self.pairing.pool)

    def parts(self, source: RunSource | None = None) -> Iterator[Rankings]:
        """Yield rankings of successive parts of the topics, with all rows, by reading the run again, or
        another ``source``."""
        for run in (source or self._source).runs():
            yield Rankings(run, self.pairing.pool).reread(self._read)

    def of_topics(self, topics: Collection[bytes]) -> Rankings:
        """The rankings of some topics, whose rows are read from the file and kept for later calls."""
        wanted = frozenset(topics)
        sizes = dict(zip(self.pairing.run.topics, np.diff(self.pairing.run.offsets).tolist(), strict=True))
        retrieved = wanted & sizes.keys()
        if len(wanted) > _FEW and sum(map(sizes.__getitem__, retrieved)) > _HELD:
            pool, source = self._pool_of(wanted), self._source.only(wanted & sizes.keys())
            return StreamedRankings(source, pool, self._read, source.judged(pool, self._read, rereads=True))
        held = () if self._held is None else self._held.pairing.run.topics
        if not retrieved <= set(held):
            together = retrieved.union(held)
            if sum(map(sizes.__getitem__, together)) > _HELD:
                self._held, together = None, retrieved
            old = [] if self._held is None else [self._held.pairing.run]
            missing = self._source.only(together.difference(*(run.topics for run in old)))
            new = [part.pairing.run for part in self.parts(missing)]
            self._held = Rankings(_joined([*old, *new]), self.pairing.pool)
        if self._held is None:
            return super().of_topics(wanted)  # no wanted topic has results
        return self._held.of_topics(wanted)

    def reread(self, conventions: Conventions) -> Rankings:
        """The rankings of the input as read under these conventions (see :meth:`Rankings.reread`). The whole
        run is read if the conventions may make two query ids equal."""
        if reads_all(self.pairing.run, conventions):
            return self
        return self._reread.once(conventions.of(Stage.READ), lambda: self._reread_by(conventions))

    def _reread_by(self, conventions: Conventions) -> Rankings:
        read, pool = _as_read(conventions), self.pairing.pool
        with suppress(NotStreamable):
            return StreamedRankings(self._source, pool, read, self._source.judged(pool, read, rereads=True))
        return self._whole.reread(conventions)

    def ranks(self, conventions: Conventions) -> IntArray:
        """The rank of each judged row of the run, which is read as a whole."""
        return self._whole.reread(self._read).ranks(conventions)

    def _judge(self, conventions: Conventions) -> JudgedRankings:
        return self._counted(super()._judge(conventions))

    def _in_order(self, conventions: Conventions) -> JudgedRankings:
        order, pool = conventions.of(Stage.ORDER).taking(Stage.READ, self._read), self.pairing.pool
        with suppress(NotStreamable):
            return self._counted(merged(self._source.judged(pool, order, rereads=True), pool).judged)
        return self._whole.reread(self._read).ordered(conventions)

    def _counted(self, judged: JudgedRankings) -> JudgedRankings:
        """Return ``judged``, after adding its entries to the number of cached entries. If this number is too
        high, all cached rankings are dropped."""
        self._entries += len(judged.topic)
        if self._entries > _ENTRIES:
            self.kept, self._entries = Memo(), len(judged.topic)
        return judged

    def prepare(self, sets: Iterable[Conventions]) -> None:
        """Read the file once and order it under the first 16 of these conventions that are not cached yet."""
        unknown = (c.of(Stage.ORDER) for c in sets if reads_all(self.pairing.run, c))
        orders = [c for c in dict.fromkeys(unknown) if not self.kept.holds(ordered_key(c))][:_TOGETHER]
        if len(orders) < 2:
            return
        parts_by_order: list[list[JudgedPart]] = [[] for _ in orders]
        for part in self.parts():
            topics, sizes = part.pairing.run.topics, np.diff(part.pairing.run.offsets)
            for order, parts in zip(orders, parts_by_order, strict=True):
                parts.append(JudgedPart(topics=topics, sizes=sizes, judged=part.ordered(order)))
        for order, parts in zip(orders, parts_by_order, strict=True):
            self.kept.keep(ordered_key(order), self._counted(merged(parts, self.pairing.pool).judged))

    def hold(self, topics: Collection[bytes]) -> None:
        """Read the rows of these topics from the file, and keep them in memory for later use."""
        self.of_topics(topics)


def _as_read(conventions: Conventions) -> Conventions:
    """The conventions of the stage ``read``. The value ``universe=retrieved`` is left out, because it changes
    only judgements."""
    read = conventions.of(Stage.READ)
    return read.having(UNIVERSE, Universe.QRELS) if read[UNIVERSE] is Universe.RETRIEVED else read


def _joined(runs: list[Run]) -> Run:
    """Join runs of different topics."""
    blocks = [
        Block(
            starts=r.offsets[:-1],
            topics=r.topics,
            docnos=r.docnos,
            values=r.scores,
            lines=range(len(r.docnos)),
            ranks=r.ranks,
            tag=r.tag,
        )
        for r in runs
    ]
    return GroupedRows.of(blocks).run(runs[-1].source, runs[-1].notes)
