"""Crosscheck's own measures held against tools whose conventions are certain, and documents in which one of
these measures is broken."""

from __future__ import annotations

import numpy as np
from msgspec.structs import replace

from crosscheck.axes.ids import DUPLICATES, Duplicates
from crosscheck.backends.native import native_values
from crosscheck.compare import align, differ
from crosscheck.conventions import Conventions
from crosscheck.evaluation.recomputer import Recomputer
from crosscheck.explain.answers import UNEXPLAINED
from crosscheck.explain.evidence import Evidence
from crosscheck.harness.document import summarise
from crosscheck.model import MeasureValues, display
from crosscheck.names import parse_measure
from crosscheck.results import BrokenMeasure, Comparison, Diagnosis, Document, number


def undefined(situation: Recomputer, certain: Conventions) -> bool:
    """Whether trec_eval's behaviour on a run is undefined, so that its values tell nothing about a measure.

    That is so with scores that are no numbers, with documents that occur twice where the conventions refuse
    them, and for measures that count judged nonrelevant documents if no document of a query is relevant at a
    level above 1.
    """
    numbers = situation.has_all("numbers", lambda run: not np.isnan(run.scores).any())
    twice = not situation.unique and certain[DUPLICATES] is Duplicates.ERROR
    unreached = situation.family.nonrelevant and situation.relevance_level > 1
    return not numbers or twice or bool(unreached and situation.empty(situation.base).any())


def gives(situation: Recomputer, values: MeasureValues) -> bool:
    """Whether a measure under its conventions gives the values of a tool, and the tool's mean."""
    observed = align(values, situation.topics)
    evidence = Evidence(situation, observed, judge_cells=bool(values.values))
    return evidence.complete(situation.evaluated(situation.base))


def broken_measure(
    situation: Recomputer, values: MeasureValues, case: str, run: str, backend: str
) -> BrokenMeasure:
    """The record of a measure that does not give the values of a tool: the two means, or where these agree
    the query that differs most."""
    own = native_values(situation.rankings, situation.measure, situation.base, "crosscheck")
    found = differ(own, values, aggregate=situation.family.aggregate)
    query, pair = None, (found.reference_mean, found.candidate_mean)
    if found.mean_match:
        worst = int(np.argmax(np.where(found.match, -1.0, np.nan_to_num(found.abs_diff, nan=np.inf))))
        query = found.topics[worst]
        pair = own.values.get(query), values.values.get(query)
    ours, theirs = (None if value is None else number(value) for value in pair)
    named = None if query is None else display(query)
    return BrokenMeasure(
        case=case,
        run=run,
        measure=str(situation.measure),
        backend=backend,
        query=named,
        own_value=ours,
        backend_value=theirs,
    )


def without_diagnoses(document: Document) -> Document:
    """A document without what its broken measures were used for: no cause of their mismatches is named. Of
    several findings of one measure only the first stays.

    A measure is broken at every cutoff and level if it is at one. No expectation of its mismatches is met,
    because a declared cause cannot be confirmed.
    """
    if not document.broken:
        return document
    first: dict[str, BrokenMeasure] = {}
    for one in document.broken:
        first.setdefault(one.measure, one)
    broken = {parse_measure(measure).family: measure for measure in reversed(first)}

    def culprit(measure: str) -> str | None:
        return broken.get(parse_measure(measure).family)

    comparisons = [_without_cause(c, culprit(c.measure)) for c in document.comparisons]
    tools = [t for t in document.tools if not any(map(culprit, (*t.measures, *t.rest)))]
    evidence = [e for e in document.evidence if not culprit(e.measure)]
    return replace(
        document,
        comparisons=comparisons,
        tools=tools,
        evidence=evidence,
        summary=summarise(comparisons),
        broken=list(first.values()),
    )


def _without_cause(c: Comparison, culprit: str | None) -> Comparison:
    if culprit is None or c.diagnosis is None:
        return c
    why = f"No cause is looked for: crosscheck's own {culprit} is broken."
    diagnosis = Diagnosis(
        strength="none",
        causes=[UNEXPLAINED],
        conventions={},
        reproduced=0,
        of=c.diagnosis.of,
        alternatives=[],
        explanation=why,
        trusted=False,
    )
    cells = [replace(cell, causes=[UNEXPLAINED], documents=[], ties=None) for cell in c.cells]
    return replace(c, expected=False, message=None, reason=None, diagnosis=diagnosis, cells=cells)
