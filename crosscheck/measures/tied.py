"""Groups of tied documents whose orders are equally likely: the parts that expected values are made of.

Source: McSherry and Najork, "Computing Information Retrieval Performance Measures Efficiently in the Presence
of Tied Scores", ECIR 2008. All orders within a group are equally likely; the order of the groups is fixed.

The tie rules ``average``, ``group-end``, ``best`` and ``worst`` assign no rank to single documents. A family
gives its form under these rules beside its formula (:class:`~crosscheck.measures.base.Tied`). If it has no
form under a rule, the rule is an error on every input, also without ties; it is never replaced by some order.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

import numpy as np
from msgspec.structs import replace

from crosscheck.axes.forms import GEOMETRIC_FLOOR, GeometricFloor
from crosscheck.axes.gains import IDEAL, Ideal
from crosscheck.axes.ids import DUPLICATES, Duplicates
from crosscheck.axes.judging import (
    DEPTH,
    FIRST_RESULT,
    RELEVANCE_LEVEL,
    UNIVERSE,
    UNJUDGED,
    FirstResult,
    Universe,
    Unjudged,
)
from crosscheck.axes.summaries import MISSING_QUERIES, NAN_IF_NOTHING, MissingQueries
from crosscheck.axes.ties import TIES, WITHOUT_ORDER, Ties
from crosscheck.conventions import Conventions
from crosscheck.errors import UsageError
from crosscheck.measures import Family, family
from crosscheck.measures.base import Merits, every_rank, in_unit, relevant, relevant_above, sum_by_topic
from crosscheck.measures.gains import GainList
from crosscheck.model import BoolArray, FloatArray, IntArray, Measure
from crosscheck.rankings.judged import JudgedRankings, by_rank

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
    def of(cls, selected: JudgedRankings | GainList) -> Groups:
        """The groups of these documents, all of which are selected."""
        assert selected.tied is not None
        return cls(selected.topic, *selected.tied)

    def above(self, number: IntArray) -> IntArray:
        """For each group, the sum of ``number`` over the groups above it in its topic."""
        up_to = np.cumsum(number)
        of_topic = np.searchsorted(self.topic, self.topic)
        result: IntArray = up_to - number - (up_to - number)[of_topic]
        return result

    def number(self, which: BoolArray) -> IntArray:
        """For each group, the number of selected documents under a mask."""
        return np.bincount(self.group[which], minlength=len(self.topic))

    def inside(self, limit: IntArray | int) -> IntArray:
        """For each group, the number of its ranks down to rank ``limit`` (one limit per group or one for
        all)."""
        return np.clip(limit - self.start, 0, self.size)

    def ranks(self, limit: int) -> tuple[IntArray, IntArray]:
        """The ranks of all groups down to ``limit``: the index of each rank's group, and the rank."""
        places = self.inside(limit)
        group = np.repeat(np.arange(len(places)), places)
        return group, np.arange(1, len(group) + 1) - (np.cumsum(places) - places - self.start)[group]

    def found_within(self, judged: JudgedRankings, limit: IntArray | int) -> FloatArray:
        """For each topic, the expected number of selected documents in the first ``limit`` ranks, over all
        orders of tied documents."""
        return sum_by_topic(judged, self.topic, self.found * self.inside(limit) / self.size)


def count_above(
    judged: JudgedRankings, conventions: Conventions, depth: int | IntArray | None
) -> FloatArray | IntArray:
    """For each topic, the number of documents in ``judged`` down to a rank (one for all topics or one for
    each). If tied documents have no order, the expected number over all orders."""
    if judged.tied is not None:
        groups = Groups.of(judged)
        if isinstance(depth, np.ndarray):
            return groups.found_within(judged, np.minimum(depth, last_rank(conventions))[groups.topic])
        return groups.found_within(judged, last_rank(conventions, depth))
    if depth is None:
        return judged.count(judged.topic)
    assert isinstance(depth, int)
    return judged.count(judged.topic[judged.rank <= depth])


def found_above(
    judged: JudgedRankings, conventions: Conventions, depth: int | IntArray | None
) -> FloatArray | IntArray:
    """As :func:`count_above`, but counts only relevant documents."""
    level = conventions[RELEVANCE_LEVEL]
    if judged.tied is not None:
        return count_above(hits(judged, level), conventions, depth)
    if not isinstance(depth, np.ndarray):
        return relevant_above(judged, level, depth)
    topic, rank = relevant(judged, level)
    return judged.count(topic[rank <= depth[topic]])


def gains_by_rank(selected: JudgedRankings | GainList, gain: FloatArray, limit: int) -> GainList:
    """The gains of selected documents at their ranks, down to ``limit``; where tied documents have no order,
    each gain is spread evenly over the ranks of its group."""
    if selected.tied is None:
        above = selected.rank <= limit
        return GainList(topic=selected.topic[above], rank=selected.rank[above], gain=gain[above])
    groups = Groups.of(selected)
    mean = np.bincount(groups.group, gain, len(groups.topic)) / groups.size
    group, rank = groups.ranks(limit)
    return GainList(topic=groups.topic[group], rank=rank, gain=mean[group])


def nothing_in(size: int, selected: int, places: int) -> FloatArray:
    """Probability that none of ``selected`` documents of a group is in its first 0, 1, ... ``places``
    places."""
    place = np.arange(places)
    left = np.maximum(size - selected - place, 0) / (size - place)
    return np.concatenate(([1.0], np.cumprod(left)))


def draws(size: int, selected: int) -> Iterator[FloatArray]:
    """How many of ``selected`` documents of a group are in its first 0, 1, ... ``size`` places.

    Yields a row per number of places: the probabilities of 0, 1, ... ``selected`` documents.
    """
    number = np.arange(selected + 1)
    chances = (number == 0).astype(np.float64)
    yield chances
    for drawn in range(size):
        left = size - drawn
        taken = chances * np.clip(selected - number, 0, left) / left
        chances = chances - taken
        chances[1:] += taken[:-1]
        yield chances


def drawn_of(size: int, selected: int, places: int) -> FloatArray:
    """Probability that 0, 1, ... of ``selected`` documents of a group are in its first ``places`` places."""
    return next(islice(draws(size, selected), places, None))


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
    """Expected product of the factors of the first 0, 1, ... ``size`` documents of a group in random order.

    Some documents of the group have these factors, the others have the factor 1.
    """
    expected = np.ones(size + 1)
    place = np.arange(size + 1)
    for met, factor in enumerate(factors.tolist(), size - len(factors) + 1):
        # Each further document is among the first places with probability places / all places.
        share = np.minimum(place[1 : met + 1] / met, 1.0)
        expected[1 : met + 1] = (1.0 - share) * expected[1 : met + 1] + share * factor * expected[:met]
    return expected


def one_each(topic: IntArray, rank: IntArray) -> Merits:
    """The merit 1 for each of these documents."""
    return topic, rank, np.ones(len(topic))


def by_relevance(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> Merits:
    """Merits that rank relevant documents before all others: 1 for each of them."""
    return one_each(*relevant(judged, conventions[RELEVANCE_LEVEL]))


def unjudged_first(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> Merits:
    """Merits that rank judged documents after all others: -1 for each of them."""
    known = judged.only(judged.rel >= 0)
    return known.topic, known.rank, -np.ones(len(known.topic))


_LACKS = {
    Ties.AVERAGE: "its exact expected value over the orders of tied documents is not known",
    Ties.GROUP_END: "precision at the end of a group of tied documents has no meaning for it",
    Ties.BEST: "no order of tied documents is known to give its highest value",
    Ties.WORST: "no order of tied documents is known to give its lowest value",
}
_HITS = (*NAN_IF_NOTHING, MissingQueries.DROPPED_WITHOUT_HITS)


def refuse(measure: Measure, conventions: Conventions) -> None:
    """Raise an error if the measure has no form under the tie rule of these conventions.

    Args:
        conventions: including those that the measure itself sets.

    Raises:
        UsageError: it has no form; the message gives the reason.
    """
    if why := refusal(measure, conventions):
        raise UsageError(
            why,
            hint="use a rule that orders tied documents, such as ties=docid-desc (trec_eval's) or ties=input",
        )


def refusal(measure: Measure, conventions: Conventions) -> str | None:
    """The reason why the measure cannot be computed under the tie rule of these conventions, None if it
    can."""
    ties = conventions[TIES]
    if ties not in WITHOUT_ORDER:
        return None
    about, given = family(measure.family), ""
    if not about.ranked or about.tied.form(ties) is not None:
        if not (unless := _unless(about, measure, conventions)):
            return None
        given = f" with {unless}"
    return f"{measure} cannot be computed under ties={ties}{given}: {_LACKS[ties]}{' then' if given else ''}"


def _unless(about: Family, measure: Measure, conventions: Conventions) -> str | None:
    """The setting under which a family has no form, in words, or None."""
    c, depth = conventions, conventions[DEPTH]
    if c[FIRST_RESULT] is FirstResult.SKIPPED and about.retrieved:
        return f"first_result={c[FIRST_RESULT]}"  # Any of the tied documents may be the first.
    if depth is not None and about.retrieved:
        # The depth may cut off any documents of a group, and here more than their number matters.
        if not about.ranked:
            return f"depth={depth}"
        if c[UNJUDGED] is Unjudged.REMOVED:
            return f"depth={depth} and unjudged documents removed"
        if c[UNIVERSE] is Universe.RETRIEVED:
            return f"depth={depth} and universe=retrieved"
    if measure.cutoff is not None and c[IDEAL] is Ideal.RETRIEVED_AT_K and IDEAL in about.reads:
        return f"ideal={c[IDEAL]}"  # The order decides which documents the ideal list holds.
    if c[GEOMETRIC_FLOOR] is GeometricFloor.REPLACE_ZERO and GEOMETRIC_FLOOR in about.reads:
        return f"geometric_floor={c[GEOMETRIC_FLOOR]}"  # 0 counts more than the values just above it
    missing = c[MISSING_QUERIES]
    part = depth is not None or measure.cutoff is not None or about.to_r
    if (missing in _HITS and part) or (
        missing is MissingQueries.DROPPED_WITHOUT_RELEVANT and depth is not None
    ):
        # Whether the query has a value at all depends on the order.
        return f"missing_queries={missing}"
    return about.tied.unless(c[TIES], c, measure) if about.ranked else None


def resolved(judged: JudgedRankings, measure: Measure, conventions: Conventions) -> JudgedRankings:
    """The rankings with tied documents in the order of ``best`` or ``worst``; unchanged for other rules."""
    about, ties = family(measure.family), conventions[TIES]
    if ties not in (Ties.BEST, Ties.WORST) or not about.ranked:
        return judged
    assert about.tied.merit is not None
    merits = about.tied.merit(judged, conventions, measure)
    key = "resolved", ties, *(column.tobytes() for column in merits)
    return judged.once(key, lambda: _ordered(judged, merits, 1.0 if ties is Ties.WORST else -1.0))


def _ordered(judged: JudgedRankings, merits: Merits, sign: float) -> JudgedRankings:
    """Rankings with the documents of each group in ascending order of their merits times ``sign``."""
    assert judged.tied is not None
    after, sizes = judged.tied
    # Only groups of several documents, one of them judged, have another order.
    several = np.flatnonzero(sizes > 1)
    groups, entry = np.unique(_place(judged.topic, after)[several], return_index=True)
    size = sizes[several][entry]
    group = np.repeat(np.arange(len(groups)), size)
    first = np.cumsum(size) - size
    places = groups[group] + 1 + np.arange(len(group)) - first[group]
    key = np.zeros(len(places))
    topic, rank, merit = merits
    at = np.searchsorted(places, _place(topic, rank))
    known = at < len(places)
    known[known] = places[at[known]] == _place(topic, rank)[known]
    key[at[known]] = sign * merit[known]
    moved = np.empty_like(places)
    moved[np.lexsort((key, group))] = places
    rank = judged.rank.copy()
    here = np.searchsorted(places, _place(judged.topic, judged.rank)[several])
    rank[several] = moved[here] - (judged.topic[several] << 40)
    kept = by_rank(judged.topic, rank)
    kept = kept[rank[kept] <= judged.num_ret[judged.topic[kept]]]
    return replace(judged.only(kept), rank=rank[kept], tied=None)


def _place(topic: IntArray, rank: IntArray) -> IntArray:
    """Topic and rank as one number, which sorts by topic, then by rank."""
    return (topic << 40) | rank


def value_of(judged: JudgedRankings, measure: Measure, conventions: Conventions) -> FloatArray:
    """Values of the measure on rankings from :func:`resolved`, under a tie rule that is not refused."""
    about, ties = family(measure.family), conventions[TIES]
    compute = (
        about.tied.form(ties) if about.ranked and ties in (Ties.AVERAGE, Ties.GROUP_END) else about.compute
    )
    assert compute is not None
    return in_unit(compute(judged, conventions, measure), about, conventions)
