"""The results of an audit as records; field names are those of the JSON document."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, Literal, TypeAlias

from crosscheck.conventions import AxisValue
from crosscheck.results import Alternative, Environment, Number, Strength, Tool
from crosscheck.shown import Shown

__all__ = [
    "Accepted",
    "Audit",
    "AuditDocument",
    "AxisFinding",
    "Confirmation",
    "Counterexample",
    "Nearest",
    "Precision",
    "PropertyDocument",
    "PropertyFinding",
    "PropertyInput",
    "PropertyReport",
    "Recognised",
    "Verdict",
]

Verdict: TypeAlias = Literal["agrees", "deviates", "uncallable"]
Precision: TypeAlias = Literal["double", "single", "printed"]
PropertyStatus: TypeAlias = Literal["yes", "no", "refused", "unseen", "untried"]


@dataclass(frozen=True, slots=True)
class AxisFinding:
    """One line of the fingerprint.

    Attributes:
        axis: its name; value: the metric's value on it; reference_value: the reference's.
        cause: the label of the axis.
        decided_by: number of the experiment that left one value, None if several are left or cannot be
            distinguished.
        input: the special feature of that experiment's input.
        seen: the metric's value there, None for no value.
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


@dataclass(frozen=True, slots=True)
class Nearest:
    """The nearest known profile, and the axes on which the metric differs from it."""

    name: str
    differs: list[str]


@dataclass(frozen=True, slots=True)
class Counterexample:
    """The smallest input found on which a cause makes the metric differ.

    Attributes:
        measure: the audited measure, or the same with another cutoff if that needs fewer documents.
        qrels: query -> docno -> level; run: query -> docno -> score, in input order.
        ranks: query -> docno -> rank column.
        query: the query that differs, None for the mean.
        reference_value, candidate_value: None for no value.
        trec_eval: command that prints the reference's value, empty where it has no such measure or ids.
        python: program that prints both.
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


@dataclass(frozen=True, slots=True)
class Accepted:
    """An input that the reference refuses and the metric accepts. It is no deviation, but worth reporting.

    Attributes:
        cause: the label of the axis; axis: its name.
        values: those of its values that predict the metric's treatment of such inputs; empty if there are
            none.
        qrels, run: one such input, as trec_eval reads it; measure, query: the requested value.
        candidate_value: the metric's value, None for no value.
        explanation: the meaning of the values.
        python: program that prints it, empty for a backend.
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


@dataclass(frozen=True, slots=True)
class Confirmation:
    """The confirmation of the fingerprint on a folder of cases.

    Attributes:
        of: number of runs on which the metric gave values; confirmed: number that the fingerprint predicts in
            full.
        failed: number of runs without values; differs: ``case/run`` of those that are not predicted.
    """

    confirmed: int
    of: int
    failed: int
    differs: list[str]


@dataclass(frozen=True, slots=True)
class PropertyInput:
    """One input that shows that a property does not hold: as trec_eval reads it, and what the metric said.

    Attributes:
        query: the query that was looked at, None for the mean; value: None for no value.
    """

    qrels: str
    run: str
    query: str | None
    value: Number | None


@dataclass(frozen=True, slots=True)
class PropertyFinding:
    """Whether a metric has a property.

    Attributes:
        name: of the property; says: the property in words or, of a "no", what is the case instead.
        holds: ``refused`` where the metric has no value for any such input; ``unseen`` where it is not handed
            what makes the inputs differ; ``untried`` where the time was up, or no two of its values can be
            compared.
        expected: the same of the measure that it is meant to compute, None where none was named.
        surprising: it fails, and the measure has it or, where none was named, any sound measure would.
        cases: how often inputs were compared.
        inputs: of a "no", the smallest inputs that show it; python: program that prints its values of them,
            empty for a backend.
    """

    name: str
    says: str
    holds: PropertyStatus
    expected: PropertyStatus | None
    surprising: bool
    cases: int
    inputs: list[PropertyInput]
    python: str


@dataclass(frozen=True, slots=True)
class Recognised:
    """The measure or formula that a metric is, where it is not what it was asked as.

    Attributes:
        formula: the name of the measure, or the formula in words; measure: the measure, None for a formula.
        conventions: the changed axes with its values.
        strength: ``proved`` by the rules of a diagnosis, else ``consistent``; doubt: why it is not proved.
        rivals: other formulas that give as much of it.
        values: number of values of the metric, on experiments and fresh inputs, all of which it gives.
        whatever_k: whether it does so too where another cutoff is asked for.
    """

    formula: str
    measure: str | None
    conventions: dict[str, AxisValue]
    strength: Strength
    doubt: str
    rivals: list[str]
    values: int
    whatever_k: bool = False


@dataclass(frozen=True, slots=True)
class AuditedTarget:
    """A metric and what it was asked with.

    Attributes:
        target: the metric; call: its call, empty for a backend.
        seed: chooses the inputs.
    """

    target: str
    call: str
    seed: int


@dataclass(frozen=True, slots=True, repr=False)
class PropertyReport(AuditedTarget, Shown):
    """The properties of one metric, whatever it computes.

    Attributes:
        measure: the measure it claims to compute, None if none was named.
        properties: empty if it could not be called; ``message`` is the reason.
    """

    _rows: ClassVar[str] = "properties"

    measure: str | None
    properties: list[PropertyFinding]
    message: str | None = None


@dataclass(frozen=True, slots=True, repr=False)
class Audit(AuditedTarget, Shown):
    """The audit of one metric as one measure.

    Attributes:
        verdict: whether it agrees with the reference; ``message``: the reason why it could not be called.
        causes: labels of its deviations, empty only if it agrees or could not be called; ``unexplained`` if
            no set of conventions predicts all its values.
        conventions: the changed axes with its values.
        strength: how sure that is, as in a diagnosis: ``proved`` or ``consistent`` where these conventions
            predict everything, ``per-query`` where they predict a part, else ``none``; None where it agrees.
        doubt: why it is not proved; rivals: other formulas that predict everything as well.
        alternatives: other sets with as few changes that no input distinguishes from these.
        experiments: number of inputs used to find them.
        nearest_profile: None if something is unexplained.
        behaviour: its behaviour on edge cases; behaviour_of_reference: that of the reference.
        fresh_inputs: number of values requested afterwards on realistic inputs; fresh_inputs_met: number that
            the conventions predict or, if the order of tied documents follows no rule, that some order
            explains.
        kinds_caught: number of kinds of change to the reference, of those that the metric could have, that
            would show on three values of the fresh inputs or more; kinds_missed: the others, in words that
            complete "it would not show if". 0 and empty unless it agrees. Where kinds were missed, it does
            not plainly agree.
        kinds_without_effect: kinds that change no value of the measure on any of several sets of inputs.
        tolerance: within which values were compared, the tightest beyond which contradictions stop falling;
            precision: that of double or of single precision (relative), or of the printed decimals; None in
            a document from before this was told.
        accepts: inputs that it accepts and the reference refuses.
        properties: properties that need no conventions, beside those of the measure itself.
        recognised: what it is instead of the measure, where that gives all its values.
    """

    _rows: ClassVar[str] = "fingerprint"

    @property
    def plainly_agrees(self) -> bool:
        """Whether it agrees, on inputs that would show every kind of change."""
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
    fingerprint: list[AxisFinding] = field(default_factory=list)
    practice: list[str] = field(default_factory=list)
    confirmation: Confirmation | None = None
    fresh_inputs: int = 0
    fresh_inputs_met: int = 0
    kinds_caught: int = 0
    kinds_missed: list[str] = field(default_factory=list)
    kinds_without_effect: list[str] = field(default_factory=list)
    tolerance: float = 1e-9
    precision: Precision | None = None
    notes: list[str] = field(default_factory=list)
    strength: Strength | None = None
    doubt: str = ""
    rivals: list[str] = field(default_factory=list)
    message: str | None = None
    accepts: list[Accepted] = field(default_factory=list)
    properties: list[PropertyFinding] = field(default_factory=list)
    behaviour_of_reference: dict[str, str] = field(default_factory=dict)
    recognised: Recognised | None = None


@dataclass(frozen=True, slots=True, repr=False)
class AuditDocument(Shown):
    """The document written by ``crosscheck audit --report json``."""

    schema_version: int
    tool: Tool
    environment: Environment
    audit: Audit
    _rows: ClassVar[str] = "audit.fingerprint"


@dataclass(frozen=True, slots=True, repr=False)
class PropertyDocument(Shown):
    """The document written by ``crosscheck audit --properties --report json``."""

    schema_version: int
    tool: Tool
    environment: Environment
    properties: PropertyReport
    _rows: ClassVar[str] = "properties.properties"
