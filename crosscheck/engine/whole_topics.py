"""Blocks of run lines with arbitrary ends, cut and joined into small runs of whole topics."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain

import numpy as np

from crosscheck.formats.grouping import RunBlock, joined
from crosscheck.model import Run

__all__ = ["NotContiguousError", "runs_of_whole_topics"]


class NotContiguousError(Exception):
    """A topic occurs again after another one, so no part of the run is known to hold whole topics."""


def runs_of_whole_topics(blocks: Iterable[RunBlock], source: str) -> Iterator[Run]:
    """The blocks as runs of whole topics, in the order of the input.

    Only the columns of a topic that may continue are kept from one block to the next.

    Args:
        blocks: consecutive blocks of one run.
        source: the input, for messages.

    Raises:
        NotContiguousError: the lines of a topic are not contiguous.
    """
    seen: set[bytes] = set()
    held: list[RunBlock] = []
    for block in blocks:
        if held and block.topics[0] != held[-1].topics[0]:
            yield _run(held, source, seen)
            held = []
        last = int(block.starts[-1])
        if last:
            yield _run([*held, _rows(block, 0, last)], source, seen)
            held = []
        held.append(_rows(block, last, len(block.docnos)) if last else block)
    if held:
        yield _run(held, source, seen)


def _rows(block: RunBlock, start: int, end: int) -> RunBlock:
    inside = slice(*np.searchsorted(block.starts, [start, end]).tolist())
    return RunBlock(
        starts=block.starts[inside] - start,
        topics=block.topics[inside],
        docnos=block.docnos[start:end],
        scores=block.scores[start:end],
        ranks=None if block.ranks is None else block.ranks[start:end],
        odd_rank=block.odd_rank,
        tag=block.tag,
        lines=block.lines[start:end],
    )


def _run(blocks: list[RunBlock], source: str, seen: set[bytes]) -> Run:
    """Blocks as one run; the first topic of a block continues the last one of the block before."""
    before = np.cumsum([0, *(len(block.docnos) for block in blocks)])
    starts = np.concatenate([b.starts + base for b, base in zip(blocks, before.tolist(), strict=False)])
    topics = list(chain.from_iterable(block.topics for block in blocks))
    begins = [i for i, topic in enumerate(topics) if i == 0 or topic != topics[i - 1]]
    topics = [topics[i] for i in begins]
    if len(set(topics)) < len(topics) or not seen.isdisjoint(topics):
        raise NotContiguousError
    seen.update(topics)
    ranks = [block.ranks for block in blocks if block.ranks is not None]
    return Run(
        topics=tuple(topics),
        offsets=np.append(starts[begins], before[-1]),
        docnos=joined([block.docnos for block in blocks]),
        scores=joined([block.scores for block in blocks]),
        ranks=joined(ranks) if len(ranks) == len(blocks) else None,
        lines=np.arange(before[-1]),
        tag=blocks[-1].tag,
        source=source,
    )
