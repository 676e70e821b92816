"""Diagnoses as records and in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from msgspec import Struct

from crosscheck.axes.base import Axis
from crosscheck.compare import equal
from crosscheck.conventions import AxisValue, Conventions
from crosscheck.diagnosis.answers import TIES, UNEXPLAINED, Answer
from crosscheck.diagnosis.causes import causes
from crosscheck.diagnosis.question import Question
from crosscheck.evaluation.recomputer import Recomputer
from crosscheck.hypotheses.number_format import PROOF_TOLERANCE
from crosscheck.hypotheses.search import Explanation
from crosscheck.results import Alternative, Diagnosis

__all__ = ["Diagnosed", "recorded"]


class Diagnosed(Struct, frozen=True, eq=False):
    """A diagnosis with its per-query part.

    Attributes:
        labels: topic id -> labels, for every topic that differs.
        conventions: topic id -> the conventions that reproduce its value, if any do.
    """

    diagnosis: Diagnosis
    labels: dict[bytes, list[str]]
    conventions: dict[bytes, Conventions]


def recorded(question: Question, answer: Answer) -> Diagnosed:
    """The answer as records, with the labels of every differing query."""
    situation, all_topics = question.situation, question.situation.rankings.pairing.all_topics
    labels: dict[bytes, list[str]] = {topic: [UNEXPLAINED] for topic in question.foreign}
    conventions: dict[bytes, Conventions] = {}
    for i in np.flatnonzero(question.mismatching).tolist():
        topic = all_topics[i]
        explanation = next((e for e in answer.used if e.reproduced[i]), None)
        if explanation is not None:
            labels[topic] = [cause.label for cause, _ in _smallest(situation, explanation, i)]
            conventions[topic] = explanation.conventions
        elif answer.complete:
            labels[topic] = answer.labels[:1]
        else:
            labels[topic] = [TIES] if answer.tied[i] else [UNEXPLAINED]
    reproduced = question.considered
    if not answer.complete:
        reproduced = (reproduced & ~question.mismatching) | answer.tied
        for explanation in answer.used:
            reproduced = reproduced | (explanation.reproduced & question.considered)
    diagnosis = Diagnosis(
        strength=answer.strength,
        causes=answer.labels,
        conventions=answer.used[0].axes if answer.used else {},
        reproduced=int(reproduced.sum()),
        of=int(question.considered.sum()) + len(question.foreign),
        alternatives=[Alternative(e.labels, e.axes) for e in answer.others],
        explanation=_in_words(situation, answer),
        separate_by=_separating(answer.used, answer.others),
        fits=len(answer.used) + len(answer.others) if answer.tried else 0,
        tried=answer.tried,
        rivals=list(answer.rivals),
        reference_conventions=(
            {axis: situation.conventions.plain(axis) for axis in answer.used[0].axes} if answer.used else {}
        ),
    )
    return Diagnosed(diagnosis, labels, conventions)


def _smallest(
    situation: Recomputer, explanation: Explanation, query: int
) -> tuple[tuple[Axis[Any], AxisValue], ...]:
    """The single change of an explanation that alone gives this query its value; else all changes."""
    if len(explanation.changes) < 2:
        return explanation.changes
    target = situation.evaluated(explanation.conventions)
    for change in explanation.changes:
        by_itself = situation.base.with_changes(**{change[0].name: change[1]})
        if not situation.possible(by_itself):
            continue
        alone = situation.evaluated(by_itself)
        same = equal(alone.values[[query]], target.values[[query]], PROOF_TOLERANCE, None)[0]
        if same and alone.present[query] == target.present[query]:
            return (change,)
    return explanation.changes


def _in_words(situation: Recomputer, answer: Answer) -> str:
    base = situation.conventions
    clauses: dict[str, None] = {}
    for explanation in answer.used:
        for cause, value in explanation.changes:
            clauses[cause.describe(base.plain(cause.name), value)] = None
    described = {label for e in answer.used for label in e.labels}
    tied = int(answer.tied.sum())
    if tied:
        where = "" if tied == 1 else f", in each of {tied:,} queries"
        clauses[f"some order of the tied documents gives exactly this value{where}"] = None
        described.add(TIES)
    for label in answer.labels:
        if label not in described:
            clauses[causes()[label].summary] = None
    return "; ".join(filter(None, (*clauses, answer.caveat))) + "."


def _separating(chosen: Sequence[Explanation], others: Sequence[Explanation]) -> str | None:
    """The input that would distinguish the explanations, in words."""
    if not others:
        return None
    known = {label: value for e in chosen for label, value in zip(e.labels, e.axes.values(), strict=True)}
    needs: dict[str, None] = {}
    for explanation in [*chosen, *others]:
        for cause, value in explanation.changes:
            if known.get(cause.label) != value or explanation not in chosen:
                needs[cause.needs] = None
    return "an input with " + "; and ".join(filter(None, needs)) + " would tell them apart"
