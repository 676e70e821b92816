"""The document of a comparison of systems."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from crosscheck.impact_records import TestName
from crosscheck.study_records.base import OnQrels

__all__ = ["CompareDocument", "MeasureComparison", "Pair", "PairedTest", "SystemScore"]


@dataclass(frozen=True, slots=True)
class PairedTest:
    """One test between two systems.

    Attributes:
        statistic: of the sign test, the number of queries on which b is better; of the Wilcoxon test, the
            smaller rank sum; of the t-test, t; of the randomisation test, the mean difference. None if the
            test cannot be made.
        p: two-sided p-value, or None if the test cannot be made.
        p_holm: ``p`` after Holm's correction for all pairs of the measure, if there were several.
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
        queries: number of queries for which both systems have a value.
        better, worse, equal: number of queries on which b is better than, worse than or equal to a.
        difference: the mean difference; interval: its Student confidence interval at the document's level.
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
        test, correction, alpha: the criterion of ``significant``.
        confidence: level of the confidence intervals.
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
