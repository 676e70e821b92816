"""The results of an audit as records; field names are those of the JSON document."""

from __future__ import annotations

from typing import ClassVar, Literal, TypeAlias

from msgspec import Struct

from crosscheck.conventions import AxisValue
from crosscheck.results import Alternative, Environment, Number, Strength, Tool
from crosscheck.shown import Shown

Verdict: TypeAlias = Literal["agrees", "deviates", "uncallable"]
Precision: TypeAlias = Literal["double", "single", "relative", "printed"]
PropertyStatus: TypeAlias = Literal["yes", "no", "refused", "unseen", "untried"]


class AxisFinding(Struct, frozen=True, kw_only=True):
    """One line of the fingerprint.

    Attributes:
        axis: name of the axis; value: the metric's value on it; reference_value: the reference's value.
        cause: the label of the axis.
        decided_by: number of the experiment that left one value, None if several are left or cannot be
            distinguished.
        input: the special feature of that experiment's input.
        seen: the metric's value on that input, None for no value.
        status: ``decided``; ``open`` if no input separates several values; ``settled`` if the call fixes the
            value; ``unseen`` if no input showed any influence; ``unknown`` if something is unexplained and
            the axis was not observed directly, in which case its value is the text ``unknown``.
    """

    axis: str
    cause: str
    value: AxisValue
    reference_value: AxisValue
    status: Literal["decided", "open", "settled", "unseen", "unknown"]
    decided_by: int | None = None
    input: str | None = None
    seen: Number | None = None


class Nearest(Struct, frozen=True):
    """The nearest known profile, and the axes on which the metric differs from it."""

    name: str
    differs: list[str]


class Counterexample(Struct, frozen=True, kw_only=True):
    """The smallest input found on which a cause makes the metric differ.

    Attributes:
        measure: the audited measure, or the same with another cutoff if that needs fewer documents.
        qrels: query -> docno -> level; run: query -> docno -> score, in input order.
        ranks: query -> docno -> rank column.
        query: the query that differs, None for the mean.
        reference_value, candidate_value: None for no value.
        trec_eval: command that prints the reference's value, empty where it has no such measure or ids.
        python: program that prints both values.
        note: the reason why it cannot be smaller, if it has more than three documents; else empty.
    """

    cause: str
    measure: str
    qrels: dict[str, dict[str, int]]
    run: dict[str, dict[str, float]]
    ranks: dict[str, dict[str, int]]
    query: str | None
    reference_value: Number | None
    candidate_value: Number | None
    explanation: str
    trec_eval: str
    python: str
    note: str = ""

    def __post_init__(self) -> None:
        if any(self.run[q].keys() - self.ranks.get(q, {}).keys() for q in self.run):
            raise ValueError("a document of the run has no rank")


class Accepted(Struct, frozen=True, kw_only=True):
    """An input that the reference refuses and the metric accepts. It is no deviation, but worth reporting.

    Attributes:
        cause: the label of the axis; axis: its name.
        values: the values of the axis that predict the metric's treatment of such inputs; empty if there
            are none.
        qrels, run: one such input, as trec_eval reads it; measure, query: the value that was requested on it.
        candidate_value: the metric's value, None for no value.
        explanation: the meaning of the values.
        python: program that prints the metric's value, empty for a backend.
    """

    cause: str
    axis: str
    values: list[AxisValue]
    measure: str
    qrels: str
    run: str
    query: str | None
    candidate_value: Number | None
    explanation: str
    python: str


class Confirmation(Struct, frozen=True, kw_only=True):
    """The confirmation of the fingerprint on a folder of cases.

    Attributes:
        of: number of runs on which the metric gave values; confirmed: number that the fingerprint predicts in
            full.
        failed: number of runs without values; differs: ``case/run`` of the runs that are not predicted.
    """

    confirmed: int
    of: int
    failed: int
    differs: list[str]


class PropertyInput(Struct, frozen=True, kw_only=True):
    """One input that shows that a property does not hold, as trec_eval reads it, and the metric's value.

    Attributes:
        query: the query whose value was read, None for the mean; value: that value, None for no value.
    """

    qrels: str
    run: str
    query: str | None
    value: Number | None


class PropertyFinding(Struct, frozen=True, kw_only=True):
    """Whether a metric has a property.

    Attributes:
        name: name of the property; says: the property in words or, for a "no", its failure in words.
        holds: ``refused`` if the metric has no value for any of the inputs; ``unseen`` if it receives nothing
            in which the inputs differ; ``untried`` if the time was up, or no two of its values can be
            compared.
        expected: this status for the measure that the metric is meant to compute, None if none was named.
        surprising: whether the property fails although the measure has it or, if none was named, although any
            sound measure would have it.
        cases: number of times that values of inputs were compared.
        inputs: for a "no", the smallest inputs that show it; python: program that prints the metric's values
            of these inputs, empty for a backend.
    """

    name: str
    says: str
    holds: PropertyStatus
    expected: PropertyStatus | None
    surprising: bool
    cases: int
    inputs: list[PropertyInput]
    python: str


class Recognised(Struct, frozen=True, kw_only=True):
    """The measure or formula that a metric computes instead of the measure that it was audited as.

    Attributes:
        formula: the name of the measure, or the formula in words; measure: the measure, None for a formula.
        conventions: the changed axes with the metric's values.
        strength: ``proved`` by the rules of a diagnosis, else ``consistent``; doubt: why it is not proved.
        rivals: other formulas that give all of the metric's values except at most two.
        values: number of the metric's values, on experiments and fresh inputs; the formula gives all of them.
        whatever_k: whether the metric gives the same values if another cutoff is requested.
    """

    formula: str
    measure: str | None
    conventions: dict[str, AxisValue]
    strength: Strength
    doubt: str
    rivals: list[str]
    values: int
    whatever_k: bool = False


class Where(Struct, frozen=True, kw_only=True):
    """On which inputs of an audit a metric gives values that no conventions predict.

    Attributes:
        of_what: ``queries``, or ``inputs`` if their means are meant.
        conditions: one or two conditions that must both hold, in words that complete "with"; empty if every
            value is wrong.
        otherwise: the opposite of a single condition, in words; else empty.
        wrong, of: number of wrong values, and of all values, where the conditions hold.
        wrong_elsewhere, of_elsewhere: the same numbers where they do not hold.
    """

    of_what: Literal["queries", "inputs"]
    conditions: list[str]
    otherwise: str
    wrong: int
    of: int
    wrong_elsewhere: int
    of_elsewhere: int


class AuditedTarget(Struct, frozen=True):
    """A metric, and the way in which it was called.

    Attributes:
        target: the metric; call: its call, empty for a backend.
        seed: the seed from which the inputs were drawn.
    """

    target: str
    call: str
    seed: int


class PropertyReport(Shown, AuditedTarget, frozen=True, kw_only=True):
    """The properties of one metric, whatever it computes.

    Attributes:
        measure: the measure that the metric is meant to compute, None if none was named.
        properties: the properties, empty if the metric could not be called; ``message`` is the reason.
    """

    _rows: ClassVar[str] = "properties"

    measure: str | None
    properties: list[PropertyFinding]
    message: str | None = None


class Audit(Shown, AuditedTarget, frozen=True, kw_only=True):
    """The audit of one metric as one measure.

    Attributes:
        verdict: whether it agrees with the reference; ``uncallable`` if it could not be called, or not often
            enough before its time was up, and no value differed. ``message``: the reason, or what was not
            asked.
        causes: labels of its deviations, empty only if it agrees or could not be called; ``unexplained`` if
            no set of conventions predicts all its values.
        conventions: the changed axes with the metric's values.
        strength: strength of the evidence for these conventions, as in a diagnosis: ``proved`` or
            ``consistent`` where they predict everything, ``per-query`` where they predict a part, else
            ``none``; None where the metric agrees.
        doubt: why they are not proved; rivals: other formulas that predict everything as well.
        alternatives: other sets with as few changes that no input distinguishes from these conventions.
        experiments: number of inputs used to find the conventions.
        nearest_profile: the known profile nearest to the metric, None unless conventions give all its values.
        behaviour: the metric's behaviour on edge cases; behaviour_of_reference: that of the reference.
        fresh_inputs: number of values requested afterwards on realistic inputs; fresh_inputs_met: number that
            the conventions predict or, if the order of tied documents follows no rule, that some order
            explains.
        kinds_caught: number of kinds of change to the reference, of those that the metric could have, that
            would show on three values of the fresh inputs or more; kinds_missed: the others, in words that
            complete "it would not show if". 0 and empty unless it agrees. Where kinds were missed, it does
            not plainly agree.
        kinds_without_effect: kinds that change no value of the measure on any of several sets of inputs.
        longest_list: number of documents of the longest list that it gave values for; most_queries: most
            queries in one call of it; 0 in older documents.
        tolerance: tolerance within which values were compared: the tightest with the fewest contradictions;
            precision: whether it is the tolerance of double precision, of single precision (relative; called
            ``relative`` if some values are not in single precision) or of the printed decimals; None in older
            documents.
        accepts: inputs that the metric accepts and the reference refuses.
        properties: properties that need no conventions, beside those of the measure itself.
        recognised: the measure or formula that the metric computes instead, if one gives all its values.
        where: on which inputs the values stand that nothing explains, if one or two conditions say it.
    """

    _rows: ClassVar[str] = "fingerprint"

    @property
    def cut_short(self) -> bool:
        """Whether time ran out before the metric was called often enough, and nothing differed until then."""
        return self.verdict == "uncallable" and self.experiments > 0

    @property
    def plainly_agrees(self) -> bool:
        """Whether the metric agrees, on inputs that would show every kind of change."""
        return self.verdict == "agrees" and not self.kinds_missed

    measure: str
    reference: str
    verdict: Verdict
    causes: list[str]
    conventions: dict[str, AxisValue]
    alternatives: list[Alternative]
    experiments: int
    nearest_profile: Nearest | None
    behaviour: dict[str, str]
    counterexamples: list[Counterexample]
    fingerprint: list[AxisFinding] = []
    practice: list[str] = []
    confirmation: Confirmation | None = None
    fresh_inputs: int = 0
    fresh_inputs_met: int = 0
    kinds_caught: int = 0
    kinds_missed: list[str] = []
    kinds_without_effect: list[str] = []
    longest_list: int = 0
    most_queries: int = 0
    tolerance: float = 1e-9
    precision: Precision | None = None
    notes: list[str] = []
    strength: Strength | None = None
    doubt: str = ""
    rivals: list[str] = []
    message: str | None = None
    accepts: list[Accepted] = []
    properties: list[PropertyFinding] = []
    behaviour_of_reference: dict[str, str] = {}
    recognised: Recognised | None = None
    where: Where | None = None


class AuditDocument(Shown, Struct, frozen=True, kw_only=True):
    """The document written by ``crosscheck audit --report json``."""

    schema_version: int
    tool: Tool
    environment: Environment
    audit: Audit
    _rows: ClassVar[str] = "audit.fingerprint"


class PropertyDocument(Shown, Struct, frozen=True, kw_only=True):
    """The document written by ``crosscheck audit --properties --report json``."""

    schema_version: int
    tool: Tool
    environment: Environment
    properties: PropertyReport
    _rows: ClassVar[str] = "properties.properties"
