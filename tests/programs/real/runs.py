"""Runs to plant and to invent numbers on: realistic ones made here, and parts of TREC runs where they are.

A made collection has what real runs have and small examples lack: scores that tie in part, graded judgements
of a pool, unjudged documents above judged ones, judged queries without results, topics without judgements.
"""

import random
from collections.abc import Iterator
from functools import cache

from crosscheck.evaluation.rankings import Rankings
from crosscheck.formats.dicts import qrels_from_dict, run_from_dict
from crosscheck.formats.trec import read_qrels, read_run
from crosscheck.rankings.changed_inputs import only_topics
from tests.support.cases import CORPUS

#: Collection -> its run, and into how many parts its queries are dealt.
PARTS = {
    "trec-covid-r1": (("run.BERT.txt", 1), ("run.PS-r1-bm25none.txt", 1)),
    "trec-covid-r4": (("run.ILPS_UvA_big_diverse.txt", 2),),
    "trec8-adhoc": (("run.READWARE.txt", 2),),
    "dl19-heapsort": (("run.bm25_quantised.txt", 2),),
    "juristcu": (("run.tcu_search.txt", 5),),
    "dbpedia-tti": (("run.ec_lm.txt", 7),),
}
#: Made collection -> topics, documents of a ranking, highest level, share judged, decimals of the scores.
MADE = {
    "made-deep": (30, 300, 2, 0.4, 4),
    "made-quantised": (43, 100, 3, 0.6, 0),
    "made-shallow": (60, 20, 3, 0.8, 6),
}


@cache
def _made(name: str) -> Rankings:
    topics, depth, highest, share, decimals = MADE[name]
    rng = random.Random(name)
    run: dict[str, dict[str, float]] = {}
    qrels: dict[str, dict[str, int]] = {}
    for topic in map(str, range(101, 101 + topics)):
        docnos = [f"{rng.choice(['doc', 'FT', 'LA'])}{rng.randrange(10**6):06}" for _ in range(depth)]
        docnos = list(dict.fromkeys(docnos))[: rng.choice([depth, depth, depth // 2, 7])]
        ease = rng.random()
        levels = {
            docno: rng.choices(range(highest + 1), [rank**0.5 / ease, *range(highest, 0, -1)])[0]
            for rank, docno in enumerate(docnos, 1)
            if rng.random() < share
        }
        levels |= {f"missed{i}": rng.randint(0, highest) for i in range(rng.choice([0, 2, 9, 40]))}
        if rng.random() < 0.95:
            qrels[topic] = levels | {"pooled": -1}
        if rng.random() < 0.93:
            run[topic] = {
                docno: round(12 - 10 * (rank / depth) ** 0.5 + rng.gauss(0, 0.02), decimals)
                for rank, docno in enumerate(docnos, 1)
            }
    return Rankings(run_from_dict(run), qrels_from_dict(qrels))


def parts(*collections: str) -> Iterator[tuple[str, Rankings]]:
    """Name and rankings of each part of some collections, of all where none is named; TREC collections that
    are not here are left out."""
    for name in collections or (*MADE, *PARTS):
        if name in MADE:
            yield name, _made(name)
            continue
        for file, number in PARTS[name]:
            path = CORPUS / name / file
            if not path.is_file():
                continue
            run, qrels = read_run(str(path)), read_qrels(str(path.parent / "qrels"))
            topics = sorted({*run.topics, *qrels.topics})
            for first in range(number):
                chosen = set(topics[first::number])
                yield f"{name}/{file}#{first}", Rankings(only_topics(run, chosen), only_topics(qrels, chosen))
