"""The difference of two runs of a system: theirs takes over the properties of ours, one after the other."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby, pairwise
from typing import NamedTuple

import numpy as np

from crosscheck.axes.order import ORDER, Order
from crosscheck.axes.score_precision import SCORE_PRECISION, ScorePrecision
from crosscheck.axes.ties import TIES, WITHOUT_ORDER
from crosscheck.conventions import Conventions
from crosscheck.conventions import conventions as parse_conventions
from crosscheck.engine.conversion import QrelsLike, RunLike, as_qrels, as_run
from crosscheck.errors import InputError, UsageError
from crosscheck.evaluation.evaluate import evaluate
from crosscheck.evaluation.order import topic_order
from crosscheck.evaluation.rankings import Rankings
from crosscheck.evaluation.sentence import sentences
from crosscheck.formats.grouping import identifiers
from crosscheck.harness.environment import environment
from crosscheck.measures import needs_of
from crosscheck.model import FloatArray, Measure, Run, display
from crosscheck.rankings.pairing import JudgedPool
from crosscheck.studies.named_runs import TOOL, parsed_measures
from crosscheck.study_records.rundiff import RundiffDocument, RundiffMeasure, RundiffPart

__all__ = ["rundiff"]

#: Ranked docnos of a query.
Ranking = list[bytes]
Ranked = dict[bytes, Ranking]
#: Docno -> score, or another key to sort by, of the documents of a query.
Scores = Mapping[bytes, float]

#: Most queries named for a part.
_MOST = 5
#: Number of documents whose digits are checked at a time.
_DOCUMENTS = 4096
#: Bits that are kept of the largest mean: few enough that sums and differences of means are exact.
_BITS = 48
_FORMAT = "scores with fewer digits"


class _Step(NamedTuple):
    """A property, and the rankings of theirs with this and all earlier properties taken from ours."""

    property: str
    says: str
    ranked: Ranked


class _Taken(NamedTuple):
    """The values of a measure on the run of a step; ``mean`` is NaN if there is none."""

    property: str
    says: str
    mean: float
    values: dict[bytes, float]


def rundiff(
    qrels: QrelsLike,
    theirs: RunLike,
    ours: RunLike,
    measures: Sequence[str] = (),
    *,
    conventions: str | Conventions = "trec_eval-9.0.8",
) -> RundiffDocument:
    """The difference of two runs as a sum of parts: queries, depth, documents, ties and digits, order.

    Theirs takes over the properties of ours one after the other, in a fixed order. In another order the parts
    could be different, but their sum is always the whole difference.

    Args:
        qrels, theirs, ours: as for :func:`crosscheck.evaluate`.
        measures: names in either spelling; empty for the default measures.
        conventions: the conventions under which both runs are ranked and measured; their tie rule must give
            an order.

    Raises:
        InputError: an input cannot be used, or a run has results for no judged query.
        UsageError: an unknown measure or conventions, or a tie rule without an order.
    """
    spec, wanted = parse_conventions(conventions), parsed_measures(measures)
    if spec[TIES] in WITHOUT_ORDER:
        raise UsageError(f"ties={spec[TIES]} gives no order of documents", hint="such as ties=docid-desc")
    judged = as_qrels(qrels, needs=needs_of(wanted))
    first, second = as_run(theirs), as_run(ours)
    pool = JudgedPool(judged)
    taken: dict[Measure, list[_Taken]] = {measure: [] for measure in wanted}
    for step in _steps(_ranked(first, pool, spec), _ranked(second, pool, spec), first, second, spec):
        rankings = Rankings(_as_run(step.ranked, step.property), pool)  # one at a time: each is a whole run
        for measure, of in taken.items():
            of.append(_taken(step, rankings, measure, spec))
    found = [_measured(measure, of) for measure, of in taken.items()]
    return RundiffDocument(
        tool=TOOL,
        environment=environment(),
        qrels=judged.source,
        theirs=first.source,
        ours=second.source,
        measures=found,
        summary=_summary(found),
        notes=[*judged.notes, *first.notes, *second.notes],
        sentences=sentences(dict.fromkeys(map(str, wanted)), conventions),
    )


def _ranked(run: Run, qrels: JudgedPool, spec: Conventions) -> Ranked:
    """Topic -> ranked docnos, for the judged queries of a run.

    Raises:
        InputError: the run has results for no judged query.
    """
    pairing = Rankings(run, qrels).reread(spec).pairing
    if not pairing.topics:
        raise InputError("no judged query has results", path=run.source, expected="queries of the qrels")
    docnos = pairing.run.docnos.tolist()
    return {
        topic: [docnos[row] for row in topic_order(pairing, place, spec)]
        for place, topic in enumerate(pairing.topics)
    }


def _steps(theirs: Ranked, ours: Ranked, first: Run, second: Run, spec: Conventions) -> Iterator[_Step]:
    """The rankings of theirs, then with one more property of ours at each step; the last step is ours."""
    now = theirs
    yield _Step("", "theirs", now)
    now = {topic: now.get(topic, ranking) for topic, ranking in ours.items()}
    yield _Step("queries", "queries that only one of them has", now)
    now = {topic: _as_deep(now[topic], ranking) for topic, ranking in ours.items()}
    yield _Step("depth", "documents retrieved per query", now)
    now = {topic: _placed(_common(now[topic], ranking), ranking) for topic, ranking in ours.items()}
    yield _Step("documents", "documents that only one of them has", now)
    a, b = (_by_document(run, _keys(run, spec)) for run in (first, second))
    now = {topic: _untied(now[topic], ranking, a(topic)) for topic, ranking in ours.items()}
    coarse = _fewer_digits(first, second)
    yield _Step(
        "score-format" if coarse else "ties",
        f"{_FORMAT} in theirs" if coarse else "documents with equal scores in theirs",
        now,
    )
    now = {topic: _reordered(now[topic], ranking, b(topic)) for topic, ranking in ours.items()}
    yield _Step("order", "documents in another order by score", now)
    coarse = _fewer_digits(second, first)
    yield _Step(
        "score-format" if coarse else "ties",
        f"{_FORMAT} in ours" if coarse else "documents with equal scores in ours",
        ours,
    )


def _as_deep(now: Ranking, ours: Ranking) -> Ranking:
    """The ranking cut to the length of ours, or continued by documents that ours has below that rank."""
    here = set(now)
    return now[: len(ours)] + [docno for docno in ours[len(now) :] if docno not in here]


def _common(now: Ranking, ours: Ranking) -> Ranking:
    there = set(ours)
    return [docno for docno in now if docno in there]


def _placed(common: Ranking, ours: Ranking) -> Ranking:
    """Ours, with the documents of ``common`` rearranged at their ranks into the order of ``common``."""
    known, left = set(common), iter(common)
    return [next(left) if docno in known else docno for docno in ours]


def _untied(now: Ranking, ours: Ranking, scores: Scores) -> Ranking:
    """The ranking with documents that theirs ties in the order of ours; ``scores``: those of theirs."""
    place = {docno: i for i, docno in enumerate(ours)}
    common = [docno for docno in now if docno in scores]
    groups = (list(group) for _, group in groupby(common, key=scores.__getitem__))
    return _placed([docno for group in groups for docno in sorted(group, key=place.__getitem__)], ours)


def _reordered(now: Ranking, ours: Ranking, scores: Scores) -> Ranking:
    """The ranking of ours, but documents that ours ties in their order in ``now``."""
    place = {docno: i for i, docno in enumerate(now)}
    groups = (list(group) for _, group in groupby(ours, key=scores.__getitem__))
    return [docno for group in groups for docno in sorted(group, key=place.__getitem__)]


def _keys(run: Run, spec: Conventions) -> FloatArray:
    """The sort key of each row: its score, or its position in the run if the order does not use scores."""
    if spec[ORDER] is not Order.SCORE:
        return np.arange(len(run.docnos), dtype=np.float64)
    if spec[SCORE_PRECISION] is ScorePrecision.FLOAT32:
        with np.errstate(over="ignore"):
            return run.scores.astype(np.float32).astype(np.float64)
    return run.scores


def _by_document(run: Run, values: FloatArray) -> Callable[[bytes], Scores]:
    """A function from a topic to docno -> value; ``values``: one value per row of the run."""
    bounds = pairwise(run.offsets.tolist())
    rows = {topic: slice(*ends) for topic, ends in zip(run.topics, bounds, strict=True)}

    def of(topic: bytes) -> Scores:
        here = rows.get(topic, slice(0))
        return dict(zip(run.docnos[here].tolist(), values[here].tolist(), strict=True))

    return of


def _fewer_digits(coarse: Run, fine: Run) -> bool:
    """Whether the scores of one run are those of the other with fewer digits."""
    a, b = _in_both(coarse, fine)
    if not len(a) or (a == b).all():
        return False
    with np.errstate(over="ignore", invalid="ignore"):
        narrow = [b.astype(np.float32).astype(np.float64), b.astype(np.float16).astype(np.float64)]
        near = 1e-9 * np.maximum(np.abs(a), 1.0)
        fits = any(bool((np.abs(a - one) <= near).all()) for one in narrow)

    def rounded(kind: str, d: int) -> bool:
        """Whether each coarse score is the fine one printed with ``d`` digits; stops at the first failure."""
        for part in (slice(at, at + _DOCUMENTS) for at in range(0, len(a), _DOCUMENTS)):
            printed = np.array([float(format(v, f".{d}{kind}")) for v in b[part].tolist()])
            if not (np.abs(a[part] - printed) <= near[part]).all():
                return False
        return True

    return fits or any(rounded(kind, d) for kind in "fg" for d in range(8))


def _in_both(one: Run, other: Run) -> tuple[FloatArray, FloatArray]:
    """The scores of the documents that both runs have, in the first run and in the second."""
    ours, theirs = (_by_document(run, run.scores) for run in (one, other))
    pairs = [np.zeros((0, 2))]
    for topic in one.topics:
        a, b = ours(topic), theirs(topic)
        pairs.append(np.array([(a[docno], b[docno]) for docno in a if docno in b]).reshape(-1, 2))
    first, second = np.concatenate(pairs).T
    return first, second


def _as_run(ranked: Ranked, source: str) -> Run:
    """A run with these rankings, whether it is ordered by score, by rank or by line."""
    topics = tuple(sorted(ranked))
    sizes = [len(ranked[topic]) for topic in topics]
    ranks = np.concatenate([np.arange(1, size + 1) for size in sizes])
    scores = np.concatenate([np.arange(size, 0, -1, dtype=np.float64) for size in sizes])
    return Run(
        topics=topics,
        offsets=np.append(0, np.cumsum(sizes)),
        docnos=identifiers([docno for topic in topics for docno in ranked[topic]]),
        scores=scores,
        ranks=ranks,
        lines=np.arange(len(ranks)),
        tag=b"rundiff",
        source=source,
    )


def _taken(step: _Step, rankings: Rankings, measure: Measure, spec: Conventions) -> _Taken:
    result, topics = evaluate(rankings, measure, spec), rankings.pairing.all_topics
    values = {topics[i]: float(result.values[i]) for i in np.flatnonzero(result.present).tolist()}
    return _Taken(step.property, step.says, math.nan if result.mean is None else result.mean, values)


def _measured(measure: Measure, steps: Sequence[_Taken]) -> RundiffMeasure:
    means = _exactly_summable([step.mean for step in steps])
    parts: list[RundiffPart] = []
    for place, step in enumerate(steps[1:], 1):
        before, after = steps[place - 1].values, step.values
        moved = [topic for topic in {*before, *after} if before.get(topic) != after.get(topic)]
        moved.sort(key=lambda t: (-abs(before.get(t, 0.0) - after.get(t, 0.0)), t))
        if moved or means[place] != means[place - 1]:
            named = [display(topic) for topic in moved[:_MOST]]
            part = means[place] - means[place - 1]
            told = (step.property, step.says, len(moved), named)
            parts.append(RundiffPart(*told, means[place - 1], means[place], part))
    return RundiffMeasure(str(measure), means[0], means[-1], means[-1] - means[0], parts)


def _exactly_summable(means: list[float]) -> list[float]:
    """The means rounded to ``_BITS`` bits (14 digits), so that all sums of their differences are exact."""
    finite = [abs(mean) for mean in means if math.isfinite(mean)]
    unit = math.ldexp(1.0, math.frexp(max(finite, default=1.0) or 1.0)[1] - _BITS)
    return [round(mean / unit) * unit if math.isfinite(mean) else mean for mean in means]


def _summary(found: Sequence[RundiffMeasure]) -> str:
    first = found[0]
    same = [one.measure for one in found if not one.parts]
    if len(same) == len(found):
        return "The runs have the same value on every query."
    first = next(one for one in found if one.parts)
    largest = sorted(first.parts, key=lambda part: -abs(part.part))
    told = ", ".join(f"{part.says} {_printed(part.before, part.after)}" for part in largest[:3])
    more = f" and {len(largest) - 3} more" if len(largest) > 3 else ""
    numbers = f"{first.ours:.4f} instead of {first.theirs:.4f} ({_printed(first.theirs, first.ours)})"
    return f"{first.measure} {numbers}: {told}{more}."


def _printed(before: float, after: float) -> str:
    """The difference of two means as they are printed, so that printed parts sum to a printed whole."""
    return f"{round(after, 4) - round(before, 4):+.4f}"
