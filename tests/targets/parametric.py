"""A metric with every convention as a parameter, in plain Python: what audits are tried on.

Written from the definitions and sharing no code with crosscheck's own measures. It reads runs and qrels as
a backend does, so that input order and the rank column are there to be used.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from ctypes import c_float
from dataclasses import dataclass, field
from itertools import pairwise
from math import nan
from statistics import median

from crosscheck.backends import Description
from crosscheck.conventions import Conventions
from crosscheck.model import Measure, MeasureValues, Qrels, Run
from tests.targets.formulas import DOCNO_KEYS
from tests.targets.parametric_measures import OneQuery, measured

__all__ = ["AXES", "Parametric"]

_ALL = "P R AP RR nDCG bpref Rprec"
#: Axis -> values that :class:`Parametric` knows beside trec_eval's, by the measures that they matter to.
AXES: dict[str, tuple[tuple[str | int, ...], str]] = {
    "order": (("rank-column", "input"), _ALL),
    "ties": (
        (
            *("docid-asc", "input", "reverse-input", "rank-column", "best", "worst"),
            *(f"docid-{by}-{way}" for by in DOCNO_KEYS for way in ("asc", "desc")),
        ),
        _ALL,
    ),
    "score_precision": (("float64",), _ALL),
    "special_scores": (("nonpositive-dropped",), _ALL),
    "identical_ids": (("removed",), _ALL),
    "ids": (("case", "strip", "int"), _ALL),
    "depth": ((20, 50, 100, 1000), "AP RR nDCG bpref Rprec"),
    "unjudged": (("removed", "level-1"), "P R AP RR nDCG Rprec"),
    "negatives": (("nonrelevant", "relevant"), "bpref"),
    "relevance_level": ((2, 3), "P R AP RR bpref Rprec"),
    "universe": (("retrieved", "appended"), "R AP nDCG bpref Rprec"),
    "gain": (("exponential", "binary", "2^level", "level^2"), "nDCG"),
    "discount": (("jarvelin", "ln-jarvelin", "rank", "none", "jarvelin-3", "jarvelin-10"), "nDCG"),
    "ideal": (
        ("retrieved", "retrieved-at-k", "untruncated", "hits-returned", "max-grade", "max-grade-returned"),
        "nDCG",
    ),
    "precision_denominator": (("min(k,retrieved)", "judged", "min(k,R)"), "P"),
    "recall_denominator": (("min(R,k)", "retrieved-R", "k"), "R"),
    "ap_denominator": (("retrieved-relevant", "min(R,k)", "k", "min(R,retrieved)"), "AP"),
    "rprec_denominator": (("min(R,retrieved)",), "Rprec"),
    "rr_cutoff": ((5, 10, 100), "RR"),
    "rr_of": (("every", "every-retrieved", "highest-level"), "RR"),
    "bpref_form": (
        ("zero-when-no-nonrelevant", "nan-when-no-nonrelevant", "over-R", "bpref-10"),
        "bpref",
    ),
    "missing_queries": (("zero", "dropped-without-hits", "dropped-without-relevant"), _ALL),
    "no_relevant": (("one", "skip", "nan"), _ALL),
    "unjudged_queries": (("no-relevant",), _ALL),
    "unit": (("percent",), _ALL),
    "query_set": (("qrels", "run"), _ALL),
    "rounding": ((3, 4), _ALL),
    "averaging": (("median",), _ALL),
    "first_result": (("skipped",), _ALL),
}
_SPELT_ALIKE: dict[str, Callable[[bytes], bytes]] = {
    "case": bytes.lower,
    "strip": bytes.strip,
    "int": lambda docno: b"%d" % int(docno) if re.fullmatch(rb"[+-]?[0-9]+", docno) else docno,
}

Line = tuple[bytes, float, int]


def _merit(level: int | None) -> int:
    """Documents judged nonrelevant do harm (in bpref), others that are not relevant neither good nor harm."""
    return 0 if level is None or level < 0 else level or -1


@dataclass(frozen=True)
class Parametric:
    """A backend whose conventions are given; ``changes`` holds axis -> value, trec_eval's elsewhere."""

    changes: Mapping[str, str | int] = field(default_factory=dict)
    id: str = "parametric"
    isolated: bool = False
    conventions: Conventions | None = None

    def describe(self) -> Description:
        return Description(id=self.id, version="", engine=self.id, available=True)

    def supports(self, measure: Measure) -> bool:
        return measure.family in measured

    def evaluate(self, qrels: Qrels, run: Run, measures: Sequence[Measure]) -> dict[Measure, MeasureValues]:
        if not run.unique:
            raise ValueError("a document occurs twice")
        alike = _SPELT_ALIKE.get(str(self.changes.get("ids")), lambda docno: docno)
        judged = {
            topic: dict(zip(map(alike, qrels.docnos[a:b].tolist()), qrels.rels[a:b].tolist(), strict=True))
            for topic, (a, b) in zip(qrels.topics, pairwise(qrels.offsets.tolist()), strict=True)
        }
        rankings: dict[bytes, list[bytes]] = {}
        for topic, (a, b) in zip(run.topics, pairwise(run.offsets.tolist()), strict=True):
            ranks = range(a, b) if run.ranks is None else run.ranks[a:b].tolist()
            docnos = map(alike, run.docnos[a:b].tolist())
            lines = list(zip(docnos, run.scores[a:b].tolist(), ranks, strict=True))
            rankings[topic] = self._ranking(topic, lines, judged.get(topic, {}))
        return {m: self._values(m, judged, rankings) for m in measures}

    def _is(self, axis: str, value: str) -> bool:
        return self.changes.get(axis) == value

    def _ranking(self, topic: bytes, lines: list[Line], levels: Mapping[bytes, int]) -> list[bytes]:
        """The retrieved documents in this metric's order, down to its depth."""
        if self._is("identical_ids", "removed"):
            lines = [line for line in lines if line[0] != topic]
        if self._is("special_scores", "nonpositive-dropped"):
            lines = [line for line in lines if line[1] > 0]
        if self._is("universe", "appended"):
            missed = [docno for docno in levels if docno not in {line[0] for line in lines}]
            behind = max((line[2] for line in lines), default=0) + 1
            lines = lines + [(docno, 0.0, rank) for rank, docno in enumerate(missed, behind)]
        docnos = [docno for docno, _, _ in self._sorted(lines, levels)][self._is("first_result", "skipped") :]
        depth = self.changes.get("depth")
        return docnos[: None if depth is None else int(depth)]

    def _sorted(self, lines: list[Line], levels: Mapping[bytes, int]) -> list[Line]:
        if self._is("order", "input"):
            return lines
        rule = str(self.changes.get("ties"))
        by = DOCNO_KEYS.get(rule.removeprefix("docid-").rpartition("-")[0])
        if by is not None:
            lines = sorted(lines, key=lambda line: by(line[0].decode()), reverse=rule.endswith("desc"))
        match self.changes.get("ties"):
            case None:
                lines = sorted(lines, reverse=True)
            case "docid-asc":
                lines = sorted(lines)
            case "reverse-input":
                lines = lines[::-1]
            case "rank-column":
                lines = sorted(lines, key=lambda line: line[2])
            case "best":
                lines = sorted(lines, key=lambda line: -_merit(levels.get(line[0])))
            case "worst":
                lines = sorted(lines, key=lambda line: _merit(levels.get(line[0])))
        if self._is("order", "rank-column"):
            return sorted(lines, key=lambda line: line[2])
        double = self._is("score_precision", "float64")
        return sorted(lines, key=lambda line: -(line[1] if double else c_float(line[1]).value))

    def _values(
        self,
        measure: Measure,
        judged: Mapping[bytes, Mapping[bytes, int]],
        rankings: Mapping[bytes, Sequence[bytes]],
    ) -> MeasureValues:
        highest = max((level for levels in judged.values() for level in levels.values()), default=0)
        values: dict[bytes, float] = {}
        for topic, levels in judged.items():
            if topic in rankings:
                query = self._query(rankings[topic], levels, highest, measure.cutoff)
                value = self._value(measure.family, query)
                if value is not None:
                    values[topic] = value
            elif self._is("missing_queries", "zero"):
                values[topic] = 0.0
        if self._is("unjudged_queries", "no-relevant"):
            for topic in rankings.keys() - judged.keys():
                value = self._value("RR", self._query(rankings[topic], {}, highest, measure.cutoff))
                if value is not None:
                    values[topic] = value
        if self._is("unit", "percent"):
            values = {topic: 100 * value for topic, value in values.items()}
        count = {"qrels": len(judged), "run": len(rankings)}.get(
            str(self.changes.get("query_set")), len(values)
        )
        mean = sum(values.values()) / count if count else None
        if count and self._is("averaging", "median"):
            mean = median([*values.values(), *[0.0] * (count - len(values))])
        decimals = self.changes.get("rounding")
        if decimals is not None:
            values = {topic: round(value, int(decimals)) for topic, value in values.items()}
            mean = None if mean is None else round(mean, int(decimals))
        return MeasureValues(values, mean, self.id)

    def _query(
        self, docs: Sequence[bytes], levels: Mapping[bytes, int], highest: int, cutoff: int | None
    ) -> OneQuery:
        level = int(self.changes.get("relevance_level", 1))
        if self._is("unjudged", "removed"):
            docs = [docno for docno in docs if levels.get(docno, -1) >= 0]
        found = [levels.get(docno) for docno in docs]
        judged = [grade for grade in found if grade is not None]
        default = str(self.changes.get("unjudged")).removeprefix("level-")
        if default.isdigit():
            found = judged = [int(default) if grade is None or grade < 0 else grade for grade in found]
        pool = judged if self._is("universe", "retrieved") else list(levels.values())
        if self._is("negatives", "nonrelevant"):
            found, pool = [g if g is None else max(g, 0) for g in found], [max(g, 0) for g in pool]
        return OneQuery(
            grades=[-1 if grade is None else max(grade, -1) for grade in found],
            negative=[grade is not None and grade < 0 for grade in found],
            pool=pool,
            highest=highest,
            level=level,
            k=cutoff,
            rules=self.changes,
        )

    def _value(self, family: str, query: OneQuery) -> float | None:
        """The value of a query with results and judgements, None where it gets none."""
        seen = query.hits[: query.relevant] if family == "Rprec" else query.seen
        hidden = {"dropped-without-hits": not any(seen), "dropped-without-relevant": not any(query.hits)}
        if hidden.get(str(self.changes.get("missing_queries"))):
            return None
        if query.relevant == 0:
            other = self.changes.get("no_relevant")
            if other is not None:
                return {"one": 1.0, "nan": nan, "skip": None}[str(other)]
        return measured[family](query)
