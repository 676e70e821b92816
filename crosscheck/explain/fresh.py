"""Test of a diagnosis on fresh inputs: the conventions found must predict the candidate's values."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from msgspec.structs import replace

from crosscheck.axes.ids import IDS, Ids
from crosscheck.compare import align
from crosscheck.conventions import Conventions
from crosscheck.errors import BackendError
from crosscheck.evaluation.rankings import Rankings
from crosscheck.evaluation.recomputer import Recomputer
from crosscheck.explain.diagnose import as_spelt_here
from crosscheck.explain.evidence import Evidence
from crosscheck.inputs.queries import written
from crosscheck.model import Measure, MeasureValues, Qrels, Run, display
from crosscheck.results import Diagnosis, FreshInputs, Number, number

#: Number of lines shown of an input that contradicts the diagnosis.
_SHOWN = 200


def predicted(
    rankings: Rankings,
    inputs: tuple[tuple[bytes, ...], ...],
    measure: Measure,
    conventions: Conventions,
    answer: MeasureValues | BackendError,
) -> FreshInputs:
    """Number of fresh inputs whose values the conventions predict, and the smallest input that they do not.

    Args:
        rankings: all inputs, as passed in one call.
        inputs: the query ids of each input.
        answer: the candidate's values, or its error.
    """
    asked = len(inputs)
    if isinstance(answer, BackendError):
        return FreshInputs(asked=asked, met=0, failure=str(answer))
    topics = rankings.pairing.all_topics
    if respelt := as_spelt_here(answer, topics):
        # Its ids are spelt in another way; those of the inputs are not.
        answer, conventions = respelt[1], conventions.having(IDS, Ids.EXACT)
    evidence = Evidence(Recomputer(rankings, measure, conventions), align(answer, topics))
    observed, result = evidence.observed, evidence.recomputer.evaluated(conventions)
    cells, mean = evidence.met(result)
    wrong = {topics[i]: i for i in np.flatnonzero(~cells).tolist()}
    contradicting = [ids for ids in inputs if not wrong.keys().isdisjoint(ids)]
    met = asked - len(contradicting)
    if not contradicting:
        if answer.mean is None or mean:
            return FreshInputs(asked=asked, met=met)
        return FreshInputs(asked=asked, met=met, failure="the mean over all is another one")
    run, qrels = rankings.pairing.run, rankings.pairing.qrels
    smallest = min(contradicting, key=lambda ids: sum(map(len, _lines(ids, qrels, run))))
    at = wrong[next(topic for topic in smallest if topic in wrong)]
    shown = [lines[:_SHOWN] for lines in _lines(smallest, qrels, run)]
    return FreshInputs(
        asked=asked,
        met=met,
        query=display(topics[at]),
        expected=_number(bool(result.present[at]), float(result.values[at])),
        found=_number(bool(observed.present[at]), float(observed.values[at])),
        qrels=shown[0],
        run=shown[1],
    )


def held_against(diagnosis: Diagnosis, fresh: FreshInputs) -> Diagnosis:
    """The diagnosis with the result on fresh inputs: only ``consistent`` if they do not confirm it."""
    if fresh.met == fresh.asked and fresh.failure is None:
        said = f"confirmed on {fresh.met} of {fresh.asked} fresh inputs"
        return with_clause(replace(diagnosis, fresh=fresh), said)
    if fresh.query is not None:
        wrong = fresh.asked - fresh.met
        said = (
            f"{wrong} of {fresh.asked} fresh inputs it does not predict: query {fresh.query} has"
            f" {_text(fresh.found)}, predicted is {_text(fresh.expected)}"
        )
    elif fresh.met:
        said = f"it predicts {fresh.met} of {fresh.asked} fresh inputs, but {fresh.failure}"
    else:
        said = f"fresh inputs could not be asked: {fresh.failure}"
    return with_clause(replace(diagnosis, strength="consistent", fresh=fresh), said)


def with_clause(diagnosis: Diagnosis, said: str) -> Diagnosis:
    """The diagnosis with one more clause at the end of its explanation."""
    return replace(diagnosis, explanation=f"{diagnosis.explanation.removesuffix('.')}; {said}.")


def _number(present: bool, value: float) -> Number | None:
    return number(value) if present else None


def _text(value: Number | None) -> str:
    return "no value" if value is None else str(value)


def _lines(topics: tuple[bytes, ...], qrels: Qrels, run: Run) -> list[list[str]]:
    """The lines of qrels and run about some queries."""

    def rows(of: Run | Qrels) -> Iterator[tuple[str, str, int]]:
        for i, topic in enumerate(of.topics):
            for row in range(*of.offsets[i : i + 2].tolist()) if topic in topics else ():
                yield display(topic), display(bytes(of.docnos[row])), row

    ranks = np.arange(1, len(run.docnos) + 1) if run.ranks is None else run.ranks
    texts = written(
        ((topic, docno, int(qrels.rels[row])) for topic, docno, row in rows(qrels)),
        ((topic, docno, int(ranks[row]), float(run.scores[row])) for topic, docno, row in rows(run)),
        "fresh",
    )
    return [text.split("\n")[:-1] for text in texts]
