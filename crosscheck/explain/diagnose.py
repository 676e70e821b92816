"""The diagnosis of one comparison: from its differences to labels, with the proof for each."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from types import MappingProxyType

import numpy as np
from msgspec.structs import replace

from crosscheck.axes.ids import IDS, Ids
from crosscheck.compare import Differences, align, differ
from crosscheck.conventions import AxisValue, Conventions
from crosscheck.evaluation.recomputer import Recomputer
from crosscheck.explain.answers import (
    LEAK,
    UNEXPLAINED,
    Diagnosed,
    Question,
    by_order,
    explained,
    is_noise,
    noise,
    piecewise,
    recorded,
    unexplained,
    whole,
)
from crosscheck.explain.doubts import NEEDED_ON
from crosscheck.explain.evidence import Evidence
from crosscheck.explain.screens import part_of
from crosscheck.explain.search import Search
from crosscheck.model import MeasureValues
from crosscheck.results import Diagnosis, Strength


def left_out(situation: Recomputer, candidate: MeasureValues) -> frozenset[bytes]:
    """Queries that only the reference has a value for, and whose absence no change of conventions gives.

    A change counts only if it keeps every value that the candidate has and gives at least half of the
    absences: queries without relevant documents may be among those lost by an output that ends early, too.
    Empty if reference and candidate have no query in common, or the candidate spells ids differently.
    """
    topics = situation.rankings.pairing.all_topics
    present = align(candidate, topics).present
    ours = situation.evaluated(situation.base).present
    lost, kept = ours & ~present, ours & present
    if not lost.any() or not kept.any() or not candidate.values.keys() <= set(topics):
        return frozenset()
    most = int(lost.sum()) // 2
    for there in Search(Evidence(situation, align(candidate, topics)), lost).presences():
        if there[kept].all() and (left := lost & there).sum() <= most:
            lost, most = left, int(left.sum()) - 1
            if most < 0:
                return frozenset()
    return frozenset(topics[i] for i in np.flatnonzero(lost).tolist())


def on_the_rest(situation: Recomputer, without: Collection[bytes]) -> Recomputer:
    """A recomputer of the same measure for all queries except ``without``."""
    if not without:
        return situation
    topics = situation.rankings.pairing.all_topics
    others = [i for i, topic in enumerate(topics) if topic not in without]
    return Recomputer(part_of(situation.rankings, others), situation.measure, situation.base)


def with_left_out(without: Collection[bytes], differences: Differences, rest: Diagnosed | None) -> Diagnosed:
    """The diagnosis of all queries, with those that the candidate leaves out ``unexplained``.

    Args:
        without: the queries that the candidate leaves out.
        differences: between reference and candidate.
        rest: the diagnosis of the other queries, None if they agree.
    """
    queries = "1 query" if len(without) == 1 else f"{len(without):,} queries"
    words = f"no value for {queries} of {len(differences.topics):,}, and no convention is a reason for that"
    labels = {topic: [UNEXPLAINED] for topic in without}
    others = len(differences.topics) - len(without)
    if rest is None:
        words = f"{words}; the others agree: is the output complete?"
        return Diagnosed(
            Diagnosis(
                strength="none",
                causes=[UNEXPLAINED],
                conventions={},
                reproduced=others,
                of=len(differences.topics),
                alternatives=[],
                explanation=words,
            ),
            labels,
            {},
        )
    inner = rest.diagnosis
    found = replace(
        inner,
        strength="none" if inner.strength == "none" else "per-query",
        causes=list(dict.fromkeys([*inner.causes, UNEXPLAINED])),
        of=inner.of + len(without),
        explanation=f"{inner.explanation.removesuffix('.')}; {words}: is the output complete?",
    )
    return Diagnosed(found, rest.labels | labels, rest.conventions)


def as_spelt_here(candidate: MeasureValues, topics: tuple[bytes, ...]) -> tuple[Ids, MeasureValues] | None:
    """The rule by which the candidate's ids match those of run and qrels, and the values under the latter.

    None if all ids are known, or if no rule matches each unknown id with a topic of its own without a value.
    """
    foreign = candidate.values.keys() - set(topics)
    free = [topic for topic in topics if topic not in candidate.values]
    for ids in (rule for rule in Ids if rule is not Ids.EXACT and foreign):
        spelt = {ids.of_query(topic): topic for topic in free}
        found = {topic: spelt.get(ids.of_query(topic)) for topic in sorted(foreign)}
        known = [topic for topic in found.values() if topic is not None]
        if len(spelt) == len(free) and len(set(known)) == len(foreign):
            values = {found.get(topic) or topic: value for topic, value in candidate.values.items()}
            return ids, replace(candidate, values=values)
    return None


def with_other_spelling(
    ids: Ids, differences: Differences, candidate: MeasureValues, rest: Diagnosed | None
) -> Diagnosed:
    """The diagnosis of values whose ids are spelt differently.

    Args:
        ids: the rule by which the candidate's ids match those of the run.
        differences: between reference and candidate, before the ids were matched.
        candidate: the candidate's values, under the ids of the run.
        rest: the diagnosis of these values, None if they agree with the reference.
    """
    values = np.array(list(candidate.values.values()), np.float64)
    several = differences.missing.sum() >= 2 * NEEDED_ON and len(np.unique(values)) > 1
    strength: Strength = "proved" if several else "consistent"
    caveat = "" if several else "; only a few queries, or the same value for all, show it"
    words = f"{IDS.describe(Ids.EXACT, ids)}, and queries are reported under other ids than those of the run"
    matching = zip(differences.topics, differences.match.tolist(), strict=True)
    labels = {topic: [IDS.label] for topic, same in matching if not same}
    changed: dict[str, AxisValue] = {IDS.name: ids.value}
    if rest is None:
        queries = len(candidate.values)
        found = Diagnosis(
            strength=strength,
            causes=[IDS.label],
            conventions={IDS.name: ids.value},
            reproduced=queries,
            of=queries,
            alternatives=[],
            explanation=f"{words}{caveat}.",
        )
        return Diagnosed(found, labels, {})
    inner = rest.diagnosis
    found = Diagnosis(
        strength=inner.strength if several or inner.strength != "proved" else "consistent",
        causes=list(dict.fromkeys([IDS.label, *inner.causes])),
        conventions=changed | inner.conventions,
        reproduced=inner.reproduced,
        of=inner.of,
        alternatives=inner.alternatives,
        explanation=f"{words}; {inner.explanation.removesuffix('.')}{caveat}.",
        separate_by=inner.separate_by,
        fits=inner.fits,
        tried=inner.tried,
        rivals=inner.rivals,
    )
    together = {topic: list(dict.fromkeys(own + rest.labels.get(topic, []))) for topic, own in labels.items()}
    return Diagnosed(found, rest.labels | together, rest.conventions)


def identify(situation: Recomputer, values: MeasureValues) -> Conventions | None:
    """Conventions that reproduce all values of a backend; None if no known set does.

    The conventions ``situation.base`` are tried first, then changes of one and of two axes. If there is only
    a mean, the conventions must reproduce the mean.
    """
    all_topics = situation.rankings.pairing.all_topics
    observed = align(values, all_topics)
    everywhere = np.ones(len(all_topics), np.bool_)
    summary = not values.values
    if not set(values.values) <= set(all_topics) or (summary and values.mean is None):
        return None
    evidence = Evidence(situation, observed, judge_mean=summary, judge_cells=not summary)
    if evidence.holds(situation.base):
        return situation.base
    found = Search(evidence, everywhere).smallest(2)
    return found[0].conventions if found else None


def diagnose(
    situation: Recomputer,
    differences: Differences,
    candidate: MeasureValues,
    likely: Mapping[str, AxisValue] = MappingProxyType({}),
    without: Collection[bytes] = (),
) -> Diagnosed:
    """Explain why the candidate differs from the reference.

    Args:
        situation: the run, the measure and the conventions that reproduce the reference.
        differences: between reference and candidate; there must be some.
        candidate: the candidate's values.
        likely: changed axes that explain other measures of the candidate; of several sets that fit, sets that
            change only these axes come first.
        without: queries that other measures of the candidate show to be left out for no reason that a
            convention gives.
    """
    known = as_spelt_here(candidate, situation.rankings.pairing.all_topics)
    if known is not None:
        ids, candidate = known
        left = differ(_reference(differences), candidate, aggregate=situation.family.aggregate)
        rest = None if left.agree else _diagnosed(situation, left, candidate, likely)
        return with_other_spelling(ids, differences, candidate, rest)
    situation = on_the_rest(situation, without)
    own = left_out(situation, candidate) if differences.missing.any() else frozenset()
    if not (without or own):
        return _diagnosed(situation, differences, candidate, likely)
    lost, candidate = own.union(without), replace(candidate, mean=None)
    left = differ(_reference(differences, lost), candidate, aggregate=situation.family.aggregate)
    rest = None if left.agree else _diagnosed(on_the_rest(situation, own), left, candidate, likely)
    return with_left_out(lost, differences, rest)


def _reference(differences: Differences, without: Collection[bytes] = ()) -> MeasureValues:
    """The reference's values that were compared; without a mean if some of them are left out."""
    ours = differences.reference
    values = zip(differences.topics, ours.values.tolist(), ours.present.tolist(), strict=True)
    own = {topic: value for topic, value, there in values if there and topic not in without}
    return MeasureValues(own, None if without else ours.mean, "reference", ours.decimals)


def _diagnosed(
    situation: Recomputer,
    differences: Differences,
    candidate: MeasureValues,
    likely: Mapping[str, AxisValue],
) -> Diagnosed:
    question = Question.of(situation, differences, candidate, likely)
    if is_noise(differences, question.observed):
        return recorded(question, noise(question))
    if question.leak and not (question.differing or question.foreign):
        return recorded(question, explained(question, [LEAK]))
    if not question.foreign and question.search.complete(question.search.explanation()):
        # The reference's own conventions give these values within the tolerance of a proof: what differs
        # is arithmetic, but more of it than noise.
        return recorded(question, unexplained(question))
    return recorded(question, whole(question) or by_order(question) or piecewise(question))
