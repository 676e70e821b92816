"""The parts of a case besides outcomes: cells, evidence, groups, impacts, joint conventions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import numpy as np
from msgspec import Struct

from crosscheck.axes import axes, likeliest
from crosscheck.compare import Differences, align, differ
from crosscheck.errors import BackendError, InputError, UsageError, did_you_mean, quoted
from crosscheck.evaluation.recomputer import Recomputer
from crosscheck.evaluation.summarise import summary_of
from crosscheck.explain import evidence as explained
from crosscheck.explain.answers import TIES, Diagnosed
from crosscheck.explain.joint import Account, joint_conventions
from crosscheck.explain.shown import culprits, query_rankings
from crosscheck.explain.ties import TieRange, range_of
from crosscheck.formats.topics import Topics, read_topics
from crosscheck.harness.case_run import Answer
from crosscheck.measures import family
from crosscheck.model import Aggregate, BoolArray, Case, Measure, MeasureValues, display
from crosscheck.results import (
    Cell,
    CellOutcome,
    Comparison,
    Diagnosis,
    Evidence,
    GroupResult,
    Impact,
    Mean,
    MeanStep,
    Number,
    QueryRankings,
    TiedDocument,
    TieInterval,
    ToolConventions,
    as_float,
    number,
)

#: Number of queries per comparison whose documents are listed as evidence, largest differences first.
_WITH_DOCUMENTS = 10


def cells_of(situation: Recomputer | None, differences: Differences, diagnosed: Diagnosed) -> list[Cell]:
    """One cell per query that differs, in byte order.

    Args:
        situation: the measure under the reference's conventions, None if these are not known.
    """
    number_of: dict[bytes, int] = {}
    if situation is not None:
        number_of = {topic: i for i, topic in enumerate(situation.rankings.pairing.all_topics)}
    ranges = range_of(situation) if situation and TIES in diagnosed.diagnosis.causes else None
    shown = _most_differing(differences, diagnosed)[:_WITH_DOCUMENTS]
    if situation is not None:
        situation.rankings.hold([differences.topics[i] for i in shown])
    cells: list[Cell] = []
    for i in np.flatnonzero(~differences.match).tolist():
        topic = differences.topics[i]
        documents: list[TiedDocument] = []
        if situation is not None and i in shown:
            documents = culprits(situation, number_of[topic], diagnosed.conventions[topic])
        ours, theirs = _side(differences, i)
        kind: CellOutcome = "missing-in-candidate" if theirs is None else "missing-in-reference"
        if differences.mismatch[i]:
            kind = "mismatch"
        cells.append(
            Cell(
                query=display(topic),
                reference_value=ours,
                candidate_value=theirs,
                outcome=kind,
                abs_diff=number(float(differences.abs_diff[i])) if differences.mismatch[i] else None,
                ulp=int(differences.ulp[i]) if differences.ulp[i] >= 0 else None,
                causes=diagnosed.labels[topic],
                documents=documents,
                ties=_interval(ranges, number_of.get(topic), diagnosed.labels[topic]),
            )
        )
    return cells


def _most_differing(differences: Differences, diagnosed: Diagnosed) -> list[int]:
    """The explained queries, those with the largest difference first."""
    differing: list[int] = np.flatnonzero(~differences.match).tolist()
    explained = [i for i in differing if differences.topics[i] in diagnosed.conventions]
    return sorted(explained, key=lambda i: -np.nan_to_num(differences.abs_diff[i], nan=np.inf))


def _interval(ranges: TieRange | None, query: int | None, labels: Sequence[str]) -> TieInterval | None:
    """The range of values over orders of tied documents, for a query explained by ties."""
    if ranges is None or query is None or TIES not in labels or not ranges.present[query]:
        return None
    if ranges.worst is None or ranges.best is None:
        return None
    expected = None if ranges.expected is None else number(float(ranges.expected[query]))
    return TieInterval(number(float(ranges.worst[query])), number(float(ranges.best[query])), expected)


def _side(differences: Differences, i: int) -> tuple[Number | None, Number | None]:
    def value(present: np.bool_, of: np.float64) -> Number | None:
        return number(float(of)) if present else None

    ours, theirs = differences.reference, differences.candidate
    return value(ours.present[i], ours.values[i]), value(theirs.present[i], theirs.values[i])


#: Most queries whose rankings are shown, and most agreeing queries whose values are shown.
_QUERIES, _AGREEING = 3, 300
#: Means further apart than this are not the same.
_SAME = 1e-9


class EvidenceBook(Struct):
    """Evidence of the first comparison of each candidate, cause and measure of a case."""

    records: list[Evidence] = []
    _seen: set[tuple[str, str, tuple[str, ...]]] = set()

    def add(
        self, c: Comparison, situation: Recomputer | None, differences: Differences, diagnosed: Diagnosed
    ) -> None:
        """Add the evidence of a comparison, if it is the first of its candidate, cause and measure."""
        story = (c.candidate, c.measure, tuple(diagnosed.diagnosis.causes))
        if situation is None or story in self._seen:
            return
        self._seen.add(story)
        ours = differences.reference
        agreeing = np.flatnonzero(differences.match & ours.present)[:_AGREEING].tolist()
        self.records.append(
            Evidence(
                case=c.case,
                run=c.run,
                measure=c.measure,
                candidate=c.candidate,
                steps=list(_steps(c, situation, diagnosed)),
                rankings=list(_rankings(situation, differences, diagnosed)),
                agreeing={display(differences.topics[i]): number(float(ours.values[i])) for i in agreeing},
            )
        )


def first_of_each_kind(records: Iterable[Evidence], comparisons: Iterable[Comparison]) -> list[Evidence]:
    """Evidence of the first comparison of each candidate, cause and measure, to keep a document small.

    Args:
        records: the evidence of all cases, in their order; comparisons: the comparisons of all cases.
    """
    causes = {(c.case, c.run, c.measure, c.candidate): c.diagnosis.causes for c in comparisons if c.diagnosis}
    first: dict[tuple[object, ...], Evidence] = {}
    for e in records:
        story = causes.get((e.case, e.run, e.measure, e.candidate), ())
        first.setdefault((e.candidate, e.measure, *story), e)
    return list(first.values())


def _steps(c: Comparison, situation: Recomputer, diagnosed: Diagnosed) -> Iterator[MeanStep]:
    """The mean after each change of the explanation, if the last of these means is the candidate's."""
    changes = diagnosed.diagnosis.conventions
    if diagnosed.diagnosis.strength not in ("proved", "consistent") or c.mean.candidate_value is None:
        return
    conventions, made = situation.base, list[MeanStep]()
    for axis in axes().values():
        if axis.name in changes:
            conventions = conventions.with_changes(**{axis.name: changes[axis.name]})
            mean = situation.evaluated(conventions).mean if situation.possible(conventions) else None
            if mean is None or not np.isfinite(mean):
                return
            made.append(MeanStep(axis.label, number(mean)))
    if made and abs(as_float(made[-1].mean) - as_float(c.mean.candidate_value)) <= max(_SAME, c.tolerance):
        yield from made


def _rankings(
    situation: Recomputer, differences: Differences, diagnosed: Diagnosed
) -> Iterator[QueryRankings]:
    """The rankings of the explained queries that differ most, at most ``_QUERIES``."""
    place = {topic: i for i, topic in enumerate(situation.rankings.pairing.all_topics)}
    for i in _most_differing(differences, diagnosed)[:_QUERIES]:
        topic = differences.topics[i]
        found = query_rankings(situation, place[topic], diagnosed.conventions[topic])
        if found is not None:
            yield found


def groupings(cases: Sequence[Case], column: str | None) -> dict[str, QueryGroups]:
    """Case name -> its grouping, for the cases that have a table of queries; none without a column.

    Raises:
        InputError: a table cannot be used, or lacks the column.
        UsageError: a column was requested, and no case has a table.
    """
    if column is None:
        return {}
    found = {
        case.name: QueryGroups(column, _topics(case, column)) for case in cases if case.topics is not None
    }
    if not found:
        raise UsageError(
            f"nothing can be grouped by {column!r}: no case has a table of queries",
            hint="put topics.csv, topics.toml or topics.jsonl beside the qrels, or name one with --topics",
        )
    return found


def _topics(case: Case, column: str) -> Topics:
    topics = read_topics(str(case.topics))
    if column not in topics.columns:
        raise InputError(
            f"there is no column {quoted(column)}",
            path=topics.path,
            expected=f"one of {', '.join(map(quoted, topics.columns))}" if topics.columns else "a column",
            hint=did_you_mean(column, topics.columns) or None,
        )
    return topics


class QueryGroups(Struct, frozen=True):
    """A column of a case's table of queries."""

    column: str
    topics: Topics

    def results(
        self,
        comparisons: Iterable[Comparison],
        values: Mapping[str, Mapping[Measure, Answer]],
        measures: Mapping[str, Measure],
    ) -> Iterator[GroupResult]:
        """One result per comparison and group, groups by name; queries without a group come last.

        Args:
            comparisons: the comparisons of one run; comparisons without numbers are skipped.
            values: backend id -> measure -> its values; measures: canonical name -> measure.
        """
        for compared in comparisons:
            measure = measures[compared.measure]
            ours = values[compared.reference].get(measure)
            theirs = values[compared.candidate].get(measure)
            if ours is None or theirs is None or isinstance(ours, BackendError | str):
                continue
            if isinstance(theirs, BackendError):
                continue
            aggregate = family(measure.family).aggregate
            differences = differ(ours, theirs, tolerance=compared.tolerance, aggregate=aggregate)
            groups = [self.topics.group(topic, self.column) for topic in differences.topics]
            for group in sorted(set(groups), key=lambda name: (name is None, name or "")):
                mask = np.array([name == group for name in groups], np.bool_)
                yield self._result(compared, group, differences, mask, aggregate)

    def _result(
        self,
        compared: Comparison,
        group: str | None,
        found: Differences,
        mask: BoolArray,
        aggregate: Aggregate,
    ) -> GroupResult:
        reference, candidate = (
            summary_of(side.values[mask & side.present], aggregate)
            for side in (found.reference, found.candidate)
        )
        slack = max(compared.tolerance, 1e-9)
        if compared.decimals is not None:
            slack = max(slack, 0.5 * 10.0**-compared.decimals)  # printed values carry their rounding
        match = reference is candidate is None
        if reference is not None and candidate is not None:
            match = reference == candidate or abs(reference - candidate) <= slack
            match = match or (np.isnan(reference) and np.isnan(candidate))
        return GroupResult(
            column=self.column,
            group=group,
            case=compared.case,
            run=compared.run,
            measure=compared.measure,
            candidate=compared.candidate,
            queries=int(mask.sum()),
            matches=int(found.match[mask].sum()),
            mismatches=int(found.mismatch[mask].sum()),
            missing=int(found.missing[mask].sum()),
            mean=Mean(
                None if reference is None else number(reference),
                None if candidate is None else number(candidate),
                match=bool(match),
            ),
        )


def case_impacts(
    case: str,
    evaluated: Mapping[str, Mapping[str, Mapping[Measure, Answer]]],
    comparisons: Sequence[Comparison],
    measures: Sequence[Measure],
) -> list[Impact]:
    """One impact per measure and candidate that mismatches on some run, if there are several runs.

    Args:
        case: name of the case.
        evaluated: run -> backend id -> measure -> values or failure. A system that fails on one side is not
            ranked, and a note says so.
        comparisons: the comparisons of the case; those with saved numbers give no impact.
    """
    if len(evaluated) < 2:
        return []
    from crosscheck.statistics.impact import impact  # most cases have one run and do not wait for it

    differing = {(c.measure, c.reference, c.candidate) for c in comparisons if c.outcome == "mismatch"}
    found = []
    for measure in measures:
        for name, reference, candidate in sorted(differing):
            if name == str(measure):
                sides = [_values(evaluated, id, measure) for id in (reference, candidate)]
                if all(sides):
                    found.append(
                        impact(
                            *sides,
                            measure=name,
                            names=(reference, candidate),
                            aggregate=family(measure.family).aggregate,
                            case=case,
                        )
                    )
    return found


def _values(
    evaluated: Mapping[str, Mapping[str, Mapping[Measure, Answer]]], backend: str, measure: Measure
) -> dict[str, MeasureValues]:
    answers = {run: values.get(backend, {}).get(measure) for run, values in evaluated.items()}
    return {run: answer for run, answer in answers.items() if isinstance(answer, MeasureValues)}


_LEAK = "cross-query-leak"


class Answered(Struct, frozen=True, kw_only=True, eq=False):
    """One measure of a candidate compared with the reference; ``diagnosis`` is None if they agree."""

    measure: Measure
    ours: MeasureValues
    theirs: MeasureValues
    diagnosis: Diagnosis | None


def tool_conventions(
    case: str,
    run: str,
    candidate: str,
    answered: Sequence[Answered],
    situation_of: Callable[[Measure, MeasureValues], Recomputer | None],
) -> ToolConventions | None:
    """The joint conventions of all measures of a candidate; None if fewer than two of them differ.

    Args:
        situation_of: the recomputer of a measure under the reference's conventions, None if the reference
            follows no known ones.
    """
    if sum(a.diagnosis is not None for a in answered) < 2:
        return None
    accounts: list[Account] = []
    own: dict[str, list[str]] = {}
    for answer in answered:
        situation = situation_of(answer.measure, answer.ours)
        if situation is not None:
            accounts.append(_account(situation, answer))
            own[str(answer.measure)] = answer.diagnosis.causes if answer.diagnosis else []
    joint = joint_conventions(accounts)
    label_of = {axis.name: axis.label for axis in likeliest()}
    return ToolConventions(
        case=case,
        run=run,
        candidate=candidate,
        conventions=joint.axes,
        causes=[label_of[axis] for axis in joint.axes],
        measures=list(joint.measures),
        rest={measure: own[measure] for measure in joint.rest},
    )


def _account(situation: Recomputer, answer: Answered) -> Account:
    diagnosis, theirs = answer.diagnosis, answer.theirs
    explanations = []
    if diagnosis is not None:
        explanations = [diagnosis.conventions, *(other.conventions for other in diagnosis.alternatives)]
    leaks = diagnosis is not None and _LEAK in diagnosis.causes
    evidence = explained.Evidence(
        situation,
        align(theirs, situation.rankings.pairing.all_topics),
        judge_mean=not leaks,
        judge_cells=bool(theirs.values) or theirs.mean is None,
    )
    return Account(evidence, [axes for axes in explanations if axes])
