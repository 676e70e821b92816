"""The diagnosis of one comparison: from its differences to labels, with the proof for each."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
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
    as_said,
    by_order,
    explained,
    is_noise,
    noise,
    piecewise,
    recorded,
    unexplained,
    whole,
)
from crosscheck.explain.evidence import Evidence
from crosscheck.explain.screens import part_of
from crosscheck.explain.search import NEEDED_ON, Search
from crosscheck.model import MeasureValues
from crosscheck.results import Diagnosis


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


def _with_left_out(without: Collection[bytes], differences: Differences, rest: Diagnosed) -> Diagnosed:
    """The diagnosis of all queries: the others as in ``rest``, those that the candidate leaves out
    ``unexplained``."""
    inner = rest.diagnosis
    queries = "1 query" if len(without) == 1 else f"{len(without):,} queries"
    words = f"no value for {queries} of {len(differences.topics):,}, and no convention is a reason for that"
    labels = rest.labels | {t: [UNEXPLAINED] for t in without}
    if not inner.causes:
        words = f"{words}; the others agree: is the output complete?"
    elif 2 * len(without) < len(labels):
        words = f"{inner.explanation.removesuffix('.')}; {words}: is the output complete?"
    else:
        words = f"{words}: is the output complete?; {inner.explanation}"
    diagnosis = replace(
        inner,
        strength="per-query" if inner.causes and inner.strength != "none" else "none",
        causes=as_said([*inner.causes, UNEXPLAINED], labels, rest.conventions),
        of=inner.of + len(without),
        explanation=words,
    )
    return Diagnosed(diagnosis, labels, rest.conventions)


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


def _with_other_spelling(
    ids: Ids, differences: Differences, candidate: MeasureValues, rest: Diagnosed
) -> Diagnosed:
    """The diagnosis of values whose ids are spelt differently: that of ``rest``, the same values under the
    ids of the run, and the rule that makes the ids equal.

    Args:
        differences: between reference and candidate, before the ids were matched.
        candidate: the candidate's values, under the ids of the run.
    """
    inner = rest.diagnosis
    values = np.array(list(candidate.values.values()), np.float64)
    several = differences.missing.sum() >= 2 * NEEDED_ON and len(np.unique(values)) > 1
    caveat = "" if several else "; only a few queries, or the same value for all, show it"
    words = f"{IDS.describe(Ids.EXACT, ids)}, and queries are reported under other ids than those of the run"
    others = f"; {inner.explanation.removesuffix('.')}" if inner.causes else ""
    diagnosis = replace(
        inner,
        strength=inner.strength if several or inner.strength != "proved" else "consistent",
        causes=list(dict.fromkeys([IDS.label, *inner.causes])),
        conventions={IDS.name: ids.value} | inner.conventions,
        explanation=f"{words}{others}{caveat}.",
        reference_conventions={},
    )
    differing = [topic for topic, same in zip(differences.topics, differences.match, strict=True) if not same]
    labels = {topic: list(dict.fromkeys([IDS.label, *rest.labels.get(topic, [])])) for topic in differing}
    return Diagnosed(diagnosis, rest.labels | labels, rest.conventions)


def identify(situation: Recomputer, values: MeasureValues) -> Conventions | None:
    """Conventions that reproduce all values of a backend; None if no known set does.

    The conventions ``situation.base`` are tried first, then changes of one and of two axes. If there is only
    a mean, the conventions must reproduce the mean.
    """
    summary = not values.values
    if not values.values.keys() <= set(situation.topics) or (summary and values.mean is None):
        return None
    observed = align(values, situation.topics)
    found = Search(Evidence(situation, observed, judge_mean=summary, judge_cells=not summary)).smallest(2)
    return found[0].conventions if found else None


def diagnose(
    situation: Recomputer,
    differences: Differences,
    candidate: MeasureValues,
    likely: Mapping[str, AxisValue] = MappingProxyType({}),
    without: Collection[bytes] = (),
    beside: Sequence[Evidence] = (),
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
        beside: the candidate's values on other inputs, which must be explained as well.
    """
    if (known := as_spelt_here(candidate, situation.topics)) is not None:
        ids, candidate = known
        rest = _of_the_rest(situation, differences, candidate, likely)
        return _with_other_spelling(ids, differences, candidate, rest)
    situation = on_the_rest(situation, without)
    own = left_out(situation, candidate) if differences.missing.any() else frozenset()
    if not (without or own):
        return _diagnosed(situation, differences, candidate, likely, beside)
    lost, candidate = own.union(without), replace(candidate, mean=None)
    rest = _of_the_rest(on_the_rest(situation, own), differences, candidate, likely, lost)
    return _with_left_out(lost, differences, rest)


def _of_the_rest(
    situation: Recomputer,
    differences: Differences,
    candidate: MeasureValues,
    likely: Mapping[str, AxisValue],
    lost: Collection[bytes] = (),
) -> Diagnosed:
    """The diagnosis of other values than those compared: under other ids, or without the mean and the queries
    that are ``lost``. It has no cause if these agree."""
    ours = differences.reference
    values = zip(differences.topics, ours.values.tolist(), ours.present.tolist(), strict=True)
    own = {topic: value for topic, value, there in values if there and topic not in lost}
    reference = MeasureValues(own, None if lost else ours.mean, "reference", ours.decimals)
    left = differ(reference, candidate, aggregate=situation.family.aggregate)
    if not left.agree:
        return _diagnosed(situation, left, candidate, likely)
    number = len(left.topics)
    agreeing = Diagnosis(
        strength="proved",
        causes=[],
        conventions={},
        reproduced=number,
        of=number,
        alternatives=[],
        explanation="",
    )
    return Diagnosed(agreeing, {}, {})


def _diagnosed(
    situation: Recomputer,
    differences: Differences,
    candidate: MeasureValues,
    likely: Mapping[str, AxisValue],
    beside: Sequence[Evidence] = (),
) -> Diagnosed:
    question = Question.of(situation, differences, candidate, likely, beside)
    if is_noise(differences, question.observed):
        return recorded(question, noise(question))
    if question.leak and not (question.differing or question.foreign):
        return recorded(question, explained(question, [LEAK]))
    if not question.foreign and question.search.complete(question.search.explanation()):
        # The reference's own conventions give these values within the tolerance of a proof: what differs
        # is arithmetic, but more of it than noise.
        return recorded(question, unexplained(question))
    if question.constant:  # one rule gives it: two changes of conventions would be more
        return recorded(question, whole(question, 1) or unexplained(question))
    return recorded(question, whole(question) or by_order(question) or piecewise(question))
