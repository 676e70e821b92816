"""Every convention as a parameter of one metric, in plain Python: an oracle for searches and audits.

Written from the definitions; it shares no code with crosscheck. What it is given is checked by eye elsewhere,
so it is short, not fast: each axis is a line or two, and sums are added in rank order.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from ctypes import c_float
from dataclasses import dataclass, field
from itertools import chain, groupby, pairwise, permutations, product
from math import inf, log, log2, log10, nan
from statistics import median
from typing import Any, NamedTuple, TypeAlias

from crosscheck.backends import Backend, Description
from crosscheck.conventions import Conventions
from crosscheck.model import Measure, MeasureValues
from crosscheck.model import Qrels as ReadQrels
from crosscheck.model import Run as ReadRun


class Row(NamedTuple):
    """One line of a run."""

    docno: str
    rank: int
    score: float


Judged: TypeAlias = Mapping[str, int]
Qrels: TypeAlias = Mapping[str, Judged]
Run: TypeAlias = Mapping[str, Sequence[Row]]
#: Axis -> value; trec_eval's on all others.
Changes: TypeAlias = Mapping[str, str | int]

#: How docnos are sorted other than by their bytes.
DOCNO_KEYS: dict[str, Callable[[str], Any]] = {
    "natural": lambda docno: [int(part) if part.isdigit() else part for part in re.split("([0-9]+)", docno)],
    "folded": str.lower,
    "numeric": lambda docno: (0, int(docno)) if re.fullmatch("-?[0-9]+", docno) else (1, docno),
    "length": lambda docno: (len(docno), docno),
}
_ALIKE: dict[str, Callable[[str], str]] = {
    "case": str.lower,
    "strip": str.strip,
    "int": lambda docno: str(int(docno)) if re.fullmatch(r"[+-]?[0-9]+", docno) else docno,
}
#: Places in the file of so many tied documents as numba 0.68.1's quicksort leaves them, once and twice.
_QUICKSORT = {16: (*range(14, -1, -1), 15), 32: (*range(14, -1, -1), 15, *range(30, 15, -1), 31)}
_GAINS: dict[str, Callable[[int], float]] = {
    "exponential": lambda level: 2**level - 1,
    "binary": lambda level: level > 0,
    "2^level": lambda level: level and 2.0**level,
    "2^level-of-all": lambda level: 2.0**level,
    "level^2": lambda level: level**2,
}
_DISCOUNTS: dict[str, Callable[[int], float]] = {
    "jarvelin": lambda rank: log2(rank) if rank > 1 else 1.0,
    "jarvelin-3": lambda rank: log(rank, 3) if rank >= 3 else 1.0,
    "jarvelin-10": lambda rank: log10(rank) if rank >= 10 else 1.0,
    "ln-jarvelin": lambda rank: log(rank) if rank > 1 else 1.0,
    "ln(i+1)": lambda rank: log(rank + 1),
    "log10(i+1)": lambda rank: log10(rank + 1),
    "rank": lambda rank: rank,
    "none": lambda rank: 1.0,
}


def changes_of(setting: str) -> dict[str, str | int]:
    """The axes of a text like ``ties=input,depth=10``."""
    pairs = (one.split("=", 1) for one in re.split(r",(?=\w+=)", setting) if one)
    return {axis: int(value) if value.isdigit() else value for axis, value in pairs}


def added(terms: Iterable[float]) -> float:
    # Not sum(): from Python 3.12 on it compensates for rounding, and these numbers are compared to the bit.
    total = 0.0
    for term in terms:
        total += term
    return total


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def _text(id: bytes) -> str:
    return id.decode("utf-8", "surrogateescape")


def _over(above: float, below: float) -> float:
    return above / below if below else 0.0


class Query(NamedTuple):
    """One query as the conventions read it.

    Attributes:
        levels: of the retrieved documents in rank order, None where unjudged; ends: the last rank of the
            documents with the same score.
        pool: levels of the judged documents. highest: the highest level of all queries.
        k: the cutoff.
    """

    levels: Sequence[int | None]
    ends: Sequence[int]
    pool: Sequence[int]
    highest: int
    k: int | None
    lowest: int

    @property
    def hits(self) -> list[bool]:
        return [level is not None and level >= self.lowest for level in self.levels]

    @property
    def seen(self) -> list[bool]:
        return self.hits[: self.k]

    @property
    def num_rel(self) -> int:
        return sum(level >= self.lowest for level in self.pool)


@dataclass(frozen=True)
class Oracle:
    """trec_eval's measures with some axes changed."""

    changes: Changes = field(default_factory=dict)

    def _is(self, axis: str, *values: str) -> bool:
        return self.changes.get(axis) in values

    def _below(self, axis: str, of: Mapping[str, int], default: int) -> int:
        """A denominator, by the value of its axis."""
        return of[str(self.changes[axis])] if axis in self.changes else default

    # From files to rankings.

    def ranking(self, topic: str, rows: Sequence[Row], judged: Judged) -> Iterator[list[Row]]:
        """The retrieved documents in this metric's order, down to its depth; every order for an average."""
        if self._is("duplicates", "first"):
            rows = list({row.docno: row for row in reversed(rows)}.values())[::-1]
        elif self._is("duplicates", "last"):
            rows = list({row.docno: row for row in rows}.values())
        if self._is("identical_ids", "removed"):
            rows = [row for row in rows if row.docno != topic]
        if self._is("special_scores", "nonpositive-dropped"):
            rows = [row for row in rows if row.score > 0]
        if self._is("universe", "appended"):
            missed = [docno for docno in judged if docno not in {row.docno for row in rows}]
            behind = max((row.rank for row in rows), default=0) + 1
            rows = [*rows, *(Row(docno, rank, 0.0) for rank, docno in enumerate(missed, behind))]
        depth, skipped = self.changes.get("depth"), self._is("first_result", "skipped")
        for order in self._orders(rows, judged):
            cut = order[skipped:][: None if depth is None else int(depth)]
            kept = [row for row in cut if row.docno in judged][: int(self.changes.get("judged_depth", 10**9))]
            yield kept if "judged_depth" in self.changes else cut

    def _orders(self, rows: Sequence[Row], judged: Judged) -> Iterator[list[Row]]:
        if self._is("order", "input"):
            yield list(rows)
        elif self._is("special_scores", "nan-keeps-place"):
            yield sorted(rows, key=lambda row: row.score, reverse=True)
        elif self._is("order", "rank-column"):
            yield sorted(self._tied(rows, judged), key=lambda row: row.rank)
        elif self._is("ties", "average"):
            ranked = sorted(rows, key=self._score, reverse=True)
            tied = (permutations(group) for _, group in groupby(ranked, key=self._score))
            yield from (list(chain(*parts)) for parts in product(*tied))
        else:
            yield sorted(self._tied(rows, judged), key=self._score, reverse=True)

    def _score(self, row: Row) -> float:
        score = row.score if self._is("score_precision", "float64") else c_float(row.score).value
        return -score if self._is("best_score", "lowest") else score

    def _tied(self, rows: Sequence[Row], judged: Judged) -> list[Row]:
        """In the order of the rule for ties."""

        def merit(row: Row) -> int:
            # Documents judged nonrelevant do harm (in bpref); others neither good nor harm.
            level = judged.get(row.docno, -1)
            return 0 if level < 0 else level or -1

        rule = str(self.changes.get("ties", "docid-desc"))
        by = DOCNO_KEYS.get(rule.removeprefix("docid-").rpartition("-")[0], _bytes)
        if rule.startswith("docid-"):
            return sorted(rows, key=lambda row: by(row.docno), reverse=rule.endswith("desc"))
        if rule.startswith("quicksort"):
            return [rows[place] for place in _QUICKSORT[len(rows)]]
        if rule == "reverse-input":
            return list(rows)[::-1]
        keys: dict[str, Callable[[Row], int]] = {
            "rank-column": lambda row: row.rank,
            "best": lambda row: -merit(row),
            "worst": merit,
        }
        return sorted(rows, key=keys.get(rule, lambda row: 0))

    def _query(self, rows: Sequence[Row], judged: Judged, highest: int, k: int | None) -> Query:
        if "exact_level" in self.changes:
            judged = {docno: int(level == self.changes["exact_level"]) for docno, level in judged.items()}
        if self._is("unjudged", "removed"):
            rows = [row for row in rows if judged.get(row.docno, -1) >= 0]
        levels = [judged.get(row.docno) for row in rows]
        own = self._is("universe", "retrieved")
        pool = [x for x in levels if x is not None] if own else [*judged.values()]
        default = str(self.changes.get("unjudged")).removeprefix("level-")
        if default.isdigit():
            levels = [int(default) if level is None or level < 0 else level for level in levels]
        if self._is("negatives", "nonrelevant") or self._is("relevance_level", "none"):
            levels, pool = [x if x is None else max(x, 0) for x in levels], [max(x, 0) for x in pool]
        scores = [self._score(row) for row in rows]
        last = {score: i for i, score in enumerate(scores, 1)}  # a score that is not a number equals no other
        ends = [last[one] if one == one else 1 for one in scores]
        level = self.changes.get("relevance_level", 1)
        return Query(levels, ends, pool, highest, k, 0 if level == "none" else int(level))

    # From rankings to values.

    def evaluate(self, qrels: Qrels, run: Run, measure: str) -> tuple[dict[str, float], float | None]:
        """The value of each query that has one, and their mean."""
        family, _, cutoff = measure.partition("@")
        k = int(cutoff) if cutoff else None
        highest = max((x for j in qrels.values() for x in j.values()), default=0)
        alike = _ALIKE.get(str(self.changes.get("ids")), str)
        if self._is("ids", "query-suffix"):
            names = {topic.split("-")[-1]: topic for topic in qrels}
            run = {names.get(topic.split("-")[-1], topic): rows for topic, rows in run.items()}
        values: dict[str, float] = {}
        queries: list[Query] = []
        missing = self._is("missing_queries", "zero", "nan", "nan-without-hits")
        unjudged = self._is("unjudged_queries", "no-relevant")
        for topic in [*qrels, *(t for t in run if t not in qrels)] if missing else run:
            if topic not in run:
                values[topic] = 0.0 if self._is("missing_queries", "zero") else nan
            elif topic in qrels or unjudged:
                judged = {alike(docno): level for docno, level in qrels.get(topic, {}).items()}
                rows = [row._replace(docno=alike(row.docno)) for row in run[topic]]
                orders = [self._query(o, judged, highest, k) for o in self.ranking(topic, rows, judged)]
                value = _mean([self._value(family, query) for query in orders])
                queries.append(orders[0])
                if value is not None:
                    values[topic] = value
        return self._summary(values, queries, len(qrels), len(run))

    def _summary(
        self, values: dict[str, float], queries: Sequence[Query], judged: int, returned: int
    ) -> tuple[dict[str, float], float | None]:
        if self._is("unit", "percent"):
            values = {topic: 100 * value for topic, value in values.items()}
        if self._is("result_precision", "float32"):
            values = {topic: c_float(value).value for topic, value in values.items()}
        count = {"qrels": judged, "run": returned}.get(str(self.changes.get("query_set")), len(values))
        mean = added(values.values()) / count if count else None
        if self._is("averaging", "micro"):
            mean = sum(sum(query.seen) for query in queries) / sum(query.num_rel for query in queries)
        elif count and self._is("averaging", "median"):
            mean = median([*values.values(), *[0.0] * (count - len(values))])
        if "rounding" in self.changes:
            digits = int(self.changes["rounding"])
            values = {topic: round(value, digits) for topic, value in values.items()}
            mean = None if mean is None else round(mean, digits)
        return values, mean

    def _value(self, family: str, query: Query) -> float | None:
        seen = query.hits[: query.num_rel] if family == "Rprec" else query.seen
        match self.changes.get("missing_queries"):
            case "dropped-without-hits" if not any(seen):
                return None
            case "dropped-without-relevant" if not any(query.hits):
                return None
            case "nan-without-hits" | "dropped-nan-without-hits" if not any(seen):
                return nan
        if query.num_rel == 0 and "no_relevant" in self.changes:
            return {"one": 1.0, "nan": nan, "skip": None}[str(self.changes["no_relevant"])]
        return FORMULAS[family](self, query)

    # Formulas.

    def _precision(self, q: Query) -> float:
        k = q.k or 0
        of = {"min(k,retrieved)": min(k, len(q.levels)), "min(k,R)": min(k, q.num_rel)}
        of["judged"] = sum(level is not None and level >= 0 for level in q.levels[:k])
        return _over(sum(q.seen), self._below("precision_denominator", of, k))

    def _recall(self, q: Query) -> float:
        of = {"min(R,k)": min(q.num_rel, q.k or 0), "retrieved-R": sum(q.hits), "k": q.k or 0}
        return _over(sum(q.seen), self._below("recall_denominator", of, q.num_rel))

    def _average_precision(self, q: Query) -> float:
        hits, k = q.seen, q.num_rel if q.k is None else q.k
        ends = q.ends if self._is("ties", "group-end") else range(1, len(hits) + 1)
        total = added(sum(hits[:end]) / end for hit, end in zip(hits, ends, strict=False) if hit)
        of = {"retrieved-relevant": sum(hits), "min(R,k)": min(q.num_rel, k), "k": k}
        of["min(R,retrieved)"] = min(q.num_rel, len(hits))
        return _over(total, self._below("ap_denominator", of, q.num_rel))

    def _log_of_average_precision(self, q: Query) -> float:
        value = self._average_precision(q)
        if self._is("geometric_floor", "none"):
            return log(value) if value > 0 else -inf
        return log((value or 0.00001) if self._is("geometric_floor", "replace-zero") else max(value, 0.00001))

    def _reciprocal_rank(self, q: Query) -> float:
        last = int(self.changes.get("rr_cutoff", 10**9))
        ranks = [rank for rank, hit in enumerate(q.seen, 1) if hit and rank <= last]
        if self._is("rr_of", "highest-level"):
            ranks = [rank for rank in ranks if q.levels[rank - 1] == max(q.pool)]
        if self._is("rr_of", "every", "every-retrieved"):
            below = q.num_rel if self._is("rr_of", "every") else len(ranks)
            return _over(added(1 / rank for rank in ranks), below)
        return 1 / ranks[0] if ranks else 0.0

    def _r_precision(self, q: Query) -> float:
        short = min(q.num_rel, len(q.levels))
        below = short if self._is("rprec_denominator", "min(R,retrieved)") else q.num_rel
        return _over(sum(q.hits[: q.num_rel]), below)

    def _bpref(self, q: Query) -> float:
        """Negative documents count as relevant where retrieved, and as nonrelevant in their number."""
        odd, form = self._is("negatives", "relevant"), self.changes.get("bpref_form")
        nonrelevant = sum(0 <= level < q.lowest or (odd and level < 0) for level in q.pool)
        if nonrelevant == 0 and form == "zero-when-no-nonrelevant":
            return 0.0
        if nonrelevant == 0 and q.num_rel and form == "nan-when-no-nonrelevant":
            return nan
        most = 10 + q.num_rel if form == "bpref-10" else q.num_rel
        bound = most if form in ("over-R", "bpref-10") else min(nonrelevant, q.num_rel)
        above, total = 0, 0.0
        for level in q.levels:
            if level is not None and (level >= q.lowest or (odd and level < 0)):
                total += 1 - _over(min(above, most), bound) if above else 1.0
            elif level is not None and level >= 0:
                above += 1
        return _over(total, q.num_rel)

    def _dcg(self, levels: Sequence[int | None]) -> float:
        gain = _GAINS.get(str(self.changes.get("gain")), float)
        discount = _DISCOUNTS.get(str(self.changes.get("discount")), lambda rank: log2(rank + 1))
        lowest = -(10**9) if self._is("negatives", "negative-gain", "negative-gain-guarded") else 0
        if self._is("gain", "binary") and "relevance_level" in self.changes:
            least = 0 if self._is("relevance_level", "none") else int(self.changes["relevance_level"])
            levels = [int(level is not None and level >= least) for level in levels]
        return added(gain(max(level or 0, lowest)) / discount(rank) for rank, level in enumerate(levels, 1))

    def _ndcg(self, q: Query) -> float:
        negative = self._is("negatives", "negative-gain", "negative-gain-guarded")
        retrieved = {"retrieved": q.levels, "retrieved-at-k": q.levels[: q.k]}
        levels = retrieved.get(str(self.changes.get("ideal")), q.pool)
        ideal = sorted((x for x in levels if x is not None and (x >= 0 or negative)), reverse=True)
        if self._is("ideal", "hits-returned"):
            ideal = [level for level in ideal if level > 0][: len(q.levels)]
        elif self._is("ideal", "max-grade"):
            ideal = [q.highest] * (len(q.levels) if q.k is None else q.k)
        elif self._is("ideal", "max-grade-returned"):
            ideal = [q.highest] * len(q.levels)
        best = self._dcg(ideal if self._is("ideal", "untruncated") else ideal[: q.k])
        if best <= 0 and not self._is("negatives", "negative-gain"):
            return 0.0
        return _over(self._dcg(q.levels[: q.k]), best)

    def _err(self, q: Query) -> float:
        given = self.changes.get("max_grade", 4)
        top = max(int({"query": max(q.pool), "qrels": q.highest}.get(str(given), given)), 0)
        total, going_on = 0.0, 1.0
        for rank, level in enumerate(q.levels[: q.k], 1):
            satisfied = (2 ** min(max(level or 0, 0), top) - 1) / 2**top
            total += going_on * satisfied / rank
            going_on *= 1 - satisfied
        return total

    def _eleven_points(self, q: Query) -> float:
        """The highest precision from each point of recall on; points are rounded half up, or exact."""
        reached = [(sum(q.hits[:rank]), sum(q.hits[:rank]) / rank) for rank in range(1, len(q.hits) + 1)]

        def holds(found: int, tenth: int) -> bool:
            if self._is("recall_points", "round"):
                return found >= int(tenth * q.num_rel / 10 + 0.5)
            return found / q.num_rel >= tenth / 10

        return added(max((p for found, p in reached if holds(found, t)), default=0.0) for t in range(11)) / 11


FORMULAS: dict[str, Callable[[Oracle, Query], float]] = {
    "P": Oracle._precision,
    "R": Oracle._recall,
    "AP": Oracle._average_precision,
    "gm_map": Oracle._log_of_average_precision,
    "RR": Oracle._reciprocal_rank,
    "Rprec": Oracle._r_precision,
    "bpref": Oracle._bpref,
    "nDCG": Oracle._ndcg,
    "DCG": lambda oracle, q: oracle._dcg(q.levels[: q.k]),
    "ERR": Oracle._err,
    "11pt_avg": Oracle._eleven_points,
}


def _mean(values: Sequence[float | None]) -> float | None:
    if len(values) == 1 or None in values:
        return values[0]
    return added(value for value in values if value is not None) / len(values)


def _fields(data: bytes) -> list[list[str]]:
    # bytes.split() knows the six ASCII blanks only; str.split() would cut ids at Unicode blanks as well.
    return [[_text(part) for part in line.split()] for line in data.split(b"\n") if line]


def read_case(qrels: bytes, run: bytes) -> tuple[Qrels, Run]:
    """Judgements and results from files; a run may be JSON, one list per column."""
    judged: dict[str, dict[str, int]] = {}
    for topic, _, docno, level in _fields(qrels):
        judged.setdefault(topic, {})[docno] = int(level)
    lines = _fields(run)
    if run.startswith(b"{"):
        columns = json.loads(run)
        names = ("query", "q0", "docid", "rank", "score", "system")
        lines = [list(map(str, line)) for line in zip(*(columns[name] for name in names), strict=True)]
    rows: dict[str, list[Row]] = {}
    for topic, _, docno, rank, score, _ in lines:
        rows.setdefault(topic, []).append(Row(docno, int(rank), float(score)))
    return judged, rows


@dataclass(frozen=True)
class Parametric(Backend):
    """The oracle as a backend."""

    changes: Changes = field(default_factory=dict)
    id: str = "parametric"
    isolated: bool = False
    conventions: Conventions | None = None

    def describe(self) -> Description:
        return Description(id=self.id, version="", engine=self.id, available=True)

    def supports(self, measure: Measure) -> bool:
        return measure.family in FORMULAS

    def evaluate(
        self, qrels: ReadQrels, run: ReadRun, measures: Sequence[Measure]
    ) -> dict[Measure, MeasureValues]:
        if not run.unique:
            raise ValueError("a document occurs twice")
        judged = {
            _text(topic): dict(
                zip(map(_text, qrels.docnos[a:b].tolist()), qrels.rels[a:b].tolist(), strict=True)
            )
            for topic, (a, b) in zip(qrels.topics, pairwise(qrels.offsets.tolist()), strict=True)
        }
        rows: dict[str, list[Row]] = {}
        for topic, (a, b) in zip(run.topics, pairwise(run.offsets.tolist()), strict=True):
            ranks = range(a, b) if run.ranks is None else run.ranks[a:b].tolist()
            docnos = map(_text, run.docnos[a:b].tolist())
            rows[_text(topic)] = list(map(Row, docnos, ranks, run.scores[a:b].tolist()))
        found = {}
        for measure in measures:
            values, mean = Oracle(self.changes).evaluate(judged, rows, str(measure))
            found[measure] = MeasureValues({_bytes(topic): v for topic, v in values.items()}, mean, self.id)
        return found
