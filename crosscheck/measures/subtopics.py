"""Measures of diversity, over the subtopics of a topic, as in ndeval.

Source: ndeval 4.5 of the TREC Web tracks, https://github.com/trec-web/trec-web-2014. Relevance per subtopic
is binary. Subtopics without a relevant document in the qrels are ignored. In qrels without subtopics each
topic has one subtopic. For a query without relevant documents the value is 0.0, except for nNRBP, which is
NaN, because ndeval divides 0 by 0.
"""

import heapq
import math
from collections.abc import Callable
from functools import reduce
from itertools import chain
from operator import add
from typing import Any, TypeAlias

import numpy as np
from msgspec import Struct

from crosscheck.axes.judging import RELEVANCE_LEVEL
from crosscheck.conventions import Conventions
from crosscheck.measures.arithmetic import divide, logs, number_before, places, powers, sum_by_topic
from crosscheck.measures.average_precision import expected_precisions
from crosscheck.measures.base import JUDGED_ONLY, Compute, Family, MeasureParameter, Tied
from crosscheck.measures.gains import GainList
from crosscheck.measures.tied import Groups, chance_of_any, last_rank, product_of_first
from crosscheck.model import FloatArray, IntArray, Measure, Subtopics
from crosscheck.rankings.changed_inputs import entries_of
from crosscheck.rankings.judged import JudgedRankings

ALPHA = MeasureParameter(
    "alpha", 0.5, "how much a document loses by each one above it that says the same; 0: nothing", share=True
)
BETA = MeasureParameter("beta", 0.5, "how likely the user goes on to the next document", share=True)
#: A function from gains and their ranks to discounted gains.
Discounted: TypeAlias = Callable[[FloatArray, IntArray], FloatArray]


class RelevantPairs(Struct, frozen=True, eq=False):
    """Pairs (document, subtopic) where the document is relevant to the subtopic.

    Each array has one entry per pair, sorted by topic, then document or rank, then subtopic.
    """

    topic: IntArray
    document: IntArray
    subtopic: IntArray

    @property
    def seen(self) -> IntArray:
        """For each pair, the number of earlier pairs with the same topic and subtopic."""
        key = self.topic * (int(self.subtopic.max(initial=0)) + 1) + self.subtopic
        return number_before(key, np.argsort(key, kind="stable"))


def relevant_pairs(judged: JudgedRankings, level: int) -> RelevantPairs:
    """Relevant pairs of the retrieved documents. ``document`` holds the rank of the document."""

    def found() -> RelevantPairs:
        of_pool = _subtopics(judged)
        if judged.document is None or of_pool is None:
            hit = judged.rel >= level
            return RelevantPairs(judged.topic[hit], judged.rank[hit], np.zeros(int(hit.sum()), np.int64))
        place, at = entries_of(judged.document, of_pool.document)
        kept = of_pool.rels[at] >= level
        place, at = place[kept], at[kept]
        return RelevantPairs(judged.topic[place], judged.rank[place], of_pool.subtopic[at])

    return judged.once(("relevant pairs", level), found)


def _pooled(judged: JudgedRankings, level: int) -> RelevantPairs:
    """Relevant pairs of all judged documents, retrieved or not. ``document`` holds the position of the
    document among all judgements."""

    def found() -> RelevantPairs:
        topic, rels, document, subtopic = judgements(judged)
        kept = rels >= level
        return RelevantPairs(topic[kept], document[kept], subtopic[kept])

    return judged.once_per_pool(("pooled pairs", level), found)


def judgements(judged: JudgedRankings) -> tuple[IntArray, IntArray, IntArray, IntArray]:
    """Topic, relevance level, document and subtopic of every judgement. A document has one judgement per
    subtopic."""
    of_pool = _subtopics(judged)
    if of_pool is None:
        document = np.arange(len(judged.pool_topic))
        return judged.pool_topic, judged.pool_rel, document, np.zeros(len(document), np.int64)
    assert judged.judgements is not None
    return judged.judgements.topic[of_pool.document], of_pool.rels, of_pool.document, of_pool.subtopic


def _subtopics(judged: JudgedRankings) -> Subtopics | None:
    return None if judged.judgements is None else judged.judgements.subtopics


def num_relevant(judged: JudgedRankings, level: int) -> tuple[IntArray, IntArray, IntArray]:
    """For each subtopic with relevant documents, its topic, its number and the number of these documents."""

    def found() -> tuple[IntArray, IntArray, IntArray]:
        pairs = _pooled(judged, level)
        width = int(pairs.subtopic.max(initial=0)) + 1
        pair, number_of = np.unique(pairs.topic * width + pairs.subtopic, return_counts=True)
        return pair // width, pair % width, number_of

    return judged.once_per_pool(("relevant by subtopic", level), found)


def num_subtopics(judged: JudgedRankings, level: int) -> IntArray:
    """Number of subtopics with a relevant document, per topic."""
    return judged.count(num_relevant(judged, level)[0])


def _number(judged: JudgedRankings, level: int, pairs: RelevantPairs) -> IntArray:
    """For each pair, the index of its topic and subtopic in the result of :func:`num_relevant`."""
    topic, subtopic, _ = num_relevant(judged, level)
    width = int(subtopic.max(initial=0)) + 1
    return np.searchsorted(topic * width + subtopic, pairs.topic * width + pairs.subtopic)


def groups_by_subtopic(judged: JudgedRankings, level: int) -> Groups:
    """For each subtopic, the groups of tied documents with a document that is relevant to the subtopic.

    ``Groups.topic`` holds the index of the subtopic in the result of :func:`num_relevant`.
    """
    assert judged.tied is not None
    pairs = relevant_pairs(judged, level)
    at = np.searchsorted((judged.topic << 40) | judged.rank, (pairs.topic << 40) | pairs.document)
    return Groups(_number(judged, level, pairs), *judged.tied[:, at])


def expected_gains(judged: JudgedRankings, level: int, alpha: float, limit: int) -> GainList:
    """Expected gain at each rank down to ``limit``: the mean of :func:`retrieved_gains` over all orders of
    tied documents."""
    groups, keep = groups_by_subtopic(judged, level), 1.0 - alpha
    topic = num_relevant(judged, level)[0][groups.topic]
    gains = [
        keep ** groups.before[i]
        * product_of_first(np.full(int(groups.found[i]) - 1, keep), int(groups.size[i]) - 1)[:places]
        * (groups.found[i] / groups.size[i])
        for i, places in enumerate(groups.inside(limit).tolist())
    ]
    group, rank = groups.ranks(limit)
    in_order = np.lexsort((rank, topic[group]))
    return GainList(topic[group][in_order], rank[in_order], np.concatenate([np.zeros(0), *gains])[in_order])


def _gains(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> GainList:
    """Gains of retrieved documents. If the tie rule leaves tied documents unordered, expected gains over all
    orders.

    A document gains (1 - alpha)^n for each subtopic that it is relevant to, where n is the number of
    documents above it that are relevant to the same subtopic.
    """
    level, alpha = conventions[RELEVANCE_LEVEL], ALPHA.of(measure)
    if judged.tied is not None:
        return expected_gains(judged, level, alpha, last_rank(conventions, measure.cutoff))
    pairs = relevant_pairs(judged, level)
    seen = pairs.seen
    worth = powers(1.0 - alpha, int(seen.max(initial=0)) + 1)[seen]
    starts = (np.diff(pairs.topic, prepend=-1) != 0) | (np.diff(pairs.document, prepend=-1) != 0)
    # Added in the order of the subtopics.
    gain = np.bincount(np.cumsum(starts) - 1, weights=worth).astype(np.float64, copy=False)
    return GainList(pairs.topic[starts], pairs.document[starts], gain)


def _ideal_gains(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> GainList:
    """Gains of the ideal ranking, which has at each rank the document with the highest gain there, or of
    several such documents the last by docno.

    This greedy ranking is not always the best, but finding the best ranking is NP-complete.
    """
    level, alpha = conventions[RELEVANCE_LEVEL], ALPHA.of(measure)

    def found() -> GainList:
        pairs = _pooled(judged, level)
        by_docno = np.arange(len(judged.pool_topic))
        if judged.judgements is not None and judged.judgements.by_docno is not None:
            by_docno = judged.judgements.by_docno
        wanted: dict[int, dict[int, list[int]]] = {}
        columns = (pairs.topic.tolist(), by_docno[pairs.document].tolist(), pairs.subtopic.tolist())
        for topic, document, subtopic in zip(*columns, strict=True):
            wanted.setdefault(topic, {}).setdefault(document, []).append(subtopic)
        lists = [_greedy(documents, 1.0 - alpha) for documents in wanted.values()]
        topics = np.repeat(np.array([*wanted], np.int64), [*map(len, lists)])
        gain = np.fromiter(chain.from_iterable(lists), np.float64, len(topics))
        return GainList(topics, places(judged, topics), gain)

    return judged.once_per_pool(("ideal gains", level, alpha), found)


def _greedy(documents: dict[int, list[int]], keep: float) -> list[float]:
    """Gains of the greedy ranking, from rank 1 on.

    Args:
        documents: document -> its subtopics. Of documents with equal gains the highest key comes first.
        keep: the factor by which the gain of a subtopic falls after each document relevant to the subtopic.
    """
    alike: dict[tuple[int, ...], list[int]] = {}
    for document in sorted(documents):
        alike.setdefault(tuple(documents[document]), []).append(document)
    worth = dict.fromkeys(chain.from_iterable(alike), 1.0)
    # Gains only fall, so if the gain of the first heap entry is still up to date, it is the highest.
    heap = [(-float(len(subtopics)), -held[-1], subtopics) for subtopics, held in alike.items()]
    heapq.heapify(heap)
    gains: list[float] = []
    while heap:
        stale, document, subtopics = heap[0]
        gain = reduce(add, (worth[subtopic] for subtopic in subtopics), 0.0)  # sum() corrects errors
        if -gain != stale:
            heapq.heapreplace(heap, (-gain, document, subtopics))
            continue
        gains.append(gain)
        for subtopic in subtopics:
            worth[subtopic] *= keep
        alike[subtopics].pop()
        if alike[subtopics]:
            heapq.heapreplace(heap, (stale, -alike[subtopics][-1], subtopics))
        else:
            heapq.heappop(heap)
    return gains


def best_possible(subtopics: IntArray, alpha: float, cutoff: int, discounted: Discounted) -> FloatArray:
    """The sum of the discounted gains of a ranking whose documents are all relevant to all subtopics, by
    which ndeval divides. For a cutoff of 1 the result is 1.0, because ndeval divides only from rank 2 on.

    Args:
        subtopics: number of subtopics of each topic.
    """
    if cutoff == 1:
        return np.ones(len(subtopics))
    different, topic = np.unique(subtopics, return_inverse=True)
    gain, total = different.astype(np.float64), np.zeros(len(different))
    for rank in range(1, cutoff + 1):
        if not gain.any():
            break
        total += discounted(gain, np.array([rank]))
        gain *= 1.0 - alpha
    return total[topic]


def average_precision_ia(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> FloatArray:
    """Average precision for each subtopic, averaged over the subtopics (ndeval ``MAP-IA``).

    Uses the whole ranking. Every subtopic with a relevant document has the same weight. Unjudged documents
    are nonrelevant. 0.0 if nothing is relevant. Source: Agrawal, Gollapudi, Halverson and Ieong, WSDM 2009;
    ndeval 4.5.
    """
    level = conventions[RELEVANCE_LEVEL]
    topic, _, relevant = num_relevant(judged, level)
    if judged.tied is None:
        pairs = relevant_pairs(judged, level)
        subtopic, precision = _number(judged, level, pairs), (pairs.seen + 1) / pairs.document
    else:
        groups = groups_by_subtopic(judged, level)
        subtopic = groups.topic
        precision = expected_precisions(groups, groups.inside(last_rank(conventions)))
    total = np.bincount(subtopic, precision, len(topic))
    return divide(sum_by_topic(judged, topic, total / relevant), num_subtopics(judged, level))


def precision_ia(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> FloatArray:
    """Precision in the first k documents, averaged over subtopics (ndeval ``P-IA``).

    The divisor is k even if fewer documents were retrieved. Unjudged documents are nonrelevant. 0.0 if
    nothing is relevant. Source: Agrawal, Gollapudi, Halverson and Ieong, WSDM 2009; ndeval 4.5.
    """
    assert measure.cutoff is not None
    level = conventions[RELEVANCE_LEVEL]
    if judged.tied is None:
        pairs = relevant_pairs(judged, level)
        hits: FloatArray | IntArray = judged.count(pairs.topic[pairs.document <= measure.cutoff])
    else:
        groups = groups_by_subtopic(judged, level)
        of_group = groups.found * groups.inside(last_rank(conventions, measure.cutoff)) / groups.size
        hits = sum_by_topic(judged, num_relevant(judged, level)[0][groups.topic], of_group)
    return divide(hits, measure.cutoff * num_subtopics(judged, level))


def subtopic_recall(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> FloatArray:
    """Share of the subtopics for which one of the first k documents is relevant (ndeval ``strec``).

    Only subtopics with a relevant document in the qrels are included; 0.0 if there is no such subtopic.
    Source: Zhai, Cohen and Lafferty, SIGIR 2003; ndeval 4.5.
    """
    assert measure.cutoff is not None
    level = conventions[RELEVANCE_LEVEL]
    if judged.tied is None:
        pairs = relevant_pairs(judged, level)
        new = (pairs.document <= measure.cutoff) & (pairs.seen == 0)
        num_covered: FloatArray | IntArray = judged.count(pairs.topic[new])
    else:
        topic, _, _ = num_relevant(judged, level)
        limit = last_rank(conventions, measure.cutoff)
        chances = chance_of_any(groups_by_subtopic(judged, level), limit, len(topic))
        num_covered = sum_by_topic(judged, topic, chances)
    return divide(num_covered, num_subtopics(judged, level))


def alpha_dcg(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> FloatArray:
    """Discounted gain of the first k documents, with less gain for repeated subtopics (ndeval ``alpha-DCG``).

    A document adds (1 - alpha)^n / log2(rank + 1) for each subtopic it is relevant to, where n is the number
    of documents above it that are relevant to the same subtopic. The sum is divided by the sum for k
    documents that are relevant to every subtopic, so values lie in [0, 1]; at k = 1 ndeval does not divide.
    ``alpha`` is 0.5 by default. Unjudged documents add nothing. 0.0 if nothing is relevant. Source: Clarke,
    Kolla, Cormack, Vechtomova, Ashkan, Büttcher and MacKinnon, SIGIR 2008; ndeval 4.5.
    """
    return _value(judged, conventions, measure, _by_log, _gains(judged, conventions, measure))


def alpha_ndcg(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> FloatArray:
    """alpha-DCG divided by the alpha-DCG of a greedy ideal ranking (ndeval ``alpha-nDCG``).

    At each rank the ideal ranking has the judged document with the highest gain there, or of several such
    documents the last by docno. Values can slightly exceed 1.0, because the greedy ranking is not always the
    best.
    """
    return _over_ideal(judged, conventions, measure, _by_log)


def err_ia(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> FloatArray:
    """Expected reciprocal rank over subtopics (ndeval ``ERR-IA``).

    A user interested in a subtopic is satisfied by a document relevant to it with probability 1/2. This gives
    the formula of ``alpha_DCG`` with alpha = 0.5 and the rank as discount. The sum is divided by the sum for
    k documents that are relevant to every subtopic, except at k = 1. Source: Chapelle, Metzler, Zhang and
    Grinspan, CIKM 2009; ndeval 4.5.
    """
    return _value(judged, conventions, measure, np.divide, _gains(judged, conventions, measure))


def nerr_ia(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> FloatArray:
    """ERR-IA divided by the ERR-IA of the ideal ranking of ``alpha_nDCG`` (ndeval ``nERR-IA``)."""
    return _over_ideal(judged, conventions, measure, np.divide)


def _by_log(gain: FloatArray, rank: IntArray) -> FloatArray:
    # Multiplied by log 2 / log (rank + 1), not divided by log2, to round like ndeval.
    discount: FloatArray = math.log(2.0) / logs(math.log, (rank + 1).astype(np.float64))
    return gain * discount


def _value(
    judged: JudgedRankings, conventions: Conventions, measure: Measure, discounted: Discounted, of: GainList
) -> FloatArray:
    """Sum of the discounted gains of the first k documents, divided as in :func:`best_possible`."""
    assert measure.cutoff is not None
    above = of.rank <= measure.cutoff
    total = sum_by_topic(judged, of.topic[above], discounted(of.gain[above], of.rank[above]))
    subtopics = num_subtopics(judged, conventions[RELEVANCE_LEVEL])
    return divide(total, best_possible(subtopics, ALPHA.of(measure), measure.cutoff, discounted))


def _over_ideal(
    judged: JudgedRankings, conventions: Conventions, measure: Measure, discounted: Discounted
) -> FloatArray:
    both = (gains_of(judged, conventions, measure) for gains_of in (_gains, _ideal_gains))
    return divide(*(_value(judged, conventions, measure, discounted, gains) for gains in both))


def nrbp(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> FloatArray:
    """Gain for new subtopics, for a user who continues with probability beta (ndeval ``NRBP``).

    The gains of alpha-DCG over the whole ranking are each multiplied by beta^(rank - 1). Their sum is
    multiplied by (1 - (1 - alpha) beta) and divided by the number of subtopics. ``alpha`` and ``beta`` are
    0.5 by default. Values lie in [0, 1]. Unjudged documents add nothing. 0.0 if nothing is relevant. Source:
    Clarke, Kolla and Vechtomova, ICTIR 2009; ndeval 4.5.
    """
    return _nrbp(judged, conventions, measure, _gains(judged, conventions, measure))


def nnrbp(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> FloatArray:
    """NRBP divided by the NRBP of the ideal ranking of alpha-nDCG (ndeval ``nNRBP``).

    NaN for a query without relevant documents, as in ndeval, which divides 0 by 0.
    """
    ideal = _nrbp(judged, conventions, measure, _ideal_gains(judged, conventions, measure))
    return np.where(ideal == 0, np.nan, divide(nrbp(judged, conventions, measure), ideal))


def _nrbp(judged: JudgedRankings, conventions: Conventions, measure: Measure, gains: GainList) -> FloatArray:
    alpha, beta = ALPHA.of(measure), BETA.of(measure)
    decay = powers(beta, int(gains.rank.max(initial=1)))
    total = sum_by_topic(judged, gains.topic, gains.gain * decay[gains.rank - 1])
    factor = np.full(judged.num_topics, 1 - (1 - alpha) * beta)
    return total * divide(factor, num_subtopics(judged, conventions[RELEVANCE_LEVEL]))


def _family(name: str, compute: Compute, summary: str, *own: MeasureParameter[Any], **facts: Any) -> Family:
    facts = {"cutoff": "required", "needs": "subtopics", "tied": Tied(average=compute), **facts}
    return Family(name=name, compute=compute, summary=summary, params=own, **facts)


_AP, _ERR = "average precision, averaged over subtopics", "expected reciprocal rank over subtopics"
_GAIN = "discounted gain over subtopics, less for repeated subtopics"
_NRBP = "novelty- and rank-biased precision over subtopics"
_OVER_IDEAL = ", over that of the ideal list"

FAMILIES = (
    _family("AP_IA", average_precision_ia, _AP, JUDGED_ONLY, cutoff="none", aliases=("MAP_IA", "MAP-IA")),
    _family("P_IA", precision_ia, "precision in the first k documents, averaged over subtopics", JUDGED_ONLY,
            aliases=("P-IA",)),
    _family("StRecall", subtopic_recall, "share of the subtopics found in the first k documents",
            aliases=("strec",)),
    _family("alpha_DCG", alpha_dcg, _GAIN, ALPHA, JUDGED_ONLY, aliases=("α_DCG", "alpha-DCG")),
    _family("alpha_nDCG", alpha_ndcg, _GAIN + _OVER_IDEAL, ALPHA, JUDGED_ONLY,
            aliases=("α_nDCG", "alpha-nDCG")),
    _family("ERR_IA", err_ia, _ERR, JUDGED_ONLY, aliases=("ERR-IA",)),
    _family("nERR_IA", nerr_ia, _ERR + _OVER_IDEAL, JUDGED_ONLY, aliases=("nERR-IA",)),
    _family("NRBP", nrbp, _NRBP, ALPHA, BETA, cutoff="none"),
    _family("nNRBP", nnrbp, _NRBP + _OVER_IDEAL, ALPHA, BETA, cutoff="none"),
)  # fmt: skip
