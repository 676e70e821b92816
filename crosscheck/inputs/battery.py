"""The battery: inputs that show the conventions of a metric, which are small queries with one special feature
each, or with several. Also the smallest queries, among which counterexamples are searched."""

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache, partial
from itertools import combinations_with_replacement, islice, permutations, product
from typing import Any

from msgspec.structs import replace

from crosscheck.axes.forms import MAX_GRADE, RECALL_POINTS, RR_OF
from crosscheck.axes.gains import IDEAL
from crosscheck.axes.judging import JUDGED_DEPTH
from crosscheck.inputs.queries import COMPANY, OWN_ID, Line, Probe, Query, Shape, falling, numbered, ranked
from crosscheck.measures import family
from crosscheck.measures.average_precision import POINTS, RECALL
from crosscheck.model import Measure

#: The highest relevance level in every input with a relevant document, except those of :func:`level_probes`.
TOP_LEVEL = 3
#: ``about`` of the mixed probes.
MIXED = "many things at once"
#: ``about`` of probes whose first relevant document is below the usual cutoffs of tools.
DEEP = "relevant documents deep in the ranking"

_NAMES = tuple(f"{letter}{digit}" for letter in "bcdefghkmnpqrstvwxz" for digit in "0123456789")
_NUMBERS = tuple(map(str, (4, 5, 13, 28, 32, 70, 71, 101, 104, 330, 600, 950, 1200)))
#: Ids of mixed length, case and number. No two differ only in letter case.
_MIXED_NAMES = (
    *_NUMBERS,
    *(f"{letters}{number}" for letters in ("a", "B", "c", "Dd") for number in (2, 9, 10, 33, 100)),
)


def _among(names: Sequence[str], rng: random.Random, count: int) -> list[str]:
    """Docnos drawn from these names; if there are too few names, numbered docnos."""
    if count <= min(len(names), 100):
        return rng.sample(names, count)
    many = [f"u{i:04d}" for i in range(count)]
    rng.shuffle(many)
    return many


_shape = partial(Shape, docnos=partial(_among, _NAMES), top=TOP_LEVEL)


def _tied(rng: random.Random, count: int) -> list[float]:
    return sorted((float(rng.randint(1, max(2, count // 3))) for _ in range(count)), reverse=True)


def _of_two(rng: random.Random, count: int) -> list[float]:
    return sorted((rng.choice((1.0, 2.0)) for _ in range(count)), reverse=True)


def _close(rng: random.Random, count: int) -> list[float]:
    """Scores that fall in double precision and are equal in single precision."""
    return [1.0 + 1e-9 * (count - i) for i in range(count)]


def _not_positive(rng: random.Random, count: int) -> list[float]:
    positive = rng.choice((0, 1, count // 2))
    return [float(positive - i) for i in range(count)]


def filler_query(level: int = TOP_LEVEL) -> tuple[str, Query]:
    """A filler query, as (id, query), to add to a query that some tools cannot evaluate alone. Its highest
    level is ``level``."""
    return COMPANY, ranked(("j1", "j2"), (("j1", level), ("j2", 0)))


def _kind(
    shortest: int, longest: int, unretrieved: int | tuple[int, int] = 0, **fields: Any
) -> Callable[[random.Random], Query]:
    """A function that draws a query.

    Args:
        shortest, longest: bounds of the number of results.
        unretrieved: number of judged documents that are not retrieved, or its bounds.
        fields: other fields of :class:`Shape`.
    """

    def drawn(rng: random.Random) -> Query:
        length = rng.randint(shortest, longest)
        missed = unretrieved if isinstance(unretrieved, int) else rng.randint(*unretrieved)
        return _shape(length, unretrieved=missed, **fields).drawn(rng)

    return drawn


def _kinds(k: int) -> dict[str, Callable[[random.Random], Query]]:
    """Special feature -> function that draws a query with it, for the cutoff ``k``."""
    shuffled = partial(_kind, shuffled=True)
    of_two = partial(shuffled, scores=_of_two)
    return {
        "graded results": _kind(k, k + 1),
        "fewer results than the cutoff": _kind(1, max(1, k - 1)),
        "more results than the cutoff": _kind(k + 1, k + 4),
        "relevant documents that were not retrieved": _kind(2, k + 2, (1, 3)),
        "more relevant documents than the cutoff": _kind(2, k + 4, (k, k + 3), levels=(0, 1, 2, 3)),
        "relevant documents only": _kind(2, 5, 2, levels=(1, 2, 3, None)),
        "few documents judged nonrelevant": _kind(4, 8, (0, 3), levels=(0, 1, 2, 3, 3)),
        "many documents judged nonrelevant": _kind(4, 9, 3, levels=(0, 0, 0, 1, 3), missed=(0, 0, 1)),
        "unjudged documents": _kind(2, k + 3, (0, 2), levels=(None, None, 0, 1, 3)),
        "negative relevance levels": _kind(3, 7, 1, levels=(-1, -1, 0, 1, 3), missed=(-1, 0, 1)),
        "lines, rank column and scores that contradict each other": shuffled(3, k + 3),
        "tied scores": shuffled(3, k + 4, scores=_tied),
        "scores that are equal in single precision": shuffled(2, k + 4, scores=_close),
        "scores that are not positive": _kind(3, k + 4, 1, scores=_not_positive),
        "negative relevance levels only": _kind(1, 4, 1, levels=(-1,), missed=(-1,)),
        "a document whose id is that of its query": _kind(2, k + 2, own=True),
        "no relevant document": _kind(1, 5, levels=(0, 0, None), missed=(0,)),
        "nothing relevant retrieved": _kind(1, 5, 2, levels=(0, None)),
        "tied scores, and ids of mixed length, case and number": of_two(
            6, 11, docnos=partial(_among, _MIXED_NAMES)
        ),
        "tied scores, and ids that are numbers": of_two(6, 11, docnos=partial(_among, _NUMBERS)),
        # Unstable sorts keep the order of shorter lists.
        "tied scores in a list of more than fifteen": of_two(17, 24, levels=(0, 0, 1, 2, None)),
    }


#: Features of which every second query is accompanied by a filler query.
_WITH_FILLER = {"no relevant document", "nothing relevant retrieved", "negative relevance levels only"}


#: (spelling of a query's id in the qrels, in the run); both have the same part after the last hyphen.
_PREFIXES = (("1-{}", "2-{}"), ("b-{}", "a-{}"), ("x-1-{}", "y-{}"), ("q2-{}", "q1-0-{}"))
#: Special feature of ids -> (spelling of a docno in the run, in the qrels).
_SPELLINGS = {
    "ids that differ in letter case": ("d{}", "D{}"),
    "ids with blanks around them": ("d{}", " d{} "),
    "ids with blanks inside them": ("d{}", "d {}"),
    "ids with leading zeros": ("4{}", "04{}"),  # no docno may equal the id of the query
}

#: Ranks of the first relevant document, each just after a usual cutoff of tools.
_RANKS = (4, 8, 15, 30, 70, 150, 300, 700, 1100)
#: Numbers of relevant documents among which one is searched that shows how recall points are rounded.
_MOST_RELEVANT = 300


def query_probes(rng: random.Random, cutoff: int | None, each: int = 12) -> Iterator[Probe]:
    """Yield probes with one special feature each; nearly all read the value of a single query.

    Args:
        each: number of probes for each kind of feature.
    """
    for about, drawn in _kinds(cutoff or 5).items():
        for i in range(each):
            query = drawn(rng)
            if about == "no relevant document" and not query.judged:  # all documents were unjudged by chance
                query = replace(query, judged=((query.lines[0].docno, 0),))
            # Some tools refuse qrels without a relevant document.
            yield _alone(about, query, with_filler=about in _WITH_FILLER and i % 2 == 0)
    for i in range(4):
        yield _alone("a judged query without results", _missing(rng, i), with_filler=True)
    for length in (1, 4):
        yield _alone("a query without judgements", ranked(_NAMES[:length], (), 9), with_filler=True)
    for about, spellings in _SPELLINGS.items():
        # The second and third levels show how a metric treats documents that it mistakes for unjudged.
        for levels in ((TOP_LEVEL, 0, 2, 1), (0, TOP_LEVEL, 1, 2), (0, 0, 0, TOP_LEVEL)):
            yield _alone(about, _spelt(levels, *spellings))
    yield _named_apart(rng, "query ids that differ before a hyphen", 3 * _PREFIXES)
    yield from (_alone(DEEP, _deep(rng, rank)) for rank in _RANKS)


def mixed_probes(rng: random.Random, cutoff: int | None, count: int) -> Iterator[Probe]:
    """Yield up to ``count`` probes with many special features at once."""
    k = cutoff or 5
    for _ in range(count):
        shape = _shape(
            rng.randint(1, k + 4),
            unretrieved=rng.randint(0, 4),
            levels=rng.choice(((0, 1, 2, 3, None), (0, 1, 3), (None, 0, 0, 2), (0, 1, 2, 3, -1, None))),
            missed=rng.choice(((1, 2, 3), (0, 1), (0,))),
            scores=rng.choice((falling, _tied, _tied, _close, _not_positive)),
            shuffled=rng.random() < 0.7,
            docnos=partial(_among, rng.choice((_NAMES, _NAMES, _MIXED_NAMES))),
        )
        query = shape.drawn(rng)
        if query.judged and max(level for _, level in query.judged) > 0:
            yield _alone(MIXED, query)


def tied_probes(rng: random.Random, cutoff: int | None, count: int) -> Iterator[Probe]:
    """Yield probes with many tied documents, usually on both sides of the cutoff, in lists of several
    lengths."""
    k = cutoff or 5
    for _ in range(count):
        levels = rng.choice(((0, 1, 3), (0, 0, 0, 2), (0,) * 9 + (1,)))
        yield _alone("tied scores", _kind(k + 2, k + 24, levels=levels, scores=_of_two, shuffled=True)(rng))


def level_probes(rng: random.Random, cutoff: int | None, *, alone: bool) -> Iterator[Probe]:
    """Yield probes on a query whose highest level is not :data:`TOP_LEVEL`: alone, or with a filler query
    that has this level."""
    k = cutoff or 5
    for top in (2, 5) if alone else (1, 2, 1, 2, 1, 2):
        query = _kind(3, k + 3, (0, 2))(rng)
        judged = ((docno, top if level == TOP_LEVEL else min(level, top)) for docno, level in query.judged)
        about, query = f"a highest level other than {TOP_LEVEL}", replace(query, judged=tuple(judged))
        yield _alone(about, query, with_filler=not alone)


def judged_deep_probes(rng: random.Random) -> Iterator[Probe]:
    """Yield probes on a query with many judged documents, which show down to which rank a metric takes
    judgements into account."""
    for rank in _RANKS:
        query = _shape(rank + 3, unretrieved=20, levels=(0, 1, 1, 1, 2, 3), missed=(0,)).drawn(rng)
        yield _alone("judged documents deep in the ranking", query)


def _recall_point_probes(measure: Measure) -> Iterator[Probe]:
    """Yield, for each recall point p, a query with the fewest relevant documents R of which p R + 0.9 cut to
    an integer is a share less than p, as at 0.3 and 57."""
    points = POINTS.of(measure) if POINTS in family(measure.family).params else [RECALL.of(measure)]
    for point in points:
        numbers = ((number, int(point * number + 0.9)) for number in range(1, _MOST_RELEVANT))
        for number, reached in islice((of for of in numbers if of[1] / of[0] < point), 1):
            relevant = [f"d{i}" for i in range(number)]
            docnos = [*relevant[:reached], *(f"x{i}" for i in range(20)), *relevant[reached:]]
            judged = ((docno, 1) for docno in relevant)
            yield _alone(f"{number} relevant documents, and recall {point:g}", ranked(docnos, judged))


def _alone(about: str, query: Query, *, with_filler: bool = False) -> Probe:
    """A probe that reads the value of a query, with or without a filler query."""
    return Probe(about, (("1", query), *([filler_query()] if with_filler else ())), "1")


def _spelt(levels: Sequence[int], in_run: str, in_qrels: str) -> Query:
    """A query whose docnos are spelt differently in qrels and run."""
    judged = ((in_qrels.format(i), level) for i, level in enumerate(levels, 1))
    return ranked([in_run.format(i) for i in (1, 2, 3)], judged, 9)


def _named_apart(rng: random.Random, about: str, spellings: Sequence[tuple[str, str]]) -> Probe:
    """A probe that reads the mean, with queries whose ids are spelt differently in qrels and run, and a
    filler query with the same id in both."""
    queries = [filler_query()]
    for number, (in_qrels, in_run) in enumerate(spellings, 2):
        query = _shape(4).drawn(rng)
        queries.append((in_qrels.format(number), Query(query.judged, ())))
        queries.append((in_run.format(number), Query((), query.lines)))
    return Probe(about, tuple(queries), None)


def _missing(rng: random.Random, number: int) -> Query:
    """A judged query without results."""
    return Query(tuple((docno, TOP_LEVEL) for docno in rng.sample(_NAMES, number + 1)), ())


def _deep(rng: random.Random, rank: int) -> Query:
    """A query whose only relevant retrieved document is at this rank."""
    query = _shape(rank + 3, levels=(None,)).drawn(rng)
    judged = ((query.lines[rank - 1].docno, TOP_LEVEL), (query.lines[rank].docno, 0), ("unseen", 1))
    return replace(query, judged=judged)


def mean_probes(rng: random.Random, cutoff: int | None) -> Iterator[Probe]:
    """Yield probes that read the mean over a few queries, which show which queries a metric averages over."""
    ordinary, barren = _kind(2, (cutoff or 5) + 1, 1), _kind(1, 4, levels=(0,))
    missing, missing_two = partial(_missing, number=0), partial(_missing, number=1)

    def unknown(rng: random.Random) -> Query:
        return replace(ordinary(rng), judged=())

    def hitless(rng: random.Random) -> Query:
        return _shape(2, unretrieved=2, levels=(0,)).drawn(rng)

    plans: dict[str, tuple[tuple[Callable[[random.Random], Query], ...], ...]] = {
        "several queries": ((ordinary, ordinary), (ordinary, ordinary, ordinary)),
        "a judged query without results": ((ordinary, missing), (ordinary, ordinary, missing_two)),
        "a query without judgements": ((ordinary, unknown), (ordinary, ordinary, unknown, unknown)),
        "queries without results and queries without judgements": (
            (ordinary, missing, missing, unknown),
            (ordinary, ordinary, missing, unknown, unknown, unknown),
        ),
        "no relevant document": ((ordinary, barren), (ordinary, ordinary, barren, barren)),
        "nothing relevant retrieved": ((ordinary, hitless), (ordinary, hitless, missing)),
    }
    for about, variants in plans.items():
        for makers in (*variants, *(variant[::-1] for variant in variants)):
            # Docnos end with the number of the query, so that no document occurs in two queries.
            yield numbered(about, (make(rng).renamed(f"{{}}-{i}".format) for i, make in enumerate(makers, 1)))


_DOCNOS = ("a", "b", "c")
#: Relevance levels, simplest first; None is unjudged.
_LEVELS: tuple[int | None, ...] = (1, 0, 2, 3, None, -1)
#: Scores that are equal only in single precision.
_CLOSE = (1.00000002, 1.00000001, 1.0)
#: Scores of up to three results, simplest first.
_SCORES = ((3.0, 2.0, 1.0), (1.0, 1.0, 1.0), _CLOSE, (1.0, 2.0, 3.0), (0.0, -1.0, -2.0))


@lru_cache(maxsize=2)
def small_queries(seed: int, limit: int = 4000) -> tuple[Query, ...]:
    """Queries with at most three documents, sorted by size, then from simple to complicated.

    Args:
        limit: maximum number of queries of each size; if there are more, a random sample is drawn.
    """
    rng = random.Random(seed)
    queries: list[Query] = []
    for count in (1, 2, 3):
        of_this_size = list(_of_size(count))
        if len(of_this_size) > limit:
            of_this_size = [of_this_size[i] for i in sorted(rng.sample(range(len(of_this_size)), limit))]
        queries += sorted(of_this_size, key=_plainness)
    return tuple(queries)


def _of_size(count: int) -> Iterator[Query]:
    """Yield all queries with exactly this number of documents."""
    docnos, some = _DOCNOS[:count], (*_SCORES, *[_CLOSE[::-1]] * (count == 2))
    for levels in product(_LEVELS, repeat=count):
        judged = tuple((d, v) for d, v in zip(docnos, levels, strict=True) if v is not None)
        for retrieved in range(1, count + 1):
            if None in levels[retrieved:] or not judged:
                continue
            for listed in {docnos[:retrieved]: None, docnos[:retrieved][::-1]: None}:
                for scores, ranks in product(some, permutations(range(1, retrieved + 1))):
                    yield Query(judged, tuple(map(Line, listed, ranks, scores[:retrieved])))
    if count == 1:  # ids in the qrels that differ in letter case, in blanks, or in a leading zero
        spelt = (("A", "a"), (" a", "a"), ("07", "7"))
        yield from (ranked([in_run], [(in_qrels, 1)], 3) for in_qrels, in_run in spelt)
    if count == 2:
        yield from _with_own_id()


def _with_own_id() -> Iterator[Query]:
    """Yield queries in which a document with the id of the query is ranked above a different document."""
    for levels in product(_LEVELS, repeat=2):
        judged = [(d, v) for d, v in zip((OWN_ID, "a"), levels, strict=True) if v is not None]
        if judged:
            yield ranked((OWN_ID, "a"), judged, 3)


def _plainness(query: Query) -> tuple[int, ...]:
    """Sort key of queries of equal size: simple queries have low keys."""
    scores = [line.score for line in query.lines]
    levels = [level for _, level in query.judged]
    ranks, docnos = [line.rank for line in query.lines], query.docnos
    unsorted = ranks != sorted(ranks), scores != sorted(scores, reverse=True)
    of_scores = min(scores) <= 0, scores[0] == _CLOSE[0], len(set(scores)) < len(scores)
    of_docnos = OWN_ID in docnos, docnos != sorted(docnos)
    return *unsorted, *of_scores, *of_docnos, min(levels) < 0, sum(levels), len(query.lines)


def several_queries() -> Iterator[Probe]:
    """Yield inputs of two or three queries with at most one document each: found, not found, without results,
    ...

    Each input is yielded once per query, as a probe that reads the value of the query, and once as a probe
    that reads the mean.
    """
    line = (Line("a", 1, 1.0),)
    kinds = {
        "found": Query((("a", 1),), line),
        "not found": Query((("b", 1),), line),
        "without results": Query((("a", 1),), ()),
        "without judgements": Query((), line),
        "without relevant documents": Query((("a", 0),), line),
    }
    for count in (2, 3):
        for chosen in combinations_with_replacement(kinds, count):
            queries = tuple((str(i), kinds[name]) for i, name in enumerate(chosen, 1))
            if not any(query.lines and query.judged for _, query in queries):
                continue
            yield from (Probe(", ".join(chosen), queries, reads) for reads in (*dict(queries), None))


#: (number of queries of each kind, number of mixed queries): usually; if each query needs a separate call.
_MANY, _FEW = (8, 60), (3, 24)
#: Lists up to this length are often sorted by insertion; longer lists show how tied documents are sorted.
_LONG = 16


def battery(seed: int, measure: Measure, *, together: bool, means: bool) -> Iterator[Probe]:
    """Yield the inputs of the battery; inputs with most queries come first.

    Args:
        seed: seed of the random inputs.
        measure: the measure that the metric is meant to compute.
        together: whether the metric gives values of many queries in one call. If not, each input is one
            query.
        means: whether the metric gives means. Then inputs of a few queries are added, which best show how it
            averages.
    """
    rng = random.Random(seed)
    each, mixed = _MANY if together else _FEW
    single, apart = list[Query](), list[Probe]()
    probes = [*query_probes(rng, measure.cutoff, each), *mixed_probes(rng, measure.cutoff, mixed)]
    reads = family(measure.family).reads
    if JUDGED_DEPTH in reads:
        probes += judged_deep_probes(rng)
    if RECALL_POINTS in reads:
        probes += _recall_point_probes(measure)
    for probe in probes:
        others = [(id, query) for id, query in probe.queries if id != COMPANY]
        if len(others) == 1:
            single.append(replace(others[0][1], about=probe.about))
        else:
            apart.append(probe)
    if together:
        rng.shuffle(single)
        for long in (False, True):
            of_length = [query for query in single if (len(query.lines) > _LONG) is long]
            yield Probe("small queries of every kind", tuple(_named(rng, of_length)), None)
    else:
        for query in single:
            if query.lines and query.judged:  # else there is no query to average over
                yield Probe(query.about, (("1", query),), None)
    # Not for metrics with an ideal list, because these may use the highest level as a constant.
    if (RR_OF in reads or MAX_GRADE in reads) and IDEAL not in reads:
        apart += level_probes(rng, measure.cutoff, alone=False)
        if MAX_GRADE in reads:
            apart += level_probes(rng, measure.cutoff, alone=True)
    yield from apart
    if means:
        yield from mean_probes(rng, measure.cutoff)


def _named(rng: random.Random, queries: Iterable[Query]) -> Iterator[tuple[str, Query]]:
    """(id, query) pairs, with ids that are not in order."""
    queries = list(queries)
    numbers = rng.sample(range(1, 10 * len(queries) + 1), len(queries))
    return ((f"t{number}", query) for number, query in zip(numbers, queries, strict=True))


def more_queries(seed: int, measure: Measure) -> Iterator[Query]:
    """Yield further small queries with one or many features, for conventions that the battery does not
    distinguish."""
    rng = random.Random(f"more {seed}")
    for probe in (*mixed_probes(rng, measure.cutoff, 120), *query_probes(rng, measure.cutoff, 6)):
        if len(probe.queries) == 1:
            yield replace(probe.queries[0][1], about=probe.about)
