"""The smallest input that still shows something: parts are taken away as long as it shows it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from msgspec.structs import replace

from crosscheck.probes.probe import Line, Probe, Query

__all__ = ["smallest"]

_T = TypeVar("_T")


def smallest(probe: Probe, holds: Callable[[Probe], bool], most: int = 600) -> Probe:
    """A part of a probe for which ``holds`` is true, but no longer if anything more is taken away or a level
    is lowered.

    Args:
        most: maximum number of attempts; after them, the smallest part so far is returned.
    """
    again = True
    while again:
        again = False
        for smaller in _smaller(probe):
            most -= 1
            if most < 0:
                return probe
            if holds(smaller):
                probe, again = smaller, True
                break
    return probe


def _smaller(probe: Probe) -> Iterator[Probe]:
    """The probe with fewer queries, judgements or lines (without large pieces first), then lower levels."""
    for kept in _without_pieces(probe.queries):
        if kept and (probe.reads is None or probe.reads in dict(kept)):
            yield replace(probe, queries=kept)
    for i, (id, query) in enumerate(probe.queries):
        for changed in _smaller_queries(query):
            yield replace(probe, queries=(*probe.queries[:i], (id, changed), *probe.queries[i + 1 :]))


def _smaller_queries(query: Query) -> Iterator[Query]:
    for judged in _without_pieces(query.judged):
        if judged:
            yield replace(query, judged=judged)
    for lines in _without_pieces(query.lines):
        if lines:
            yield replace(query, lines=_renumbered(lines))
    for i, (docno, level) in enumerate(query.judged):
        for plainer in dict.fromkeys((1, level // 2, level - 1)):
            if 0 < plainer < level:
                yield replace(query, judged=(*query.judged[:i], (docno, plainer), *query.judged[i + 1 :]))


def _without_pieces(whole: tuple[_T, ...]) -> Iterator[tuple[_T, ...]]:
    """The input without a half of it, then without smaller pieces, down to single entries."""
    piece = len(whole) // 2
    while piece >= 1:
        for start in range(0, len(whole), piece):
            yield whole[:start] + whole[start + piece :]
        piece //= 2


def _renumbered(lines: Sequence[Line]) -> tuple[Line, ...]:
    """The lines with their ranks renumbered from 1 on, in the same order."""
    order = {line.rank: rank for rank, line in enumerate(sorted(lines, key=lambda line: line.rank), 1)}
    return tuple(replace(line, rank=order[line.rank]) for line in lines)
