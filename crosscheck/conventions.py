"""The axes along which IR metric implementations differ, and the named points on them.

A :class:`Conventions` says, axis by axis, how a measure is computed. The native measures take it as
their only option bag, so "what would this number be under tool X's rules" is one function call. A
profile is a named :class:`Conventions`; profiles are data, in ``profiles.toml``.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, fields, replace
from enum import StrEnum
from functools import cache
from typing import Any, TypeAlias

from crosscheck.errors import UsageError

__all__ = ["AxisValue", "Conventions", "Profile", "conventions", "profiles"]

AxisValue: TypeAlias = str | int | None


class Order(StrEnum):
    """What a ranking is sorted by."""

    SCORE = "score"
    RANK_COLUMN = "rank-column"
    INPUT = "input"


class Ties(StrEnum):
    """Order of documents that the first key leaves tied.

    ``best`` and ``worst``: relevant documents first or last. ``average``: the expected value over all orders
    (P, R, Success, Rprec, AP, RR, DCG, nDCG; other measures keep input order). ``group-end``: precision is
    taken behind each group (AP without a cutoff; other measures keep input order). ``quicksort``: as the sort
    of numba leaves them, in input order up to 15 documents and shuffled from there on; ``quicksort-twice``:
    sorted so a second time.
    """

    DOCID_DESC = "docid-desc"
    DOCID_ASC = "docid-asc"
    INPUT = "input"
    REVERSE_INPUT = "reverse-input"
    RANK_COLUMN = "rank-column"
    BEST = "best"
    WORST = "worst"
    AVERAGE = "average"
    GROUP_END = "group-end"
    QUICKSORT = "quicksort"
    QUICKSORT_TWICE = "quicksort-twice"


class ScorePrecision(StrEnum):
    """Precision in which scores are compared."""

    FLOAT32 = "float32"
    FLOAT64 = "float64"


class SpecialScores(StrEnum):
    """Scores that are no ordinary numbers.

    ``nan-last``: a NaN stands behind all numbers, every other score counts. ``nan-keeps-place``: Python's
    sort, in which nothing is smaller than a NaN. ``nonpositive-dropped``: documents with a score of 0 or
    below count as not retrieved.
    """

    NAN_LAST = "nan-last"
    NAN_KEEPS_PLACE = "nan-keeps-place"
    NONPOSITIVE_DROPPED = "nonpositive-dropped"


class Duplicates(StrEnum):
    """A docno twice in one ranking: refused; the first or the last line of it; or each line counts."""

    ERROR = "error"
    FIRST = "first"
    LAST = "last"
    EACH = "each"


class IdenticalIds(StrEnum):
    """A retrieved document whose docno is the id of its own query."""

    KEPT = "kept"
    REMOVED = "removed"


class Ids(StrEnum):
    """When two ids (of queries or documents) are the same: exact bytes; without regard to letter case;
    without the blanks around them; or as integers (``01`` is ``1``)."""

    EXACT = "exact"
    CASE = "case"
    STRIP = "strip"
    INT = "int"


class Universe(StrEnum):
    """The documents that exist for a query: all judged ones, or only those that the run retrieved."""

    QRELS = "qrels"
    RETRIEVED = "retrieved"


class Unjudged(StrEnum):
    """What happens to retrieved documents without a judgement: they are nonrelevant; they are removed; or
    they count as judged at a default level, which adds nothing to R and to ideal lists."""

    NONRELEVANT = "nonrelevant"
    REMOVED = "removed"
    LEVEL_0 = "level-0"
    LEVEL_1 = "level-1"
    LEVEL_2 = "level-2"
    LEVEL_3 = "level-3"
    LEVEL_4 = "level-4"

    @property
    def level(self) -> int | None:
        """The default level, or None."""
        name, _, level = self.value.partition("-")
        return int(level) if name == "level" else None


class Negatives(StrEnum):
    """How a negative relevance level is read.

    ``relevant``: bpref takes such a document for a relevant one where it was retrieved, and for a judged
    nonrelevant one where it counts those (trectools); other measures do not look.
    """

    UNJUDGED = "unjudged"
    NONRELEVANT = "nonrelevant"
    RELEVANT = "relevant"


class Gain(StrEnum):
    """Gain of a relevance level ``r > 0``: r, 2^r - 1, or 1."""

    LINEAR = "linear"
    EXPONENTIAL = "exponential"
    BINARY = "binary"


class Discount(StrEnum):
    """Divisor at rank i: log2(i + 1); 1 at rank 1 then log2(i), or ln(i); ln(i + 1); i; or none."""

    LOG2 = "log2(i+1)"
    JARVELIN = "jarvelin"
    LN_JARVELIN = "ln-jarvelin"
    LN = "ln(i+1)"
    RANK = "rank"
    NONE = "none"


class Ideal(StrEnum):
    """The list that DCG is normalised by.

    ``qrels``: all judged documents, cut at k. ``retrieved``: the retrieved list itself, sorted.
    ``hits-returned``: all judged documents, cut at the number retrieved. ``max-grade``: the highest level
    of the whole qrels at every position. ``untruncated``: all judged documents, not cut at k.
    """

    QRELS = "qrels"
    RETRIEVED = "retrieved"
    HITS_RETURNED = "hits-returned"
    MAX_GRADE = "max-grade"
    UNTRUNCATED = "untruncated"


class PrecisionDenominator(StrEnum):
    """What P@k divides by."""

    K = "k"
    MIN_K_RETRIEVED = "min(k,retrieved)"
    JUDGED = "judged"


class RecallDenominator(StrEnum):
    """What recall divides by (R: relevant documents in the qrels; retrieved-R: those in the run)."""

    R = "R"
    MIN_R_K = "min(R,k)"
    RETRIEVED_R = "retrieved-R"


class RprecDenominator(StrEnum):
    """What R-precision divides by."""

    R = "R"
    MIN_R_RETRIEVED = "min(R,retrieved)"


class ApDenominator(StrEnum):
    """What average precision divides by."""

    R = "R"
    RETRIEVED_RELEVANT = "retrieved-relevant"
    MIN_R_K = "min(R,k)"


class BprefForm(StrEnum):
    """The form of bpref.

    ``trec_eval``: 1 - min(n, R) / min(N, R), and 1 where nothing is judged nonrelevant (N = 0);
    ``zero-when-no-nonrelevant`` and ``nan-when-no-nonrelevant`` (where a relevant document was retrieved)
    differ there only. ``over-R``: the first
    paper's 1 - min(n, R) / R. ``bpref-10``: 1 - min(n, 10 + R) / (10 + R).
    """

    TREC_EVAL = "trec_eval"
    ZERO_WHEN_NO_NONRELEVANT = "zero-when-no-nonrelevant"
    NAN_WHEN_NO_NONRELEVANT = "nan-when-no-nonrelevant"
    OVER_R = "over-R"
    BPREF_10 = "bpref-10"


class RecallPoints(StrEnum):
    """Number of relevant documents that recall point p asks for: floor(pR + 0.9); round(pR); or the fewest
    whose share of R is at least p (``floor+0.9`` without its rounding errors)."""

    FLOOR = "floor+0.9"
    ROUND = "round"
    EXACT = "exact"


class GeometricFloor(StrEnum):
    """What a geometric mean does with small values: max(x, 0.00001); 0.00001 for 0 only; or nothing."""

    MAX = "max"
    REPLACE_ZERO = "replace-zero"
    NONE = "none"


class MissingQueries(StrEnum):
    """A judged query without results: no value, 0.0, or NaN; or also no value, or NaN, where something is
    relevant and nothing of it was found among the documents that the measure looks at (down to its cutoff,
    for Rprec to R); or also no value where nothing was found in the whole ranking."""

    DROPPED = "dropped"
    ZERO = "zero"
    NAN = "nan"
    NAN_WITHOUT_HITS = "nan-without-hits"
    DROPPED_WITHOUT_HITS = "dropped-without-hits"
    DROPPED_WITHOUT_RELEVANT = "dropped-without-relevant"


class NoRelevant(StrEnum):
    """Value of a query whose qrels hold nothing relevant."""

    ZERO = "zero"
    ONE = "one"
    SKIP = "skip"
    NAN = "nan"


class QuerySet(StrEnum):
    """Which queries the mean is divided by: those with a value, all judged ones, or all of the run.

    Sums (``NumQ``, ``NumRel``, ``NumRet``) count what is known of these queries, a geometric mean over all
    judged ones takes its floor for those without results.
    """

    RUN_AND_QRELS = "run-and-qrels"
    QRELS = "qrels"
    RUN = "run"


@dataclass(frozen=True, slots=True)
class Conventions:
    """How a measure is computed, axis by axis. The defaults are trec_eval 9.0.8.

    Attributes:
        relevance_level: lowest level that counts as relevant (trec_eval ``-l``), at least 1 in practice.
        depth: number of documents kept per query after sorting (trec_eval ``-M``), or None.
        judged_depth: number of judged documents that bpref looks at, or None.
        rr_cutoff: rank after which reciprocal rank is 0, or None.
        rounding: decimals the result is rounded to, or None.

    The other attributes are enumerations of this module; each accepts its text (``gain="exponential"``).
    """

    order: Order = Order.SCORE
    ties: Ties = Ties.DOCID_DESC
    score_precision: ScorePrecision = ScorePrecision.FLOAT32
    special_scores: SpecialScores = SpecialScores.NAN_LAST
    duplicates: Duplicates = Duplicates.ERROR
    identical_ids: IdenticalIds = IdenticalIds.KEPT
    ids: Ids = Ids.EXACT
    universe: Universe = Universe.QRELS
    depth: int | None = None
    unjudged: Unjudged = Unjudged.NONRELEVANT
    judged_depth: int | None = None
    negatives: Negatives = Negatives.UNJUDGED
    relevance_level: int = 1
    gain: Gain = Gain.LINEAR
    discount: Discount = Discount.LOG2
    ideal: Ideal = Ideal.QRELS
    precision_denominator: PrecisionDenominator = PrecisionDenominator.K
    recall_denominator: RecallDenominator = RecallDenominator.R
    ap_denominator: ApDenominator = ApDenominator.R
    rprec_denominator: RprecDenominator = RprecDenominator.R
    rr_cutoff: int | None = None
    bpref_form: BprefForm = BprefForm.TREC_EVAL
    recall_points: RecallPoints = RecallPoints.FLOOR
    geometric_floor: GeometricFloor = GeometricFloor.MAX
    missing_queries: MissingQueries = MissingQueries.DROPPED
    no_relevant: NoRelevant = NoRelevant.ZERO
    query_set: QuerySet = QuerySet.RUN_AND_QRELS
    rounding: int | None = None

    def with_changes(self, **changes: AxisValue) -> Conventions:
        """A copy with some axes changed, each given as its text or number.

        Raises:
            UsageError: an axis or value that does not exist; the message lists those that do.
        """
        return replace(self, **{axis: _coerced(axis, value) for axis, value in changes.items()})

    def changes_from(self, base: Conventions) -> dict[str, AxisValue]:
        """Axes on which ``self`` differs from ``base``, with the values of ``self``."""
        return {
            f.name: plain(getattr(self, f.name))
            for f in fields(self)
            if getattr(self, f.name) != getattr(base, f.name)
        }


def plain(value: Any) -> AxisValue:
    """An axis value as plain text, number or None."""
    return str(value) if isinstance(value, StrEnum) else value


_ENUMS: dict[str, type[StrEnum]] = {
    f.name: type(f.default) for f in fields(Conventions) if isinstance(f.default, StrEnum)
}
_NUMBERS = {f.name for f in fields(Conventions)} - _ENUMS.keys()


def _coerced(axis: str, value: AxisValue) -> Any:
    if axis in _ENUMS:
        try:
            return _ENUMS[axis](str(value))
        except ValueError:
            options = ", ".join(_ENUMS[axis])
            raise UsageError(f"{axis} has no value {value!r}", hint=f"it takes one of: {options}") from None
    if axis not in _NUMBERS:
        options = ", ".join(f.name for f in fields(Conventions))
        raise UsageError(f"there is no convention axis {axis!r}", hint=f"the axes are: {options}")
    if value is None or value == "none":
        if axis == "relevance_level":
            raise UsageError("relevance_level needs a whole number")
        return None
    try:
        return int(value)
    except ValueError:
        raise UsageError(f"{axis} needs a whole number or none, not {value!r}") from None


@dataclass(frozen=True, slots=True)
class Profile:
    """A tool's conventions.

    Attributes:
        name: such as ``trec_eval-9.0.8``.
        conventions: axis values.
        description: one sentence.
        evidence: ``run`` (observed by running the tool) or ``read`` (taken from its source).
        source: tool and version it was taken from.
    """

    name: str
    conventions: Conventions
    description: str
    evidence: str
    source: str


#: The profile that the defaults are.
_DEFAULT = "trec_eval-9.0.8"


@cache
def profiles() -> dict[str, Profile]:
    """All named profiles, in the order of ``profiles.toml``."""
    import tomllib

    with open(os.path.join(os.path.dirname(__file__), "profiles.toml"), "rb") as file:
        table = tomllib.load(file)
    found: dict[str, Profile] = {}
    for name, entry in table.items():
        base = found[entry.pop("base")].conventions if "base" in entry else Conventions()
        about = {key: entry.pop(key) for key in ("description", "evidence", "source")}
        found[name] = Profile(name, base.with_changes(**entry), **about)
    return found


def conventions(spec: str | Conventions) -> Conventions:
    """Conventions from a text: a profile name, axis settings, or both, separated by commas.

    ``"trec_eval-10"``, ``"gain=exponential"``, ``"trec_eval-9.0.8,missing_queries=zero"``. Settings
    without a profile start from ``trec_eval-9.0.8``.

    Raises:
        UsageError: an unknown profile, axis or value.
    """
    if isinstance(spec, Conventions):
        return spec
    result = Conventions()
    if spec == _DEFAULT:
        return result  # without reading all the others
    # min(R,k) and the like hold commas: a comma separates only where a profile or an axis follows.
    parts: list[str] = []
    for part in spec.split(","):
        if parts and "=" not in part and part not in profiles():
            parts[-1] += "," + part
        else:
            parts.append(part)
    for part in parts:
        axis, equals, value = part.partition("=")
        if equals:
            result = result.with_changes(**{axis.strip().replace("-", "_"): value.strip()})
        elif part in profiles():
            result = profiles()[part].conventions
        else:
            import difflib

            near = difflib.get_close_matches(part, profiles(), 1)
            raise UsageError(
                f"there is no profile {part!r}" + (f"; did you mean {near[0]}?" if near else ""),
                hint="crosscheck profiles lists them",
            )
    return result
