"""Tie rules that do not order documents: the value of a measure under them, and when there is none.

``average``, ``group-end``, ``best`` and ``worst`` assign no rank to single documents. Each family gives its
form under these rules beside its formula (:class:`~crosscheck.measures.base.Tied`). If it has no form under a
rule, the rule is an error on every input, also without ties; it is never replaced by some order.
"""

from __future__ import annotations

import numpy as np
from msgspec.structs import replace

from crosscheck.axes.gains import IDEAL, Ideal
from crosscheck.axes.judging import DEPTH, FIRST_RESULT, UNIVERSE, UNJUDGED, FirstResult, Universe, Unjudged
from crosscheck.axes.summaries import MISSING_QUERIES, NAN_IF_NOTHING, MissingQueries
from crosscheck.axes.ties import TIES, WITHOUT_ORDER, Ties
from crosscheck.conventions import Conventions
from crosscheck.errors import UsageError
from crosscheck.measures import Family, family
from crosscheck.measures.base import Merits, in_unit
from crosscheck.model import FloatArray, IntArray, Measure
from crosscheck.rankings.judged import JudgedRankings, by_rank

__all__ = ["refusal", "refuse", "refuses", "resolved", "value_of"]

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


def refuses(measure: Measure, conventions: Conventions) -> bool:
    """Whether the measure has no form under the tie rule of these conventions."""
    ties, about = conventions[TIES], family(measure.family)
    return ties in WITHOUT_ORDER and not (_has(about, ties) and _unless(about, measure, conventions) is None)


def refusal(measure: Measure, conventions: Conventions) -> str | None:
    """The reason why the measure cannot be computed under the tie rule of these conventions, None if it
    can."""
    if not refuses(measure, conventions):
        return None
    about, ties = family(measure.family), conventions[TIES]
    unless = _unless(about, measure, conventions)
    given = f" with {unless}" if unless and _has(about, ties) else ""
    return f"{measure} cannot be computed under ties={ties}{given}: {_LACKS[ties]}{' then' if given else ''}"


def _has(about: Family, ties: Ties) -> bool:
    if not about.ranked:
        return True
    match ties:
        case Ties.AVERAGE:
            return about.tied.average is not None
        case Ties.GROUP_END:
            return about.tied.group_end is not None
        case _:
            return about.tied.merit is not None


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
    assert judged.tied_after is not None
    assert judged.tied is not None
    # Only groups of several documents, one of them judged, have another order.
    several = np.flatnonzero(judged.tied > 1)
    groups, entry = np.unique(_place(judged.topic, judged.tied_after)[several], return_index=True)
    size = judged.tied[several][entry]
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
    return replace(judged.only(kept), rank=rank[kept], tied_after=None, tied=None)


def _place(topic: IntArray, rank: IntArray) -> IntArray:
    """Topic and rank as one number, which sorts by topic, then by rank."""
    return (topic << 40) | rank


def value_of(judged: JudgedRankings, measure: Measure, conventions: Conventions) -> FloatArray:
    """Values of the measure on rankings from :func:`resolved`, under a tie rule that is not refused."""
    about = family(measure.family)
    compute = about.compute
    if about.ranked and conventions[TIES] is Ties.AVERAGE:
        assert about.tied.average is not None
        compute = about.tied.average
    elif about.ranked and conventions[TIES] is Ties.GROUP_END:
        assert about.tied.group_end is not None
        compute = about.tied.group_end
    return in_unit(compute(judged, conventions, measure), about, conventions)
