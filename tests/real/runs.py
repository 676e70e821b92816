"""Real TREC runs cut into parts of twenty queries and more: many inputs from a few collections."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from crosscheck.evaluation.rankings import Rankings
from crosscheck.formats.trec import read_qrels, read_run
from crosscheck.rankings.subset import only_qrels, only_run

__all__ = ["PARTS", "parts"]

#: Collection -> its run, and into how many parts its queries are dealt.
PARTS = {
    "trec-covid-r1": (("run.BERT.txt", 1), ("run.PS-r1-bm25none.txt", 1)),
    "trec-covid-r4": (("run.ILPS_UvA_big_diverse.txt", 2),),
    "trec8-adhoc": (("run.READWARE.txt", 2),),
    "dl19-heapsort": (("run.bm25_quantised.txt", 2),),
    "juristcu": (("run.tcu_search.txt", 5),),
    "dbpedia-tti": (("run.ec_lm.txt", 7),),
}


def parts(corpus: Path, *collections: str) -> Iterator[tuple[str, Rankings]]:
    """Name and rankings of each part of some collections, all of them where none is named; those that are not
    here are left out."""
    for name in collections or PARTS:
        for file, number in PARTS[name]:
            path = corpus / name / file
            if not path.is_file():
                continue
            run, qrels = read_run(str(path)), read_qrels(str(corpus / name / "qrels"))
            topics = sorted({*run.topics, *qrels.topics})
            for first in range(number):
                chosen = set(topics[first::number])
                rankings = Rankings(only_run(run, chosen), only_qrels(qrels, chosen))
                yield f"{name}/{file}#{first}", rankings
