"""Lists of relevance levels, checked and handed to the native measures."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from operator import index
from typing import TYPE_CHECKING, Any

from crosscheck.errors import ArgumentError, UsageError

if TYPE_CHECKING:
    from crosscheck.conventions import AxisValue
    from crosscheck.model import IntArray, ParamValue
    from crosscheck.rankings.judged import Judged

__all__ = [
    "checked_cutoff",
    "checked_depth",
    "checked_levels",
    "computed",
    "mean",
    "measured",
    "relevant_documents",
    "whole_number",
]


def checked_levels(rel: Iterable[float]) -> list[int]:
    """The levels as integers."""
    levels = []
    for rank, level in enumerate(rel, 1):
        number = _whole(level)
        if number is None:
            raise ArgumentError(
                f"the relevance level at rank {rank} is no whole number of 64 bits: {level!r}",
                hint="levels are whole numbers, as in qrels",
            )
        levels.append(number)
    return levels


def _whole(value: Any) -> int | None:
    """The number as an integer, None for anything else; numpy scalars and booleans are numbers."""
    with suppress(TypeError, ValueError, OverflowError):
        number = int(value)
        return number if number == value and -(2**63) <= number < 2**63 else None
    return None


def checked_cutoff(k: int) -> int:
    """The cutoff, if it is one."""
    try:
        cutoff = index(k)
    except TypeError:
        raise ArgumentError(f"a cutoff is a whole number, not {k!r}") from None
    if cutoff < 1:
        raise ArgumentError(f"a cutoff is at least 1, not {cutoff}")
    return cutoff


def checked_depth(k: int | None) -> int | None:
    """Where to cut the list: None for not at all."""
    return None if k is None else checked_cutoff(k)


def whole_number(name: str, value: float) -> int:
    """The value of an argument that is a whole number."""
    number = _whole(value)
    if number is None:
        raise UsageError(f"{name} needs a whole number, not {value!r}")
    return number


def relevant_documents(total: int, relevance_level: int) -> list[int]:
    """The levels of so many relevant documents; a total below 0 is 0."""
    # Judged, so never negative, whatever counts as relevant.
    return [max(relevance_level, 0)] * whole_number("the number of relevant documents", total)


def measured(
    family: str,
    lists: Sequence[Sequence[int]],
    judged: Sequence[Sequence[int]] = (),
    cutoff: int | None = None,
    params: tuple[tuple[str, ParamValue], ...] = (),
    /,
    **axes: AxisValue,
) -> list[float]:
    """A native measure of each list.

    Args:
        judged: for each list the levels of all judged documents of its query, where the measure needs them.
        axes: conventions other than trec_eval's.

    Raises:
        UsageError: an axis does not have the value.
        ArgumentError: a value is beyond double precision, or 0 / 0.
    """
    return computed(family, _judged(lists, judged), cutoff, params, **axes)


def computed(
    family: str,
    judged: Judged,
    cutoff: int | None = None,
    params: tuple[tuple[str, ParamValue], ...] = (),
    /,
    **axes: AxisValue,
) -> list[float]:
    """A native measure of each ranking; as :func:`measured`."""
    # Here and not above: importing this package must not import numpy.
    import numpy as np

    from crosscheck.conventions import Conventions
    from crosscheck.measures import family as family_named
    from crosscheck.model import Measure

    conventions = Conventions(**axes)
    with np.errstate(all="ignore"):
        values = family_named(family).compute(judged, conventions, Measure(family, cutoff, None, params))
    if not np.isfinite(values).all():
        raise ArgumentError(f"{family} of this list cannot be computed in double precision")
    return values.tolist()  # type: ignore[no-any-return]


def _judged(lists: Sequence[Sequence[int]], judged: Sequence[Sequence[int]]) -> Judged:
    """Rankings of which every document is judged."""
    import numpy as np

    from crosscheck.rankings.judged import Judged

    def columns(levels: Sequence[Sequence[int]]) -> tuple[IntArray, IntArray, IntArray]:
        sizes = np.array([len(held) for held in levels], np.int64)
        return (
            sizes,
            np.repeat(np.arange(len(levels)), sizes),
            np.array([level for held in levels for level in held], np.int64),
        )

    num_ret, topic, rel = columns(lists)
    _, pool_topic, pool_rel = columns(judged)
    return Judged(
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
    """The mean as trec_eval adds it up; 0.0 without values."""
    import numpy as np

    from crosscheck.evaluation.summary import sequential_mean

    return sequential_mean(np.array(values, np.float64)) or 0.0
