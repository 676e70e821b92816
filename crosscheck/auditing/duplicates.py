"""The treatment of a document that occurs twice in one ranking, which trec_eval refuses.

These experiments are separate from all others: the reference has no value to compare with.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from crosscheck.auditing.audited_metric import AuditedMetric
from crosscheck.axes.ids import Duplicates
from crosscheck.conventions import Conventions
from crosscheck.evaluation.rankings import Rankings
from crosscheck.evaluation.recomputer import Recomputer
from crosscheck.hypotheses.predictions import Observation, answer_of, equal_numbers
from crosscheck.probes.probe import Line, Probe, Query

__all__ = ["DuplicateHandling", "duplicate_handling"]

_MIXED = 3


@dataclass(frozen=True, slots=True)
class DuplicateHandling:
    """The result of the experiments.

    Attributes:
        values: values of the axis ``duplicates`` that predict every answer; ``error`` if the metric refuses
            every such input; empty if no value fits.
        example: the first input that the metric accepts, with its answer; None if it accepts none.
        experiments: number of experiments.
    """

    values: tuple[Duplicates, ...]
    example: tuple[Probe, Observation] | None
    experiments: int

    def added_to(self, conventions: Conventions) -> Conventions:
        """Conventions with the likeliest value of the axis, unchanged if none is known."""
        return conventions.with_changes(duplicates=self.values[0]) if self.values else conventions

    @property
    def visible(self) -> tuple[str, ...]:
        """The name of the axis if the metric has shown its treatment of such inputs, otherwise empty."""
        return ("duplicates",) if self.example is not None and self.values else ()


def duplicate_handling(
    subject: AuditedMetric, found: Conventions, tolerance: float, *, values: bool, seed: int
) -> DuplicateHandling:
    """Evaluate the metric on documents that occur twice.

    Args:
        found: the metric's conventions on all other axes.
        values: whether the metric gives values per query; otherwise its mean is read.
    """
    probes = list(_probes(random.Random(seed), subject.measure.cutoff or 5, "1" if values else None))
    seen = [(probe, subject.observe(probe)) for probe in probes]
    taken = [(probe, answer) for probe, answer in seen if answer.error is None]
    if not taken:
        return DuplicateHandling((Duplicates.ERROR,), None, len(seen))
    fits: list[Duplicates] = []
    if len(taken) == len(seen):
        known = (Duplicates.EACH, Duplicates.FIRST, Duplicates.LAST)
        fits = [value for value in known if _predicts(subject, found, value, seen, tolerance)]
    return DuplicateHandling(tuple(fits), taken[0], len(seen))


def _predicts(
    subject: AuditedMetric,
    found: Conventions,
    value: Duplicates,
    seen: Sequence[tuple[Probe, Observation]],
    tolerance: float,
) -> bool:
    conventions = found.with_changes(duplicates=value)
    for probe, answer in seen:
        situation = Recomputer(Rankings(probe.run, probe.qrels), subject.measure, conventions)
        ours = answer_of(situation, conventions, probe.reads)
        if ours is None or answer.value is None:
            if ours is not answer.value:
                return False
        elif not equal_numbers(ours, answer.value, tolerance, answer.decimals):
            return False
    return True


def _probes(rng: random.Random, cutoff: int, reads: str | None) -> Iterator[Probe]:
    """A relevant document twice, a nonrelevant one, one on either side of the cutoff, and mixtures."""
    beyond = [f"d{i}" for i in range(cutoff)]
    for docnos, relevant in (
        ("aba", "a"),
        ("bba", "a"),
        (["a", *beyond[1:], "a", "b"], "ab"),
        (["b", "b", *beyond[2:], "a"], "a"),
    ):
        yield _probe(docnos, [(docno, 3 * (docno in relevant)) for docno in sorted(set(docnos))], reads)
    for _ in range(_MIXED):
        docnos = rng.choices("abcdefg", k=rng.randint(4, cutoff + 3))
        yield _probe(docnos, [("a", 3), *((docno, rng.randint(0, 3)) for docno in "bcdh")], reads)


def _probe(docnos: Sequence[str], judged: Sequence[tuple[str, int]], reads: str | None) -> Probe:
    lines = (Line(docno, rank, 100.0 - rank) for rank, docno in enumerate(docnos, 1))
    return Probe("a document that occurs twice", (("1", Query(tuple(judged), tuple(lines))),), reads)
