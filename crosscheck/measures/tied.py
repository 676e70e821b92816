"""Functions for groups of tied documents, from which measures compute expected values over all their orders.

All orders of the documents in a group are equally likely; the order of the groups is fixed. Source: McSherry
and Najork, "Computing Information Retrieval Performance Measures Efficiently in the Presence of Tied Scores",
ECIR 2008.

The tie rules ``average``, ``group-end``, ``best`` and ``worst`` assign no rank to single documents. For these
rules a family has further functions beside its formula (:class:`~crosscheck.measures.base.Tied`). If a family
has no function for a rule, computing it under this rule is an error on every input, even without ties.
"""

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Self, TypeAlias

import numpy as np
from msgspec.structs import replace

from crosscheck.axes import judging
from crosscheck.axes.forms import GEOMETRIC_FLOOR, GeometricFloor
from crosscheck.axes.gains import IDEAL, Ideal
from crosscheck.axes.ids import DUPLICATES, Duplicates
from crosscheck.axes.summaries import DROPPED_IF_NOTHING, MISSING_QUERIES, NAN_IF_NOTHING, MissingQueries
from crosscheck.axes.ties import TIES, WITHOUT_ORDER, Ties
from crosscheck.conventions import Conventions
from crosscheck.errors import UsageError
from crosscheck.measures import Family, family
from crosscheck.measures.arithmetic import divide, sum_by_topic
from crosscheck.measures.base import Merits, in_unit
from crosscheck.measures.gains import GainList
from crosscheck.model import BoolArray, FloatArray, IntArray, Measure
from crosscheck.rankings.judged import JudgedRankings, by_rank

#: A rank for all topics, or one for each; None for no limit.
_Depth: TypeAlias = int | IntArray | None
#: A rank below every document.
FAR = 2**40


def last_rank(conventions: Conventions, *cutoffs: int | None) -> int:
    """The lowest of these cutoffs and of the axis ``depth``; ``FAR`` if there is no cutoff and no depth."""
    return min((k for k in (*cutoffs, conventions[judging.DEPTH]) if k is not None), default=FAR)


def beyond_pool(conventions: Conventions) -> str | None:
    """The setting, as text, under which more relevant documents can be retrieved than were judged; None if
    the conventions have no such setting."""
    if conventions[judging.UNJUDGED].level is not None:
        return f"unjudged={conventions[judging.UNJUDGED]}"
    return "duplicates=each" if conventions[DUPLICATES] is Duplicates.EACH else None


def hits(judged: JudgedRankings, level: int | IntArray) -> JudgedRankings:
    """The rankings without the nonrelevant documents, as selected by
    :func:`~crosscheck.rankings.judged.JudgedRankings.relevant`.

    ``level``: the lowest relevant level, one for all topics or one per topic.
    """
    if isinstance(level, int) and level < 0:
        judged = judged.every_rank()
    return judged.only(judged.rel >= (level if isinstance(level, int) else level[judged.topic]))


class Groups:
    """The groups of tied documents with at least one selected (for example, relevant) document, sorted by
    topic, then by rank. A document without ties is a group of its own.

    Attributes:
        topic: topic of each group.
        start, before: number of all documents, and number of selected documents, above the group in its
            topic.
        size, found: number of all documents, and number of selected documents, in the group.
        group: index of the group of each selected document.
    """

    def __init__(self, topic: IntArray, after: IntArray, tied: IntArray) -> None:
        """Each argument has one entry per selected document.

        Args:
            topic: topic of the document.
            after: number of documents above the document's group.
            tied: number of documents in the document's group.
        """
        _, first, self.group, self.found = np.unique(
            (topic << 40) | after, return_index=True, return_inverse=True, return_counts=True
        )
        self.topic: IntArray = topic[first]
        self.start: IntArray = after[first]
        self.size: IntArray = tied[first]
        self.before = self.above(self.found)

    @classmethod
    def of(cls, selected: JudgedRankings | GainList) -> Self:
        """The groups of these documents, where every document counts as selected."""
        assert selected.tied is not None
        return cls(selected.topic, *selected.tied)

    def above(self, number: IntArray) -> IntArray:
        """For each group, the sum of ``number`` over the groups above it in its topic."""
        before = np.cumsum(number) - number
        return before - before[np.searchsorted(self.topic, self.topic)]

    def number(self, which: BoolArray) -> IntArray:
        """For each group, the number of selected documents for which the mask ``which`` is True."""
        return np.bincount(self.group[which], minlength=len(self.topic))

    def inside(self, limit: IntArray | int) -> IntArray:
        """For each group, how many of its ranks are at rank ``limit`` or above. ``limit``: one rank per
        group, or one for all groups."""
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


def count_above(judged: JudgedRankings, conventions: Conventions, depth: _Depth) -> FloatArray | IntArray:
    """For each topic, the number of documents in ``judged`` down to rank ``depth`` (one for all topics, or
    one per topic; None for all documents). If tied documents have no order, the expected number over all
    orders."""
    if judged.tied is not None:
        groups = Groups.of(judged)
        if isinstance(depth, np.ndarray):
            return groups.found_within(judged, np.minimum(depth, last_rank(conventions))[groups.topic])
        return groups.found_within(judged, last_rank(conventions, depth))
    if depth is None:
        return judged.count(judged.topic)
    assert isinstance(depth, int)
    return judged.count(judged.topic[judged.rank <= depth])


def found_above(judged: JudgedRankings, conventions: Conventions, depth: _Depth) -> FloatArray | IntArray:
    """For each topic, the number of relevant documents down to rank ``depth``. If tied documents have no
    order, the expected number over all orders."""
    level = conventions[judging.RELEVANCE_LEVEL]
    if judged.tied is not None:
        return count_above(hits(judged, level), conventions, depth)
    if not isinstance(depth, np.ndarray):
        return judged.relevant_above(level, depth)
    topic, rank = judged.relevant(level)
    return judged.count(topic[rank <= depth[topic]])


def gains_by_rank(selected: JudgedRankings | GainList, gain: FloatArray, limit: int) -> GainList:
    """The gain at each rank down to ``limit``, from the gains of selected documents. If tied documents have
    no order, each rank of a group gets the mean gain of the documents in the group."""
    if selected.tied is None:
        above = selected.rank <= limit
        return GainList(selected.topic[above], selected.rank[above], gain[above])
    groups = Groups.of(selected)
    mean = np.bincount(groups.group, gain, len(groups.topic)) / groups.size
    group, rank = groups.ranks(limit)
    return GainList(groups.topic[group], rank, mean[group])


def nothing_in(size: int, selected: int, places: int) -> FloatArray:
    """The probabilities that the first 0, 1, ... ``places`` places of a group have no selected document.

    ``size``: number of documents in the group; ``selected``: number of selected documents among them.
    """
    place = np.arange(places)
    return np.concatenate(([1.0], np.cumprod(np.maximum(size - selected - place, 0) / (size - place))))


def draws(size: int, selected: int) -> Iterator[FloatArray]:
    """Yield, for the first 0, 1, ... ``size`` places of a group, the probabilities that these places have
    0, 1, ... ``selected`` selected documents.

    ``size``: number of documents in the group; ``selected``: number of selected documents among them.
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


def rows(kept: BoolArray, *columns: IntArray) -> Iterator[tuple[int, ...]]:
    """The entries that a mask selects, as plain integers: their index, and their value in each column."""
    index = np.flatnonzero(kept)
    return zip(index.tolist(), *(column[index].tolist() for column in columns), strict=True)


def expectation(chances: FloatArray, values: FloatArray) -> float:
    """The expected value of a quantity that has these values with these probabilities."""
    return float(np.cumsum(chances * values)[-1])


def weight_within(
    weight: Callable[[IntArray], FloatArray], start: IntArray, places: IntArray, size: IntArray
) -> FloatArray:
    """For each group of ``size`` documents with ``start`` documents above it, the sum of the weights of its
    first ``places`` ranks; without ties exactly the weight of its rank."""
    weights = weight(np.arange(1, int((start + places).max(initial=0)) + 1))
    up_to = np.concatenate(([0.0], np.cumsum(weights)))
    total: FloatArray = up_to[start + places] - up_to[start]
    alone = (size == 1) & (places > 0)
    total[alone] = weights[start[alone]]
    return total


def mean_above(
    groups: Groups,
    places: IntArray,
    number: IntArray,
    total: FloatArray,
    expected: Callable[[int, IntArray, float], FloatArray],
) -> FloatArray:
    """For each topic, the expected mean of a quantity over documents in the first ``places`` ranks of each
    group. If a limit lies inside a group, the number of its documents above the limit is random.

    Args:
        number: number of documents of each group that the mean is over.
        total: the sum of the quantity over the groups that are wholly above the limit, per topic.
        expected: function of a group that the limit cuts, of numbers of its documents above the limit, and of
            the ``total`` of its topic, that returns the expected sum for each of these numbers.
    """
    whole, columns = places == groups.size, (groups.topic, groups.size, number, places)
    seen = np.bincount(groups.topic[whole], number[whole], len(total))
    result = divide(total, seen)
    for i, topic, size, most, inside in rows((places > 0) & ~whole, *columns):
        numbers = np.arange(most + 1)
        mean = divide(expected(i, numbers, total[topic]), seen[topic] + numbers)
        result[topic] = expectation(next(islice(draws(size, most), inside, None)), mean)
    return result


def chance_of_any(groups: Groups, limit: int, length: int) -> FloatArray:
    """For each of ``length`` topics, the probability that a selected document is at rank ``limit`` or
    above."""
    result = np.zeros(length)
    columns = groups.topic, groups.size, groups.found, groups.inside(limit)
    for _, topic, *group in rows(np.diff(groups.topic, prepend=-1) != 0, *columns):
        result[topic] = 1.0 - nothing_in(*group)[-1]
    return result


def above(size: int, others: int, places: int) -> FloatArray:
    """The probabilities that a document is in the first ``places`` places of its group and has 0, 1, ...
    ``others`` documents of a certain kind above it in the group.

    ``size``: number of documents in the group; ``others``: number of documents of this kind in the group.
    """
    if places >= size:
        return np.full(others + 1, 1.0 / (others + 1))
    total = np.zeros(others + 1)
    for _, chances in zip(range(places), draws(size - 1, others), strict=False):
        total += chances
    return total / size


def product_of_first(factors: FloatArray, size: int) -> FloatArray:
    """The expected products of the factors of the first 0, 1, ... ``size`` documents of a group in random
    order. ``factors``: the factors of some documents of the group; all further documents have the factor 1.
    """
    expected = np.ones(size + 1)
    place = np.arange(size + 1)
    for met, factor in enumerate(factors.tolist(), size - len(factors) + 1):
        # Each further document is among the first places with probability places / all places.
        share = np.minimum(place[1 : met + 1] / met, 1.0)
        expected[1 : met + 1] = (1.0 - share) * expected[1 : met + 1] + share * factor * expected[:met]
    return expected


def one_each(topic: IntArray, rank: IntArray) -> Merits:
    """Merit 1 for each of these documents."""
    return topic, rank, np.ones(len(topic))


def by_relevance(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> Merits:
    """Merit 1 for each relevant document, so that the best order has relevant documents first. Returns
    (topic, rank, merit)."""
    return one_each(*judged.relevant(conventions[judging.RELEVANCE_LEVEL]))


def unjudged_first(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> Merits:
    """Merit -1 for each judged document, so that the best order has unjudged documents (merit 0) first.
    Returns (topic, rank, merit)."""
    known = judged.only(judged.rel >= 0)
    return known.topic, known.rank, -np.ones(len(known.topic))


_LACKS = {
    Ties.AVERAGE: "its exact expected value over the orders of tied documents is not known",
    Ties.GROUP_END: "precision at the end of a group of tied documents has no meaning for it",
    Ties.BEST: "no order of tied documents is known to give its highest value",
    Ties.WORST: "no order of tied documents is known to give its lowest value",
}


def refuse(measure: Measure, conventions: Conventions) -> None:
    """Raise an error if the measure cannot be computed under the tie rule of these conventions.

    Args:
        conventions: the conventions, with the axes that the measure itself sets.

    Raises:
        UsageError: the measure cannot be computed; the message gives the reason.
    """
    if why := refusal(measure, conventions):
        hint = "use a rule that orders tied documents, such as ties=docid-desc (trec_eval's) or ties=input"
        raise UsageError(why, hint=hint)


def refusal(measure: Measure, conventions: Conventions) -> str | None:
    """Why the measure cannot be computed under the tie rule of these conventions, as a sentence; None if the
    measure can be computed."""
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
    """The setting, in words, under which the family cannot be computed without an order of tied documents;
    None if there is no such setting."""
    c, depth = conventions, conventions[judging.DEPTH]
    if c[judging.FIRST_RESULT] is judging.FirstResult.SKIPPED and about.retrieved:
        return f"first_result={c[judging.FIRST_RESULT]}"  # Any of the tied documents may be the first.
    if depth is not None and about.retrieved:
        # The depth may cut off any documents of a group, and here more than their number matters.
        if not about.ranked:
            return f"depth={depth}"
        if c[judging.UNJUDGED] is judging.Unjudged.REMOVED:
            return f"depth={depth} and unjudged documents removed"
        if c[judging.UNIVERSE] is judging.Universe.RETRIEVED:
            return f"depth={depth} and universe=retrieved"
    if measure.cutoff is not None and c[IDEAL] is Ideal.RETRIEVED_AT_K and IDEAL in about.reads:
        return f"ideal={c[IDEAL]}"  # The order decides which documents are in the ideal ranking.
    if c[GEOMETRIC_FLOOR] is GeometricFloor.REPLACE_ZERO and GEOMETRIC_FLOOR in about.reads:
        return f"geometric_floor={c[GEOMETRIC_FLOOR]}"  # 0 counts more than the values just above it
    missing, part = c[MISSING_QUERIES], measure.cutoff is not None or about.to_r
    of_hits = (*NAN_IF_NOTHING, MissingQueries.DROPPED_WITHOUT_HITS)
    if (missing in of_hits and part) or (missing in (*of_hits, *DROPPED_IF_NOTHING) and depth is not None):
        # Whether the query has a value at all depends on the order.
        return f"missing_queries={missing}"
    return about.tied.unless(c[TIES], c, measure) if about.ranked and about.tied.unless else None


def resolved(judged: JudgedRankings, measure: Measure, conventions: Conventions) -> JudgedRankings:
    """The rankings with tied documents ordered, if the tie rule is ``best`` or ``worst``; else unchanged."""
    about, ties = family(measure.family), conventions[TIES]
    if ties not in (Ties.BEST, Ties.WORST) or not about.ranked:
        return judged
    assert about.tied.merit is not None
    merits = about.tied.merit(judged, conventions, measure)
    key = "resolved", ties, *(column.tobytes() for column in merits)
    return judged.once(key, lambda: _ordered(judged, merits, 1.0 if ties is Ties.WORST else -1.0))


def _ordered(judged: JudgedRankings, merits: Merits, sign: float) -> JudgedRankings:
    """Rankings with the documents of each group sorted by merit: ascending if ``sign`` is 1, descending if it
    is -1."""
    assert judged.tied is not None
    after, sizes = judged.tied
    # Only groups of several documents with a judged document can change their order.
    several = np.flatnonzero(sizes > 1)
    groups, entry = np.unique(_place(judged.topic, after)[several], return_index=True)
    size = sizes[several][entry]
    group = np.repeat(np.arange(len(groups)), size)
    places = groups[group] + 1 + np.arange(len(group)) - (np.cumsum(size) - size)[group]
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
    """Topic and rank combined in one number, by which entries are sorted by topic, then by rank."""
    return (topic << 40) | rank


def value_of(judged: JudgedRankings, measure: Measure, conventions: Conventions) -> FloatArray:
    """Values of the measure, one per topic. ``judged``: rankings from :func:`resolved`. :func:`refuse` must
    have been called before."""
    about, ties = family(measure.family), conventions[TIES]
    unordered = about.ranked and ties in (Ties.AVERAGE, Ties.GROUP_END)
    compute = about.tied.form(ties) if unordered else about.compute
    assert compute is not None
    return in_unit(compute(judged, conventions, measure), about, conventions)
