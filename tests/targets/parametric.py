"""Measures with every convention as a parameter, in plain Python: what audits are tried on.

Written from the definitions and sharing no code with crosscheck's own measures. It reads runs and qrels as
a backend does, so that input order and the rank column are there to be used.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from ctypes import c_float
from dataclasses import dataclass, field
from itertools import pairwise
from math import log, log2

from crosscheck.backends import Description
from crosscheck.conventions import Conventions
from crosscheck.model import Measure, MeasureValues, Qrels, Run

__all__ = ["AXES", "Parametric"]

#: Axis -> values that :class:`Parametric` knows beside trec_eval's, by the measures that they matter to.
AXES: dict[str, tuple[tuple[str | int, ...], str]] = {
    "order": (("rank-column", "input"), "P R AP RR nDCG bpref Rprec"),
    "ties": (("docid-asc", "input", "reverse-input", "rank-column"), "P R AP RR nDCG bpref Rprec"),
    "score_precision": (("float64",), "P R AP RR nDCG bpref Rprec"),
    "unjudged": (("removed",), "P R AP RR nDCG Rprec"),
    "relevance_level": ((2, 3), "P R AP RR bpref Rprec"),
    "gain": (("exponential", "binary"), "nDCG"),
    "discount": (("jarvelin", "ln-jarvelin"), "nDCG"),
    "ideal": (("retrieved", "untruncated", "hits-returned"), "nDCG"),
    "precision_denominator": (("min(k,retrieved)",), "P"),
    "recall_denominator": (("min(R,k)", "retrieved-R"), "R"),
    "ap_denominator": (("retrieved-relevant",), "AP"),
    "rr_cutoff": ((5, 10), "RR"),
    "bpref_form": (("zero-when-no-nonrelevant",), "bpref"),
    "missing_queries": (("zero",), "P R AP RR nDCG bpref Rprec"),
    "no_relevant": (("one", "skip"), "P R AP RR nDCG bpref Rprec"),
    "rounding": ((4,), "P R AP RR nDCG bpref Rprec"),
}


@dataclass(frozen=True)
class Parametric:
    """A backend whose conventions are given; ``changes`` holds axis -> value, trec_eval's elsewhere."""

    changes: Mapping[str, str | int] = field(default_factory=dict)
    id: str = "parametric"
    isolated: bool = False
    conventions: Conventions | None = None

    def describe(self) -> Description:
        return Description(self.id, "", self.id, available=True)

    def supports(self, measure: Measure) -> bool:
        return measure.family in ["P", "R", "AP", "RR", "nDCG", "bpref", "Rprec"]

    def evaluate(self, qrels: Qrels, run: Run, measures: Sequence[Measure]) -> dict[Measure, MeasureValues]:
        judged = {
            topic: dict(zip(qrels.docnos[a:b].tolist(), qrels.rels[a:b].tolist(), strict=True))
            for topic, (a, b) in zip(qrels.topics, pairwise(qrels.offsets.tolist()), strict=True)
        }
        rankings: dict[bytes, list[bytes]] = {}
        for topic, (a, b) in zip(run.topics, pairwise(run.offsets.tolist()), strict=True):
            ranks = range(a, b) if run.ranks is None else run.ranks[a:b].tolist()
            rankings[topic] = self._ranking(
                list(zip(run.docnos[a:b].tolist(), run.scores[a:b].tolist(), ranks, strict=True))
            )
        return {m: MeasureValues(self._values(m, judged, rankings), None, self.id) for m in measures}

    def _is(self, axis: str, value: str) -> bool:
        return self.changes.get(axis) == value

    def _ranking(self, lines: list[tuple[bytes, float, int]]) -> list[bytes]:
        if self._is("order", "input"):
            return [docno for docno, _, _ in lines]
        if self._is("ties", "docid-asc"):
            lines = sorted(lines)
        elif self._is("ties", "reverse-input"):
            lines = lines[::-1]
        elif self._is("ties", "rank-column"):
            lines = sorted(lines, key=lambda line: line[2])
        elif not self._is("ties", "input"):
            lines = sorted(lines, reverse=True)
        if self._is("order", "rank-column"):
            return [docno for docno, _, _ in sorted(lines, key=lambda line: line[2])]
        double = self._is("score_precision", "float64")
        return [
            docno for docno, _, _ in sorted(lines, key=lambda x: -(x[1] if double else c_float(x[1]).value))
        ]

    def _values(
        self,
        measure: Measure,
        judged: Mapping[bytes, Mapping[bytes, int]],
        rankings: Mapping[bytes, list[bytes]],
    ) -> dict[bytes, float]:
        values: dict[bytes, float] = {}
        level = int(self.changes.get("relevance_level", 1))
        for topic, levels in judged.items():
            if topic not in rankings:
                if self._is("missing_queries", "zero"):
                    values[topic] = 0.0
                continue
            docs = rankings[topic]
            if self._is("unjudged", "removed"):
                docs = [docno for docno in docs if levels.get(docno, -1) >= 0]
            if not any(found >= level for found in levels.values()):
                if not self._is("no_relevant", "skip"):
                    values[topic] = 1.0 if self._is("no_relevant", "one") else 0.0
                continue
            grades = [levels.get(docno, -1) for docno in docs]
            values[topic] = self._measured(measure, grades, list(levels.values()), level)
        decimals = self.changes.get("rounding")
        return values if decimals is None else {t: round(v, int(decimals)) for t, v in values.items()}

    def _measured(self, measure: Measure, grades: list[int], pool: list[int], level: int) -> float:
        hits = [grade >= level for grade in grades]
        relevant, k = sum(grade >= level for grade in pool), measure.cutoff
        match measure.family:
            case "P":
                assert k is not None
                short = self._is("precision_denominator", "min(k,retrieved)")
                return _ratio(sum(hits[:k]), min(k, len(hits)) if short else k)
            case "R":
                assert k is not None
                below = {"min(R,k)": min(relevant, k), "retrieved-R": sum(hits)}
                return _ratio(sum(hits[:k]), below.get(str(self.changes.get("recall_denominator")), relevant))
            case "AP":
                total = 0.0
                for rank in range(1, len(hits[:k]) + 1):
                    total += sum(hits[:rank]) / rank if hits[rank - 1] else 0.0
                found = self._is("ap_denominator", "retrieved-relevant")
                return _ratio(total, sum(hits[:k]) if found else relevant)
            case "RR":
                last = int(self.changes.get("rr_cutoff", 10**9))
                return next((1 / rank for rank, hit in enumerate(hits[:k], 1) if hit and rank <= last), 0.0)
            case "Rprec":
                return _ratio(sum(hits[:relevant]), relevant)
            case "bpref":
                return self._bpref(grades, pool, relevant, level)
            case _:
                return self._ndcg(grades, pool, k)

    def _bpref(self, grades: list[int], pool: list[int], relevant: int, level: int) -> float:
        nonrelevant = sum(0 <= grade < level for grade in pool)
        if nonrelevant == 0 and self._is("bpref_form", "zero-when-no-nonrelevant"):
            return 0.0
        above, total = 0, 0.0
        for grade in grades:
            if grade >= level:
                total += 1 - min(above, relevant) / min(nonrelevant, relevant) if above else 1.0
            elif grade >= 0:
                above += 1
        return _ratio(total, relevant)

    def _ndcg(self, grades: list[int], pool: list[int], k: int | None) -> float:
        source = grades if self._is("ideal", "retrieved") else pool
        ideal = sorted((grade for grade in source if grade > 0), reverse=True)
        if self._is("ideal", "hits-returned"):
            ideal = ideal[: len(grades)]
        if not self._is("ideal", "untruncated"):
            ideal = ideal[:k]
        return _ratio(self._dcg(grades[:k]), self._dcg(ideal))

    def _dcg(self, grades: list[int]) -> float:
        total = 0.0
        for rank, grade in enumerate(grades, 1):
            if grade > 0:
                gain = {"exponential": 2**grade - 1, "binary": 1}.get(str(self.changes.get("gain")), grade)
                total += gain / self._discount(rank)
        return total

    def _discount(self, rank: int) -> float:
        if self._is("discount", "jarvelin"):
            return log2(rank) if rank > 1 else 1.0
        if self._is("discount", "ln-jarvelin"):
            return log(rank) if rank > 1 else 1.0
        return log2(rank + 1)


def _ratio(above: float, below: float) -> float:
    return above / below if below else 0.0
