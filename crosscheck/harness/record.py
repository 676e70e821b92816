"""The comparisons of the result document: values are compared, differences explained, expectations checked.
Results for groups of queries, and the effect of mismatches on the ranking of systems, are also made here.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from crosscheck.backends.outcomes import Answer
from crosscheck.compare import Differences, coarser, differ, find_expectation, judge
from crosscheck.errors import BackendError, InputError, UsageError, did_you_mean, quoted
from crosscheck.formats.topics import Topics, read_topics
from crosscheck.harness.asking import RunAnswers
from crosscheck.measures import family
from crosscheck.model import Case, Measure, MeasureValues
from crosscheck.results import (
    Comparison,
    Diagnosis,
    GroupResult,
    Impact,
    Mean,
    Outcome,
    ToolConventions,
    number,
    optional,
)

if TYPE_CHECKING:
    from crosscheck.harness.explaining import Explainer, Reasons


#: The values and differences of a comparison without numbers.
_NONE = MeasureValues({}, None, "")
_NOTHING = differ(_NONE, _NONE)


class Recorder(Struct, frozen=True, eq=False, dict=True):
    """Compares every candidate with the reference on one run of one case."""

    context: RunAnswers
    notes: tuple[str, ...] = ()

    @cached_property
    def _explainer(self) -> Explainer:
        # Imported only when needed, because the import takes as long as half of the package.
        from crosscheck.harness.explaining import Explainer

        return Explainer(self.context)

    def comparisons(self, measures: Sequence[Measure], saved: Collection[str]) -> Iterator[Comparison]:
        """Yield one comparison per measure and candidate, in their order.

        Args:
            measures: the measures to compare.
            saved: candidates that are saved values or published numbers of the case. They are compared only
                in the measures that they have.
        """
        for measure in measures:
            for candidate, candidate_answers in self.context.answers.items():
                if candidate != self.context.reference and (
                    measure in candidate_answers or candidate not in saved
                ):
                    yield self._comparison(measure, candidate)

    def tools(self, compared: Iterable[Comparison]) -> Iterator[ToolConventions]:
        """The joint conventions of each candidate that differs in several measures."""
        of_tools: dict[str, dict[str, Diagnosis | None]] = {}
        for c in compared:
            if c.outcome in ("match", "mismatch"):
                of_tools.setdefault(c.candidate, {})[c.measure] = c.diagnosis
        for candidate, diagnoses in of_tools.items():
            if sum(diagnosis is not None for diagnosis in diagnoses.values()) > 1:
                with self.context.call.timings.stage("diagnose"):
                    yield self._explainer.tool(candidate, diagnoses)

    def _comparison(self, measure: Measure, candidate: str) -> Comparison:
        context = self.context
        reference = context.reference
        ours, theirs = (context.answers[id].get(measure) for id in (reference, candidate))
        if ours is None or theirs is None:
            lacking = context.call.guards[reference if ours is None else candidate]
            return self._record(measure, candidate, "unsupported", message=lacking.lacks(measure))
        if isinstance(ours, BackendError):
            return self._record(measure, candidate, "error", message=f"reference {reference}: {ours}")
        if isinstance(theirs, BackendError):
            return self._record(measure, candidate, "error", message=str(theirs))
        with context.call.timings.stage("compare"):
            differences = context.differences(measure, candidate, ours, theirs)
        if differences.agree:
            return self._record(measure, candidate, "match", differences, (ours, theirs))
        reasons = self._explainer.explained(measure, candidate, differences)
        compared = self._record(measure, candidate, "mismatch", differences, (ours, theirs), reasons)
        if reasons.situation is not None:
            first = ("evidence", candidate, measure, tuple(reasons.diagnosed.diagnosis.causes))
            evidence = context.task.results.evidence
            context.shared.once(first, lambda: evidence.append(reasons.evidence(compared)))
        return compared

    def _record(
        self,
        measure: Measure,
        candidate: str,
        outcome: Outcome,
        differences: Differences = _NOTHING,
        sides: tuple[MeasureValues, MeasureValues] = (_NONE, _NONE),
        reasons: Reasons | None = None,
        message: str | None = None,
    ) -> Comparison:
        """The record of a comparison, checked against the expectations of its case."""
        context, (ours, theirs) = self.context, sides
        case, run = context.task.case, context.run
        diagnosis = reasons.diagnosed.diagnosis if reasons else None
        verdict = judge(
            outcome,
            diagnosis.causes if diagnosis else (),
            find_expectation(case.expectations, candidate, str(measure), run.name),
            strength=diagnosis.strength if diagnosis else None,
            whole=run.whole,
        )
        both, sizes = ~differences.missing, differences.abs_diff[~np.isnan(differences.abs_diff)]
        notes = [] if differences is _NOTHING else [*self.notes, *ours.notes, *theirs.notes]
        return Comparison(
            case=case.name,
            run=run.name,
            measure=str(measure),
            candidate=candidate,
            outcome=outcome,
            expected=verdict.expected,
            stale=verdict.stale,
            **agreement(differences, match=differences.mean_match and differences is not _NOTHING),
            max_abs_diff=number(float(sizes.max())) if sizes.size else None,
            max_ulp=int(differences.ulp[both].max()) if both.any() else None,
            diagnosis=diagnosis,
            cells=reasons.cells() if reasons else [],
            reference=context.reference,
            reference_engine=ours.engine,
            candidate_engine=theirs.engine,
            tolerance=context.tolerance(candidate),
            decimals=coarser(ours.decimals, theirs.decimals),
            message=message or verdict.message,
            reason=verdict.reason,
            notes=notes + (reasons.notes if reasons else []),
            reference_decimals=ours.decimals,
            candidate_decimals=theirs.decimals,
            reference_name=ours.name,
            candidate_name=theirs.name,
            informs=candidate in context.call.informing,
        )


def agreement(differences: Differences, *, match: bool) -> dict[str, Any]:
    """The numbers of queries and the means of a comparison: the fields of
    :class:`~crosscheck.results.Agreed`."""
    return {
        "queries": len(differences.topics),
        "matches": int(differences.match.sum()),
        "mismatches": int(differences.mismatch.sum()),
        "missing": int(differences.missing.sum()),
        "mean": Mean(optional(differences.reference_mean), optional(differences.candidate_mean), match=match),
    }


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
        raise UsageError(
            f"queries cannot be grouped by {column!r}: no case has a table of queries",
            hint="put topics.csv, topics.toml or topics.jsonl beside the qrels, or name a file with --topics",
        )
    for topics in tables.values():
        if column not in topics.columns:
            raise InputError(
                f"there is no column {quoted(column)}",
                path=topics.path,
                expected=f"one of {', '.join(map(quoted, topics.columns))}" if topics.columns else "a column",
                hint=did_you_mean(column, topics.columns) or None,
            )
    return tables


def results_of_groups(
    context: RunAnswers, compared: Iterable[Comparison], topics: Topics, column: str
) -> Iterator[GroupResult]:
    """Yield one result per group of queries for each comparison that has values. Groups are sorted by name;
    the queries without a group come last."""
    for c in compared:
        pairs = {str(m): (m, pair) for m, pair in context.pairs(c.candidate).items()}
        if c.measure not in pairs:
            continue
        measure, sides = pairs[c.measure]
        differences = context.differences(measure, c.candidate, *sides)
        group_of = {topic: topics.group(topic, column) for topic in differences.topics}
        for group in sorted(set(group_of.values()), key=lambda name: (name is None, name or "")):
            members = {topic for topic in differences.topics if group_of[topic] == group}
            ours, theirs = (
                replace(side, mean=None, values={t: v for t, v in side.values.items() if t in members})
                for side in sides
            )
            within = context.differences(measure, c.candidate, ours, theirs)
            yield GroupResult(
                column=column,
                group=group,
                case=c.case,
                run=c.run,
                measure=c.measure,
                candidate=c.candidate,
                **agreement(within, match=within.mean_match),
            )


def case_impacts(
    case: str,
    evaluated: Mapping[str, Mapping[str, Mapping[Measure, Answer]]],
    comparisons: Sequence[Comparison],
    measures: Sequence[Measure],
) -> list[Impact]:
    """The effect of the mismatches on the ranking of systems.

    One impact per measure and candidate that differs on some run. Empty if the case has a single run.

    Args:
        case: name of the case.
        evaluated: run -> backend id -> measure -> values or failure. A system without values from the
            reference or from the candidate is not ranked, and a note says so.
        comparisons: the comparisons of the case. Comparisons with saved values give no impact.
        measures: the measures of the case.
    """
    if len(evaluated) < 2:
        return []
    from crosscheck.statistics.impact import (
        impact,
    )  # imported here: most cases have one run and do not need it

    impacts = []
    for measure in measures:
        name, aggregate = str(measure), family(measure.family).aggregate
        differing = {
            (c.reference, c.candidate) for c in comparisons if c.measure == name and c.outcome == "mismatch"
        }
        for names in sorted(differing):
            sides = [_values(evaluated, id, measure) for id in names]
            if all(sides):
                impacts.append(impact(*sides, measure=name, names=names, aggregate=aggregate, case=case))
    return impacts


def _values(
    evaluated: Mapping[str, Mapping[str, Mapping[Measure, Answer]]], backend: str, measure: Measure
) -> dict[str, MeasureValues]:
    answers = {run: values.get(backend, {}).get(measure) for run, values in evaluated.items()}
    return {run: answer for run, answer in answers.items() if isinstance(answer, MeasureValues)}
