"""Groups of tied documents whose orders are equally likely: the parts that expected values are made of.

Source: McSherry and Najork, "Computing Information Retrieval Performance Measures Efficiently in the Presence
of Tied Scores", ECIR 2008. All orders within a group are equally likely; the order of the groups is fixed.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

import numpy as np

from crosscheck.axes.ids import DUPLICATES, Duplicates
from crosscheck.axes.judging import DEPTH, RELEVANCE_LEVEL, UNJUDGED
from crosscheck.conventions import Conventions
from crosscheck.measures.base import Merits, every_rank, relevant
from crosscheck.measures.sums import sum_by_topic
from crosscheck.model import BoolArray, FloatArray, IntArray, Measure
from crosscheck.rankings.judged import JudgedRankings

__all__ = [
    "FAR",
    "Groups",
    "Shares",
    "above",
    "beyond_pool",
    "by_relevance",
    "chance_of_any",
    "drawn_of",
    "draws",
    "hits",
    "last_rank",
    "nothing_in",
    "one_each",
    "product_of_first",
    "shares",
]

FAR = 2**40


def last_rank(conventions: Conventions, *cutoffs: int | None) -> int:
    """The last rank that counts under these cutoffs and the axis ``depth``; ``FAR`` if every rank counts."""
    return min((k for k in (*cutoffs, conventions[DEPTH]) if k is not None), default=FAR)


def beyond_pool(conventions: Conventions) -> str | None:
    """The setting under which more relevant documents can be retrieved than were judged, or None."""
    if conventions[UNJUDGED].level is not None:
        return f"unjudged={conventions[UNJUDGED]}"
    return "duplicates=each" if conventions[DUPLICATES] is Duplicates.EACH else None


def hits(judged: JudgedRankings, level: int | IntArray) -> JudgedRankings:
    """The relevant documents, in the order of :func:`~crosscheck.measures.base.relevant`.

    ``level``: the lowest level that is relevant, for all topics or per topic.
    """
    if isinstance(level, int):
        judged = every_rank(judged) if level < 0 else judged
        return judged.only(judged.rel >= level)
    return judged.only(judged.rel >= level[judged.topic])


class Groups:
    """Groups of tied documents that hold at least one selected document, by topic, then by rank.

    Attributes:
        topic: topic of each group.
        start, before: number of documents, and of selected documents, above each group in its topic.
        size, found: number of documents, and of selected documents, in each group.
        group: index of the group of each selected document.
    """

    def __init__(self, topic: IntArray, after: IntArray, tied: IntArray) -> None:
        """One entry per selected document: its topic, the documents above its group, and the group's size."""
        _, first, self.group, self.found = np.unique(
            (topic << 40) | after, return_index=True, return_inverse=True, return_counts=True
        )
        self.topic: IntArray = topic[first]
        self.start: IntArray = after[first]
        self.size: IntArray = tied[first]
        self.before = self.above(self.found)

    @classmethod
    def of(cls, judged: JudgedRankings) -> Groups:
        """The groups of the documents in ``judged``, all of which are selected."""
        assert judged.tied_after is not None
        assert judged.tied is not None
        return cls(judged.topic, judged.tied_after, judged.tied)

    def above(self, number: IntArray) -> IntArray:
        """For each group, the sum of ``number`` (one per group) over the groups above it in its topic."""
        up_to = np.cumsum(number)
        of_topic = np.searchsorted(self.topic, self.topic)
        result: IntArray = up_to - number - (up_to - number)[of_topic]
        return result

    def number(self, which: BoolArray) -> IntArray:
        """Number of selected documents of each group for which the mask is true."""
        return np.bincount(self.group[which], minlength=len(self.topic))

    def inside(self, limit: IntArray | int) -> IntArray:
        """Number of ranks of each group down to rank ``limit``, one limit per group or one for all."""
        return np.clip(limit - self.start, 0, self.size)

    def found_within(self, judged: JudgedRankings, limit: IntArray | int) -> FloatArray:
        """Expected number of the documents that were selected for these groups (the relevant ones, for
        instance) in the first ``limit`` ranks of each topic, over all orders of tied documents."""
        return sum_by_topic(judged, self.topic, self.found * self.inside(limit) / self.size)


class Shares(NamedTuple):
    """Expected value at each rank, by topic, then by rank."""

    topic: IntArray
    rank: IntArray
    value: FloatArray


def shares(groups: Groups, value: FloatArray, limit: int) -> Shares:
    """The values of selected documents, each spread evenly over the ranks of its group; down to ``limit``."""
    mean = np.bincount(groups.group, value, len(groups.topic)) / groups.size
    places = groups.inside(limit)
    group = np.repeat(np.arange(len(places)), places)
    rank = np.arange(1, len(group) + 1) - (np.cumsum(places) - places - groups.start)[group]
    return Shares(groups.topic[group], rank, mean[group])


def nothing_in(size: int, found: int, places: int) -> FloatArray:
    """Probability that the first 0, 1, ... ``places`` of a group hold none of ``found`` of its documents."""
    place = np.arange(places)
    left = np.maximum(size - found - place, 0) / (size - place)
    return np.concatenate(([1.0], np.cumprod(left)))


def draws(size: int, found: int) -> Iterator[FloatArray]:
    """Distribution of the number of ``found`` documents among the first 0, 1, ... ``size`` places of a group.

    One row per number of places: the probabilities of 0, 1, ... ``found`` documents.
    """
    number = np.arange(found + 1)
    chances = (number == 0).astype(np.float64)
    yield chances
    for drawn in range(size):
        left = size - drawn
        taken = chances * np.clip(found - number, 0, left) / left
        chances = chances - taken
        chances[1:] += taken[:-1]
        yield chances


def drawn_of(size: int, found: int, places: int) -> FloatArray:
    """Probability that 0, 1, ... of ``found`` documents are among the first ``places`` of a group."""
    return next(islice(draws(size, found), places, None))


def chance_of_any(groups: Groups, limit: int, length: int) -> FloatArray:
    """Probability that a selected document is at rank ``limit`` or above, for each of ``length`` topics."""
    places = groups.inside(limit)
    result = np.zeros(length)
    first = np.flatnonzero(np.diff(groups.topic, prepend=-1))
    rows = zip(groups.size[first].tolist(), groups.found[first].tolist(), places[first].tolist(), strict=True)
    result[groups.topic[first]] = [float(1.0 - nothing_in(*row)[-1]) for row in rows]
    return result


def above(size: int, others: int, places: int) -> FloatArray:
    """Probability that a document is within the first ``places`` of its group and that 0, 1, ... ``others``
    of the other documents are above it."""
    if places >= size:
        return np.full(others + 1, 1.0 / (others + 1))
    total = np.zeros(others + 1)
    for _, chances in zip(range(places), draws(size - 1, others), strict=False):
        total += chances
    return total / size


def product_of_first(factors: FloatArray, size: int) -> FloatArray:
    """Expected product over the first 0, 1, ... ``size`` places of a group that holds these factors.

    The other documents of the group have factor 1.
    """
    expected = np.ones(size + 1)
    place = np.arange(size + 1)
    for met, factor in enumerate(factors.tolist(), size - len(factors) + 1):
        # Each further document is among the first places with probability places / all places.
        share = np.minimum(place[1 : met + 1] / met, 1.0)
        expected[1 : met + 1] = (1.0 - share) * expected[1 : met + 1] + share * factor * expected[:met]
    return expected


def one_each(topic: IntArray, rank: IntArray) -> Merits:
    """Merit 1 for these documents."""
    return topic, rank, np.ones(len(topic))


def by_relevance(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> Merits:
    """Merit 1 for relevant documents, which ranks them before all others."""
    return one_each(*relevant(judged, conventions[RELEVANCE_LEVEL]))
