"""A counterexample of an audit, in a sentence and as a table."""

from __future__ import annotations

from typing import NamedTuple

from crosscheck.audit_records import Accepted, Audit, AxisFinding, Counterexample
from crosscheck.axes import axes
from crosscheck.errors import count
from crosscheck.report.page import Block, Command, Details, Facts, Id, Message, Section, Status, Text
from crosscheck.report.tables import Field, exact, figure, figures, table
from crosscheck.report.words import listed, setting

#: Most documents of a counterexample that a sentence names.
_NAMED = 4


def _changed(audit: Audit, cause: str) -> AxisFinding | None:
    """The finding of the axis behind a cause, if its value is not the reference's; else None."""
    return next((f for f in audit.fingerprint if f.cause == cause and f.value != f.reference_value), None)


def deviation(audit: Audit, found: Counterexample) -> Text:
    """The sentence of a deviation, with the smallest input that shows it."""
    axis = _changed(audit, found.cause)
    known = axes().get(axis.axis) if axis and axis.status == "decided" else None
    does = known.does(axis.reference_value, axis.value) if axis and known else None
    values = figures(found.reference_value, found.candidate_value)
    head = (f"It {does}: ",) if does else (Id(found.cause), ": ", f"{found.explanation.rstrip('.')}: ")
    said = f" {values[1].text} instead of {values[0].text}"
    return (*head, Id(found.measure), said, *_input(found), ".")


class _Line(NamedTuple):
    """A document of a counterexample; None if it has no level, or if it is not retrieved."""

    query: str
    docno: str
    level: int | None
    score: float | None = None
    rank: int | None = None


def _lines(found: Counterexample) -> list[_Line]:
    """The documents of each query, those that are not retrieved last."""
    lines = []
    for query in {**found.run, **found.qrels}:
        levels, run = found.qrels.get(query, {}), found.run.get(query, {})
        lines += [_Line(query, d, levels.get(d), score, found.ranks[query][d]) for d, score in run.items()]
        lines += [_Line(query, d, level) for d, level in levels.items() if d not in run]
    return lines


def _input(found: Counterexample) -> tuple[str, ...]:
    """The input in words: every document if it is one query with few, otherwise the numbers of both."""
    lines = _lines(found)
    retrieved = [line for line in lines if line.score is not None]
    queries = len({line.query for line in lines})
    if queries != 1 or len(retrieved) > _NAMED:
        return (f" on {count(queries, 'query')} with {count(len(retrieved), 'document')}",)
    parts = list[str]()
    for line in retrieved:
        level = "not judged" if line.level is None else f"level {line.level}"
        parts += [", " if parts else " for ", Id(line.docno), f" (score {_score(line.score)}, {level})"]
    missed = [line.docno for line in lines if line.score is None]
    rest = (", not retrieved: ", *listed(missed, 3)) if missed else ()
    return (*parts, *rest) if parts else (" where nothing is retrieved",)


def _score(score: float | None) -> str:
    """The shortest digits that give back the score."""
    return f"{score:g}" if score is not None and float(f"{score:g}") == score else repr(score)


def unshown(audit: Audit, cause: str) -> str:
    """The sentence of a deviation without a counterexample."""
    finding = _changed(audit, cause)
    if finding is None:
        return f"it meets {audit.fresh_inputs_met:,} of {audit.fresh_inputs:,} values on fresh inputs."
    return (
        f"{setting(finding.axis, finding.value)} instead of {setting(finding.axis, finding.reference_value)}."
    )


def counterexample(audit: Audit, found: Counterexample, anchor: str) -> Section:
    """A section: the input as a table with a row per document, both values, and programs that print them."""
    lines = _lines(found)
    fields: list[Field] = [
        *("@query", "@docno", ("#level", lambda line: "not judged" if line.level is None else line.level)),
        ("#score", lambda line: None if line.score is None else figure(line.score, full=True)),
        "#rank column=rank",
    ]
    whose = ("mean",) if found.query is None else ("query ", Id(found.query))
    one = len({line.query for line in lines}) == 1
    values = figures(found.reference_value, found.candidate_value)
    facts: list[tuple[str, Text]] = [(Id(audit.reference), values[0].text), ("here", values[1].text)]
    facts += [("why no smaller", found.note)] if found.note else []
    both = "Both values" if audit.call else "The reference's value, in Python"
    programs = {"The reference's value, from these as files": found.trec_eval, both: found.python}
    tags = {"tool": [audit.target], "cause": [found.cause], "measure": [found.measure]}
    more: list[Block] = [Command(program, title) for title, program in programs.items() if program]
    return Section(
        (Id(found.cause), ": ", Id(found.measure), ", ", *whose),
        [
            table("", lines, *fields[one:], limit=7, noun="document"),
            Facts(facts),
            Details("To see it", more),
        ],
        anchor,
        tags | {"status": [Status.UNEXPECTED]},
    )


def accepted(found: Accepted) -> Section:
    """A section with an input that the reference refuses, and the value that the metric gives for it."""
    whose = () if found.query is None else (" of query ", Id(found.query))
    said = f" is {exact(found.candidate_value)} here: {found.explanation}"
    given = Message(f"qrels:\n{found.qrels}\nrun.txt:\n{found.run}")
    return Section((Id(found.measure), *whose, said), [given, *map(Command, filter(None, [found.python]))])
