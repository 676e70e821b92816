"""``case.toml``: the description of a case, checked key by key."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import get_args

from crosscheck.conventions import conventions
from crosscheck.errors import InputError, UsageError
from crosscheck.formats.toml_table import Table, read_table
from crosscheck.model import Case, Expectation, Published
from crosscheck.results import Strength

__all__ = ["read_config"]

_EXPECT = ("candidate", "measure", "causes", "reason", "run", "outcome", "strength")
_ABOUT_PUBLISHED = ("decimals", "run", "source")
_OUTCOMES = ("mismatch", "error")


def read_config(path: str, runs: Sequence[str], recorded: Sequence[str] = ()) -> Case:
    """Read and check a ``case.toml``: the case without its name and the other files of the folder.

    Measure names and labels are not checked here.

    Args:
        path: the file.
        runs: file names of the case's runs, which ``run =`` may name; recorded: those of its saved values,
            which ``[recorded]`` may name.

    Raises:
        InputError: invalid TOML, an unknown key (with a suggestion), a missing key, or a value of another
            type.
    """
    table = read_table(path)
    table.only(
        "description", "measures", "reference", "tolerance", "strict", "expect", "published", "recorded"
    )
    tolerance = table.number("tolerance")
    if tolerance is not None and tolerance < 0:
        table.wrong("tolerance", "a number of at least 0")
    return Case(
        name="",
        qrels="",
        runs=(),
        config=path,
        description=table.string("description") or "",
        measures=table.strings("measures"),
        reference=table.string("reference"),
        tolerance=tolerance,
        expectations=_expectations(table, runs),
        published=tuple(_published(part, runs) for part in table.tables("published", single=True)),
        strict=table.boolean("strict", default=True),
        certain={k: v for part in table.tables("recorded", single=True) for k, v in _certain(part, recorded)},
    )


def _certain(part: Table, recorded: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Names of files of saved values, each with the text of the conventions that it certainly follows."""
    part.only(*recorded)
    for name in recorded:
        if (spec := part.string(name)) is not None:
            try:
                conventions(spec)
                yield name, spec
            except UsageError as error:
                part.wrong(name, "conventions, such as trec_eval-9.0.8", hint=str(error))


def _expectations(table: Table, runs: Sequence[str]) -> tuple[Expectation, ...]:
    found: list[Expectation] = []
    for part in table.tables("expect"):
        part.only(*_EXPECT)
        expectation = _expectation(part, runs)
        if any(_same_comparison(expectation, earlier) for earlier in found):
            part.wrong("candidate", "each candidate, measure and run once", problem="declared twice")
        found.append(expectation)
    return tuple(found)


def _expectation(part: Table, runs: Sequence[str]) -> Expectation:
    outcome = part.choice("outcome", _OUTCOMES, "one of") or "mismatch"
    causes = part.strings("causes")
    if not causes and outcome == "mismatch":
        if "causes" not in part.content:
            part.missing("causes")
        part.wrong("causes", "at least one label, such as tie-breaking")
    strength = part.choice("strength", get_args(Strength), "one of")
    if strength is not None and outcome != "mismatch":
        part.wrong("strength", 'no strength: that is of the outcome "mismatch"')
    return Expectation(
        candidate=part.required("candidate"),
        measure=part.required("measure"),
        causes=causes,
        reason=part.required("reason"),
        run=part.choice("run", runs, "one of the runs of this case"),
        outcome=outcome,
        strength=strength,
    )


def _same_comparison(a: Expectation, b: Expectation) -> bool:
    return (a.candidate, a.measure, a.run) == (b.candidate, b.measure, b.run)


def _published(part: Table, runs: Sequence[str]) -> Published:
    values: dict[str, float] = {key: part.printed(key) for key in part.content if key not in _ABOUT_PUBLISHED}
    if not values:
        raise InputError(
            "[published] without a number", path=part.path, line=part.line(None), expected='"P@5" = 0.4'
        )
    decimals = part.content.get("decimals")
    if decimals is not None and (type(decimals) is not int or decimals not in range(18)):
        part.wrong("decimals", "the number of digits after the point, 0 to 17")
    return Published(
        values=values,
        decimals=decimals,
        run=part.choice("run", runs, "one of the runs of this case"),
        source=part.string("source") or "",
    )
