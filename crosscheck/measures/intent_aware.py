"""Plain measures averaged over subtopics, and the share of subtopics found."""

from __future__ import annotations

import numpy as np

from crosscheck.axes.judging import RELEVANCE_LEVEL
from crosscheck.conventions import Conventions
from crosscheck.measures.average_precision import expected_precisions
from crosscheck.measures.base import JUDGED_ONLY, Family, Tied, divide
from crosscheck.measures.subtopics import groups_by_subtopic, num_relevant, num_subtopics, relevant_pairs
from crosscheck.measures.sums import sum_by_topic
from crosscheck.measures.tied import chance_of_any, last_rank
from crosscheck.model import FloatArray, Measure
from crosscheck.rankings.judged import JudgedRankings

__all__ = ["FAMILIES", "intent_aware_average_precision", "intent_aware_precision", "subtopic_recall"]


def intent_aware_average_precision(
    judged: JudgedRankings, conventions: Conventions, measure: Measure
) -> FloatArray:
    """Average precision of each subtopic, averaged over them (ndeval ``MAP-IA``).

    Over the whole ranking. Every subtopic with a relevant document has the same weight. Unjudged documents
    are nonrelevant. 0.0 if nothing is relevant. Source: Agrawal, Gollapudi, Halverson and Ieong, WSDM 2009;
    ndeval 4.5.
    """
    level = conventions[RELEVANCE_LEVEL]
    pairs = relevant_pairs(judged, level)
    topic, subtopic, relevant = num_relevant(judged, level)
    # Each subtopic of each topic has its own number, in the order of num_relevant.
    width = int(subtopic.max(initial=0)) + 1
    found = np.searchsorted(topic * width + subtopic, pairs.topic * width + pairs.subtopic)
    total = np.bincount(found, weights=(pairs.seen + 1) / pairs.document, minlength=len(topic))
    return divide(sum_by_topic(judged, topic, total / relevant), num_subtopics(judged, level))


def intent_aware_precision(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> FloatArray:
    """Precision in the first k documents, averaged over subtopics (ndeval ``P-IA``).

    Divided by k even if fewer documents were retrieved. Unjudged documents are nonrelevant. 0.0 if nothing is
    relevant. Source: Agrawal, Gollapudi, Halverson and Ieong, WSDM 2009; ndeval 4.5.
    """
    assert measure.cutoff is not None
    pairs = relevant_pairs(judged, conventions[RELEVANCE_LEVEL])
    found = judged.count(pairs.topic[pairs.document <= measure.cutoff])
    return divide(found, measure.cutoff * num_subtopics(judged, conventions[RELEVANCE_LEVEL]))


def subtopic_recall(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> FloatArray:
    """Share of the subtopics for which one of the first k documents is relevant (ndeval ``strec``).

    Counts the subtopics that have a relevant document in the qrels; 0.0 if there is no such subtopic. Source:
    Zhai, Cohen and Lafferty, SIGIR 2003; ndeval 4.5.
    """
    assert measure.cutoff is not None
    pairs = relevant_pairs(judged, conventions[RELEVANCE_LEVEL])
    first = (pairs.document <= measure.cutoff) & (pairs.seen == 0)
    found = judged.count(pairs.topic[first])
    return divide(found, num_subtopics(judged, conventions[RELEVANCE_LEVEL]))


def _expected_average_precision(
    judged: JudgedRankings, conventions: Conventions, measure: Measure
) -> FloatArray:
    level = conventions[RELEVANCE_LEVEL]
    topic, _, relevant = num_relevant(judged, level)
    groups = groups_by_subtopic(judged, level)
    terms = expected_precisions(groups, groups.inside(last_rank(conventions)))
    total = np.bincount(groups.topic, terms, len(topic))
    return divide(sum_by_topic(judged, topic, total / relevant), num_subtopics(judged, level))


def _expected_precision(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> FloatArray:
    assert measure.cutoff is not None
    level = conventions[RELEVANCE_LEVEL]
    groups = groups_by_subtopic(judged, level)
    found = groups.found * groups.inside(last_rank(conventions, measure.cutoff)) / groups.size
    total = sum_by_topic(judged, num_relevant(judged, level)[0][groups.topic], found)
    return divide(total, measure.cutoff * num_subtopics(judged, level))


def _expected_recall(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> FloatArray:
    level = conventions[RELEVANCE_LEVEL]
    topic, _, _ = num_relevant(judged, level)
    limit = last_rank(conventions, measure.cutoff)
    found = chance_of_any(groups_by_subtopic(judged, level), limit, len(topic))
    return divide(sum_by_topic(judged, topic, found), num_subtopics(judged, level))


FAMILIES = (
    Family(
        name="AP_IA",
        compute=intent_aware_average_precision,
        summary="average precision, averaged over subtopics",
        params=JUDGED_ONLY,
        needs="subtopics",
        aliases=("MAP_IA", "MAP-IA"),
        tied=Tied(average=_expected_average_precision),
    ),
    Family(
        name="P_IA",
        compute=intent_aware_precision,
        summary="precision in the first k documents, averaged over subtopics",
        cutoff="required",
        params=JUDGED_ONLY,
        needs="subtopics",
        aliases=("P-IA",),
        tied=Tied(average=_expected_precision),
    ),
    Family(
        name="StRecall",
        compute=subtopic_recall,
        summary="share of the subtopics found in the first k documents",
        cutoff="required",
        needs="subtopics",
        aliases=("strec",),
        tied=Tied(average=_expected_recall),
    ),
)
