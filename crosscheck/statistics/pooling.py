"""Pools, which are the top documents of several runs that assessors judge, and the share of unjudged
documents.

Only the first documents of each run are judged, so judgements are incomplete. Comparisons between pooled
systems are stable nevertheless. The values of a system that was not pooled need care. Sources: Voorhees and
Harman, "TREC: Experiment and Evaluation in Information Retrieval" (2005), chapter 2; Zobel, SIGIR 1998
(unique contributions).
"""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from itertools import chain

import numpy as np
from msgspec import Struct

from crosscheck.axes.denominators import PRECISION_DENOMINATOR, PrecisionDenominator
from crosscheck.axes.judging import NEGATIVES, UNJUDGED
from crosscheck.conventions import Conventions
from crosscheck.conventions import conventions as parsed
from crosscheck.errors import ArgumentError, UsageError, quoted
from crosscheck.evaluation.rankings import Rankings
from crosscheck.evaluation.summarise import summary_of
from crosscheck.model import Qrels, Run


class PooledTopic(Struct, frozen=True):
    """The documents to judge for one topic.

    Attributes:
        documents: in byte order.
        contributed: for each run, the number of these documents that are among its first.
        unique: for each run, the number of documents that only this run contributed.
    """

    topic: bytes
    documents: tuple[bytes, ...]
    contributed: list[int]
    unique: list[int]


class Pool(Struct, frozen=True):
    """The documents to judge.

    Attributes:
        depth: number of ranks taken from each run.
        topics: all topics of the runs, in byte order.
        notes: sentences about runs without results for a topic or without unique documents, and about pools
            of one run.
    """

    depth: int
    topics: list[PooledTopic]
    notes: list[str]


class UnjudgedRate(Struct, frozen=True):
    """Share of the first ``k`` documents of a run that is unjudged.

    Attributes:
        mean: mean share over ``topics`` topics.
        unjudged, retrieved: number of unjudged documents, and of all documents, in the first ``k`` ranks of
            these topics.
    """

    run: str
    k: int
    mean: float | None
    unjudged: int
    retrieved: int
    topics: int
    notes: list[str]


def pool(runs: Sequence[Run], depth: int, *, conventions: str | Conventions = "trec_eval-9.0.8") -> Pool:
    """Make a pool: for each topic, the union of the first ``depth`` documents of each run.

    Args:
        runs: one or more runs.
        depth: number of ranks to take from each run, at least 1.
        conventions: the conventions by which runs are ordered (axes ``order``, ``ties``,
            ``score_precision``). They decide which of several tied documents are within the depth.

    Raises:
        ArgumentError: the depth is below 1.
        UsageError: unknown conventions, or a rank column that a run does not have.
    """
    if depth < 1:
        raise ArgumentError(f"the depth of a pool must be at least 1, not {depth!r}")
    rules = parsed(conventions)
    tops = [_top(run, depth, rules) for run in runs]
    topics = []
    for topic in sorted(set().union(*tops)):
        given = [top.get(topic, ()) for top in tops]
        times = Counter(chain.from_iterable(given))
        unique = [sum(times[docno] == 1 for docno in docnos) for docnos in given]
        topics.append(PooledTopic(topic, tuple(sorted(times)), list(map(len, given)), unique))
    return Pool(depth, topics, [*_pool_notes(runs, topics)])


def unjudged_rate(
    run: Run, qrels: Qrels, k: int, *, conventions: str | Conventions = "trec_eval-9.0.8"
) -> UnjudgedRate:
    """Mean share of the first k documents that is unjudged (trec_eval 10 ``unj_k``).

    Documents with a negative level are unjudged. The divisor is k even if fewer documents were retrieved;
    under ``precision_denominator=min(k,retrieved)`` it is the number of retrieved documents.

    Args:
        conventions: the conventions for the order of the run and for the divisor.

    Raises:
        ArgumentError: k is below 1.
        UsageError: unknown conventions, a rank column that the run does not have, or conventions that remove
            unjudged documents or treat them as judged.
    """
    if k < 1:
        raise ArgumentError(f"a cutoff must be at least 1, not {k!r}")
    rules = parsed(conventions)
    if rules[UNJUDGED] != "nonrelevant" or rules[NEGATIVES] != "unjudged":
        raise UsageError("the unjudged rate needs conventions that keep unjudged documents unjudged")
    rankings = Rankings(run, qrels)
    judged, topics = rankings.judged(rules), rankings.pairing.topics
    shown = np.minimum(judged.num_ret, k)
    unjudged = shown - judged.count(judged.topic[(judged.rank <= k) & (judged.rel >= 0)])
    short = rules[PRECISION_DENOMINATOR] is PrecisionDenominator.MIN_K_RETRIEVED
    mean = summary_of(unjudged / (np.maximum(shown, 1) if short else k))
    notes = [*_rate_notes(run, qrels, set(topics))]
    return UnjudgedRate(run.source, k, mean, int(unjudged.sum()), int(shown.sum()), len(topics), notes)


def _top(run: Run, depth: int, rules: Conventions) -> dict[bytes, tuple[bytes, ...]]:
    """Topic -> the first ``depth`` documents of a run, in the order of its rows."""
    rows = np.flatnonzero(Rankings(run, judging_all(run)).ranks(rules) <= depth)
    ends = np.cumsum(np.bincount(run.topic_numbers[rows], minlength=len(run.topics)))
    tops = np.split(run.docnos[rows], ends[:-1])
    return {name: tuple(top.tolist()) for name, top in zip(run.topics, tops, strict=True)}


def judging_all(run: Run) -> Qrels:
    """Qrels in which every document of a run is judged, so that every row of the run gets a rank."""
    rels = np.ones(len(run.docnos), np.int64)
    return Qrels(topics=run.topics, offsets=run.offsets, docnos=run.docnos, rels=rels, source=run.source)


def _pool_notes(runs: Sequence[Run], topics: Sequence[PooledTopic]) -> Iterator[str]:
    if len(runs) == 1:
        yield "The pool comes from one run: all its documents are unique contributions."
    for place, run in enumerate(runs):
        if empty := sum(not of.contributed[place] for of in topics):
            yield f"{quoted(run.source)} has no results for {empty} of {len(topics)} topics."
        if not any(of.unique[place] for of in topics):
            yield f"{quoted(run.source)} contributes no document that only this run has."


def _rate_notes(run: Run, qrels: Qrels, shared: Collection[bytes]) -> Iterator[str]:
    """Sentences about topics that are left out of an unjudged rate."""
    if not shared:
        yield f"{quoted(run.source)} and {quoted(qrels.source)} have no topic in common."
    if missing := len(set(qrels.topics).difference(shared)):
        yield f"Judged topics without results are left out ({missing})."
    if unknown := len(set(run.topics).difference(shared)):
        yield f"Topics of the run without judgements are left out ({unknown})."
