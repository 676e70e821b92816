"""Columns of parsed lines, and their grouping into a run or qrels: by topic, topics in byte order."""

from collections.abc import Iterable, Sequence
from itertools import chain, islice, pairwise
from typing import Any, Self, TypeAlias, TypeVar, cast

import numpy as np
import numpy.typing as npt
from msgspec import Struct
from msgspec.structs import replace

from crosscheck.model import IdArray, IntArray, Preferences, Qrels, Run, Subtopics

_Scalar = TypeVar("_Scalar", bound=np.generic)
WordArray: TypeAlias = npt.NDArray[np.uint64]

#: Longer ids are kept as Python objects, so that a single long id does not widen the whole column.
LONGEST_FIXED_ID = 64


class Block(Struct, frozen=True, kw_only=True, eq=False):
    """Consecutive lines of a run or of qrels as columns.

    Attributes:
        starts: rows at which another topic begins; the first is 0.
        topics: topic id at each of ``starts``; a topic may occur again later.
        docnos: the document of each row.
        values: the score or relevance level of each row.
        lines: line number of each row in the file, counted from 1.
        ranks: the rank column, None if it was not requested or some rank is not an integer.
        odd_rank: line number and text of the first rank that is not an integer, or None.
        tag: the run id on the last line.
        tags: the run ids of all lines, each once, if they were requested.
        subtopics: the second column of qrels, None if it was not requested.
    """

    starts: IntArray
    topics: Sequence[bytes]
    docnos: IdArray
    values: npt.NDArray[Any]
    lines: Sequence[int]
    ranks: IntArray | None = None
    odd_rank: tuple[int, bytes] | None = None
    tag: bytes = b""
    tags: tuple[bytes, ...] = ()
    subtopics: IdArray | None = None


class Grouping(Struct, frozen=True, kw_only=True, eq=False):
    """The order of rows that groups them by topic.

    Attributes:
        topics: topic ids in byte order, each once.
        offsets: the rows of topic ``i`` are ``offsets[i]:offsets[i + 1]`` after grouping.
        order: input position of each grouped row; input order inside a topic.
        grouped: whether the input was already in this order.
    """

    topics: tuple[bytes, ...]
    offsets: IntArray
    order: IntArray
    grouped: bool

    def apply(self, column: npt.NDArray[_Scalar]) -> npt.NDArray[_Scalar]:
        """Reorder a column from input order to grouped order."""
        if self.grouped:
            return column
        if column.dtype.kind == "S" and column.dtype.itemsize % 8 == 0:
            # Moving whole words is several times faster than moving byte strings.
            words = column.view(np.uint64).reshape(len(column), -1)
            return words.take(self.order, axis=0).view(column.dtype).ravel()
        return column.take(self.order)


def group(starts: IntArray, topics: Sequence[bytes], rows: int) -> Grouping:
    """Group rows by topic, from the rows at which the topic changes.

    Args:
        starts: rows at which another topic may begin, ascending, the first 0.
        topics: topic id at each of ``starts``; ids may repeat.
        rows: number of rows, at least 1.
    """
    in_byte_order = tuple(sorted(set(topics)))
    number = {topic: i for i, topic in enumerate(in_byte_order)}
    topic = np.fromiter(map(number.__getitem__, topics), np.int64, len(starts))
    length = np.diff(starts, append=rows)
    sizes = np.zeros(len(number), np.int64)
    np.add.at(sizes, topic, length)
    offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)])
    grouped = bool((topic[1:] >= topic[:-1]).all())
    by_topic = np.argsort(topic, kind="stable")
    order = np.arange(rows) if grouped else ranges(starts[by_topic], length[by_topic])
    return Grouping(topics=in_byte_order, offsets=offsets, order=order, grouped=grouped)


def as_read(blocks: Sequence[Block]) -> Grouping:
    """The order of the input. A topic whose lines are not contiguous is in it twice. A block may begin with
    further lines of the last topic of the block before."""
    starts, named, rows = topics_of(blocks)
    begins = starts_of_topics(named)
    topics, offsets = tuple(named[i] for i in begins.tolist()), np.append(starts[begins], rows)
    return Grouping(topics=topics, offsets=offsets, order=np.arange(rows), grouped=True)


def ranges(starts: IntArray, lengths: IntArray) -> IntArray:
    """The integers ``start, start + 1, ...`` of each range, one range after the other."""
    result: IntArray = np.repeat(starts - (np.cumsum(lengths) - lengths), lengths)
    result += np.arange(len(result))
    return result


def topics_of(blocks: Sequence[Block]) -> tuple[IntArray, list[bytes], int]:
    """The rows of consecutive blocks at which another topic may begin, the topics, and the number of rows."""
    before = np.cumsum([0, *(len(block.docnos) for block in blocks)])
    starts = [block.starts + rows for block, rows in zip(blocks, before.tolist(), strict=False)]
    topics = list(chain.from_iterable(block.topics for block in blocks))
    return np.concatenate(starts), topics, int(before[-1])


class GroupedRows(Struct, frozen=True, eq=False):
    """The rows of consecutive blocks, grouped by topic, of which a :class:`Run` or :class:`Qrels` is made.

    Attributes:
        subtopics: the number of each row's subtopic; None if there are no subtopics.
        names: the name of each subtopic, by number.
    """

    blocks: Sequence[Block]
    grouping: Grouping
    docnos: IdArray
    values: npt.NDArray[Any]
    subtopics: IntArray | None
    names: tuple[bytes, ...]

    @classmethod
    def of(cls, blocks: Sequence[Block], grouping: Grouping | None = None) -> Self:
        """The rows of one or more blocks; grouped with topics in byte order, if no ``grouping`` is given."""
        grouping = grouping or group(*topics_of(blocks))
        docnos = grouping.apply(np.concatenate([block.docnos for block in blocks]))
        values = grouping.apply(np.concatenate([block.values for block in blocks]))
        subtopics, names = None, ()
        if columns := [block.subtopics for block in blocks if block.subtopics is not None]:
            number, first = numbered(column := np.concatenate(columns))
            subtopics, names = grouping.apply(number), tuple(column[first].tolist())
        return cls(blocks, grouping, docnos, values, subtopics, names)

    def repeated(self) -> tuple[int, int] | None:
        """Two rows of the input with the same document and topic (and subtopic, if there are subtopics); None
        if there are no two."""
        order, docnos, offsets = self.grouping.order, self.docnos, self.grouping.offsets
        if self.subtopics is not None:
            topic = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
            by_subtopic = np.lexsort((self.subtopics, topic))
            of_row = (topic * len(self.names) + self.subtopics)[by_subtopic]
            offsets = np.append(np.flatnonzero(np.diff(of_row, prepend=-1)), len(order))
            order, docnos = order[by_subtopic], docnos[by_subtopic]
        pair = find_duplicate(docnos, offsets)
        return None if pair is None else tuple(order[list(pair)].tolist())

    def line(self, row: int) -> int:
        """The line number of a row of the input."""
        return next(islice(chain.from_iterable(block.lines for block in self.blocks), row, None))

    def ids(self, row: int) -> tuple[bytes, bytes]:
        """Topic and docno of a row of the input."""
        place = int(np.flatnonzero(self.grouping.order == row)[0])
        topic = int(np.searchsorted(self.grouping.offsets, place, "right")) - 1
        return self.grouping.topics[topic], bytes(self.docnos[place])

    def _rows(self) -> tuple[tuple[bytes, ...], IntArray, IdArray]:
        return self.grouping.topics, self.grouping.offsets, self.docnos

    def run(self, source: str, notes: tuple[str, ...] = ()) -> Run:
        read = [block.ranks for block in self.blocks if block.ranks is not None]
        ranks = self.grouping.apply(np.concatenate(read)) if len(read) == len(self.blocks) else None
        scores, lines, tag = self.values, self.grouping.order, self.blocks[-1].tag
        return Run(
            *self._rows(), scores=scores, ranks=ranks, lines=lines, tag=tag, source=source, notes=notes
        )

    def qrels(self, source: str, notes: tuple[str, ...] = ()) -> Qrels:
        qrels = Qrels(*self._rows(), rels=self.values, source=source, notes=notes)
        return qrels if self.subtopics is None else per_subtopic(qrels, self.subtopics, self.names)


def starts_of_topics(topics: Sequence[object]) -> IntArray:
    """The first row, and the rows whose topic differs from that of the row before."""
    starts = [row for row in range(len(topics)) if row == 0 or topics[row] != topics[row - 1]]
    return np.array(starts, np.int64)


def identifiers(ids: Sequence[bytes]) -> IdArray:
    """Ids as an array: a multiple of 8 bytes wide, or of Python objects if an id is longer than 64 bytes."""
    longest = max(map(len, ids), default=0)
    if longest > LONGEST_FIXED_ID:
        return np.array(ids, object)
    return np.array(ids, f"S{max(8, -(-longest // 8) * 8)}")


# ---- ids as 64-bit numbers ("words"), so that whole columns are hashed and compared at once -------------

_MIX = np.uint64(0xD6E8FEB86659FD93)
#: All bits except the bit in which upper and lower case differ, and a blank differs from the padding (NUL).
_CASELESS = np.uint64(0xDFDFDFDFDFDFDFDF)
#: One odd factor per word of an id. The first is 1, so that short ids need no multiplication.
_FACTORS = [pow(0x9FB21C651E98DF25, power, 1 << 64) for power in range(LONGEST_FIXED_ID // 8)]


def _native_words(ids: IdArray) -> WordArray:
    """Fixed-width ids as rows of words, padded with zeros. The words are not copied if the width allows
    it."""
    words = -(-ids.dtype.itemsize // 8)
    return np.ascontiguousarray(ids, f"S{8 * words}").view(np.uint64).reshape(len(ids), words)


def sort_words(ids: IdArray) -> WordArray:
    """Ids as rows of unsigned words. Sorting the rows by the first column, then the second, and so on, sorts
    the ids by their bytes.

    Args:
        ids: an array of dtype ``S`` or ``O``. No id may end in a NUL byte (readers do not accept NUL).

    Returns:
        An array with a row per id. If the ids are Python objects, a row is one word: the id's rank in byte
        order.
    """
    if ids.dtype.kind == "O":
        _, dense = np.unique(ids, return_inverse=True)
        return cast(WordArray, dense.astype(np.uint64).reshape(-1, 1))
    return _native_words(ids).view(">u8").astype(np.uint64)


def folded(ids: IdArray) -> WordArray:
    """A 64-bit word for each id, which does not depend on letter case and blanks at the end.

    Ids that differ only in letter case and such blanks have equal words, whatever the dtype; different ids
    rarely have equal words. So a search for equal ids also finds ids that only look alike.

    The words are the same in every process, because prepared judgements are sent to other processes.
    """
    if ids.dtype.kind != "S" or ids.dtype.itemsize > LONGEST_FIXED_ID:
        from hashlib import blake2b

        every = ids.tolist()
        ids = ids.astype(f"S{LONGEST_FIXED_ID}")
        lengths = np.fromiter(map(len, every), np.int64, len(every))
        for place in np.flatnonzero(lengths > LONGEST_FIXED_ID).tolist():
            ids[place] = blake2b(every[place].upper(), digest_size=8).digest()
    words = _native_words(ids)
    result = words[:, 0] & _CASELESS
    # In a sum of products the zero words of wider columns add nothing, so the width does not matter.
    for column in range(1, words.shape[1]):
        result += (words[:, column] & _CASELESS) * np.uint64(_FACTORS[column])
    return result


def seeds(topics: IntArray) -> WordArray:
    """For each topic number, a seed for the hashes of the topic's docnos."""
    return topics.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)


def hashed(ids: IdArray, seeds: WordArray) -> WordArray:
    """A 64-bit hash of each id with its seed. Ids that look alike have equal hashes (see :func:`folded`)."""
    result = folded(ids)
    result ^= seeds
    result *= _MIX
    result ^= result >> 32
    result *= _MIX
    return result


#: Rows per block, so that their hashes stay in the processor's cache while they are sorted.
_ROWS = 1 << 14


def find_duplicate(docnos: IdArray, offsets: IntArray) -> tuple[int, int] | None:
    """Find the first row whose docno occurs in an earlier row of the same topic.

    Args:
        docnos: shape (rows,), grouped by topic.
        offsets: shape (topics + 1,); the rows of topic ``i`` are ``offsets[i]:offsets[i + 1]``.

    Returns:
        ``(earlier row, later row)``, or None if no docno repeats within a topic. Of several duplicates, the
        one whose later row comes first.
    """
    starts = np.searchsorted(offsets, np.arange(0, offsets[-1], _ROWS))
    # Ranges of whole topics, with about ``_ROWS`` rows per range. (``np.unique`` would import numpy.ma.)
    for topic, end in pairwise(sorted({*starts.tolist(), len(offsets) - 1})):
        bounds = offsets[topic : end + 1]
        if docnos.dtype.kind != "O" and not _hashes_repeat(docnos[bounds[0] : bounds[-1]], np.diff(bounds)):
            continue
        for start, stop in pairwise(bounds.tolist()):
            first_row: dict[bytes, int] = {}
            for row, docno in enumerate(docnos[start:stop].tolist(), start):
                if first_row.setdefault(docno, row) != row:
                    return first_row[docno], row
    return None


def _hashes_repeat(docnos: IdArray, rows: IntArray) -> bool:
    """Whether two rows may hold the same (topic, docno). False is certain; True may be wrong."""
    hashes = hashed(docnos, np.repeat(seeds(np.arange(len(rows))), rows))
    hashes.sort()
    return bool((hashes[1:] == hashes[:-1]).any())


def tied_ranks(run: Run) -> tuple[int, int] | None:
    """Two rows of a query with the same score, in a run whose scores are ranks; None if there are none."""
    topic = run.topic_numbers
    if ((np.diff(run.scores) < 0) | (np.diff(topic) > 0)).all():  # in rank order, as in most files
        return None
    order = np.lexsort((run.scores, topic))
    same = np.flatnonzero((np.diff(topic[order]) == 0) & (np.diff(run.scores[order]) == 0))
    return (int(order[same[0]]), int(order[same[0] + 1])) if len(same) else None


def numbered(keys: npt.NDArray[Any]) -> tuple[IntArray, IntArray]:
    """The number of each row's key, counted from 0 in order of first appearance, and the row of each first
    appearance."""
    _, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
    number = np.empty(len(first), np.int64)
    number[np.argsort(first)] = np.arange(len(first))
    return number[inverse], np.sort(first)


def per_subtopic(rows: Qrels, subtopics: IntArray, names: tuple[bytes, ...]) -> Qrels:
    """Qrels with each document once per topic, and its levels per subtopic.

    Args:
        rows: one row per judgement, so that a document may occur several times under a topic.
        subtopics: the number of the subtopic of each row; no document occurs twice under the same subtopic.
        names: name of each subtopic, by number.
    """
    topic = rows.topic_numbers
    if len(np.unique(topic * len(names) + subtopics)) == len(rows.topics):
        note = "each query has a single subtopic, which measures over subtopics treat as the whole topic"
        return replace(rows, notes=(*rows.notes, note))
    _, name = np.unique(rows.docnos, return_inverse=True)
    # A document is at the position of its first judgement.
    document, kept = numbered(topic * len(name) + name)
    rels = rows.rels[kept]
    np.maximum.at(rels, document, rows.rels)
    order = np.lexsort((subtopics, document))
    note = f"{len(names)} subtopics: for other measures a document has the highest of its relevance levels"
    held = Subtopics(document=document[order], subtopic=subtopics[order], rels=rows.rels[order], names=names)
    offsets, docnos = np.searchsorted(kept, rows.offsets), rows.docnos[kept]
    notes = (*rows.notes, note)
    return replace(rows, offsets=offsets, docnos=docnos, rels=rels, notes=notes, subtopics=held)


#: Topic, group of judges, subgroup of documents, docno and level.
Line: TypeAlias = tuple[bytes, bytes, bytes, bytes, float]

_HIGHEST = "preferences: for other measures a document has the whole part of its highest level"


def preferences_of(lines: Iterable[Line], source: str) -> Qrels:
    """Qrels from lines of preferences: one row for each document of a topic, sorted by docno."""
    rows = sorted(lines, key=lambda line: (line[0], line[3]))
    topics, groups, subgroups, docnos, levels = zip(*rows, strict=True)
    first = starts_of_topics(list(zip(topics, docnos, strict=True)))
    topic_of_document = [topics[row] for row in first.tolist()]
    begins = starts_of_topics(topic_of_document)
    level = np.array(levels, np.float64)
    document = np.repeat(np.arange(len(first)), np.diff(first, append=len(rows)))
    group, subgroup = identifiers(groups), identifiers(subgroups)
    held = Preferences(document=document, group=group, subgroup=subgroup, level=level)
    different = tuple(topic_of_document[i] for i in begins.tolist())
    offsets, ids = np.append(begins, len(first)), identifiers([docnos[row] for row in first.tolist()])
    rels = np.maximum.reduceat(np.clip(np.nan_to_num(level), -(2.0**62), 2.0**62).astype(np.int64), first)
    return Qrels(different, offsets, ids, rels=rels, source=source, notes=(_HIGHEST,), preferences=held)
