"""The result document as records. Field names are the JSON's; ``report/`` renders it and adds nothing.

Numbers are floats, or the strings "NaN", "Infinity" and "-Infinity"; null means that there is no value.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any, Literal, TypeAlias, TypeVar

from crosscheck.conventions import AxisValue
from crosscheck.evidence_records import Evidence, Number, TiedDocument, TieInterval, as_float, number
from crosscheck.impact_records import Impact

__all__ = [
    "Alternative",
    "BackendRecord",
    "Cell",
    "CellOutcome",
    "Comparison",
    "Diagnosis",
    "Document",
    "Environment",
    "Evidence",
    "FreshInputs",
    "GroupResult",
    "Inputs",
    "Mean",
    "Number",
    "Outcome",
    "Strength",
    "Summary",
    "TieInterval",
    "TiedDocument",
    "Tool",
    "ToolConventions",
    "as_float",
    "number",
    "written",
]

SCHEMA_VERSION = 3

Outcome: TypeAlias = Literal["match", "mismatch", "error", "unsupported"]
CellOutcome: TypeAlias = Literal["mismatch", "missing-in-candidate", "missing-in-reference"]
Strength: TypeAlias = Literal["proved", "consistent", "per-query", "none"]


_Record = TypeVar("_Record")


def written(record: type[_Record], found: _Record, **changes: Any) -> _Record:
    """A record as the document holds it: without what a subclass adds, and with some fields changed."""
    held: Any = record
    return record(**{entry.name: getattr(found, entry.name) for entry in fields(held)} | changes)


@dataclass(frozen=True, slots=True)
class Tool:
    name: str
    version: str


@dataclass(frozen=True, slots=True)
class Environment:
    """Where it ran. ``packages``: the versions of numpy and of each backend package that is installed."""

    python: str
    platform: str
    seed: int
    packages: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class BackendRecord:
    """One backend: ``reason`` says why it is not available and how to install it."""

    id: str
    version: str
    available: bool
    engine: str
    reason: str | None


@dataclass(frozen=True, slots=True)
class Inputs:
    """What a run and its qrels have in common, so that nothing is lost silently.

    Attributes:
        queries: judged queries that the run has results for.
        missing: judged queries without results; unjudged: queries of the run without judgements.
        missing_queries, unjudged_queries: their ids, the first 20.
        notes: what the reader should know about the input files (a BOM, ...).
        qrels_path, run_path: the files, as they were named.
    """

    case: str
    run: str
    queries: int
    missing: int
    unjudged: int
    missing_queries: list[str]
    unjudged_queries: list[str]
    notes: list[str]
    qrels_path: str = ""
    run_path: str = ""


@dataclass(frozen=True, slots=True)
class Cell:
    """One query on which reference and candidate differ, or on which one of them has no value (null).

    ``documents``: those that make the difference, the largest part of it first, under the conventions found.
    ``ties``: where the difference is blamed on ties, what their order can make of the value.
    """

    query: str
    reference_value: Number | None
    candidate_value: Number | None
    outcome: CellOutcome
    abs_diff: Number | None
    ulp: int | None
    causes: list[str]
    documents: list[TiedDocument] = field(default_factory=list)
    ties: TieInterval | None = None


@dataclass(frozen=True, slots=True)
class Mean:
    """Means over queries: each backend's own where it has one, else trec_eval's over its values."""

    reference_value: Number | None
    candidate_value: Number | None
    match: bool


@dataclass(frozen=True, slots=True)
class Alternative:
    """Another explanation that this data cannot tell apart from the one given."""

    causes: list[str]
    conventions: dict[str, AxisValue]


@dataclass(frozen=True, slots=True)
class FreshInputs:
    """What a candidate said of inputs like those of the case, which its conventions must predict.

    Attributes:
        asked, met: how many there were, and of how many it gave the values predicted.
        query: id of the smallest input that it did not meet, null where it met all, or gave no answer.
        expected, found: the value predicted there and that of the candidate; null for no value.
        qrels, run: that input as lines of TREC files, the first 200.
        failure: how it failed to answer, or that only the mean over all is another one.
    """

    asked: int
    met: int
    query: str | None = None
    expected: Number | None = None
    found: Number | None = None
    qrels: list[str] = field(default_factory=list)
    run: list[str] = field(default_factory=list)
    failure: str | None = None


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """Why reference and candidate differ.

    Attributes:
        strength: ``proved``: one set of conventions gives every value and the mean, at least three queries
            need each of its axes, no other set or formula with as few changes fits, chance is excluded, and
            a candidate that can be asked met the prediction on fresh inputs;
            ``consistent``: it fits all there is, but one of these is missing (a mean alone, one or two
            queries that differ, a rival, some order of the tied documents, a mean that is not the mean of
            its values); ``per-query``: parts of the queries have explanations, but not the same;
            ``none``: unexplained.
        causes: labels, most important first.
        conventions: the changed axes with the candidate's values (those of the reference unchanged).
        reproduced, of: queries that the conventions reproduce, of all queries compared.
        alternatives: explanations of the same size that reproduce exactly the same.
        explanation: one or two sentences for a reader.
        separate_by: what input would tell the alternatives apart, or None.
        fits, tried: sets of conventions that give all that the candidate says, of those that were tried:
            all that change as many axes as the explanation or fewer; 0 where no set does.
        rivals: other formulas, which no axis expresses, that give all of it as well.
        reference_conventions: the reference's values of the changed axes.
        fresh: what the candidate said of fresh inputs; null where it was not asked, because nothing would be
            proved or because it cannot be: saved and published numbers.
    """

    strength: Strength
    causes: list[str]
    conventions: dict[str, AxisValue]
    reproduced: int
    of: int
    alternatives: list[Alternative]
    explanation: str
    separate_by: str | None = None
    fits: int = 0
    tried: int = 0
    rivals: list[str] = field(default_factory=list)
    reference_conventions: dict[str, AxisValue] = field(default_factory=dict)
    fresh: FreshInputs | None = None


@dataclass(frozen=True)
class Agreed:
    """How often reference and candidate agree.

    Attributes:
        queries: queries that at least one side has a value for; matches + mismatches + missing = queries.
    """

    queries: int
    matches: int
    mismatches: int
    missing: int
    mean: Mean


@dataclass(frozen=True)
class _Compared:
    case: str
    run: str
    measure: str
    candidate: str
    outcome: Outcome
    expected: bool
    stale: bool


@dataclass(frozen=True)
class Comparison(Agreed, _Compared):
    """One case x run x measure x candidate.

    Attributes:
        outcome: ``match`` only when every query and the mean agree.
        expected: False for a mismatch, error or stale expectation that nobody declared.
        stale: a mismatch was declared that no longer happens.
        informs: a tool that nobody named, on loose files: what it says fails nothing.
        queries: queries that at least one side has a value for; matches + mismatches + missing = queries.
        reference, candidate: backend ids; engines: what computed the numbers on either side.
        decimals: digits that either side was printed with; None for full precision.
        message: what a failed or unsupporting backend said, or why a result is unexpected.
        reference_decimals, candidate_decimals: digits that each side was printed with; to be shown so.
        reference_name, candidate_name: what each side's source calls the measure, None where it has no name
            of its own for it.
    """

    max_abs_diff: Number | None
    max_ulp: int | None
    diagnosis: Diagnosis | None
    cells: list[Cell]
    reference: str
    reference_engine: str
    candidate_engine: str
    tolerance: float
    decimals: int | None
    message: str | None
    reason: str | None
    notes: list[str]
    reference_decimals: int | None = None
    candidate_decimals: int | None = None
    reference_name: str | None = None
    candidate_name: str | None = None
    informs: bool = False


@dataclass(frozen=True)
class _Group:
    column: str
    group: str | None
    case: str
    run: str
    measure: str
    candidate: str


@dataclass(frozen=True)
class GroupResult(Agreed, _Group):
    """One comparison, over the queries of one group only.

    Attributes:
        column: of the case's topics file; group: its text there, null for queries that have none.
        queries, matches, mismatches, missing: as in the comparison.
        mean: over the queries of the group that have a value, added in byte order (a sum for counts).
    """


@dataclass(frozen=True, slots=True)
class ToolConventions:
    """The one set of conventions that explains most of what a candidate says about one run.

    Attributes:
        conventions: the changed axes with the candidate's values; causes: their labels.
        measures: measures that it reproduces, those included that agree with the reference.
        rest: the other measures, each with the labels of its own diagnosis.
    """

    case: str
    run: str
    candidate: str
    conventions: dict[str, AxisValue]
    causes: list[str]
    measures: list[str]
    rest: dict[str, list[str]]


@dataclass(frozen=True, slots=True)
class Summary:
    """Counts over all comparisons; ``causes``: label -> comparisons whose diagnosis holds it."""

    comparisons: int
    match: int
    mismatch: int
    error: int
    unsupported: int
    unexpected: int
    stale: int
    causes: dict[str, int]


@dataclass(frozen=True, slots=True)
class Document:
    """Everything one run of crosscheck found; ``complete`` is False when it was interrupted.

    ``impacts``: for cases of two or more runs, whether a mismatch changes a conclusion about the systems.
    ``groups``: every comparison over the queries of each group, where a grouping was asked for.
    ``tools``: for candidates that differ on several measures of a run, what these say together.
    ``evidence``: for the first mismatches of each candidate and cause, what a reader can check by hand.
    """

    schema_version: int
    complete: bool
    tool: Tool
    environment: Environment
    reference: str
    backends: list[BackendRecord]
    inputs: list[Inputs]
    comparisons: list[Comparison]
    summary: Summary
    impacts: list[Impact] = field(default_factory=list)
    groups: list[GroupResult] = field(default_factory=list)
    tools: list[ToolConventions] = field(default_factory=list)
    evidence: list[Evidence] = field(default_factory=list)
