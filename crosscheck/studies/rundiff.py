"""Show why OURS differs from THEIRS: two runs of the same system.

One property of OURS after the other is taken into THEIRS: queries, depth, documents, ties and digits of
the scores, order. The parts sum to the difference.
"""

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from decimal import Decimal
from itertools import groupby, pairwise
from typing import Literal

import numpy as np
from msgspec import Struct

from crosscheck.axes.ties import ORDER, SCORE_PRECISION, TIES, WITHOUT_ORDER, Order, ScorePrecision
from crosscheck.conventions import Conventions
from crosscheck.engine.conversion import QrelsLike, RunLike, as_run
from crosscheck.errors import UsageError, count
from crosscheck.evaluation.order import whole_rankings
from crosscheck.evaluation.rankings import Rankings
from crosscheck.evaluation.sentence import sentences
from crosscheck.evaluation.summarise import evaluate
from crosscheck.formats.grouping import identifiers
from crosscheck.harness.document import made_by
from crosscheck.model import FloatArray, Measure, Run, Scores, display
from crosscheck.names import conventions_for
from crosscheck.rankings.pairing import JudgedPool, Pairing, check_judged, notes_of, nothing_judged
from crosscheck.rankings.sorts import single
from crosscheck.report.page import Chart, Figure, Id, Mark, Page, Paragraph, Section, Status
from crosscheck.report.tables import NONE, Field, table
from crosscheck.report.words import files, listed
from crosscheck.results import Number, as_float, number
from crosscheck.studies.base import OnQrels, by_document, judged_by, study, study_page
from crosscheck.studies.options import CONVENTIONS, MEASURES, QRELS, run_file


class RundiffPart(Struct, frozen=True):
    """The part of the difference between two runs that one property causes.

    Attributes:
        property: ``queries``, ``depth``, ``documents``, ``ties``, ``score-format`` or ``order``.
        says: the property in words.
        queries: number of queries that lose, gain or change their value.
        most: the five queries that change most.
        before, after: the mean before and after the property is taken over.
        part: ``after - before``.
    """

    property: str
    says: str
    queries: int
    most: list[str]
    before: Number
    after: Number
    part: Number


class RundiffMeasure(Struct, frozen=True):
    """The difference of two runs in one measure: the exact sum of ``parts``, which are in a fixed order."""

    measure: str
    theirs: Number
    ours: Number
    difference: Number
    parts: list[RundiffPart]


class RundiffDocument(OnQrels, frozen=True, kw_only=True):
    """The result of ``crosscheck rundiff``, as written to JSON. Step by step, the run ``theirs`` takes over
    the properties of the run ``ours``."""

    study: Literal["rundiff"] = "rundiff"
    theirs: str
    ours: str
    measures: list[RundiffMeasure]


#: Ranked docnos of a query.
Ranking = list[bytes]
Ranked = dict[bytes, Ranking]
#: Docno -> score, or another key to sort by, of the documents of a query.
Keys = Mapping[bytes, float]

#: The largest number of queries that are named for a part.
_MOST = 5
#: Number of documents whose digits are checked at a time.
_DOCUMENTS = 4096
#: Means are rounded to this number of bits, so that their sums and differences are exact.
_BITS = 48


class _Step(Struct, frozen=True):
    """A measure after the run ``theirs`` has taken over this property of ``ours`` and all properties before.
    The mean may be NaN."""

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

    The run ``theirs`` takes over the properties of ``ours`` one after the other, in a fixed order. In a
    different order the parts could be different, but their sum is always the whole difference.

    Args:
        qrels, theirs, ours: as for :func:`crosscheck.evaluate`.
        measures: names in either spelling; empty for the default measures.
        conventions: the conventions under which both runs are ranked and measured; their value of ``ties``
            must order tied documents.

    Raises:
        InputError: an input cannot be used, or a run has results for no judged query.
        UsageError: an unknown measure or conventions, or a tie rule without an order.
    """
    judged, measures_ = judged_by(qrels, measures)
    wanted = {measure: conventions_for(conventions, measure) for measure in measures_}
    for spec in wanted.values():
        if spec[TIES] in WITHOUT_ORDER:
            problem = f"ties={spec[TIES]} does not order tied documents"
            raise UsageError(problem, hint="name a rule that does, such as ties=docid-desc")
    first, second = as_run(theirs), as_run(ours)
    pool = JudgedPool(judged)
    check_judged(pairings := [Pairing.of(run, pool) for run in (first, second)])
    steps: dict[Measure, list[_Step]] = {measure: [] for measure in wanted}
    slips: dict[str, None] = {}
    for spec in dict.fromkeys(wanted.values()):
        before, after = (_ranked(run, pool, spec) for run in (first, second))
        slips |= dict.fromkeys(_slips(before, after))
        for property, says, run in _steps(before, after, first, second, spec):
            rankings = Rankings(_as_run(run, property), pool)  # one at a time: each is a whole run
            for measure, of in steps.items():
                if wanted[measure] == spec:
                    of.append(_step(property, says, evaluate(rankings, measure, spec), rankings))
    measured = [_measured(measure, of) for measure, of in steps.items()]
    return RundiffDocument(
        **made_by(),
        qrels=judged.source,
        theirs=first.source,
        ours=second.source,
        measures=measured,
        summary=_summary(measured, slips),
        notes=[*([] if any(one.parts for one in measured) else slips), *notes_of(*pairings)],
        sentences=sentences(dict.fromkeys(map(str, wanted)), conventions),
    )


def _ranked(run: Run, qrels: JudgedPool, spec: Conventions) -> Ranked:
    """Topic -> ranked docnos, for the judged queries of a run.

    Raises:
        InputError: the run has results for no judged query.
    """
    pairing = Rankings(run, qrels).reread(spec).pairing
    if not pairing.topics:
        raise nothing_judged(run, qrels.qrels)
    docnos, orders = pairing.run.docnos, whole_rankings(pairing, spec)
    return {topic: docnos[rows].tolist() for topic, rows in zip(pairing.topics, orders, strict=True)}


def _steps(
    theirs: Ranked, ours: Ranked, first: Run, second: Run, spec: Conventions
) -> Iterator[tuple[str, str, Ranked]]:
    """Yield (property, property in words, rankings) for each step from run ``theirs`` to run ``ours``.

    The first step has the rankings of theirs; each further step takes over one more property of ours; the
    last step has the rankings of ours.
    """
    yield "", "theirs", theirs
    now = {topic: theirs.get(topic, ranking) for topic, ranking in ours.items()}
    sides = (("theirs", theirs, ours), ("ours", ours, theirs))
    more = [whose for whose, of, other in sides if not of.keys() <= other.keys()]
    yield "queries", f"queries that only {more[0] if len(more) == 1 else 'one of them'} has", now
    most = [max(map(len, of.values())) for of in (ours, now)]
    now = {topic: _as_deep(now[topic], ranking) for topic, ranking in ours.items()}
    at_most = " (at most {:,} instead of {:,})".format(*most) * (most[0] != most[1])
    yield "depth", f"documents retrieved per query{at_most}", now
    now = {topic: _placed(now[topic], ranking) for topic, ranking in ours.items()}
    yield "documents", "documents that only one of them has", now
    a, b = (by_document(run, _keys(run, spec)) for run in (first, second))
    now = {topic: _untied(now[topic], ranking, a(topic)) for topic, ranking in ours.items()}
    yield *_ties("theirs", first, second, spec), now
    now = {topic: _by_groups(ranking, b(topic), now[topic]) for topic, ranking in ours.items()}
    yield "order", "documents in another order by score", now
    yield *_ties("ours", second, first, spec), ours


#: The smallest share of the differing queries that must show a mistake, and the correlation between two
#: rankings below which their order is reversed.
_MOST_OF_THEM, _REVERSED = 0.5, -0.9


def _slips(theirs: Ranked, ours: Ranked) -> Iterator[str]:
    """Sentences about mistakes (such as a reversed order) that explain most of the rankings that differ."""
    both = sorted(theirs.keys() & ours.keys(), key=lambda topic: (len(topic), topic))
    pairs = {topic: (theirs[topic], ours[topic]) for topic in both if theirs[topic] != ours[topic]}
    reverse = [_reversed(*of) for of in pairs.values()]
    shown = {"documents of ours are in the reverse order of theirs": reverse}
    for whose, of, the, other in (("ours", ours, "theirs", theirs), ("theirs", theirs, "ours", ours)):
        shown[f"{whose} lacks the first document of {the}"] = [of[t] == other[t][1:] for t in pairs]
    # The query under which theirs has the documents that ours has under a query.
    home = {tuple(ranking): topic for topic, ranking in theirs.items()}
    moved = [(home.get(tuple(ours[topic]), topic), topic) for topic in pairs]
    following, pairs_moved = {*pairwise(both)}, {*moved}
    away = [source != topic for source, topic in moved]
    kinds = {
        "queries have exchanged documents": [a != b and (b, a) in pairs_moved for a, b in moved],
        "ours has the documents of theirs under the next query": [pair in following for pair in moved],
        "theirs has the documents of ours under the next query": [pair[::-1] in following for pair in moved],
        "ours has the documents of theirs under other queries": away,
    }
    shown |= dict([next(kind for kind in kinds.items() if 2 * sum(kind[1]) >= sum(away))])
    for text, where in shown.items():
        if sum(where) >= _MOST_OF_THEM * len(pairs) > 0:
            yield f"{text}, in {sum(where):,} of {count(len(both), 'query')}"


def _reversed(theirs: Ranking, ours: Ranking) -> bool:
    """Whether the documents of both rankings are in reverse order, with small exceptions, as for ties."""
    place = {docno: i for i, docno in enumerate(theirs)}
    ranks = [place[docno] for docno in ours if docno in place]
    return len(ranks) > 2 and bool(np.corrcoef(ranks, range(len(ranks)))[0, 1] < _REVERSED)


def _ties(whose: str, run: Run, other: Run, spec: Conventions) -> tuple[str, str]:
    """The name of the property "ties" of a run, and the property in words. If its scores are those of the
    other run with fewer digits, the property is ``score-format``."""
    if _fewer_digits(run, other):
        return "score-format", f"scores with fewer digits in {whose}"
    number, keys = run.topic_numbers.tolist(), (run.scores.tolist(), _keys(run, spec).tolist())
    exact, alike = (len(number) - len({*zip(number, of, strict=True)}) for of in keys)
    equal = "equal scores" if 2 * exact >= alike else "scores that are equal in single precision"
    return "ties", f"documents with {equal} in {whose}"


def _as_deep(now: Ranking, ours: Ranking) -> Ranking:
    """The ranking ``now``, cut to the length of ``ours`` or, if it is shorter, continued with the documents
    that ``ours`` has below that rank."""
    here = set(now)
    return now[: len(ours)] + [docno for docno in ours[len(now) :] if docno not in here]


def _placed(now: Ranking, ours: Ranking) -> Ranking:
    """The ranking ``ours``, in which the documents that are also in ``now`` are in the order of ``now``; all
    other documents keep their ranks."""
    known, there = set(now), set(ours)
    common = iter([docno for docno in now if docno in there])
    return [next(common) if docno in known else docno for docno in ours]


def _untied(now: Ranking, ours: Ranking, scores: Keys) -> Ranking:
    """The ranking ``now``, in which documents with equal ``scores`` (of the run theirs) are in the order of
    ``ours``."""
    return _placed(_by_groups([docno for docno in now if docno in scores], scores, ours), ours)


def _by_groups(ranking: Ranking, scores: Keys, order: Ranking) -> Ranking:
    """The ranking, in which neighbours with equal scores are sorted as in ``order``."""
    place = {docno: i for i, docno in enumerate(order)}
    groups = (list(group) for _, group in groupby(ranking, key=scores.__getitem__))
    return [docno for group in groups for docno in sorted(group, key=place.__getitem__)]


def _keys(run: Run, spec: Conventions) -> FloatArray:
    """The sort key of each row: its score, or its position in the run if the order does not use scores."""
    if spec[ORDER] is not Order.SCORE:
        return np.arange(len(run.docnos), dtype=np.float64)
    if spec[SCORE_PRECISION] is ScorePrecision.FLOAT32:
        return single(run.scores).astype(np.float64)
    return run.scores


def _fewer_digits(coarse: Run, fine: Run) -> bool:
    """Whether the scores of ``coarse`` are the scores of ``fine`` with fewer digits."""
    scores = [by_document(run, run.scores) for run in (coarse, fine)]
    of_topics = ([of(topic) for of in scores] for topic in coarse.topics)
    pairs = (np.array([(a[d], b[d]) for d in a if d in b]).reshape(-1, 2) for a, b in of_topics)
    a, b = np.concatenate([np.zeros((0, 2)), *pairs]).T
    if not len(a) or (a == b).all():
        return False
    with np.errstate(over="ignore", invalid="ignore"):
        narrow = [b.astype(np.float32).astype(np.float64), b.astype(np.float16).astype(np.float64)]
        near = 1e-9 * np.maximum(np.abs(a), 1.0)
        fits = any(bool((np.abs(a - one) <= near).all()) for one in narrow)

    def rounded(form: str, part: slice) -> bool:
        """Whether each of these scores of ``coarse`` is the score of ``fine`` printed in this form."""
        printed = np.array([float(format(v, form)) for v in b[part].tolist()])
        return bool((np.abs(a[part] - printed) <= near[part]).all())

    parts = [slice(at, at + _DOCUMENTS) for at in range(0, len(a), _DOCUMENTS)]
    forms = [f".{d}{kind}" for kind in "fg" for d in range(8)]
    return fits or any(all(rounded(form, part) for part in parts) for form in forms)


def _as_run(ranked: Ranked, source: str) -> Run:
    """A run with these rankings. Sorting it by score, by rank or by line gives the same order."""
    topics = tuple(sorted(ranked))
    sizes = [len(ranked[topic]) for topic in topics]
    ranks = np.concatenate([np.arange(1, size + 1) for size in sizes])
    return Run(
        topics=topics,
        offsets=np.append(0, np.cumsum(sizes)),
        docnos=identifiers([docno for topic in topics for docno in ranked[topic]]),
        scores=np.concatenate([np.arange(size, 0, -1, dtype=np.float64) for size in sizes]),
        ranks=ranks,
        lines=np.arange(len(ranks)),
        tag=b"rundiff",
        source=source,
    )


def _step(property: str, says: str, scores: Scores, rankings: Rankings) -> _Step:
    topics = rankings.pairing.all_topics
    values = {topics[i]: float(scores.values[i]) for i in np.flatnonzero(scores.present).tolist()}
    return _Step(property, says, math.nan if scores.mean is None else scores.mean, values)


def _measured(measure: Measure, steps: Sequence[_Step]) -> RundiffMeasure:
    means = _exactly_summable([of.mean for of in steps])
    parts: list[RundiffPart] = []
    for (old, new), (before, after) in zip(pairwise(steps), pairwise(means), strict=True):
        moved = {
            topic: _size(old.values.get(topic, 0.0) - new.values.get(topic, 0.0))
            for topic in {*old.values, *new.values}
            if not _same(old.values.get(topic), new.values.get(topic))
        }
        if moved or not _same(before, after):
            most = [display(topic) for topic in sorted(moved, key=lambda t: (-moved[t], t))[:_MOST]]
            numbers = map(number, (before, after, after - before))
            parts.append(RundiffPart(new.property, new.says, len(moved), most, *numbers))
    theirs, ours, difference = map(number, (means[0], means[-1], means[-1] - means[0]))
    return RundiffMeasure(str(measure), theirs, ours, difference, parts)


def _same(one: float | None, other: float | None) -> bool:
    """Whether two values are equal; NaN is the same as NaN."""
    return one == other or (one != one and other != other)


def _size(difference: Number) -> float:
    """The size of a difference, by which parts and queries are sorted: infinite where one side is NaN."""
    size = abs(as_float(difference))
    return math.inf if math.isnan(size) else size


def _exactly_summable(means: list[float]) -> list[float]:
    """The means rounded to ``_BITS`` bits (14 digits), so that all sums of their differences are exact."""
    finite = [abs(mean) for mean in means if math.isfinite(mean)]
    unit = math.ldexp(1.0, math.frexp(max(finite, default=1.0) or 1.0)[1] - _BITS)
    return [round(mean / unit) * unit if math.isfinite(mean) else mean for mean in means]


def _summary(measures: Sequence[RundiffMeasure], slips: Collection[str]) -> str:
    first = next((one for one in measures if one.parts), None)
    if first is None:
        return "The runs have the same value on every query."
    largest = sorted(first.parts, key=lambda part: -_size(part.part))
    parts = ", ".join(f"{part.says} {_change(part.before, part.after)}" for part in largest[:3])
    parts = "; ".join((*slips, parts))
    more = f" and {len(largest) - 3} more" if len(largest) > 3 else ""
    numbers = f"{_four(first.ours)} instead of {_four(first.theirs)} ({_change(first.theirs, first.ours)})"
    return f"{first.measure} {numbers}: {parts}{more}."


def _change(before: Number, after: Number) -> str:
    """The difference of two means as they are printed, so that printed parts sum to a printed whole."""
    if not math.isfinite(as_float(after) - as_float(before)):
        return NONE
    return f"{Decimal(_four(after)) - Decimal(_four(before)):+.4f}"


def _four(mean: Number) -> str:
    return mean if isinstance(mean, str) else f"{mean:.4f}"


_ABOUT = (
    "The reference run becomes the candidate in these steps: each takes over one more of its properties."
    " In another order a step may change the value by more or less; the sum is always the difference."
)


def _page(document: RundiffDocument) -> Page:
    """A table for each measure; the printed parts sum to the printed difference."""
    moved = [one for one in document.measures if one.parts]
    same = [one.measure for one in document.measures if not one.parts] if moved else []
    ours, theirs = files(document.ours, document.theirs)
    return study_page(
        document,
        (ours, " instead of ", theirs),
        *(_section(one, f"parts-{place}", (theirs, ours)) for place, one in enumerate(moved, 1)),
        Paragraph(("The same on every query: ", *listed(same, 20)) if same else ""),
        Paragraph(_ABOUT if moved else ""),
        status=Status.DIFFERS if moved else Status.AGREE,
    )


def _section(one: RundiffMeasure, name: str, runs: tuple[str, str]) -> Section:
    whole = RundiffPart("", "sum", 0, [], one.theirs, one.ours, one.difference)
    ends = [(part, as_float(part.before), as_float(part.after)) for part in one.parts]
    finite = all(math.isfinite(after - before) for _, before, after in ends)
    marks = [Mark(part.says, before, after, part.property) for part, before, after in ends if finite]
    caption = f"From {_four(one.theirs)} to {_four(one.ours)} in {len(marks)} steps."
    chart = Chart(name, "waterfall", f"{one.measure}: the parts", caption, runs, marks)
    return Section(Id(one.measure), [table("", [*one.parts, whole], *_PART, noun="part"), chart])


def _printed(part: RundiffPart) -> tuple[Figure, Figure, Figure]:
    change = Figure(_change(part.before, part.after), as_float(part.part))
    before, after = (Figure(_four(mean), as_float(mean)) for mean in (part.before, part.after))
    return before, after, change


_PART: tuple[Field, ...] = (
    ("property", lambda part: part.says),
    (("#before", "#after", "#part"), _printed),
    ("#queries", lambda part: part.queries if part.property else ""),
    ("most in", lambda part: listed(part.most, 5, part.queries)),
)


STUDY = study(
    RundiffDocument, rundiff, _page, *(QRELS, run_file("theirs"), run_file("ours"), MEASURES, CONVENTIONS)
)
