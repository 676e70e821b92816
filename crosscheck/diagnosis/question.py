"""The question of a diagnosis: the values, the differing queries, and facts known before any
recomputation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from msgspec.structs import replace

from crosscheck.axes.summaries import AVERAGING, MAX_ULP, QuerySet
from crosscheck.compare import Aligned, Differences, align, equal
from crosscheck.conventions import AxisValue
from crosscheck.evaluation.recomputer import Recomputer
from crosscheck.evaluation.summarise import count_elsewhere
from crosscheck.evaluation.summary import summary_of_total
from crosscheck.hypotheses.evidence import Evidence
from crosscheck.hypotheses.number_format import PROOF_TOLERANCE, SINGLE, in_single_precision
from crosscheck.hypotheses.search import Search
from crosscheck.hypotheses.tie_orders import TieOrders
from crosscheck.measures.base import sequential_sum
from crosscheck.model import BoolArray, MeasureValues

__all__ = ["Question", "is_noise", "leaks"]


@dataclass(frozen=True, slots=True, eq=False)
class Question:
    """Values to be explained.

    Attributes:
        observed: the candidate's values over all topics.
        considered: mask of the queries for which either side has a value; mismatching: mask of the queries
            that differ.
        foreign: differing topics that are in neither run nor qrels: nothing can reproduce them.
        leak: whether the candidate's mean is not a mean of its own values.
        orders: the values that orders of tied documents can give.
        likely: changed axes that explain other measures of the candidate.
    """

    situation: Recomputer
    search: Search
    observed: Aligned
    considered: BoolArray
    mismatching: BoolArray
    foreign: tuple[bytes, ...]
    leak: bool
    orders: TieOrders
    likely: Mapping[str, AxisValue]

    @classmethod
    def of(
        cls,
        situation: Recomputer,
        differences: Differences,
        candidate: MeasureValues,
        likely: Mapping[str, AxisValue],
    ) -> Question:
        """The question given by the arguments of :func:`crosscheck.diagnosis.diagnose.diagnose`."""
        all_topics = situation.rankings.pairing.all_topics
        observed = align(candidate, all_topics)
        matching = zip(differences.topics, differences.match.tolist(), strict=True)
        differing = {topic for topic, same in matching if not same}
        mismatching = np.fromiter((t in differing for t in all_topics), np.bool_, len(all_topics))
        leak = candidate.one_by_one and leaks(situation, observed)
        cells = bool(candidate.values) or candidate.mean is None
        considered = situation.evaluated(situation.base).present | observed.present
        return cls(
            situation=situation,
            search=Search(Evidence(situation, observed, not leak, cells), mismatching),
            observed=observed,
            considered=considered if cells else np.zeros(len(all_topics), np.bool_),
            mismatching=mismatching,
            foreign=tuple(sorted(differing - set(all_topics))),
            leak=leak,
            orders=TieOrders(situation, observed),
            likely=likely,
        )

    @property
    def differing(self) -> int:
        return int(self.mismatching.sum())

    @property
    def nowhere(self) -> BoolArray:
        return np.zeros(len(self.mismatching), np.bool_)


def is_noise(differences: Differences, observed: Aligned) -> bool:
    """Whether every difference is at most a few units in the last place, in the candidate's precision, and no
    value is missing."""
    if differences.missing.any() or not differences.mismatch.any():
        return False
    if in_single_precision(observed.values[observed.present]):
        ours, theirs = differences.reference.values, differences.candidate.values
        mean, own = differences.reference_mean or 0.0, differences.candidate_mean or 0.0
        alike = differences.mean_match or abs(mean - own) <= SINGLE * abs(mean)
        return alike and bool(np.all(np.abs(ours - theirs) <= SINGLE * np.abs(ours)))
    if not differences.mean_match:
        return False
    ulp = differences.ulp[differences.mismatch]
    return bool(np.all((ulp >= 0) & (ulp <= MAX_ULP)))


def leaks(situation: Recomputer, observed: Aligned) -> bool:
    """Whether the reported mean differs from the mean of the reported values for every plausible number of
    queries."""
    if observed.mean is None or not observed.present.any():
        return False
    about, rankings = situation.family, situation.rankings
    total = sequential_sum(observed.values[observed.present])
    if about.is_sum:
        elsewhere = (count_elsewhere(about, rankings, situation.relevance_level, of) for of in QuerySet)
        means: list[float | None] = [total + count for count in elsewhere]
    else:
        topics = (rankings.pairing.qrels.topics, rankings.pairing.run.topics)
        counts = {int(observed.present.sum()), *map(len, topics)}
        means = [summary_of_total(total, about.aggregate, count) for count in counts]
        means += [other.mean_of(observed.values) for other in _other_summaries(situation)]
    known = [mean for mean in means if mean is not None]
    theirs = np.full(len(known), observed.mean)
    return not equal(np.asarray(known), theirs, PROOF_TOLERANCE, observed.decimals).any()


def _other_summaries(situation: Recomputer) -> list[Recomputer]:
    """Recomputers with other summaries than that of ``situation``; empty if they cannot differ from it."""
    if not AVERAGING.gate(situation).any():
        return []
    summaries = AVERAGING.other_options(situation)
    return [replace(situation, base=situation.base.with_changes(averaging=other)) for other in summaries]
