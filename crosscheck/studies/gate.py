"""Is the run NEW worse than the run OLD?

PASS (exit code 0) if no measure falls significantly, FAIL (1) with the queries that fell and why, and
INCONCLUSIVE (3) if a run has no results for judged queries, or ties too many documents to tell. Only
the part of a difference counts that no order of documents with equal scores explains.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Literal, NamedTuple, TypeAlias

import click
import numpy as np
from msgspec import Struct

from crosscheck.axes.summaries import MISSING_QUERIES, MissingQueries
from crosscheck.axes.ties import Ties
from crosscheck.conventions import Conventions
from crosscheck.engine.conversion import QrelsLike, RunLike, as_run
from crosscheck.errors import ArgumentError, EmptyInput, count, joined, quoted
from crosscheck.evaluation.rankings import Rankings
from crosscheck.evaluation.recomputer import Recomputer
from crosscheck.evaluation.sentence import sentences
from crosscheck.evaluation.summarise import summary_of
from crosscheck.explain.ties import range_of
from crosscheck.harness.document import made_by
from crosscheck.model import FloatArray, Measure, display
from crosscheck.names import conventions_for
from crosscheck.rankings.pairing import JudgedPool, check_judged, notes_of
from crosscheck.report.page import Bullets, Id, Page, Paragraph, Section, Status, Table
from crosscheck.report.tables import EXACT, NONE, Field, figure, p_value, table, values
from crosscheck.report.words import files
from crosscheck.results import Number, TestName, as_float, number, optional
from crosscheck.statistics.impact import TEST_NAMES, check_significance
from crosscheck.statistics.paired import holm, mean, paired_tests
from crosscheck.studies.base import OnQrels, judged_by, study, study_page
from crosscheck.studies.options import CONVENTIONS, MEASURES, QRELS, TOLERANCE, option, run_file, significance

GateVerdict: TypeAlias = Literal["pass", "fail", "inconclusive"]

#: The largest difference between values that are taken as equal.
_SAME = 1e-12
#: The largest number of measures whose reasons are in the summary.
_REASONS = 4
#: Which changes of a query's value a mean change takes into account.
_BEYOND = "beyond what the order of tied documents can explain"
#: Verdicts from best to worst; the worst verdict on a measure is the verdict of the gate.
_RANK: tuple[GateVerdict, ...] = ("pass", "inconclusive", "fail")
#: The largest number of documents listed per query, and the depth to which unjudged documents are counted if
#: the measure has no cutoff.
_LISTED, _DEPTH = 3, 10


class FallenDocument(Struct, frozen=True, kw_only=True):
    """A relevant document that the new run ranks lower. ``new_rank`` is null if the new run does not retrieve
    the document."""

    docno: str
    level: int
    old_rank: int
    new_rank: int | None


class FallenQuery(Struct, frozen=True, kw_only=True):
    """A query whose value falls, whatever the order of tied documents.

    Attributes:
        old, new: the value on each run, with tied documents in the order that the conventions give.
        difference: the best value of the new run over all orders of its tied documents, minus the worst value
            of the old run over all orders of its tied documents; always below 0.
        documents: some relevant documents that fell, the most relevant first.
        more: number of further relevant documents that fell.
        old_unjudged, new_unjudged: number of unjudged documents among the first ``depth`` of each run.
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


class GateMeasure(Struct, frozen=True, kw_only=True):
    """The comparison of the new run with the old run in one measure.

    Attributes:
        reason: the reason for the verdict, in a few words.
        queries: number of judged queries with a value on both runs.
        old, new: the mean of each run.
        old_ties, new_ties: the lowest and highest mean of each run over all orders of its tied documents;
            null if these are not known.
        difference: mean over all queries of the part of the difference that no order of tied documents
            explains.
        p: p-value of this part, corrected over the measures; null if nothing could be tested.
        rose, fell: number of queries for which this part is above or below 0.
        fallen: the queries for which this part is below 0, the largest fall first.
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


class GateDocument(OnQrels, frozen=True, kw_only=True):
    """The result of ``crosscheck gate``, as written to JSON.

    Attributes:
        tolerance: a significant drop of the mean still passes if it is not larger than this.
        allow_missing: number of judged queries that may lack results in a run (their value is 0). If more
            queries lack results, the gate is inconclusive.
        judged: number of judged queries.
        old_missing, new_missing: judged queries without results in each run, in byte order.
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

    A query falls if its best value on the new run, over all orders of tied documents, is below its worst
    value on the old run. A difference that the order of tied documents explains never makes the gate fail.

    Args:
        qrels, old, new: as for :func:`crosscheck.evaluate`; a run may be empty.
        measures: their names; empty for the default measures.
        conventions: conventions of the values; their ``score_precision`` decides which documents are tied.
        test, alpha: a drop is significant if the p-value of the test, after Holm's correction over the
            measures, is below ``alpha``. The t-test has no value if every query drops by the same amount; the
            randomisation test is then used.
        tolerance: a drop of the mean up to this passes, even if it is significant.
        allow_missing: number of judged queries that may lack results in either run; their value is 0.

    Returns:
        The document. Its verdict is ``fail`` if a measure falls significantly. It is ``inconclusive`` if a
        run has no results for judged queries, if so few queries are judged that no fall could be
        significant, or if only the order of tied documents decides whether a significant fall is one. Else
        ``pass``.

    Raises:
        InputError: an input cannot be used.
        UsageError: an unknown name or level, or scipy is not installed.
    """
    check_significance(test, alpha)
    if not 0 <= tolerance < math.inf or allow_missing < 0:
        raise ArgumentError("tolerance and allow_missing must be at least 0")
    judged, wanted = judged_by(qrels, measures)
    specs = [conventions_for(conventions, m).having(MISSING_QUERIES, MissingQueries.ZERO) for m in wanted]
    pool = JudgedPool(judged)
    sources, ranked, notes = zip(*(_read(run, pool) for run in (old, new)), strict=True)
    found = [set(rankings.pairing.topics) if rankings else set() for rankings in ranked]
    missing = [[topic for topic in judged.topics if topic not in topics] for topics in found]
    absent = len({*missing[0], *missing[1]})
    results: list[GateMeasure] = []
    if absent <= allow_missing and absent < len(judged.topics):
        compared = [_Fall(m, spec, *ranked) for m, spec in zip(wanted, specs, strict=True)]
        results = [*_measures(compared, test, alpha, tolerance)]
    gone = [[display(topic) for topic in topics] for topics in missing]
    counts = ({m.measure: m.queries} for m in results)
    verdict = _RANK[max((_RANK.index(m.verdict) for m in results), default=1)]
    return GateDocument(
        **made_by(),
        qrels=judged.source,
        old=sources[0],
        new=sources[1],
        test=test,
        alpha=alpha,
        tolerance=tolerance,
        allow_missing=allow_missing,
        judged=len(judged.topics),
        old_missing=gone[0],
        new_missing=gone[1],
        verdict=verdict,
        measures=results,
        notes=list(dict.fromkeys(note for of in notes for note in of)),
        summary=_summary(verdict, results, len(judged.topics), gone),
        sentences=list(chain.from_iterable(map(sentences, counts, specs))),
    )


def _read(given: RunLike, pool: JudgedPool) -> tuple[str, Rankings | None, list[str]]:
    """Source, rankings and notes of a run; no rankings if the run has no results for judged queries."""
    try:
        run = as_run(given)
    except EmptyInput as error:
        return error.path, None, [f"{quoted(error.path)}: {error.message}."]
    rankings = Rankings(run, pool)
    check_judged([rankings.pairing])
    notes = notes_of(rankings.pairing)
    if beside := int(rankings.pairing.unjudged.sum()):
        notes.append(f"{count(beside, 'query')} of {quoted(run.source)} left out: without judgements.")
    return run.source, rankings if rankings.pairing.topics else None, notes


class _TiedValues:
    """A measure on one run: arrays over the judged queries in byte order, NaN where there is no value.

    ``worst``, ``best`` and ``expected`` are values over all orders of tied documents. If one of the three is
    not known, it equals ``value``. ``bounded``: whether ``worst`` and ``best`` are known, or no documents are
    tied.
    """

    def __init__(self, rankings: Rankings, measure: Measure, spec: Conventions) -> None:
        self.view = Recomputer(rankings, measure, spec)
        over, judged = range_of(self.view), ~rankings.pairing.unjudged
        self.value, self.worst, self.best, self.expected = (
            np.where(over.present, over.value if values is None else values, np.nan)[judged]
            for values in (over.value, over.worst, over.best, over.expected)
        )
        self.bounded = over.worst is not None or not self.view.tied(ties=str(Ties.AVERAGE)).any()

    def mean(self, values: FloatArray) -> Number | None:
        """The summary of the finite values: their mean, sum or geometric mean, as the measure has it."""
        return optional(summary_of(values[np.isfinite(values)], self.view.family.aggregate))

    def interval(self) -> tuple[Number, Number] | None:
        """The lowest and the highest mean that the order of tied documents gives; None if not known."""
        low, high = self.mean(self.worst), self.mean(self.best)
        return (low, high) if self.bounded and low is not None and high is not None else None

    def documents(self) -> dict[bytes, tuple[int, dict[bytes, tuple[int, int]]]]:
        """Topic -> number of retrieved documents, and docno -> rank and level of the judged ones, in rank
        order."""
        read, ranked = self.view.as_read, self.view.judged
        topics = read.pairing.topics
        documents: dict[bytes, tuple[int, dict[bytes, tuple[int, int]]]]
        documents = {t: (n, {}) for t, n in zip(topics, ranked.num_ret.tolist(), strict=True)}
        docnos = read.pairing.run.docnos[read.rows(self.view.conventions)].tolist()
        rows = zip(ranked.topic.tolist(), docnos, ranked.rank.tolist(), ranked.rel.tolist(), strict=True)
        for topic, docno, rank, level in rows:
            documents[topics[topic]][1][docno] = rank, level
        return documents


class _Fall:
    """One measure on both runs, over the queries that have a number on both sides.

    Attributes:
        rows: indices of these queries among the judged queries.
        lost: number of queries with a number on one side only.
        beyond: for each query, the part of the difference (new minus old) that no order of tied documents
            explains.
        expected: for each query, the difference (new minus old) between the two means over all orders of
            tied documents.
    """

    def __init__(self, measure: Measure, spec: Conventions, before: Rankings, after: Rankings) -> None:
        self.measure = measure
        old, new = self.old, self.new = [_TiedValues(of, measure, spec) for of in (before, after)]
        first, second = (np.isfinite(side.value) for side in (old, new))
        self.rows: list[int] = np.flatnonzero(first & second).tolist()
        self.lost = int((first ^ second).sum())
        moved = (np.minimum(new.best - old.worst, 0.0) + np.maximum(new.worst - old.best, 0.0))[self.rows]
        self.beyond: list[float] = np.where(np.abs(moved) > _SAME, moved, 0.0).tolist()
        self.expected: list[float] = (new.expected - old.expected)[self.rows].tolist()


class _Tested(NamedTuple):
    """A p-value, None if there is none, and the test that gives it."""

    p: float | None
    test: TestName

    def below(self, alpha: float) -> bool:
        return self.p is not None and self.p < alpha

    def __str__(self) -> str:
        p = math.nan if self.p is None else self.p
        return f"p {'< 0.0001' if p < 0.0001 else f'= {p:.4f}'}, {TEST_NAMES[self.test]}"


def _measures(compared: list[_Fall], test: TestName, alpha: float, tolerance: float) -> Iterator[GateMeasure]:
    beyond = _tested(test, [c.beyond for c in compared])
    expected = _tested(test, [c.expected for c in compared])
    for c, of_beyond, of_expected in zip(compared, beyond, expected, strict=True):
        verdict, reason = _verdict(c, of_beyond, of_expected, alpha, tolerance)
        fallen = sorted((i for i, d in enumerate(c.beyond) if d < 0), key=c.beyond.__getitem__)
        yield GateMeasure(
            measure=str(c.measure),
            verdict=verdict,
            reason=reason,
            queries=len(c.rows),
            old=c.old.mean(c.old.value),
            new=c.new.mean(c.new.value),
            old_ties=c.old.interval(),
            new_ties=c.new.interval(),
            difference=mean(c.beyond),
            p=of_beyond.p,
            rose=sum(d > 0 for d in c.beyond),
            fell=len(fallen),
            fallen=[*_fallen(c, fallen)] if fallen else [],
        )


def _tested(test: TestName, systems: Sequence[Sequence[float]]) -> list[_Tested]:
    """The p-value of each comparison, corrected for the others, and the test that gives it: the randomisation
    test where all differences are equal, of which other tests may have none."""
    own = [one.p for one in paired_tests(test, systems)]
    others = [one.p for one in paired_tests("randomisation", systems)] if None in own else own
    p = holm([other if one is None else one for one, other in zip(own, others, strict=True)])
    return [_Tested(of, "randomisation" if one is None else test) for of, one in zip(p, own, strict=True)]


def _verdict(
    c: _Fall, beyond: _Tested, on_average: _Tested, alpha: float, tolerance: float
) -> tuple[GateVerdict, str]:
    """The verdict on one measure, and its reason, which begins with the change of the mean itself."""
    if c.lost or not c.rows:
        lost = f"{count(c.lost, 'query')} {'has' if c.lost == 1 else 'have'} a value in one run only"
        return "inconclusive", lost if c.lost else "no values"
    drop, expected = -(mean(c.beyond) or 0.0), -(mean(c.expected) or 0.0)
    drop = drop if abs(drop) > _SAME else 0.0
    way, moves = _moves(c)
    about = c.old.view.family
    if not about.relevance or (about.is_sum and about.nonrelevant):
        return "pass", f"{moves}; more of it is not better, so that it decides nothing"
    logs = " in logarithms" * (about.aggregate == "geometric")
    falls = f"{moves}, by {drop:.4f}{logs} on average {_BEYOND}"
    if way != "falls":
        falls = f"{moves}, but what the order of tied documents cannot explain falls by {drop:.4f} on average"
    if drop > tolerance:
        if beyond.below(alpha):
            if c.old.bounded and c.new.bounded:
                on = f"{sum(d < 0 for d in c.beyond):,} of {count(len(c.rows), 'query')}"
                return "fail", f"{falls}; counted so, it is lower in {on} ({beyond})"
            unknown = "the best and the worst order of the tied documents are not known"
            return "inconclusive", f"{moves}; {unknown}"
        # The lowest p-value that the test can give for this number of queries.
        least = 1.0 if len(c.rows) < 2 else 0.0 if beyond.test == "t" else 2.0 ** (1 - len(c.rows))
        if least >= alpha:
            few = f"{count(len(c.rows), 'query')} {'is' if len(c.rows) == 1 else 'are'} too few"
            return "inconclusive", f"{falls}, but {few} for any fall to be significant at {alpha:g}"
    if expected > tolerance and on_average.below(alpha):
        tied = f"the expected value over all orders of tied documents falls by {expected:.4f} ({on_average})"
        return "inconclusive", f"{moves}; {tied}, and their order decides whether it does: {_could_be(c)}"
    if not any(c.beyond):
        moved = bool((c.old.value[c.rows] != c.new.value[c.rows]).any())
        explained = f"{moves}; the order of tied documents explains every difference"
        return "pass", explained if moved else "no value differs"
    if drop <= 0:
        if way == "rises" and drop < 0:
            return "pass", f"{moves}, by {-drop:.4f} on average {_BEYOND}"
        explained = f"{moves}; the order of tied documents could explain it: {_could_be(c)}"
        return "pass", moves if way == "stays" else explained
    if beyond.below(alpha):
        return "pass", f"{falls}, which is within the tolerance of {tolerance:g}"
    return "pass", f"{falls}, which is not significant" + ("" if beyond.p is None else f" ({beyond})")


def _moves(c: _Fall) -> tuple[str, str]:
    """Whether the mean falls, rises or stays, and this with both means: ``falls from 0.5 to 0.25``."""
    old, new = (side.mean(side.value) for side in (c.old, c.new))
    before, after = figure(old).text, figure(new).text
    if old is None or new is None or before == after:
        return "stays", f"stays at {before}"
    way = "falls" if as_float(new) < as_float(old) else "rises"
    return way, f"{way} from {before} to {after}"


def _could_be(c: _Fall) -> str:
    """The means that the order of tied documents can give: ``the new run can have 0.25 to 0.65``."""
    texts = {name: _interval(side.interval()) for name, side in (("old", c.old), ("new", c.new))}
    return joined([f"the {name} run can have {text}" for name, text in texts.items() if " to " in text])


def _fallen(c: _Fall, places: Sequence[int]) -> Iterator[FallenQuery]:
    """The queries whose value fell, with the documents that caused it. ``places``: their indices in
    ``c.rows``."""
    topics, cutoff = c.old.view.qrels.topics, c.measure.cutoff
    depth = cutoff or _DEPTH
    ranked = [side.documents() for side in (c.old, c.new)]
    for place in places:
        row = c.rows[place]
        (before_count, before), (after_count, after) = (of.get(topics[row], (0, {})) for of in ranked)
        fell = [
            FallenDocument(docno=display(docno), level=level, old_rank=rank, new_rank=now)
            for docno, (rank, level) in before.items()
            for now, _ in [after.get(docno, (None, 0))]
            if level >= c.old.view.relevance_level
            and rank <= (cutoff or math.inf)
            and (now is None or now > rank)
        ]
        fell.sort(key=lambda document: (-document.level, document.old_rank))
        yield FallenQuery(
            query=display(topics[row]),
            old=number(float(c.old.value[row])),
            new=number(float(c.new.value[row])),
            difference=c.beyond[place],
            documents=fell[:_LISTED],
            more=max(0, len(fell) - _LISTED),
            depth=depth,
            old_unjudged=_unjudged(before, before_count, depth),
            new_unjudged=_unjudged(after, after_count, depth),
        )


def _unjudged(judged: Mapping[bytes, tuple[int, int]], retrieved: int, depth: int) -> int:
    return min(depth, retrieved) - sum(rank <= depth for rank, _ in judged.values())


def _summary(verdict: GateVerdict, measures: list[GateMeasure], judged: int, missing: list[list[str]]) -> str:
    head, of = verdict.upper(), count(judged, "judged query")
    if measures:
        reasons = [f"{m.measure}: {m.reason}" for m in measures if m.verdict == verdict]
        rest = len(reasons) - _REASONS
        more = [f"the same verdict on {rest:,} more"] if rest > 0 else []
        return f"{head}. {'; '.join([*reasons[:_REASONS], *more])}."
    sides = zip(("old", "new"), missing, strict=True)
    gaps = [f"the {name} run has no results for {len(gone):,} of {of}" for name, gone in sides if gone]
    absent = len({*missing[0], *missing[1]})
    hint = f" --allow-missing {absent} counts {'it' if absent == 1 else 'them'} as 0." * (absent < judged)
    return f"{head}. Nothing was compared: {joined(gaps)}.{hint}"


#: Verdict -> its status on the page, and its exit code.
_OUTCOME = {"pass": (Status.AGREE, 0), "fail": (Status.UNEXPECTED, 1), "inconclusive": (Status.ERROR, 3)}
_ABOUT = (
    "Beyond ties: the mean over all queries of the change that the order of tied documents cannot explain;"
    " p is that of these changes, with {}'s correction over the measures."
)
_TIED = "Means that the order of documents with equal scores can give"
_MEASURES: tuple[Field, ...] = (
    *(("@verdict", lambda m: m.verdict.upper()), "@measure", "#old", "#new"),
    *("+beyond ties=difference", ("#p", lambda m: p_value(m.p))),
    ("#fell", lambda m: f"{m.fell:,} of {m.queries:,}"),
)


def _page(document: GateDocument) -> Page:
    """Verdict and reason of each measure, then the queries that fell, the largest fall first."""
    old, new = files(document.old, document.new)
    measures = document.measures
    others = [m for m in measures if f"{m.measure}: {m.reason}" not in document.summary]
    tied = [m for m in measures if {_interval(m.old_ties), _interval(m.new_ties)} != {NONE}]
    orders: Field = ("#old", "#new"), lambda m: (_interval(m.old_ties), _interval(m.new_ties))
    missing = (("old", old, document.old_missing), ("new", new, document.new_missing))
    return study_page(
        document,
        ("From ", old, " to ", new),
        Section(
            "Measures",
            [
                table("", measures, *_MEASURES, limit=100, noun="measure"),
                table(_TIED, tied, "@measure", orders, limit=100, noun="measure"),
                Bullets("", [(Id(m.measure), f": {m.reason}.") for m in others], limit=100),
                Paragraph(_ABOUT.format(document.correction) if measures else ""),
            ],
        ),
        *(Section(("Queries that fell: ", Id(m.measure)), [_fallen_table(m.fallen)]) for m in measures),
        *(
            Bullets(("Judged queries without results in the ", which, " run ", run), list(map(Id, queries)))
            for which, run, queries in missing
        ),
        status=_OUTCOME[document.verdict][0],
    )


def _fallen_table(queries: Sequence[FallenQuery]) -> Table:
    """The queries that fell, with the change beyond ties where ties explain a part of one."""
    changes = ((as_float(q.new) - as_float(q.old), q.difference) for q in queries)
    beyond: list[Field] = ["+beyond ties=difference"] * any(abs(a - b) > _SAME for a, b in changes)
    both = values(lambda query: (query.old, query.new, EXACT), "old", "new")
    return table("", queries, "@query", both, *beyond, ("what fell", _why), limit=10, noun="query")


def _interval(ties: tuple[Number, Number] | None) -> str:
    if ties is None:
        return "not known"
    low, high = (figure(end).text for end in ties)
    return NONE if low == high else f"{low} to {high}"


def _why(query: FallenQuery) -> tuple[str, ...]:
    """The documents that fell and, if it changed, the number of unjudged documents, in words."""
    words: list[str] = []
    for document in query.documents:
        new = document.new_rank
        now = "is no longer retrieved" if new is None else f"falls to rank {new:,}"
        words += [Id(document.docno), f" (level {document.level}, rank {document.old_rank:,}) {now}; "]
    if query.more:
        words.append(f"{query.more:,} more; ")
    if query.new_unjudged != query.old_unjudged:
        counts = f"{query.old_unjudged} before, {query.new_unjudged} now"
        words.append(f"unjudged among the first {query.depth}: {counts}")
    *first, last = words or ["documents that are not relevant"]
    return (*first, last.removesuffix("; "))


STUDY = study(
    GateDocument,
    gate,
    _page,
    *(QRELS, run_file("old"), run_file("new"), MEASURES, CONVENTIONS, *significance("randomisation")),
    option("--tolerance", "A drop of the mean up to this passes, even if it is significant.", TOLERANCE, 0.0),
    option(
        "--allow-missing",
        "Judged queries that may lack results; they count as 0.",
        click.IntRange(0),
        0,
        metavar="N",
    ),
    code=lambda document: _OUTCOME[document.verdict][1],
)
