"""The diagnosis of one comparison: from its differences to labels, with the proof for each.

1. Differences within 8 ULP that only a tighter tolerance shows are float noise.
2. One set of conventions for all values of the candidate, fewest changed axes first: ``proved`` if at least
   three queries differ and no doubt is left, else ``consistent``: coincidence can give a mean, or one or two
   values.
3. For every query that differs, some order of the tied documents that gives its value: ``consistent``.
4. Sets that explain at least two of the differing queries without contradicting one that agrees:
   ``per-query``.
5. All other differences are ``unexplained``, with the words "ties present" where an order of the tied
   documents may be the reason but this cannot be decided.

A mean that is not the mean of the candidate's own values is never ``proved``: the leak is visible, but no
recomputation gives the mean. Float noise is proved only if at least three queries differ, too.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from types import MappingProxyType

import numpy as np
from msgspec.structs import replace

from crosscheck.compare import Differences, align, differ
from crosscheck.conventions import AxisValue, Conventions
from crosscheck.diagnosis.answers import (
    LEAK,
    MAX_AXES,
    by_order,
    explained,
    noise,
    piecewise,
    unexplained,
    whole,
)
from crosscheck.diagnosis.left_out import left_out, on_the_rest, with_left_out
from crosscheck.diagnosis.question import Question, is_noise
from crosscheck.diagnosis.respelt import as_spelt_here, with_other_spelling
from crosscheck.diagnosis.wording import Diagnosed, recorded
from crosscheck.evaluation.recomputer import Recomputer
from crosscheck.hypotheses.evidence import Evidence
from crosscheck.hypotheses.search import Search
from crosscheck.model import MeasureValues

__all__ = ["MAX_AXES", "Diagnosed", "diagnose", "identify"]


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
