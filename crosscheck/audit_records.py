"""What an audit found, as records; field names are those of the JSON document."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from crosscheck.conventions import AxisValue
from crosscheck.results import Alternative, Environment, Number, Strength, Tool

__all__ = [
    "Accepted",
    "Audit",
    "AuditDocument",
    "AxisFinding",
    "Confirmation",
    "Counterexample",
    "Nearest",
    "Verdict",
]

Verdict: TypeAlias = Literal["agrees", "deviates", "uncallable"]


@dataclass(frozen=True, slots=True)
class AxisFinding:
    """One line of the fingerprint.

    Attributes:
        axis: its name; value: the metric's value on it; reference: the reference's.
        cause: the label of the axis.
        decided_by: number of the experiment that left one value, None where the experiments leave several,
            or where nobody could tell them apart.
        input: what was special about that experiment's input.
        seen: what the metric said there, None for no value.
        status: ``decided``; ``open`` where no input separates several values; ``settled`` where the call
            leaves the metric no say; ``unseen`` where no input showed any influence; ``unknown`` where
            something is unexplained and the axis was not observed by itself: its value is the text
            ``unknown`` then.
    """

    axis: str
    cause: str
    value: AxisValue
    reference: AxisValue
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
        measure: the audited measure, or the same with another cutoff where that takes fewer documents.
        qrels: query -> docno -> level; run: query -> docno -> score, in input order.
        ranks: query -> docno -> rank column.
        query: the query that differs, None for the mean.
        reference, candidate: the two values, None for no value.
        trec_eval: command that prints the reference's value, empty where it has no such measure or ids.
        python: program that prints both.
        note: why it cannot be smaller, where it has more than three documents; else empty.
    """

    cause: str
    measure: str
    qrels: dict[str, dict[str, int]]
    run: dict[str, dict[str, float]]
    ranks: dict[str, dict[str, int]]
    query: str | None
    reference: Number | None
    candidate: Number | None
    explanation: str
    trec_eval: str
    python: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class Accepted:
    """An input that the reference refuses and the metric takes: nothing to deviate from, but good to know.

    Attributes:
        cause: the label of the axis; axis: its name.
        values: those of its values that predict what the metric makes of such inputs; empty where none does.
        qrels, run: one such input, as trec_eval reads it; measure, query: what was asked of it.
        candidate: what the metric said, None for no value.
        explanation: what the values mean.
        python: program that prints it, empty for a backend.
    """

    cause: str
    axis: str
    values: list[AxisValue]
    measure: str
    qrels: str
    run: str
    query: str | None
    candidate: Number | None
    explanation: str
    python: str


@dataclass(frozen=True, slots=True)
class Confirmation:
    """How the fingerprint did on a folder of cases.

    Attributes:
        of: runs on which the metric gave values; confirmed: those that the fingerprint predicts in full.
        failed: runs on which it gave none; differs: ``case/run`` of those that are not predicted.
    """

    confirmed: int
    of: int
    failed: int
    differs: list[str]


@dataclass(frozen=True, slots=True)
class Audit:
    """The audit of one metric as one measure.

    Attributes:
        target: what was audited; call: how it was called, empty for a backend.
        verdict: whether it agrees with the reference; ``message`` says why it could not be called.
        causes: labels of its deviations, empty only where it agrees or could not be called. ``unexplained``
            where no set of conventions predicts everything it said.
        conventions: the changed axes with its values.
        strength: how sure that is, as in a diagnosis: ``proved`` or ``consistent`` where these conventions
            predict everything, ``per-query`` where they predict a part, else ``none``; None where it agrees.
        doubt: why it is not proved; rivals: other formulas that predict everything as well.
        alternatives: other sets of as few changes that no input tells apart from these.
        experiments: number of inputs it was asked for to find that out.
        nearest_profile: None where something is unexplained.
        behaviour: what it does on unusual inputs.
        fresh_inputs: values that it was asked for afterwards, on inputs as real data has them;
            fresh_inputs_met: those that the conventions predict or, where the order of tied documents follows
            no rule, that some order explains.
        tolerance: within which its values were compared.
        accepts: inputs that the reference refuses.
    """

    target: str
    measure: str
    call: str
    reference: str
    verdict: Verdict
    causes: list[str]
    conventions: dict[str, AxisValue]
    alternatives: list[Alternative]
    experiments: int
    nearest_profile: Nearest | None
    behaviour: dict[str, str]
    counterexamples: list[Counterexample]
    seed: int
    fingerprint: list[AxisFinding] = field(default_factory=list)
    practice: list[str] = field(default_factory=list)
    confirmation: Confirmation | None = None
    fresh_inputs: int = 0
    fresh_inputs_met: int = 0
    tolerance: float = 1e-9
    notes: list[str] = field(default_factory=list)
    strength: Strength | None = None
    doubt: str = ""
    rivals: list[str] = field(default_factory=list)
    message: str | None = None
    accepts: list[Accepted] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class AuditDocument:
    """What ``crosscheck audit --report json`` writes."""

    schema_version: int
    tool: Tool
    environment: Environment
    audit: Audit
