"""The second stage of an evaluation: the rank of each judged document under any order, tie rule and score
precision.

Only the ranks of judged documents are computed, because measures use only these. A ranking that is already
sorted is not sorted again, and a group of tied documents is sorted only if it has a judged document.
"""

from collections.abc import Mapping
from functools import partial
from typing import Any, TypeAlias

import numpy as np
from msgspec.structs import replace

from crosscheck.axes.base import Axis
from crosscheck.axes.ties import BEST_SCORE, ORDER, SCORE_PRECISION, TIES, Order, ScorePrecision, Ties
from crosscheck.conventions import Conventions
from crosscheck.errors import UsageError
from crosscheck.formats.grouping import WordArray, ranges, sort_words
from crosscheck.model import BoolArray, IntArray
from crosscheck.rankings.judged import by_rank
from crosscheck.rankings.pairing import Memo, Pairing
from crosscheck.rankings.sorts import Keys, docno_keys, quicksort_order, single, sorted_by, unlike_bytes

#: Number of tied rows on which two tie rules are compared first. Most rules differ on so few rows already.
_FEW = 64
#: The axes that decide how rows are sorted before ties are.
_SORTING: tuple[Axis[Any], ...] = (ORDER, BEST_SCORE, SCORE_PRECISION)
#: Merit of an unjudged document in the best order; the merit of a relevant document is its level.
_UNJUDGED = -1


def _ascending(pairing: Pairing, conventions: Conventions) -> Keys | None:
    """The sort key of the rows, lowest first; None if the ranking is the input order."""
    if conventions[ORDER] is Order.INPUT:
        return None
    if conventions[ORDER] is Order.RANK_COLUMN:
        return _rank_column(pairing)
    scores: Keys = pairing.run.scores
    if conventions[SCORE_PRECISION] is ScorePrecision.FLOAT32:
        scores = single(pairing.run.scores)  # those beyond it tie, as they do in trec_eval 9
    key: Keys = -scores if conventions[BEST_SCORE] is BEST_SCORE.default else scores.copy()
    # Rows with NaN, which only lenient readers accept, come last.
    odd = np.isnan(key)
    if odd.any():
        key[odd] = np.inf
    return key


def _rank_column(pairing: Pairing) -> IntArray:
    if pairing.run.ranks is None:
        raise UsageError(f"{pairing.run.source} has no usable rank column to order by")
    return pairing.run.ranks


def hit_ranks(pairing: Pairing, conventions: Conventions) -> IntArray:
    """The rank of each judged row (``pairing.rows``) in the full ranking of its topic, counted from 1.

    Uses the axes ``order``, ``best_score``, ``ties`` and ``score_precision``. Documents that are equal under
    ``order`` are ordered by the tie rule; documents that are then still equal keep input order.

    Raises:
        UsageError: the rank column is needed and the run has no rank column.
    """
    _, position, starts_group = found = _sorted(pairing, conventions)
    tied = _tied(position, starts_group)
    if len(tied) and conventions[TIES] not in (Ties.INPUT, Ties.AVERAGE, Ties.GROUP_END):
        position = position.copy()
        position[tied] = _resolve(pairing, conventions, found, tied)
    return position - pairing.run.offsets[pairing.run_topic][pairing.topic] + 1


def same_in_float32(pairing: Pairing) -> bool:
    """Whether single and double precision give the same order and the same ties. This is so if scores of a
    topic that differ in double precision also differ in single precision."""
    both = [Conventions(score_precision=precision) for precision in ScorePrecision]
    single, double = (_ascending(pairing, conventions) for conventions in both)
    assert single is not None
    assert double is not None
    if np.array_equal(single, double):
        return True
    order, _, starts_group = _sorted(pairing, both[1])
    single = single if order is None else single[order]
    return not ((single[1:] == single[:-1]) & starts_group[1:] & ~_starts_topic(pairing)[1:]).any()


def reordering(pairing: Pairing, conventions: Conventions, rules: Mapping[Ties, Ties]) -> list[Ties]:
    """Compare pairs of tie rules on this run.

    Args:
        rules: tie rule -> the tie rule with which it is compared.

    Returns:
        The keys of ``rules`` under which a judged row has a different rank than under the rule's partner.
    """
    order, position, starts_group = found = _sorted(pairing, conventions)
    tied = _tied(position, starts_group)

    def places(ties: Ties, rows: IntArray) -> IntArray:
        return _resolve(pairing, conventions.having(TIES, ties), found, rows)

    def differ(one: Ties, other: Ties, rows: IntArray) -> bool:
        return len(rows) > 0 and not np.array_equal(places(one, rows), places(other, rows))

    def open_to(ties: Ties) -> IntArray:
        """The tied rows in groups that the rule may order differently than by the bytes of docnos."""
        if ties.docno_order is None:
            return tied
        unlike = unlike_bytes(pairing.run.docnos, ties.docno_order)
        starts, _, group_of = _groups(position[tied], starts_group)
        return tied[np.logical_or.reduceat(unlike if order is None else unlike[order], starts)[group_of]]

    def changes(one: Ties, other: Ties) -> bool:
        rows = open_to(one)
        return differ(one, other, rows[:_FEW]) or differ(one, other, rows)

    return [one for one, other in rules.items() if len(tied) and changes(one, other)]


def tied_unlike(pairing: Pairing, conventions: Conventions) -> BoolArray:
    """For each judged row, whether it is tied with a document of a different level. Unjudged documents have a
    level of their own.

    Level 0 is one level, and negative levels are treated as unjudged. The best and the worst order of tied
    documents differ only in groups with such a row.
    """
    after, size = tie_groups(pairing, conventions)
    unlike = np.zeros(len(after), np.bool_)
    tied = np.flatnonzero(size > 1)
    if not len(tied):
        return unlike
    _, group, judged = np.unique((pairing.topic << 40 | after)[tied], return_inverse=True, return_counts=True)
    merit, whole = _merit(pairing.rels[tied]), judged[group] == size[tied]
    low, high = np.full(len(judged), np.iinfo(np.int64).max), np.full(len(judged), _UNJUDGED)
    np.minimum.at(low, group, np.where(whole, merit, np.minimum(merit, _UNJUDGED)))
    np.maximum.at(high, group, merit)
    unlike[tied] = (low != high)[group]
    return unlike


def tie_groups(pairing: Pairing, conventions: Conventions) -> tuple[IntArray, IntArray]:
    """For each judged row, the number of documents above its group of tied documents, and the size of the
    group.

    A document without ties is a group of its own.
    """
    starts, sizes, group = _groups(*_sorted(pairing, conventions)[1:])
    return starts[group] - pairing.run.offsets[pairing.run_topic][pairing.topic], sizes[group]


def _tied(position: IntArray, starts_group: BoolArray) -> IntArray:
    """Indices of the judged rows that are tied with the document before or after them."""
    return np.flatnonzero(~starts_group[position] | ~np.append(starts_group, True)[position + 1])


#: Indices that sort the rows (None if the rows are already sorted); the position of each judged row after
#: sorting; for each position, whether a group of tied rows starts at it.
_Sorted: TypeAlias = tuple[IntArray | None, IntArray, BoolArray]


def _sorted(pairing: Pairing, conventions: Conventions) -> _Sorted:
    """Sort the rows by topic and key, without the tie rule. The input order has no ties."""
    rows, starts_group, key = pairing.rows, _starts_topic(pairing), _ascending(pairing, conventions)
    if key is None:
        return None, rows, np.ones_like(starts_group)
    order: IntArray | None = None
    position = rows
    if np.any((key[1:] < key[:-1]) & ~starts_group[1:]):
        order = sorted_by(pairing.run.topic_numbers, key)
        place = np.empty(len(order), np.int64)
        place[order] = np.arange(len(order))
        position, key = place[rows], key[order]
    starts_group[1:] |= key[1:] != key[:-1]
    return order, position, starts_group


def _starts_topic(pairing: Pairing) -> BoolArray:
    """For each row of the run, whether it is the first row of its topic."""
    starts = np.zeros(len(pairing.run.docnos), np.bool_)
    offsets = pairing.run.offsets
    starts[offsets[:-1][np.diff(offsets) > 0]] = True
    return starts


def _groups(position: IntArray, starts_group: BoolArray) -> tuple[IntArray, IntArray, IntArray]:
    """Where each group of tied rows starts, how many rows it has, and the group at each ``position``."""
    starts: IntArray = np.flatnonzero(starts_group)
    sizes = np.diff(np.append(starts, len(starts_group)))
    return starts, sizes, np.searchsorted(starts, position, "right") - 1


def _resolve(pairing: Pairing, conventions: Conventions, found: _Sorted, tied: IntArray) -> IntArray:
    """The positions of the rows ``tied`` after their groups are sorted by the tie rule."""
    order, position, starts_group = found
    starts, sizes, group_of = _groups(position[tied], starts_group)
    groups, inverse = np.unique(group_of, return_inverse=True)
    sizes = sizes[groups]
    before = np.cumsum(sizes) - sizes
    group = np.repeat(np.arange(len(groups)), sizes)
    places = np.repeat(starts[groups] - before, sizes) + np.arange(len(group))
    members = places if order is None else order[places]
    new = np.empty(len(places), np.int64)
    new[np.lexsort((*_tie_keys(pairing, conventions, members), group))] = places
    resolved: IntArray = new[before[inverse] + position[tied] - starts[groups][inverse]]
    return resolved


def _tie_keys(pairing: Pairing, conventions: Conventions, members: IntArray) -> tuple[Keys | WordArray, ...]:
    """Sort keys of the rows ``members`` for the tie rule, for :func:`numpy.lexsort`."""
    run, ties = pairing.run, conventions[TIES]
    if ties.by_docno:
        docnos = run.docnos[members]
        if (order := ties.docno_order) is not None:
            # Cached, because ascending and descending order need the same keys.
            key = order, *map(conventions.__getitem__, _SORTING), len(members)
            docnos = pairing.kept.once(key, lambda: docno_keys(docnos, order))
        words = sort_words(docnos).T[::-1]
        return tuple(~words if ties.descending else words)
    match ties:
        case Ties.RANK_COLUMN:
            return (_rank_column(pairing)[members],)
        case Ties.REVERSE_INPUT:
            return (-members,)
        case Ties.BEST | Ties.WORST:
            # The measure itself defines the best and the worst order (Family.tied). Here the two orders must
            # differ wherever they differ for any measure.
            merit = np.full(len(run.docnos), _UNJUDGED)
            merit[pairing.rows] = _merit(pairing.rels)
            return (-merit[members] if ties is Ties.BEST else merit[members],)
        case Ties.QUICKSORT | Ties.QUICKSORT_TWICE:
            return (_quicksort_places(pairing, conventions, members),)
        case _:
            return (members,)


def _merit(rels: IntArray) -> IntArray:
    return np.where(rels > 0, rels, np.where(rels == 0, _UNJUDGED - 1, _UNJUDGED))


def _quicksort_places(pairing: Pairing, conventions: Conventions, members: IntArray) -> IntArray:
    """The position of each of the rows ``members`` in its topic after numba's quicksort."""
    key, offsets = _ascending(pairing, conventions), pairing.run.offsets
    assert key is not None
    place = np.empty(len(key), np.int64)
    for topic in np.unique(np.searchsorted(offsets, members, "right") - 1).tolist():
        keys = key[offsets[topic] : offsets[topic + 1]].tolist()
        once = "quicksort", topic, *map(conventions.__getitem__, _SORTING)
        order = pairing.kept.once(once, partial(quicksort_order, keys))
        if conventions[TIES] is Ties.QUICKSORT_TWICE:
            order = [order[i] for i in quicksort_order([keys[i] for i in order])]
        place[offsets[topic] + np.array(order)] = np.arange(len(keys))
    return place[members]


def whole_rankings(pairing: Pairing, conventions: Conventions) -> list[IntArray]:
    """For each measured topic, the indices of its rows in the run, from rank 1 on."""
    run = pairing.run
    sizes = np.diff(run.offsets)[pairing.run_topic]
    rows, topic = ranges(run.offsets[pairing.run_topic], sizes), np.repeat(np.arange(len(sizes)), sizes)
    rels = np.full(len(run.docnos), _UNJUDGED)
    rels[pairing.rows] = pairing.rels
    every = replace(pairing, rows=rows, topic=topic, rels=rels[rows], kept=Memo())
    return np.split(rows[by_rank(topic, hit_ranks(every, conventions))], np.cumsum(sizes)[:-1])
