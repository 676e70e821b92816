"""Random qrels and runs that look like real ones, in every respect that a metric of the zoo goes by."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

__all__ = ["random_input"]

#: Lengths of lists and numbers of relevant documents that were not retrieved; the long ones are rare.
_LENGTHS = (1, 2, 3, 4, 5, 6, 9, 10, 11, 15, 16, 17, 20, 21, 40, 41, 60, 100, 101, 130, 300)
_LONG = (1200, 3500)
_MISSED = (0, 0, 1, 2, 3, 8, 25, 60, 130, 300)

#: Relevance levels of retrieved documents, None for unjudged ones.
_PALETTES: tuple[tuple[int | None, ...], ...] = (
    (0, 1),
    (0, 0, 0, None, None, 1),
    (0, 1, 2, 3),
    (None, 0, 1, 2, 3, 4, 5),
    (1, 2, None),
    (-2, -1, 0, 0, 1, 2),
    (None, -1, 0, 3),
    (None, 0, 0, 4, 9, 10, 11, 30),
    (0, None),
    (*[None] * 200, *[0] * 100, 1),
)
#: Levels of half of the long lists: something relevant deep in the ranking, and nothing above.
_SPARSE: tuple[int | None, ...] = (*[None] * 1500, 1)

#: Scores of a list: made from a generator and the document's place.
_SCORES: tuple[Callable[[random.Random, int], float], ...] = (
    lambda rng, place: 1000.0 - place,
    lambda rng, place: float(place),
    lambda rng, place: float(rng.randint(0, 3)),
    lambda rng, place: 1.0,
    lambda rng, place: rng.random(),
    lambda rng, place: 0.5 + rng.random() / 1000,
    lambda rng, place: 0.5 + rng.random() / 10**6,
    lambda rng, place: rng.gauss(0, 2),
    lambda rng, place: -20.0 - rng.random() * 5,
    lambda rng, place: rng.random() * 300,
    lambda rng, place: rng.random() * 1e-6,
    lambda rng, place: rng.random() * 1e12,
    lambda rng, place: float(rng.choice((-1, 0, 0, 1))),
    lambda rng, place: 1 + 1e-9 * rng.randint(0, 9),
    lambda rng, place: 3e9 * rng.random(),
)

#: Ids made from a number; beside each other they differ in what metrics may lose.
_IDS: tuple[Callable[[int], str], ...] = (
    lambda n: f"d{n}",
    lambda n: str(n),
    lambda n: f"{n:06d}",
    lambda n: f"{'0' * (n % 2)}{n // 2 + 1}",
    lambda n: f"{'dD'[n % 2]}oc{n // 2}",
    lambda n: f"clueweb09-en0000-00-{n:05d}",
    lambda n: f"a-rather-long-name-of-a-document-{n}",
    lambda n: f"{n // 2}.1{'0' * (n % 2)}",
    lambda n: f"doc{n // 4}#{n % 4}",
    lambda n: f"report{n // 4}.{n % 4}",
    lambda n: f"m{'éüz'[n % 3]}{n // 3}",
    lambda n: f"{'-_'[n % 2]}x{n}" if n % 3 else f"x{n}",
    lambda n: f"{n % 7}-{n}",
)


def _query(
    rng: random.Random, length: int, names: Callable[[int], str]
) -> tuple[dict[str, int], dict[str, float]]:
    """Judgements and lines of one query; at least one document is judged, and not negative."""
    sparse = length in _LONG and rng.random() < 0.5
    palette, score = _SPARSE if sparse else rng.choice(_PALETTES), rng.choice(_SCORES)
    missed = rng.choice(_MISSED)
    docnos = list(dict.fromkeys(map(names, range(length + missed))))
    rng.shuffle(docnos)
    judged = {docno: rng.choice(palette) for docno in docnos[:length]}
    judged |= {
        docno: rng.choice([level for level in palette if level is not None]) for docno in docnos[length:]
    }
    known = [(docno, level) for docno, level in judged.items() if level is not None]
    rng.shuffle(known)
    if max((level for _, level in known), default=-1) < 0:
        known = [*known[1:], (docnos[0], 0)]
    lines = {docno: score(rng, place) for place, docno in enumerate(docnos[:length])}
    return dict(known), lines


def _topics(rng: random.Random, count: int) -> Sequence[str]:
    names = rng.choice(_IDS)
    return list(dict.fromkeys(names(rng.randint(1, 3) * n + 1) for n in range(count)))


def random_input(rng: random.Random) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]]:
    """Qrels and a run, which share at least one query; some queries are in only one of them."""
    long = rng.random() < 0.1
    count = 1 if long else rng.choice((1, 1, 2, 3, 4, 5, 9, 10, 11, 30, 60))
    longest = 17 if count > 11 else 300
    names = rng.choice(_IDS)
    qrels: dict[str, dict[str, int]] = {}
    run: dict[str, dict[str, float]] = {}
    for place, topic in enumerate(_topics(rng, count)):
        length = rng.choice(_LONG if long else [n for n in _LENGTHS if n <= longest])
        judged, lines = _query(rng, length, names)
        if place == 0 or rng.random() < 0.95:
            qrels[topic] = judged
        if place == 0 or rng.random() < 0.95:
            run[topic] = lines
    return qrels, run
