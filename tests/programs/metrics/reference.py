"""trec_eval's measures in plain Python, written from their definitions; each step can be replaced.

They share no code with crosscheck. A metric with a bug is these measures with one step replaced.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from ctypes import c_float
from dataclasses import dataclass
from math import inf, isnan, log2
from pathlib import Path
from typing import Any, TypeAlias

Judged: TypeAlias = Mapping[str, int]
#: Documents with their scores, in input order.
Lines: TypeAlias = Sequence[tuple[str, float]]
Qrels: TypeAlias = Mapping[str, Judged]
Run: TypeAlias = Mapping[str, Mapping[str, float]]
#: Relevance levels of the retrieved documents in rank order, None where unjudged.
Levels: TypeAlias = list[int | None]


def single(score: float) -> float:
    """A score in single precision, in which trec_eval compares; NaN below all others."""
    return -inf if isnan(score) else c_float(score).value


def in_bytes(docno: str) -> bytes:
    return docno.encode("utf-8", "surrogateescape")


def ascending(docno: str) -> list[int]:
    """In descending order of this, docnos ascend."""
    return [*(-byte for byte in in_bytes(docno)), 1]


def nonnegative(judged: Judged) -> dict[str, int]:
    """Judgements without negative levels, which are the same as no judgement."""
    return {docno: level for docno, level in judged.items() if level >= 0}


def in_both(qrels: Qrels, run: Run) -> Iterator[tuple[str, Judged, Lines]]:
    """Each query that both the qrels and the run have, in the run's order."""
    return ((topic, qrels[topic], list(run[topic].items())) for topic in run if topic in qrels)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """The steps from qrels and run to a value; the defaults are trec_eval's.

    Attributes:
        queries: the queries, with judgements and lines.
        docno: a document's id, as it is read on both sides.
        judged: a query's judgements.
        lines: a query's lines, before they are sorted.
        score: a score as it is compared, higher first.
        tie: tied documents are in descending order of this.
        found: levels of the ranking, before it is cut.
        cutoff, ideal_cutoff: the cutoff of the measure; of nDCG's ideal list.
        size: R, the number of relevant documents, where something is divided by it or cut at it.
        ideal: the positive levels in descending order, before they are cut.
        gain, discount: of a level; of a rank.
        formula: in place of the measure's own.
        value: the value of one query.
        values: the values of all queries.
        mean: over all queries.
    """

    queries: Callable[[Qrels, Run], Iterable[tuple[str, Judged, Lines]]] = in_both
    docno: Callable[[str], str] = str
    judged: Callable[[Judged], Judged] = nonnegative
    lines: Callable[[Lines], Lines] = list
    score: Callable[[float], float] = single
    tie: Callable[[str], Any] = in_bytes
    found: Callable[[Levels], Levels] = list
    cutoff: Callable[[int], int] = int
    ideal_cutoff: Callable[[int], int] = int
    size: Callable[[int], float] = int
    ideal: Callable[[list[int]], list[int]] = list
    gain: Callable[[int], float] = float
    discount: Callable[[int], float] = lambda rank: log2(rank + 1)
    formula: Callable[[Rules, Levels, list[int], int | None], float] | None = None
    value: Callable[[float], float] = float
    values: Callable[[dict[str, float]], dict[str, float]] = dict
    mean: Callable[[Sequence[float]], float] = lambda values: over(sum(values), len(values))


def listed(path: Path, names: dict[str, Any]) -> dict[str, tuple[Rules, str]]:
    """The rules in a text file, by name, with the metrics that follow them: a line of each,
    ``name => rules; metrics``."""
    lines = path.with_suffix(".txt").read_text("utf-8").splitlines()
    rows = (re.fullmatch("(.+?) => (.+); (.+)", line) for line in lines if not line.startswith("#"))
    return {row[1]: (eval(row[2], names), row[3]) for row in rows if row}


def value_of(rules: Rules, family: str, k: int | None, judged: Judged, lines: Lines) -> float:
    """The value of one query; ``k`` is None where the measure has no cutoff."""
    levels = rules.judged({rules.docno(docno): level for docno, level in judged.items()})
    read = rules.lines([(rules.docno(docno), score) for docno, score in lines])
    ranking = sorted(read, key=lambda line: (rules.score(line[1]), rules.tie(line[0])), reverse=True)
    found = rules.found([levels.get(docno) for docno, _ in ranking])
    formula = rules.formula or _FORMULAS[family]
    return rules.value(formula(rules, found, list(levels.values()), k if k is None else rules.cutoff(k)))


def values_of(rules: Rules, family: str, k: int | None, qrels: Qrels, run: Run) -> dict[str, float]:
    """The value of every query."""
    queries = rules.queries(qrels, run)
    return rules.values({q: value_of(rules, family, k, judged, lines) for q, judged, lines in queries})


def mean_of(rules: Rules, family: str, k: int | None, qrels: Qrels, run: Run) -> float:
    """The mean over the queries."""
    return rules.mean(list(values_of(rules, family, k, qrels, run).values()))


def over(part: float, whole: float) -> float:
    """A quotient; 0 where there is nothing to divide by."""
    return part / whole if whole else 0.0


def relevant(levels: Iterable[int | None]) -> list[bool]:
    return [level is not None and level > 0 for level in levels]


def _precision(found: Levels, k: int) -> float:
    return over(sum(relevant(found[:k])), k)


def _average_precision(rules: Rules, found: Levels, levels: list[int], k: int | None) -> float:
    hits, total = 0, 0.0
    for rank, hit in enumerate(relevant(found[:k]), 1):
        if hit:
            hits += 1
            total += hits / rank
    return over(total, rules.size(sum(relevant(levels))))


def _dcg(rules: Rules, levels: Iterable[int | None]) -> float:
    return sum(rules.gain(level) / rules.discount(rank) for rank, level in enumerate(levels, 1) if level)


def _ndcg(rules: Rules, found: Levels, levels: list[int], k: int | None) -> float:
    ideal = rules.ideal(sorted((level for level in levels if level > 0), reverse=True))
    return over(_dcg(rules, found[:k]), _dcg(rules, ideal[: k if k is None else rules.ideal_cutoff(k)]))


def _bpref(rules: Rules, found: Levels, levels: list[int], k: int | None) -> float:
    size = rules.size(sum(relevant(levels)))
    bound = min(size, len(levels) - sum(relevant(levels)))
    above, total = 0, 0.0
    for level in found:
        if level is not None and level > 0:
            total += 1 - over(min(above, bound), bound)
        elif level is not None:
            above += 1
    return over(total, size)


_FORMULAS: dict[str, Callable[[Rules, Levels, list[int], int | None], float]] = {
    "P": lambda rules, found, levels, k: _precision(found, k or 0),
    "R": lambda rules, found, levels, k: over(sum(relevant(found[:k])), rules.size(sum(relevant(levels)))),
    "Success": lambda rules, found, levels, k: float(any(relevant(found[:k]))),
    "RR": lambda rules, found, levels, k: next(
        (1 / rank for rank, hit in enumerate(relevant(found[:k]), 1) if hit), 0.0
    ),
    "AP": _average_precision,
    "nDCG": _ndcg,
    "Rprec": lambda rules, found, levels, k: _precision(found, int(rules.size(sum(relevant(levels))))),
    "bpref": _bpref,
}
