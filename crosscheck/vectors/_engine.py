"""Checks of lists of relevance levels, and calls of the native measures."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from operator import index
from typing import TYPE_CHECKING, Any

from crosscheck.errors import ArgumentError

if TYPE_CHECKING:
    from crosscheck.conventions import AxisValue
    from crosscheck.model import IntArray, ParamValue
    from crosscheck.rankings.judged import JudgedRankings

__all__ = ["checked_cutoff", "checked_levels", "computed", "mean", "measured"]


def whole_number(name: str, value: Any) -> int:
    """The value of an integer argument; numpy scalars and booleans are accepted."""
    with suppress(TypeError, ValueError, OverflowError):
        if (number := int(value)) == value and -(2**63) <= number < 2**63:
            return number
    raise ArgumentError(
        f"{name} is not a whole number of 64 bits: {value!r}", hint="levels and counts are whole, as in qrels"
    )


def checked_levels(rel: Iterable[float]) -> list[int]:
    """The levels as integers."""
    return [whole_number(f"the relevance level at rank {rank}", level) for rank, level in enumerate(rel, 1)]


def checked_cutoff(k: int) -> int:
    """The cutoff as an integer; an error unless it is a whole number of at least 1."""
    try:
        cutoff = index(k)
    except TypeError:
        raise ArgumentError(f"a cutoff is a whole number, not {k!r}") from None
    if cutoff < 1:
        raise ArgumentError(f"a cutoff is at least 1, not {cutoff}")
    return cutoff


def measured(
    family: str,
    rels: Iterable[Iterable[float]],
    cutoff: int | None = None,
    *,
    judged: Iterable[Iterable[float]] = (),
    relevant: Iterable[int] = (),
    relevance_level: float = 1,
    params: tuple[tuple[str, ParamValue], ...] = (),
    profile: str = "",
    **axes: AxisValue,
) -> list[float]:
    """The value of a native measure for each list.

    Args:
        judged: for each list, the levels of all judged documents of its query, if the measure needs them.
        relevant: for each list, the number of relevant documents of its query, in place of ``judged``.
        axes: conventions that differ from those of the profile, or from trec_eval's without a profile.

    Raises:
        UsageError: an axis does not have the value.
        ArgumentError: an argument is not a number of its type, or a value exceeds double precision.
    """
    level = whole_number("relevance_level", relevance_level)
    pools = [checked_levels(levels) for levels in judged]
    # Judged, so never negative, whatever counts as relevant.
    pools += [[max(level, 0)] * whole_number("a number of relevant documents", total) for total in relevant]
    lists = _judged([checked_levels(rel) for rel in rels], pools)
    depth = None if cutoff is None else checked_cutoff(cutoff)
    return computed(family, lists, depth, params, profile, relevance_level=level, **axes)


def computed(
    family: str,
    judged: JudgedRankings,
    cutoff: int | None = None,
    params: tuple[tuple[str, ParamValue], ...] = (),
    profile: str = "",
    /,
    **axes: AxisValue,
) -> list[float]:
    """The value of a native measure for each ranking; the other arguments are as in :func:`measured`."""
    # Imported here because importing this package must not import numpy.
    import numpy as np

    from crosscheck.conventions import Conventions
    from crosscheck.measures import family as family_named
    from crosscheck.measures.base import in_unit
    from crosscheck.model import Measure
    from crosscheck.names import conventions_for

    measure = Measure(family, cutoff, None, params)
    spec = conventions_for(profile or Conventions(), measure).with_changes(**axes)
    about = family_named(family)
    with np.errstate(all="ignore"):
        values = in_unit(about.compute(judged, spec, measure), about, spec)
    if not np.isfinite(values).all():
        raise ArgumentError(f"{family} of this list cannot be computed in double precision")
    found: list[float] = values.tolist()
    return found


def _judged(lists: Sequence[Sequence[int]], judged: Sequence[Sequence[int]]) -> JudgedRankings:
    """Rankings in which every document is judged, from levels in rank order and the levels of each pool."""
    import numpy as np

    from crosscheck.rankings.judged import JudgedRankings

    def columns(levels: Sequence[Sequence[int]]) -> tuple[IntArray, IntArray, IntArray]:
        sizes = np.array([len(held) for held in levels], np.int64)
        return (
            sizes,
            np.repeat(np.arange(len(levels)), sizes),
            np.array([level for held in levels for level in held], np.int64),
        )

    num_ret, topic, rel = columns(lists)
    _, pool_topic, pool_rel = columns(judged)
    return JudgedRankings(
        num_topics=len(lists),
        num_ret=num_ret,
        topic=topic,
        rank=np.arange(1, len(topic) + 1) - (np.cumsum(num_ret) - num_ret)[topic],
        rel=rel,
        pool_topic=pool_topic,
        pool_rel=pool_rel,
        max_rel=int(pool_rel.max(initial=0)),
    )


def mean(values: Sequence[float]) -> float:
    """The mean, added in order as in trec_eval; 0.0 without values."""
    import numpy as np

    from crosscheck.evaluation.summarise import sequential_mean

    return sequential_mean(np.array(values, np.float64)) or 0.0
