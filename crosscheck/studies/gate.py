"""A relevance gate: is a new run worse than an old one, whatever the order of tied documents?"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from crosscheck.axes.missing_queries import MISSING_QUERIES, MissingQueries
from crosscheck.axes.ties import Ties
from crosscheck.conventions import Conventions
from crosscheck.conventions import conventions as parse_conventions
from crosscheck.diagnosis.tie_sensitivity import range_of
from crosscheck.engine.conversion import QrelsLike, RunLike, as_qrels, as_run
from crosscheck.errors import ArgumentError, EmptyInput, no_such, quoted
from crosscheck.evaluation.rankings import Rankings
from crosscheck.evaluation.recomputer import Recomputer
from crosscheck.evaluation.sentence import sentences
from crosscheck.evaluation.summary import summary_of
from crosscheck.harness.environment import environment
from crosscheck.impact_records import TestName
from crosscheck.measures import needs_of
from crosscheck.model import FloatArray, Measure, display
from crosscheck.rankings.pairing import JudgedPool
from crosscheck.results import Number, number
from crosscheck.statistics.impact_words import TEST_NAMES
from crosscheck.statistics.paired import TESTS, holm, mean, randomisation_test
from crosscheck.studies.named_runs import TOOL, joined, parsed_measures
from crosscheck.study_records.gate import FallenDocument, FallenQuery, GateDocument, GateMeasure, GateVerdict

__all__ = ["gate"]

#: Values closer than this are the same.
_SAME = 1e-12
#: Most measures whose reasons are in the summary.
_TOLD = 4
#: Verdicts from best to worst; the worst verdict on a measure is the verdict of the gate.
_RANK: tuple[GateVerdict, ...] = ("pass", "inconclusive", "fail")
#: Most documents listed per query, and the rank down to which unjudged documents are counted if the measure
#: has no cutoff.
_LISTED, _DEPTH = 3, 10


def gate(
    qrels: QrelsLike,
    old: RunLike,
    new: RunLike,
    measures: Sequence[str] = (),
    *,
    conventions: str | Conventions = "trec_eval-9.0.8",
    test: TestName = "randomisation",
    alpha: float = 0.05,
    tolerance: float = 0.0,
    allow_missing: int = 0,
) -> GateDocument:
    """Decide whether a new run is worse than an old one; higher values are taken as better.

    A query falls if the best order of the new run's tied documents is worse than the worst order of the
    old run's. A difference that the order of tied documents explains never makes the gate fail.

    Args:
        qrels, old, new: as for :func:`crosscheck.evaluate`; a run may be empty.
        measures: their names; empty for the default measures.
        conventions: conventions of the values; their ``score_precision`` decides which documents are tied.
        test, alpha: decide, after Holm's correction over the measures, whether a drop is significant. If the
            same drop in every query leaves the t-test without a value, the randomisation test decides.
        tolerance: a drop of the mean up to this passes, even if it is significant.
        allow_missing: number of judged queries that may be without results in either run; they count as 0.

    Returns:
        The document. Its verdict is ``fail`` if a measure falls significantly. It is ``inconclusive`` if a
        run has no results for judged queries, if so few queries are judged that no fall could be
        significant, or if the new run ties so many documents that only their order decides. Else ``pass``.

    Raises:
        InputError: an input cannot be used.
        UsageError: an unknown name or level, or scipy is not installed.
    """
    if test not in TESTS:
        raise no_such("test", test, TESTS, ArgumentError)
    if not 0 < alpha < 1:
        raise ArgumentError(f"a level of significance lies between 0 and 1, not at {alpha!r}")
    if not 0 <= tolerance < math.inf or allow_missing < 0:
        raise ArgumentError("a tolerance and a number of missing queries are at least 0")
    spec = parse_conventions(conventions).having(MISSING_QUERIES, MissingQueries.ZERO)
    wanted = parsed_measures(measures)
    judgements = as_qrels(qrels, needs=needs_of(wanted))
    pool = JudgedPool(judgements)
    sides = [_Side.of(run, pool) for run in (old, new)]
    missing = [[topic for topic in judgements.topics if topic not in side.topics] for side in sides]
    absent = len(set(missing[0]) | set(missing[1]))
    found: list[GateMeasure] = []
    if absent <= allow_missing and absent < len(judgements.topics):
        rankings = [side.rankings for side in sides if side.rankings is not None]
        compared = [_compared(measure, spec, rankings[0], rankings[1]) for measure in wanted]
        found = _measures(compared, test, alpha, tolerance)
    gone = [[display(topic) for topic in side] for side in missing]
    verdict = _RANK[max((_RANK.index(m.verdict) for m in found), default=1)]
    return GateDocument(
        tool=TOOL,
        environment=environment(),
        qrels=judgements.source,
        old=sides[0].source,
        new=sides[1].source,
        test=test,
        alpha=alpha,
        tolerance=tolerance,
        allow_missing=allow_missing,
        judged=len(judgements.topics),
        old_missing=gone[0],
        new_missing=gone[1],
        verdict=verdict,
        measures=found,
        notes=[*judgements.notes, *(note for side in sides for note in side.notes)],
        summary=_summary(verdict, found, len(judgements.topics), gone),
        sentences=sentences({one.measure: one.queries for one in found}, spec),
    )


@dataclass(frozen=True, eq=False)
class _Side:
    """One run and its judged queries; ``rankings`` is None if it has no results for judged queries."""

    source: str
    topics: frozenset[bytes] = frozenset()
    rankings: Rankings | None = None
    notes: Sequence[str] = ()

    @staticmethod
    def of(given: RunLike, pool: JudgedPool) -> _Side:
        try:
            run = as_run(given)
        except EmptyInput as error:
            return _Side(error.path, notes=[f"{quoted(error.path)}: {error.message}."])
        rankings = Rankings(run, pool)
        beside = int(rankings.pairing.unjudged.sum())
        left_out = (
            [f"{_queries(beside)} of {quoted(run.source)} left out: without judgements."] if beside else []
        )
        topics = frozenset(rankings.pairing.topics)
        return _Side(run.source, topics, rankings if topics else None, [*run.notes, *left_out])


@dataclass(frozen=True, eq=False)
class _Values:
    """A measure on one run: arrays over the judged queries in byte order, NaN where there is no value.

    ``worst``, ``best`` and ``expected`` are over all orders of tied documents; any of them that is not known
    is ``value``. ``bounded``: whether ``worst`` and ``best`` are known, or no documents are tied.
    """

    view: Recomputer
    value: FloatArray
    worst: FloatArray
    best: FloatArray
    expected: FloatArray
    bounded: bool

    @staticmethod
    def of(rankings: Rankings, measure: Measure, spec: Conventions) -> _Values:
        view = Recomputer(rankings, measure, spec)
        found, judged = range_of(view), ~rankings.pairing.unjudged

        def over_judged(values: FloatArray | None) -> FloatArray:
            held = found.value if values is None else values
            return np.asarray(np.where(found.present, held, np.nan)[judged])

        bounded = found.worst is not None or not view.tied(ties=str(Ties.AVERAGE)).any()
        value, worst, best, expected = map(
            over_judged, (found.value, found.worst, found.best, found.expected)
        )
        return _Values(view, value, worst, best, expected, bounded)

    def mean(self, values: FloatArray) -> Number | None:
        """The summary of the finite values: their mean, sum or geometric mean, as the measure has it."""
        found = summary_of(values[np.isfinite(values)], self.view.family.aggregate)
        return None if found is None else number(found)

    def documents(self) -> dict[bytes, dict[bytes, tuple[int, int]]]:
        """Topic -> docno -> rank and level, for the judged documents that were retrieved, in rank order."""
        read, ranked = self.view.as_read, self.view.judged
        docnos = read.pairing.run.docnos[read.rows(self.view.conventions)].tolist()
        found: dict[bytes, dict[bytes, tuple[int, int]]] = {}
        for topic, *entry in zip(
            ranked.topic.tolist(), docnos, ranked.rank.tolist(), ranked.rel.tolist(), strict=True
        ):
            found.setdefault(read.pairing.topics[topic], {})[entry[0]] = entry[1], entry[2]
        return found

    def retrieved(self) -> dict[bytes, int]:
        """Topic -> number of retrieved documents."""
        return dict(zip(self.view.as_read.pairing.topics, self.view.judged.num_ret.tolist(), strict=True))


@dataclass(frozen=True, eq=False)
class _Compared:
    """One measure on both runs, over the queries that have a number on both sides.

    Attributes:
        rows: indices of these queries among the judged ones; lost: number of queries with a number on one
            side only.
        beyond: the part of each query's difference, new minus old, that no order of tied documents explains.
        expected: each query's difference, new minus old, of the means over all orders of tied documents.
    """

    measure: Measure
    old: _Values
    new: _Values
    rows: list[int]
    lost: int
    beyond: list[float]
    expected: list[float]

    @property
    def widened(self) -> bool:
        """Whether the ranges from worst to best value are wider in sum in the new run than in the old one."""
        old, new = (side.best[self.rows] - side.worst[self.rows] for side in (self.old, self.new))
        return bool(new.sum() > old.sum() + _SAME)


def _compared(measure: Measure, spec: Conventions, old: Rankings, new: Rankings) -> _Compared:
    one, other = (_Values.of(rankings, measure, spec) for rankings in (old, new))
    numbers = [np.isfinite(side.value) for side in (one, other)]
    rows = np.flatnonzero(numbers[0] & numbers[1])
    fall = np.minimum(other.best - one.worst, 0.0)[rows]
    rise = np.maximum(other.worst - one.best, 0.0)[rows]
    beyond = np.where(np.abs(fall + rise) > _SAME, fall + rise, 0.0)
    expected = (other.expected - one.expected)[rows]
    lost = int((numbers[0] ^ numbers[1]).sum())
    return _Compared(measure, one, other, rows.tolist(), lost, beyond.tolist(), expected.tolist())


def _measures(
    compared: Sequence[_Compared], test: TestName, alpha: float, tolerance: float
) -> list[GateMeasure]:
    p = holm([_p(test, c.beyond) for c in compared])
    expected = holm([_p(test, c.expected) for c in compared])
    made = []
    for c, of_beyond, of_expected in zip(compared, p, expected, strict=True):
        verdict, reason = _verdict(c, of_beyond, of_expected, test, alpha, tolerance)
        fallen = sorted(
            (place for place, d in enumerate(c.beyond) if d < 0), key=lambda place: c.beyond[place]
        )
        made.append(
            GateMeasure(
                measure=str(c.measure),
                verdict=verdict,
                reason=reason,
                queries=len(c.rows),
                old=c.old.mean(c.old.value),
                new=c.new.mean(c.new.value),
                old_ties=_interval(c.old),
                new_ties=_interval(c.new),
                difference=mean(c.beyond),
                p=of_beyond,
                rose=sum(d > 0 for d in c.beyond),
                fell=len(fallen),
                fallen=_fallen(c, fallen),
            )
        )
    return made


def _p(test: TestName, differences: Sequence[float]) -> float | None:
    """The p-value of a test; that of the randomisation test if the first has none (equal differences)."""
    p = TESTS[test](differences).p
    return randomisation_test(differences).p if p is None else p


def _verdict(
    c: _Compared, p: float | None, p_expected: float | None, test: TestName, alpha: float, tolerance: float
) -> tuple[GateVerdict, str]:
    """The verdict on one measure, and its reason."""
    drop, expected = -(mean(c.beyond) or 0.0), -(mean(c.expected) or 0.0)
    told = f"falls by {drop:.4f}, whatever the order of tied documents"
    if c.lost or not c.rows:
        return "inconclusive", f"{_queries(c.lost)} have a value in one run only" if c.lost else "no values"
    if drop > tolerance:
        if p is not None and p < alpha:
            if c.old.bounded and c.new.bounded:
                return "fail", f"{told}, on {_queries(sum(d < 0 for d in c.beyond))} ({_said(p, test)})"
            return "inconclusive", "documents are tied, and the best and worst order of them are not known"
        if _least(test, len(c.rows)) >= alpha:
            few = f"{_queries(len(c.rows))} are too few for any fall to be significant at {alpha:g}"
            return "inconclusive", f"{told}, but {few}"
    if c.widened and expected > tolerance and p_expected is not None and p_expected < alpha:
        how = _said(p_expected, test)
        tied = f"falls by {expected:.4f} on average over all orders of tied documents ({how})"
        return "inconclusive", f"{tied}, and the new run has more of these than the old one"
    if not any(c.beyond):
        moved = bool((c.old.value[c.rows] != c.new.value[c.rows]).any())
        return (
            "pass",
            "the order of tied documents explains every difference" if moved else "no value differs",
        )
    if drop <= 0:
        return "pass", f"rises by {-drop:.4f}, whatever the order of tied documents"
    if p is not None and p < alpha:
        return "pass", f"{told}, which is within the tolerance of {tolerance:g}"
    return "pass", f"{told}, which is not significant" + ("" if p is None else f" ({_said(p, test)})")


def _least(test: TestName, queries: int) -> float:
    """The lowest p-value that a test can give for this number of queries."""
    if queries < 2:
        return 1.0
    return 0.0 if test == "t" else 2.0 ** (1 - queries)


def _said(p: float, test: TestName) -> str:
    return f"p {'< 0.0001' if p < 0.0001 else f'= {p:.4f}'}, {TEST_NAMES[test]}"


def _interval(values: _Values) -> tuple[Number, Number] | None:
    low, high = values.mean(values.worst), values.mean(values.best)
    return (low, high) if values.bounded and low is not None and high is not None else None


def _fallen(c: _Compared, places: Sequence[int]) -> list[FallenQuery]:
    """The queries that fell, and the documents that made them fall; ``places``: indices into ``c.rows``."""
    if not places:
        return []
    topics, depth = c.old.view.qrels.topics, c.measure.cutoff or _DEPTH
    sides = c.old, c.new
    ranked, retrieved = [side.documents() for side in sides], [side.retrieved() for side in sides]
    made = []
    for place in places:
        row = c.rows[place]
        before, after = (held.get(topics[row], {}) for held in ranked)
        fell = [
            FallenDocument(display(docno), level, rank, after.get(docno, (None,))[0])
            for docno, (rank, level) in before.items()
            if level >= c.old.view.relevance_level
            and rank <= (c.measure.cutoff or math.inf)
            and (docno not in after or after[docno][0] > rank)
        ]
        fell.sort(key=lambda document: (-document.level, document.old_rank))
        made.append(
            FallenQuery(
                query=display(topics[row]),
                old=number(float(c.old.value[row])),
                new=number(float(c.new.value[row])),
                difference=c.beyond[place],
                documents=fell[:_LISTED],
                more=max(0, len(fell) - _LISTED),
                depth=depth,
                old_unjudged=_unjudged(before, retrieved[0].get(topics[row], 0), depth),
                new_unjudged=_unjudged(after, retrieved[1].get(topics[row], 0), depth),
            )
        )
    return made


def _unjudged(judged: Mapping[bytes, tuple[int, int]], retrieved: int, depth: int) -> int:
    return min(depth, retrieved) - sum(rank <= depth for rank, _ in judged.values())


def _queries(count: int) -> str:
    return f"{count:,} {'query' if count == 1 else 'queries'}"


def _summary(
    verdict: GateVerdict, measures: Sequence[GateMeasure], judged: int, missing: Sequence[Sequence[str]]
) -> str:
    if measures:
        told = [f"{m.measure}: {m.reason}" for m in measures if m.verdict == verdict]
        rest = [f"the same verdict on {len(told) - _TOLD:,} more"] if len(told) > _TOLD else []
        return f"{verdict.upper()}. {'; '.join([*told[:_TOLD], *rest])}."
    sides = [
        f"the {name} run has no results for {len(gone):,} of {_queries(judged).replace(' ', ' judged ', 1)}"
        for name, gone in zip(("old", "new"), missing, strict=True)
        if gone
    ]
    return f"{verdict.upper()}. Nothing was compared: {joined(sides)}."
