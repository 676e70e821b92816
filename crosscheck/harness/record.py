"""The comparisons of the result document: values are compared, differences explained, expectations checked.
Results for groups of queries, and the effect of mismatches on the ranking of systems, are also made here.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from msgspec.structs import replace

from crosscheck import results
from crosscheck.backends.outcomes import Answer
from crosscheck.compare import Differences, coarser, differ, find_expectation, judge
from crosscheck.errors import BackendError, InputError, UsageError, did_you_mean, quoted
from crosscheck.formats.topics import Topics, read_topics
from crosscheck.harness.asking import CaseTask, RunAnswers
from crosscheck.measures import family
from crosscheck.model import Case, Measure, MeasureValues
from crosscheck.names import parse_measure

if TYPE_CHECKING:
    from crosscheck.harness.explaining import Explainer, Reasons


#: The values and differences of a comparison without numbers.
_NONE = MeasureValues({}, None, "")
_NOTHING = differ(_NONE, _NONE)


class Recorder(RunAnswers, frozen=True, eq=False, dict=True):
    """Compares every candidate with the reference on one run of one case."""

    notes: tuple[str, ...] = ()

    @cached_property
    def _explainer(self) -> Explainer:
        # Imported only when needed, because the import takes as long as half of the package.
        from crosscheck.harness.explaining import Explainer

        # Not with this object, which would keep the run in memory until cycles are collected.
        return Explainer(self.call, self.task, self.run, self.reference, self.answers)

    def comparisons(self, measures: Sequence[Measure], saved: Container[str]) -> Iterator[results.Comparison]:
        """Yield one comparison per measure and candidate, in their order.

        Args:
            measures: the measures to compare.
            saved: candidates that are saved values or published numbers of the case. They are compared only
                in the measures that they have.
        """
        others = {id: of for id, of in self.answers.items() if id != self.reference}
        for measure in measures:
            for candidate, answers in others.items():
                if measure in answers or candidate not in saved:
                    yield self._comparison(measure, candidate)

    def tools(self, compared: Iterable[results.Comparison]) -> Iterator[results.ToolConventions]:
        """The joint conventions of each candidate that differs in several measures."""
        told = [c for c in compared if c.outcome in ("match", "mismatch")]
        for candidate in dict.fromkeys(c.candidate for c in told):
            diagnoses = {c.measure: c.diagnosis for c in told if c.candidate == candidate}
            if sum(diagnosis is not None for diagnosis in diagnoses.values()) > 1:
                with self.call.timings.stage("diagnose"):
                    yield self._explainer.tool(candidate, diagnoses)

    def _comparison(self, measure: Measure, candidate: str) -> results.Comparison:
        reference = self.reference
        ours, theirs = (self.answers[id].get(measure) for id in (reference, candidate))
        if ours is None or theirs is None:
            lacking = self.call.guards[reference if ours is None else candidate]
            return self._record(measure, candidate, "unsupported", message=lacking.lacks(measure))
        if isinstance(ours, BackendError):
            return self._record(measure, candidate, "error", message=f"reference {reference}: {ours}")
        if isinstance(theirs, BackendError):
            mean = self.differences(measure, candidate, ours, ours).reference_mean
            known = differ(replace(_NONE, mean=mean), _NONE)
            return self._record(measure, candidate, "error", known, message=str(theirs))
        with self.call.timings.stage("compare"):
            differences = self.differences(measure, candidate, ours, theirs)
        if differences.agree:
            return self._record(measure, candidate, "match", differences, (ours, theirs))
        reasons = self._explainer.explained(measure, candidate, differences)
        compared = self._record(measure, candidate, "mismatch", differences, (ours, theirs), reasons)
        if reasons.situation is not None:
            first = ("evidence", candidate, measure, tuple(reasons.diagnosed.diagnosis.causes))
            evidence = self.task.results.evidence
            self.task.shared.once(first, lambda: evidence.append(reasons.evidence(compared)))
        return compared

    def _record(
        self,
        measure: Measure,
        candidate: str,
        outcome: results.Outcome,
        differences: Differences = _NOTHING,
        sides: tuple[MeasureValues, MeasureValues] = (_NONE, _NONE),
        reasons: Reasons | None = None,
        message: str | None = None,
    ) -> results.Comparison:
        """The record of a comparison, checked against the expectations of its case."""
        (ours, theirs), case, run = sides, self.task.case, self.run
        diagnosis = reasons.diagnosed.diagnosis if reasons else None
        declared = find_expectation(case.expectations, candidate, str(measure), run.name)
        verdict = judge(outcome, diagnosis, declared, whole=run.whole)
        both, sizes = ~differences.missing, differences.abs_diff[~np.isnan(differences.abs_diff)]
        notes = [] if ours is _NONE else [*self.notes, *ours.notes, *theirs.notes]
        if differences.agree and differences.mean_alone:
            mean, plain = differences.reference_mean, differences.candidate_mean
            lone = f"the mean of {self.reference}, {mean:.4f}, is not the mean of its values, {plain:.4f}"
            notes.append(f"{lone}; {candidate} gives no mean, so that only the values were compared")
        return results.Comparison(
            *(case.name, run.name, str(measure), candidate),
            *(outcome, verdict.expected, verdict.stale),
            **agreement(differences, match=differences.mean_match and differences is not _NOTHING),
            max_abs_diff=results.number(sizes.max()) if sizes.size else None,
            max_ulp=int(differences.ulp[both].max()) if both.any() else None,
            diagnosis=diagnosis,
            cells=[*reasons.cells()] if reasons else [],
            reference=self.reference,
            reference_engine=ours.engine,
            candidate_engine=theirs.engine,
            tolerance=self.tolerance(candidate),
            decimals=coarser(ours.decimals, theirs.decimals),
            message=message or verdict.message,
            reason=verdict.reason,
            notes=notes + (reasons.notes if reasons else []),
            reference_decimals=ours.decimals,
            candidate_decimals=theirs.decimals,
            reference_name=ours.name,
            candidate_name=theirs.name,
            informs=candidate in self.call.informing,
        )


def agreement(differences: Differences, *, match: bool) -> dict[str, Any]:
    """The numbers of queries and the means of a comparison: the fields of
    :class:`~crosscheck.results.Agreed`."""
    before, after = map(results.optional, (differences.reference_mean, differences.candidate_mean))
    masks = {"matches": differences.match, "mismatches": differences.mismatch, "missing": differences.missing}
    counts = {name: int(mask.sum()) for name, mask in masks.items()}
    return {"queries": len(differences.topics), **counts, "mean": results.Mean(before, after, match=match)}


def tables_of_queries(cases: Sequence[Case], column: str | None) -> dict[str, Topics]:
    """Case name -> its table of queries, to group by a column. Empty if ``column`` is None.

    Raises:
        InputError: a table cannot be used or lacks the column.
        UsageError: no case has a table.
    """
    if column is None:
        return {}
    tables = {case.name: read_topics(case.topics) for case in cases if case.topics is not None}
    if not tables:
        hint = "put topics.csv, topics.toml or topics.jsonl beside the qrels, or name a file with --topics"
        message = f"queries cannot be grouped by {column!r}: no case has a table of queries"
        raise UsageError(message, hint=hint)
    for topics in tables.values():
        if column not in topics.columns:
            expected = f"one of {', '.join(map(quoted, topics.columns))}" if topics.columns else "a column"
            message, near = f"there is no column {quoted(column)}", did_you_mean(column, topics.columns)
            raise InputError(message, path=topics.path, expected=expected, hint=near or None)
    return tables


def results_of_groups(
    context: RunAnswers, compared: Iterable[results.Comparison], topics: Topics, column: str
) -> Iterator[results.GroupResult]:
    """Yield one result per group of queries for each comparison that has values. Groups are sorted by name;
    the queries without a group come last."""
    for c in compared:
        measure = parse_measure(c.measure)
        if (sides := context.pairs(c.candidate).get(measure)) is None:
            continue
        compared_topics = context.differences(measure, c.candidate, *sides).topics
        group_of = {topic: topics.group(topic, column) for topic in compared_topics}
        for group in sorted(set(group_of.values()), key=lambda name: (name is None, name or "")):
            held = [{t: v for t, v in side.values.items() if group_of[t] == group} for side in sides]
            parts = (replace(side, mean=None, values=of) for side, of in zip(sides, held, strict=True))
            within = context.differences(measure, c.candidate, *parts)
            counts = agreement(within, match=within.mean_match)
            yield results.GroupResult(column, group, *results.identity(c), **counts)


def case_impacts(
    task: CaseTask, evaluated: Mapping[str, Mapping[str, Mapping[Measure, Answer]]]
) -> Iterator[results.Impact]:
    """Yield the effects of the mismatches of a case on the ranking of systems.

    One impact per measure and candidate that differs on some run. Nothing if the case has a single run.

    Args:
        task: the case, whose runs are compared. Comparisons with saved values give no impact.
        evaluated: run -> backend id -> measure -> values or failure. A system without values from the
            reference or from the candidate is not ranked, and a note says so.
    """
    if len(evaluated) < 2:
        return
    # Imported here, because most cases have one run and do not need it.
    from crosscheck.statistics.impact import impact

    for measure in task.measures:
        name, aggregate = str(measure), family(measure.family).aggregate
        differing = [c for c in task.results.comparisons if c.measure == name and c.outcome == "mismatch"]
        for names in sorted({(c.reference, c.candidate) for c in differing}):
            answers = [[(run, of.get(id, {}).get(measure)) for run, of in evaluated.items()] for id in names]
            sides = [{run: a for run, a in side if isinstance(a, MeasureValues)} for side in answers]
            if all(sides):
                yield impact(*sides, measure=name, names=names, aggregate=aggregate, case=task.case.name)
