"""The queries of the battery: small ones with one special feature each, and mixtures."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from crosscheck.probes.probe import COMPANY, OWN_ID, Line, Probe, Query

__all__ = [
    "ABOVE_ALL",
    "DEEP",
    "MIXED",
    "TOP_LEVEL",
    "company",
    "judged_deep_probes",
    "level_probes",
    "mean_probes",
    "mixed_probes",
    "query_probes",
    "tied_probes",
]

#: The highest relevance level of every input with a relevant document, except those of :func:`level_probes`.
TOP_LEVEL = 3
#: A relevance level above those of all these inputs.
ABOVE_ALL = 6
#: ``about`` of the mixed probes.
MIXED = "many things at once"
#: ``about`` of probes whose first relevant document is below the cutoffs that tools have.
DEEP = "relevant documents deep in the ranking"

_NAMES = tuple(f"{letter}{digit}" for letter in "bcdefghkmnpqrstvwxz" for digit in "0123456789")
_NUMBERS = tuple(map(str, (4, 5, 13, 28, 32, 70, 71, 101, 104, 330, 600, 950, 1200)))
#: Ids of mixed length, case and number; no two are the same in another letter case.
_MIXED_NAMES = (
    *_NUMBERS,
    *(f"{letters}{number}" for letters in ("a", "B", "c", "Dd") for number in (2, 9, 10, 33, 100)),
)


class _Shape(Struct, frozen=True):
    """The properties of a random query.

    Attributes:
        length: number of results; unretrieved: number of judged documents that were not retrieved.
        levels: levels that the results can have, None for unjudged; missed: levels that the unretrieved
            documents can have.
        scores: kind of scores: falling, tied, two (two different scores), close (equal in single precision),
            or not positive.
        shuffled: whether lines, rank column and scores contradict each other.
        own: whether one document has the id of its query.
        names: the ids to draw from.
    """

    length: int
    unretrieved: int = 0
    levels: tuple[int | None, ...] = (0, 0, 1, 2, 3)
    missed: tuple[int, ...] = (1, 2, 3)
    scores: str = "falling"
    shuffled: bool = False
    own: bool = False
    names: Sequence[str] = _NAMES


def _query(rng: random.Random, shape: _Shape) -> Query:
    count = shape.length + shape.unretrieved
    known = shape.names
    names = rng.sample(known, count) if count <= min(len(known), 100) else _many(rng, shape)
    if shape.own:
        names[rng.randrange(shape.length)] = OWN_ID
    docs, missed = names[: shape.length], names[shape.length :]
    levels = [(docno, rng.choice(shape.levels)) for docno in docs]
    judged = [(docno, level) for docno, level in levels if level is not None]
    judged += [(docno, rng.choice(shape.missed)) for docno in missed]
    positive = [i for i, (_, level) in enumerate(judged) if level > 0]
    if positive:  # one document of the highest level, so that this is the same in every input
        top = rng.choice(positive)
        judged[top] = (judged[top][0], TOP_LEVEL)
    rng.shuffle(judged)
    lines = [Line(docno, 0, score) for docno, score in zip(docs, _scores(rng, shape), strict=True)]
    return Query(tuple(judged), tuple(_placed(rng, lines, shuffled=shape.shuffled)))


def _many(rng: random.Random, shape: _Shape) -> list[str]:
    names = [f"u{i:04d}" for i in range(shape.length + shape.unretrieved)]
    rng.shuffle(names)
    return names


def _scores(rng: random.Random, shape: _Shape) -> list[float]:
    count = shape.length
    match shape.scores:
        case "tied":
            return sorted((float(rng.randint(1, max(2, count // 3))) for _ in range(count)), reverse=True)
        case "two":
            return sorted((rng.choice((1.0, 2.0)) for _ in range(count)), reverse=True)
        case "close":
            return [1.0 + 1e-9 * (count - i) for i in range(count)]
        case "not positive":
            positive = rng.choice((0, 1, count // 2))
            return [float(positive - i) for i in range(count)]
    return [float(count - i) for i in range(count)]


def _placed(rng: random.Random, lines: list[Line], *, shuffled: bool) -> list[Line]:
    if not shuffled:
        return [replace(line, rank=i) for i, line in enumerate(lines, 1)]
    ranks = list(range(1, len(lines) + 1))
    rng.shuffle(ranks)
    rng.shuffle(lines)
    return [replace(line, rank=rank) for line, rank in zip(lines, ranks, strict=True)]


def company(level: int = TOP_LEVEL) -> tuple[str, Query]:
    """The id and the content of a query to add to a query that cannot be alone; ``level`` is its highest."""
    lines = tuple(Line(docno, rank, 3.0 - rank) for rank, docno in enumerate(("j1", "j2"), 1))
    return COMPANY, Query((("j1", level), ("j2", 0)), lines)


#: Special feature -> function that draws the shape of a query for a cutoff.
_KINDS: dict[str, Callable[[random.Random, int], _Shape]] = {
    "graded results": lambda rng, k: _Shape(k + rng.randint(0, 1)),
    "fewer results than the cutoff": lambda rng, k: _Shape(rng.randint(1, max(1, k - 1))),
    "more results than the cutoff": lambda rng, k: _Shape(k + rng.randint(1, 4)),
    "relevant documents that were not retrieved": lambda rng, k: _Shape(
        rng.randint(2, k + 2), unretrieved=rng.randint(1, 3)
    ),
    "more relevant documents than the cutoff": lambda rng, k: _Shape(
        rng.randint(2, k + 4), unretrieved=k + rng.randint(0, 3), levels=(0, 1, 2, 3)
    ),
    "relevant documents only": lambda rng, k: _Shape(
        rng.randint(2, 5), unretrieved=2, levels=(1, 2, 3, None)
    ),
    "few documents judged nonrelevant": lambda rng, k: _Shape(
        rng.randint(4, 8), unretrieved=rng.randint(0, 3), levels=(0, 1, 2, 3, 3)
    ),
    "many documents judged nonrelevant": lambda rng, k: _Shape(
        rng.randint(4, 9), unretrieved=3, levels=(0, 0, 0, 1, 3), missed=(0, 0, 1)
    ),
    "unjudged documents": lambda rng, k: _Shape(
        rng.randint(2, k + 3), unretrieved=rng.randint(0, 2), levels=(None, None, 0, 1, 3)
    ),
    "negative relevance levels": lambda rng, k: _Shape(
        rng.randint(3, 7), unretrieved=1, levels=(-1, -1, 0, 1, 3), missed=(-1, 0, 1)
    ),
    "lines, rank column and scores that contradict each other": lambda rng, k: _Shape(
        rng.randint(3, k + 3), shuffled=True
    ),
    "tied scores": lambda rng, k: _Shape(rng.randint(3, k + 4), scores="tied", shuffled=True),
    "scores that are equal in single precision": lambda rng, k: _Shape(
        rng.randint(2, k + 4), scores="close", shuffled=True
    ),
    "scores that are not positive": lambda rng, k: _Shape(
        rng.randint(3, k + 4), unretrieved=1, scores="not positive"
    ),
    "negative relevance levels only": lambda rng, k: _Shape(
        rng.randint(1, 4), unretrieved=1, levels=(-1,), missed=(-1,)
    ),
    "a document whose id is that of its query": lambda rng, k: _Shape(rng.randint(2, k + 2), own=True),
    "no relevant document": lambda rng, k: _Shape(rng.randint(1, 5), levels=(0, 0, None), missed=(0,)),
    "nothing relevant retrieved": lambda rng, k: _Shape(rng.randint(1, 5), unretrieved=2, levels=(0, None)),
    "tied scores, and ids of mixed length, case and number": lambda rng, k: _Shape(
        rng.randint(6, 11), scores="two", shuffled=True, names=_MIXED_NAMES
    ),
    "tied scores, and ids that are numbers": lambda rng, k: _Shape(
        rng.randint(6, 11), scores="two", shuffled=True, names=_NUMBERS
    ),
    # Unstable sorts keep the order of shorter lists.
    "tied scores in a list of more than fifteen": lambda rng, k: _Shape(
        rng.randint(17, 24), levels=(0, 0, 1, 2, None), scores="two", shuffled=True
    ),
}
_ALONE = frozenset({"no relevant document", "nothing relevant retrieved", "negative relevance levels only"})


#: Spellings of a query's id in the qrels and in the run, which end alike.
_PREFIXES = (("1-{}", "2-{}"), ("b-{}", "a-{}"), ("x-1-{}", "y-{}"), ("q2-{}", "q1-0-{}"))
#: Special feature of ids -> spelling of a docno in the run and in the qrels.
_SPELLINGS = {
    "ids that differ in letter case": ("d{}", "D{}"),
    "ids with blanks around them": ("d{}", " d{} "),
    "ids with leading zeros": ("4{}", "04{}"),  # none equals the id of the query
}

#: Ranks of the first relevant document, after the cutoffs that tools have.
_RANKS = (4, 8, 15, 30, 70, 150, 300, 700, 1100)


def query_probes(rng: random.Random, cutoff: int | None, each: int = 12) -> Iterator[Probe]:
    """Probes that read the value of one query, with one special feature each."""
    k = cutoff or 5
    for about, shape in _KINDS.items():
        for i in range(each):
            query = _query(rng, shape(rng, k))
            if about == "no relevant document" and not query.judged:  # all of them drawn as unjudged
                query = replace(query, judged=((query.lines[0].docno, 0),))
            # Some tools refuse qrels that hold nothing relevant.
            with_company = about in _ALONE and i % 2 == 0
            yield _alone(about, query, with_company=with_company)
    for i in range(4):
        yield _alone("a judged query without results", _missing(rng, i), with_company=True)
    for length in (1, 4):
        lines = tuple(Line(docno, i, 10.0 - i) for i, docno in enumerate(_NAMES[:length], 1))
        yield _alone("a query without judgements", Query((), lines), with_company=True)
    for about, spellings in _SPELLINGS.items():
        # Two of them reveal the treatment of documents that a metric considers unjudged.
        for levels in ((TOP_LEVEL, 0, 2, 1), (0, TOP_LEVEL, 1, 2), (0, 0, 0, TOP_LEVEL)):
            yield _alone(about, _spelt(levels, *spellings), with_company=False)
    yield _named_apart(rng, "query ids that differ before a hyphen", 3 * _PREFIXES)
    for rank in _RANKS:
        yield _alone(DEEP, _deep(rng, rank), with_company=False)


def mixed_probes(rng: random.Random, cutoff: int | None, count: int) -> Iterator[Probe]:
    """Probes with many special features at once."""
    k = cutoff or 5
    for _ in range(count):
        shape = _Shape(
            rng.randint(1, k + 4),
            unretrieved=rng.randint(0, 4),
            levels=rng.choice(((0, 1, 2, 3, None), (0, 1, 3), (None, 0, 0, 2), (0, 1, 2, 3, -1, None))),
            missed=rng.choice(((1, 2, 3), (0, 1), (0,))),
            scores=rng.choice(("falling", "tied", "tied", "close", "not positive")),
            shuffled=rng.random() < 0.7,
            names=rng.choice((_NAMES, _NAMES, _MIXED_NAMES)),
        )
        query = _query(rng, shape)
        if query.judged and max(level for _, level in query.judged) > 0:
            yield _alone(MIXED, query, with_company=False)


def tied_probes(rng: random.Random, cutoff: int | None, count: int) -> Iterator[Probe]:
    """Probes with many tied documents, also on both sides of the cutoff, in lists of several lengths."""
    k = cutoff or 5
    for _ in range(count):
        levels = rng.choice(((0, 1, 3), (0, 0, 0, 2), (0,) * 9 + (1,)))
        yield _alone(
            "tied scores",
            _query(rng, _Shape(k + rng.randint(2, 24), levels=levels, scores="two", shuffled=True)),
            with_company=False,
        )


def level_probes(rng: random.Random, cutoff: int | None, *, alone: bool) -> Iterator[Probe]:
    """Probes on a query with another highest level, alone or with a query of the usual highest level."""
    k = cutoff or 5
    for top in (2, 5) if alone else (1, 2, 1, 2, 1, 2):
        query = _query(rng, _Shape(rng.randint(3, k + 3), unretrieved=rng.randint(0, 2)))
        judged = tuple(
            (docno, top if level == TOP_LEVEL else min(level, top)) for docno, level in query.judged
        )
        yield _alone("another highest level", replace(query, judged=judged), with_company=not alone)


def judged_deep_probes(rng: random.Random) -> Iterator[Probe]:
    """Probes on a query with many judged documents, to show the depth at which a metric stops reading
    them."""
    for rank in _RANKS:
        query = _query(rng, _Shape(rank + 3, unretrieved=20, levels=(0, 1, 1, 1, 2, 3), missed=(0,)))
        yield _alone("judged documents deep in the ranking", query, with_company=False)


def _alone(about: str, query: Query, *, with_company: bool) -> Probe:
    beside = (company(),) if with_company else ()
    return Probe(about, (("1", query), *beside), "1")


def _spelt(levels: Sequence[int], in_run: str, in_qrels: str) -> Query:
    """A query with documents whose ids are spelt differently in qrels and run."""
    lines = tuple(Line(in_run.format(i), i, 10.0 - i) for i in (1, 2, 3))
    return Query(tuple((in_qrels.format(i), level) for i, level in enumerate(levels, 1)), lines)


def _named_apart(rng: random.Random, about: str, spellings: Sequence[tuple[str, str]]) -> Probe:
    """Queries whose ids are spelt differently in qrels and run, and one whose id is not."""
    queries = [company()]
    for number, (in_qrels, in_run) in enumerate(spellings, 2):
        query = _query(rng, _Shape(4))
        queries.append((in_qrels.format(number), Query(query.judged, ())))
        queries.append((in_run.format(number), Query((), query.lines)))
    return Probe(about, tuple(queries), None)


def _missing(rng: random.Random, number: int) -> Query:
    return Query(tuple((docno, TOP_LEVEL) for docno in rng.sample(_NAMES, number + 1)), ())


def _deep(rng: random.Random, rank: int) -> Query:
    shape = _Shape(rank + 3, levels=(None,))
    query = _query(rng, shape)
    judged = ((query.lines[rank - 1].docno, TOP_LEVEL), (query.lines[rank].docno, 0), ("unseen", 1))
    return replace(query, judged=judged)


def mean_probes(rng: random.Random, cutoff: int | None) -> Iterator[Probe]:
    """Probes that read the mean over queries, to show which queries count."""
    k = cutoff or 5

    def ordinary() -> Query:
        return _query(rng, _Shape(rng.randint(2, k + 1), unretrieved=1))

    def unknown() -> Query:
        return replace(ordinary(), judged=())

    def barren() -> Query:
        return _query(rng, _Shape(rng.randint(1, 4), levels=(0,)))

    def hitless() -> Query:
        return _query(rng, _Shape(2, unretrieved=2, levels=(0,)))

    plans: dict[str, tuple[tuple[Callable[[], Query], ...], ...]] = {
        "several queries": ((ordinary, ordinary), (ordinary, ordinary, ordinary)),
        "a judged query without results": (
            (ordinary, lambda: _missing(rng, 0)),
            (ordinary, ordinary, lambda: _missing(rng, 1)),
        ),
        "a query without judgements": ((ordinary, unknown), (ordinary, ordinary, unknown, unknown)),
        "queries without results and queries without judgements": (
            (ordinary, lambda: _missing(rng, 0), lambda: _missing(rng, 0), unknown),
            (ordinary, ordinary, lambda: _missing(rng, 0), unknown, unknown, unknown),
        ),
        "no relevant document": ((ordinary, barren), (ordinary, ordinary, barren, barren)),
        "nothing relevant retrieved": ((ordinary, hitless), (ordinary, hitless, lambda: _missing(rng, 0))),
    }
    for about, variants in plans.items():
        for makers in (*variants, *variants):
            queries = tuple((str(i), _own_documents(make(), i)) for i, make in enumerate(makers, 1))
            yield Probe(about, queries, None)


def _own_documents(query: Query, number: int) -> Query:
    """The query with docnos that no other query has. Other inputs test whether queries affect each other."""
    return Query(
        tuple((f"{docno}-{number}", level) for docno, level in query.judged),
        tuple(replace(line, docno=f"{line.docno}-{number}") for line in query.lines),
    )
