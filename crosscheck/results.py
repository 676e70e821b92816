"""The result document as records. Field names are those of the JSON document, from which ``report/`` makes
reports.

Numbers are floats, or the strings "NaN", "Infinity" and "-Infinity"; null means that there is no value.
"""

import math
from collections.abc import Iterable
from typing import Annotated, Any, ClassVar, Literal, TypeAlias

from msgspec import UNSET, Meta, Struct, UnsetType

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
    return ("Infinity" if value > 0 else "-Infinity") if math.isinf(value) else float(value)


def optional(value: float | None) -> Number | None:
    """A float in the form of the document (see :func:`number`); None for None."""
    return None if value is None else number(value)


def as_float(value: Number) -> float:
    """The float of a number in the form of the document; the inverse of :func:`number`."""
    return float(value)


def finite(value: Number | None) -> float | None:
    """The number as a float if it is finite; None for any other."""
    return value if isinstance(value, float | int) and math.isfinite(value) else None


def check_listed(names: Iterable[str], listed: Iterable[str], what: str) -> None:
    """Check that the names in one part of a document are listed in another part.

    Raises:
        ValueError: a name is not listed. The message says ``what`` the names are.
    """
    known = set(listed)
    for name in names:
        if name not in known:
            raise ValueError(f"{quoted(name)} is not one of the {what} of the JSON document")


class TiedDocument(Struct, frozen=True, kw_only=True):
    """A retrieved document whose rank or gain makes the candidate's value differ from the reference's.

    Attributes:
        docno, score, rel: id, score and relevance level; rel is None if the document is not judged.
        reference_rank, candidate_rank: rank on each side, from 1; null if the document is cut off or left
            out.
        reference_adds, candidate_adds: what each side's value would lose without the document's judgement.
    """

    docno: str
    score: Number
    rel: int | None
    reference_rank: int | None
    candidate_rank: int | None
    reference_adds: Number | None = None
    candidate_adds: Number | None = None


class TieInterval(Struct, frozen=True):
    """Lowest, highest and mean value over all orders of the tied documents. All conventions except the order
    of ties are those of the reference.

    ``worst`` and ``best`` are exact; ``expected`` is the mean, null where no exact formula is known.
    """

    worst: Number
    best: Number
    expected: Number | None


class RankedDocument(Struct, frozen=True, kw_only=True):
    """One rank of a ranking, with its document.

    Attributes:
        rank: from 1. A list may leave ranks out.
        rel: relevance level, None if the document is not judged.
        gain, discount, running: the gain of the document, the divisor of the gain, and the sum of discounted
            gains up to this rank; None if the measure is not a sum of discounted gains, or the document adds
            nothing.
        tied: number of the group of documents with equal scores; None if no other document has this score.
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
    """One rank of the ideal rankings of the reference and of the candidate.

    Attributes:
        reference_gain, candidate_gain: the gain at this rank, None beyond the end of the ranking.
        reference_sum, candidate_sum: the sum of discounted gains up to this rank.
    """

    rank: Annotated[int, Meta(ge=1)]
    reference_gain: Number | None
    reference_sum: Number | None
    candidate_gain: Number | None
    candidate_sum: Number | None


class QueryRankings(Struct, frozen=True, kw_only=True):
    """The documents of one query in the order of the reference and in the order of the candidate.

    Attributes:
        documents: number of documents in the ranking. Of a long ranking both lists have the same excerpt.
        ideal: the ideal rankings from rank 1, if reference and candidate use different documents; else empty.
    """

    query: str
    documents: int
    reference_ranking: list[RankedDocument]
    candidate_ranking: list[RankedDocument]
    ideal: list[IdealRank] = []


class MeanStep(Struct, frozen=True):
    """One of the causes that together change the reference's mean into the candidate's. ``mean``: the mean
    with this cause and those before it."""

    cause: str
    mean: Number


class Exhibit(Struct, frozen=True):
    """Evidence for checking one comparison by hand.

    Attributes:
        steps: causes in the order of an evaluation, from the reference's mean to the candidate's; empty
            if no set of conventions gives the candidate's mean.
        rankings: rankings of the queries that differ most.
        agreeing: value of each query on which both agree, for the first 300 of these queries.
    """

    case: str
    run: str
    measure: str
    candidate: str
    steps: list[MeanStep] = []
    rankings: list[QueryRankings] = []
    agreeing: dict[str, Number] = {}


class RankCorrelation(Struct, frozen=True):
    """Correlation between the two rankings of the systems. ``note``: why ``value`` is None."""

    name: str
    value: float | None
    note: str | None


class SystemMove(Struct, frozen=True):
    """A system under the reference and under the candidate: mean over the queries with a value, and rank
    among the systems (systems with equal means share a rank).

    ``reference_queries``, ``candidate_queries``: number of queries with a value on each side. ``changed``:
    number of queries whose value differs or exists on one side only.
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


class SwappedPair(Struct, frozen=True):
    """Two systems whose order changes. The mean of ``better`` is higher by ``lead`` under the reference, and
    lower by ``trail`` under the candidate (0: equal means).

    ``queries``: the queries that contribute most to the change, largest contribution first.
    """

    better: str
    worse: str
    change: PairChange
    lead: float
    trail: float
    queries: list[str]


class SignificanceChange(Struct, frozen=True):
    """A pair of systems whose difference is significant only under the reference, only under the candidate,
    or under both but with opposite signs.

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
    """A query with the changes of its values. ``total``: sum of the absolute changes over all runs. ``run``:
    the run with the largest change.

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
        tau, tau_ap: rank correlations between the systems as ranked by the candidate and by the reference.
        test, alpha: the test of significance and its level; pairs: number of compared pairs of systems, for
            which the p-values are corrected.
        reference_significant, candidate_significant: number of significant pairs on each side, null without
            tests.
        values, changed: number of (run, query) values compared, and number of values that differ.
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
    """Where and with what crosscheck ran. ``packages``: versions of numpy and of installed backend
    packages."""

    python: str
    platform: str
    seed: int
    packages: dict[str, str] = {}


class BackendRecord(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One backend. ``reason``: why the backend is not available, and how to install it. ``needed``: whether
    it is not available although the user named it, so that the result is inconclusive."""

    id: str
    version: str
    available: bool
    engine: str
    reason: str | None
    needed: bool = False


class Inputs(Struct, frozen=True, kw_only=True):
    """The queries of a run and of its qrels, and those that only one of them has.

    Attributes:
        queries: number of judged queries with results in the run.
        missing: number of judged queries without results; unjudged: number of queries of the run without
            judgements; missing_queries, unjudged_queries: the ids of the first 20 such queries.
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
    """One query on which reference and candidate differ, or for which only one of them has a value.

    ``documents``: the documents that cause the difference according to the diagnosis, those with the largest
    effect first. ``ties``: if ties explain the difference, the values that orders of tied documents give.
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
    """Means over queries: the mean that each backend reports, or else the mean of the backend's values as
    trec_eval computes means."""

    reference_value: Number | None
    candidate_value: Number | None
    match: bool


class Alternative(Struct, frozen=True):
    """A second explanation that fits this data as well as the diagnosis does."""

    causes: list[str]
    conventions: dict[str, AxisValue]


class FreshInputs(Struct, frozen=True, kw_only=True):
    """The test of a diagnosis on fresh inputs similar to the case, for which it must predict the candidate's
    values.

    Attributes:
        asked, met: number of inputs, and number of inputs on which the candidate gives the predicted values.
        query: id of a query with a different value, from the smallest input with such a query; null if there
            is none, or the candidate gave no values.
        expected, found: the predicted value of this query, and the candidate's value; null for no value.
        qrels, run: the input with this query as lines of TREC files, the first 200 of each.
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


class Recognised(Struct, frozen=True, kw_only=True):
    """The measure or formula whose values a candidate gives for another measure.

    Attributes:
        formula: the name of the measure, or the formula in words; measure: the measure, None for a formula.
        conventions: the changed axes with the candidate's values.
        strength: ``proved`` or ``consistent``, as in a diagnosis; doubt: why the formula is not proved.
        rivals: other formulas that give all of these values.
        values: number of the candidate's values; the formula gives all of them.
        whatever_k: whether an audited metric ignores the requested cutoff.
    """

    formula: str
    measure: str | None
    conventions: dict[str, AxisValue]
    strength: Strength
    doubt: str
    rivals: list[str]
    values: int
    whatever_k: bool = False


class Diagnosis(Shown, Struct, frozen=True, kw_only=True):
    """The explanation of a difference between reference and candidate.

    Attributes:
        strength: ``proved``: one set of conventions gives every value and the mean; at least three queries
            need each changed axis; no other set or formula with as few changes fits; fewer than 1 in 1,000
            sets would fit by chance; and a candidate that can be called gives the predicted values on fresh
            inputs. ``consistent``: the conventions fit all data, but one of these conditions is missing
            (there is only a mean, only one or two queries differ, there is a rival, only some order of the
            tied documents fits, or the mean is not the mean of the values). ``per-query``: parts of the
            queries have different explanations. ``none``: unexplained.
        causes: labels, most important first.
        conventions: the changed axes with the candidate's values. All other axes are as in the reference.
        reproduced, of: number of queries whose value is explained (of ``per-query``: by the conventions, by
            those of another part, or by an order of tied documents), and number of queries compared.
        alternatives: explanations with as many changed axes that also give all values of the candidate; if
            ``strength`` is ``proved``, they do on every input, and only other measures tell them apart.
        explanation: one or two sentences for a reader.
        separate_by: description of an input that would distinguish the alternatives, or None.
        fits, tried: number of sets of conventions that give all values of the candidate, and number of sets
            tried (all sets with at most as many changed axes as the explanation); 0 if no set fits.
        rivals: formulas that no axis expresses and that also give all values of the candidate.
        fresh: the test on fresh inputs; null if the candidate was not called, either because the diagnosis
            would not be proved anyway or because the candidate consists of saved or published numbers.
        reference_conventions: the reference's values of the changed axes.
        trusted: False if crosscheck's own measure is broken; no cause is then searched.
        recognised: the other measure or formula that gives all values, if some are unexplained; else absent.
    """

    _rows: ClassVar[str] = ""

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
    recognised: Recognised | UnsetType = UNSET

    def __post_init__(self) -> None:
        if self.conventions and not self.causes:
            raise ValueError("a diagnosis with conventions must have a cause")


#: How an explanation begins where the values of the reference itself could not be reproduced.
NOT_REPRODUCED = "No known conventions"
#: How one begins that says no more than that nothing known gives the values.
NOTHING_KNOWN = "no "
#: How a rival ends that is one value for all queries: ``0.5 for every query``.
FOR_EVERY_QUERY = " for every query"


def without_cause(queries: int, explanation: str) -> Diagnosis:
    """A diagnosis that names no cause."""
    nothing: dict[str, Any] = {"conventions": {}, "reproduced": 0, "alternatives": []}
    return Diagnosis(strength="none", causes=["unexplained"], of=queries, explanation=explanation, **nothing)


class Agreed(Struct, frozen=True, kw_only=True):
    """Number of queries on which reference and candidate agree and differ.

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
    """The comparison of a candidate with the reference: one case, run and measure.

    Attributes:
        outcome: ``match`` only if every query and the mean agree.
        expected: False for an undeclared mismatch or error, or a stale expectation.
        stale: whether a declared mismatch no longer happens.
        informs: whether the comparison is for information and cannot fail the run. True on loose files for
            tools that the user did not name.
        queries: number of queries for which at least one side has a value; matches + mismatches + missing =
            queries.
        reference, candidate: backend ids; ``reference_engine``, ``candidate_engine``: the software that
            computed the numbers.
        decimals: number of decimals of the side printed with the fewest; None for full precision.
        message: the message of a backend that failed or lacks the measure, or why a result is unexpected.
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
    """The key of a comparison, which its :class:`Exhibit` shares."""
    return one.case, one.run, one.measure, one.candidate


class GroupResult(Agreed, frozen=True):
    """One comparison, restricted to the queries of one group.

    Attributes:
        column: column of the case's topics file; group: text in this column, null for queries without a text.
        queries, matches, mismatches, missing: as in the comparison.
        mean: means over the queries of the group that have a value, added in byte order (a sum for counts).
    """

    column: str
    group: str | None
    case: str
    run: str
    measure: str
    candidate: str


class ToolConventions(Struct, frozen=True):
    """The set of conventions that explains the most measures of a candidate on one run.

    Attributes:
        conventions: the changed axes with the candidate's values; causes: the labels of these axes.
        measures: measures whose values the set gives, including measures that agree with the reference.
        rest: every other measure -> the labels of its own diagnosis.
    """

    case: str
    run: str
    candidate: str
    conventions: dict[str, AxisValue]
    causes: list[str]
    measures: list[str]
    rest: dict[str, list[str]]


class BrokenMeasure(Struct, frozen=True):
    """A measure of crosscheck that does not give the values of a tool whose conventions are certain.

    Attributes:
        backend: id of the tool, or of its saved values.
        query: the query with the two values below; null if they are means.
        own_value, backend_value: crosscheck's value under the tool's conventions, and the tool's value; null
            for no value.
    """

    case: str
    run: str
    measure: str
    backend: str
    query: str | None
    own_value: Number | None
    backend_value: Number | None


class Summary(Struct, frozen=True, kw_only=True):
    """Numbers of comparisons, by outcome. ``causes``: label -> number of comparisons whose diagnosis has
    it."""

    comparisons: int
    match: int
    mismatch: int
    error: int
    unsupported: int
    unexpected: int
    stale: int
    causes: dict[str, int]


class Document(Shown, Struct, frozen=True, kw_only=True):
    """All results of one call of ``crosscheck run``.

    ``complete``: False if the call was interrupted. ``impacts``: for cases of two or more runs, whether a
    mismatch changes a conclusion about the systems. ``groups``: every comparison restricted to the queries of
    each group, if a grouping was requested. ``tools``: for each candidate that differs on several measures of
    a run, one set of conventions for all these measures. ``evidence``: for the first mismatch of each
    candidate, cause and measure, data with which readers can check the mismatch by hand. ``broken``: the
    first finding for each broken measure of crosscheck; no cause is named for these measures.
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
