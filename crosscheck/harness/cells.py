"""The cells of a comparison: each query that differs, with its evidence."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from crosscheck.compare import Differences
from crosscheck.evaluation.recomputer import Recomputer
from crosscheck.explain.answers import TIES, Diagnosed
from crosscheck.explain.shown import culprits
from crosscheck.explain.ties import TieRange, range_of
from crosscheck.model import display
from crosscheck.results import Cell, CellOutcome, Number, TiedDocument, TieInterval, number

__all__ = ["cells_of"]

#: Number of queries per comparison whose documents are listed as evidence, largest differences first.
_WITH_DOCUMENTS = 10


def cells_of(situation: Recomputer | None, differences: Differences, diagnosed: Diagnosed) -> list[Cell]:
    """One cell per query that differs, in byte order.

    Args:
        situation: the measure under the reference's conventions, None if these are not known.
    """
    number_of: dict[bytes, int] = {}
    if situation is not None:
        number_of = {topic: i for i, topic in enumerate(situation.rankings.pairing.all_topics)}
    ranges = range_of(situation) if situation and TIES in diagnosed.diagnosis.causes else None
    differing = np.flatnonzero(~differences.match).tolist()
    explained = [i for i in differing if differences.topics[i] in diagnosed.conventions]
    shown = sorted(explained, key=lambda i: -np.nan_to_num(differences.abs_diff[i], nan=np.inf))
    shown = shown[:_WITH_DOCUMENTS]
    if situation is not None:
        situation.rankings.hold([differences.topics[i] for i in shown])
    cells: list[Cell] = []
    for i in differing:
        topic = differences.topics[i]
        documents: list[TiedDocument] = []
        if situation is not None and i in shown:
            documents = culprits(situation, number_of[topic], diagnosed.conventions[topic])
        ours, theirs = _side(differences, i)
        kind: CellOutcome = "missing-in-candidate" if theirs is None else "missing-in-reference"
        if differences.mismatch[i]:
            kind = "mismatch"
        cells.append(
            Cell(
                query=display(topic),
                reference_value=ours,
                candidate_value=theirs,
                outcome=kind,
                abs_diff=number(float(differences.abs_diff[i])) if differences.mismatch[i] else None,
                ulp=int(differences.ulp[i]) if differences.ulp[i] >= 0 else None,
                causes=diagnosed.labels[topic],
                documents=documents,
                ties=_interval(ranges, number_of.get(topic), diagnosed.labels[topic]),
            )
        )
    return cells


def _interval(ranges: TieRange | None, query: int | None, labels: Sequence[str]) -> TieInterval | None:
    """The range of values over orders of tied documents, for a query explained by ties."""
    if ranges is None or query is None or TIES not in labels or not ranges.present[query]:
        return None
    if ranges.worst is None or ranges.best is None:
        return None
    expected = None if ranges.expected is None else number(float(ranges.expected[query]))
    return TieInterval(number(float(ranges.worst[query])), number(float(ranges.best[query])), expected)


def _side(differences: Differences, i: int) -> tuple[Number | None, Number | None]:
    def value(present: np.bool_, of: np.float64) -> Number | None:
        return number(float(of)) if present else None

    ours, theirs = differences.reference, differences.candidate
    return value(ours.present[i], ours.values[i]), value(theirs.present[i], theirs.values[i])
