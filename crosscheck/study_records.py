"""The results of the studies as records: systems, assessors, pools, and the impact of a disagreement.

Field names are those of the JSON, as in :mod:`crosscheck.results`. null means that there is no value, and a
note gives the reason. Every document of a study holds ``schema_version``, ``study``, ``tool`` and
``environment``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, Literal, TypeAlias

from crosscheck.axes.base import AxisValue
from crosscheck.impact_records import Impact, TestName
from crosscheck.results import Environment, Number, Tool
from crosscheck.shown import Shown

__all__ = [
    "STUDY_VERSION",
    "Agreement",
    "AgreementDocument",
    "Change",
    "ChangeKind",
    "CompareDocument",
    "DescribeDocument",
    "DiffDocument",
    "FallenDocument",
    "FallenQuery",
    "GateDocument",
    "GateMeasure",
    "GateVerdict",
    "ImpactDocument",
    "Kappa",
    "LintFinding",
    "MeasureComparison",
    "Pair",
    "PairedTest",
    "PoolDocument",
    "PoolMemberRecord",
    "PoolTopic",
    "RundiffDocument",
    "RundiffMeasure",
    "RundiffPart",
    "StudyDocument",
    "SystemScore",
    "TiedMeasure",
    "TiedQuery",
    "TiesDocument",
    "ToolGroup",
    "ToolSwap",
    "ToolsDocument",
    "TopicAgreement",
    "Unjudged",
    "VersionChange",
    "WhyAnswer",
    "WhyDocument",
    "WhyNumber",
]

STUDY_VERSION = 2


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class StudyDocument(Shown):
    """The document of a study; each names its study and has additional fields."""

    _rows: ClassVar[str] = "measures"

    schema_version: int = STUDY_VERSION
    study: str
    tool: Tool
    environment: Environment


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class OnQrels(StudyDocument):
    """The part that studies of measures on judged runs share.

    ``summary``: the findings in one paragraph. ``sentences`` describe the measures in a paper, where the
    conventions that they are under are known.
    """

    qrels: str
    summary: str
    notes: list[str] = field(default_factory=list)
    sentences: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class PairedTest:
    """One test between two systems.

    Attributes:
        statistic: queries on which b is better; the smaller rank sum; t; the mean difference. None if the
            test cannot be made.
        p: two-sided p-value, or None if the test cannot be made.
        p_holm: the same, corrected for all pairs of the measure, if there were several.
        queries: number of differences that the test used.
        method: how the p-value was computed.
        assumption: the condition under which the p-value is valid.
        note: the reason if there is no p-value, or None.
    """

    name: TestName
    statistic: float | None
    p: float | None
    p_holm: float | None
    queries: int
    method: str
    assumption: str
    note: str | None


@dataclass(frozen=True, slots=True)
class Pair:
    """Two systems on one measure; differences are ``b - a``.

    Attributes:
        queries: number of queries for which both have a value; better, worse, equal: number on which b is.
        difference: the mean difference; interval: Student's around it, at the document's confidence.
        effect_size: Cohen's d of the paired differences.
        tests: sign, Wilcoxon, t and randomisation test, in this order.
        significant: whether the document's test, corrected, is below alpha; null without a p-value.
    """

    a: str
    b: str
    queries: int
    better: int
    worse: int
    equal: int
    difference: float | None
    interval: tuple[float, float] | None
    effect_size: float | None
    tests: list[PairedTest]
    significant: bool | None
    notes: list[str]


@dataclass(frozen=True, slots=True)
class SystemScore:
    """One system: its mean over its ``queries`` queries, and the systems that are significantly worse."""

    run: str
    mean: float | None
    queries: int
    better_than: list[str]


@dataclass(frozen=True, slots=True)
class MeasureComparison:
    """All systems on one measure; ``notes``: omissions, and the reasons for null values."""

    measure: str
    systems: list[SystemScore]
    pairs: list[Pair]
    notes: list[str]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class CompareDocument(OnQrels):
    """``crosscheck compare``.

    Attributes:
        backend, engine: the backend and the software that computed the values.
        baseline: the run that all others are compared with, or null if every pair is compared.
        test, correction, alpha: the criterion of ``significant``; confidence: of the intervals.
        summary: the findings in one paragraph.
    """

    study: Literal["compare"] = "compare"
    backend: str
    engine: str
    runs: list[str]
    baseline: str | None
    test: TestName
    alpha: float
    confidence: float
    measures: list[MeasureComparison]
    correction: str = "Holm"


GateVerdict: TypeAlias = Literal["pass", "fail", "inconclusive"]


@dataclass(frozen=True, slots=True)
class FallenDocument:
    """A relevant document that the new run ranks lower; a rank is null where it is not retrieved."""

    docno: str
    level: int
    old_rank: int
    new_rank: int | None


@dataclass(frozen=True, slots=True)
class FallenQuery:
    """A query whose value falls, whatever the order of tied documents.

    Attributes:
        old, new: its value, tied documents ordered as the conventions say.
        difference: the best that the new run can have minus the worst that the old one can, below 0.
        documents: the relevant documents that fell, the most relevant first; ``more`` that are not listed.
        depth, old_unjudged, new_unjudged: unjudged documents among the first ``depth``.
    """

    query: str
    old: Number
    new: Number
    difference: float
    documents: list[FallenDocument]
    more: int
    depth: int
    old_unjudged: int
    new_unjudged: int


@dataclass(frozen=True, slots=True)
class GateMeasure:
    """One measure of the new run against the old one.

    Attributes:
        reason: of the verdict, in one sentence.
        queries: judged queries with a value on both sides.
        old, new: means; ``old_ties``, ``new_ties``: the lowest and highest mean that the order of tied
            documents gives, null where that is not known.
        difference: mean over all queries of the part of the difference that no order of tied documents
            explains.
        p: of that part, corrected over the measures; null if nothing could be tested.
        rose, fell: queries with such a part; ``fallen`` lists those that fell, the largest fall first.
    """

    measure: str
    verdict: GateVerdict
    reason: str
    queries: int
    old: Number | None
    new: Number | None
    old_ties: tuple[Number, Number] | None
    new_ties: tuple[Number, Number] | None
    difference: float | None
    p: float | None
    rose: int
    fell: int
    fallen: list[FallenQuery]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class GateDocument(OnQrels):
    """``crosscheck gate``.

    Attributes:
        tolerance: the drop of a mean that passes although it is significant.
        allow_missing: judged queries without results that are counted as 0 instead of making the gate
            inconclusive.
        judged: number of judged queries; ``old_missing``, ``new_missing``: those without results, in byte
            order.
    """

    study: Literal["gate"] = "gate"
    old: str
    new: str
    test: TestName
    alpha: float
    tolerance: float
    allow_missing: int
    judged: int
    old_missing: list[str]
    new_missing: list[str]
    verdict: GateVerdict
    measures: list[GateMeasure]
    correction: str = "Holm"


@dataclass(frozen=True, slots=True)
class Kappa:
    """Cohen's kappa of two lists of judgements.

    Attributes:
        weights: ``none``, ``linear`` or ``quadratic``.
        value: None if it is undefined.
        observed, expected: P(A) and P(E), weighted; None without judgements.
        documents: judgements compared.
        reading: the meaning of the value in words; empty if there is none.
        note: the reason if there is no value, or None.
    """

    weights: str
    value: float | None
    observed: float | None
    expected: float | None
    documents: int
    reading: str = ""
    note: str | None = None


@dataclass(frozen=True, slots=True)
class TopicAgreement:
    """Two assessors on one topic, or on all topics together.

    Attributes:
        topic: its id; empty for all topics together.
        documents: judged by both; only_first, only_second: judged by one alone, not in the other numbers.
        overlap: documents relevant to both / relevant to either; None if nothing is relevant.
        unweighted, linear, quadratic: the three kappas over the documents judged by both.
    """

    topic: str
    documents: int
    only_first: int
    only_second: int
    overlap: float | None
    unweighted: Kappa
    linear: Kappa
    quadratic: Kappa


@dataclass(frozen=True, kw_only=True, repr=False)
class Agreement:
    """Two sets of judgements compared.

    Attributes:
        first, second: their sources.
        relevance_level: lowest level that is relevant, for the overlap.
        levels: all relevance levels that either side uses, ascending.
        confusion: documents per (level of the first, level of the second), in the order of ``levels``.
        total: all topics together; topics: each topic that either side judged, in byte order.
        topics_first, topics_second: topics that one side alone judged, in byte order.
        notes: sentences about omissions and undefined values.
    """

    first: str
    second: str
    relevance_level: int
    levels: list[int]
    confusion: list[list[int]]
    total: TopicAgreement
    topics: list[TopicAgreement]
    topics_first: list[str]
    topics_second: list[str]
    notes: list[str]


@dataclass(frozen=True, kw_only=True, repr=False)
class AgreementDocument(Agreement, StudyDocument):
    """``crosscheck agreement``."""

    _rows: ClassVar[str] = "topics"

    study: Literal["agreement"] = "agreement"
    summary: str


@dataclass(frozen=True, slots=True)
class PoolMemberRecord:
    """One run: documents it contributed to the pool, and those of them that no other run contributed."""

    run: str
    tag: str
    contributed: int
    unique: int


@dataclass(frozen=True, slots=True)
class PoolTopic:
    """One topic: pooled documents, those without a judgement (null without qrels), and each run's part."""

    topic: str
    documents: int
    unjudged: int | None
    contributed: list[int]
    unique: list[int]


@dataclass(frozen=True, slots=True)
class Unjudged:
    """Unjudged share of the first ``k`` documents of a run; ``mean`` is over ``topics`` topics."""

    run: str
    k: int
    mean: float | None
    unjudged: int
    retrieved: int
    topics: int
    notes: list[str]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class PoolDocument(StudyDocument):
    """``crosscheck pool``: ``file`` is the pool that was written, null if none was."""

    _rows: ClassVar[str] = "topics"

    study: Literal["pool"] = "pool"
    depth: int
    qrels: str | None
    members: list[PoolMemberRecord]
    topics: list[PoolTopic]
    unjudged: list[Unjudged]
    file: str | None
    notes: list[str]
    summary: str


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class ImpactDocument(OnQrels):
    """``crosscheck impact``: one entry of ``impacts`` per measure."""

    _rows: ClassVar[str] = "impacts"

    study: Literal["impact"] = "impact"
    runs: list[str]
    reference: str
    candidate: str
    reference_engine: str
    candidate_engine: str
    impacts: list[Impact]


@dataclass(frozen=True, slots=True)
class TiedQuery:
    """One query over all orders of tied documents; ``expected`` is null if no exact form is known."""

    query: str
    value: Number
    worst: Number
    best: Number
    expected: Number | None


@dataclass(frozen=True, slots=True)
class TiedMeasure:
    """One measure over all orders of tied documents.

    Attributes:
        queries: queries with a value; tied: those whose value depends on the order.
        mean: over the queries with a value; worst, best, expected: the same in the worst, the best and the
            average order. They are null if the measure has no exact form of them; without ``worst`` and
            ``best`` no query is listed in ``tied``. The notes of the document name them.
    """

    measure: str
    queries: int
    mean: Number | None
    worst: Number | None
    best: Number | None
    expected: Number | None
    tied: list[TiedQuery]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class TiesDocument(OnQrels):
    """The result of ``crosscheck ties``; ``score_precision`` is that in which scores were compared."""

    study: Literal["ties"] = "ties"
    run: str
    score_precision: str
    measures: list[TiedMeasure]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class DescribeDocument(StudyDocument):
    """``crosscheck describe``.

    Attributes:
        conventions: as they were given; sentences: one for each measure.
        qrels, run: over which the queries were counted, null if they were not.
    """

    study: Literal["describe"] = "describe"
    conventions: str
    sentences: list[str]
    summary: str
    qrels: str | None = None
    run: str | None = None


ChangeKind: TypeAlias = Literal[
    "new", "gone", "other cause", "other outcome", "other strength", "other values", "added", "left out"
]


@dataclass(frozen=True, slots=True)
class Change:
    """A comparison that came out otherwise than in an earlier result.

    Attributes:
        change: ``new``: a mismatch or error that was not there; ``gone``: one that is a match now;
            ``other cause``: other labels or other conventions; ``other values``: all of these are the same,
            but not the values or the means; ``added``, ``left out``: only the later or the earlier result
            has the comparison, and it is, or was, nothing new.
        before, after: the outcome, with labels and strength for a mismatch; null without a comparison.
    """

    change: ChangeKind
    case: str
    run: str
    measure: str
    candidate: str
    before: str | None
    after: str | None


@dataclass(frozen=True, slots=True)
class VersionChange:
    """A program or package with another version; null for one that was not there."""

    name: str
    before: str | None
    after: str | None


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class DiffDocument(StudyDocument):
    """``crosscheck diff`` of two result documents.

    Attributes:
        before, after: the two, as they were named; comparisons: number of comparisons in either.
        changes: in the order of the later document, those left out last.
    """

    _rows: ClassVar[str] = "changes"

    study: Literal["diff"] = "diff"
    before: str
    after: str
    comparisons: int
    changes: list[Change]
    versions: list[VersionChange]
    summary: str
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class ToolGroup:
    """The tools that print the same number for a run.

    Attributes:
        printed: the number with the decimals of the document; empty for tools that print none, a range for
            those of which an axis is unknown.
        value: the number of the first tool; low, high: the bounds of a range, else null.
        tools: names of profiles; read: those of them that were read in their source and never run.
        conventions: the axes that make the difference to trec_eval; reason: the same in words, or why there
            is no number.
    """

    measure: str
    run: str
    printed: str
    value: Number | None
    low: Number | None
    high: Number | None
    tools: list[str]
    read: list[str]
    conventions: dict[str, AxisValue]
    reason: str


@dataclass(frozen=True, slots=True)
class ToolSwap:
    """Two runs that trec_eval and other tools order differently; ``better`` is trec_eval's."""

    measure: str
    better: str
    worse: str
    tools: list[str]


@dataclass(frozen=True, slots=True)
class LintFinding:
    """A property of a run and its qrels on which tools differ.

    Attributes:
        label: of the axis; says: the property in words; queries: that have it.
        value: the mean as trec_eval computes it; effects: axis value -> mean.
    """

    measure: str
    run: str
    label: str
    says: str
    queries: int
    value: Number | None
    effects: dict[str, Number | None]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class ToolsDocument(StudyDocument):
    """``crosscheck tools``: for each measure and run the groups of tools, trec_eval's first.

    ``software``: profile -> tool and version. ``lint``: null if it was not asked for.
    """

    _rows: ClassVar[str] = "groups"

    study: Literal["tools"] = "tools"
    qrels: str
    runs: list[str]
    decimals: int
    groups: list[ToolGroup]
    swaps: list[ToolSwap]
    software: dict[str, str]
    lint: list[LintFinding] | None
    summary: str
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class WhyNumber:
    """A number that is to be explained.

    Attributes:
        measure: null if it is not known; query: null for a mean.
        printed: as it was given; value: trec_eval's, null without a measure.
    """

    measure: str | None
    run: str
    query: str | None
    printed: str
    value: Number | None


@dataclass(frozen=True, slots=True)
class WhyAnswer:
    """One way to get the numbers.

    Attributes:
        another: whether it is that they are of another run or of other judgements; all else is empty then.
        says: in words; change: of the input, empty if there is none; conventions: other than trec_eval's.
        tools: known to compute so; others: number of other sets of conventions that predict the same.
        measures, values: what it predicts for each number.
        chance: expected number of answers, down to this one, that give the numbers by chance.
        ask: the question to the authors.
    """

    another: bool
    says: str
    change: str
    conventions: dict[str, AxisValue]
    tools: list[str]
    others: int
    measures: list[str]
    values: list[Number]
    chance: float | None
    ask: str


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class WhyDocument(StudyDocument):
    """``crosscheck why``.

    Attributes:
        answers: likeliest first; tried: number of sets of conventions and inputs; distinct: of those that
            predict different numbers; fitting: of distinct ones that give all numbers; by_chance: how many
            are expected to do so by chance.
    """

    _rows: ClassVar[str] = "answers"

    study: Literal["why"] = "why"
    qrels: str
    runs: list[str]
    numbers: list[WhyNumber]
    answers: list[WhyAnswer]
    tried: int
    distinct: int
    fitting: int
    by_chance: float
    summary: str
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class RundiffPart:
    """The part that one property of the runs has in the difference between them.

    Attributes:
        property: ``queries``, ``depth``, ``documents``, ``ties``, ``score-format`` or ``order``.
        says: in words; queries: whose value or presence it changes; most: of them the first five.
        before, after: the mean without and with it; part: their difference.
    """

    property: str
    says: str
    queries: int
    most: list[str]
    before: float
    after: float
    part: float


@dataclass(frozen=True, slots=True)
class RundiffMeasure:
    """One measure of two runs; ``difference`` is the exact sum of the parts, which are in a fixed order."""

    measure: str
    theirs: float
    ours: float
    difference: float
    parts: list[RundiffPart]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class RundiffDocument(OnQrels):
    """``crosscheck rundiff``: one property after the other is taken from ``ours`` into ``theirs``."""

    study: Literal["rundiff"] = "rundiff"
    theirs: str
    ours: str
    measures: list[RundiffMeasure]
