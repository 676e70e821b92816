"""Runs larger than memory: whole topics are judged block by block, and only their judged documents are kept.

The values are those of the whole run, bit for bit, because every piece goes through :class:`Rankings` like a
run of its own. Input that cannot be cut into whole topics (topics that are not contiguous, documents that
occur twice, JSON, conventions that change the input) is read as a whole, which gives the same result or the
same error.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import cached_property
from io import BufferedIOBase

import numpy as np

from crosscheck.axes.order import ORDER, Order
from crosscheck.axes.ties import TIES, Ties
from crosscheck.conventions import Conventions
from crosscheck.engine.parts import NotStreamable, Part, merged
from crosscheck.engine.whole_topics import NotContiguousError, runs_of_whole_topics
from crosscheck.errors import InputError, UsageError
from crosscheck.evaluation.rankings import Rankings
from crosscheck.evaluation.read import reads_all
from crosscheck.formats.blocks import BLOCK_BYTES, run_blocks
from crosscheck.formats.duplicates import find_duplicate
from crosscheck.formats.reference_reader import Rules
from crosscheck.formats.source import open_input
from crosscheck.formats.trec import RUN, holds_json, read_run, run_from_text
from crosscheck.model import IntArray, Run
from crosscheck.rankings.judged import JudgedRankings
from crosscheck.rankings.pairing import JudgedPool
from crosscheck.records import Record

__all__ = [
    "Reading",
    "StreamedRankings",
    "judge_file",
    "judged_parts",
    "judged_stream",
    "streamed",
]


class Reading(Record):
    """A run file and the rules for reading it.

    Attributes:
        path: the file.
        rules: strictness.
        json: whether a file that starts like JSON is read as JSON, and not as lines of text.
        block_bytes: bytes of the file per block.
    """

    path: str
    rules: Rules
    json: bool = True
    block_bytes: int = BLOCK_BYTES

    def whole(self) -> Run:
        """All of the run; raises InputError as :func:`~crosscheck.formats.trec.read_run`."""
        if self.json:
            return read_run(self.path, strict=self.rules.strict, comments=self.rules.comments)
        with open_input(self.path, RUN) as stream:
            run = run_from_text(stream, self.path, self.rules)
        if run is None:
            raise InputError("the file holds no result", path=self.path, expected=RUN)
        return run


def judge_file(
    path: str,
    pool: JudgedPool,
    conventions: Conventions | None = None,
    *,
    strict: bool = True,
    comments: bool = False,
    block_bytes: int = BLOCK_BYTES,
) -> Rankings:
    """Join a run file with prepared judgements, keeping only the judged documents of the run.

    Args:
        path: the run; see :func:`crosscheck.formats.trec.read_run`.
        pool: the judgements, prepared once for any number of runs.
        conventions: those that the rankings will mostly be used under. Others that order or cut differently
            read the file again.
        strict, comments: as for :func:`~crosscheck.formats.trec.read_run`.
        block_bytes: bytes of the file per block.

    Returns:
        Rankings for :func:`crosscheck.measures.evaluate.evaluate`: :class:`StreamedRankings` if the run could
            be streamed, else the rankings of the whole run.

    Raises:
        InputError: as :func:`~crosscheck.formats.trec.read_run`.
    """
    reading = Reading(path, Rules(strict, comments), block_bytes=block_bytes)
    return streamed(reading, pool, conventions or Conventions()) or Rankings(reading.whole(), pool)


def streamed(reading: Reading, pool: JudgedPool, conventions: Conventions) -> StreamedRankings | None:
    """As :func:`judge_file`, or None if the run must be read as a whole.

    Raises:
        InputError: a line cannot be read.
    """
    try:
        part = merged(judged_parts(reading, pool, conventions), pool)
    except NotStreamable:
        return None
    return StreamedRankings(reading, pool, conventions, part)


def judged_parts(reading: Reading, pool: JudgedPool, conventions: Conventions) -> Iterator[Part]:
    """The run of a file in judged parts.

    Raises:
        InputError: a line cannot be read.
        NotStreamable: see the docstring of this module.
    """
    if os.path.exists(reading.path) and not os.path.isfile(reading.path):
        raise NotStreamable  # a pipe could not be read again
    with open_input(reading.path, RUN) as stream:
        if reading.json and holds_json(stream):
            raise NotStreamable
        yield from judged_stream(stream, reading, pool, conventions)


def judged_stream(
    stream: BufferedIOBase, reading: Reading, pool: JudgedPool, conventions: Conventions
) -> Iterator[Part]:
    """As :func:`judged_parts`, from an open stream of lines."""
    by_rank = conventions[ORDER] is Order.RANK_COLUMN or conventions[TIES] is Ties.RANK_COLUMN
    blocks = run_blocks(stream, reading.path, reading.rules, reading.block_bytes, with_ranks=by_rank)
    try:
        for run in runs_of_whole_topics(blocks, reading.path):
            # A NaN score has no rank; only trec_eval's own command ranks it anyway.
            if find_duplicate(run.docnos, run.offsets) or np.isnan(run.scores).any():
                raise NotStreamable
            rankings = Rankings(run, pool)
            if rankings.reread(conventions) is not rankings:
                raise NotStreamable
            yield Part(run.topics, np.diff(run.offsets), rankings.judged(conventions), run.tag)
    except (NotContiguousError, UsageError):
        raise NotStreamable from None


class StreamedRankings(Rankings):
    """Rankings of a run file of which only the judged documents are kept.

    ``pairing`` holds the topics of both sides and the numbers of retrieved documents, but no rows. Methods
    that need rows read the file again.
    """

    def __init__(self, reading: Reading, pool: JudgedPool, conventions: Conventions, part: Part) -> None:
        """Keep the judged run.

        Args:
            part: the whole run, judged under ``conventions``; see :func:`merged`.
        """
        outline = Run(
            topics=part.topics,
            offsets=np.append(0, np.cumsum(part.sizes)),
            docnos=np.zeros(0, "S8"),
            scores=np.zeros(0),
            ranks=None,
            lines=np.zeros(0, np.int64),
            tag=part.tag,
            source=reading.path,
        )
        super().__init__(outline, pool)
        self._reading = reading
        self._first: JudgedRankings | None = part.judged
        self.judged(conventions)

    @cached_property
    def _whole(self) -> Rankings:
        return Rankings(self._reading.whole(), self.pairing.pool)

    def reread(self, conventions: Conventions) -> Rankings:
        """As :meth:`Rankings.reread`; reads the whole run for conventions that change it."""
        return self if reads_all(self.pairing.run, conventions) else self._whole.reread(conventions)

    def ranks(self, conventions: Conventions) -> IntArray:
        """As :meth:`Rankings.ranks`, with the rows of the whole run."""
        return self._whole.ranks(conventions)

    def _judge(self, conventions: Conventions) -> JudgedRankings:
        judged, self._first = self._first, None
        if judged is not None:
            return judged
        pool = self.pairing.pool
        try:
            return merged(judged_parts(self._reading, pool, conventions), pool).judged
        except NotStreamable:
            return self._whole.judged(conventions)
