"""The result document as records. Field names are those of the JSON; ``report/`` renders it and adds nothing.

Numbers are floats, or the strings "NaN", "Infinity" and "-Infinity"; null means that there is no value.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Annotated, ClassVar, Literal, TypeAlias

from msgspec import Meta, Struct

from crosscheck.conventions import AxisValue
from crosscheck.errors import quoted
from crosscheck.shown import Shown

SCHEMA_VERSION = 4

Outcome: TypeAlias = Literal["match", "mismatch", "error", "unsupported"]
CellOutcome: TypeAlias = Literal["mismatch", "missing-in-candidate", "missing-in-reference"]
Strength: TypeAlias = Literal["proved", "consistent", "per-query", "none"]
TestName: TypeAlias = Literal["sign", "wilcoxon", "t", "randomisation"]
PairChange: TypeAlias = Literal["swapped", "now tied", "no longer tied"]
SignificanceKind: TypeAlias = Literal["vanished", "appeared", "reversed"]
Number: TypeAlias = float | Literal["NaN", "Infinity", "-Infinity"]


def number(value: float) -> Number:
    """A float in the form of the document: NaN and infinities as strings."""
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    return float(value)


def optional(value: float | None) -> Number | None:
    """As :func:`number`; None for None."""
    return None if value is None else number(value)


def as_float(value: Number) -> float:
    """The float that :func:`number` was given."""
    return float(value)


def check_listed(names: Iterable[str], listed: Iterable[str], what: str) -> None:
    """Check that the names in one part of a document are listed in another part.

    Raises:
        ValueError: a name is not listed. The message says ``what`` the names are.
    """
    known = set(listed)
    for name in names:
        if name not in known:
            raise ValueError(f"{quoted(name)} is not one of the {what} of the document")


class TiedDocument(Struct, frozen=True, kw_only=True):
    """A document whose rank or gain makes the candidate's value differ, as evidence.

    Attributes:
        docno, score, rel: the document; rel is None if it is not judged.
        reference_rank, candidate_rank: 1-based; null if the document is cut off or left out.
        reference_adds, candidate_adds: the loss of either value without the document's judgement.
    """

    docno: str
    score: Number
    rel: int | None
    reference_rank: int | None
    candidate_rank: int | None
    reference_adds: Number | None = None
    candidate_adds: Number | None = None


class TieInterval(Struct, frozen=True):
    """A value over all orders of tied documents, under the reference's other conventions.

    ``worst`` and ``best`` are exact; ``expected`` is the mean over all orders, null where no exact form is
    known.
    """

    worst: Number
    best: Number
    expected: Number | None


class RankedDocument(Struct, frozen=True, kw_only=True):
    """One rank of a ranking, with its document.

    Attributes:
        rank: 1-based; documents between two ranks that are not next to each other are left out.
        rel: relevance level, None if the document is not judged.
        gain, discount, running: the gain of the document, its divisor, and the sum of discounted gains up to
            this rank; None if the measure is no sum of discounted gains, or the document adds nothing.
        tied: number that all documents of the ranking with the same score share; None if no other has it.
    """

    rank: Annotated[int, Meta(ge=1)]
    docno: str
    score: Number
    rel: int | None
    gain: Number | None = None
    discount: Number | None = None
    running: Number | None = None
    tied: int | None = None


class IdealRank(Struct, frozen=True, kw_only=True):
    """One rank of the ideal lists of the reference and of the candidate.

    Attributes:
        reference_gain, candidate_gain: the gain there, None beyond the end of the list.
        reference_sum, candidate_sum: the sum of discounted gains up to this rank.
    """

    rank: Annotated[int, Meta(ge=1)]
    reference_gain: Number | None
    reference_sum: Number | None
    candidate_gain: Number | None
    candidate_sum: Number | None


class QueryRankings(Struct, frozen=True, kw_only=True):
    """The ranking of one query as the reference and as the candidate orders it.

    Attributes:
        documents: number of documents in the ranking; both sides hold the same excerpt of a long ranking.
        ideal: the ideal lists from the top, if they are of different documents; else empty.
    """

    query: str
    documents: int
    reference_ranking: list[RankedDocument]
    candidate_ranking: list[RankedDocument]
    ideal: list[IdealRank] = []


class MeanStep(Struct, frozen=True):
    """One cause on the way from the reference's mean to the candidate's; ``mean``: the mean after it."""

    cause: str
    mean: Number


class Exhibit(Struct, frozen=True, kw_only=True):
    """Evidence for checking one comparison by hand.

    Attributes:
        steps: causes in the order of an evaluation, from the reference's mean to the candidate's; empty
            if no one set of conventions gives the candidate's mean.
        rankings: rankings of the queries that differ most.
        agreeing: values of the queries on which both agree, the first 300.
    """

    case: str
    run: str
    measure: str
    candidate: str
    steps: list[MeanStep] = []
    rankings: list[QueryRankings] = []
    agreeing: dict[str, Number] = {}


class RankCorrelation(Struct, frozen=True):
    """Correlation of the two rankings of the systems; ``note``: the reason if there is no value."""

    name: str
    value: float | None
    note: str | None


class SystemMove(Struct, frozen=True, kw_only=True):
    """A system before and after: means over the queries that have a value, and ranks (ties share one).

    ``reference_queries`` and ``candidate_queries`` count the queries that have a value on each side;
    ``changed`` counts the queries whose value differs or exists on one side only.
    """

    run: str
    reference_value: float | None
    candidate_value: float | None
    difference: float | None
    reference_rank: int | None
    candidate_rank: int | None
    reference_queries: int
    candidate_queries: int
    changed: int


class SwappedPair(Struct, frozen=True, kw_only=True):
    """Two systems whose order changes: ``better`` was ahead by ``lead`` and is now behind by ``trail`` (0:
    tied).

    ``queries``: the queries that contribute most to the change, largest contribution first.
    """

    better: str
    worse: str
    change: PairChange
    lead: float
    trail: float
    queries: list[str]


class SignificanceChange(Struct, frozen=True, kw_only=True):
    """A pair whose difference is significant on one side only, or on both in opposite directions.

    ``reference_p`` and ``candidate_p`` are corrected; differences are ``b - a``. ``queries``: the queries
    that contribute most to the change, largest contribution first.
    """

    a: str
    b: str
    change: SignificanceKind
    reference_difference: float | None
    candidate_difference: float | None
    reference_p: float | None
    candidate_p: float | None
    queries: list[str]


class QueryMove(Struct, frozen=True, kw_only=True):
    """A query and the change of its values: ``total`` is the sum of absolute changes over all runs, ``run``
    has the largest change.

    ``reference_value`` and ``candidate_value`` are the query's values in this run.
    """

    query: str
    total: float
    run: str
    reference_value: float | None
    candidate_value: float | None


class Impact(Struct, frozen=True, kw_only=True):
    """The impact of a disagreement about one measure on conclusions about the systems.

    Attributes:
        case: name of the case in a document of ``crosscheck run``, else empty.
        reference, candidate: the two conventions or backends.
        affected: whether the ranking or a significance changes; null if neither can be decided.
        systems: the systems, best first by the reference.
        tau, tau_ap: rank correlations of the candidate's ranking with the reference's.
        test, alpha: the test of significance and its level; pairs: number of compared pairs of systems, for
            which the p-values are corrected.
        reference_significant, candidate_significant: significant pairs on either side, null without tests.
        values, changed: number of (run, query) values compared, and of those that differ.
        queries: the queries with the largest changes, at most 20; moved: number of queries with a change.
        notes: results that could not be computed, with reasons.
        summary: the result in one paragraph.
    """

    measure: str
    reference: str
    candidate: str
    affected: bool | None
    systems: list[SystemMove]
    tau: RankCorrelation
    tau_ap: RankCorrelation
    swaps: list[SwappedPair]
    test: TestName
    alpha: float
    pairs: int
    reference_significant: int | None
    candidate_significant: int | None
    significance: list[SignificanceChange]
    values: int
    changed: int
    moved: int
    queries: list[QueryMove]
    notes: list[str]
    summary: str
    case: str = ""
    correction: str = "Holm"


class Tool(Struct, frozen=True):
    name: str
    version: str


class Environment(Struct, frozen=True, kw_only=True):
    """The environment of a run. ``packages``: the versions of numpy and of each installed backend package."""

    python: str
    platform: str
    seed: int
    packages: dict[str, str] = {}


class BackendRecord(Struct, frozen=True, kw_only=True):
    """One backend. ``reason``: the reason why it is not available, and the way to install it."""

    id: str
    version: str
    available: bool
    engine: str
    reason: str | None


class Inputs(Struct, frozen=True, kw_only=True):
    """The queries of a run and its qrels, so that no query is dropped silently.

    Attributes:
        queries: number of judged queries with results in the run.
        missing: number of judged queries without results; unjudged: number of queries of the run without
            judgements; missing_queries, unjudged_queries: the first 20 ids of these.
        notes: facts about the input files that readers should know (a BOM, ...).
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


class Cell(Struct, frozen=True, kw_only=True):
    """One query on which reference and candidate differ, or on which one of them has no value (null).

    ``documents``: the documents that cause the difference under the conventions found, largest part first.
    ``ties``: for a difference explained by ties, the range of values that orders of tied documents can give.
    """

    query: str
    reference_value: Number | None
    candidate_value: Number | None
    outcome: CellOutcome
    abs_diff: Number | None
    ulp: int | None
    causes: list[str]
    documents: list[TiedDocument] = []
    ties: TieInterval | None = None


class Mean(Struct, frozen=True):
    """Means over queries: each backend's own if it has one, else trec_eval's over its values."""

    reference_value: Number | None
    candidate_value: Number | None
    match: bool


class Alternative(Struct, frozen=True):
    """Another explanation that this data cannot distinguish from the one given."""

    causes: list[str]
    conventions: dict[str, AxisValue]


class FreshInputs(Struct, frozen=True, kw_only=True):
    """The candidate's values on inputs similar to the case, which its conventions must predict.

    Attributes:
        asked, met: number of inputs, and number with the predicted values.
        query: id of a query without the predicted value, in the smallest such input; null if there is none,
            or no answer.
        expected, found: the value predicted for this query, and the candidate's; null for no value.
        qrels, run: this input as lines of TREC files, the first 200 of each.
        failure: the error, or a note that only the mean over all inputs differs.
    """

    asked: int
    met: int
    query: str | None = None
    expected: Number | None = None
    found: Number | None = None
    qrels: list[str] = []
    run: list[str] = []
    failure: str | None = None


class Diagnosis(Shown, Struct, frozen=True, kw_only=True):
    """The explanation of a difference between reference and candidate.

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
        alternatives: explanations with as many changed axes that also give all values of the candidate.
        explanation: one or two sentences for a reader.
        separate_by: the input that would distinguish the alternatives, or None.
        fits, tried: number of sets of conventions that give all values of the candidate, and number of sets
            tried, which are all with as many changed axes as the explanation or fewer; 0 if no set fits.
        rivals: formulas that no axis expresses and that also give all values of the candidate.
        fresh: the candidate's result on fresh inputs; null if it was not called, because nothing would be
            proved or because it cannot be called (saved and published numbers).
        reference_conventions: the reference's values of the changed axes.
        trusted: False if crosscheck's own measure is broken, so that no cause is looked for.
    """

    _rows: ClassVar[str] = "alternatives"

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
    rivals: list[str] = []
    reference_conventions: dict[str, AxisValue] = {}
    fresh: FreshInputs | None = None
    trusted: bool = True

    def __post_init__(self) -> None:
        if self.conventions and not self.causes:
            raise ValueError("conventions without a cause")


def without_cause(queries: int, explanation: str) -> Diagnosis:
    """A diagnosis without a cause."""
    return Diagnosis(
        strength="none",
        causes=["unexplained"],
        conventions={},
        reproduced=0,
        of=queries,
        alternatives=[],
        explanation=explanation,
    )


class Agreed(Struct, frozen=True, kw_only=True):
    """Agreement of reference and candidate.

    Attributes:
        queries: number of queries for which at least one side has a value; matches + mismatches + missing =
            queries.
    """

    queries: int
    matches: int
    mismatches: int
    missing: int
    mean: Mean


# Fields by place stand before inherited fields by keyword, in the document as well.
class _Outcome(Agreed, frozen=True):
    case: str
    run: str
    measure: str
    candidate: str
    outcome: Outcome
    expected: bool
    stale: bool


class Comparison(_Outcome, frozen=True, kw_only=True):
    """One case x run x measure x candidate.

    Attributes:
        outcome: ``match`` only if every query and the mean agree.
        expected: False for an undeclared mismatch or error, or a stale expectation.
        stale: whether a declared mismatch no longer happens.
        informs: whether the comparison cannot fail the run, as for a tool that was not named, on loose files.
        queries: number of queries for which at least one side has a value; matches + mismatches + missing =
            queries.
        reference, candidate: backend ids; engines: the software that computed the numbers on either side.
        decimals: the fewest decimals that a side was printed with; None for full precision.
        message: message of a failed or unsupporting backend, or the reason why a result is unexpected.
        reference_decimals, candidate_decimals: printed decimals of each side, for display.
        reference_name, candidate_name: name of the measure in the source of each side, None if the source has
            no name of its own for it.
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


#: Case, run, measure and candidate: the key of a comparison, unique in its document.
Identity: TypeAlias = tuple[str, str, str, str]


def identity(one: Comparison | Exhibit) -> Identity:
    """The key of a comparison."""
    return one.case, one.run, one.measure, one.candidate


class GroupResult(Agreed, frozen=True):
    """One comparison, over the queries of one group only.

    Attributes:
        column: column of the case's topics file; group: the text in it, null for queries without a text.
        queries, matches, mismatches, missing: as in the comparison.
        mean: means over the queries of the group that have a value, added in byte order (a sum for counts).
    """

    column: str
    group: str | None
    case: str
    run: str
    measure: str
    candidate: str


class ToolConventions(Struct, frozen=True, kw_only=True):
    """The set of conventions that explains the most measures of a candidate on one run.

    Attributes:
        conventions: the changed axes with the candidate's values; causes: their labels.
        measures: measures that it reproduces, including those that agree with the reference.
        rest: the other measures, each with the labels of its own diagnosis.
    """

    case: str
    run: str
    candidate: str
    conventions: dict[str, AxisValue]
    causes: list[str]
    measures: list[str]
    rest: dict[str, list[str]]


class BrokenMeasure(Struct, frozen=True, kw_only=True):
    """A measure of crosscheck that does not give the values of a tool whose conventions are certain.

    Attributes:
        backend: id of the tool, or of its saved values.
        query: the query whose values are given; null for the means.
        own_value, backend_value: the value under the tool's conventions, and the tool's value; null for no
            value.
    """

    case: str
    run: str
    measure: str
    backend: str
    query: str | None
    own_value: Number | None
    backend_value: Number | None


class Summary(Struct, frozen=True, kw_only=True):
    """Counts over all comparisons; ``causes``: label -> number of comparisons with it in their diagnosis."""

    comparisons: int
    match: int
    mismatch: int
    error: int
    unsupported: int
    unexpected: int
    stale: int
    causes: dict[str, int]


class Document(Shown, Struct, frozen=True, kw_only=True):
    """All results of one run of crosscheck; ``complete`` is False if it was interrupted.

    ``impacts``: for cases of two or more runs, whether a mismatch changes a conclusion about the systems.
    ``groups``: every comparison over the queries of each group, if a grouping was requested. ``tools``: for
    candidates that differ on several measures of a run, their joint conventions.
    ``evidence``: for the first mismatch of each candidate, cause and measure, what readers can check by hand.
    ``broken``: crosscheck's own measures that are broken, the first finding of each; no cause is named for
    them.
    """

    _rows: ClassVar[str] = "comparisons"

    schema_version: int
    complete: bool
    tool: Tool
    environment: Environment
    reference: str
    backends: list[BackendRecord]
    inputs: list[Inputs]
    comparisons: list[Comparison]
    summary: Summary
    impacts: list[Impact] = []
    groups: list[GroupResult] = []
    tools: list[ToolConventions] = []
    evidence: list[Exhibit] = []
    broken: list[BrokenMeasure] = []
