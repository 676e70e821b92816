"""The results of an audit as records; field names are those of the JSON document."""

from typing import ClassVar, Literal, TypeAlias

from msgspec import Struct

from crosscheck.conventions import AxisValue
from crosscheck.results import Alternative, Environment, IdealRank, Number, Recognised, Strength, Tool
from crosscheck.shown import Shown

Verdict: TypeAlias = Literal["agrees", "deviates", "uncallable"]
Precision: TypeAlias = Literal["double", "single", "relative", "printed"]
PropertyStatus: TypeAlias = Literal["yes", "no", "refused", "unseen", "untried"]


#: The end of the message about a metric whose value does not depend on the ranking.
EVERY_RANKING = "for every ranking that was tried"


class AxisFinding(Struct, frozen=True, kw_only=True):
    """One line of the fingerprint.

    Attributes:
        axis: name of the axis; value: the metric's value on it; reference_value: the reference's value.
        cause: the label of the axis.
        decided_by: number of the experiment after which only one value was possible; None if several values
            remain possible.
        input: the special feature of this experiment's input.
        seen: the metric's value on this input, None for no value.
        status: ``decided``: one value remains possible. ``open``: no input distinguishes several values.
            ``settled``: the way in which the metric is called fixes the value. ``unseen``: no input showed an
            effect of the axis. ``unknown``: some values of the metric are unexplained and the axis was not
            observed directly; ``value`` is then the text ``unknown``.
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
    """The smallest input found on which a cause changes the metric's value.

    Attributes:
        measure: the audited measure, or the same measure with a lower cutoff, which needs fewer documents.
        qrels: query -> docno -> level; run: query -> docno -> score, in input order.
        ranks: query -> docno -> rank column.
        query: the query that differs, None for the mean.
        reference_value, candidate_value: None for no value.
        trec_eval: the trec_eval command that prints the reference's value; empty if trec_eval lacks the
            measure or cannot take the ids.
        python: a program that prints both values.
        note: why the input cannot be smaller, if it has more than three documents; else empty.
        ideal: the ideal lists from rank 1, if the cause is the ideal list; else empty.
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
    ideal: list[IdealRank] = []

    def __post_init__(self) -> None:
        if any(self.run[q].keys() - self.ranks.get(q, {}).keys() for q in self.run):
            raise ValueError("a document of the run has no rank")


class Accepted(Struct, frozen=True, kw_only=True):
    """An input on which the reference fails with an error and the metric returns a value. This is reported,
    but is not a deviation.

    Attributes:
        cause: the label of the axis; axis: its name.
        values: the values of the axis under which crosscheck gives the metric's value on such inputs; empty
            if there are none.
        qrels, run: one such input as text of TREC files; measure, query: the value that was requested.
        candidate_value: the metric's value, None for no value.
        explanation: ``values`` in words.
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
        of: number of runs on which the metric gave values; confirmed: number of these runs whose values the
            fingerprint all predicts.
        failed: number of runs without values; differs: ``case/run`` of each run with unpredicted values.
    """

    confirmed: int
    of: int
    failed: int
    differs: list[str]


class PropertyInput(Struct, frozen=True, kw_only=True):
    """One input that shows that a property does not hold, as texts of TREC files, with the metric's value.

    Attributes:
        query: the query with the value, None for the mean; value: None for no value.
    """

    qrels: str
    run: str
    query: str | None
    value: Number | None


class PropertyFinding(Struct, frozen=True, kw_only=True):
    """Whether a metric has a property, such as "swapping two documents up never lowers the value".

    Attributes:
        name: name of the property; says: the property in words or, if it does not hold, what happens instead.
        holds: ``yes``; ``no``; ``refused``: the metric gave no value for any of the inputs; ``unseen``: the
            metric is not passed the part of the input that was changed; ``untried``: the time limit was
            reached, or no two values of the metric can be compared.
        expected: the same status for the measure that the metric is meant to compute, None if no measure was
            named.
        surprising: whether the property does not hold although the measure has it (or, if no measure was
            named, although any sound measure has it).
        cases: number of comparisons between values.
        inputs: if the property does not hold, the smallest inputs that show this; python: a program that
            prints the metric's values of these inputs, empty for a backend.
    """

    name: str
    says: str
    holds: PropertyStatus
    expected: PropertyStatus | None
    surprising: bool
    cases: int
    inputs: list[PropertyInput]
    python: str


class Where(Struct, frozen=True, kw_only=True):
    """A description of the inputs on which a metric gives wrong values, which are values that no set of
    conventions predicts.

    Attributes:
        of_what: ``queries``, or ``inputs`` if the metric gives only means over the queries of an input.
        conditions: one condition, or two that must both hold, in words that follow "with"; empty if every
            value is wrong.
        otherwise: the opposite of a single condition, in words; else empty.
        wrong, of: number of wrong values, and of all values, where the conditions hold.
        wrong_elsewhere, of_elsewhere: the same numbers where the conditions do not hold.
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
        target: the metric; call: the call as text, such as ``f(gains, k)``; empty for a backend.
        seed: the seed from which the inputs were drawn.
    """

    target: str
    call: str
    seed: int


class PropertyReport(Shown, AuditedTarget, frozen=True, kw_only=True):
    """The properties of one metric.

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
        verdict: ``agrees`` or ``deviates`` from the reference; ``uncallable`` if the metric could not be
            called, or if the time limit was reached too early and no value differed until then. ``message``:
            the reason, or which steps were skipped.
        causes: labels of the deviations; empty if the metric agrees or could not be called; ``unexplained``
            if no set of conventions predicts all values of the metric.
        conventions: the changed axes with the metric's values.
        strength: strength of the evidence for these conventions, as in a diagnosis: ``proved`` or
            ``consistent`` if they predict all values, ``per-query`` if they predict a part, else ``none``;
            None if the metric agrees.
        doubt: why the conventions are not proved; rivals: formulas that also predict all values.
        alternatives: sets of conventions with as few changes that no input distinguishes from
            ``conventions``.
        experiments: number of inputs used to find the conventions.
        nearest_profile: the known profile nearest to the metric, None unless conventions give all its values.
        behaviour: edge case -> what the metric does; behaviour_of_reference: edge case -> what the reference
            does.
        fresh_inputs: number of values of the metric on fresh, realistic inputs; fresh_inputs_met: number of
            these values that the conventions predict or, if the order of tied documents follows no rule, that
            some order gives.
        kinds_caught: number of kinds of change (to the reference) that would change at least three values on
            the fresh inputs; kinds_missed: the remaining kinds, in words that follow "it would not show if".
            0 and empty unless the metric agrees.
        kinds_without_effect: kinds of change that change no value of the measure on several sets of inputs.
        longest_list: number of documents in the longest list on which the metric gave values; most_queries:
            most queries in one call; 0 in older documents. one_relevant: whether the call passes the one
            relevant document of a query, so that no query of the inputs has more.
        tolerance: the tolerance with which values were compared: the smallest of several with which the
            fewest values contradict the conventions; precision: whether this is the tolerance of double
            precision, of single precision (relative; called ``relative`` if some values are not in single
            precision) or of the printed decimals; None in older documents.
        accepts: inputs on which the metric returns a value and the reference fails.
        refused: a sentence on the inputs out of the ordinary on which the metric gives no value, with the
            smallest of them and what the metric says of it; empty if there are none, and in older documents.
        properties: findings on properties of the metric.
        recognised: the measure or formula that the metric computes instead, if one gives all its values.
        where: conditions on the inputs with unexplained values, if one or two conditions describe them.
    """

    _rows: ClassVar[str] = "fingerprint"

    @property
    def cut_short(self) -> bool:
        """Whether the time limit was reached too early for a verdict, and no value differed until then."""
        return self.verdict == "uncallable" and self.experiments > 0

    @property
    def gave_one_number(self) -> bool:
        """Whether the metric gave one number, or none, for every ranking that was tried."""
        return (self.message or "").endswith(EVERY_RANKING)

    @property
    def plainly_agrees(self) -> bool:
        """Whether the metric agrees, and the inputs would have shown every kind of change."""
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
    one_relevant: bool = False
    tolerance: float = 1e-9
    precision: Precision | None = None
    notes: list[str] = []
    strength: Strength | None = None
    doubt: str = ""
    rivals: list[str] = []
    message: str | None = None
    accepts: list[Accepted] = []
    refused: str = ""
    properties: list[PropertyFinding] = []
    behaviour_of_reference: dict[str, str] = {}
    recognised: Recognised | None = None
    where: Where | None = None


class _OfMetric(Shown, Struct, frozen=True, kw_only=True):
    """The fields that both documents have."""

    schema_version: int
    tool: Tool
    environment: Environment


class AuditDocument(_OfMetric, frozen=True, kw_only=True):
    """The document written by ``crosscheck audit --report json``."""

    audit: Audit
    _rows: ClassVar[str] = "audit.fingerprint"


class PropertyDocument(_OfMetric, frozen=True, kw_only=True):
    """The document written by ``crosscheck audit --properties --report json``."""

    properties: PropertyReport
    _rows: ClassVar[str] = "properties.properties"
