"""Judgements by several groups of judges (``-R qrels_jg``): measures averaged over the groups."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from crosscheck.conventions import Conventions
from crosscheck.errors import InputError, quoted
from crosscheck.evaluation.evaluate import evaluate
from crosscheck.evaluation.rankings import Rankings
from crosscheck.formats.grouping import identifiers
from crosscheck.formats.numerals import INT64, atol
from crosscheck.model import FloatArray, Measure, Qrels, Run, display
from crosscheck.trec_eval.judgement_lines import judgement_lines

__all__ = ["GroupedRankings", "JudgmentGroups", "RepeatedError", "judgment_groups_from_text"]


class RepeatedError(InputError):
    """A document occurs twice under a topic and group; ``found`` is its docno."""


_COLUMNS = ("topic", "group", "docno", "relevance")
_Judged = dict[bytes, dict[bytes, int]]


@dataclass(frozen=True, slots=True, eq=False)
class JudgmentGroups:
    """Judgements of one or more groups per topic.

    Attributes:
        topics: topic ids in byte order; sizes: number of groups of each.
        nth: qrels of the first group of each topic, of the second group of topics with two, and so on; the
            groups of a topic are in byte order of their names.
    """

    topics: tuple[bytes, ...]
    sizes: tuple[int, ...]
    nth: tuple[Qrels, ...]


def judgment_groups_from_text(text: bytes, path: str) -> JudgmentGroups:
    """Read ``topic group docno relevance`` lines by trec_eval's rules.

    The relevance level is the longest integer prefix. Topics and groups may be interleaved.

    Raises:
        InputError: a line does not have four columns, a document occurs twice under a topic and group, or
            a level does not fit into 64 bits.
    """
    found: dict[bytes, dict[bytes, dict[bytes, int]]] = {}
    for number, (topic, group, docno, level) in judgement_lines(text, path, _COLUMNS):
        judged = found.setdefault(topic, {}).setdefault(group, {})
        rel, _ = atol(level)
        if rel not in INT64:
            raise InputError(
                "a relevance level that does not fit into 64 bits",
                path=path,
                line=number,
                found=level,
                expected="a small whole number in column 4",
            )
        if docno in judged:
            where = f"group {quoted(display(group))} of topic {quoted(display(topic))}"
            raise RepeatedError(
                f"document {quoted(display(docno))} occurs twice in {where}",
                path=path,
                line=number,
                found=docno,
                expected="each document once per topic and group",
                hint="remove one of the lines; trec_eval fails on them as well",
            )
        judged[docno] = rel
    topics = sorted(found)
    groups = [[found[topic][name] for name in sorted(found[topic])] for topic in topics]
    nth = [
        _qrels([(topic, g[i]) for topic, g in zip(topics, groups, strict=True) if i < len(g)], path)
        for i in range(max(map(len, groups)))
    ]
    return JudgmentGroups(tuple(topics), tuple(map(len, groups)), tuple(nth))


def _qrels(judged: Iterable[tuple[bytes, dict[bytes, int]]], path: str) -> Qrels:
    topics, rows = zip(*judged, strict=True)
    return Qrels(
        topics=topics,
        offsets=np.cumsum([0, *map(len, rows)], dtype=np.int64),
        docnos=identifiers([docno for row in rows for docno in row]),
        rels=np.array([rel for row in rows for rel in row.values()], np.int64),
        source=path,
    )


class GroupedRankings:
    """A run against judgment groups, ready for any measure.

    Attributes:
        topics: ids of the topics that have both results and judgements, in byte order.
    """

    def __init__(self, run: Run, groups: JudgmentGroups) -> None:
        self._rankings = [Rankings(run, qrels) for qrels in groups.nth]
        self.topics = self._rankings[0].pairing.topics
        sizes = dict(zip(groups.topics, groups.sizes, strict=True))
        self._sizes = np.array([sizes[topic] for topic in self.topics], np.float64)

    def values(self, measure: Measure, conventions: Conventions) -> FloatArray:
        """The measure in each group, averaged over the groups, for each of ``topics``.

        trec_eval's ``map_avgjg`` (AP), ``P_avgjg`` (P@k) and ``Rprec_mult_avgjg`` (Rprec_mult@x).
        """
        total = np.zeros(len(self.topics))
        place = {topic: i for i, topic in enumerate(self.topics)}
        for rankings in self._rankings:
            pairing = rankings.pairing
            here = [place[topic] for topic in pairing.topics]
            total[here] += evaluate(rankings, measure, conventions).values[pairing.measured]
        return np.where(self._sizes > 1, total / self._sizes, total)
