"""Evidence for checking a comparison by hand: its mean in steps, rankings, and values that agree."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
from msgspec import Struct

from crosscheck.axes import axes
from crosscheck.compare import Differences
from crosscheck.evaluation.recomputer import Recomputer
from crosscheck.explain.answers import Diagnosed
from crosscheck.explain.shown import query_rankings
from crosscheck.model import display
from crosscheck.results import Comparison, Evidence, MeanStep, QueryRankings, as_float, number

__all__ = ["EvidenceBook", "first_of_each_kind"]

#: Most queries whose rankings are shown, and most agreeing queries whose values are shown.
_QUERIES, _AGREEING = 3, 300
#: Means further apart than this are not the same.
_SAME = 1e-9


class EvidenceBook(Struct):
    """Evidence of the first comparison of each candidate, cause and measure of a case."""

    records: list[Evidence] = []
    _seen: set[tuple[str, str, tuple[str, ...]]] = set()

    def add(
        self, c: Comparison, situation: Recomputer | None, differences: Differences, diagnosed: Diagnosed
    ) -> None:
        """Add the evidence of a comparison, if it is the first of its candidate, cause and measure."""
        story = (c.candidate, c.measure, tuple(diagnosed.diagnosis.causes))
        if situation is None or story in self._seen:
            return
        self._seen.add(story)
        ours = differences.reference
        agreeing = np.flatnonzero(differences.match & ours.present)[:_AGREEING].tolist()
        self.records.append(
            Evidence(
                case=c.case,
                run=c.run,
                measure=c.measure,
                candidate=c.candidate,
                steps=list(_steps(c, situation, diagnosed)),
                rankings=list(_rankings(situation, differences, diagnosed)),
                agreeing={display(differences.topics[i]): number(float(ours.values[i])) for i in agreeing},
            )
        )


def first_of_each_kind(records: Iterable[Evidence], comparisons: Iterable[Comparison]) -> list[Evidence]:
    """Evidence of the first comparison of each candidate, cause and measure, to keep a document small.

    Args:
        records: the evidence of all cases, in their order; comparisons: the comparisons of all cases.
    """
    causes = {(c.case, c.run, c.measure, c.candidate): c.diagnosis.causes for c in comparisons if c.diagnosis}
    first: dict[tuple[object, ...], Evidence] = {}
    for e in records:
        first.setdefault((e.candidate, e.measure, *causes[e.case, e.run, e.measure, e.candidate]), e)
    return list(first.values())


def _steps(c: Comparison, situation: Recomputer, diagnosed: Diagnosed) -> Iterator[MeanStep]:
    """The mean after each change of the explanation, if the last of these means is the candidate's."""
    changes = diagnosed.diagnosis.conventions
    if diagnosed.diagnosis.strength not in ("proved", "consistent") or c.mean.candidate_value is None:
        return
    conventions, made = situation.base, list[MeanStep]()
    for axis in axes().values():
        if axis.name in changes:
            conventions = conventions.with_changes(**{axis.name: changes[axis.name]})
            mean = situation.evaluated(conventions).mean if situation.possible(conventions) else None
            if mean is None or not np.isfinite(mean):
                return
            made.append(MeanStep(axis.label, number(mean)))
    if made and abs(as_float(made[-1].mean) - as_float(c.mean.candidate_value)) <= max(_SAME, c.tolerance):
        yield from made


def _rankings(
    situation: Recomputer, differences: Differences, diagnosed: Diagnosed
) -> Iterator[QueryRankings]:
    """The rankings of the explained queries that differ most, at most ``_QUERIES``."""
    place = {topic: i for i, topic in enumerate(situation.rankings.pairing.all_topics)}
    differing = np.flatnonzero(~differences.match).tolist()
    explained = [i for i in differing if differences.topics[i] in diagnosed.conventions]
    explained.sort(key=lambda i: -np.nan_to_num(differences.abs_diff[i], nan=np.inf))
    for i in explained[:_QUERIES]:
        topic = differences.topics[i]
        found = query_rankings(situation, place[topic], diagnosed.conventions[topic])
        if found is not None:
            yield found
