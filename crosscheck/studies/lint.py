"""Properties of a run and its qrels on which tools differ, each with its effect on a measure."""

import re
from collections import Counter
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from msgspec import Struct

from crosscheck.axes.base import Axis, plain
from crosscheck.axes.denominators import PRECISION_DENOMINATOR
from crosscheck.axes.gains import GAIN
from crosscheck.axes.ids import DUPLICATES, IDENTICAL_IDS, IDS, Ids, meet
from crosscheck.axes.judging import NEGATIVES, UNJUDGED
from crosscheck.axes.summaries import MISSING_QUERIES, NO_RELEVANT, QUERY_SET
from crosscheck.axes.ties import ORDER, SCORE_PRECISION, SPECIAL_SCORES, TIES
from crosscheck.conventions import Conventions
from crosscheck.errors import CrosscheckError
from crosscheck.evaluation.rankings import Rankings
from crosscheck.evaluation.recomputer import Recomputer
from crosscheck.model import BoolArray, FloatArray, IntArray, Measure, Qrels, Run, Scores
from crosscheck.rankings.sorts import single
from crosscheck.results import Number, optional


class LintFinding(Struct, frozen=True):
    """A property of a run and its qrels on which tools differ.

    Attributes:
        label: label of the axis.
        says: the property in words.
        queries: number of queries that have the property.
        value: the mean as trec_eval computes it.
        effects: value of the axis that trec_eval does not use -> mean under this value.
    """

    measure: str
    run: str
    label: str
    says: str
    queries: int
    value: Number | None
    effects: dict[str, Number | None]


class _Property(NamedTuple):
    """A property of a run or its qrels on which tools differ.

    Attributes:
        axis: the axis on which tools treat the property differently.
        says: the property in words; ``{k}`` stands for the ranks that the measure uses, ``{last}`` for its
            cutoff.
        where: a function that returns a mask over all topics: the queries that have the property.
        values: axis values whose effect is computed; empty for all values that can change the mean.
    """

    axis: Axis[Any]
    says: str
    where: Callable[[Recomputer], BoolArray]
    values: tuple[Any, ...] = ()


def lint(rankings: Rankings, measure: Measure, run: str) -> list[LintFinding]:
    """The properties of a run and its qrels on which tools differ, sorted by their number of queries.

    The effects are means under trec_eval's conventions with one axis changed. If a document occurs twice,
    which is an error in trec_eval, its last line is used.
    """
    base = Conventions(duplicates="error" if rankings.pairing.run.unique else "last")
    view = Recomputer(rankings, measure, base)
    k = f"down to rank {measure.cutoff}" if measure.cutoff else "in the ranking"
    findings: list[LintFinding] = []
    for axis, says, where, values in _CHECKS:
        if not axis.read_by(view.family) or not (queries := int(where(view).sum())):
            continue
        scores = _scores(view, axis, plain(base[axis]))
        tried = {str(value): _scores(view, axis, value) for value in values or axis.other_options(view)}
        # A value is left out if under it a query has a value outside 0 to 1 in a measure that lies in this
        # range, because no tool prints that: nDCG exceeds 1 if unjudged documents are relevant in the ranking
        # but not in the ideal ranking or R, and bpref falls below 0 if they are nonrelevant. A document that
        # occurs twice, and a negative gain, really have this effect.
        every = axis in (DUPLICATES, NEGATIVES) or not _is_share(scores)
        effects = {value: _mean(of) for value, of in sorted(tried.items()) if every or _is_share(of)}
        about = str(measure), run, axis.label, says.format(k=k, last=measure.cutoff)
        findings.append(LintFinding(*about, queries, _mean(scores), effects))
    return sorted(findings, key=lambda one: -one.queries)


def _mean(scores: Scores | None) -> Number | None:
    return None if scores is None else optional(scores.mean)


def _is_share(scores: Scores | None) -> bool:
    return scores is None or not bool((abs(scores.values - 0.5) > 0.5 + 1e-9).any())


def _scores(view: Recomputer, axis: Axis[Any], value: Any) -> Scores | None:
    changed = view.base.with_changes(**{axis.name: value})
    try:
        return view.evaluated(changed) if view.possible(changed) else None
    except CrosscheckError:  # a document twice under duplicates=error
        return None


def _topics(view: Recomputer, has: Callable[[bytes], bool]) -> BoolArray:
    """A mask over all topics: the topics for which ``has`` is true."""
    return np.array([has(topic) for topic in view.rankings.pairing.all_topics], np.bool_)


def _each(view: Recomputer, side: Run | Qrels, has: Callable[[slice], bool]) -> BoolArray:
    """A mask over all topics: the queries for whose rows in ``side`` (run or qrels) ``has`` is true."""
    return _topics(view, {topic for topic, rows in side.rows_of_topics() if has(rows)}.__contains__)


def _judged(has: Callable[[Recomputer, Any], Any]) -> Callable[[Recomputer], BoolArray]:
    """A check for topics of the run for whose levels ``has`` is true."""
    return lambda view: _each(view, view.qrels, lambda rows: has(view, view.qrels.rels[rows])) & ~view.missing


def _none_relevant(view: Recomputer, rels: IntArray) -> bool:
    return not (rels >= view.relevance_level).any()


def _graded(view: Recomputer, rels: IntArray) -> bool:
    return len(np.unique(rels[rels > 0])) > 1


def _scored(has: Callable[[Recomputer, Any], bool]) -> Callable[[Recomputer], BoolArray]:
    """A check for queries for whose scores in the run ``has`` is true."""
    return lambda view: _each(view, view.run, lambda rows: has(view, view.run.scores[rows]))


def _tied(view: Recomputer, scores: FloatArray) -> bool:
    """Whether documents have equal scores (in float32) above the cutoff or on both sides of it."""
    ordered = -np.sort(-single(scores))
    return bool((ordered[1:] == ordered[:-1])[: view.measure.cutoff].any())


def _collides(view: Recomputer, scores: FloatArray) -> bool:
    return len(np.unique(single(scores))) < len(np.unique(scores))


def _rises(view: Recomputer, scores: FloatArray) -> bool:
    return bool((np.diff(scores) > 0).any())


def _rises_by_rank(view: Recomputer) -> BoolArray:
    """Queries in which the rank column places a document before a document with a higher score."""
    scores, ranks = view.run.scores, view.run.ranks
    if ranks is None:
        return view.nowhere
    by_rank = scores[np.lexsort((ranks, view.run.topic_numbers))]
    return _each(view, view.run, lambda rows: _rises(view, by_rank[rows]))


def _unjudged(view: Recomputer) -> BoolArray:
    """Queries with an unjudged document among the ranks that the measure uses."""
    judged, k = view.judged, view.measure.cutoff or np.inf
    inside = (judged.rel >= 0) & (judged.rank <= k)
    return view.over_all_topics(judged.count(judged.topic[inside]) < np.minimum(judged.num_ret, k))


def _short(view: Recomputer) -> BoolArray:
    """Queries with fewer documents than the cutoff."""
    return view.over_all_topics(view.judged.num_ret < (view.measure.cutoff or 0))


def _spelt(ids: Ids, says: str) -> _Property:
    """The property that two queries, or two documents of a query, have the same id for a tool that compares
    ids by the rule ``ids``."""

    def where(view: Recomputer) -> BoolArray:
        if ids not in IDS.other_options(view):
            return view.nowhere
        topics = Counter(map(ids.of_query, {*view.run.topics, *view.qrels.topics}))
        docnos: dict[bytes, set[bytes]] = {}
        for side in (view.run, view.qrels):
            for topic, rows in side.rows_of_topics():
                docnos.setdefault(topic, set()).update(side.docnos[rows].tolist())

        def meets(topic: bytes) -> bool:
            return topics[ids.of_query(topic)] > 1 or meet(ids.normalised, docnos[topic])

        return _topics(view, meets)

    return _Property(IDS, says, where, (ids,))


_CHECKS = (
    _Property(TIES, "equal scores {k}", _scored(_tied)),
    _Property(SCORE_PRECISION, "scores that differ as doubles and are equal in float32", _scored(_collides)),
    _Property(MISSING_QUERIES, "judged queries without results", lambda view: view.missing),
    _Property(QUERY_SET, "queries of the run without judgements", lambda view: view.unjudged),
    _Property(UNJUDGED, "unjudged documents {k}", _unjudged),
    _Property(PRECISION_DENOMINATOR, "fewer than {last} documents retrieved", _short),
    _Property(NEGATIVES, "judgements with a negative level", _judged(lambda view, rels: (rels < 0).any())),
    _Property(DUPLICATES, "a document twice under a query", lambda view: DUPLICATES.gate(view)),
    _Property(ORDER, "lines that are not in the order of their scores", _scored(_rises)),
    _Property(ORDER, "a rank column that contradicts the scores", _rises_by_rank),
    _spelt(Ids.CASE, "ids that differ in letter case alone"),
    _spelt(Ids.STRIP, "ids that differ in blanks, or a byte order mark, around them alone"),
    _spelt(Ids.INT, "ids that are the same number: 01 and 1"),
    _Property(
        IDS,
        "query ids such as 2010-12, which gdeval reads as 12",
        lambda view: _topics(view, lambda topic: bool(re.fullmatch(rb".*-[0-9]+", topic))),
        (Ids.QUERY_SUFFIX,),
    ),
    _Property(IDENTICAL_IDS, "a document with the id of its query", lambda view: view.own_ids),
    _Property(SPECIAL_SCORES, "scores that are not above 0", lambda view: SPECIAL_SCORES.gate(view)),
    _Property(NO_RELEVANT, "judged queries with nothing relevant", _judged(_none_relevant)),
    _Property(GAIN, "several positive relevance levels", _judged(_graded)),
)
