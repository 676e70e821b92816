"""Comparisons over groups of queries, such as the hard and the easy ones."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np
from msgspec import Struct

from crosscheck.compare import Differences, differ
from crosscheck.errors import BackendError, InputError, UsageError, did_you_mean, quoted
from crosscheck.evaluation.summary import summary_of
from crosscheck.formats.topics import Topics, read_topics
from crosscheck.harness.fresh import Answer
from crosscheck.measures import family
from crosscheck.model import Aggregate, BoolArray, Case, Measure
from crosscheck.results import Comparison, GroupResult, Mean, number

__all__ = ["Grouping", "groupings"]


def groupings(cases: Sequence[Case], column: str | None) -> dict[str, Grouping]:
    """Case name -> its grouping, for the cases that have a table of queries; none without a column.

    Raises:
        InputError: a table cannot be used, or lacks the column.
        UsageError: a column was requested, and no case has a table.
    """
    if column is None:
        return {}
    found = {case.name: Grouping(column, _topics(case, column)) for case in cases if case.topics is not None}
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


class Grouping(Struct, frozen=True):
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
