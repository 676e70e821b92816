"""Fresh inputs of an audit: realistic queries with all kinds of ids and scores, which were not used to find
the conventions of a metric. These conventions must predict all values of the metric on fresh inputs.
"""

import math
import random
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import lru_cache, partial
from itertools import product
from typing import Any, TypeAlias, TypeVar

from msgspec.structs import replace

from crosscheck.axes.judging import DEPTHS
from crosscheck.inputs.queries import Draw, Line, Probe, Query, Shape, also_apart, falling, numbered, ranked

#: A style of ids: a function from a number.
Style: TypeAlias = Callable[[int], str]

#: Styles of docnos. No two docnos differ only in letter case or leading zeros.
DOCNOS: tuple[Style, ...] = (
    lambda i: f"d{i}",
    lambda i: str(i),
    lambda i: f"{'dDxX'[i % 4]}{'ocOC'[i % 3]}-{i}",
    lambda i: f"clueweb09-en0000-42-{i:05d}",
    lambda i: "abcdefghij"[i % 10] * (1 + i % 7) + f"{i}",
    lambda i: f"LA{i:06d}-{i % 10:04d}",
    lambda i: f"doc{'-_.:#'[i % 5]}{i}{'_.-'[i % 3]}{i % 7}.txt",
    # Letters in and beyond ASCII, but no letter with several lower-case forms, such as ß.
    lambda i: f"{'aéoözñ'[i % 6]}{i}",
)
#: Styles of query ids.
TOPICS: tuple[Style, ...] = (
    lambda i: str(i),
    lambda i: str(301 + i),
    lambda i: f"q{i}",
    lambda i: f"PLAIN-of-a-long-collection-{i}",
    lambda i: f"{'qQtT'[i % 4]}-{i:03d}",
)


#: Forms of pairs of different ids that some tool may treat as the same, for a number n. The ids differ in
#: letter case, leading zeros or capitals, the notation of a number, the last digit of a large number, the end
#: of a long id, a sign or the part after or before it, a version, letters beyond ASCII or beyond Latin-1,
#: accents, the width of letters, the encoding of URLs or HTML, quotes, or a file ending; or both are words
#: for a missing value.
_NAMESAKES = """
    q{n} Q{n}  straße{n} strasse{n}  0{n} {n}  0l{n} l{n}  -0{n} -{n}  D{n}m {n}m  {n}.10 {n}.1
    {high}.0 {high}  topic-of-a-long-collection-{n} topic-of-a-long-collection-{n}b  {long}{n}a {long}{n}b
    {longest}{n}a {longest}{n}b  {single} {single_1}  {double} {double_1}  p{n}v1 p{n}v2  o{n}~1 o{n}~2
    w{n} w{n}_(x)  д{n} ж{n}  x{n}.1 x{n}.2  x{n}_1 x{n}_2  x{n}:1 x{n}:2  {n}#a {n}#b  y{n} y{n}-
    r-{n} r_{n}  s/{n} s_{n}  t.{n} t_{n}  a-{n} b-{n}  a/{n} b/{n}  ü{n} ö{n}  é{n} e{n}  ñ{n} n\u0303{n}
    z\uff11{n} z1{n}  c%2F{n} c/{n}  http://c.org/{n} https://c.org/{n}  https://d.org/{n} https://d.org/{n}/
    e.html?id={n}a e.html?id={n}b  f&amp;{n} f&{n}  "g{n}" g{n}  h{n},1 h{n},2  i{n}|1 i{n}|2  {n}e3 {n}000
    NA null  j{n} j{n}.txt  j{n} j{n}.html  j{n} j{n}.pdf  j{n} j{n}.json  j{n} j{n}.xml  j{n} j{n}.md
    j{n} j{n}.gz  k{n}::1 k{n}::2  k{n}__1 k{n}__2  k{n}@1 k{n}@2  k{n}--1 k{n}--2  k{n};1 k{n};2
    k{n}=1 k{n}=2  doc4{n} 4{n}  k{n}-chunk-1 k{n}-chunk-2  a{long}{n} b{long}{n}
"""


def _namesake(forms: tuple[str, str], n: int) -> tuple[str, str]:
    single, double = 2**24 + 2 * n, 10**18 + 2 * n  # equal to the next number in single, in double precision
    numbers = {"n": n, "high": n + 200, "single": single, "single_1": single + 1, "double": double}
    long = {"long": "of-a-very-long-collection-" * 5, "longest": "of-the-longest-collection-" * 12}
    one, other = (form.format(**numbers, **long, double_1=double + 1) for form in forms)
    return one, other


#: Functions from a number to a pair of such ids.
NAMESAKES: tuple[Callable[[int], tuple[str, str]], ...] = tuple(
    partial(_namesake, forms) for forms in zip(*[iter(_NAMESAKES.split())] * 2, strict=True)
)
#: Parts of docnos on whose order tie rules disagree: signs, letter case, numbers of several lengths, letters
#: beyond ASCII, equal beginnings and equal ends.
FIRST, MIDDLE = ("", "doc", "Doc", "document-", "é"), ("a", "B", "c", "-", "_", "é", "Z", "")
LAST = ("1", "2", "3", "5", "9", "10", "12", "20", "33", "100", "101", "007", "010")


def _decimals(places: int, spread: float = 1.0) -> Draw[float]:
    """Scores that differ, but some of them are equal if rounded to fewer than ``places`` decimals."""

    def scores(rng: random.Random, count: int) -> list[float]:
        unit = 10**places
        return [value / unit for value in rng.sample(range(1, max(int(spread * unit), 2 * count) + 1), count)]

    return scores


def _close(rng: random.Random, count: int) -> list[float]:
    """Scores that exceed a common value by multiples of numbers from 0.01 down to 0.000001."""
    base = rng.choice((0.5, 1.0, 12.0))
    return [base + i * 10.0 ** -rng.choice((2, 3, 4, 5, 6)) for i in rng.sample(range(count), count)]


def _steps(first: float, step: float) -> Draw[float]:
    return lambda rng, count: [first + step * i for i in rng.sample(range(count), count)]


def _tied(groups: Callable[[random.Random, int], int]) -> Draw[float]:
    """Scores with at most as many different values as ``groups`` says."""

    def scores(rng: random.Random, count: int) -> list[float]:
        values = [rng.randint(-3, 12) + rng.choice((0.0, 0.5)) for _ in range(max(groups(rng, count), 1))]
        return [rng.choice(values) for _ in range(count)]

    return scores


#: All kinds of scores, as functions that draw the scores of the documents of a query.
SCORES: tuple[Draw[float], ...] = (
    *(falling, _decimals(1, 5.0), _decimals(3), _decimals(5, 0.004), _decimals(6, 0.0003), _close),
    _steps(1.0, 1e-10),  # different in double, but not in single precision
    lambda rng, count: [(i - count // 2) / 2 for i in rng.sample(range(count), count)],  # around zero
    _steps(-0.25, -0.25),
    _steps(-1200.0, -1.5),
    # From tiny to huge.
    lambda rng, count: [rng.uniform(1, 9) * 10.0 ** rng.randint(-30, 30) for _ in range(count)],
    _steps(90.0, 1.5),
    _steps(1200.0, 0.00015),  # different in single precision, but not in seven digits
    _steps(1e-8, 3e-8),
    _steps(1e9, 3e8),
    _steps(-1e9, -3e8),
    _tied(lambda rng, count: count // 2),
    _tied(lambda rng, count: count // 6),
    _tied(lambda rng, count: 2),
    _tied(lambda rng, count: 1),
)


_T = TypeVar("_T")

#: Levels from which those of the judged documents of one query are drawn: usual scales; rare scales.
_USUAL_LEVELS: tuple[tuple[int, ...], ...] = (
    *((0, 1), (0, 0, 0, 1), (0, 1, 2), (0, 0, 1, 2, 3), (0, 1, 2, 3, 4), (0, 0, 0, 4)),
    *((1,), (3,), (2, 4)),
)
_RARE_LEVELS: tuple[tuple[int, ...], ...] = (
    *((0, 1, 5), (0, 3, 8, 9), (0, 1, 4, 10), (0, 9, 10, 11, 15), (0, 2, 30), (1, 3, 16, 20)),
    *((-1, 0, 1), (-2, -1, 0, 1, 3), (-2, 0, 2), (-2, 1)),
)
#: Levels above those of all common collections, and above integers of 8 and 16 bits.
_EXTREME_LEVELS: tuple[tuple[int, ...], ...] = ((0, 128, 200), (0, 1, 256, 300), (1, 40_000, 65_536))
#: Numbers of relevant documents that were not retrieved.
_UNRETRIEVED = (0, 0, 1, 2, 5, 12, 25, 60, 130, 300)
#: Shares of the retrieved documents that are judged.
_JUDGED = (1.0, 1.0, 0.8, 0.5)
#: Numbers of queries per input, smaller inputs first.
_ORDINARY_CALLS = (1, 1, 1, 1, 1, 1, 2, 2, 3, 3, 4, 5, 7, 10, 11, 13, 20)
_RARE_CALLS = (1, 1, 1, 1, 2, 3, 4, 6, 12, 12)
_FEW_CALLS = (1, 2, 5)
#: Numbers of queries of inputs with short lists.
_LARGE_CALLS = (31, 47, 263)
#: Ranks below which the first relevant document is placed, for measures that take deeper documents into
#: account.
_DEEP = (15, 50, 100, 256, 1000)
#: Maximum number of ranks of one relevant document, by which the end of lists is found.
_ENDS = 16
#: Lengths of long lists, and of a few very long lists: for measures without a cutoff; with a cutoff.
_LONG, _LONG_CUT = (100, 101, 250, 520), (100, 250)
_LONGEST, _LONGEST_CUT = (1100, 1500, 2500, 3200), (1100,)
#: Lengths of long lists with many relevant documents.
_LONGEST_RICH = (2_000, 2_500, 3_000, 5_000, 10_000)


def highest_level(probe: Probe) -> int:
    """The highest relevance level in all queries; 0 if nothing is judged."""
    return max((level for _, query in probe.queries for _, level in query.judged), default=0)


def ordinary(probe: Probe) -> bool:
    """Whether any metric should have a value for a probe: the query that it reads is ordinary; for a mean,
    all queries are."""
    return not any(oddities_of(probe))


def oddities_of(probe: Probe) -> Iterator[str]:
    """Yield the oddities of the query that a probe reads; for a mean, of all queries."""
    for id, query in probe.queries:
        if probe.reads in (None, id):
            yield from oddities(id, query)


def oddities(id: str, query: Query) -> Iterator[str]:
    """Yield in words what a metric may refuse in a query. An ordinary query has results and a relevant
    document, levels from 0 to 4, finite scores, and ids without blanks."""
    levels = {level for _, level in query.judged}
    if not query.lines:
        yield "no results"
    if max(levels, default=0) < 1:
        yield "nothing relevant" if levels else "no judgements"
    if min(levels, default=0) < 0:
        yield "negative levels"
    if max(levels, default=0) > 4:
        yield "levels above 4"
    if not all(math.isfinite(line.score) for line in query.lines):
        yield "scores that are not finite"
    if any(text.split() != [text] for text in (id, *dict(query.judged), *query.docnos)):
        yield "ids with blanks"


@lru_cache(maxsize=4)  # some megabytes each
def fresh_probes(seed: int, cutoff: int | None, *, few: bool = False) -> tuple[Probe, ...]:
    """The fresh inputs: realistic queries, some with rare levels, relevant documents around the cutoff, ids
    that are nearly the same, all kinds of scores, and more.

    Args:
        seed: seed of the random inputs.
        cutoff: the cutoff of the measure; None if it has none.
        few: whether to make fewer and smaller inputs, for slow tools that compute each query separately.
    """
    rng = random.Random(f"fresh {seed}")
    edges = list(_edges(rng, cutoff or 10))[:: 4 if few else 1]
    special = [*edges, *_every_level(), *_namesakes(rng), *_joined(rng), *_scored(rng, cutoff or 10)]
    special += [_zeros(), *_begun_alike(seed, cutoff, few=few), *_tied_at(min(cutoff or 1, 100))]
    if not few:
        many = (numbered("many queries", _small(rng, count)) for count in _LARGE_CALLS)
        special += [
            *_deep(rng, cutoff),
            *many,
            *_one_sided(rng),
            *_long_edges(rng, cutoff or 10),
            _large(rng),
        ]
        special += _well_judged(rng) if cutoff is None else ()
    special += _without_hits(rng)
    return (*_realistic(rng, cutoff, few=few), *special)


def _realistic(rng: random.Random, cutoff: int | None, *, few: bool) -> Iterator[Probe]:
    """Yield inputs of one or several realistic queries."""
    lengths = _lengths(cutoff)
    for kinds, sizes in ((_USUAL_LEVELS, _ORDINARY_CALLS), (_RARE_LEVELS, _RARE_CALLS)):
        shapes = _shapes(rng, lengths, kinds)
        topics = _shuffled_rounds(rng, TOPICS)
        for size in _FEW_CALLS if few else sizes:
            # The queries of one input have similar ids and share documents, as in a collection.
            name, docno = next(topics), rng.choice(DOCNOS)
            shared = {} if size == 1 else {"docnos": _named(docno)}
            queries = [(name(i), replace(next(shapes), **shared).drawn(rng)) for i in range(1, size + 1)]
            yield Probe("a realistic query" if size == 1 else "realistic queries", tuple(queries), None)
    for length in () if few else _LONGEST if cutoff is None else _LONGEST_CUT:
        yield Probe("a realistic query", (("1", replace(next(shapes), length=length).drawn(rng)),), None)


def _lengths(cutoff: int | None) -> list[int]:
    """Lengths of lists, mostly around the cutoff."""
    k = cutoff or 10
    near = [max(k + i, 1) for i in (-2, -1, 0, 1, 2)]
    return [1, 2, 3, *near, *near, 2 * k, 16, 17, 31, 41, 45, 64, *(_LONG if cutoff is None else _LONG_CUT)]


def _shapes(rng: random.Random, lengths: Sequence[int], levels: Sequence[tuple[int, ...]]) -> Iterator[Shape]:
    """Yield shapes endlessly, in which each length, each scale of levels, and so on, is equally frequent."""
    properties: tuple[Sequence[Any], ...] = lengths, levels, _UNRETRIEVED, _JUDGED, SCORES, DOCNOS
    return map(_shape, *(_shuffled_rounds(rng, values) for values in properties))


def _shape(
    length: int, levels: tuple[int, ...], unretrieved: int, judged: float, scores: Draw[float], docno: Style
) -> Shape:
    positive = tuple(level for level in levels if level > 0)
    # If many documents are not retrieved, high levels are rare, so that a metric that misses one differs.
    rare = (min(positive),) * (9 * len(positive) if unretrieved > 50 else 0)
    missed = (*positive, *rare)
    return Shape(length, _named(docno), unretrieved, levels, missed, scores, judged, shuffled=None)


def _named(docno: Style) -> Draw[str]:
    """A function that draws docnos in this style."""
    return lambda rng, count: list(map(docno, rng.sample(range(1, 3 * count + 10), count)))


def _shuffled_rounds(rng: random.Random, values: Sequence[_T]) -> Iterator[_T]:
    """Yield all values endlessly, in rounds that are each in a new random order."""
    while True:
        yield from rng.sample(values, len(values))


def _edges(rng: random.Random, k: int) -> Iterator[Probe]:
    """Yield queries with one relevant retrieved document, at a rank around the cutoff, at the top or at the
    end, in lists of several lengths."""
    lengths = (1, k - 1, k, k + 1, 2 * k, 41)
    places = [(n, rank) for n in lengths for rank in {1, 2, k - 1, k, k + 1, n} if 1 <= rank <= n]
    queries = [_listed(length, (f"d{rank}", 1), ("unseen", rng.choice((0, 1)))) for length, rank in places]
    for i in range(0, len(queries), 4):
        yield numbered("one relevant document, at the cutoff or at the end", queries[i : i + 4])


def _tied_at(k: int) -> Iterator[Probe]:
    """Yield queries in which two documents are tied for rank k, one of them relevant, or the second, which is
    relevant, has a score that is higher in double precision only; tie rules disagree on their order."""
    above = [f"x{i}" for i in range(k - 1)]
    long = ("clueweb09-en0000-42-00009", "clueweb09-en0000-42-00010")
    for pair in (("d9", "d10"), ("9", "10"), ("a", "B"), ("é", "z"), ("a-b", "ab"), ("b", "a"), long):
        queries = [ranked([*above, *docnos], [(pair[0], 1)], k) for docnos in (pair, pair[::-1])]
        tied = (_with_last(q, q.lines[-2].score) for q in queries)
        # Not with the other document higher: in a mean, one would outweigh the other.
        higher = _with_last(queries[1], queries[1].lines[-2].score + 1e-9)
        yield numbered("two documents tied at the cutoff", (*tied, higher))


def _well_judged(rng: random.Random) -> Iterator[Probe]:
    """Yield long lists of which every document is judged and nearly every one is relevant."""
    for length in (105, 1010, 1200, 2010):
        every = rng.randint(20, 90)
        judged = ((f"d{rank}", int(rank % every > 0)) for rank in range(1, length + 1))
        yield numbered("a long list of relevant documents", [_listed(length, *judged)])


def _without_hits(rng: random.Random) -> Iterator[Probe]:
    """Yield inputs with a query without relevant documents and a long list in which none was found, in each
    place among others."""
    for place, length in enumerate((6, 45, 130, 1010)):
        found = [_short(rng, ("d1", "d2", "d3"), {rank}) for rank in (0, 1)]
        queries = [_listed(length, ("d1", 0)), *found, _listed(length, ("d2", 0), ("unseen", 1))]
        yield numbered("queries for which nothing was found", queries[place:] + queries[:place])


def _every_level() -> Iterator[Probe]:
    """Yield lists with all levels from 1 to 15, other ones at the top of each."""
    for shift in range(0, 15, 2):
        judged = ((f"d{rank}", (rank + shift) % 15 + 1) for rank in range(1, 16))
        yield numbered("relevance levels from 1 to 15", [_listed(15, *judged)])


def _listed(length: int, *judged: tuple[str, int]) -> Query:
    """A query with the results d1, d2, ..."""
    return ranked([f"d{i}" for i in range(1, length + 1)], judged, length - 1)


def _long_edges(rng: random.Random, k: int) -> Iterator[Probe]:
    """Yield inputs of two queries with long lists, in which only the last document and one document at the
    top or around the cutoff are relevant."""
    for longest in (130, 1030):
        for ranks in ((1, k), (1, k), (k, k + 1)):
            sizes = [(rank, max(longest - rng.randint(0, 30), k + 5)) for rank in ranks]
            queries = {f"at-{rank}": _listed(n, (f"d{rank}", 1), (f"d{n}", 1)) for rank, n in sizes}
            yield Probe("one relevant document at the cutoff of a long list", tuple(queries.items()), None)


def _namesakes(rng: random.Random) -> Iterator[Probe]:
    """Yield inputs with pairs of queries with similar ids, of which one finds a relevant document; and
    queries with pairs of documents with similar ids, of which one is relevant."""
    for number in rng.sample(range(2, 80), 3):
        pairs = [rng.sample(pair(number), 2) for pair in NAMESAKES]
        named: dict[str, Query] = {}  # ids of several pairs occur once
        for one, other in pairs:
            named |= {one: _short(rng, ("d1", "d2", "d3"), {1}), other: _short(rng, ("d1", "d2"))}
        yield from also_apart(Probe("queries with similar ids", tuple(named.items()), None))
        queries: list[Query] = []
        for relevant, other in pairs:
            numbers = relevant.isdigit() and other.isdigit()  # a tool may read ids as numbers if all are
            x, y, z, unseen = ("101", "102", "103", "104") if numbers else ("x", "y", "z", "unseen")
            queries += (_short(rng, (other, x, relevant, y, z), places, unseen) for places in ({2}, {0, 2}))
            queries.append(_short(rng, (x, other, y), (), relevant))  # nothing relevant is retrieved
        yield from also_apart(numbered("documents with similar ids", queries))


def _zeros() -> Probe:
    """An input with queries and documents of the ids 0 and -1, which programs may take for none, and d0,
    which is 0 where letters do not count."""
    lists = {"0": ("0", "d0", "-1"), "1": ("d0", "0", "-1"), "-1": ("d0", "d2", "-1", "0")}
    judged = [("d0", 0), ("0", 1), ("-1", 1)]
    return Probe("the ids 0 and -1", tuple((id, ranked(of, judged)) for id, of in lists.items()), None)


def _joined(rng: random.Random) -> Iterator[Probe]:
    """Yield inputs with pairs of queries of which the id of one, joined with a relevant docno, is that of the
    other, joined with another docno: ``1`` and ``23``, ``12`` and ``3``; also if docnos come first."""
    signs = ("", "-", "_", ".", ":", "#", "|", "/", ",", "~")
    for docno_first in (False, True) * 3:
        queries: dict[str, Query] = {}
        for n, sign in zip(rng.sample(range(11, 99), len(signs)), signs, strict=True):
            middle, last = rng.sample(range(1, 10), 2)
            longer = f"{middle}{sign}{n}" if docno_first else f"{n}{sign}{middle}"
            relevant = f"{last}{sign}{middle}" if docno_first else f"{middle}{sign}{last}"
            queries[f"{n}"] = _short(rng, (relevant, "a1", "a2"), {0})
            queries[longer] = _short(rng, ("b1", f"{last}", "b2"), {0})
        yield Probe("queries and documents with ids that can be joined alike", tuple(queries.items()), None)


def _short(
    rng: random.Random, docnos: Sequence[str], relevant: Collection[int] = (), unseen: str = "unseen"
) -> Query:
    """A query with these documents in rank order, and one relevant document that was not retrieved.

    Args:
        relevant: indices of the relevant documents among ``docnos``.
        unseen: docno of the document that was not retrieved.
    """
    judged = [*((docno, int(place in relevant)) for place, docno in enumerate(docnos)), (unseen, 1)]
    return ranked(docnos, rng.sample(judged, len(judged)), 8)


def _with_last(query: Query, score: float) -> Query:
    """The query with this score for its last document."""
    return query.rescored([*(line.score for line in query.lines[:-1]), score])


def _scored(rng: random.Random, k: int) -> Iterator[Probe]:
    """Yield inputs of queries with all kinds of scores. Lists are a little longer than the cutoff, or than
    100, and tie rules disagree on the order of the docnos."""
    more = int(k > 40)
    for _ in range(3):
        queries: list[Query] = []
        for scores in (*SCORES, *SCORES):
            parts = product(rng.sample(FIRST, 2 + more), rng.sample(MIDDLE, 3 + more), LAST)
            docnos = rng.sample(sorted({"".join(part) for part in parts}), min(k, 100) + rng.randint(3, 8))
            judged = [(docno, int(rng.random() < 0.4)) for docno in docnos[1:]]
            scored = zip(docnos, scores(rng, len(docnos)), strict=True)
            lines = tuple(Line(docno, rank, score) for rank, (docno, score) in enumerate(scored, 1))
            queries.append(Query(((docnos[0], 1), *judged), lines))
        yield numbered("all kinds of scores", queries)


def _deep(rng: random.Random, cutoff: int | None) -> Iterator[Probe]:
    """Yield inputs of queries whose first relevant document is deep in the ranking."""
    depths = [depth for depth in _DEEP if cutoff is None or depth < cutoff]
    for _ in range(3 if depths else 0):
        queries: list[tuple[str, Query]] = []
        for depth in depths:
            length = depth + rng.randint(2, 9)
            relevant = ((f"d{rank}", 1) for rank in rng.sample(range(depth + 1, length + 1), 2))
            queries.append((f"deep-{depth}", _listed(length, *relevant)))
        yield Probe("a first relevant document deep in the ranking", tuple(queries), None)


def _begun_alike(seed: int, cutoff: int | None, *, few: bool) -> Iterator[Probe]:
    """Yield pairs of queries with the same judgements and lists that differ only at the end, after many
    documents or at the cutoff."""
    for depth in (9, 60, 110, *[1010] * (not few)) if cutoff is None else (cutoff - 1,):
        # Different lists for each seed, because inputs of further seeds are used until kinds of change show.
        depth += seed % 50 * (depth > 100 and cutoff is None)
        same = [f"d{rank}" for rank in range(1, depth + 1)]
        lists = ([*same, *last] for last in ("ab", "ba"))
        yield numbered("lists that begin alike", (ranked(docnos, [("a", 1)], depth + 1) for docnos in lists))


def _large(rng: random.Random) -> Probe:
    """An input with more than ten thousand results and judgements of several queries. The first lines are not
    those with the highest scores."""
    shape = replace(_shape(1000, (0, 0, 1), 2, 1.0, falling, DOCNOS[0]), shuffled=True)
    return numbered("many results of several queries", (shape.drawn(rng) for _ in range(12)))


def _one_sided(rng: random.Random) -> Iterator[Probe]:
    """Yield inputs in which one query has no judgements and one has no results."""
    for _ in range(3):
        queries = list(_small(rng, 8))
        queries[1], queries[4] = replace(queries[1], lines=()), replace(queries[4], judged=())
        yield numbered("queries without judgements or without results", queries)


def long_probes(seed: int) -> Iterator[Probe]:
    """Yield lists with one relevant document: the last that is looked at where a list is cut at a usual depth
    above 1,000, or the first that is not; two more beyond 10,000, at an odd rank, which float16 cannot
    represent; the document at the top, in the last of 10,000 lines; lists with many relevant documents of
    several levels; and those of :func:`_well_judged`."""
    rng = random.Random(f"long {seed}")
    edges = [rank for depth in DEPTHS if depth > 1000 for rank in (depth, depth + 1)]
    thousands = partial(numbered, "a list of thousands of documents")
    for rank in (*edges, *rng.sample(range(10_003, 10_400, 2), 2)):
        yield thousands([_listed(rank + rng.randint(1, 100), (f"d{rank}", 1))])
    best = _listed(rng.randint(10_000, 10_400), ("d1", 1))
    yield thousands([replace(best, lines=best.lines[::-1])])
    for length in _LONGEST_RICH:
        ranks = (*range(1, 151), *range(200, length, 97))
        judged = ((f"d{rank}", rng.choice((0, 0, 0, 1, 1, 2, 3))) for rank in ranks)
        yield thousands([_listed(length + rng.randint(1, 99), *judged)])
    yield from _well_judged(rng)


def ended_lists(ranks: Collection[int]) -> Iterator[Probe]:
    """Yield lists of relevant documents, and lists with one, at ranks between these: on some of them, a list
    that ends at one rank has another value than a list that ends at another."""
    if len(ranks) < 2:
        return
    lowest, highest = min(ranks), max(ranks)
    every = [(f"d{rank}", 1) for rank in range(1, highest + 2)]
    yield Probe("a list of relevant documents", (("1", _listed(highest + 1, *every)),), "1")
    steps = range(1, min(highest - lowest, _ENDS) + 1)
    for rank in (lowest + step * (highest - lowest) // len(steps) for step in steps):
        query = _listed(rank + 1, (f"d{rank}", 1))
        yield Probe("one relevant document deep in the ranking", (("1", query),), "1")


def crowd(seed: int) -> Probe:
    """An input of so many queries with short lists that batches of all usual sizes leave some over: one of 8,
    10, 16, 20, 32, 50, 64 or 100, more of 128, 256, 500, 512, 1,000 or 1,024."""
    return numbered("many queries", _small(random.Random(f"crowd {seed}"), 1601))


def extreme_probes(seed: int, *, levels: bool) -> Iterator[Probe]:
    """Yield three inputs of each extreme kind: those of :func:`long_probes`; if ``levels``, relevance levels
    above 100; last documents with the score -inf; last documents with a score that stands for none, beside
    which the others are the same once they are scaled."""
    yield from long_probes(seed)
    rng = random.Random(f"extreme {seed}")
    for mix in _EXTREME_LEVELS if levels else ():
        shapes = (_shape(length, mix, 1, 1.0, falling, DOCNOS[0]) for length in (3, 12))
        yield numbered("relevance levels beyond 100", (shape.drawn(rng) for shape in shapes))
    for length in (2, 3, 4):
        short = (_short(rng, [f"d{length}-{i}" for i in range(n)], {n - 1}) for n in (1, length))
        yield numbered("a score of -inf", (_with_last(query, -math.inf) for query in short))
    for count in (4, 13, 110):
        docnos = [f"d{count}-{i:03}" for i in range(rng.randint(count, count + 5))]
        yield numbered("a score far below the others", [_with_last(_short(rng, docnos, {0}), -1e9)])


def _small(rng: random.Random, count: int) -> Iterator[Query]:
    """Yield queries with short lists; in every third, scores rise from line to line."""
    for number in range(1, count + 1):
        length = rng.randint(1, 6)
        relevant = rng.sample(range(length), min(rng.choice((0, 1, 1, 2, 3)), length))
        query = _short(rng, [f"d{i}" for i in rng.sample(range(1, 30), length)], relevant)
        yield replace(query, lines=query.lines[::-1]) if number % 3 == 0 else query
