"""The comparisons of a case by groups of queries, and conclusions on its systems."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec.structs import replace

from crosscheck.backends.outcomes import Answer
from crosscheck.errors import InputError, UsageError, did_you_mean, quoted
from crosscheck.formats.topics import Topics, read_topics
from crosscheck.harness.asking import RunAnswers
from crosscheck.harness.record import agreement
from crosscheck.measures import family
from crosscheck.model import Case, Measure, MeasureValues
from crosscheck.results import Comparison, GroupResult, Impact


def tables_of_queries(cases: Sequence[Case], column: str | None) -> dict[str, Topics]:
    """Case name -> its table of queries, to group by a column; none without a column.

    Raises:
        InputError: a table cannot be used, or lacks the column.
        UsageError: a column was requested, and no case has a table.
    """
    if column is None:
        return {}
    tables = {case.name: read_topics(case.topics) for case in cases if case.topics is not None}
    if not tables:
        raise UsageError(
            f"nothing can be grouped by {column!r}: no case has a table of queries",
            hint="put topics.csv, topics.toml or topics.jsonl beside the qrels, or name one with --topics",
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
    about: RunAnswers, compared: Iterable[Comparison], topics: Topics, column: str
) -> Iterator[GroupResult]:
    """One result per comparison with numbers and group, groups by name; queries without a group come last."""
    for c in compared:
        both = {str(m): (m, pair) for m, pair in about.pairs(c.candidate).items()}
        if c.measure not in both:
            continue
        measure, sides = both[c.measure]
        found = about.differences(measure, c.candidate, *sides)
        group_of = {topic: topics.group(topic, column) for topic in found.topics}
        for group in sorted(set(group_of.values()), key=lambda name: (name is None, name or "")):
            members = {topic for topic in found.topics if group_of[topic] == group}
            ours, theirs = (
                replace(side, mean=None, values={t: v for t, v in side.values.items() if t in members})
                for side in sides
            )
            within = about.differences(measure, c.candidate, ours, theirs)
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

    found = []
    for measure in measures:
        name, aggregate = str(measure), family(measure.family).aggregate
        differing = {
            (c.reference, c.candidate) for c in comparisons if c.measure == name and c.outcome == "mismatch"
        }
        for names in sorted(differing):
            sides = [_values(evaluated, id, measure) for id in names]
            if all(sides):
                found.append(impact(*sides, measure=name, names=names, aggregate=aggregate, case=case))
    return found


def _values(
    evaluated: Mapping[str, Mapping[str, Mapping[Measure, Answer]]], backend: str, measure: Measure
) -> dict[str, MeasureValues]:
    answers = {run: values.get(backend, {}).get(measure) for run, values in evaluated.items()}
    return {run: answer for run, answer in answers.items() if isinstance(answer, MeasureValues)}
